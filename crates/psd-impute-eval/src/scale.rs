//! Standardisation of numbers.

use psd_impute::Result;
use psd_impute::table::{Column, Kind, Scaler, Table};

/// Mean and standard deviation of every column of numbers, including those with few values; the identity for categories.
pub(crate) fn scaler(table: &Table) -> Result<Scaler> {
    Ok(Scaler::of(&Table::new(free_columns(table), table.cells().to_owned())?))
}

/// The table's columns with every column of numbers free to hold any number: imputed values need not be among the few values of a column.
pub fn free_columns(table: &Table) -> Vec<Column> {
    let free = |column: &Column| match column.kind() {
        Kind::Category(_) => column.clone(),
        _ => Column::continuous(column.name()),
    };
    table.columns().iter().map(free).collect()
}
