//! What can go wrong, with the facts needed to put it right.

use thiserror::Error;

/// The crate's result.
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
        /// What it was.
        value: String,
        /// What it may be.
        expected: &'static str,
    },
    /// A fit that its observer gave up.
    #[error("the fit was given up")]
    Abandoned,
    /// Something said about a fit that one of the paper's recipes settles itself.
    #[error(
        "the paper's recipes set the anchors, the metric and the reference themselves, and have no time budget"
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
        /// What is wrong with it.
        problem: &'static str,
    },
    /// Bounds that a column cannot have; infinite where there is none.
    #[error("column `{column}`: the bounds [{lo}, {hi}] {problem}")]
    BadBounds {
        /// The column's name.
        column: String,
        /// The lower bound.
        lo: f64,
        /// The upper bound.
        hi: f64,
        /// What is wrong with them.
        problem: &'static str,
    },
    /// A table without rows or without columns.
    #[error("the table has no {0}")]
    EmptyTable(&'static str),
    /// Sizes that do not fit together.
    #[error("{what}: found {found}, expected {expected}")]
    Shape {
        /// What has the wrong size.
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
        /// What is too large.
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
    /// A row so far from every anchor that its density is no number. Rows are counted from zero.
    #[error(
        "row {row}: its cells are too far from every anchor for its density to be a number; standardise the columns first"
    )]
    FarRow {
        /// The row.
        row: usize,
    },
    /// A row that the density says cannot occur, so that its gaps cannot be filled. Rows are counted from zero.
    #[error(
        "row {row}: the observed cells have density zero under the model, so nothing can be said of the missing ones"
    )]
    ImpossibleRow {
        /// The row.
        row: usize,
    },
    /// A row to condition on that the density says cannot occur.
    #[error(
        "the observed cells have density zero under the model, so nothing can be said of the missing ones"
    )]
    ZeroDensity,
    /// A table with another column than a model's.
    #[error("column `{found}` {problem} the model's column `{expected}`")]
    OtherColumn {
        /// The table's.
        found: String,
        /// What is wrong with it.
        problem: &'static str,
        /// The model's.
        expected: String,
    },
    /// A model file that cannot be read.
    #[error("the model file {0}")]
    ModelFile(#[from] ModelFileError),
}

/// What is wrong with a model file.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum ModelFileError {
    /// It does not begin as model files do.
    #[error("is no model of psd-impute")]
    NotAModel,
    /// It has a format that is not known here.
    #[error("has format {found}, but this version of psd-impute knows format {known} only")]
    Version {
        /// Its format.
        found: u32,
        /// The one that is known.
        known: u32,
    },
    /// It was cut, or something was added.
    #[error("has {found} bytes, but says that it has {expected}: it is not complete, or has something added")]
    Length {
        /// Its length.
        found: u64,
        /// What it should be.
        expected: u64,
    },
    /// Its bytes are not those that were written.
    #[error("is damaged: its checksum is {found:08x} and should be {expected:08x}")]
    Damaged {
        /// The checksum of its bytes.
        found: u32,
        /// The checksum that was written.
        expected: u32,
    },
    /// Its payload cannot be taken apart.
    #[error("cannot be taken apart: {reason}")]
    Payload {
        /// What its reader says.
        reason: String,
    },
    /// A tensor that is missing or not as it should be.
    #[error("is not consistent: the tensor `{name}` {problem}")]
    Tensor {
        /// The tensor.
        name: String,
        /// What is wrong with it.
        problem: String,
    },
    /// Numbers that no model has.
    #[error("is not consistent: {part}: {reason}")]
    Content {
        /// Where they are.
        part: String,
        /// What is wrong with them.
        reason: Box<crate::Error>,
    },
}

/// Builds a [`Error::BadParameter`].
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
