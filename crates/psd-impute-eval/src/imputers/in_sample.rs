//! Methods that complete all rows at once, and cannot complete other rows later.

use super::Fitted;
use super::cells::same_cells;
use crate::Result;
use crate::scale::free_columns;
use faer::Mat;
use psd_impute::table::Table;

/// A table and a method of completing rows. Other rows are completed together with those of the table.
pub(super) struct InSample<C> {
    pub(super) table: Table,
    pub(super) complete: C,
}

impl<C: Fn(&Table) -> Result<Table> + Send + Sync> Fitted for InSample<C> {
    fn complete(&self, table: &Table, _: u64) -> Result<Table> {
        if same_cells(&self.table, table) {
            return (self.complete)(table);
        }
        let all = (self.complete)(&appended(&self.table, table)?)?;
        let added: Vec<usize> = (self.table.len()..all.len()).collect();
        Ok(all.select(&added)?)
    }
}

/// The rows of one table and then those of another.
fn appended(first: &Table, then: &Table) -> Result<Table> {
    let cell = |j: usize, i: usize| match i.checked_sub(first.len()) {
        None => first.row(i)[j],
        Some(i) => then.row(i)[j],
    };
    let cells = Mat::from_fn(first.columns().len(), first.len() + then.len(), cell);
    Ok(Table::new(free_columns(first), cells)?)
}
