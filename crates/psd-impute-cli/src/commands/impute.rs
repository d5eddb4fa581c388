//! `psd-impute impute`: complete a table.

use super::Failure;
use super::bounds::BoundsArgs;
use super::fit_args::FitArgs;
use super::fitted;
use super::intervals::{ENDS, Intervals};
use super::progress::Progress;
use super::run_args::RunArgs;
use super::summary::{Cells, FitSummary, Summary, columns, print_json};
use super::table_args::{StrictArg, TableArgs, is_standard, names, numbered, writer};
use crate::io::{Holds, check_output, place};
use clap::{Args, ValueEnum};
use psd_impute::Recipe;
use psd_impute::impute::Limits;
use psd_impute_frame::{
    Checked, Checks, Completed, Completion, CompletionOptions, Drift, Format, LeftColumn, Method, Plan,
    Report, Source, TableModel, Warning, Writer,
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
    /// The value that a missing cell gets.
    #[arg(long, value_enum, default_value_t = MethodArg::Draw)]
    method: MethodArg,
    /// How many completed tables to write. The draws of more than one come from refits under random row weights, so that what is
    /// computed from them can be pooled.
    #[arg(short, default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=10_000))]
    m: u64,
    /// Draw all tables from the one fit: they then leave out how uncertain the fit is.
    #[arg(long)]
    one_fit: bool,
    /// The random seed.
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
enum MethodArg {
    /// A draw from the conditional distribution.
    Draw,
    /// The conditional mean; of a category the most probable label.
    Mean,
    /// The conditional median; of a category the most probable label.
    Median,
}

impl From<MethodArg> for Method {
    fn from(arg: MethodArg) -> Self {
        match arg {
            MethodArg::Draw => Self::Draw,
            MethodArg::Mean => Self::Mean,
            MethodArg::Median => Self::Median,
        }
    }
}

/// A table that has been read, and the model that completes it.
struct Prepared {
    limits: Limits,
    /// The counts from the table.
    report: Report,
    model: Fitted,
}

enum Fitted {
    Model(Box<TableModel>),
    /// No cell is missing.
    Nothing(Plan),
}

/// Findings about a completed table.
#[derive(Default)]
struct Done {
    warnings: Vec<Warning>,
    /// Whether draws are in balance; `None` where nothing is drawn.
    balanced: Option<bool>,
}

impl Fitted {
    fn plan(&self) -> &Plan {
        match self {
            Self::Model(model) => &model.plan,
            Self::Nothing(plan) => plan,
        }
    }

    fn model(&self) -> Option<&TableModel> {
        match self {
            Self::Model(model) => Some(model),
            Self::Nothing(_) => None,
        }
    }
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
        let Done { warnings, balanced } = self.complete(&source, &prepared, &progress, &mut notes)?;
        progress.end();
        notes.extend(prepared.report.notes());
        let drift =
            if self.model.is_some() { prepared.report.drift(prepared.model.plan()) } else { Vec::new() };
        notes.extend(Drift::notes(&drift));
        let columns = columns(prepared.model.plan(), &prepared.report, &self.bounds.options());
        let summary = Summary {
            input: names(&self.input),
            outputs: (1..=self.m).map(|k| self.path(k).display().to_string()).collect(),
            rows: prepared.report.rows,
            cells: Cells::of(&columns),
            columns,
            method: Method::from(self.method).name(),
            seed: self.seed,
            balanced,
            fit: prepared.model.model().map(|fitted| FitSummary::of(&fitted.model)),
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
            let fitted = fitted::load(path)?;
            let Checked { limits, report } = self.check(source, &fitted.plan)?;
            self.strict.check(&report.left)?;
            notes.extend(report.odd_notes());
            notes.extend(report.left.iter().filter_map(LeftColumn::note));
            return Ok(Prepared { limits, report, model: Fitted::Model(Box::new(fitted)) });
        }
        let surveyed = self.table.survey(source, progress)?;
        self.strict.check(&surveyed.left())?;
        notes.extend(surveyed.notes_with_options());
        let Checked { limits, report } = self.check(source, surveyed.plan())?;
        if surveyed.is_complete() {
            let none = surveyed.left().iter().all(|column| column.missing == 0);
            let what = if none { "no cell is missing" } else { "no cell can be completed" };
            notes.push(format!("{what}; the table is written as it is"));
            // Nothing is completed, so no check reports it.
            notes.extend(surveyed.sentinels().iter().map(|sentinel| sentinel.remark().to_string()));
            if self.save_model.is_none() {
                return Ok(Prepared { limits, report, model: Fitted::Nothing(surveyed.plan().clone()) });
            }
        }
        let fitted = fitted::fit(source, surveyed, &self.fit, self.seed, progress, notes)?;
        if let Some(path) = &self.save_model {
            fitted::save(&fitted, path)?;
        }
        Ok(Prepared { limits, report, model: Fitted::Model(Box::new(fitted)) })
    }

    /// Reads the whole table, and refuses what could not be written.
    fn check(&self, source: &Source, plan: &Plan) -> Result<Checked, Failure> {
        let checked = plan.check(source, &self.bounds.options(), |_| ())?;
        self.check_size(source, plan, &checked.report)?;
        Ok(checked)
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
        if self.m > 1 && self.method != MethodArg::Draw {
            notes.push(format!("all {} tables are the same; only draws differ", self.m));
        } else if self.m > 1 && !self.one_fit && self.fit.preset != Recipe::NAMES[0] {
            notes.push(
                "all tables are drawn from the one fit; only the default preset is refitted".to_string(),
            );
        }
        notes
    }

    /// Writes all completed tables, and the intervals. Returns the findings of the checks on the first table; notes are about the draws.
    fn complete(
        &self,
        source: &Source,
        Prepared { limits, report, model }: &Prepared,
        progress: &Progress,
        notes: &mut Vec<String>,
    ) -> Result<Done, Failure> {
        if let Some(path) = &self.intervals {
            progress.begin("intervals", report.rows);
            write_intervals(path, source, model.model(), limits, progress)?;
        }
        progress.begin("completing", self.m * report.rows);
        let method = Method::from(self.method);
        let (tables, seed, one_fit, limits) = (self.m, self.seed, self.one_fit, limits.clone());
        let completion = match model {
            Fitted::Model(fitted) => {
                fitted.completion(CompletionOptions { method, tables, seed, one_fit, limits })?
            }
            Fitted::Nothing(plan) => Completion::of_nothing(plan, limits),
        };
        notes.extend(completion.note());
        let mut checks = model.model().map(|fitted| Checks::new(&fitted.plan, method.filled_with()));
        for k in 1..=self.m {
            let mut output = self.output(source, report, k, progress)?;
            let first = checks.as_mut().filter(|_| k == 1);
            completion.table(k, source, first, |completed, counts| output.write(completed, counts))?;
            output.writer.finish()?;
        }
        let model = model.model().map(|fitted| &fitted.model);
        let warnings = checks.map_or_else(Vec::new, |checks| checks.finish(model));
        Ok(Done { warnings, balanced: completion.is_balanced() })
    }

    /// Begins one of the completed tables.
    fn output<'a>(
        &self,
        source: &Source,
        report: &Report,
        k: u64,
        progress: &'a Progress,
    ) -> Result<Output<'a>, Failure> {
        let with_gaps = report.columns.iter().filter(|column| column.missing > 0 && !column.absent);
        let indicators = self.indicator.then(|| with_gaps.map(|column| column.name.clone()).collect());
        Ok(Output { writer: writer(&self.path(k), source.format())?, indicators, progress })
    }
}

/// A completed table that is being written.
struct Output<'a> {
    writer: Writer,
    /// The columns that get an indicator, if wanted.
    indicators: Option<Vec<String>>,
    progress: &'a Progress,
}

impl Output<'_> {
    fn write(&mut self, completed: Completed<'_>, counts: &Report) -> Result<(), Failure> {
        let completed = match &self.indicators {
            Some(columns) => completed.with_indicators(columns)?,
            None => completed,
        };
        self.writer.write(&completed)?;
        self.progress.advance(counts.rows);
        Ok(())
    }
}

/// Writes a summary of each missing cell. Without a model there are none.
fn write_intervals(
    path: &Path,
    source: &Source,
    fitted: Option<&TableModel>,
    limits: &Limits,
    progress: &Progress,
) -> Result<(), Failure> {
    let mut intervals = Intervals::new(path)?;
    if let Some(fitted) = fitted {
        fitted.summaries(source, limits, &ENDS, |cells, rows| {
            intervals.add(&fitted.plan, &cells)?;
            progress.advance(rows);
            Ok::<(), Failure>(())
        })?;
    }
    intervals.finish()
}
