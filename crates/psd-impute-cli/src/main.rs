//! The command `psd-impute`.
//!
//! Data goes to standard output, messages to standard error. Exit codes: 0 done, 1 wrong usage, 2 bad data, 3 the fit did not converge (its
//! result is written all the same), 4 an internal error, 130 interrupted, 143 terminated, 129 hung up.

mod commands;
mod diagnostic;
mod io;
mod plot;
mod signals;
mod toys;

use clap::{CommandFactory, Parser, Subcommand};
use commands::Failure;
use mimalloc::MiMalloc;
use std::io::Write;
use std::process::ExitCode;

/// Fits allocate many small matrices on every thread, for which the system's allocator is slow.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// Imputation that keeps the distribution of the data.
#[derive(Parser)]
#[command(name = "psd-impute", version, about, after_help = EXIT_CODES)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

const EXIT_CODES: &str = "Exit codes: 0 done, 1 wrong usage, 2 bad data, 3 the fit did not converge (its result is written all the same), \
4 a mistake of ours, 130 interrupted, 143 terminated, 129 hung up";

#[derive(Subcommand)]
enum Command {
    /// Make a small table with gaps, impute it and show the result.
    Demo(commands::demo::Demo),
    /// Complete a table.
    Impute(Box<commands::impute::Impute>),
    /// Fit a model and write it to a file.
    Fit(commands::fit::Fit),
    /// Say what a table or a model is.
    Describe(commands::describe::Describe),
    /// Say how well each row of a table fits a model.
    Score(commands::score::Score),
    /// Write a page about a table: what is missing, whether imputed values belong, how sure each cell is.
    Report(commands::report::Report),
    /// Write new rows drawn from a model.
    Sample(commands::sample::Sample),
    /// Take cells away from a table.
    Ampute(commands::ampute::Ampute),
    /// Score completed tables against the truth.
    Evaluate(commands::evaluate::Evaluate),
    /// Compare ways to complete tables.
    Lab(commands::lab::Lab),
    /// Print completions for a shell.
    Completions(commands::shell::Completions),
    /// Print the manual page: `psd-impute man | man -l -`.
    Man,
}

impl Command {
    fn threads(&self) -> Option<u64> {
        match self {
            Self::Impute(impute) => impute.run.threads,
            Self::Fit(fit) => fit.run.threads,
            Self::Report(report) => report.threads,
            _ => None,
        }
    }

    fn run(&self) -> Result<ExitCode, Failure> {
        let out = &mut std::io::stdout();
        match self {
            Self::Demo(demo) => demo.run(out),
            Self::Impute(impute) => impute.run(),
            Self::Fit(fit) => fit.run(),
            Self::Describe(describe) => describe.run(out),
            Self::Score(score) => score.run(),
            Self::Report(report) => report.run(),
            Self::Sample(sample) => sample.run(),
            Self::Ampute(ampute) => ampute.run(),
            Self::Evaluate(evaluate) => evaluate.run(out),
            Self::Lab(lab) => lab.run(),
            Self::Completions(completions) => completions.run(Arguments::command(), out),
            Self::Man => commands::man::man(Arguments::command(), out),
        }
    }
}

/// Starts the requested number of threads, as far as they fit into memory.
fn start_threads(command: &Command) -> Result<(), Failure> {
    if matches!(command, Command::Describe(_) | Command::Completions(_) | Command::Man) {
        return Ok(());
    }
    if let Some(threads) = psd_impute_frame::affordable_threads(command.threads().map(|n| n as usize))? {
        let _ = rayon::ThreadPoolBuilder::new().num_threads(threads).build_global();
    }
    Ok(())
}

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            let code = if error.use_stderr() { 1 } else { 0 };
            let _ = error.print();
            return ExitCode::from(code);
        }
    };
    signals::listen();
    std::panic::set_hook(Box::new(|_| {}));
    match std::panic::catch_unwind(|| run(&arguments.command)) {
        Ok(code) => code,
        Err(cause) => {
            let text = cause.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| cause.downcast_ref::<&str>().copied()).unwrap_or("no message");
            // If messages cannot be written, as on a full disk, this cannot be reported to anybody.
            let _ = writeln!(
                std::io::stderr(),
                "error: this is a mistake of ours: {text}\nhint: please report it, with the table if you can"
            );
            ExitCode::from(4)
        }
    }
}

fn run(command: &Command) -> ExitCode {
    match start_threads(command).and_then(|()| command.run()) {
        Ok(code) => code,
        Err(error) if error.is_broken_pipe() => ExitCode::SUCCESS,
        Err(error) => {
            diagnostic::print(&error);
            ExitCode::from(if error.is_usage() { 1 } else { 2 })
        }
    }
}
