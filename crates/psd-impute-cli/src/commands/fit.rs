//! `psd-impute fit`: fit a model and write it to a file.

use super::Failure;
use super::fit_args::FitArgs;
use super::fitted::{Fitted, Surveyed};
use super::progress::Progress;
use super::summary::{FitSummary, print_json};
use super::table_args::{KindArgs, ReadArgs};
use crate::io::check_output;
use clap::Args;
use std::path::PathBuf;
use std::process::ExitCode;

/// The subcommand's arguments.
#[derive(Args)]
pub(crate) struct Fit {
    /// The table to fit: CSV (also .gz or .zst), Parquet or Arrow; `-` reads standard input.
    input: PathBuf,
    /// The model file to write.
    #[arg(short, long)]
    output: PathBuf,
    /// The seed of everything random.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    #[command(flatten)]
    fit: FitArgs,
    #[command(flatten)]
    kinds: KindArgs,
    #[command(flatten)]
    read: ReadArgs,
    /// Threads to work with; all cores unless given. Results do not depend on it.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1024))]
    pub(crate) threads: Option<u64>,
    /// No progress and no summary; only errors and warnings.
    #[arg(long)]
    quiet: bool,
    /// Print the summary as JSON on standard output.
    #[arg(long)]
    json: bool,
}

impl Fit {
    pub(crate) fn run(&self) -> Result<ExitCode, Failure> {
        check_output(&self.output, &[Some(self.input.as_path())])?;
        let source = self.read.open(&self.input)?;
        let progress = Progress::new(self.quiet || self.json);
        let mut notes = Vec::new();
        let surveyed = Surveyed::new(&source, &self.kinds, &progress, &mut notes)?;
        let fitted = Fitted::fit(&source, surveyed, &self.fit, self.seed, &progress, &mut notes)?;
        progress.end();
        fitted.save(&self.output)?;
        let summary = FitSummary::of(&fitted);
        if self.json {
            print_json(&summary, &mut std::io::stdout().lock())?;
        } else if !self.quiet {
            let mut out = std::io::stderr().lock();
            summary.print(&mut out)?;
            notes.iter().for_each(|note| eprintln!("note: {note}"));
            eprintln!("wrote {}", self.output.display());
        }
        if summary.converged {
            return Ok(ExitCode::SUCCESS);
        }
        eprintln!("warning: the fit did not converge; the model was written all the same");
        Ok(ExitCode::from(3))
    }
}
