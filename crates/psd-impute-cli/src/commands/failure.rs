//! What makes a command fail.

use std::fmt;
use std::io;

/// An error of the engine, or of reading and writing.
#[derive(Debug)]
pub(crate) enum Failure {
    Engine(psd_impute::Error),
    Io(io::Error),
}

impl Failure {
    /// Whether the reader of our output has gone, which is no fault of ours.
    pub(crate) fn is_broken_pipe(&self) -> bool {
        matches!(self, Self::Io(error) if error.kind() == io::ErrorKind::BrokenPipe)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Engine(error) => error.fmt(f),
            Self::Io(error) => error.fmt(f),
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
        Self::Io(error)
    }
}
