//! Files of Arrow records.

use super::Sink;
use crate::arrow_files::parquet_writer;
use crate::error::{Error, Result};
use crate::format::Format;
use arrow_array::cast::AsArray;
use arrow_array::types::Date64Type;
use arrow_array::{ArrayRef, RecordBatch};
use arrow_cast::{CastOptions, cast_with_options};
use arrow_ipc::writer::{FileWriter, StreamWriter};
use arrow_schema::{ArrowError, DataType, Field, Schema, TimeUnit};
use parquet::arrow::ArrowWriter;
use std::sync::Arc;

type Fallible<T> = std::result::Result<T, ArrowError>;

/// A file of records in the making.
pub(super) struct RecordFile {
    format: Format,
    /// Whether dictionaries are written as what they stand for. An Arrow file has one for all batches, and of other sources each batch
    /// may have its own.
    flat: bool,
    state: State,
}

/// The schema comes with the first batch.
enum State {
    Waiting(Sink),
    Parquet(ArrowWriter<Sink>),
    ArrowFile(FileWriter<Sink>),
    ArrowStream(StreamWriter<Sink>),
    Failed,
}

impl RecordFile {
    pub(super) fn new(sink: Sink, format: Format, source: Format) -> Self {
        let flat = format == Format::ArrowFile && source != Format::ArrowFile;
        Self { format, flat, state: State::Waiting(sink) }
    }

    pub(super) fn write(&mut self, records: &RecordBatch) -> Result<()> {
        let format = self.format;
        self.try_write(records).map_err(|error| unwritable(format, &error))
    }

    fn try_write(&mut self, records: &RecordBatch) -> Fallible<()> {
        let records = fitted(records, self.format, self.flat)?;
        let state = std::mem::replace(&mut self.state, State::Failed);
        self.state = state.opened(self.format, records.schema_ref())?;
        match &mut self.state {
            State::Parquet(file) => Ok(file.write(&records)?),
            State::ArrowFile(file) => file.write(&records),
            State::ArrowStream(file) => file.write(&records),
            State::Waiting(_) | State::Failed => Err(failed()),
        }
    }

    pub(super) fn finish(self) -> Result<Sink> {
        match self.state {
            State::Waiting(sink) => Ok(sink),
            State::Parquet(file) => file.into_inner().map_err(ArrowError::from),
            State::ArrowFile(file) => file.into_inner(),
            State::ArrowStream(file) => file.into_inner(),
            State::Failed => Err(failed()),
        }
        .map_err(|error| unwritable(self.format, &error))
    }
}

impl State {
    fn opened(self, format: Format, schema: &Schema) -> Fallible<Self> {
        match (self, format) {
            (Self::Waiting(sink), Format::Parquet) => Ok(Self::Parquet(parquet_writer(sink, schema)?)),
            (Self::Waiting(sink), Format::ArrowFile) => {
                Ok(Self::ArrowFile(FileWriter::try_new(sink, schema)?))
            }
            (Self::Waiting(sink), _) => Ok(Self::ArrowStream(StreamWriter::try_new(sink, schema)?)),
            (open, _) => Ok(open),
        }
    }
}

fn failed() -> ArrowError {
    ArrowError::IoError("an earlier batch could not be written".to_string(), std::io::ErrorKind::Other.into())
}

fn unwritable(format: Format, error: &ArrowError) -> Error {
    Error::Unwritable { format: format.name(), problem: error.to_string() }
}

/// The records as the format can hold them.
fn fitted(records: &RecordBatch, format: Format, flat: bool) -> Fallible<RecordBatch> {
    let schema = records.schema();
    let (mut fields, mut arrays) = (Vec::new(), Vec::new());
    for (field, array) in schema.fields().iter().zip(records.columns()) {
        let to = match array.data_type() {
            DataType::Dictionary(_, values) if flat => values.as_ref().clone(),
            // Parquet has no seconds.
            DataType::Timestamp(TimeUnit::Second, zone) if format == Format::Parquet => {
                DataType::Timestamp(TimeUnit::Millisecond, zone.clone())
            }
            other => other.clone(),
        };
        if format == Format::Parquet && to == DataType::Date64 {
            check_days(field.name(), array)?;
        }
        let strict = CastOptions { safe: false, ..CastOptions::default() };
        arrays.push(if to == *array.data_type() {
            array.clone()
        } else {
            cast_with_options(array, &to, &strict)?
        });
        fields.push(Field::clone(field).with_data_type(to));
    }
    let schema = Schema::new_with_metadata(fields, schema.metadata().clone());
    RecordBatch::try_new(Arc::new(schema), arrays)
}

/// Parquet's dates are whole days. Those of Arrow should be, but may not.
fn check_days(name: &str, array: &ArrayRef) -> Fallible<()> {
    const DAY: i64 = 86_400_000;
    match array.as_primitive::<Date64Type>().iter().flatten().find(|date| date % DAY != 0) {
        None => Ok(()),
        Some(date) => {
            let problem = format!("column `{name}` has a date that is no whole day: {date} ms since 1970");
            Err(ArrowError::InvalidArgumentError(problem))
        }
    }
}
