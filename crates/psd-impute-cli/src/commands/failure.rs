//! What makes a command fail.

use std::fmt;
use std::io;
use std::path::PathBuf;

/// An error of the engine, or of reading and writing.
#[derive(Debug)]
pub(crate) enum Failure {
    Engine(psd_impute::Error),
    Output(io::Error),
    File { path: PathBuf, error: io::Error },
    Csv { path: PathBuf, error: csv::Error },
    Picture(String),
    NotANumber { path: PathBuf, line: u64, column: String, text: String },
}

impl Failure {
    /// Whether the reader of our output has gone, which is no fault of ours.
    pub(crate) fn is_broken_pipe(&self) -> bool {
        matches!(self, Self::Output(error) if error.kind() == io::ErrorKind::BrokenPipe)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Engine(error) => error.fmt(f),
            Self::Output(error) => error.fmt(f),
            Self::File { path, error } => write!(f, "{}: {error}", path.display()),
            Self::Csv { path, error } => write!(f, "{}: {error}", path.display()),
            Self::Picture(problem) => write!(f, "drawing a picture: {problem}"),
            Self::NotANumber { path, line, column, text } => write!(
                f,
                "{}, line {line}, column `{column}`: `{text}` is not a number\nhint: missing cells are empty, NA, NaN, ?, null or .",
                path.display()
            ),
        }
    }
}

impl From<psd_impute::Error> for Failure {
    fn from(error: psd_impute::Error) -> Self {
        Self::Engine(error)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}
