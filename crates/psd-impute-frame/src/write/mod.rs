//! Writes completed batches.

mod records;
mod target;
mod text;

use crate::decode::Completed;
use crate::error::{Error, Result};
use crate::excel::SheetFile;
use crate::format::Format;
use crate::indicator::Flags;
use records::RecordFile;
use std::io::Write;
use std::path::Path;
use text::TextFile;

pub use target::{Target, write_file};
pub(crate) use text::in_utc;

/// Writes completed batches one after another. A file appears under its name when [`finish`](Self::finish) has written all of it; without
/// that, nothing is left behind.
pub struct Writer {
    format: Format,
    output: Output,
    /// Whether all batches so far, at least one, were written.
    whole: bool,
}

enum Output {
    Text(TextFile),
    JsonLines(TextFile),
    Sheet(SheetFile),
    Records(RecordFile),
}

impl Writer {
    /// Writes a file in the format that its name determines. A device or a pipe gets the format that the table was read from.
    ///
    /// # Errors
    ///
    /// If the name determines no format or the file cannot be created.
    pub fn create(path: &Path, source: Format) -> Result<Self> {
        let format = Format::for_output(path, source)?;
        Self::new(Target::file(path)?, format, source)
    }

    /// Writes to any output, such as standard output.
    ///
    /// # Errors
    ///
    /// If the output cannot be written.
    pub fn to(output: impl Write + Send + 'static, format: Format, source: Format) -> Result<Self> {
        Self::new(Target::stream(output), format, source)
    }

    fn new(target: Target, format: Format, source: Format) -> Result<Self> {
        let output = match format {
            Format::Csv(compression) => Output::Text(TextFile::new(target, b',', compression)?),
            Format::Tsv(compression) => Output::Text(TextFile::new(target, b'\t', compression)?),
            Format::JsonLines(compression) => Output::JsonLines(TextFile::new(target, b',', compression)?),
            Format::Excel => Output::Sheet(SheetFile::new(target)),
            _ => Output::Records(RecordFile::new(target, format, source)),
        };
        Ok(Self { format, output, whole: false })
    }

    /// The output format.
    pub fn format(&self) -> Format {
        self.format
    }

    /// Writes a batch. From text to text, all bytes of observed cells and between cells are kept.
    ///
    /// # Errors
    ///
    /// If the format cannot hold the batch, or the output cannot be written.
    pub fn write(&mut self, batch: &Completed<'_>) -> Result<()> {
        self.whole = false;
        // A name for tab-separated text determines the delimiter; one for CSV does not.
        let delimiter = matches!(self.format, Format::Tsv(_)).then_some(b'\t');
        match &mut self.output {
            Output::Text(file) => match batch.text(delimiter) {
                Some(text) => file.write(&batch.encoding().bytes(text)),
                None => {
                    let records = batch.records_with(Flags::ZeroOne)?;
                    file.write_records(&records, batch.has_names(), batch.is_sheet())
                }
            },
            Output::JsonLines(file) => file.write(batch.json()?.as_bytes()),
            Output::Sheet(file) => file.write(&batch.records()?, batch.has_names()),
            Output::Records(file) => file.write(&batch.records()?),
        }?;
        self.whole = true;
        Ok(())
    }

    /// Writes the rest, and gives the file its name.
    ///
    /// # Errors
    ///
    /// If the last batch could not be written, or if there was none.
    pub fn finish(self) -> Result<()> {
        if !self.whole {
            let problem = "not all of it was written".to_string();
            return Err(Error::Unwritable { format: self.format.name(), problem });
        }
        match self.output {
            Output::Text(file) | Output::JsonLines(file) => file.finish()?,
            Output::Sheet(file) => file.finish()?,
            Output::Records(file) => file.finish()?,
        }
        .finish()
    }
}
