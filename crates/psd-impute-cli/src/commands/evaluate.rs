//! `psd-impute evaluate`: score completed tables against the truth.

use super::Failure;
use super::intervals;
use super::table_args::{TableArgs, whole_table};
use clap::Args;
use psd_impute::table::Table;
use psd_impute_eval::Error;
use psd_impute_eval::metrics::{Evaluation, Intervals, Scores, WASSERSTEIN_ROWS, WASSERSTEIN_TABLES};
use psd_impute_frame::Plan;
use serde::Serialize;
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

/// One completed file's scores.
#[derive(Serialize)]
struct Scored {
    file: String,
    #[serde(flatten)]
    scores: Scores,
}

/// What `--json` prints.
#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    average: Scores,
    each: Vec<Scored>,
    #[serde(skip_serializing_if = "Option::is_none")]
    intervals: Option<Intervals>,
}

impl Evaluate {
    pub(crate) fn run(&self, out: &mut dyn Write) -> Result<ExitCode, Failure> {
        let plan = Plan::infer(self.table.open(&self.truth)?.batches()?, &self.table.wishes()?)?;
        let truth = self.encoded(&self.truth, &plan)?;
        let masked = self.encoded(&self.masked, &plan)?;
        let at = |path: &Path, error: Error| Failure::Evaluation { path: path.to_owned(), error };
        let evaluation = Evaluation::new(&truth, &masked).map_err(|error| match error {
            Error::NoCompleteRow => at(&self.truth, error),
            other => at(&self.masked, other),
        })?;
        self.describe(&evaluation, truth.len());
        let mut each = Vec::new();
        for (k, path) in self.completed.iter().enumerate() {
            let scores = evaluation.score(k, &self.encoded(path, &plan)?).map_err(|error| at(path, error))?;
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
            let report = Report { average, each, intervals };
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

    /// A table's modelled columns as the truth's plan has them.
    fn encoded(&self, path: &Path, plan: &Plan) -> Result<Table, Failure> {
        whole_table(&self.table.open(path)?, plan)
    }

    /// What is left out, where it is not what one would expect.
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
