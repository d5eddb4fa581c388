//! `psd-impute lab`: compare ways to complete tables.

mod records;
mod report;
mod run;
mod setting;
mod studies;

use super::Failure;
use clap::{Args, Subcommand};
use std::process::ExitCode;

/// The subcommand's arguments.
#[derive(Args)]
pub(crate) struct Lab {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run a study, or go on with one that was stopped.
    Run(run::Run),
    /// Write the figures and tables of a study from its records.
    Report(report::Report),
}

impl Lab {
    pub(crate) fn run(&self) -> Result<ExitCode, Failure> {
        match &self.command {
            Command::Run(run) => run.run(),
            Command::Report(report) => report.run(),
        }
    }
}
