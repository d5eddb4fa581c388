//! Opening a file of any format.

use crate::arrow_files;
use crate::batch::{Batch, Hints};
use crate::csv::{ChunkReader, Dialect};
use crate::encoding::{self, Encoding};
use crate::error::{Error, Result};
use crate::format::{Compression, Format};
use crate::missing::{Missing, Token};
use crate::place::Origin;
use crate::temporary::{self, Listed};
use crate::text::DateOrder;
use arrow_array::RecordBatch;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tempfile::TempPath;

/// Rows of a batch, at most.
pub(crate) const BATCH: usize = 8192;

/// How a table is read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReadOptions {
    /// What separates cells; found from the text unless it is given.
    pub delimiter: Option<u8>,
    /// What stands for a missing cell besides nothing at all and [`DEFAULT_MISSING`](crate::DEFAULT_MISSING).
    pub missing: Vec<Token>,
    /// What stands for a missing cell instead of [`DEFAULT_MISSING`](crate::DEFAULT_MISSING), everywhere or in one column.
    pub missing_only: Vec<Token>,
    /// The decimal sign of text, a point or a comma; found from the whole file unless it is given.
    pub decimal: Option<char>,
    /// Whether days or months come first in dates like `01/02/2020`; found from the whole file unless it is given.
    pub dates: Option<DateOrder>,
    /// The encoding of text; UTF-8, or UTF-16 if the text begins with its byte order mark, unless it is given.
    pub encoding: Option<Encoding>,
    /// Whether the first row of text is data. Columns are then named `V1`, `V2` and so on.
    pub no_header: bool,
}

/// A table that can be read as often as needed: a file, or records in memory.
#[derive(Debug)]
pub struct Source {
    origin: Origin,
    content: Content,
    format: Format,
    options: ReadOptions,
    /// Keeps the copy of what cannot be read twice.
    _copy: Option<(TempPath, Listed)>,
}

#[derive(Debug)]
enum Content {
    File(PathBuf),
    Records(Vec<RecordBatch>),
}

impl Source {
    /// Opens a file. Its content says what it is, not its name. A pipe that has a name is [spooled](Self::spool).
    pub fn open(path: impl Into<PathBuf>, options: &ReadOptions) -> Result<Self> {
        let path = path.into();
        let origin = Origin::file(&path);
        if path.metadata().is_ok_and(|found| !found.is_file() && !found.is_dir()) {
            let pipe = File::open(&path).map_err(|error| Error::Io { path, error })?;
            return Self::copied(pipe, origin, options);
        }
        Self::recognise(origin, path, options.clone(), None)
    }

    /// Copies what can be read only once, such as standard input, to a temporary file.
    pub fn spool(input: impl Read, options: &ReadOptions) -> Result<Self> {
        Self::copied(input, Origin::default(), options)
    }

    /// A table in memory; its columns are shared, not copied.
    pub fn records(records: Vec<RecordBatch>) -> Self {
        Self::records_with(records, &ReadOptions::default())
    }

    /// The same with other tokens for missing cells.
    pub fn records_with(records: Vec<RecordBatch>, options: &ReadOptions) -> Self {
        let (origin, content) = (Origin::default(), Content::Records(records));
        Self { origin, content, format: Format::ArrowStream, options: options.clone(), _copy: None }
    }

    fn copied(mut input: impl Read, origin: Origin, options: &ReadOptions) -> Result<Self> {
        let io = |path: &Path| {
            let path = path.to_owned();
            move |error| Error::Io { path, error }
        };
        let folder = std::env::temp_dir();
        let (mut file, listed) =
            temporary::create(&tempfile::Builder::new(), &folder).map_err(io(&folder))?;
        std::io::copy(&mut input, &mut file).map_err(io(file.path()))?;
        let copy = file.into_temp_path();
        Self::recognise(origin, copy.to_path_buf(), options.clone(), Some((copy, listed)))
    }

    fn recognise(
        origin: Origin,
        path: PathBuf,
        options: ReadOptions,
        copy: Option<(TempPath, Listed)>,
    ) -> Result<Self> {
        let io = |error| Error::Io { path: path.clone(), error };
        let mut start = Vec::new();
        File::open(&path).map_err(io)?.take(8).read_to_end(&mut start).map_err(io)?;
        if start.is_empty() {
            return Err(Error::EmptyFile { origin });
        }
        let (named, found) = (Format::of_name(&path), Format::of_content(&start));
        let format = match (named, found) {
            (Some(Format::Tsv(_)), Format::Csv(compression)) => Format::Tsv(compression),
            (Some(Format::Parquet | Format::ArrowFile), Format::Csv(_)) => named.unwrap_or(found),
            _ => found,
        };
        Ok(Self { origin, content: Content::File(path), format, options, _copy: copy })
    }

    /// What it is.
    pub fn format(&self) -> Format {
        self.format
    }

    /// Where it is from.
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// Reads it from the start, a batch of bounded size after another. Every batch has a row, and there is at least one.
    pub fn batches(&self) -> Result<Batches> {
        let reader = match &self.content {
            Content::File(path) => self.reader(path)?,
            Content::Records(records) => Reader::Records(arrow_files::in_memory(records.clone())),
        };
        let (origin, format, missing) = (self.origin.clone(), self.format, self.missing());
        let hints = Hints { decimal: self.options.decimal, dates: self.options.dates };
        let missing = missing.into();
        Ok(Batches { origin, format, missing, hints, reader, rows: 0, ended: false, waiting: None })
    }

    fn reader(&self, path: &Path) -> Result<Reader> {
        let io = |error| Error::Io { path: path.to_owned(), error };
        let file = File::open(path).map_err(io)?;
        let wrong = |error: arrow_schema::ArrowError| unreadable(&self.origin, self.format, error);
        Ok(match self.format {
            Format::Csv(compression) => Reader::Text(
                self.text(uncompressed(file, compression).map_err(io)?, self.options.delimiter)
                    .map_err(io)?,
            ),
            Format::Tsv(compression) => {
                let delimiter = self.options.delimiter.or(Some(b'\t'));
                Reader::Text(self.text(uncompressed(file, compression).map_err(io)?, delimiter).map_err(io)?)
            }
            Format::Parquet => Reader::Records(arrow_files::read_parquet(file).map_err(wrong)?),
            Format::ArrowFile => Reader::Records(arrow_files::read_file(file).map_err(wrong)?),
            Format::ArrowStream => Reader::Records(arrow_files::read_stream(file).map_err(wrong)?),
        })
    }

    fn text(&self, input: Box<dyn Read + Send>, delimiter: Option<u8>) -> std::io::Result<ChunkReader> {
        let (input, encoding) = encoding::decoded(input, self.options.encoding)?;
        let dialect =
            Dialect { delimiter, missing: self.missing(), encoding, no_header: self.options.no_header };
        Ok(ChunkReader::new(input, self.origin.clone(), dialect))
    }

    fn missing(&self) -> Missing {
        Missing::new(&self.options.missing, &self.options.missing_only)
    }
}

fn uncompressed(file: File, compression: Compression) -> std::io::Result<Box<dyn Read + Send>> {
    Ok(match compression {
        Compression::None => Box::new(file),
        Compression::Gzip => Box::new(flate2::bufread::MultiGzDecoder::new(BufReader::new(file))),
        Compression::Zstd => Box::new(zstd::Decoder::new(file)?),
    })
}

/// The batches of a file.
pub struct Batches {
    origin: Origin,
    format: Format,
    missing: Arc<Missing>,
    hints: Hints,
    reader: Reader,
    rows: u64,
    ended: bool,
    /// Rows that were read and are too many for one batch.
    waiting: Option<RecordBatch>,
}

enum Reader {
    Text(ChunkReader),
    Records(arrow_files::Records),
}

impl Batches {
    fn advance(&mut self) -> Result<Option<Batch>> {
        let (origin, rows) = (self.origin.clone(), self.rows);
        let batch = match &mut self.reader {
            Reader::Text(reader) => reader.next()?.map(|chunk| Batch::text(origin, rows, chunk)),
            Reader::Records(_) => {
                let missing = self.missing.clone();
                self.records()?.map(|records| Batch::records(origin, rows, records, missing))
            }
        };
        if let Some(batch) = batch.as_ref().filter(|_| rows == 0) {
            self.check_tokens(batch)?;
        }
        let batch = batch.map(|batch| batch.with_hints(self.hints));
        self.rows += batch.as_ref().map_or(0, |batch| batch.len() as u64);
        if self.rows == 0 {
            return Err(Error::NoRows { origin: self.origin.clone() });
        }
        Ok(batch)
    }

    /// Refuses tokens for a column that is not there.
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
    fn records(&mut self) -> Result<Option<RecordBatch>> {
        let Reader::Records(reader) = &mut self.reader else { return Ok(None) };
        let mut records = self.waiting.take();
        while records.as_ref().is_none_or(|records| records.num_rows() == 0) {
            let Some(next) = reader.next() else { return Ok(None) };
            records = Some(next.map_err(|error| unreadable(&self.origin, self.format, error))?);
        }
        let Some(records) = records else { return Ok(None) };
        let count = records.num_rows().min(BATCH);
        self.waiting = Some(records.slice(count, records.num_rows() - count));
        Ok(Some(records.slice(0, count)))
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

fn unreadable(origin: &Origin, format: Format, error: arrow_schema::ArrowError) -> Error {
    let problem = match error {
        // What wraps the reader's own words says only what the format is.
        arrow_schema::ArrowError::ParquetError(problem) | arrow_schema::ArrowError::IpcError(problem) => {
            problem
        }
        other => other.to_string(),
    };
    Error::Unreadable { origin: origin.clone(), format: format.name(), problem }
}
