//! Helpers of imputers: refusing labels, and filling missing cells.

use crate::scale::free_columns;
use crate::{Error, Result};
use faer::Mat;
use psd_impute::table::{Kind, Table};

/// Refuses a table with a column of labels.
pub(super) fn only_numbers(table: &Table) -> Result<()> {
    match table.columns().iter().find(|column| matches!(column.kind(), Kind::Category(_))) {
        Some(column) => Err(Error::Labels { column: column.name().to_string() }),
        None => Ok(()),
    }
}

/// The table with its missing cells filled by `value` of a column and a row. Refuses values that are not finite: sums of squares of
/// columns near the largest floating-point numbers overflow.
pub(super) fn fill(table: &Table, value: impl Fn(usize, usize) -> f64) -> Result<Table> {
    let filled = fill_some(table, value)?;
    for (row, values) in filled.rows().enumerate() {
        if let Some(j) = values.iter().position(|x| !x.is_finite()) {
            return Err(Error::Overflow { row, column: table.columns()[j].name().to_string() });
        }
    }
    Ok(filled)
}

/// The same, but a missing cell for which `value` is NaN stays missing.
pub(super) fn fill_some(table: &Table, value: impl Fn(usize, usize) -> f64) -> Result<Table> {
    let cells = table.cells();
    let filled = |j, i| if cells[(j, i)].is_nan() { value(j, i) } else { cells[(j, i)] };
    Ok(Table::new(free_columns(table), Mat::from_fn(cells.nrows(), cells.ncols(), filled))?)
}

/// Whether two tables have the same cells bit for bit, except for the kind of NaN.
pub(super) fn same_cells(a: &Table, b: &Table) -> bool {
    let same = |(x, y): (&f64, &f64)| x.to_bits() == y.to_bits() || (x.is_nan() && y.is_nan());
    a.len() == b.len() && a.rows().flatten().zip(b.rows().flatten()).all(same)
}

/// The mean of each column's observed cells; zero if there are none.
pub(super) fn column_means(table: &Table) -> Vec<f64> {
    (0..table.columns().len()).map(|j| mean(table.observed(j))).collect()
}

/// The mean of the values; zero if there are none.
pub(super) fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0usize), |(sum, count), x| (sum + x, count + 1));
    if count == 0 { 0.0 } else { sum / count as f64 }
}
