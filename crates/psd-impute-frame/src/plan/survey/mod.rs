//! Surveys the cells of a table, a batch at a time in bounded memory.

mod column;
mod digits;
mod distinct;
mod evidence;
mod forms;
mod months;
mod numbers;
mod sequence;
mod spread;
mod texts;
mod times;

pub(super) use column::{ColumnSurvey, Storage};
pub(super) use digits::DigitForm;
pub(super) use evidence::{Evidence, Reading, comma_of, nearly_all};
pub(super) use numbers::NumberSurvey;
pub(crate) use spread::{Codes, Spread};
pub(super) use spread::{Suspect, is_code};
pub(super) use times::TimeSurvey;

use super::column_override::{ColumnOverride, ColumnOverrides};
use super::verdict::decide;
use super::{MOST_LABELS, Plan};
use crate::batch::{Batch, Hints};
use crate::error::{Error, Result};
use crate::place::Origin;
use std::collections::HashSet;

/// Different cells of a column that are told apart, unless it is to be a category: enough to see that they are not labels.
const DIFFERENT: usize = 2000;

/// The survey of a table so far.
#[derive(Debug, Default)]
pub struct Survey {
    /// The columns that are to be categories.
    categories: HashSet<String>,
    origin: Origin,
    hints: Hints,
    /// The delimiter, if the table is text.
    delimiter: Option<u8>,
    /// Whether the table itself names its columns.
    named: bool,
    rows: u64,
    columns: Vec<ColumnSurvey>,
}

impl Survey {
    /// Makes a survey; all labels of columns that `overrides` makes categories are told apart.
    pub fn new(overrides: &ColumnOverrides) -> Self {
        let categories = overrides.iter().filter(|(_, wanted)| **wanted == ColumnOverride::Category);
        Self { categories: categories.map(|(name, _)| name.clone()).collect(), ..Self::default() }
    }

    /// Surveys more rows. All batches must have the same columns.
    ///
    /// # Errors
    ///
    /// [`Error::DuplicateColumn`], [`Error::Shape`] for another number of columns, and errors in reading the cells.
    pub fn add(&mut self, batch: &Batch) -> Result<()> {
        if self.rows == 0 {
            batch.check_names()?;
            self.origin = batch.origin().clone();
            (self.hints, self.delimiter, self.named) = (batch.hints(), batch.delimiter(), batch.has_header());
            let different =
                |name: &str| if self.categories.contains(name) { MOST_LABELS + 1 } else { DIFFERENT };
            let columns = batch.names().into_iter().map(|name| ColumnSurvey::new(name, different(name)));
            self.columns = columns.collect();
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

    pub(super) fn columns(&self) -> &[ColumnSurvey] {
        &self.columns
    }

    /// Whether a line of the table names its columns.
    pub(super) fn is_named(&self) -> bool {
        self.named
    }

    /// Evidence from the whole file about how its text is read.
    pub(super) fn evidence(&self) -> Evidence {
        Evidence::of(&self.columns, self.hints, self.delimiter == Some(b';'))
    }

    /// Whether the decimal sign is a comma, for each column where that is not in doubt.
    pub(crate) fn decimal_commas(&self) -> impl Iterator<Item = (String, bool)> {
        let evidence = self.evidence();
        self.columns.iter().filter_map(move |column| {
            let reading = evidence.read(column);
            (!reading.doubtful).then(|| (column.name().to_string(), reading.numbers.text.comma))
        })
    }

    /// Each column's name and missing cells.
    pub fn missing(&self) -> impl Iterator<Item = (&str, u64)> {
        self.columns.iter().map(|column| (column.name(), self.rows - column.observed))
    }

    /// Decides what the columns are.
    ///
    /// # Errors
    ///
    /// If an override does not fit its column.
    pub fn plan(&self, overrides: &ColumnOverrides) -> Result<Plan> {
        if self.rows == 0 {
            return Err(Error::NoRows { origin: self.origin.clone() });
        }
        if let Some(name) = overrides.keys().find(|name| self.columns.iter().all(|c| c.name() != *name)) {
            return Err(Error::UnknownColumn {
                origin: self.origin.clone(),
                column: name.clone(),
                known: self.columns.iter().map(|c| c.name().to_string()).collect(),
            });
        }
        let evidence = self.evidence();
        let wanted = |column: &ColumnSurvey| overrides.get(column.name());
        let columns = self.columns.iter().map(|column| decide(column, &evidence, self.rows, wanted(column)));
        Plan::new(columns.collect::<Result<_>>()?)
    }
}
