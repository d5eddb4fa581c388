//! Consecutive rows of a CSV file: their bytes and the spans of their cells.

use super::scan::{Span, count_lines};
use crate::batches::difference;
use crate::encoding::Encoding;
use crate::missing::{Missing, Tokens};
use crate::place::{Origin, Place};
use std::borrow::Cow;
use std::sync::Arc;

/// The header, shared by all chunks of a file.
#[derive(Debug, Clone)]
pub(crate) struct Header {
    pub(crate) names: Vec<String>,
    pub(crate) delimiter: u8,
    /// The tokens of missing cells, by column.
    pub(crate) missing: Vec<Arc<Tokens>>,
    /// The original encoding of the text.
    pub(crate) encoding: Encoding,
    /// Whether the first line of the file names the columns.
    pub(crate) named: bool,
}

/// Consecutive rows, with everything between them. The first chunk of a file holds its header.
#[derive(Debug, Clone)]
pub(crate) struct Chunk {
    header: Arc<Header>,
    text: Arc<str>,
    /// One span per header name, for each row.
    spans: Arc<[Span]>,
    /// The end of the header, if the text has it.
    header_end: Option<usize>,
    /// The line on which the text begins.
    first_line: u64,
}

/// A column added after all others.
pub(crate) struct Added {
    pub(crate) name: String,
    pub(crate) cells: Vec<&'static str>,
}

impl Chunk {
    pub(super) fn new(
        header: Arc<Header>,
        text: Arc<str>,
        spans: Arc<[Span]>,
        header_end: Option<usize>,
        first_line: u64,
    ) -> Self {
        Self { header, text, spans, header_end, first_line }
    }

    /// The chunk without the text before its first row, and after a line end on request: as the rows of a file follow those of another.
    pub(crate) fn behind(self, line_end: bool) -> Self {
        let cut = self.spans.first().map_or(0, |span| span.start);
        let (skipped, rest) = self.text.split_at(cut as usize);
        let end = if line_end { "\n" } else { "" };
        let first_line = self.first_line + count_lines(skipped.as_bytes()) - end.len() as u64;
        let shift = |at: u32| at - cut + end.len() as u32;
        let spans = self.spans.iter().map(|span| Span { start: shift(span.start), end: shift(span.end) });
        Self {
            spans: spans.collect(),
            text: format!("{end}{rest}").into(),
            header_end: None,
            first_line,
            ..self.clone()
        }
    }

    /// The difference that prevents another text from following this one.
    pub(crate) fn difference(&self, other: &Self) -> Option<String> {
        let (here, there) = (&self.header, &other.header);
        let sign = |header: &Header| char::from(header.delimiter).escape_default().to_string();
        if here.delimiter != there.delimiter && here.names.len() > 1 {
            return Some(format!(
                "its cells are separated by `{}`, and there by `{}`",
                sign(there),
                sign(here)
            ));
        }
        if here.encoding != there.encoding {
            return Some(format!("it is {}, and the other {}", there.encoding.name(), here.encoding.name()));
        }
        difference(&here.names, &there.names)
    }

    /// Whether its last line has a line end.
    pub(crate) fn ends_line(&self) -> bool {
        self.text.ends_with(['\n', '\r'])
    }

    /// `rows` rows with all cells missing, preceded by the header if they are the first rows.
    pub(crate) fn blank(names: &[String], delimiter: u8, first_row: u64, rows: usize) -> Self {
        let cells: Vec<_> = names.iter().map(|name| quoted(name, delimiter)).collect();
        let separator = char::from(delimiter).to_string();
        let mut text = String::new();
        let mut header_end = None;
        if first_row == 0 {
            text += &cells.join(&separator);
            header_end = Some(text.len());
            text.push('\n');
        }
        let mut spans = Vec::with_capacity(rows * names.len());
        for _ in 0..rows {
            let start = text.len() as u32;
            spans.extend((start..).take(names.len()).map(|at| Span { start: at, end: at }));
            text += &separator.repeat(names.len().saturating_sub(1));
            text.push('\n');
        }
        let missing = names.iter().map(|name| Missing::nothing().of(name)).collect();
        let encoding = Encoding::default();
        let header = Header { names: names.to_vec(), delimiter, missing, encoding, named: true };
        let first_line = if first_row == 0 { 1 } else { first_row + 2 };
        Self::new(header.into(), text.into(), spans.into(), header_end, first_line)
    }

    pub(crate) fn len(&self) -> usize {
        self.spans.len() / self.header.names.len()
    }

    pub(crate) fn names(&self) -> &[String] {
        &self.header.names
    }

    pub(crate) fn delimiter(&self) -> u8 {
        self.header.delimiter
    }

    pub(crate) fn encoding(&self) -> Encoding {
        self.header.encoding
    }

    /// Whether a line of the file names the columns.
    pub(crate) fn has_header(&self) -> bool {
        self.header.named
    }

    /// The place of a cell, in the table from `origin`.
    pub(crate) fn place(&self, origin: &Origin, i: usize, j: usize) -> Place {
        Place::in_text(origin, self.first_line, self.text.as_bytes(), self.trimmed(i, j))
    }

    fn span(&self, i: usize, j: usize) -> Span {
        self.spans[i * self.header.names.len() + j]
    }

    fn bytes(&self, i: usize, j: usize) -> &str {
        let span = self.span(i, j);
        &self.text[span.start as usize..span.end as usize]
    }

    /// The content of a cell, without quotes.
    pub(crate) fn content(&self, i: usize, j: usize) -> Cow<'_, str> {
        unquote(self.bytes(i, j))
    }

    /// The content of a cell, without quotes and surrounding space.
    pub(crate) fn cell(&self, i: usize, j: usize) -> Cow<'_, str> {
        match self.content(i, j) {
            Cow::Borrowed(text) => Cow::Borrowed(text.trim()),
            Cow::Owned(text) => Cow::Owned(text.trim().to_string()),
        }
    }

    /// Whether the content of a cell has space around it.
    pub(crate) fn is_padded(&self, i: usize, j: usize) -> bool {
        let content = self.content(i, j);
        content.trim().len() < content.len()
    }

    /// Whether a cell of column `j` with this content is missing.
    pub(crate) fn is_missing(&self, j: usize, cell: &str) -> bool {
        self.header.missing[j].has_text(cell)
    }

    /// The bytes of the chunk with the cells replaced for which `fill` returns a text, and with columns added at the ends of its rows.
    pub(crate) fn splice(
        &self,
        added: &[Added],
        mut fill: impl FnMut(usize, usize) -> Option<String>,
    ) -> String {
        let mut out = Splice { text: &self.text, copied: 0, out: String::with_capacity(self.text.len()) };
        if let Some(end) = self.header_end {
            out.append(end, self.header.delimiter, added.iter().map(|column| column.name.as_str()));
        }
        let columns = self.header.names.len();
        for i in 0..self.len() {
            for j in 0..columns {
                if let Some(text) = fill(i, j) {
                    out.replace(self.trimmed(i, j), &quoted(&text, self.header.delimiter));
                }
            }
            let end = self.span(i, columns - 1).end as usize;
            out.append(end, self.header.delimiter, added.iter().map(|column| column.cells[i]));
        }
        out.finish()
    }

    /// The span of a cell in the text: without surrounding space, or all of it if there is nothing else.
    fn trimmed(&self, i: usize, j: usize) -> (usize, usize) {
        let (span, text) = (self.span(i, j), self.bytes(i, j));
        let (start, end) = (span.start as usize, span.end as usize);
        match text.trim() {
            "" => (start, end),
            token => {
                let lead = text.len() - text.trim_start().len();
                (start + lead, start + lead + token.len())
            }
        }
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
    fn replace(&mut self, (start, end): (usize, usize), with: &str) {
        self.out.push_str(&self.text[self.copied..start]);
        self.out.push_str(with);
        self.copied = end;
    }

    /// Adds cells after the row that ends at `end`.
    fn append<'a>(&mut self, end: usize, delimiter: u8, cells: impl Iterator<Item = &'a str>) {
        self.replace((end, end), "");
        for cell in cells {
            self.out.push(char::from(delimiter));
            self.out.push_str(&quoted(cell, delimiter));
        }
    }

    fn finish(mut self) -> String {
        self.out.push_str(&self.text[self.copied..]);
        self.out
    }
}

/// A cell without its quotes. Text after the closing quote belongs to the cell.
pub(crate) fn unquote(cell: &str) -> Cow<'_, str> {
    let Some(rest) = cell.strip_prefix('"') else { return Cow::Borrowed(cell) };
    if let Some(inner) = rest.strip_suffix('"')
        && !inner.contains('"')
    {
        return Cow::Borrowed(inner);
    }
    let (mut out, mut rest) = (String::new(), rest);
    while let Some((before, after)) = rest.split_once('"') {
        out.push_str(before);
        match after.strip_prefix('"') {
            Some(after) => {
                out.push('"');
                rest = after;
            }
            None => return Cow::Owned(out + after),
        }
    }
    Cow::Owned(out + rest)
}

/// A text as a cell, quoted if it would otherwise be misread.
pub(crate) fn quoted(text: &str, delimiter: u8) -> Cow<'_, str> {
    let special = |c: char| matches!(c, '"' | '\n' | '\r') || c == char::from(delimiter);
    if text.contains(special) || text.trim() != text {
        Cow::Owned(format!("\"{}\"", text.replace('"', "\"\"")))
    } else {
        Cow::Borrowed(text)
    }
}
