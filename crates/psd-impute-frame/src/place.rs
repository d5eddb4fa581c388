//! Places in tables, for messages.

use crate::csv::count_lines;
use crate::excerpt::Excerpt;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The file of a table, if it came from one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Origin(Option<Arc<Path>>);

impl Origin {
    /// A table from a file.
    pub fn file(path: impl Into<PathBuf>) -> Self {
        Self(Some(path.into().into()))
    }

    /// The file.
    pub fn path(&self) -> Option<&Path> {
        self.0.as_deref()
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Some(path) => path.display().fmt(f),
            None => f.write_str("the table"),
        }
    }
}

/// A place in a table. Lines and rows are counted from one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The table.
    pub origin: Origin,
    /// The position in it.
    pub at: At,
    /// The text there, if the table is text.
    pub excerpt: Option<Box<Excerpt>>,
}

impl Place {
    /// The place of the bytes `start..end` of a text that begins on the line `first_line`.
    pub(crate) fn in_text(
        origin: &Origin,
        first_line: u64,
        text: &[u8],
        (start, end): (usize, usize),
    ) -> Self {
        let at = At::Line(first_line + count_lines(&text[..start]));
        Self { origin: origin.clone(), at, excerpt: Some(Excerpt::of(text, start, end).into()) }
    }
}

/// A line of text or a row of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum At {
    /// A line of a text file; the header is on line 1.
    Line(u64),
    /// A row of a table without lines; in a workbook, a row of the sheet.
    Row(u64),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.at {
            At::Line(line) if self.origin.path().is_some() => write!(f, "{}:{line}", self.origin),
            At::Line(line) => write!(f, "{}, line {line}", self.origin),
            At::Row(row) => write!(f, "{}, row {row}", self.origin),
        }
    }
}
