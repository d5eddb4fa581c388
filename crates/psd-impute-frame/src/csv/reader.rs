//! Reads CSV text a chunk at a time.

use super::chunk::{Chunk, Header, unquote};
use super::dialect::sniff;
use super::scan::{Found, Span, blank_line, count_lines, scan_row};
use crate::encoding::Encoding;
use crate::error::{Error, Result};
use crate::missing::Missing;
use crate::place::{Origin, Place};
use std::io::Read;
use std::sync::Arc;

/// The bytes of a chunk, unless one row is longer.
const CHUNK: usize = 1 << 20;
/// The longest row; a quote that is never closed would otherwise take the whole file.
const LONGEST_ROW: usize = 1 << 26;
const BOM: &[u8] = b"\xef\xbb\xbf";

/// Splits a CSV file into chunks.
pub(crate) struct ChunkReader {
    input: Box<dyn Read + Send>,
    origin: Origin,
    dialect: Dialect,
    header: Option<Arc<Header>>,
    /// Bytes that were read and are not yet in a chunk.
    buffer: Vec<u8>,
    /// Whether the file ends where the buffer does.
    ended: bool,
    /// The line on which the buffer begins.
    line: u64,
    chunk: usize,
}

/// The format of a file.
pub(crate) struct Dialect {
    /// The delimiter; detected from the text unless given.
    pub(crate) delimiter: Option<u8>,
    pub(crate) missing: Missing,
    /// The original encoding of the text.
    pub(crate) encoding: Encoding,
    /// Whether the first row is data.
    pub(crate) no_header: bool,
}

/// Rows found in the buffer.
struct Scanned {
    header: Arc<Header>,
    /// The end of the header, if it is in the buffer.
    header_end: Option<usize>,
    spans: Vec<Span>,
    /// The start of each row.
    starts: Vec<usize>,
    /// The start of the first incomplete row.
    end: usize,
    open_quote: Option<usize>,
}

impl ChunkReader {
    pub(crate) fn new(input: Box<dyn Read + Send>, origin: Origin, dialect: Dialect) -> Self {
        let (buffer, header) = (Vec::new(), None);
        Self { input, origin, dialect, header, buffer, ended: false, line: 1, chunk: CHUNK }
    }

    /// Sets the size of chunks.
    #[cfg(test)]
    pub(super) fn with_chunk(self, chunk: usize) -> Self {
        Self { chunk, ..self }
    }

    /// The next chunk. Every chunk has a row.
    pub(crate) fn next(&mut self) -> Result<Option<Chunk>> {
        let mut wanted = self.chunk;
        loop {
            self.read(wanted)?;
            if self.ended && self.buffer.is_empty() && self.header.is_some() {
                return Ok(None);
            }
            let scanned = self.scan()?;
            // While more follows, one row is kept back, so that no chunk is left with blank lines only.
            let kept = scanned.starts.len() - usize::from(!self.ended && !scanned.starts.is_empty());
            if kept > 0 {
                return self.take(scanned, kept).map(Some);
            }
            if self.ended {
                return Err(self.without_rows());
            }
            if self.buffer.len() > LONGEST_ROW {
                return Err(self.endless(&scanned));
            }
            wanted = 2 * self.buffer.len();
        }
    }

    /// Fills the buffer up to `wanted` bytes.
    fn read(&mut self, wanted: usize) -> Result<()> {
        let missing = wanted.saturating_sub(self.buffer.len());
        if self.ended || missing == 0 {
            return Ok(());
        }
        let read = self.input.by_ref().take(missing as u64).read_to_end(&mut self.buffer);
        let read = read.map_err(|error| match self.origin.path() {
            Some(path) => Error::Io { path: path.to_owned(), error },
            None => self.unreadable(error.to_string()),
        })?;
        self.ended = read < missing;
        Ok(())
    }

    fn scan(&self) -> Result<Scanned> {
        let (header, header_end, mut at) = match &self.header {
            Some(header) => (header.clone(), None, 0),
            None => self.scan_header()?,
        };
        let (bytes, columns) = (&self.buffer, header.names.len());
        let (mut spans, mut starts, mut open_quote) = (Vec::new(), Vec::new(), None);
        while at < bytes.len() {
            if columns > 1
                && let Some(next) = blank_line(bytes, at, header.delimiter)
            {
                if next == bytes.len() && !self.ended {
                    break;
                }
                at = next;
                continue;
            }
            let before = spans.len();
            match scan_row(bytes, at, header.delimiter, self.ended, &mut spans) {
                Found::Row { next } => {
                    self.check_width(&spans[before..], &header)?;
                    starts.push(at);
                    at = next;
                }
                Found::Cut { quote } => {
                    spans.truncate(before);
                    open_quote = quote;
                    break;
                }
            }
        }
        if self.ended
            && let Some(quote) = open_quote
        {
            return Err(Error::OpenQuote { place: self.place(quote, quote + 1) });
        }
        Ok(Scanned { header, header_end, spans, starts, end: at, open_quote })
    }

    /// The header, its end, and the start of the rows. If the header is incomplete, there are no rows yet.
    fn scan_header(&self) -> Result<(Arc<Header>, Option<usize>, usize)> {
        if self.buffer.is_empty() {
            return Err(Error::EmptyFile { origin: self.origin.clone() });
        }
        let bytes = &self.buffer;
        let mut at = if bytes.starts_with(BOM) { BOM.len() } else { 0 };
        let delimiter = self.dialect.delimiter.unwrap_or_else(|| sniff(&bytes[at..]));
        while let Some(next) = blank_line(bytes, at, delimiter) {
            at = next;
        }
        let mut spans = Vec::new();
        let Dialect { missing, encoding, no_header, .. } = &self.dialect;
        let header = |names: Vec<String>| {
            let missing = names.iter().map(|name| missing.of(name)).collect();
            Arc::new(Header { names, delimiter, missing, encoding: *encoding, named: !no_header })
        };
        match scan_row(bytes, at, delimiter, self.ended, &mut spans) {
            Found::Row { .. } if *no_header => {
                let names = (1..=spans.len()).map(|k| format!("V{k}"));
                Ok((header(names.collect()), None, at))
            }
            Found::Row { next } => {
                let names = spans.iter().map(|s| self.name(s.start as usize, s.end as usize));
                let end = spans.last().map(|s| s.end as usize);
                Ok((header(names.collect::<Result<_>>()?), end, next))
            }
            Found::Cut { quote: Some(quote) } if self.ended => {
                Err(Error::OpenQuote { place: self.place(quote, quote + 1) })
            }
            Found::Cut { .. } => Ok((header(vec![String::new()]), None, bytes.len())),
        }
    }

    fn name(&self, start: usize, end: usize) -> Result<String> {
        let bytes = &self.buffer[start..end];
        let text = std::str::from_utf8(bytes).map_err(|error| {
            let at = start + error.valid_up_to();
            Error::NotUtf8 { place: self.place(at, at + 1), column: None }
        })?;
        Ok(unquote(text).trim().to_string())
    }

    /// Refuses a row with more or fewer cells than the header, at the first that is too many or where the next should be.
    fn check_width(&self, cells: &[Span], header: &Header) -> Result<()> {
        let (found, expected) = (cells.len(), header.names.len());
        if found == expected {
            return Ok(());
        }
        let end = cells.last().map_or(0, |cell| cell.end as usize);
        let start = cells.get(expected).map_or(end, |cell| cell.start as usize);
        let delimiter = char::from(header.delimiter);
        Err(Error::Ragged { place: self.place(start, end), found, expected, delimiter })
    }

    /// Makes a chunk of the first rows.
    fn take(&mut self, scanned: Scanned, rows: usize) -> Result<Chunk> {
        let end = scanned.starts.get(rows).copied().unwrap_or(scanned.end);
        let rest = self.buffer.split_off(end);
        let bytes = std::mem::replace(&mut self.buffer, rest);
        let first_line = self.line;
        let text = String::from_utf8(bytes).map_err(|error| {
            let at = error.utf8_error().valid_up_to();
            let place = Place::in_text(&self.origin, first_line, error.as_bytes(), (at, at + 1));
            let names = &scanned.header.names;
            let cell =
                scanned.spans.iter().position(|span| (span.start as usize..span.end as usize).contains(&at));
            Error::NotUtf8 { place, column: cell.map(|cell| names[cell % names.len()].clone()) }
        })?;
        self.line += count_lines(text.as_bytes());
        let spans = &scanned.spans[..rows * scanned.header.names.len()];
        self.header = Some(scanned.header.clone());
        Ok(Chunk::new(scanned.header, text.into(), spans.into(), scanned.header_end, first_line))
    }

    fn without_rows(&self) -> Error {
        let text = self.buffer.strip_prefix(BOM).unwrap_or(&self.buffer);
        if text.iter().all(u8::is_ascii_whitespace) {
            return Error::EmptyFile { origin: self.origin.clone() };
        }
        Error::NoRows { origin: self.origin.clone() }
    }

    fn endless(&self, scanned: &Scanned) -> Error {
        match scanned.open_quote {
            Some(quote) => Error::OpenQuote { place: self.place(quote, quote + 1) },
            None => {
                let place = self.place(scanned.end, self.buffer.len());
                Error::LongRow { place, limit: LONGEST_ROW }
            }
        }
    }

    fn unreadable(&self, problem: String) -> Error {
        Error::Unreadable { origin: self.origin.clone(), format: "CSV", problem }
    }

    /// The bytes `start..end` of the buffer.
    fn place(&self, start: usize, end: usize) -> Place {
        Place::in_text(&self.origin, self.line, &self.buffer, (start, end))
    }
}
