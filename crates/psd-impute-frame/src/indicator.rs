//! Columns that tell which cells of others were missing.

use crate::batch::Batch;
use crate::csv::Added;
use crate::decode::Completed;
use crate::error::{Error, Result};
use arrow_array::{Array, ArrayRef, BooleanArray, UInt8Array};
use arrow_schema::Field;
use std::sync::Arc;

/// Marks the cells of a column that were missing.
pub(crate) struct Indicator {
    name: String,
    missing: Vec<bool>,
}

/// How records store it: in text, zeros and ones are expected.
#[derive(Clone, Copy)]
pub(crate) enum Flags {
    Booleans,
    ZeroOne,
}

impl Completed<'_> {
    /// Adds, after all columns, one named `NAME_missing` for each of the given ones that tells which of its cells were missing. Columns
    /// that are left unchanged can be given as well.
    ///
    /// # Errors
    ///
    /// [`Error::TakenName`], or an unknown column.
    pub fn with_indicators(mut self, columns: &[String]) -> Result<Self> {
        for column in columns {
            let indicator = Indicator::of(self.batch, column)?;
            let taken = self.indicators.iter().any(|other| other.name == indicator.name);
            if taken || self.batch.names().contains(&indicator.name.as_str()) {
                return Err(Error::TakenName { origin: self.batch.origin().clone(), column: indicator.name });
            }
            self.indicators.push(indicator);
        }
        Ok(self)
    }
}

impl Indicator {
    fn of(batch: &Batch, column: &str) -> Result<Self> {
        let names = batch.names();
        match names.iter().position(|name| *name == column) {
            Some(j) => Ok(Self { name: format!("{column}_missing"), missing: batch.missing(j)? }),
            None => Err(Error::UnknownColumn {
                origin: batch.origin().clone(),
                column: column.to_string(),
                known: names.into_iter().map(String::from).collect(),
            }),
        }
    }

    /// As a column of text.
    pub(crate) fn text(&self) -> Added {
        let cells = self.missing.iter().map(|&missing| if missing { "1" } else { "0" });
        Added { name: self.name.clone(), cells: cells.collect() }
    }

    /// As a column of records.
    pub(crate) fn column(&self, flags: Flags) -> (Field, ArrayRef) {
        let array: ArrayRef = match flags {
            Flags::Booleans => Arc::new(BooleanArray::from(self.missing.clone())),
            Flags::ZeroOne => {
                Arc::new(self.missing.iter().map(|&missing| Some(u8::from(missing))).collect::<UInt8Array>())
            }
        };
        (Field::new(&self.name, array.data_type().clone(), false), array)
    }
}
