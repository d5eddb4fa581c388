//! Errors, with the facts needed to correct them.

use psd_impute_frame::{Origin, Place};
use thiserror::Error;

/// The crate's result.
pub type Result<T> = std::result::Result<T, Error>;

/// Every error of this crate. [`hint`](Self::hint) suggests a remedy.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// A table that cannot be read, or does not fit the model.
    #[error(transparent)]
    Frame(#[from] psd_impute_frame::Error),
    /// The engine refused the numbers.
    #[error(transparent)]
    Engine(#[from] psd_impute::Error),
    /// A completed table with another number of rows.
    #[error("{origin} has {found} rows, the table {expected}")]
    OtherRows {
        /// The completed table.
        origin: Origin,
        /// Its number of rows, as far as counted.
        found: String,
        /// The table's number of rows.
        expected: u64,
    },
    /// A completed table in which an observed cell differs.
    #[error("{place}, column `{column}`: `{found}` was `{observed}` in the table")]
    OtherCell {
        /// Where.
        place: Place,
        /// The column.
        column: String,
        /// The cell in the completed table.
        found: String,
        /// The observed cell.
        observed: String,
    },
    /// A completed table in which a cell is missing.
    #[error("{place}, column `{column}`: the cell is missing in the completed table, too")]
    StillMissing {
        /// Where.
        place: Place,
        /// The column.
        column: String,
    },
    /// Findings that cannot be written as JSON.
    #[error("the findings cannot be written: {0}")]
    Unwritable(#[from] serde_json::Error),
}

impl Error {
    /// The place in a table that the error is about.
    pub fn place(&self) -> Option<&Place> {
        match self {
            Self::Frame(error) => error.place(),
            Self::OtherCell { place, .. } | Self::StillMissing { place, .. } => Some(place),
            _ => None,
        }
    }

    /// Suggests a remedy.
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Frame(error) => return error.hint(),
            Self::OtherRows { .. } | Self::OtherCell { .. } => {
                "give tables that `psd-impute impute` made of this very table".into()
            }
            Self::StillMissing { .. } => "complete the table first, or leave it out".into(),
            _ => return None,
        })
    }
}
