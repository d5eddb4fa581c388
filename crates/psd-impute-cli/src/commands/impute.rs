//! `psd-impute impute`: complete a table.

use super::Failure;
use super::bounds::BoundsArgs;
use super::fit_args::FitArgs;
use super::fitted;
use super::intervals::Intervals;
use super::progress::Progress;
use super::run_args::RunArgs;
use super::summary::{Cells, FitSummary, Summary, columns, print_json};
use super::table_args::{StrictArg, TableArgs, is_standard, names, numbered, writer};
use crate::io::{Holds, check_output, place};
use clap::{Args, ValueEnum};
use psd_impute::Recipe;
use psd_impute::impute::{Imputer, Limits};
use psd_impute::model::{Imputation, Imputations, Model};
use psd_impute::table::{RowCounter, Table};
use psd_impute_frame::{
    Checks, Drift, FilledWith, Format, LeftColumn, Plan, Report, Source, TableModel, Warning,
};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

/// The arguments that a given model already determines.
const SAID_BY_MODEL: [&str; 9] = [
    "save_model",
    "preset",
    "anchors",
    "metric",
    "time_budget",
    "categorical",
    "ordered",
    "continuous",
    "ignore",
];

/// The subcommand's arguments.
#[derive(Args)]
pub(crate) struct Impute {
    /// The table to complete: CSV or JSON lines (also .gz or .zst), a sheet of an Excel workbook, Parquet or Arrow; several files with the
    /// same columns, or a folder of Parquet files, are one table; `-` reads standard input.
    #[arg(required = true)]
    input: Vec<PathBuf>,
    /// The file to write, in the format that its name's ending says: .csv, .tsv, .jsonl (also .gz or .zst), .xlsx, .parquet, .arrow; with
    /// -m, out.csv becomes out.1.csv, out.2.csv, ...; `-` writes standard output.
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
    #[arg(long, value_name = "FILE", conflicts_with_all = SAID_BY_MODEL)]
    model: Option<PathBuf>,
    /// Also write the fitted model.
    #[arg(long, value_name = "FILE")]
    save_model: Option<PathBuf>,
    #[command(flatten)]
    fit: FitArgs,
    #[command(flatten)]
    bounds: BoundsArgs,
    #[command(flatten)]
    table: TableArgs,
    /// Add a column NAME_missing for each column that had missing cells.
    #[arg(long)]
    indicator: bool,
    #[command(flatten)]
    strict: StrictArg,
    /// Also write a CSV file with the mean, standard deviation, median and the quantiles at 2.5 % and 97.5 % of each missing number, and
    /// the most probable label of each missing category. Rows are counted from 1 below the header.
    #[arg(long, value_name = "FILE")]
    intervals: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) run: RunArgs,
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

/// A table that has been read, and the model that completes it.
struct Prepared {
    plan: Plan,
    limits: Limits,
    /// The counts from the table.
    report: Report,
    /// `None` if no cell is missing.
    model: Option<Model>,
}

impl Impute {
    pub(crate) fn run(&self) -> Result<ExitCode, Failure> {
        let start = Instant::now();
        self.check_outputs()?;
        let source = self.table.open_all(&self.input)?;
        let progress = Progress::new(self.run.quiet || self.run.json);
        let mut notes = self.notes();
        notes.extend_from_slice(source.notes());
        let prepared = self.prepare(&source, &progress, &mut notes)?;
        let warnings = self.complete(&source, &prepared, &progress, &mut notes)?;
        progress.end();
        notes.extend(prepared.report.notes());
        let drift = if self.model.is_some() { prepared.report.drift(&prepared.plan) } else { Vec::new() };
        notes.extend(Drift::notes(&drift));
        let columns = columns(&prepared.plan, &prepared.report, &self.bounds.options());
        let summary = Summary {
            input: names(&self.input),
            outputs: (1..=self.m).map(|k| self.path(k).display().to_string()).collect(),
            rows: prepared.report.rows,
            cells: Cells::of(&columns),
            columns,
            method: self.method.name(),
            seed: self.seed,
            fit: prepared.model.as_ref().map(FitSummary::of),
            drift,
            notes,
            warnings,
            seconds: start.elapsed().as_secs_f64(),
        };
        if self.run.json {
            print_json(&summary, &mut std::io::stdout().lock())?;
        } else if !self.run.quiet {
            summary.print(&mut std::io::stderr().lock())?;
        } else {
            summary.print_warnings(&mut std::io::stderr().lock())?;
        }
        Ok(if summary.converged() { ExitCode::SUCCESS } else { ExitCode::from(3) })
    }

    /// Loads or fits a model, after reading the whole table, so that its errors are reported before time is spent on a fit.
    fn prepare(
        &self,
        source: &Source,
        progress: &Progress,
        notes: &mut Vec<String>,
    ) -> Result<Prepared, Failure> {
        if let Some(path) = &self.model {
            let TableModel { model, plan } = fitted::load(path)?;
            let (limits, report) = self.look(source, &plan)?;
            self.strict.check(&report.left)?;
            notes.extend(report.odd_notes());
            notes.extend(report.left.iter().filter_map(LeftColumn::note));
            return Ok(Prepared { plan, limits, report, model: Some(model) });
        }
        let surveyed = self.table.survey(source, progress)?;
        self.strict.check(&surveyed.left())?;
        notes.extend(surveyed.notes_with_options());
        let (limits, report) = self.look(source, surveyed.plan())?;
        if surveyed.is_complete() {
            let none = surveyed.left().iter().all(|column| column.missing == 0);
            let what = if none { "no cell is missing" } else { "no cell can be completed" };
            notes.push(format!("{what}; the table is written as it is"));
            // Nothing is completed, so no check reports it.
            notes.extend(surveyed.sentinels().iter().map(|sentinel| sentinel.remark().to_string()));
            if self.save_model.is_none() {
                return Ok(Prepared { plan: surveyed.plan().clone(), limits, report, model: None });
            }
        }
        let fitted = fitted::fit(source, surveyed, &self.fit, self.seed, progress, notes)?;
        if let Some(path) = &self.save_model {
            fitted::save(&fitted, path)?;
        }
        Ok(Prepared { plan: fitted.plan, limits, report, model: Some(fitted.model) })
    }

    /// Reads the whole table: the bounds of its columns, which its cells are checked against, and its missing cells.
    fn look(&self, source: &Source, plan: &Plan) -> Result<(Limits, Report), Failure> {
        let bounds = self.bounds.options();
        let mut limits = plan.limits(&bounds, None)?;
        let mut report = Report::default();
        for batch in source.batches()? {
            let batch = batch?;
            if batch.first_row() == 0 {
                limits = plan.limits(&bounds, Some(&batch))?;
            }
            let (table, found) = plan.encode(&batch)?;
            plan.check_limits(&limits, &batch, &table)?;
            report.add(&found);
        }
        self.check_size(source, plan, &report)?;
        Ok((limits, report))
    }

    /// Refuses a table that the output format cannot hold, before time is spent on a fit.
    fn check_size(&self, source: &Source, plan: &Plan, report: &Report) -> Result<(), Failure> {
        let format = Format::of_name(&self.output).unwrap_or(source.format());
        let absent = report.columns.iter().filter(|column| column.absent).count();
        let columns = plan.columns().len() + report.extra.len() - absent;
        Ok(format.check_size(report.rows, columns)?)
    }

    /// The file of one of the completed tables.
    fn path(&self, k: u64) -> PathBuf {
        if self.m == 1 { self.output.clone() } else { numbered(&self.output, k) }
    }

    /// Refuses outputs that could not be written, before time is spent on them.
    fn check_outputs(&self) -> Result<(), Failure> {
        let table = is_standard(&self.output);
        let intervals = self.intervals.iter().map(|path| (path.clone(), Holds::Csv));
        let others = intervals.chain(self.save_model.iter().map(|path| (path.clone(), Holds::Model)));
        let streams = others.clone().filter(|(path, _)| is_standard(path)).count();
        if streams + usize::from(table) + usize::from(self.run.json) > 1 || table && self.m > 1 {
            return Err(Failure::OneStream);
        }
        let tables = (1..=self.m).map(|k| (self.path(k), Holds::Table));
        let read: Vec<&Path> = self.input.iter().map(PathBuf::as_path).chain(self.model.as_deref()).collect();
        let mut written: Vec<PathBuf> = Vec::new();
        for (path, holds) in tables.chain(others).filter(|(path, _)| !is_standard(path)) {
            check_output(&path, holds, &read)?;
            if written.contains(&place(&path)) {
                return Err(Failure::SameFile { path });
            }
            written.push(place(&path));
        }
        Ok(())
    }

    /// Notes on unexpected effects of the options.
    fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.m > 1 && self.method != Method::Draw {
            notes.push(format!("all {} tables are the same; only draws differ", self.m));
        } else if self.m > 1 && !self.one_fit && self.fit.preset != Recipe::NAMES[0] {
            notes.push(
                "all tables are drawn from the one fit; only the default preset is refitted".to_string(),
            );
        }
        notes
    }

    fn imputations<'a>(
        &self,
        model: &'a Model,
        limits: Limits,
    ) -> Result<Imputations<'a>, psd_impute::Error> {
        model.imputations(self.m, self.seed)?.one_fit(self.one_fit).within(limits)
    }

    /// Writes all completed tables, and the intervals. Returns the findings of the checks on the first table; notes are about the draws.
    fn complete(
        &self,
        source: &Source,
        prepared: &Prepared,
        progress: &Progress,
        notes: &mut Vec<String>,
    ) -> Result<Vec<Warning>, Failure> {
        let limits = || prepared.limits.clone();
        let imputer = prepared.model.as_ref().map(|model| model.imputer(limits())).transpose()?;
        if let Some(path) = &self.intervals {
            progress.begin("intervals", prepared.report.rows);
            write_intervals(path, source, &prepared.plan, imputer.as_ref(), progress)?;
        }
        progress.begin("completing", self.m * prepared.report.rows);
        let draws = prepared.model.as_ref().filter(|_| self.method == Method::Draw);
        let draws = draws.map(|model| self.imputations(model, limits())).transpose()?;
        notes.extend(draws.as_ref().and_then(Imputations::note));
        let filled_with = if self.method == Method::Draw { FilledWith::Draws } else { FilledWith::Typical };
        let mut checks = Checks::new(&prepared.plan, filled_with);
        for k in 1..=self.m {
            let filling = match (&draws, &imputer) {
                (Some(draws), _) => Some(Filling::Draws(draws.nth(k)?)),
                (None, Some(imputer)) if self.method == Method::Median => Some(Filling::Medians(imputer)),
                (None, imputer) => imputer.as_ref().map(Filling::Means),
            };
            let first = (k == 1).then_some(&mut checks);
            self.complete_one(source, prepared, filling.as_ref(), k, first, progress)?;
        }
        Ok(prepared.model.as_ref().map_or_else(Vec::new, |model| checks.finish(Some(model))))
    }

    /// Writes one completed table, a batch at a time.
    fn complete_one(
        &self,
        source: &Source,
        Prepared { plan, report, .. }: &Prepared,
        filling: Option<&Filling<'_>>,
        k: u64,
        mut checks: Option<&mut Checks>,
        progress: &Progress,
    ) -> Result<(), Failure> {
        let with_gaps = report.columns.iter().filter(|c| c.missing > 0 && !c.absent).map(|c| c.name.clone());
        let with_gaps: Vec<String> = with_gaps.collect();
        let mut writer = writer(&self.path(k), source.format())?;
        let mut counter = RowCounter::default();
        for batch in source.batches()? {
            let batch = batch?;
            let (table, _) = plan.encode(&batch)?;
            let rows = table.len() as u64;
            let done = match filling {
                Some(filling) => {
                    let done = filling.complete(&table, &mut counter)?;
                    if let Some(checks) = &mut checks {
                        checks.add(&table, &done);
                    }
                    done
                }
                None => table,
            };
            let completed = plan.decode(&batch, &done)?;
            let completed = if self.indicator { completed.with_indicators(&with_gaps)? } else { completed };
            writer.write(&completed)?;
            progress.advance(rows);
        }
        Ok(writer.finish()?)
    }
}

/// The source of the values that fill missing cells.
enum Filling<'a> {
    Means(&'a Imputer<'a>),
    Medians(&'a Imputer<'a>),
    Draws(Imputation<'a>),
}

impl Filling<'_> {
    fn complete(&self, table: &Table, counter: &mut RowCounter) -> Result<Table, psd_impute::Error> {
        match self {
            Self::Means(imputer) => imputer.mean(table),
            Self::Medians(imputer) => imputer.median(table),
            Self::Draws(imputation) => imputation.complete(table, counter),
        }
    }
}

/// Writes a summary of each missing cell. Without an imputer there are none.
fn write_intervals(
    path: &Path,
    source: &Source,
    plan: &Plan,
    imputer: Option<&Imputer<'_>>,
    progress: &Progress,
) -> Result<(), Failure> {
    let mut intervals = Intervals::new(path)?;
    if let Some(imputer) = imputer {
        for batch in source.batches()? {
            let batch = batch?;
            let (table, _) = plan.encode(&batch)?;
            intervals.add(imputer, plan, &batch, &table)?;
            progress.advance(table.len() as u64);
        }
    }
    intervals.finish()
}
