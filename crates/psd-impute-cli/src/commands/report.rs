//! `psd-impute report`: a page about a table and how it is completed.

use super::Failure;
use super::bounds::BoundsArgs;
use super::fitted;
use super::progress::Progress;
use super::table_args::{ReadArgs, is_standard, names, target};
use crate::diagnostic::printable;
use crate::io::{Holds, check_output};
use clap::Args;
use psd_impute_frame::Source;
use psd_impute_report::{Findings, Names, Subject, page};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The subcommand's arguments.
#[derive(Args)]
pub(crate) struct Report {
    /// The table, with its gaps, of one file or several with the same columns, as for `impute`; `-` reads standard input.
    #[arg(required = true)]
    input: Vec<PathBuf>,
    /// The model file.
    #[arg(long, value_name = "FILE")]
    model: PathBuf,
    /// Completed copies of the table, as `impute` writes them. Without any, missing cells are drawn from the model.
    #[arg(long, value_name = "FILE", num_args = 1..)]
    completed: Vec<PathBuf>,
    /// The HTML file to write, which is complete in itself and contains rows of the table; `-` writes standard output.
    #[arg(short, long)]
    output: PathBuf,
    #[command(flatten)]
    bounds: BoundsArgs,
    #[command(flatten)]
    read: ReadArgs,
    /// Threads to work with; all cores unless given. The page does not depend on it.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1024))]
    pub(crate) threads: Option<u64>,
    /// No progress and no summary.
    #[arg(long)]
    quiet: bool,
}

impl Report {
    pub(crate) fn run(&self) -> Result<ExitCode, Failure> {
        if !is_standard(&self.output) {
            let read = self.input.iter().chain([&self.model]).chain(&self.completed);
            check_output(&self.output, Holds::Page, &read.map(PathBuf::as_path).collect::<Vec<_>>())?;
        }
        let source = self.read.open_all(&self.input)?;
        let model = fitted::load(&self.model)?;
        let completed = self.completed.iter().map(|path| self.read.open(path));
        let completed = completed.collect::<Result<Vec<Source>, Failure>>()?;
        let progress = Progress::new(self.quiet);
        progress.begin("reporting", 1);
        let (completed, bounds) = (completed.as_slice(), self.bounds.options());
        let subject = Subject { source: &source, completed, model: &model, bounds, names: self.names() };
        let findings = Findings::of(&subject)?;
        let text = page(&findings)?;
        progress.end();
        let mut out = target(&self.output)?;
        out.write_all(text.as_bytes()).map_err(Failure::of_file(&self.output))?;
        out.finish()?;
        if !self.quiet {
            eprintln!("{}", printable(&findings.missing.answer()));
            source
                .notes()
                .iter()
                .chain(&findings.settings.notes)
                .for_each(|note| eprintln!("note: {}", printable(note)));
            eprintln!("wrote {}", self.output.display());
        }
        Ok(ExitCode::SUCCESS)
    }

    fn names(&self) -> Names {
        let name = |path: &Path| path.display().to_string();
        let mut command: Vec<String> =
            std::env::args_os().map(|word| word.to_string_lossy().into()).collect();
        // Independent of the program's folder.
        command[..1].fill("psd-impute".to_string());
        let completed = self.completed.iter().map(|path| name(path)).collect();
        Names { table: names(&self.input), model: name(&self.model), completed, command }
    }
}
