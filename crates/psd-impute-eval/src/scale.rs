//! Standardisation of everything that is a number.

use psd_impute::Result;
use psd_impute::table::{Column, Kind, Scaler, Table};

/// Mean and standard deviation of every column of numbers, those with few values too; the identity for categories.
pub(crate) fn scaler(table: &Table) -> Result<Scaler> {
    let plain = |column: &Column| match column.kind() {
        Kind::Category(_) => column.clone(),
        _ => Column::continuous(column.name()),
    };
    let columns = table.columns().iter().map(plain).collect();
    Ok(Scaler::of(&Table::new(columns, table.cells().to_owned())?))
}
