//! The kind and the role of each column of a table.

mod check;
mod column;
mod column_override;
mod ends;
mod kind;
mod learned;
mod mixed;
mod remarks;
mod sentinel;
mod stand_ins;
pub(crate) mod survey;
mod verdict;

pub use column::{ColumnPlan, Reason, Role};
pub use column_override::{ColumnOverride, ColumnOverrides};
pub use kind::Kind;
pub(crate) use kind::{boolean, place};
pub use learned::{Learned, Moments};
pub use remarks::Remark;
pub use sentinel::Sentinel;
pub(crate) use sentinel::unit_of_codes;
pub use survey::Survey;

use crate::batch::Batch;
use crate::error::{Error, Result};
use psd_impute::table::{Column, Table};
use serde::{Deserialize, Serialize};

/// The most labels of a category, even on request.
pub const MOST_LABELS: usize = 100_000;
/// The most levels of an ordered column.
const MOST_LEVELS: usize = 1000;

/// The columns of a table, in its order. Made once, from the table that a model is fitted to, and then applied to that table and to others.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Unchecked")]
pub struct Plan {
    columns: Vec<ColumnPlan>,
    /// Settings of the program that made the plan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    settings: Option<serde_json::Value>,
}

/// A stored plan, which may say anything.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Unchecked {
    columns: Vec<ColumnPlan>,
    #[serde(default)]
    settings: Option<serde_json::Value>,
}

impl TryFrom<Unchecked> for Plan {
    type Error = Error;

    fn try_from(stored: Unchecked) -> Result<Self> {
        Ok(Self { settings: stored.settings, ..Self::new(stored.columns)? })
    }
}

impl Plan {
    /// Makes a plan of columns.
    ///
    /// # Errors
    ///
    /// If the columns do not make sense together.
    pub fn new(columns: Vec<ColumnPlan>) -> Result<Self> {
        check::check(&columns)?;
        Ok(Self { columns, settings: None })
    }

    /// Reads all batches of a table and decides what its columns are.
    ///
    /// # Errors
    ///
    /// If a batch cannot be read or an override does not fit its column.
    pub fn infer(
        batches: impl IntoIterator<Item = Result<Batch>>,
        overrides: &ColumnOverrides,
    ) -> Result<Self> {
        Survey::of(batches, overrides)?.plan(overrides)
    }

    /// All columns.
    pub fn columns(&self) -> &[ColumnPlan] {
        &self.columns
    }

    /// Settings that the program that made the plan keeps with it, such as how the Python package completes tables. This crate does not
    /// read them; whoever does must check them.
    pub fn settings(&self) -> Option<&serde_json::Value> {
        self.settings.as_ref()
    }

    /// Sets the program's settings.
    pub fn with_settings(self, settings: Option<serde_json::Value>) -> Self {
        Self { settings, ..self }
    }

    /// The columns that the engine models, in the engine's order.
    pub fn modelled(&self) -> impl Iterator<Item = &ColumnPlan> {
        self.columns.iter().filter(|column| *column.role() == Role::Modelled)
    }

    /// The column called `name`.
    pub fn column(&self, name: &str) -> Option<&ColumnPlan> {
        self.columns.iter().find(|column| column.name() == name)
    }

    /// Adds statistics of the cells that the columns are fitted to.
    pub(crate) fn learned_from(mut self, table: &Table) -> Self {
        let modelled = self.columns.iter_mut().filter(|column| *column.role() == Role::Modelled);
        modelled.enumerate().for_each(|(j, column)| column.learn(table.observed(j)));
        self
    }

    /// The engine's columns.
    ///
    /// # Errors
    ///
    /// If the engine refuses a column.
    pub fn engine_columns(&self) -> Result<Vec<Column>> {
        Ok(self.modelled().map(ColumnPlan::engine_column).collect::<psd_impute::Result<_>>()?)
    }
}
