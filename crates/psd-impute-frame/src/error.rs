//! Errors, with the facts needed to correct them.

use crate::format::ENDINGS;
use crate::place::{Origin, Place};
use crate::report::LeftColumn;
use std::io::ErrorKind;
use std::path::PathBuf;
use thiserror::Error;

/// The crate's result.
pub type Result<T> = std::result::Result<T, Error>;

/// The errors of this crate. [`hint`](Self::hint) says how to correct them.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// The system refused a file.
    #[error("{}: {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's error.
        error: std::io::Error,
    },
    /// An empty file.
    #[error("{origin} is empty")]
    EmptyFile {
        /// The file.
        origin: Origin,
    },
    /// A table with columns but no rows.
    #[error("{origin} has no rows")]
    NoRows {
        /// The table.
        origin: Origin,
    },
    /// A file that its reader cannot parse.
    #[error("{origin} cannot be read as {format}: {problem}")]
    Unreadable {
        /// The file.
        origin: Origin,
        /// The format it was read as.
        format: &'static str,
        /// The reader's message.
        problem: String,
    },
    /// A file named or packed like a workbook that is not one.
    #[error("{origin} is no Excel workbook (.xlsx): it is {found}")]
    NoWorkbook {
        /// The file.
        origin: Origin,
        /// Its likely format.
        found: &'static str,
    },
    /// A sheet that a workbook does not have.
    #[error("{origin} has no sheet `{name}`")]
    NoSheet {
        /// The workbook.
        origin: Origin,
        /// The name.
        name: String,
        /// The existing sheets.
        known: Vec<String>,
    },
    /// A cell without which a sheet is not a table.
    #[error("{origin}, cell {cell}: {problem}")]
    BadSheet {
        /// The workbook.
        origin: Origin,
        /// The cell, such as `C5`.
        cell: String,
        /// The problem.
        problem: String,
    },
    /// A file that would take more memory than any table should.
    #[error("{origin} is too large: {what}")]
    TooLarge {
        /// The file.
        origin: Origin,
        /// The quantity that is too large.
        what: String,
    },
    /// A line that is not valid JSON lines.
    #[error("{place}: {problem}")]
    BadJson {
        /// The place.
        place: Place,
        /// The problem.
        problem: String,
    },
    /// A folder without a table.
    #[error("{origin} is a folder without a Parquet file")]
    NoParquet {
        /// The folder.
        origin: Origin,
    },
    /// One of several files of a table that does not match the others.
    #[error("{origin} does not go with {first}: {problem}")]
    OtherTable {
        /// The file.
        origin: Origin,
        /// The first of the files.
        first: Origin,
        /// The difference.
        problem: String,
    },
    /// A table that cannot be written in a format.
    #[error("the table cannot be written as {format}: {problem}")]
    Unwritable {
        /// The format.
        format: &'static str,
        /// The writer's message.
        problem: String,
    },
    /// An output file whose name does not determine its format.
    #[error("{}: the ending of the name says no format that can be written", path.display())]
    UnknownEnding {
        /// The file.
        path: PathBuf,
    },
    /// Too little memory to compute anything.
    #[error("the system allows {allowed} MB of memory, and at least {needed} MB are needed")]
    LittleMemory {
        /// The megabytes allowed.
        allowed: u64,
        /// The megabytes needed.
        needed: u64,
    },
    /// A row of text with too few or too many cells.
    #[error("{place}: {found} cell{}, but the header has {expected}", if *.found == 1 { "" } else { "s" })]
    Ragged {
        /// The place.
        place: Place,
        /// Cells in the row.
        found: usize,
        /// Cells in the header.
        expected: usize,
        /// The delimiter.
        delimiter: char,
    },
    /// Bytes that are not text.
    #[error("{place}{}: not UTF-8 text", in_column(.column))]
    NotUtf8 {
        /// The place.
        place: Place,
        /// The column, if it is a cell.
        column: Option<String>,
    },
    /// A quoted cell without a closing quote.
    #[error("{place}: the quote that opens here is never closed")]
    OpenQuote {
        /// The place of the opening quote.
        place: Place,
    },
    /// A row of text that is too long.
    #[error("{place}: the row that begins here is longer than {limit} bytes")]
    LongRow {
        /// The place where the row begins.
        place: Place,
        /// The most bytes allowed.
        limit: usize,
    },
    /// Two columns with the same name.
    #[error("{origin} has two columns named `{column}`")]
    DuplicateColumn {
        /// The table.
        origin: Origin,
        /// The name.
        column: String,
    },
    /// A cell that does not fit its column.
    #[error("{place}, column `{column}`: `{text}` is not {expected}{}", nor_are(*.others))]
    BadCell {
        /// The place.
        place: Place,
        /// The column.
        column: String,
        /// The cell.
        text: String,
        /// The expected content.
        expected: &'static str,
        /// The number of further such cells in the column, as far as known.
        others: u64,
    },
    /// An infinite number.
    #[error("{place}, column `{column}`: `{text}` is infinite")]
    Infinite {
        /// The place.
        place: Place,
        /// The column.
        column: String,
        /// The cell.
        text: String,
    },
    /// A table with none of the columns that a plan models.
    #[error("{origin} has none of the modelled columns")]
    NoSharedColumn {
        /// The table.
        origin: Origin,
        /// The modelled columns.
        columns: Vec<String>,
    },
    /// A required column that the table lacks.
    #[error("{origin} has no column `{column}`")]
    MissingColumn {
        /// The table.
        origin: Origin,
        /// The column.
        column: String,
    },
    /// A column of another type than the plan's.
    #[error("{origin}, column `{column}`: the type {found} does not hold {expected}")]
    WrongType {
        /// The table.
        origin: Origin,
        /// The column.
        column: String,
        /// Its type.
        found: String,
        /// The kind that the plan expects.
        expected: &'static str,
    },
    /// A setting for an unknown column.
    #[error("{origin} has no column `{column}`")]
    UnknownColumn {
        /// The table.
        origin: Origin,
        /// The name.
        column: String,
        /// The existing names.
        known: Vec<String>,
    },
    /// An indicator whose name is taken.
    #[error("{origin} cannot get a column `{column}`: it has one already")]
    TakenName {
        /// The table.
        origin: Origin,
        /// The name.
        column: String,
    },
    /// A column that cannot be treated as overridden.
    #[error("column `{column}` cannot be taken as {wanted}: {problem}")]
    BadOverride {
        /// The column.
        column: String,
        /// The requested treatment.
        wanted: &'static str,
        /// The reason why it is impossible.
        problem: String,
    },
    /// A table with no column that can be modelled.
    #[error("{origin} has no column that can be modelled")]
    NothingToModel {
        /// The table.
        origin: Origin,
    },
    /// Missing cells that would stay empty, where all must be completed.
    #[error("{}", would_stay_empty(columns))]
    StaysEmpty {
        /// The columns that have them.
        columns: Vec<LeftColumn>,
    },
    /// A completed table whose shape differs from that of the table to fill.
    #[error("the completed table has {found} {what}, not {expected}")]
    Shape {
        /// The dimension that differs.
        what: &'static str,
        /// The size found.
        found: usize,
        /// The size expected.
        expected: usize,
    },
    /// A dictionary whose keys cannot count all its labels.
    #[error("column `{column}`: the keys of type {keys} cannot count {labels} labels")]
    FullDictionary {
        /// The column.
        column: String,
        /// The type of the keys.
        keys: String,
        /// The number of labels.
        labels: usize,
    },
    /// A stored plan that is inconsistent.
    #[error("the plan for column `{column}` is not valid: {problem}")]
    BadPlan {
        /// The column.
        column: String,
        /// The problem.
        problem: &'static str,
    },
    /// A model file with a model but without its columns.
    #[error("the model's columns cannot be read: {problem}")]
    ModelColumns {
        /// The problem.
        problem: String,
    },
    /// An observed cell outside the bounds of its column.
    #[error("{place}, column `{column}`: `{text}` is outside the bounds {bounds}")]
    OutOfBounds {
        /// The place.
        place: Place,
        /// The column.
        column: String,
        /// The cell.
        text: String,
        /// The bounds.
        bounds: String,
    },
    /// Bounds on a column that is not completed.
    #[error("bounds: no column `{column}` is completed")]
    NoBounds {
        /// The name given.
        column: String,
        /// The completed columns.
        columns: Vec<String>,
    },
    /// A column with two bounds.
    #[error("bounds: column `{column}` is given twice")]
    BoundsTwice {
        /// The column.
        column: String,
    },
    /// A bound that is not a value of its column.
    #[error("bounds: `{text}` is no value of column `{column}`, which is {kind}")]
    BadBound {
        /// The column.
        column: String,
        /// The bound.
        text: String,
        /// The kind of the column.
        kind: &'static str,
    },
    /// Inconsistent bounds.
    #[error("bounds {bounds} of column `{column}`: they {problem}")]
    BadBounds {
        /// The column.
        column: String,
        /// The bounds.
        bounds: String,
        /// The problem.
        problem: &'static str,
    },
    /// The engine refused the numbers.
    #[error(transparent)]
    Engine(#[from] psd_impute::Error),
}

fn in_column(column: &Option<String>) -> String {
    column.as_ref().map(|column| format!(", column `{column}`")).unwrap_or_default()
}

fn would_stay_empty(columns: &[LeftColumn]) -> String {
    let each: Vec<String> =
        columns.iter().map(|c| format!("{} of `{}` ({})", c.missing, c.name, c.reason)).collect();
    let all: u64 = columns.iter().map(|column| column.missing).sum();
    let cells = if all == 1 { "missing cell" } else { "missing cells" };
    format!("{all} {cells} would stay empty: {}", each.join(", "))
}

fn nor_are(count: u64) -> String {
    match count {
        0 => String::new(),
        1 => " (nor is one other cell)".to_string(),
        _ => format!(" (nor are {count} other cells)"),
    }
}

/// A hint about an error of the system, where one is known.
pub fn io_hint(error: &std::io::Error) -> Option<String> {
    let text = match error.kind() {
        ErrorKind::NotFound => "check the name, and the folder that it is looked for in",
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
            "ask for the right to it, or use another file"
        }
        ErrorKind::IsADirectory => "it is a folder: name a file in it",
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => {
            "make room, or write to another disk"
        }
        ErrorKind::UnexpectedEof | ErrorKind::InvalidData => DAMAGED,
        _ => return None,
    };
    Some(text.to_string())
}

const DAMAGED: &str = "the file may be cut short or damaged: make it again";

impl Error {
    /// The place in a table where the error occurred.
    pub fn place(&self) -> Option<&Place> {
        match self {
            Error::Ragged { place, .. }
            | Error::NotUtf8 { place, .. }
            | Error::OpenQuote { place }
            | Error::LongRow { place, .. }
            | Error::BadJson { place, .. }
            | Error::BadCell { place, .. }
            | Error::OutOfBounds { place, .. }
            | Error::Infinite { place, .. } => Some(place),
            _ => None,
        }
    }

    /// A hint on how to correct it.
    pub fn hint(&self) -> Option<String> {
        let text = match self {
            Error::EmptyFile { .. } | Error::NoRows { .. } => "a table has a header and at least one row",
            Error::Io { error, .. } => return io_hint(error),
            Error::Unreadable { .. } => DAMAGED,
            Error::NoWorkbook { .. } => "save it as .xlsx without a password, or as CSV",
            Error::NoSheet { known, .. } => return Some(format!("the sheets are {}", known.join(", "))),
            Error::BadSheet { .. } => {
                "give each column a name and each cell its own value, as one table that begins in the first row; or save the sheet as CSV"
            }
            Error::TooLarge { .. } => "save it as CSV, which is read bit by bit",
            Error::BadJson { .. } => {
                "each line is one object, such as {\"a\": 1.5, \"b\": null}, and what is missing is null or left out"
            }
            Error::NoParquet { .. } => "name the files, of one format, one after the other",
            Error::OtherTable { .. } => {
                "files that are read together have the same format and the same columns"
            }
            Error::LittleMemory { .. } => {
                "raise the limit (`ulimit -v`), or lift it with `ulimit -v unlimited`"
            }
            Error::UnknownEnding { .. } => return Some(format!("end the name with one of {ENDINGS}")),
            Error::Ragged { delimiter, .. } => {
                return Some(format!(
                    "cells are taken to be separated by `{}`: set the delimiter if that is wrong, and quote cells that contain it",
                    delimiter.escape_default()
                ));
            }
            Error::NotUtf8 { .. } => "save the file as UTF-8, or say which encoding it has",
            Error::OpenQuote { .. } | Error::LongRow { .. } => {
                "close the quote, and write a quote within a quoted cell twice"
            }
            Error::DuplicateColumn { .. } => {
                "give each column a name of its own; if the first row is data, say that there is no header"
            }
            Error::BadCell { text, .. } => {
                return Some(format!(
                    "correct the cell, or say that `{text}` stands for a missing cell, or take the column as a category or ignore it"
                ));
            }
            Error::Infinite { .. } => "leave the cell empty if it is missing, or ignore the column",
            Error::MissingColumn { .. } => {
                "it needs every column that is modelled; the others may be left out"
            }
            Error::NoSharedColumn { columns, .. } => {
                return Some(format!("they are {}", columns.join(", ")));
            }
            Error::WrongType { .. } => "convert the column to the type it had where the model was fitted",
            Error::UnknownColumn { known, .. } => {
                return Some(format!("the columns are {}", known.join(", ")));
            }
            Error::TakenName { .. } => "give that column another name, and ask for each indicator once",
            Error::BadOverride { .. } => "take the column as something else, or ignore it",
            Error::NothingToModel { .. } => {
                "look at the kinds of the columns, and say which to take as a category or as continuous"
            }
            Error::StaysEmpty { columns } => {
                let options = ["categorical_features", "continuous_features", "ignore_features"];
                return Some(LeftColumn::remedies(columns, options));
            }
            Error::FullDictionary { .. } => "give the dictionary wider keys",
            Error::ModelColumns { .. } => "fit the model again",
            Error::OutOfBounds { .. } => "widen the bounds, or empty the cell if it is wrong",
            Error::NoBounds { columns, .. } => {
                return Some(format!("those that are: {}", columns.join(", ")));
            }
            Error::BoundsTwice { .. } => "give both ends at once",
            Error::BadBound { .. } => "write it as in the table",
            Error::Unwritable { .. }
            | Error::Shape { .. }
            | Error::BadPlan { .. }
            | Error::BadBounds { .. }
            | Error::Engine(_) => {
                return None;
            }
        };
        Some(text.to_string())
    }
}
