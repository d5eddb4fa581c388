//! Opens files of any format as one table.

use crate::batches::{Batches, Content, Part};
use crate::encoding::Encoding;
use crate::error::{Error, Result};
use crate::excel;
use crate::format::{Compression, Format, START};
use crate::json::Keys;
use crate::missing::{Missing, Token};
use crate::parts::parquet_files;
use crate::place::Origin;
use crate::plan::Survey;
use crate::temporary::{self, Listed};
use crate::text::DateOrder;
use arrow_array::RecordBatch;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use tempfile::TempPath;

/// The most rows of a batch.
pub(crate) const BATCH: usize = 8192;

/// Options for reading a table.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReadOptions {
    /// The delimiter; detected from the text unless given.
    pub delimiter: Option<u8>,
    /// Tokens of missing cells besides the empty cell and [`DEFAULT_MISSING`](crate::DEFAULT_MISSING).
    pub missing: Vec<Token>,
    /// Tokens of missing cells instead of [`DEFAULT_MISSING`](crate::DEFAULT_MISSING), everywhere or in one column.
    pub missing_only: Vec<Token>,
    /// The decimal sign of text, a point or a comma; detected from the whole file unless given.
    pub decimal: Option<char>,
    /// Whether days or months come first in dates like `01/02/2020`; detected from the whole file unless given.
    pub dates: Option<DateOrder>,
    /// The encoding of text; unless given, UTF-8, or UTF-16 if the text begins with its byte order mark.
    pub encoding: Option<Encoding>,
    /// Whether the first row of text or of a sheet is data. Columns are then named `V1`, `V2` and so on.
    pub no_header: bool,
    /// The sheet of a workbook; the first visible one unless given.
    pub sheet: Option<String>,
}

/// A table that can be read as often as needed: files, or records in memory.
#[derive(Debug)]
pub struct Source {
    origin: Origin,
    parts: Arc<[Part]>,
    format: Format,
    options: ReadOptions,
    notes: Vec<String>,
    /// The columns of objects.
    keys: Option<Arc<Keys>>,
    /// The tokens of missing cells, once the table was read for what they depend on.
    missing: OnceLock<Arc<Missing>>,
    /// Keeps the copies of sources that cannot be read twice.
    _copies: Vec<TemporaryCopy>,
}

/// The copy of a source that can be read only once, deleted at the end.
type TemporaryCopy = (TempPath, Listed);

/// The parts from which a source is made.
#[derive(Default)]
struct Found {
    parts: Vec<Part>,
    copies: Vec<TemporaryCopy>,
    notes: Vec<String>,
}

impl Source {
    /// Opens a file, or all Parquet files of a folder. The format is detected from the content, not the name. A named pipe is
    /// [spooled](Self::spool).
    ///
    /// # Errors
    ///
    /// If the file cannot be read or is not a table.
    pub fn open(path: impl Into<PathBuf>, options: &ReadOptions) -> Result<Self> {
        Self::open_all(&[path.into()], options)
    }

    /// Opens files of the same format and with the same columns as one table, with the rows of the first file first.
    ///
    /// # Errors
    ///
    /// If a file cannot be read, is not a table or does not match the others.
    pub fn open_all<P: AsRef<Path>>(paths: &[P], options: &ReadOptions) -> Result<Self> {
        let mut found = Found::default();
        for path in paths {
            found.add(path.as_ref())?;
        }
        let origin = paths.first().map(|path| Origin::file(path.as_ref())).unwrap_or_default();
        Self::of(origin, found, options)
    }

    /// Copies a source that can be read only once, such as standard input, to a temporary file.
    ///
    /// # Errors
    ///
    /// If it cannot be read or copied, or is not a table.
    pub fn spool(input: impl Read, options: &ReadOptions) -> Result<Self> {
        let mut found = Found::default();
        found.copy(input, Origin::default())?;
        Self::of(Origin::default(), found, options)
    }

    /// A table in memory; its columns are shared, not copied.
    pub fn records(records: Vec<RecordBatch>) -> Self {
        Self::records_with(records, &ReadOptions::default())
    }

    /// The same with other tokens of missing cells.
    pub fn records_with(records: Vec<RecordBatch>, options: &ReadOptions) -> Self {
        let part = Part { origin: Origin::default(), keys: Vec::new(), content: Content::Records(records) };
        Self {
            origin: Origin::default(),
            parts: [part].into(),
            format: Format::ArrowStream,
            options: options.clone(),
            notes: Vec::new(),
            keys: None,
            missing: OnceLock::new(),
            _copies: Vec::new(),
        }
    }

    fn of(
        origin: Origin,
        Found { mut parts, copies, mut notes }: Found,
        options: &ReadOptions,
    ) -> Result<Self> {
        let format = one_format(&parts)?;
        let missing = Missing::new(&options.missing, &options.missing_only);
        let mut keys = None;
        if let Format::JsonLines(_) = format {
            let found = Keys::of(parts.iter().map(Part::lines), &missing)?;
            if found.is_empty() {
                return Err(Error::NoRows { origin });
            }
            keys = Some(Arc::new(found));
        }
        if format == Format::Excel {
            let books = parts.iter().map(|part| part.book(options)).collect::<Result<_>>()?;
            let sheets = excel::sheets(books, &missing)?;
            notes.extend(sheets.iter().flat_map(|sheet| sheet.notes.clone()));
            for (part, sheet) in parts.iter_mut().zip(sheets) {
                part.content = Content::Sheet(sheet);
            }
        }
        let (parts, options) = (parts.into(), options.clone());
        Ok(Self { origin, parts, format, options, notes, keys, missing: OnceLock::new(), _copies: copies })
    }

    /// The format.
    pub fn format(&self) -> Format {
        self.format
    }

    /// The origin; the first file of several.
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// Notes on how it is read: sheets, rows and files that are left out.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Reads it from the start in batches of bounded size. Every batch has a row, and there is at least one.
    ///
    /// # Errors
    ///
    /// If the file cannot be read.
    pub fn batches(&self) -> Result<Batches> {
        self.batches_with(self.missing())
    }

    fn batches_with(&self, missing: Arc<Missing>) -> Result<Batches> {
        let (origin, parts) = (self.origin.clone(), self.parts.clone());
        Batches::new(origin, parts, self.options.clone(), missing, self.keys.clone())
    }

    /// The tokens of missing cells. If the decimal sign decides which texts are tokens, the table is read once to find it.
    fn missing(&self) -> Arc<Missing> {
        let settled = || {
            let missing = Missing::new(&self.options.missing, &self.options.missing_only);
            // Whoever reads the table meets the same error, with its place among the rows.
            let commas = if missing.depends_on_sign() { self.decimal_commas(&missing).ok() } else { None };
            Arc::new(missing.with_signs(commas.into_iter().flatten()))
        };
        self.missing.get_or_init(settled).clone()
    }

    /// Whether the decimal sign is a comma, for each column where that is not in doubt.
    fn decimal_commas(&self, missing: &Missing) -> Result<Vec<(String, bool)>> {
        let mut survey = Survey::default();
        for batch in self.batches_with(missing.clone().into())? {
            survey.add(&batch?)?;
        }
        Ok(survey.decimal_commas().collect())
    }
}

impl Found {
    fn add(&mut self, path: &Path) -> Result<()> {
        let Ok(kind) = path.metadata() else { return self.file(Origin::file(path), path.to_owned()) };
        if kind.is_dir() {
            let (files, others) = parquet_files(path)?;
            for file in files {
                self.file(Origin::file(&file.path), file.path)?;
                if let Some(part) = self.parts.last_mut() {
                    part.keys = file.keys;
                }
            }
            if others > 0 {
                let are = if others == 1 {
                    "file that is not Parquet is"
                } else {
                    "files that are not Parquet are"
                };
                self.notes.push(format!("{others} {are} left out of the folder {}", path.display()));
            }
            return Ok(());
        }
        if kind.is_file() {
            return self.file(Origin::file(path), path.to_owned());
        }
        let pipe = File::open(path).map_err(|error| Error::Io { path: path.to_owned(), error })?;
        self.copy(pipe, Origin::file(path))
    }

    fn copy(&mut self, mut input: impl Read, origin: Origin) -> Result<()> {
        let io = |path: &Path| {
            let path = path.to_owned();
            move |error| Error::Io { path, error }
        };
        let folder = std::env::temp_dir();
        let (mut file, listed) =
            temporary::create(&tempfile::Builder::new(), &folder).map_err(io(&folder))?;
        std::io::copy(&mut input, &mut file).map_err(io(file.path()))?;
        let copy = file.into_temp_path();
        let path = copy.to_path_buf();
        self.copies.push((copy, listed));
        self.file(origin, path)
    }

    fn file(&mut self, origin: Origin, path: PathBuf) -> Result<()> {
        let io = |error| Error::Io { path: path.clone(), error };
        let mut start = Vec::new();
        File::open(&path).map_err(io)?.take(START as u64).read_to_end(&mut start).map_err(io)?;
        if start.is_empty() {
            return Err(Error::EmptyFile { origin });
        }
        let format = Format::of_file(&path, &start);
        self.parts.push(Part { origin, keys: Vec::new(), content: Content::File(path, format) });
        Ok(())
    }
}

/// The format of all parts.
fn one_format(parts: &[Part]) -> Result<Format> {
    let formats = parts.iter().map(Part::format);
    let Some(first) = parts.first() else { return Err(Error::NoRows { origin: Origin::default() }) };
    let format = first.format();
    if let Some((other, found)) = parts.iter().zip(formats).find(|(_, found)| found.name() != format.name()) {
        let problem = format!("it is {}, and the other {}", found.name(), format.name());
        return Err(Error::OtherTable { origin: other.origin.clone(), first: first.origin.clone(), problem });
    }
    // The dictionaries of files may differ, as those of a stream may.
    Ok(if format == Format::ArrowFile && parts.len() > 1 { Format::ArrowStream } else { format })
}

/// The uncompressed content of a file.
pub(crate) fn uncompressed(file: File, compression: Compression) -> std::io::Result<Box<dyn Read + Send>> {
    Ok(match compression {
        Compression::None => Box::new(file),
        Compression::Gzip => Box::new(flate2::bufread::MultiGzDecoder::new(BufReader::new(file))),
        Compression::Zstd => Box::new(zstd::Decoder::new(file)?),
    })
}
