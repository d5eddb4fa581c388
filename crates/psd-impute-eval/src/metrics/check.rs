//! Checks that tables can be compared.

use super::points::Space;
use crate::{Error, Result};
use faer::{Mat, MatRef};
use psd_impute::table::{Column, Kind, Table};

/// Tolerated difference of observed cells, in the truth's standard deviations: other programs print fewer digits.
const ROUNDING: f64 = 1e-9;

/// The cells of a table with the truth's columns and number of rows, with labels numbered as in the truth. Labels that the truth
/// lacks get new numbers.
pub(super) fn aligned(truth: &Table, table: &Table) -> Result<Mat<f64>> {
    let (found, expected) = (table.columns().len(), truth.columns().len());
    if found != expected {
        return Err(Error::Columns { found, expected });
    }
    let (found, expected) = (table.len(), truth.len());
    if found != expected {
        return Err(Error::Rows { found, expected });
    }
    let mut cells = table.cells().to_owned();
    for (j, (ours, theirs)) in table.columns().iter().zip(truth.columns()).enumerate() {
        if ours.name() != theirs.name() {
            let (found, expected) = (ours.name().to_string(), theirs.name().to_string());
            return Err(Error::Header { position: j, found, expected });
        }
        match (ours.kind(), theirs.kind()) {
            (Kind::Category(labels), Kind::Category(known)) => {
                let number = |k: usize| known.iter().position(|l| *l == labels[k]).unwrap_or(known.len() + k);
                let numbers: Vec<usize> = (0..labels.len()).map(number).collect();
                let observed = cells.row_mut(j).iter_mut().filter(|x| !x.is_nan());
                observed.for_each(|x| *x = numbers[*x as usize] as f64);
            }
            (Kind::Category(_), _) | (_, Kind::Category(_)) => {
                let (column, found, expected) = (ours.name().to_string(), what(ours), what(theirs));
                return Err(Error::OtherKind { column, found, expected });
            }
            _ => {}
        }
    }
    Ok(cells)
}

fn what(column: &Column) -> &'static str {
    if matches!(column.kind(), Kind::Category(_)) { "labels" } else { "numbers" }
}

/// Refuses a completed table in which a missing cell of `masked` is still missing.
pub(super) fn complete(masked: MatRef<'_, f64>, table: &Table) -> Result<()> {
    let gaps =
        |cells: MatRef<'_, f64>| cells.col_iter().flat_map(|row| row.iter()).filter(|x| x.is_nan()).count();
    let first = |(row, cells): (usize, &[f64])| Some((row, cells.iter().position(|x| x.is_nan())?));
    let Some((row, j)) = table.rows().enumerate().find_map(first) else { return Ok(()) };
    let column = table.columns()[j].name().to_string();
    Err(Error::LeftEmpty { cells: gaps(table.cells()), missing: gaps(masked), row, column })
}

/// Refuses a table in which a cell observed in `masked` differs from the truth.
pub(super) fn unchanged(space: &Space, truth: &Table, masked: MatRef<'_, f64>, table: &Table) -> Result<()> {
    for (i, (ours, theirs)) in table.rows().zip(truth.rows()).enumerate() {
        let same = |j: usize| match (label(table, i, j), label(truth, i, j)) {
            (None, None) => (space.unit(j, ours[j]) - space.unit(j, theirs[j])).abs() <= ROUNDING,
            (found, expected) => found == expected,
        };
        if let Some(j) = (0..ours.len()).find(|&j| !masked[(j, i)].is_nan() && !same(j)) {
            let column = truth.columns()[j].name().to_string();
            let (found, expected) = (show(table, i, j), show(truth, i, j));
            return Err(Error::Changed { row: i, column, found, expected });
        }
    }
    Ok(())
}

/// The label of an observed cell of a category.
fn label(table: &Table, i: usize, j: usize) -> Option<&str> {
    match (table.columns()[j].kind(), table.row(i)[j]) {
        (Kind::Category(labels), x) if !x.is_nan() => Some(&labels[x as usize]),
        _ => None,
    }
}

fn show(table: &Table, i: usize, j: usize) -> String {
    match (label(table, i, j), table.row(i)[j]) {
        (Some(label), _) => format!("`{label}`"),
        (None, x) if x.is_nan() => "missing".to_string(),
        (None, x) => x.to_string(),
    }
}
