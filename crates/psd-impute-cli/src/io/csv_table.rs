//! Numeric CSV files. Observed cells come out byte for byte.

use super::write_file;
use crate::commands::Failure;
use psd_impute::Error;
use psd_impute::impute::CellSummary;
use psd_impute::table::Table;
use std::path::{Path, PathBuf};

/// What stands for a missing cell.
const MISSING: [&str; 7] = ["", "NA", "NaN", "nan", "?", "null", "."];

/// A CSV file: its text and its numbers.
pub(crate) struct CsvTable {
    path: PathBuf,
    text: String,
    header: csv::StringRecord,
    records: Vec<csv::StringRecord>,
    table: Table,
}

impl CsvTable {
    pub(crate) fn read(path: &Path) -> Result<Self, Failure> {
        let text =
            std::fs::read_to_string(path).map_err(|error| Failure::File { path: path.to_owned(), error })?;
        let text = keep_blank_cells(text);
        let wrong = |error: csv::Error| unreadable(path, &text, error);
        let mut reader = csv::ReaderBuilder::new().from_reader(text.as_bytes());
        let header = reader.headers().map_err(wrong)?.clone();
        let records = reader.records().collect::<Result<Vec<_>, _>>().map_err(wrong)?;
        let rows = records
            .iter()
            .map(|record| numbers(path, &text, &header, record))
            .collect::<Result<Vec<_>, _>>()?;
        let names: Vec<&str> = header.iter().collect();
        let table = Table::continuous(&names, &rows).map_err(|error| match error {
            Error::EmptyTable(_) => Failure::Table { path: path.to_owned(), error },
            other => Failure::Engine(other),
        })?;
        Ok(Self { path: path.to_owned(), text, header, records, table })
    }

    pub(crate) fn table(&self) -> &Table {
        &self.table
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Whether the header could as well be a row.
    pub(crate) fn header_is_numeric(&self) -> bool {
        self.header.iter().all(|name| name.trim().parse::<f64>().is_ok())
    }

    /// What is wrong with a cell of the file.
    pub(crate) fn bad_cell(&self, row: usize, column: usize, problem: String, hint: &'static str) -> Failure {
        let record = &self.records[row];
        let line = line(&self.text, record.position());
        bad_cell(&self.path, line, &self.header[column], &record[column], problem, hint)
    }

    /// Writes the file with its gaps as in another table: cells that were missing are taken from there, cells that are missing there
    /// are left empty, and all others come out byte for byte.
    pub(crate) fn write(&self, other: &Table, path: &Path) -> Result<(), Failure> {
        let rows = self.records.iter().enumerate().map(|(i, record)| {
            let cell =
                |(j, text): (usize, &str)| match (self.table.row(i)[j].is_nan(), other.row(i)[j].is_nan()) {
                    (true, false) => show(other.row(i)[j]),
                    (false, true) => String::new(),
                    _ => text.to_string(),
                };
            record.iter().enumerate().map(cell).collect()
        });
        write_csv(path, self.header.iter().map(String::from).collect(), rows)
    }

    /// Writes what is known of each missing cell; the quantiles are those at 2.5 % and 97.5 %. Rows are counted from one below the
    /// header.
    pub(crate) fn write_intervals(&self, cells: &[CellSummary], path: &Path) -> Result<(), Failure> {
        let header = ["row", "column", "mean", "sd", "median", "q2.5", "q97.5"].map(String::from).to_vec();
        let rows = cells.iter().filter_map(|cell| {
            let numbers = cell.numbers.as_ref()?;
            let mut row = vec![(cell.row + 1).to_string(), self.header[cell.column].to_string()];
            row.extend([numbers.mean, numbers.deviation, numbers.median].map(show));
            row.extend(numbers.quantiles.iter().copied().map(show));
            Some(row)
        });
        write_csv(path, header, rows)
    }
}

fn write_csv(
    path: &Path,
    header: Vec<String>,
    rows: impl Iterator<Item = Vec<String>>,
) -> Result<(), Failure> {
    let wrong = |error: csv::Error| Failure::Csv { path: path.to_owned(), error };
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(header).map_err(wrong)?;
    for row in rows {
        writer.write_record(row).map_err(wrong)?;
    }
    let at = |error: std::io::Error| Failure::File { path: path.to_owned(), error };
    write_file(path, &writer.into_inner().map_err(|error| at(error.into_error()))?)
}

/// In a file of one column a blank line is a missing cell, which a CSV reader would pass over.
fn keep_blank_cells(text: String) -> String {
    let one_column = text.lines().next().is_some_and(|header| !header.is_empty() && !header.contains(','));
    if !one_column {
        return text;
    }
    text.lines()
        .map(|line| if line.trim().is_empty() { "\"\"\n".to_string() } else { format!("{line}\n") })
        .collect()
}

/// The shortest text that reads back as the same number.
fn show(x: f64) -> String {
    if x != 0.0 && !(1e-5..1e16).contains(&x.abs()) { format!("{x:e}") } else { x.to_string() }
}

/// `out.csv` for the third of several tables is `out.3.csv`.
pub(crate) fn numbered(path: &Path, k: usize) -> PathBuf {
    let extension = path.extension().map(|e| e.to_string_lossy().into_owned());
    match extension {
        Some(extension) => path.with_extension(format!("{k}.{extension}")),
        None => path.with_extension(k.to_string()),
    }
}

fn is_missing(text: &str) -> bool {
    MISSING.contains(&text.trim())
}

fn bad_cell(
    path: &Path,
    line: u64,
    column: &str,
    text: &str,
    problem: String,
    hint: &'static str,
) -> Failure {
    Failure::Cell {
        path: path.to_owned(),
        line,
        column: column.to_string(),
        text: text.to_string(),
        problem,
        hint,
    }
}

/// The line on which a record begins. The reader's own count is short by the line ends it passes over first: those of blank lines,
/// and the second half of a Windows line end.
fn line(text: &str, position: Option<&csv::Position>) -> u64 {
    let ends = |byte: &&u8| matches!(byte, b'\n' | b'\r');
    let from = position.map_or(0, |p| p.byte() as usize).min(text.len());
    let start = from + text.as_bytes()[from..].iter().take_while(ends).count();
    1 + text.as_bytes()[..start].iter().filter(|&&byte| byte == b'\n').count() as u64
}

fn unreadable(path: &Path, text: &str, error: csv::Error) -> Failure {
    let path = path.to_owned();
    match error.kind() {
        csv::ErrorKind::UnequalLengths { pos, expected_len, len } => {
            Failure::Ragged { path, line: line(text, pos.as_ref()), found: *len, expected: *expected_len }
        }
        _ => Failure::Csv { path, error },
    }
}

fn numbers(
    path: &Path,
    file: &str,
    header: &csv::StringRecord,
    record: &csv::StringRecord,
) -> Result<Vec<f64>, Failure> {
    let number = |(text, column): (&str, &str)| {
        let bad = |problem: &str, hint| {
            let line = line(file, record.position());
            Err(bad_cell(path, line, column, text, problem.to_string(), hint))
        };
        match text.trim().parse::<f64>() {
            _ if is_missing(text) => Ok(f64::NAN),
            Ok(number) if number.is_infinite() => bad("is infinite", "leave the cell empty if it is missing"),
            Ok(number) => Ok(number),
            Err(_) if header.len() == 1 && column.contains([';', '\t']) => {
                bad("is not a number", "cells are separated by commas, not by semicolons or tabs")
            }
            Err(_) => bad(
                "is not a number",
                "numbers have a decimal point, as 1.5 or 2e-3; missing cells are empty, NA, NaN, ?, null or .",
            ),
        }
    };
    record.iter().zip(header).map(number).collect()
}
