//! Files of Arrow records.

use super::Sink;
use crate::arrow_files::parquet_writer;
use crate::error::{Error, Result};
use crate::format::Format;
use arrow_array::RecordBatch;
use arrow_cast::cast;
use arrow_ipc::writer::{FileWriter, StreamWriter};
use arrow_schema::{ArrowError, DataType, Field, Schema};
use parquet::arrow::ArrowWriter;
use std::sync::Arc;

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

    pub(super) fn write(&mut self, records: RecordBatch) -> Result<()> {
        let format = self.format;
        self.try_write(records).map_err(|error| unwritable(format, &error))
    }

    fn try_write(&mut self, records: RecordBatch) -> std::result::Result<(), ArrowError> {
        let records = if self.flat { flattened(&records)? } else { records };
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
    fn opened(self, format: Format, schema: &Schema) -> std::result::Result<Self, ArrowError> {
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

/// The records with dictionaries replaced by what they stand for.
fn flattened(records: &RecordBatch) -> std::result::Result<RecordBatch, ArrowError> {
    let schema = records.schema();
    let mut fields = Vec::new();
    let mut arrays = Vec::new();
    for (field, array) in schema.fields().iter().zip(records.columns()) {
        match array.data_type() {
            DataType::Dictionary(_, values) => {
                arrays.push(cast(array, values)?);
                fields.push(Field::clone(field).with_data_type(values.as_ref().clone()));
            }
            _ => {
                arrays.push(array.clone());
                fields.push(Field::clone(field));
            }
        }
    }
    let schema = Schema::new_with_metadata(fields, schema.metadata().clone());
    RecordBatch::try_new(Arc::new(schema), arrays)
}
