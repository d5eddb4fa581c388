//! Parquet and Arrow IPC, one record batch at a time.

use crate::arrow_lengths::{check_file, check_stream};
use crate::open::BATCH;
use arrow_array::RecordBatch;
use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_schema::{ArrowError, Schema};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::Compression;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use std::fs::File;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Rows per row group of Parquet. They are held in memory until it is written.
const ROW_GROUP: usize = 1 << 17;

/// The record batches of a file.
pub(crate) struct Records(Box<dyn Iterator<Item = Result<RecordBatch, ArrowError>> + Send>);

impl Iterator for Records {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        caught(|| self.0.next().transpose()).transpose()
    }
}

/// The record batches of a table in memory.
pub(crate) fn in_memory(records: Vec<RecordBatch>) -> Records {
    Records(Box::new(records.into_iter().map(Ok)))
}

/// Turns a reader's panic into an error: some damaged files are detected only that way.
fn caught<T>(read: impl FnOnce() -> Result<T, ArrowError>) -> Result<T, ArrowError> {
    without_panic(read).unwrap_or_else(|problem| Err(ArrowError::ParseError(problem)))
}

/// Runs a reader and returns its result, or the message of its panic. A reader that panicked is not used again.
pub(crate) fn without_panic<T>(read: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(read)).map_err(|panic| {
        let text = panic.downcast_ref::<&str>().map(|text| text.to_string());
        let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
        text.unwrap_or_else(|| "it is damaged".to_string())
    })
}

pub(crate) fn read_parquet(file: File) -> Result<Records, ArrowError> {
    caught(|| {
        let builder = ParquetRecordBatchReaderBuilder::try_new(file)?.with_batch_size(BATCH);
        // The batches lack the file's metadata.
        let schema = builder.schema().clone();
        let records = builder.build()?.map(move |records| records?.with_schema(schema.clone()));
        Ok(Records(Box::new(records)))
    })
}

pub(crate) fn read_file(mut file: File) -> Result<Records, ArrowError> {
    caught(|| {
        check_file(&mut file)?;
        Ok(Records(Box::new(FileReader::try_new_buffered(file, None)?)))
    })
}

pub(crate) fn read_stream(mut file: File) -> Result<Records, ArrowError> {
    caught(|| {
        check_stream(&mut file)?;
        Ok(Records(Box::new(StreamReader::try_new_buffered(file, None)?)))
    })
}

/// A writer of Parquet. The schema's metadata is also written as the file's, as when it is read.
pub(crate) fn parquet_writer<W: Write + Send>(
    output: W,
    schema: &Schema,
) -> Result<ArrowWriter<W>, ArrowError> {
    let pairs = schema.metadata().iter().map(|(key, value)| KeyValue::new(key.clone(), value.clone()));
    let mut pairs: Vec<KeyValue> = pairs.collect();
    pairs.sort_by(|a, b| a.key.cmp(&b.key));
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        // Writes dates as dates, including those that Arrow counts in milliseconds.
        .set_coerce_types(true)
        .set_max_row_group_row_count(Some(ROW_GROUP))
        .set_key_value_metadata(Some(pairs))
        .build();
    Ok(ArrowWriter::try_new(output, schema.clone().into(), Some(properties))?)
}
