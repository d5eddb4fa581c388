//! Writes text, compressed or not.

use super::Target;
use crate::error::{Error, Result};
use crate::format::Compression;
use arrow_array::{ArrayRef, RecordBatch};
use arrow_cast::cast;
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use arrow_schema::{ArrowError, DataType};
use std::io::Write;

/// A text file in progress.
pub(super) struct TextFile {
    output: Compressed,
    delimiter: u8,
    failure: Box<dyn Fn(std::io::Error) -> Error + Send>,
    started: bool,
}

enum Compressed {
    Plain(Target),
    Gzip(flate2::write::GzEncoder<Target>),
    Zstd(zstd::Encoder<'static, Target>),
}

impl TextFile {
    /// The delimiter is for tables that were not read from text.
    pub(super) fn new(target: Target, delimiter: u8, compression: Compression) -> Result<Self> {
        let failure = Box::new(target.failure());
        let output = match compression {
            Compression::None => Compressed::Plain(target),
            Compression::Gzip => {
                Compressed::Gzip(flate2::write::GzEncoder::new(target, flate2::Compression::default()))
            }
            Compression::Zstd => {
                let encoder = zstd::Encoder::new(target, zstd::DEFAULT_COMPRESSION_LEVEL);
                Compressed::Zstd(encoder.map_err(&failure)?)
            }
        };
        Ok(Self { output, delimiter, failure, started: false })
    }

    pub(super) fn write(&mut self, bytes: &[u8]) -> Result<()> {
        match &mut self.output {
            Compressed::Plain(target) => target.write_all(bytes),
            Compressed::Gzip(encoder) => encoder.write_all(bytes),
            Compressed::Zstd(encoder) => encoder.write_all(bytes),
        }
        .map_err(&self.failure)
    }

    /// Writes rows that were not read from text, preceded by a header if the columns are named. `plain` writes whole numbers without a
    /// point: those of a workbook, which has no integers of their own type.
    pub(super) fn write_records(&mut self, records: &RecordBatch, named: bool, plain: bool) -> Result<()> {
        let text = as_text(records, self.delimiter, named && !self.started, plain)
            .map_err(|problem| Error::Unwritable { format: "CSV", problem })?;
        self.started = true;
        self.write(&text)
    }

    pub(super) fn finish(self) -> Result<Target> {
        match self.output {
            Compressed::Plain(target) => Ok(target),
            Compressed::Gzip(encoder) => encoder.finish(),
            Compressed::Zstd(encoder) => encoder.finish(),
        }
        .map_err(self.failure)
    }
}

fn as_text(
    records: &RecordBatch,
    delimiter: u8,
    header: bool,
    plain: bool,
) -> std::result::Result<Vec<u8>, String> {
    let mut writer = csv::WriterBuilder::new().delimiter(delimiter).from_writer(Vec::new());
    if header {
        let names = records.schema_ref().fields().iter().map(|field| field.name());
        writer.write_record(names).map_err(|error| error.to_string())?;
    }
    let columns = records.columns().iter().map(in_utc).collect::<std::result::Result<Vec<_>, _>>();
    let columns = columns.map_err(|error| error.to_string())?;
    let options = FormatOptions::default();
    let formatters = columns.iter().map(|column| ArrayFormatter::try_new(column.as_ref(), &options));
    let formatters =
        formatters.collect::<std::result::Result<Vec<_>, _>>().map_err(|error| error.to_string())?;
    for i in 0..records.num_rows() {
        for (column, formatter) in columns.iter().zip(&formatters) {
            let cell = formatter.value(i).try_to_string().map_err(|error| error.to_string())?;
            let whole = cell.strip_suffix(".0").filter(|_| plain && *column.data_type() == DataType::Float64);
            writer.write_field(whole.unwrap_or(&cell)).map_err(|error| error.to_string())?;
        }
        writer.write_record(None::<&[u8]>).map_err(|error| error.to_string())?;
    }
    writer.into_inner().map_err(|error| error.to_string())
}

/// Times with a zone, converted to UTC: the same times, in a zone that needs no time zone database.
pub(crate) fn in_utc(array: &ArrayRef) -> std::result::Result<ArrayRef, ArrowError> {
    match array.data_type() {
        DataType::Timestamp(unit, Some(_)) => {
            cast(&cast(array, &DataType::Int64)?, &DataType::Timestamp(*unit, Some("+00:00".into())))
        }
        _ => Ok(array.clone()),
    }
}
