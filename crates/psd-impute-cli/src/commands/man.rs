//! `psd-impute man`: the manual page. Commands and options come from clap; the rest is written here.

use super::Failure;
use clap_mangen::Man;
use std::io::Write;
use std::process::ExitCode;

const NAME: &str = "psd-impute \\- complete tables so that their distribution is kept";

const DESCRIPTION: &str = "
\\fBpsd-impute\\fR fills the missing cells of a table. By default each gets a draw from its distribution given the observed cells of its row, under
densities that are fitted to the table itself; \\fB\\-\\-method\\fR puts means or medians there, and \\fB\\-m\\fR makes several tables for multiple
imputation. Numbers, integers, categories, dates and times may be mixed. Observed cells come out as they were. What was assumed, left out or left
empty is reported on standard error.
.PP
A column that names rows, free text, and a column that is never observed are left alone, with a note. \\fBpsd-impute describe\\fR says what each
column is taken for; \\fB\\-\\-categorical\\fR, \\fB\\-\\-ordered\\fR, \\fB\\-\\-continuous\\fR and \\fB\\-\\-ignore\\fR say otherwise.
.PP
Completed tables are checked. Warnings, five at most and the worst first, point out what to look at before one is used: columns imputed where they
were never observed, values that cannot be or that look like codes for missing cells, and what differs from comparable observed rows.
\\fB\\-\\-json\\fR and \\fBpsd-impute report\\fR have all of them.
";

const AFTER: &str = "
.SH FILES
Tables are read as CSV with any delimiter, JSON lines (both also compressed with gzip or Zstandard), Excel workbooks (.xlsx), Parquet, and
Arrow files and streams. The content of a file says what it is, not its name. Several files with the same columns, and the Parquet files of a folder,
are read as one table. \\- is standard input.
.PP
A table is written in the format that the ending of its name says: .csv, .tsv, .jsonl (also with .gz or .zst behind), .xlsx, .parquet, .arrow, .feather or .arrows.
Other endings are refused; a device or a pipe gets the format of the input. A file appears under its name when all of it is written. One that is
replaced keeps its mode and owner, and a link stays one.
.PP
A model file holds rows of the table that it was fitted to.
.SH ENVIRONMENT
.TP
\\fBNO_COLOR\\fR
No colours in messages.
.TP
\\fBTMPDIR\\fR
The folder for copies of what can be read only once, such as standard input.
.SH EXIT STATUS
.TP
.B 0
Done.
.TP
.B 1
Wrong usage.
.TP
.B 2
Bad data, or a file that cannot be read or written.
.TP
.B 3
The fit did not converge. Its result is written all the same.
.TP
.B 4
A mistake of the program.
.TP
.B 129, 130, 143
Ended by a hangup, by Ctrl\\-C, or by a request to terminate. No temporary file is left.
.SH EXAMPLES
.TP
Complete a table:
psd\\-impute impute people.csv \\-o done.csv
.TP
Five tables for multiple imputation, done.1.csv to done.5.csv:
psd\\-impute impute people.csv \\-o done.csv \\-m 5
.TP
A sheet of a workbook, to Parquet, with ages from 0 to 120:
psd\\-impute impute people.xlsx \\-\\-sheet 2020 \\-\\-bounds age=0:120 \\-o done.parquet
.TP
Several files as one table:
psd\\-impute impute 2019.csv 2020.csv \\-o done.csv
.TP
Fit once, complete other rows later, and look at the result:
psd\\-impute fit people.csv \\-o people.psd
.br
psd\\-impute impute new.csv \\-\\-model people.psd \\-o done.csv
.br
psd\\-impute report new.csv \\-\\-model people.psd \\-o report.html
.SH SEE ALSO
.BR jq (1),
.BR gzip (1),
.BR zstd (1)
";

/// Prints the page.
pub(crate) fn man(mut command: clap::Command, out: &mut dyn Write) -> Result<ExitCode, Failure> {
    // Subcommands then know their full names.
    command.build();
    let version = command.get_version().unwrap_or_default().to_string();
    writeln!(out, ".ie \\n(.g .ds Aq \\(aq\n.el .ds Aq '")?;
    writeln!(out, ".TH PSD-IMPUTE 1 \"\" \"psd-impute {version}\" \"User Commands\"")?;
    writeln!(out, ".SH NAME\n{NAME}")?;
    writeln!(out, ".SH SYNOPSIS\n.B psd-impute\n.I COMMAND\n.RI [ OPTIONS ]")?;
    writeln!(out, ".SH DESCRIPTION{}", DESCRIPTION.trim_end())?;
    writeln!(out, ".SH COMMANDS")?;
    for subcommand in command.get_subcommands().filter(|sub| sub.get_name() != "help") {
        describe(subcommand, out)?;
    }
    writeln!(out, "{}", AFTER.trim())?;
    Ok(ExitCode::SUCCESS)
}

/// Describes a subcommand: its usage, its purpose, and its options.
fn describe(command: &clap::Command, out: &mut dyn Write) -> Result<(), Failure> {
    let usage = command.clone().render_usage().to_string();
    let name = command.get_bin_name().unwrap_or(command.get_name());
    writeln!(out, ".SS \"{}\"", escape(name))?;
    if let Some(about) = command.get_long_about().or(command.get_about()) {
        writeln!(out, "{}\n.PP", escape(&about.to_string()))?;
    }
    let nested: Vec<&clap::Command> =
        command.get_subcommands().filter(|sub| sub.get_name() != "help").collect();
    if !nested.is_empty() {
        return nested.into_iter().try_for_each(|sub| describe(sub, out));
    }
    writeln!(
        out,
        ".B {}\n.PP",
        escape(usage.trim_start_matches("Usage: ").lines().next().unwrap_or_default())
    )?;
    let mut options = Vec::new();
    Man::new(command.clone().disable_help_flag(true)).render_options_section(&mut options)?;
    let options = String::from_utf8_lossy(&options);
    let kept = |line: &&str| !line.starts_with(".SH ") && !line.contains("ds Aq");
    for line in options.lines().filter(kept) {
        writeln!(out, "{line}")?;
    }
    Ok(())
}

/// A text escaped for roff.
fn escape(text: &str) -> String {
    let text = text.replace('\\', "\\e").replace('-', "\\-");
    text.lines()
        .map(|line| if line.starts_with(['.', '\'']) { format!("\\&{line}") } else { line.to_string() })
        .collect::<Vec<_>>()
        .join("\n")
}
