//! `psd-impute impute`: complete a table.

use super::Failure;
use super::bounds::{self, Bounds, limits};
use super::fit_args::{FitArgs, Recipe};
use super::fitted::{Fitted, Surveyed};
use super::intervals::Intervals;
use super::progress::Progress;
use super::summary::{FitSummary, Summary, filled};
use super::table_args::{KindArgs, ReadArgs, is_standard, numbered, writer};
use crate::io::check_output;
use clap::{Args, ValueEnum};
use psd_impute::impute::{Imputer, Limits};
use psd_impute::table::{RowCounter, Table};
use psd_impute_frame::{Plan, Report, Source};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

/// The subcommand's arguments.
#[derive(Args)]
pub(crate) struct Impute {
    /// The table to complete: CSV (also .gz or .zst), Parquet or Arrow; `-` reads standard input.
    input: PathBuf,
    /// The file to write, in the format that its name says; with -m, out.csv becomes out.1.csv, out.2.csv, ...; `-` writes standard
    /// output.
    #[arg(short, long)]
    output: PathBuf,
    /// What to put into a missing cell.
    #[arg(long, value_enum, default_value_t = Method::Draw)]
    method: Method,
    /// How many completed tables to write. The draws of more than one come from refits under random row weights, so that what is
    /// computed from them can be pooled.
    #[arg(short, default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=10_000))]
    m: u64,
    /// Draw all tables from the one fit: they then leave out how uncertain the fit is.
    #[arg(long)]
    one_fit: bool,
    /// The seed of everything random.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Complete with a fitted model instead of fitting one.
    #[arg(long, value_name = "FILE")]
    model: Option<PathBuf>,
    /// Also write the fitted model.
    #[arg(long, value_name = "FILE", conflicts_with = "model")]
    save_model: Option<PathBuf>,
    #[command(flatten)]
    fit: FitArgs,
    /// What the cells of a column may be, both ends included; either may be left out, as in `--bounds age=0:`.
    #[arg(long, value_name = "COL=LO:HI")]
    bounds: Vec<Bounds>,
    #[command(flatten)]
    kinds: KindArgs,
    #[command(flatten)]
    read: ReadArgs,
    /// Add a column NAME_missing for each column that had missing cells.
    #[arg(long)]
    indicator: bool,
    /// Also write a CSV file with the mean, standard deviation, median and the quantiles at 2.5 % and 97.5 % of each missing number, and
    /// the most probable label of each missing category. Rows are counted from 1 below the header.
    #[arg(long, value_name = "FILE")]
    intervals: Option<PathBuf>,
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

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum Method {
    /// A draw from the conditional distribution.
    Draw,
    /// The conditional mean; of a category the most probable label.
    Mean,
    /// The conditional median; of a category the most probable label.
    Median,
}

impl Method {
    fn name(self) -> &'static str {
        match self {
            Self::Draw => "draw",
            Self::Mean => "mean",
            Self::Median => "median",
        }
    }
}

impl Impute {
    pub(crate) fn run(&self) -> Result<ExitCode, Failure> {
        let start = Instant::now();
        self.check_outputs()?;
        let source = self.read.open(&self.input)?;
        let progress = Progress::new(self.quiet || self.json);
        let mut notes = self.notes();
        let fitted = match &self.model {
            Some(path) => Fitted::load(path)?,
            None => {
                let surveyed = Surveyed::new(&source, &self.kinds, &progress, &mut notes)?;
                if surveyed.is_complete() && self.save_model.is_none() {
                    progress.end();
                    return self.copy(&source, &surveyed.plan, &notes);
                }
                Fitted::fit(&source, surveyed, &self.fit, self.seed, &progress, &mut notes)?
            }
        };
        let limits = limits(&fitted.plan, &self.bounds)?;
        if let Some(path) = &self.save_model {
            fitted.save(path)?;
        }
        let report = self.complete(&source, &fitted, &limits, &progress)?;
        progress.end();
        notes.extend(report.notes());
        let summary = Summary {
            input: self.input.display().to_string(),
            outputs: (1..=self.m).map(|k| self.path(k).display().to_string()).collect(),
            rows: report.rows,
            columns: filled(&fitted.plan, &report),
            method: self.method.name(),
            seed: self.seed,
            fit: FitSummary::of(&fitted),
            notes,
            seconds: start.elapsed().as_secs_f64(),
        };
        if self.json {
            summary.print_json(&mut std::io::stdout().lock())?;
        } else if !self.quiet {
            summary.print(&mut std::io::stderr().lock())?;
        } else if !summary.fit.converged {
            eprintln!("warning: the fit did not converge; the result was written all the same");
        }
        Ok(if summary.fit.converged { ExitCode::SUCCESS } else { ExitCode::from(3) })
    }

    /// The file of one of the completed tables.
    fn path(&self, k: u64) -> PathBuf {
        if self.m == 1 { self.output.clone() } else { numbered(&self.output, k) }
    }

    /// Refuses what could not be written, before time is spent on it.
    fn check_outputs(&self) -> Result<(), Failure> {
        if is_standard(&self.output) && (self.m > 1 || self.json) {
            return Err(Failure::OneStream);
        }
        let tables = (1..=self.m).map(|k| self.path(k));
        let others = self.intervals.iter().chain(&self.save_model).cloned();
        let mut written: Vec<PathBuf> = Vec::new();
        for path in tables.chain(others).filter(|path| !is_standard(path)) {
            if written.contains(&path) {
                return Err(Failure::SameFile { path });
            }
            check_output(&path, &[Some(self.input.as_path()), self.model.as_deref()])?;
            written.push(path);
        }
        Ok(())
    }

    /// What is not as one would expect.
    fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.m > 1 && self.method != Method::Draw {
            notes.push(format!("all {} tables are the same; only draws differ", self.m));
        } else if self.m > 1 && !self.one_fit && self.fit.preset != Recipe::Default {
            notes.push(
                "all tables are drawn from the one fit; only the default preset is refitted".to_string(),
            );
        }
        if self.model.is_some() && !self.kinds.is_empty() {
            notes.push("the model knows its columns; what was said of their kinds is not used".to_string());
        }
        notes
    }

    /// Writes a table in which nothing is missing.
    fn copy(&self, source: &Source, plan: &Plan, notes: &[String]) -> Result<ExitCode, Failure> {
        for k in 1..=self.m {
            let mut writer = writer(&self.path(k), source)?;
            for batch in source.batches()? {
                let batch = batch?;
                let (table, _) = plan.encode(&batch)?;
                writer.write(&plan.decode(&batch, &table)?)?;
            }
            writer.finish()?;
        }
        self.intervals.as_deref().map_or(Ok(()), |path| Intervals::new(path)?.finish())?;
        if !self.quiet {
            notes.iter().for_each(|note| eprintln!("note: {note}"));
            eprintln!("note: no cell is missing; the table is written as it is");
        }
        Ok(ExitCode::SUCCESS)
    }

    /// Writes all completed tables, and the intervals.
    fn complete(
        &self,
        source: &Source,
        fitted: &Fitted,
        limits: &Limits,
        progress: &Progress,
    ) -> Result<Report, Failure> {
        let mut report = Report::default();
        let mut with_gaps: Vec<String> = Vec::new();
        let mut intervals = self.intervals.as_deref().map(Intervals::new).transpose()?;
        let imputer = fitted.model.imputer(limits.clone())?;
        progress.begin("reading", 1);
        for batch in source.batches()? {
            let batch = batch?;
            let (table, found) = fitted.plan.encode(&batch)?;
            bounds::check(limits, &fitted.plan, &batch, &table)?;
            report.add(&found);
            if let Some(intervals) = &mut intervals {
                intervals.add(&imputer, &fitted.plan, &batch, &table)?;
            }
        }
        with_gaps.extend(report.columns.iter().filter(|c| c.missing > 0).map(|c| c.name.clone()));
        progress.begin("completing", self.m * report.rows);
        for k in 1..=self.m {
            let refits = self.m > 1 && !self.one_fit && self.method == Method::Draw;
            let refitted = if refits { fitted.model.refitted(self.seed, k)? } else { None };
            let moved = refitted.as_ref().map(|refitted| refitted.imputer(limits.clone())).transpose()?;
            let imputer = moved.as_ref().unwrap_or(&imputer);
            self.complete_one(source, fitted, imputer, k, &with_gaps, progress)?;
        }
        intervals.map_or(Ok(()), Intervals::finish)?;
        Ok(report)
    }

    /// Writes one completed table, a batch after the other.
    fn complete_one(
        &self,
        source: &Source,
        fitted: &Fitted,
        imputer: &Imputer<'_>,
        k: u64,
        with_gaps: &[String],
        progress: &Progress,
    ) -> Result<(), Failure> {
        let mut writer = writer(&self.path(k), source)?;
        let mut counter = RowCounter::default();
        for batch in source.batches()? {
            let batch = batch?;
            let (table, _) = fitted.plan.encode(&batch)?;
            let done = self.fill(imputer, &table, &mut counter, k)?;
            let completed = fitted.plan.decode(&batch, &done)?;
            let completed = if self.indicator { completed.with_indicators(with_gaps)? } else { completed };
            writer.write(&completed)?;
            progress.advance(table.len() as u64);
        }
        Ok(writer.finish()?)
    }

    fn fill(
        &self,
        imputer: &Imputer<'_>,
        table: &Table,
        counter: &mut RowCounter,
        k: u64,
    ) -> Result<Table, Failure> {
        Ok(match self.method {
            Method::Mean => imputer.complete_with_means(table)?,
            Method::Median => imputer.complete_with_medians(table)?,
            Method::Draw => imputer.complete_batch_with_draws(table, &counter.keys(table), self.seed, k)?,
        })
    }
}
