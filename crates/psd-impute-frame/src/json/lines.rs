//! Consecutive lines of a file of objects: their bytes and the spans of values.

use super::value::{Values, text_of};
use crate::csv::Span;
use crate::place::{Origin, Place};
use arrow_array::RecordBatch;
use std::sync::Arc;

/// Consecutive lines, some of which hold an object.
#[derive(Debug, Clone)]
pub(crate) struct Lines {
    text: Arc<str>,
    rows: Arc<[Row]>,
    /// The span of each key's value in each object; empty where it has none.
    spans: Arc<[Span]>,
    columns: usize,
    /// The line on which the text begins.
    first_line: u64,
}

/// The end of an object.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row {
    /// The position of its closing brace.
    pub(super) end: u32,
    /// Whether it has no member.
    pub(super) empty: bool,
}

impl Lines {
    pub(super) fn new(
        text: Arc<str>,
        rows: Arc<[Row]>,
        spans: Arc<[Span]>,
        columns: usize,
        first_line: u64,
    ) -> Self {
        Self { text, rows, spans, columns, first_line }
    }

    /// The span of a value; the end of its object if it has none.
    fn span(&self, i: usize, j: usize) -> (usize, usize) {
        let Span { start, end } = self.spans[i * self.columns + j];
        if start == end {
            (self.rows[i].end as usize, self.rows[i].end as usize + 1)
        } else {
            (start as usize, end as usize)
        }
    }

    fn has(&self, i: usize, j: usize) -> bool {
        let Span { start, end } = self.spans[i * self.columns + j];
        start < end
    }

    /// The place of a cell, in the table from `origin`.
    pub(crate) fn place(&self, origin: &Origin, i: usize, j: usize) -> Place {
        Place::in_text(origin, self.first_line, self.text.as_bytes(), self.span(i, j))
    }

    /// The lines with the values of `records` where cells were `missing` and are known now, or the other way round. Columns of `records`
    /// beyond those of the lines are added.
    pub(crate) fn splice(&self, records: &RecordBatch, missing: &[Vec<bool>]) -> Result<String, String> {
        let values = Values::all(records)?;
        let names: Vec<String> =
            records.schema_ref().fields().iter().map(|field| text_of(field.name())).collect();
        let mut out = Splice { text: &self.text, copied: 0, out: String::with_capacity(self.text.len()) };
        for (i, row) in self.rows.iter().enumerate() {
            let changed = |j: &usize| missing[*j][i] != values[*j].is_null(i);
            let mut replaced: Vec<usize> =
                (0..self.columns).filter(|j| self.has(i, *j) && changed(j)).collect();
            replaced.sort_by_key(|&j| self.span(i, j));
            for j in replaced {
                let (start, end) = self.span(i, j);
                out.copy_to(start, end);
                values[j].write(i, &mut out.out)?;
            }
            out.copy_to(row.end as usize, row.end as usize);
            let space = if self.is_spaced(i) { " " } else { "" };
            let mut before = if row.empty { String::new() } else { format!(",{space}") };
            let is_added = |j: &usize| *j >= self.columns || !self.has(i, *j) && changed(j);
            for j in (0..values.len()).filter(is_added).filter(|&j| !values[j].is_null(i)) {
                out.out += &format!("{before}{}:{space}", names[j]);
                values[j].write(i, &mut out.out)?;
                before = format!(",{space}");
            }
        }
        Ok(out.finish())
    }

    /// Whether there is space before the values of an object.
    fn is_spaced(&self, i: usize) -> bool {
        (0..self.columns).any(|j| self.has(i, j) && self.text[..self.span(i, j).0].ends_with(' '))
    }
}

/// A copy of a text in progress, with parts replaced.
struct Splice<'a> {
    text: &'a str,
    /// The length of the text copied so far.
    copied: usize,
    out: String,
}

impl Splice<'_> {
    /// Copies the text up to `start`, and skips that up to `end`.
    fn copy_to(&mut self, start: usize, end: usize) {
        self.out.push_str(&self.text[self.copied..start]);
        self.copied = end;
    }

    fn finish(mut self) -> String {
        self.copy_to(self.text.len(), self.text.len());
        self.out
    }
}
