//! What makes a command fail.

use std::fmt;
use std::io;
use std::path::PathBuf;

/// An error of the engine, or of reading and writing.
#[derive(Debug)]
pub(crate) enum Failure {
    Engine(psd_impute::Error),
    Output(io::Error),
    File {
        path: PathBuf,
        error: io::Error,
    },
    Csv {
        path: PathBuf,
        error: csv::Error,
    },
    /// A row that is longer or shorter than the header.
    Ragged {
        path: PathBuf,
        line: u64,
        found: u64,
        expected: u64,
    },
    /// A file that is no table.
    Table {
        path: PathBuf,
        error: psd_impute::Error,
    },
    /// A folder to write to that is not there.
    NoFolder {
        path: PathBuf,
        folder: PathBuf,
    },
    SameFile {
        path: PathBuf,
    },
    Picture(String),
    /// A cell that cannot be used: what is wrong with it, and what to do.
    Cell {
        path: PathBuf,
        line: u64,
        column: String,
        text: String,
        problem: String,
        hint: &'static str,
    },
    /// A column without any observed cell.
    NeverObserved {
        path: PathBuf,
        column: String,
    },
    /// Bounds on a column that the file does not have, or has more than once.
    NoSuchColumn {
        path: PathBuf,
        column: String,
        found: usize,
        columns: Vec<String>,
    },
    BoundsTwice {
        column: String,
    },
    /// A table from which cells cannot be taken, or that cannot be scored.
    Evaluation {
        path: PathBuf,
        error: psd_impute_eval::Error,
    },
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
            Self::File { path, error } if error.kind() == io::ErrorKind::InvalidData => {
                write!(f, "{}: {error}\nhint: save the file as UTF-8", path.display())
            }
            Self::File { path, error } => write!(f, "{}: {error}", path.display()),
            Self::Csv { path, error } => write!(f, "{}: {error}", path.display()),
            Self::Ragged { path, line, found, expected } => write!(
                f,
                "{}, line {line}: the header has {expected} cells, but this row {found}",
                path.display()
            ),
            Self::Table { path, error } => write!(
                f,
                "{}: {error}\nhint: the first line is the header, and the rows stand below it",
                path.display()
            ),
            Self::NoFolder { path, folder } => {
                write!(f, "{}: there is no folder {}", path.display(), folder.display())
            }
            Self::SameFile { path } => {
                write!(
                    f,
                    "{}: is to be written twice\nhint: give --intervals a file of its own",
                    path.display()
                )
            }
            Self::Picture(problem) => write!(f, "drawing a picture: {problem}"),
            Self::Cell { path, line, column, text, problem, hint } => write!(
                f,
                "{}, line {line}, column `{column}`: `{text}` {problem}\nhint: {hint}",
                path.display()
            ),
            Self::NeverObserved { path, column } => write!(
                f,
                "{}: no cell of column `{column}` is observed\nhint: drop the column; there is nothing to learn it from",
                path.display()
            ),
            Self::NoSuchColumn { path, column, found, columns } => {
                let how_many = if *found == 0 { "no column" } else { "more than one column" };
                let names: Vec<String> = columns.iter().map(|name| format!("`{name}`")).collect();
                write!(
                    f,
                    "--bounds: {} has {how_many} `{column}`\nhint: its columns are {}",
                    path.display(),
                    names.join(", ")
                )
            }
            Self::BoundsTwice { column } => {
                write!(
                    f,
                    "--bounds: column `{column}` is given twice\nhint: both ends go into one, {column}=LO:HI"
                )
            }
            Self::Evaluation { path, error } => {
                write!(f, "{}: {error}", path.display())?;
                error.hint().map_or(Ok(()), |hint| write!(f, "\nhint: {hint}"))
            }
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
