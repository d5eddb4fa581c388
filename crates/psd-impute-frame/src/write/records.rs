//! Writes Arrow records to files.

use super::Target;
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
use parquet::errors::ParquetError;
use std::sync::Arc;

type Fallible<T> = std::result::Result<T, ArrowError>;

/// A file of records in progress.
pub(super) struct RecordFile {
    format: Format,
    /// Whether dictionaries are written as their values. An Arrow file has one dictionary for all batches, while in other sources each
    /// batch may have its own.
    flat: bool,
    failure: Box<dyn Fn(std::io::Error) -> Error + Send>,
    state: State,
}

/// The schema is known with the first batch.
enum State {
    Waiting(Target),
    Parquet(ArrowWriter<Target>),
    ArrowFile(FileWriter<Target>),
    ArrowStream(StreamWriter<Target>),
    Failed,
}

impl RecordFile {
    pub(super) fn new(target: Target, format: Format, source: Format) -> Self {
        let flat = format == Format::ArrowFile && source != Format::ArrowFile;
        let failure = Box::new(target.failure());
        Self { format, flat, failure, state: State::Waiting(target) }
    }

    pub(super) fn write(&mut self, records: &RecordBatch) -> Result<()> {
        self.try_write(records).map_err(|error| unwritable(self.format, &self.failure, error))
    }

    fn try_write(&mut self, records: &RecordBatch) -> Fallible<()> {
        let records = fitted(records, self.format, self.flat)?;
        let state = std::mem::replace(&mut self.state, State::Failed);
        self.state = state.opened(self.format, records.schema_ref())?;
        match &mut self.state {
            State::Parquet(file) => file.write(&records).map_err(kept),
            State::ArrowFile(file) => file.write(&records),
            State::ArrowStream(file) => file.write(&records),
            State::Waiting(_) | State::Failed => Err(failed()),
        }
    }

    pub(super) fn finish(self) -> Result<Target> {
        match self.state {
            State::Waiting(target) => Ok(target),
            State::Parquet(file) => file.into_inner().map_err(kept),
            State::ArrowFile(file) => file.into_inner(),
            State::ArrowStream(file) => file.into_inner(),
            State::Failed => Err(failed()),
        }
        .map_err(|error| unwritable(self.format, &self.failure, error))
    }
}

impl State {
    fn opened(self, format: Format, schema: &Schema) -> Fallible<Self> {
        match (self, format) {
            (Self::Waiting(target), Format::Parquet) => Ok(Self::Parquet(parquet_writer(target, schema)?)),
            (Self::Waiting(target), Format::ArrowFile) => {
                Ok(Self::ArrowFile(FileWriter::try_new(target, schema)?))
            }
            (Self::Waiting(target), _) => Ok(Self::ArrowStream(StreamWriter::try_new(target, schema)?)),
            (open, _) => Ok(open),
        }
    }
}

fn failed() -> ArrowError {
    ArrowError::InvalidArgumentError("an earlier batch could not be written".to_string())
}

/// Parquet's error as Arrow's, keeping the system's own error if there is one.
fn kept(error: ParquetError) -> ArrowError {
    match error {
        ParquetError::External(cause) => match cause.downcast::<std::io::Error>() {
            Ok(error) => ArrowError::from(*error),
            Err(cause) => ArrowError::from_external_error(cause),
        },
        other => ArrowError::from(other),
    }
}

/// Attributes errors of the system to the output, and any others to the table.
fn unwritable(format: Format, failure: impl Fn(std::io::Error) -> Error, error: ArrowError) -> Error {
    match error {
        ArrowError::IoError(_, error) => failure(error),
        other => Error::Unwritable { format: format.name(), problem: other.to_string() },
    }
}

/// The records in types that the format can hold.
fn fitted(records: &RecordBatch, format: Format, flat: bool) -> Fallible<RecordBatch> {
    let schema = records.schema();
    let (mut fields, mut arrays) = (Vec::new(), Vec::new());
    for (field, array) in schema.fields().iter().zip(records.columns()) {
        let to = match array.data_type() {
            DataType::Dictionary(_, values) if flat => values.as_ref().clone(),
            // Parquet has no times in seconds.
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

/// Parquet's dates are whole days; those of Arrow should be, but may not.
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
