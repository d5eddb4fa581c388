//! Errors, with the facts needed to correct them.

use thiserror::Error;

/// Result type of the crate.
pub type Result<T> = std::result::Result<T, Error>;

/// Every error of the engine. A solver that stops early is not an error: it reports a
/// [`Status`](crate::solver::Status).
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum Error {
    /// A setting outside its range.
    #[error("{name} is {value}, but must be {expected}")]
    BadParameter {
        /// The parameter.
        name: &'static str,
        /// The value given.
        value: String,
        /// The values allowed.
        expected: &'static str,
    },
    /// A fit stopped by its observer.
    #[error("the fit was given up")]
    Abandoned,
    /// An option that one of the paper's presets sets itself.
    #[error(
        "the paper's presets set the anchors, the metric and the reference themselves, and have no time budget"
    )]
    RecipeHasItsOwn,
    /// A cell that cannot be used. Rows are counted from zero.
    #[error("row {row}, column `{column}`: {value} {problem}")]
    BadCell {
        /// The row.
        row: usize,
        /// The column's name.
        column: String,
        /// The cell.
        value: f64,
        /// The problem.
        problem: &'static str,
    },
    /// Bounds that a column cannot have; infinite where there is no bound.
    #[error("column `{column}`: the bounds [{lo}, {hi}] {problem}")]
    BadBounds {
        /// The column's name.
        column: String,
        /// The lower bound.
        lo: f64,
        /// The upper bound.
        hi: f64,
        /// The problem.
        problem: &'static str,
    },
    /// A table without rows or without columns.
    #[error("the table has no {0}")]
    EmptyTable(&'static str),
    /// Sizes that do not fit together.
    #[error("{what}: found {found}, expected {expected}")]
    Shape {
        /// The object of the wrong size.
        what: &'static str,
        /// Its size.
        found: usize,
        /// The right size.
        expected: usize,
    },
    /// A computation that needs more memory than it may have.
    #[error(
        "{what} would take {needed} MiB, above the ceiling of {ceiling} MiB: use fewer anchors or raise the ceiling"
    )]
    TooLarge {
        /// The object that is too large.
        what: &'static str,
        /// MiB needed.
        needed: u64,
        /// MiB allowed.
        ceiling: u64,
    },
    /// A matrix that should be positive definite and is not.
    #[error("{what} is not positive definite (pivot {pivot})")]
    NotPositiveDefinite {
        /// The matrix.
        what: &'static str,
        /// The first pivot that is not positive.
        pivot: usize,
    },
    /// A number that left the range of floating point.
    #[error("{what} is not finite")]
    NotFinite {
        /// The quantity.
        what: &'static str,
    },
    /// A row so far from every anchor that its density is not a number. Rows are counted from zero.
    #[error(
        "row {row}: its cells are too far from every anchor for its density to be a number; standardise the columns first"
    )]
    FarRow {
        /// The row.
        row: usize,
    },
    /// A row of density zero, whose missing cells cannot be imputed. Rows are counted from zero.
    #[error(
        "row {row}: the observed cells have density zero under the model, so nothing can be said of the missing ones"
    )]
    ImpossibleRow {
        /// The row.
        row: usize,
    },
    /// A row to condition on whose observed cells have density zero.
    #[error(
        "the observed cells have density zero under the model, so nothing can be said of the missing ones"
    )]
    ZeroDensity,
    /// A table with a column that differs from the model's.
    #[error("column `{found}` {problem} the model's column `{expected}`")]
    OtherColumn {
        /// Name of the table's column.
        found: String,
        /// The problem.
        problem: &'static str,
        /// Name of the model's column.
        expected: String,
    },
    /// A model file that cannot be read.
    #[error("the model file {0}")]
    ModelFile(#[from] ModelFileError),
}

/// A problem of a model file.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum ModelFileError {
    /// It does not start like a model file.
    #[error("is not a psd-impute model")]
    NotAModel,
    /// Its format is unknown to this version.
    #[error("has format {found}, but this version of psd-impute knows format {known} only")]
    Version {
        /// Format of the file.
        found: u32,
        /// Format that can be read.
        known: u32,
    },
    /// It was cut, or bytes were added.
    #[error("has {found} bytes, but says that it has {expected}: it is not complete, or has something added")]
    Length {
        /// Length of the file.
        found: u64,
        /// The length according to its header.
        expected: u64,
    },
    /// Its bytes differ from those that were written.
    #[error("is damaged: its checksum is {found:08x} and should be {expected:08x}")]
    Damaged {
        /// Checksum of its bytes.
        found: u32,
        /// Checksum stored in the file.
        expected: u32,
    },
    /// Its payload cannot be parsed.
    #[error("cannot be taken apart: {reason}")]
    Payload {
        /// Message of the parser.
        reason: String,
    },
    /// A tensor that is missing or invalid.
    #[error("is not consistent: the tensor `{name}` {problem}")]
    Tensor {
        /// The tensor.
        name: String,
        /// The problem.
        problem: String,
    },
    /// Numbers that no model can have.
    #[error("is not consistent: {part}: {reason}")]
    Content {
        /// Part of the model where they occur.
        part: String,
        /// The problem.
        reason: Box<crate::Error>,
    },
}

/// Builds an [`Error::BadParameter`].
pub(crate) fn bad(name: &'static str, value: impl std::fmt::Display, expected: &'static str) -> Error {
    Error::BadParameter { name, value: value.to_string(), expected }
}

/// Checks that a parameter is finite and above zero.
pub(crate) fn positive(name: &'static str, value: f64) -> Result<f64> {
    if value.is_finite() && value > 0.0 { Ok(value) } else { Err(bad(name, value, "finite and above zero")) }
}

/// Checks that a parameter is finite and not below zero.
pub(crate) fn non_negative(name: &'static str, value: f64) -> Result<f64> {
    if value.is_finite() && value >= 0.0 {
        Ok(value)
    } else {
        Err(bad(name, value, "finite and not below zero"))
    }
}
