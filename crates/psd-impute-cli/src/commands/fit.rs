//! `psd-impute fit`: fit a model and write it to a file.

use super::Failure;
use super::fit_args::FitArgs;
use super::fitted;
use super::progress::Progress;
use super::run_args::RunArgs;
use super::summary::{FitSummary, NOT_CONVERGED, print_json};
use super::table_args::{StrictArg, TableArgs, is_standard};
use crate::diagnostic::printable;
use crate::io::{Holds, check_output};
use clap::Args;
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The subcommand's arguments.
#[derive(Args)]
pub(crate) struct Fit {
    /// The table to fit: CSV or JSON lines (also .gz or .zst), a sheet of an Excel workbook, Parquet or Arrow; several files with the same
    /// columns, or a folder of Parquet files, are one table; `-` reads standard input.
    #[arg(required = true)]
    input: Vec<PathBuf>,
    /// The model file to write; `-` writes standard output.
    #[arg(short, long)]
    output: PathBuf,
    /// The random seed.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    #[command(flatten)]
    fit: FitArgs,
    #[command(flatten)]
    table: TableArgs,
    #[command(flatten)]
    strict: StrictArg,
    #[command(flatten)]
    pub(crate) run: RunArgs,
}

/// The summary as JSON.
#[derive(Serialize)]
struct Done<'a> {
    #[serde(flatten)]
    fit: &'a FitSummary,
    /// Missing cells of columns that are left unchanged.
    left_empty: u64,
    notes: &'a [String],
}

impl Fit {
    pub(crate) fn run(&self) -> Result<ExitCode, Failure> {
        if is_standard(&self.output) && self.run.json {
            return Err(Failure::OneStream);
        }
        if !is_standard(&self.output) {
            let read: Vec<&Path> = self.input.iter().map(PathBuf::as_path).collect();
            check_output(&self.output, Holds::Model, &read)?;
        }
        let source = self.table.open_all(&self.input)?;
        let progress = Progress::new(self.run.quiet || self.run.json);
        let surveyed = self.table.survey(&source, &progress)?;
        self.strict.check(&surveyed.left())?;
        let left_empty = surveyed.left().iter().map(|column| column.missing).sum();
        let mut notes = source.notes().to_vec();
        notes.extend(surveyed.notes_with_options());
        notes.extend(surveyed.sentinels().iter().map(|sentinel| sentinel.remark().to_string()));
        let fitted = fitted::fit(&source, surveyed, &self.fit, self.seed, &progress, &mut notes)?;
        progress.end();
        fitted::save(&fitted, &self.output)?;
        let summary = FitSummary::of(&fitted.model);
        if self.run.json {
            let done = Done { fit: &summary, left_empty, notes: &notes };
            print_json(&done, &mut std::io::stdout().lock())?;
        } else if !self.run.quiet {
            let mut out = std::io::stderr().lock();
            summary.print(&mut out)?;
            notes.iter().for_each(|note| eprintln!("note: {}", printable(note)));
            eprintln!("wrote {}", self.output.display());
        }
        if summary.converged {
            return Ok(ExitCode::SUCCESS);
        }
        eprintln!("{NOT_CONVERGED}");
        Ok(ExitCode::from(3))
    }
}
