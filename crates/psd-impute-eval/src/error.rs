//! Errors, with the facts needed to correct them.

use thiserror::Error;

/// The crate's result.
pub type Result<T> = std::result::Result<T, Error>;

/// Every error of the crate. Rows are counted from zero in the fields and from one in the messages.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum Error {
    /// An error of the engine's tables.
    #[error(transparent)]
    Engine(#[from] psd_impute::Error),
    /// A setting outside its range.
    #[error("{name} is {value}, but must be {expected}")]
    BadParameter {
        /// The parameter.
        name: &'static str,
        /// The given value.
        value: f64,
        /// The allowed values.
        expected: &'static str,
    },
    /// A table with fewer columns than a mechanism needs.
    #[error("the mechanism needs {needed} or more {what}, but the table has {found}")]
    TooFewColumns {
        /// The kind of columns that count.
        what: &'static str,
        /// The number needed.
        needed: usize,
        /// The number found.
        found: usize,
    },
    /// A column with fewer cells beyond the quantiles than are to be masked.
    #[error(
        "column `{column}`: a share of {share:.3} of its cells lies beyond the quantiles, less than the rate {rate}"
    )]
    ThinTails {
        /// The column's name.
        column: String,
        /// The share beyond the quantiles.
        share: f64,
        /// The share to be masked.
        rate: f64,
    },
    /// A table with another number of rows than the truth.
    #[error("the truth has {expected} rows, but this table {found}")]
    Rows {
        /// Its number of rows.
        found: usize,
        /// The truth's.
        expected: usize,
    },
    /// A table with another number of columns than the truth.
    #[error("the truth has {expected} columns, but this table {found}")]
    Columns {
        /// Its number of columns.
        found: usize,
        /// The truth's.
        expected: usize,
    },
    /// A column with another name than in the truth. Columns are counted from zero in the field, from one in the message.
    #[error("column {} is `{found}`, but `{expected}` in the truth", .position + 1)]
    Header {
        /// Its position.
        position: usize,
        /// Its name.
        found: String,
        /// The truth's.
        expected: String,
    },
    /// A column of labels that has numbers in the truth, or the reverse.
    #[error("column `{column}` has {found}, but {expected} in the truth")]
    OtherKind {
        /// The column's name.
        column: String,
        /// The kind of its cells.
        found: &'static str,
        /// The kind of the truth's cells.
        expected: &'static str,
    },
    /// A completed table in which missing cells were left empty.
    #[error("{cells} of {missing} missing cells are left empty, the first in row {}, column `{column}`", .row + 1)]
    LeftEmpty {
        /// Number of cells left empty.
        cells: usize,
        /// Number of missing cells.
        missing: usize,
        /// The row of the first.
        row: usize,
        /// Its column's name.
        column: String,
    },
    /// An interval whose lower end is above its upper end.
    #[error("row {}, column `{column}`: the interval from {lower} to {upper} is empty", .row + 1)]
    Crossed {
        /// The row.
        row: usize,
        /// The column's name.
        column: String,
        /// The lower end.
        lower: f64,
        /// The upper end.
        upper: f64,
    },
    /// A missing cell without an interval.
    #[error("row {}, column `{column}` has no interval", .row + 1)]
    NoInterval {
        /// The row.
        row: usize,
        /// The column's name.
        column: String,
    },
    /// An observed cell that differs from the truth.
    #[error("row {}, column `{column}` is {found}, but {expected} in the truth", .row + 1)]
    Changed {
        /// The row.
        row: usize,
        /// The column's name.
        column: String,
        /// The cell.
        found: String,
        /// The truth's.
        expected: String,
    },
    /// A column of labels, for an imputer of numbers only.
    #[error("column `{column}` has labels, and this imputer knows only numbers")]
    Labels {
        /// The column's name.
        column: String,
    },
    /// A missing cell for which an imputer found no finite number.
    #[error("row {}, column `{column}`: the imputer found no finite number", .row + 1)]
    Overflow {
        /// The row.
        row: usize,
        /// The column's name.
        column: String,
    },
    /// A failure of another program.
    #[error("{program}: {what}")]
    External {
        /// Its name.
        program: &'static str,
        /// Its message.
        what: String,
    },
    /// A truth without a complete row.
    #[error("no row of the truth is complete")]
    NoCompleteRow,
}

impl Error {
    /// Suggests a remedy, if it is not obvious.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::TooFewColumns { .. } => Some("use another mechanism"),
            Self::ThinTails { .. } => Some("lower the rate or use another mechanism"),
            Self::Rows { .. } => Some("all tables have the rows of the truth, in its order"),
            Self::Columns { .. } | Self::Header { .. } => {
                Some("all tables have the columns of the truth, in its order")
            }
            Self::LeftEmpty { .. } => Some(
                "only tables without gaps can be scored; filling the rest with means would score something else",
            ),
            Self::Overflow { .. } => Some("its numbers are too large for this imputer: use another unit"),
            Self::NoInterval { .. } => Some("every missing number of the masked table needs one"),
            Self::Changed { .. } => {
                Some("the tables must come from the same truth; observed cells stay as they are")
            }
            Self::Labels { .. } => Some("leave the column out, or use an imputer that takes labels"),
            Self::NoCompleteRow => Some("rows whose truth has gaps cannot be scored, and here all have"),
            _ => None,
        }
    }
}

/// Checks that a share lies strictly between zero and one.
pub(crate) fn share(name: &'static str, value: f64) -> Result<()> {
    if value > 0.0 && value < 1.0 {
        return Ok(());
    }
    Err(Error::BadParameter { name, value, expected: "above zero and below one" })
}
