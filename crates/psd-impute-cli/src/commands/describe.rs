//! `psd-impute describe`: describe a table or a model.

use super::Failure;
use super::fitted;
use super::summary::{FitSummary, count, print_json};
use super::table_args::{TableArgs, is_standard};
use crate::diagnostic::printable;
use clap::Args;
use psd_impute::model::Model;
use psd_impute_frame::{ColumnPlan, Patterns, Role, Source, Survey};
use serde::Serialize;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The most patterns of missing cells shown.
const PATTERNS: usize = 5;
/// The most labels of a category shown.
const LABELS: usize = 5;

/// The subcommand's arguments.
#[derive(Args)]
pub(crate) struct Describe {
    /// A model file, or a table: CSV or JSON lines (also .gz or .zst), a sheet of an Excel workbook, Parquet or Arrow; several files with the
    /// same columns, or a folder of Parquet files, are one table; `-` reads standard input.
    #[arg(required = true)]
    input: Vec<PathBuf>,
    #[command(flatten)]
    table: TableArgs,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct TableReport {
    rows: u64,
    /// The number of missing cells, and of those that stay empty.
    missing: u64,
    left_empty: u64,
    columns: Vec<ColumnReport>,
    /// The most common sets of missing columns, among modelled columns.
    patterns: Vec<PatternReport>,
    /// Assumptions about cells, and possible problems with them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
}

#[derive(Serialize)]
struct ColumnReport {
    name: String,
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    missing: Option<u64>,
    /// The number of cells that stay empty in a column left unchanged.
    #[serde(skip_serializing_if = "Option::is_none")]
    left_empty: Option<u64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    labels: Vec<String>,
    /// The ends that all observed cells respect, and imputed ones will respect.
    #[serde(skip_serializing_if = "Option::is_none")]
    ends: Option<[Option<String>; 2]>,
    #[serde(skip)]
    ends_in_words: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

#[derive(Serialize)]
struct PatternReport {
    rows: u64,
    missing: Vec<String>,
}

#[derive(Serialize)]
struct ModelReport {
    fit: FitSummary,
    columns: Vec<ColumnReport>,
}

impl Describe {
    pub(crate) fn run(&self, out: &mut dyn Write) -> Result<ExitCode, Failure> {
        match &self.input[..] {
            [path] if is_model(path)? => self.describe_model(path, out)?,
            paths => self.describe_table(&self.table.open_all(paths)?, out)?,
        }
        Ok(ExitCode::SUCCESS)
    }

    fn describe_model(&self, path: &Path, out: &mut dyn Write) -> Result<(), Failure> {
        let fitted = fitted::load(path)?;
        let columns = fitted.plan.columns().iter().map(|column| column_report(column, None)).collect();
        let report = ModelReport { fit: FitSummary::of(&fitted.model), columns };
        if self.json {
            return print_json(&report, out);
        }
        writeln!(out, "a model of {}", count(report.columns.len() as u64, "column"))?;
        print_columns(&report.columns, None, out)?;
        let FitSummary { recipe, rows_fitted, seed, converged, .. } = &report.fit;
        let status = if *converged { "converged" } else { "did not converge" };
        writeln!(out, "fitted to {} with seed {seed}; {status}", count(*rows_fitted as u64, "row"))?;
        writeln!(out, "preset: {recipe}")?;
        report.fit.print(out)
    }

    fn describe_table(&self, source: &Source, out: &mut dyn Write) -> Result<(), Failure> {
        let overrides = self.table.overrides()?;
        let survey = Survey::of(source.batches()?, &overrides)?;
        let plan = survey.plan(&overrides)?;
        let modelled: Vec<&ColumnPlan> = plan.modelled().collect();
        let mut patterns = Patterns::default();
        if !modelled.is_empty() {
            for encoded in plan.batches(source)? {
                patterns.add(&encoded?.table);
            }
        }
        let patterns = patterns.commonest();
        let name = |j: &usize| modelled[*j].name().to_string();
        let columns: Vec<ColumnReport> =
            survey.missing().zip(plan.columns()).map(|(s, c)| column_report(c, Some(s.1))).collect();
        let remarks = survey.remarks(&plan).into_iter().map(|remark| remark.to_string());
        let sentinels = survey.sentinels(&plan).into_iter().map(|sentinel| sentinel.remark().to_string());
        let report = TableReport {
            rows: survey.rows(),
            missing: columns.iter().filter_map(|column| column.missing).sum(),
            left_empty: columns.iter().filter_map(|column| column.left_empty).sum(),
            columns,
            patterns: patterns
                .iter()
                .take(PATTERNS)
                .map(|(missing, rows)| PatternReport {
                    rows: *rows,
                    missing: missing.iter().map(name).collect(),
                })
                .collect(),
            notes: source.notes().iter().cloned().chain(remarks).chain(sentinels).collect(),
        };
        if self.json {
            return print_json(&report, out);
        }
        let columns = count(report.columns.len() as u64, "column");
        let stay = match report.left_empty {
            0 => String::new(),
            cells => format!(", {cells} of which stay empty"),
        };
        let missing = count(report.missing, "missing cell");
        writeln!(out, "{}, {columns}, {missing}{stay}", count(report.rows, "row"))?;
        print_columns(&report.columns, Some(report.rows), out)?;
        if !report.patterns.is_empty() {
            let of =
                if patterns.len() > PATTERNS { format!(" of {}", patterns.len()) } else { String::new() };
            writeln!(out, "the commonest{of} patterns of missing cells:")?;
        }
        let nothing = match report.left_empty {
            0 => "nothing missing",
            _ => "nothing missing in columns that are completed",
        };
        for PatternReport { rows, missing } in &report.patterns {
            let what = if missing.is_empty() { nothing.to_string() } else { printable(&missing.join(", ")) };
            writeln!(out, "  {rows:>9}  {what}")?;
        }
        for note in &report.notes {
            writeln!(out, "note: {}", printable(note))?;
        }
        Ok(())
    }
}

fn column_report(column: &ColumnPlan, missing: Option<u64>) -> ColumnReport {
    let labels = if *column.role() == Role::Modelled { column.kind().labels() } else { Vec::new() };
    let (name, kind) = (column.name().to_string(), column.kind().name());
    let left_empty = missing.filter(|_| matches!(column.role(), Role::Left(_)));
    let (ends, ends_in_words) =
        (Some(column.shown_ends()).filter(|ends| *ends != [None, None]), column.ends_in_words());
    let note = column.note(missing.unwrap_or(0));
    ColumnReport { name, kind, missing, left_empty, labels, ends, ends_in_words, note }
}

fn print_columns(columns: &[ColumnReport], rows: Option<u64>, out: &mut dyn Write) -> Result<(), Failure> {
    let width = columns.iter().map(|column| printable(&column.name).chars().count()).max().unwrap_or(0);
    for ColumnReport { name, kind, missing, labels, ends_in_words, note, .. } in columns {
        let missing = match (missing, rows) {
            (Some(missing), Some(rows)) => {
                let percent = 100.0 * *missing as f64 / rows.max(1) as f64;
                format!("  {missing:>9} missing ({percent:.1} %)")
            }
            _ => String::new(),
        };
        let mut shown = labels.iter().take(LABELS).map(String::as_str).collect::<Vec<_>>().join(", ");
        if labels.len() > LABELS {
            shown += &format!(", ... ({} labels)", labels.len());
        }
        let (name, what) =
            (printable(name), printable(note.as_ref().or(ends_in_words.as_ref()).unwrap_or(&shown)));
        writeln!(out, "{}", format!("  {name:width$}  {kind:10}{missing}  {what}").trim_end())?;
    }
    Ok(())
}

/// Whether a file begins like a model file. Sources that can be read only once are not read.
fn is_model(path: &Path) -> Result<bool, Failure> {
    if is_standard(path) || !path.is_file() {
        return Ok(false);
    }
    let at = Failure::of_file(path);
    let mut start = Vec::new();
    std::fs::File::open(path).map_err(&at)?.take(64).read_to_end(&mut start).map_err(at)?;
    Ok(Model::is_file(&start))
}
