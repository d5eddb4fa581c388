//! The batches of a table of one or several files.

use crate::arrow_files::{self, Records as RecordReader};
use crate::batch::{Batch, Hints, Records, RowPlaces};
use crate::csv::{Chunk, ChunkReader, Dialect};
use crate::encoding;
use crate::error::{Error, Result};
use crate::excel::{Sheet, SheetCells, read_book};
use crate::format::{Compression, Format};
use crate::json::{Input, Keys, LineReader};
use crate::missing::Missing;
use crate::open::{BATCH, ReadOptions, uncompressed};
use crate::place::Origin;
use arrow_array::{Array, ArrayRef, Int64Array, RecordBatch, StringArray, new_null_array};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A file or other source of some of the rows of a table.
#[derive(Debug)]
pub(crate) struct Part {
    pub(crate) origin: Origin,
    /// Columns that are constant in all rows, from the names of folders.
    pub(crate) keys: Vec<(String, Option<String>)>,
    pub(crate) content: Content,
}

#[derive(Debug)]
pub(crate) enum Content {
    File(PathBuf, Format),
    Records(Vec<RecordBatch>),
    Sheet(Sheet),
}

/// The batches of a table.
pub struct Batches {
    origin: Origin,
    parts: Arc<[Part]>,
    options: ReadOptions,
    missing: Arc<Missing>,
    keys: Option<Arc<Keys>>,
    /// The current part, the number of its rows read, and its reader.
    part: usize,
    before: u64,
    reader: Option<Reader>,
    /// Rows that were read and did not fit into the batch.
    waiting: Option<RecordBatch>,
    /// The layout common to all parts; known from the first batch on.
    layout: Option<Layout>,
    /// Whether the text so far ends within a line.
    open_line: bool,
    rows: u64,
    ended: bool,
}

enum Reader {
    Text(ChunkReader),
    Lines(LineReader),
    Records(RecordReader),
}

/// The columns of a table and their storage.
enum Layout {
    /// The first chunk of text.
    Text(Chunk),
    Records(SchemaRef),
}

impl Part {
    pub(crate) fn format(&self) -> Format {
        match &self.content {
            Content::File(_, format) => *format,
            Content::Records(_) => Format::ArrowStream,
            Content::Sheet(_) => Format::Excel,
        }
    }

    /// The cells of a workbook.
    pub(crate) fn book(&self, options: &ReadOptions) -> Result<SheetCells> {
        match &self.content {
            Content::File(path, _) => {
                read_book(path, &self.origin, options.sheet.as_deref(), options.no_header)
            }
            _ => Err(Error::NoRows { origin: self.origin.clone() }),
        }
    }

    /// The lines of a file of objects.
    pub(crate) fn lines(&self) -> Result<Input> {
        let Content::File(path, Format::JsonLines(compression)) = &self.content else {
            return Err(Error::NoRows { origin: self.origin.clone() });
        };
        let io = |error| Error::Io { path: path.clone(), error };
        let read = uncompressed(File::open(path).map_err(io)?, *compression).map_err(io)?;
        Ok(Input::new(read, self.origin.clone()))
    }

    fn reader(&self, options: &ReadOptions, missing: &Missing, keys: Option<&Arc<Keys>>) -> Result<Reader> {
        let (path, format) = match &self.content {
            Content::Records(records) => return Ok(Reader::Records(arrow_files::in_memory(records.clone()))),
            Content::Sheet(sheet) => {
                return Ok(Reader::Records(arrow_files::in_memory(vec![sheet.records.clone()])));
            }
            Content::File(path, format) => (path, *format),
        };
        let file = || File::open(path).map_err(|error| Error::Io { path: path.clone(), error });
        let wrong = |error: ArrowError| unreadable(&self.origin, format, error);
        Ok(match (format, keys) {
            (Format::JsonLines(_), Some(keys)) => Reader::Lines(LineReader::new(self.lines()?, keys.clone())),
            (Format::Csv(compression), _) => Reader::Text(self.text(path, compression, options, missing)?),
            (Format::Tsv(compression), _) => {
                let delimiter = options.delimiter.or(Some(b'\t'));
                let options = ReadOptions { delimiter, ..options.clone() };
                Reader::Text(self.text(path, compression, &options, missing)?)
            }
            (Format::Parquet, _) => Reader::Records(arrow_files::read_parquet(file()?).map_err(wrong)?),
            (Format::ArrowFile, _) => Reader::Records(arrow_files::read_file(file()?).map_err(wrong)?),
            (Format::ArrowStream, _) => Reader::Records(arrow_files::read_stream(file()?).map_err(wrong)?),
            // These were read when the table was opened.
            (Format::JsonLines(_) | Format::Excel, _) => {
                return Err(Error::NoRows { origin: self.origin.clone() });
            }
        })
    }

    fn text(
        &self,
        path: &Path,
        compression: Compression,
        options: &ReadOptions,
        missing: &Missing,
    ) -> Result<ChunkReader> {
        let io = |error| Error::Io { path: path.to_owned(), error };
        let input = uncompressed(File::open(path).map_err(io)?, compression).map_err(io)?;
        let (input, encoding) = encoding::decoded(input, options.encoding).map_err(io)?;
        let &ReadOptions { delimiter, no_header, .. } = options;
        let dialect = Dialect { delimiter, missing: missing.clone(), encoding, no_header };
        Ok(ChunkReader::new(input, self.origin.clone(), dialect))
    }
}

impl Batches {
    /// Opens the first part.
    pub(crate) fn new(
        origin: Origin,
        parts: Arc<[Part]>,
        options: ReadOptions,
        missing: Arc<Missing>,
        keys: Option<Arc<Keys>>,
    ) -> Result<Self> {
        let reader = parts.first().map(|part| part.reader(&options, &missing, keys.as_ref())).transpose()?;
        Ok(Self {
            origin,
            parts,
            options,
            missing,
            keys,
            part: 0,
            before: 0,
            reader,
            waiting: None,
            layout: None,
            open_line: false,
            rows: 0,
            ended: false,
        })
    }

    fn advance(&mut self) -> Result<Option<Batch>> {
        loop {
            if let Some(batch) = self.next_of_part()? {
                if self.rows == 0 {
                    self.check_tokens(&batch)?;
                }
                self.rows += batch.len() as u64;
                self.before += batch.len() as u64;
                let hints = Hints { decimal: self.options.decimal, dates: self.options.dates };
                return Ok(Some(batch.with_hints(hints)));
            }
            (self.part, self.before) = (self.part + 1, 0);
            let Some(part) = self.parts.get(self.part) else { break };
            self.reader = Some(part.reader(&self.options, &self.missing, self.keys.as_ref())?);
        }
        match self.rows {
            0 => Err(Error::NoRows { origin: self.origin.clone() }),
            _ => Ok(None),
        }
    }

    fn next_of_part(&mut self) -> Result<Option<Batch>> {
        let parts = self.parts.clone();
        let (Some(part), Some(reader)) = (parts.get(self.part), &mut self.reader) else { return Ok(None) };
        match reader {
            Reader::Text(reader) => match reader.next() {
                // Other parts may have rows.
                Err(Error::NoRows { .. }) if parts.len() > 1 => Ok(None),
                Err(error) => Err(error),
                Ok(None) => Ok(None),
                Ok(Some(chunk)) => {
                    let chunk = self.joined(part, chunk)?;
                    Ok(Some(Batch::text(part.origin.clone(), self.rows, chunk)))
                }
            },
            Reader::Lines(reader) => {
                let next = reader.next()?.map(|(records, lines)| (records, RowPlaces::Lines(lines)));
                Ok(next.map(|(records, rows)| self.batch(part, records, rows)))
            }
            Reader::Records(_) => {
                let Some(records) = self.records(part)? else { return Ok(None) };
                let from = self.before as usize;
                let rows = match &part.content {
                    Content::Sheet(sheet) => {
                        RowPlaces::Sheet(sheet.rows[from..from + records.num_rows()].into(), sheet.named)
                    }
                    _ => RowPlaces::After(self.before),
                };
                let records = self.aligned(part, records)?;
                Ok(Some(self.batch(part, records, rows)))
            }
        }
    }

    fn batch(&self, part: &Part, records: RecordBatch, rows: RowPlaces) -> Batch {
        let records = Records { records, missing: self.missing.clone(), rows };
        Batch::records(part.origin.clone(), self.rows, records)
    }

    /// Refuses tokens for an unknown column.
    fn check_tokens(&self, batch: &Batch) -> Result<()> {
        let names = batch.names();
        match self.missing.columns().find(|column| !names.contains(column)) {
            None => Ok(()),
            Some(column) => Err(Error::UnknownColumn {
                origin: self.origin.clone(),
                column: column.to_string(),
                known: names.into_iter().map(String::from).collect(),
            }),
        }
    }

    /// The next rows, at most as many as a batch may have.
    fn records(&mut self, part: &Part) -> Result<Option<RecordBatch>> {
        let Some(Reader::Records(reader)) = &mut self.reader else { return Ok(None) };
        let mut records = self.waiting.take();
        while records.as_ref().is_none_or(|records| records.num_rows() == 0) {
            let Some(next) = reader.next() else { return Ok(None) };
            records = Some(next.map_err(|error| unreadable(&part.origin, part.format(), error))?);
        }
        let Some(records) = records else { return Ok(None) };
        let count = records.num_rows().min(BATCH);
        self.waiting = Some(records.slice(count, records.num_rows() - count));
        Ok(Some(records.slice(0, count)))
    }

    /// Text as it follows the parts before, which must have the same format.
    fn joined(&mut self, part: &Part, chunk: Chunk) -> Result<Chunk> {
        let chunk = match &self.layout {
            None => {
                self.layout = Some(Layout::Text(chunk.clone()));
                chunk
            }
            Some(Layout::Text(first)) if self.before == 0 => {
                if let Some(problem) = first.difference(&chunk) {
                    return Err(self.other(part, problem));
                }
                chunk.behind(self.open_line)
            }
            Some(_) => chunk,
        };
        self.open_line = !chunk.ends_line();
        Ok(chunk)
    }

    /// Records with the columns of the first part in its order. Columns are matched by name and must have the same type.
    fn aligned(&mut self, part: &Part, records: RecordBatch) -> Result<RecordBatch> {
        if self.parts.len() == 1 && part.keys.is_empty() {
            return Ok(records);
        }
        let records = self.with_keys(part, records)?;
        let Some(Layout::Records(first)) = &self.layout else {
            self.layout = Some(Layout::Records(nullable(&records.schema())));
            return Ok(records);
        };
        let found = records.schema();
        let names =
            |schema: &Schema| schema.fields().iter().map(|field| field.name().clone()).collect::<Vec<_>>();
        if let Some(problem) =
            difference(&names(first), &names(&found)).filter(|_| !same_names(first, &found))
        {
            return Err(self.other(part, problem));
        }
        let mut arrays: Vec<ArrayRef> = Vec::new();
        for field in first.fields() {
            let Some((_, array)) = found.column_with_name(field.name()).map(|(j, _)| (j, records.column(j)))
            else {
                continue;
            };
            arrays.push(match array.data_type() {
                same if same == field.data_type() => array.clone(),
                DataType::Null => new_null_array(field.data_type(), array.len()),
                other => {
                    let (name, wanted) = (field.name(), field.data_type());
                    return Err(self
                        .other(part, format!("column `{name}` is of the type {other}, and there {wanted}")));
                }
            });
        }
        RecordBatch::try_new(first.clone(), arrays)
            .map_err(|error| unreadable(&part.origin, part.format(), error))
    }

    /// The records with the columns that folders name: integers, if all of them are.
    fn with_keys(&self, part: &Part, records: RecordBatch) -> Result<RecordBatch> {
        let schema = records.schema();
        let mut fields: Vec<Arc<Field>> = schema.fields().iter().cloned().collect();
        let mut arrays = records.columns().to_vec();
        for (name, value) in &part.keys {
            let values = || self.parts.iter().flat_map(|part| &part.keys).filter(|(key, _)| key == name);
            let array: ArrayRef = match value.as_ref().map(|value| whole(value)) {
                _ if values().all(|(_, value)| value.as_ref().is_none_or(|value| whole(value).is_some())) => {
                    let cell = value.as_ref().and_then(|value| whole(value));
                    Arc::new(std::iter::repeat_n(cell, records.num_rows()).collect::<Int64Array>())
                }
                _ => {
                    Arc::new(std::iter::repeat_n(value.clone(), records.num_rows()).collect::<StringArray>())
                }
            };
            fields.push(Field::new(name, array.data_type().clone(), true).into());
            arrays.push(array);
        }
        let schema = Schema::new_with_metadata(fields, schema.metadata().clone());
        RecordBatch::try_new(nullable(&schema), arrays)
            .map_err(|error| unreadable(&part.origin, part.format(), error))
    }

    fn other(&self, part: &Part, problem: String) -> Error {
        let first = self.parts.first().map(|part| part.origin.clone()).unwrap_or_default();
        Error::OtherTable { origin: part.origin.clone(), first, problem }
    }
}

/// An integer, if the text is its usual form.
fn whole(text: &str) -> Option<i64> {
    text.parse::<i64>().ok().filter(|number| number.to_string() == text)
}

/// The columns, all of them nullable.
fn nullable(schema: &Schema) -> SchemaRef {
    let fields: Vec<Field> =
        schema.fields().iter().map(|field| Field::clone(field).with_nullable(true)).collect();
    Schema::new_with_metadata(fields, schema.metadata().clone()).into()
}

fn same_names(first: &Schema, other: &Schema) -> bool {
    let sorted = |schema: &Schema| {
        let mut names: Vec<String> = schema.fields().iter().map(|field| field.name().clone()).collect();
        names.sort_unstable();
        names
    };
    sorted(first) == sorted(other)
}

/// The difference between lists of column names.
pub(crate) fn difference(first: &[String], other: &[String]) -> Option<String> {
    let lacks =
        |names: &[String], others: &[String]| others.iter().find(|name| !names.contains(name)).cloned();
    match (lacks(other, first), lacks(first, other)) {
        (Some(name), _) => Some(format!("it has no column `{name}`")),
        (_, Some(name)) => Some(format!("it has a column `{name}` more")),
        _ if first.len() != other.len() => {
            Some(format!("it has {} columns, and not {}", other.len(), first.len()))
        }
        _ => {
            let at = first.iter().zip(other).position(|(a, b)| a != b)?;
            Some(format!(
                "its columns are in another order: column {} is `{}`, and not `{}`",
                at + 1,
                other[at],
                first[at]
            ))
        }
    }
}

impl Iterator for Batches {
    type Item = Result<Batch>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let next = self.advance().transpose();
        self.ended = !matches!(next, Some(Ok(_)));
        next
    }
}

fn unreadable(origin: &Origin, format: Format, error: ArrowError) -> Error {
    let problem = match error {
        // The wrapper of the reader's own message only names the format.
        ArrowError::ParquetError(problem) | ArrowError::IpcError(problem) => problem,
        other => other.to_string(),
    };
    Error::Unreadable { origin: origin.clone(), format: format.name(), problem }
}
