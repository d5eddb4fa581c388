//! The command `psd-impute`.
//!
//! Data goes to standard output, messages to standard error. Exit codes: 0 done, 1 wrong usage, 2 bad data, 3 the fit did not
//! converge (its result is written all the same).

mod commands;
mod io;
mod plot;
mod toys;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// Imputation that keeps the distribution of the data.
#[derive(Parser)]
#[command(name = "psd-impute", version, about)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Make a small table with gaps, impute it and show the result.
    Demo(commands::demo::Demo),
    /// Complete a numeric CSV file.
    Impute(commands::impute::Impute),
    /// Take cells away from a table, to see how well they can be put back.
    Ampute(commands::ampute::Ampute),
    /// Score completed tables against the truth.
    ///
    /// ed is the energy distance between the completed and the true rows; w2 half the squared 2-Wasserstein distance between the
    /// rows that had a gap and their truth, of the first two tables only; rmse and mae are errors of missing numbers, and the category
    /// error is the share of missing labels that are wrong. Numbers are measured in the truth's standard deviations, columns of
    /// numbers that are constant there are left out, and two different labels are at distance one.
    Evaluate(commands::evaluate::Evaluate),
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
    let result = match arguments.command {
        Command::Demo(demo) => demo.run(&mut std::io::stdout().lock()),
        Command::Impute(impute) => impute.run(),
        Command::Ampute(ampute) => ampute.run(),
        Command::Evaluate(evaluate) => evaluate.run(&mut std::io::stdout().lock()),
    };
    match result {
        Ok(code) => code,
        Err(error) if error.is_broken_pipe() => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}
