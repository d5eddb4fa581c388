//! A model with the plan of its columns: fitted to a table, or read from a file.
//!
//! It does all work on whole tables, a batch at a time: what completes, summarises, scores or samples one converts and shows only.

mod batches;
mod completion;
mod patterns;
mod rows;
mod surveyed;

pub use batches::{Checked, EncodedBatch};
pub use completion::{Completion, CompletionOptions, Method, RowFiller};
pub use patterns::Patterns;
pub use surveyed::Surveyed;

use crate::error::{Error, Result};
use crate::plan::Plan;
use psd_impute::model::Model;

/// A model and the plan of its tables' columns.
pub struct TableModel {
    /// The model.
    pub model: Model,
    /// The columns of its tables.
    pub plan: Plan,
}

impl TableModel {
    /// Reads the bytes written by [`to_bytes`](Self::to_bytes).
    ///
    /// # Errors
    ///
    /// If they are not a model with its columns.
    pub fn read(bytes: &[u8]) -> Result<Self> {
        let (model, notes) = Model::read(bytes)?;
        let other = |problem: String| Error::ModelColumns { problem };
        let plan: Plan = serde_json::from_str(&notes).map_err(|error| other(error.to_string()))?;
        if plan.engine_columns()? != model.columns() {
            return Err(other("they are not those of the model".to_string()));
        }
        Ok(Self { model, plan })
    }

    /// The bytes of a model file.
    ///
    /// # Errors
    ///
    /// [`Error::Unwritable`].
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        self.bytes_with(&self.plan)
    }

    /// The bytes of a model file, with settings of the program that writes it; see [`Plan::settings`].
    ///
    /// # Errors
    ///
    /// [`Error::Unwritable`].
    pub fn to_bytes_with_settings(&self, settings: Option<serde_json::Value>) -> Result<Vec<u8>> {
        self.bytes_with(&self.plan.clone().with_settings(settings))
    }

    fn bytes_with(&self, plan: &Plan) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let notes = serde_json::to_string(plan).map_err(std::io::Error::from);
        let written = notes.and_then(|notes| self.model.write(&notes, &mut bytes));
        let problem = |error: std::io::Error| error.to_string();
        written.map_err(|error| Error::Unwritable { format: "a model file", problem: problem(error) })?;
        Ok(bytes)
    }
}
