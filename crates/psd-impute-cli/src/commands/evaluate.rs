//! `psd-impute evaluate`: score completed tables against the truth.

use super::Failure;
use super::intervals;
use super::table_args::TableArgs;
use crate::diagnostic::printable;
use clap::Args;
use psd_impute_eval::Error;
use psd_impute_eval::metrics::{Evaluation, Intervals, Scores, WASSERSTEIN_ROWS, WASSERSTEIN_TABLES};
use psd_impute_frame::{ColumnOverrides, ColumnPlan, Plan, Role, Source, Survey};
use serde::Serialize;
use std::collections::HashMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The subcommand's arguments.
#[derive(Args)]
pub(crate) struct Evaluate {
    /// The table as it was.
    truth: PathBuf,
    /// The table with cells taken away.
    masked: PathBuf,
    /// The tables in which they were put back.
    #[arg(required = true)]
    completed: Vec<PathBuf>,
    /// A file that `impute --intervals` wrote for the masked table, to see how often its intervals hold the truth; `-` reads
    /// standard input.
    #[arg(long, value_name = "FILE")]
    intervals: Option<PathBuf>,
    #[command(flatten)]
    table: TableArgs,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// The scores of one completed file.
#[derive(Serialize)]
struct Scored {
    file: String,
    #[serde(flatten)]
    scores: Scores,
}

/// The output of `--json`.
#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    average: Scores,
    each: Vec<Scored>,
    /// Columns whose missing cells are not scored.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    not_scored: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    intervals: Option<Intervals>,
}

impl Evaluate {
    pub(crate) fn run(&self, out: &mut dyn Write) -> Result<ExitCode, Failure> {
        let source = self.table.open(&self.truth)?;
        let survey = survey(&source)?;
        let plan = survey.plan(&self.table.overrides()?)?;
        let truth = plan.whole_table(&source)?;
        let masked_source = self.table.open(&self.masked)?;
        let masked = plan.whole_table(&masked_source)?;
        let at = |path: &Path, error: Error| Failure::Evaluation { path: path.to_owned(), error };
        let evaluation = Evaluation::new(&truth, &masked).map_err(|error| match error {
            Error::NoCompleteRow => at(&self.truth, error),
            other => at(&self.masked, other),
        })?;
        self.describe(&evaluation, truth.len());
        let unscored = Unscored::of(&plan, &survey, &masked_source)?;
        let mut each = Vec::new();
        for (k, path) in self.completed.iter().enumerate() {
            let source = self.table.open(path)?;
            let completed = plan.whole_table(&source)?;
            let scores = evaluation.score(k, &completed).map_err(|error| at(path, error))?;
            unscored.describe(path, &source)?;
            each.push(Scored { file: path.display().to_string(), scores });
        }
        let intervals = match &self.intervals {
            Some(path) => {
                let [lower, upper] = intervals::read(path, &plan, &masked)?;
                let found = evaluation.intervals(&lower, &upper).map_err(|error| at(path, error))?;
                if found.is_none() {
                    eprintln!("note: no number is missing, so there is no interval to score");
                }
                found
            }
            None => None,
        };
        let all: Vec<Scores> = each.iter().map(|scored| scored.scores).collect();
        let Some(average) = Scores::average(&all) else { return Ok(ExitCode::SUCCESS) };
        if self.json {
            let not_scored = unscored.columns.iter().map(|column| column.name().to_string()).collect();
            let report = Report { average, each, not_scored, intervals };
            serde_json::to_writer(&mut *out, &report).map_err(std::io::Error::from)?;
            writeln!(out)?;
        } else {
            print(out, &each, &average)?;
            if let Some(Intervals { cells, coverage, width }) = intervals {
                writeln!(
                    out,
                    "\n95 % intervals hold {:.1} % of {cells} missing numbers; they are {width:.3} standard deviations wide",
                    100.0 * coverage
                )?;
            }
        }
        Ok(ExitCode::SUCCESS)
    }

    /// Reports cells that are unexpectedly left out.
    fn describe(&self, evaluation: &Evaluation, rows: usize) {
        if evaluation.rows() < rows {
            let left_out = rows - evaluation.rows();
            eprintln!("note: not scored, because their truth has gaps: {left_out} of {rows} rows");
        }
        if evaluation.rows_with_gaps() > WASSERSTEIN_ROWS {
            eprintln!(
                "note: sw2, a lower bound, is measured in place of w2; more than {WASSERSTEIN_ROWS} rows have gaps"
            );
        } else if self.completed.len() > WASSERSTEIN_TABLES {
            eprintln!("note: w2 is measured for the first {WASSERSTEIN_TABLES} tables only");
        }
    }
}

/// The columns that lost cells and are not scored, because they are not modelled.
struct Unscored<'a> {
    columns: Vec<&'a ColumnPlan>,
    /// The truth's own missing cells.
    missing: HashMap<String, u64>,
}

impl<'a> Unscored<'a> {
    /// Finds these columns.
    fn of(plan: &'a Plan, truth: &Survey, masked: &Source) -> Result<Self, Failure> {
        let others: Vec<&ColumnPlan> =
            plan.columns().iter().filter(|column| *column.role() != Role::Modelled).collect();
        let mut unscored = Self { columns: Vec::new(), missing: missing(truth) };
        for (column, count) in unscored.more_missing(&others, masked)? {
            let why = match column.role() {
                Role::Left(reason) => reason.to_string(),
                _ => "all its cells are the same".to_string(),
            };
            let (name, why) = (printable(column.name()), printable(&why));
            eprintln!("note: column `{name}` has {count} missing cells, which are not scored: {why}");
            unscored.columns.push(column);
        }
        Ok(unscored)
    }

    /// Reports how many of their cells a completed table leaves empty.
    fn describe(&self, path: &Path, completed: &Source) -> Result<(), Failure> {
        for (column, count) in self.more_missing(&self.columns, completed)? {
            let (path, name) = (path.display(), printable(column.name()));
            eprintln!("note: {path}: {count} cells of column `{name}` are left empty");
        }
        Ok(())
    }

    /// The columns with fewer cells than in the truth, and the number lacking.
    fn more_missing(
        &self,
        columns: &[&'a ColumnPlan],
        table: &Source,
    ) -> Result<Vec<(&'a ColumnPlan, u64)>, Failure> {
        if columns.is_empty() {
            return Ok(Vec::new());
        }
        let found = missing(&survey(table)?);
        let count = |of: &HashMap<String, u64>, name: &str| of.get(name).copied().unwrap_or(0);
        let more = |column: &&'a ColumnPlan| {
            let name = column.name();
            (*column, count(&found, name).saturating_sub(count(&self.missing, name)))
        };
        Ok(columns.iter().map(more).filter(|(_, count)| *count > 0).collect())
    }
}

fn survey(source: &Source) -> Result<Survey, Failure> {
    Ok(Survey::of(source.batches()?, &ColumnOverrides::new())?)
}

/// The number of missing cells of each column, where known.
fn missing(survey: &Survey) -> HashMap<String, u64> {
    survey.missing().map(|(name, count)| (name.to_string(), count)).collect()
}

/// One line for each file, then the average.
fn print(out: &mut dyn Write, each: &[Scored], average: &Scores) -> Result<(), Failure> {
    let lines = each.iter().map(|scored| (scored.file.as_str(), &scored.scores));
    let lines: Vec<(&str, &Scores)> = lines.chain([("average", average)]).collect();
    let width = lines.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    let show = |x: Option<f64>| x.map_or("-".to_string(), |x| format!("{x:.6}"));
    let transport = if average.sw2.is_some() { "sw2" } else { "w2" };
    writeln!(
        out,
        "{:width$} {:>11} {:>11} {:>11} {:>11} {:>15}",
        "", "ed", transport, "rmse", "mae", "category error"
    )?;
    for (name, Scores { ed, w2, sw2, rmse, mae, category_error }) in lines {
        let [ed, w2, rmse, mae, label] = [Some(*ed), w2.or(*sw2), *rmse, *mae, *category_error].map(show);
        writeln!(out, "{name:width$} {ed:>11} {w2:>11} {rmse:>11} {mae:>11} {label:>15}")?;
    }
    Ok(())
}
