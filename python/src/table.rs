//! Input and output tables: Arrow records, shared with their owner.

use arrow_array::{RecordBatch, StructArray};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use psd_impute_frame::{ReadOptions, Source, Token};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use pyo3_arrow::error::PyArrowResult;
use pyo3_arrow::ffi::{ArrayIterator, to_stream_pycapsule};
use pyo3_arrow::input::AnyRecordBatch;
use std::collections::HashMap;
use std::sync::Arc;

/// A table in Arrow's memory, made without a copy from any object with the Arrow C stream interface, which it has too.
#[pyclass(frozen, module = "psd_impute._engine")]
pub(crate) struct Table {
    schema: SchemaRef,
    records: Vec<RecordBatch>,
}

impl Table {
    /// Batches of one table.
    pub(crate) fn of(records: Vec<RecordBatch>) -> Self {
        let schema = records.first().map_or_else(|| Arc::new(Schema::empty()), RecordBatch::schema);
        Self { schema, records }
    }

    pub(crate) fn records(&self) -> &[RecordBatch] {
        &self.records
    }

    /// The source that the engine reads. All texts are data: those that count as missing were marked in Python.
    pub(crate) fn source(&self) -> Source {
        let options = ReadOptions { missing_only: vec![Token::everywhere("")], ..ReadOptions::default() };
        Source::records_with(self.records.clone(), &options)
    }
}

#[pymethods]
impl Table {
    /// Reads any object with the Arrow C stream or array interface.
    #[new]
    fn new(data: AnyRecordBatch) -> PyArrowResult<Self> {
        let (records, schema) = data.into_table()?.into_inner();
        Ok(Self { schema, records })
    }

    fn __len__(&self) -> usize {
        self.records.iter().map(RecordBatch::num_rows).sum()
    }

    fn __repr__(&self) -> String {
        format!("<psd_impute table: {} rows, {} columns>", self.__len__(), self.schema.fields().len())
    }

    /// Numbers of rows and columns.
    #[getter]
    fn shape(&self) -> (usize, usize) {
        (self.__len__(), self.schema.fields().len())
    }

    /// The names of the columns.
    #[getter]
    pub(crate) fn column_names(&self) -> Vec<String> {
        self.schema.fields().iter().map(|field| field.name().clone()).collect()
    }

    /// The time zones of the columns that have one.
    #[getter]
    fn zones(&self) -> HashMap<String, String> {
        let zone = |field: &Arc<Field>| match field.data_type() {
            DataType::Timestamp(_, Some(zone)) => Some((field.name().clone(), zone.to_string())),
            _ => None,
        };
        self.schema.fields().iter().filter_map(zone).collect()
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyArrowResult<Bound<'py, PyCapsule>> {
        let whole = self.records.clone().into_iter().map(|batch| Ok(Arc::new(StructArray::from(batch)) as _));
        let fields = self.schema.fields().clone();
        let field = Field::new_struct("", fields, false).with_metadata(self.schema.metadata().clone());
        to_stream_pycapsule(py, Box::new(ArrayIterator::new(whole, Arc::new(field))), requested_schema)
    }
}
