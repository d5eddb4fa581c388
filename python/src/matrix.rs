//! Conversion of NumPy matrices to Arrow columns and back.

use crate::errors::DataError;
use crate::table::Table;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Float64Type};
use arrow_array::{Array, ArrayRef, ArrowPrimitiveType, PrimitiveArray, RecordBatch};
use arrow_cast::cast;
use arrow_schema::{Field, Schema};
use numpy::ndarray::ArrayViewMut2;
use numpy::{Element, PyReadonlyArray2, PyReadwriteArray2};
use pyo3::prelude::*;
use std::sync::Arc;

/// A matrix of either precision.
#[derive(FromPyObject)]
pub(crate) enum Matrix<'py> {
    Double(PyReadonlyArray2<'py, f64>),
    Single(PyReadonlyArray2<'py, f32>),
}

/// A matrix to write to.
#[derive(FromPyObject)]
pub(crate) enum Target<'py> {
    Double(PyReadwriteArray2<'py, f64>),
    Single(PyReadwriteArray2<'py, f32>),
}

/// Converts a matrix to a table, row by row; NaN is missing.
#[pyfunction]
pub(crate) fn table_from_matrix(py: Python<'_>, matrix: Matrix<'_>, names: Vec<String>) -> PyResult<Table> {
    match matrix {
        Matrix::Double(matrix) => table::<Float64Type>(py, &matrix, &names),
        Matrix::Single(matrix) => table::<Float32Type>(py, &matrix, &names),
    }
}

fn table<A>(py: Python<'_>, matrix: &PyReadonlyArray2<'_, A::Native>, names: &[String]) -> PyResult<Table>
where
    A: ArrowPrimitiveType,
    A::Native: Element,
{
    let view = matrix.as_array();
    let columns: Vec<ArrayRef> = py.detach(|| {
        let column = |j: usize| {
            let cells: Vec<A::Native> = view.column(j).iter().copied().collect();
            Arc::new(PrimitiveArray::<A>::new(cells.into(), None)) as ArrayRef
        };
        (0..view.ncols()).map(column).collect()
    });
    let fields: Vec<Field> = names.iter().map(|name| Field::new(name, A::DATA_TYPE, true)).collect();
    let batch = RecordBatch::try_new(Arc::new(Schema::new(fields)), columns);
    Ok(Table::of(vec![batch.map_err(|error| DataError::new_err(error.to_string()))?]))
}

/// Writes a table of numbers into a matrix whose columns have these names; NaN for names that the table lacks.
#[pyfunction]
pub(crate) fn write_matrix(table: &Bound<'_, Table>, names: Vec<String>, matrix: Target<'_>) -> PyResult<()> {
    let mut rows = Rows::new(names, matrix);
    table.get().records().iter().try_for_each(|batch| rows.write(batch))
}

/// A matrix whose rows are written batch by batch.
pub(crate) struct Rows<'py> {
    names: Vec<String>,
    matrix: Target<'py>,
    written: usize,
}

impl<'py> Rows<'py> {
    pub(crate) fn new(names: Vec<String>, matrix: Target<'py>) -> Self {
        Self { names, matrix, written: 0 }
    }

    pub(crate) fn write(&mut self, batch: &RecordBatch) -> PyResult<()> {
        match &mut self.matrix {
            Target::Double(matrix) => {
                write::<Float64Type>(batch, &self.names, self.written, matrix.as_array_mut())?;
            }
            Target::Single(matrix) => {
                write::<Float32Type>(batch, &self.names, self.written, matrix.as_array_mut())?;
            }
        }
        self.written += batch.num_rows();
        Ok(())
    }
}

fn write<A>(
    batch: &RecordBatch,
    names: &[String],
    first: usize,
    mut matrix: ArrayViewMut2<'_, A::Native>,
) -> PyResult<()>
where
    A: ArrowPrimitiveType,
    A::Native: From<f32>,
{
    let nan: A::Native = f32::NAN.into();
    let other = || DataError::new_err("the table and the matrix are not of one shape");
    for (j, name) in names.iter().enumerate() {
        let column = batch.column_by_name(name).map(|column| cast(column, &A::DATA_TYPE)).transpose();
        let column = column.map_err(|error| DataError::new_err(error.to_string()))?;
        let cells = column.as_ref().and_then(|column| column.as_primitive_opt::<A>());
        for i in 0..batch.num_rows() {
            let cell = cells.filter(|cells| cells.is_valid(i)).map_or(nan, |cells| cells.value(i));
            *matrix.get_mut((first + i, j)).ok_or_else(other)? = cell;
        }
    }
    Ok(())
}
