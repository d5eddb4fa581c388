//! Tables of numbers exchanged with programs: CSV with the header `x1,x2,…`, with missing cells empty.

use psd_impute::table::Table;
use std::fs;
use std::io::{Error, ErrorKind, Result};
use std::path::Path;

/// Texts of a cell that a program leaves empty.
const EMPTY: [&str; 4] = ["", "NA", "NaN", "nan"];

/// Writes a table.
pub(super) fn write(path: &Path, table: &Table) -> Result<()> {
    let header: Vec<String> = (1..=table.columns().len()).map(|j| format!("x{j}")).collect();
    let cell = |x: &f64| if x.is_nan() { String::new() } else { format!("{x:?}") };
    let line = |row: &[f64]| row.iter().map(cell).collect::<Vec<_>>().join(",");
    let lines: Vec<String> = [header.join(",")].into_iter().chain(table.rows().map(line)).collect();
    fs::write(path, lines.join("\n") + "\n")
}

/// Reads the cells of a file with a table's rows and columns, row by row. A cell that was missing may be left empty, which gives NaN; all
/// others must be finite numbers.
pub(super) fn read(path: &Path, table: &Table) -> Result<Vec<f64>> {
    let bad = |what: String| Error::new(ErrorKind::InvalidData, what);
    let text = fs::read_to_string(path)?;
    let columns = table.columns().len();
    let missing = |row: usize, j: usize| row < table.len() && j < columns && table.row(row)[j].is_nan();
    let mut cells = Vec::new();
    for (row, line) in text.lines().skip(1).enumerate() {
        for (j, word) in line.split(',').map(str::trim).enumerate() {
            match word.parse::<f64>() {
                Ok(x) if x.is_finite() => cells.push(x),
                _ if EMPTY.contains(&word) && missing(row, j) => cells.push(f64::NAN),
                _ => return Err(bad(format!("it left row {} with the cell `{word}`", row + 1))),
            }
        }
    }
    let expected = table.len() * columns;
    if cells.len() != expected {
        return Err(bad(format!("it wrote {} cells instead of {expected}", cells.len())));
    }
    Ok(cells)
}
