//! What imputers have in common: numbers only, and gaps filled.

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

/// The table with its gaps filled by what `value` gives for a column and a row.
pub(super) fn fill(table: &Table, value: impl Fn(usize, usize) -> f64) -> Result<Table> {
    let cells = table.cells();
    let filled = |j, i| if cells[(j, i)].is_nan() { value(j, i) } else { cells[(j, i)] };
    Ok(Table::new(free_columns(table), Mat::from_fn(cells.nrows(), cells.ncols(), filled))?)
}

/// Whether two tables hold the same cells, bit for bit.
pub(super) fn same_cells(a: &Table, b: &Table) -> bool {
    let bits = |table: &Table| table.rows().flatten().map(|x| x.to_bits()).collect::<Vec<_>>();
    a.len() == b.len() && bits(a) == bits(b)
}
