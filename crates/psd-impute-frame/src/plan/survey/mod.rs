//! What the cells of a table look like, gathered a batch at a time in bounded memory.

mod column;
mod distinct;
mod numbers;
mod sequence;
mod times;

pub(super) use column::ColumnSurvey;
pub(super) use numbers::NumberSurvey;

use super::Plan;
use super::verdict::decide;
use super::wish::Wishes;
use crate::batch::Batch;
use crate::error::{Error, Result};
use crate::place::Origin;

/// What was seen of a table so far.
#[derive(Debug, Default)]
pub struct Survey {
    origin: Origin,
    rows: u64,
    columns: Vec<ColumnSurvey>,
}

impl Survey {
    /// Looks at more rows. All batches must have the same columns.
    pub fn add(&mut self, batch: &Batch) -> Result<()> {
        if self.rows == 0 {
            batch.check_names()?;
            self.origin = batch.origin().clone();
            self.columns = batch.names().into_iter().map(ColumnSurvey::new).collect();
        }
        if batch.names().len() != self.columns.len() {
            let (found, expected) = (batch.names().len(), self.columns.len());
            return Err(Error::Shape { what: "columns", found, expected });
        }
        for (j, column) in self.columns.iter_mut().enumerate() {
            column.add(batch, j, self.rows)?;
        }
        self.rows += batch.len() as u64;
        Ok(())
    }

    /// Rows seen.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Each column's name and missing cells. Nothing is known of the cells of a type that has no kind here.
    pub fn missing(&self) -> impl Iterator<Item = (&str, Option<u64>)> {
        self.columns.iter().map(|column| {
            let known = column.unsupported.is_none();
            (column.name(), known.then_some(self.rows - column.observed))
        })
    }

    /// Says what the columns are.
    pub fn plan(&self, wishes: &Wishes) -> Result<Plan> {
        if self.rows == 0 {
            return Err(Error::NoRows { origin: self.origin.clone() });
        }
        if let Some(name) = wishes.keys().find(|name| self.columns.iter().all(|c| c.name() != *name)) {
            return Err(Error::UnknownColumn {
                origin: self.origin.clone(),
                column: name.clone(),
                known: self.columns.iter().map(|c| c.name().to_string()).collect(),
            });
        }
        let columns =
            self.columns.iter().map(|column| decide(column, self.rows, wishes.get(column.name()).copied()));
        Plan::new(columns.collect::<Result<_>>()?)
    }
}
