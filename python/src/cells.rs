//! Predictive distributions of missing cells, as NumPy arrays.

use numpy::ndarray::Array2;
use numpy::{PyArray1, PyArray2};
use psd_impute::impute::{CellSummary, Numbers, Values};
use psd_impute_frame::{ColumnPlan, Kind, TimeUnit};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

/// The arrays of one column. Times are counts of `unit`: since 1970, since midnight (the kind `time of day`), or of a duration; so is their standard deviation.
pub(crate) fn column_cells<'py>(
    py: Python<'py>,
    column: &ColumnPlan,
    cells: &[&CellSummary],
    quantiles: usize,
) -> PyResult<Bound<'py, PyDict>> {
    let out = PyDict::new(py);
    out.set_item("kind", column.kind().name())?;
    out.set_item("rows", PyArray1::from_iter(py, cells.iter().map(|cell| cell.row as i64)))?;
    let numbers: Vec<&Numbers> = cells.iter().filter_map(|cell| cell.numbers.as_ref()).collect();
    if numbers.len() == cells.len() {
        out.set_item("mean", PyArray1::from_iter(py, numbers.iter().map(|n| n.mean)))?;
        out.set_item("std", PyArray1::from_iter(py, numbers.iter().map(|n| n.deviation)))?;
        out.set_item("median", PyArray1::from_iter(py, numbers.iter().map(|n| n.median)))?;
        let quantiles = Array2::from_shape_fn((cells.len(), quantiles), |(i, k)| numbers[i].quantiles[k]);
        out.set_item("quantiles", PyArray2::from_owned_array(py, quantiles))?;
    }
    if let Some(unit) = column.kind().time_unit() {
        out.set_item("unit", unit_name(unit))?;
    }
    let values: Vec<&Values> = cells.iter().filter_map(|cell| cell.values.as_ref()).collect();
    let labels = labels(py, column.kind())?;
    if values.len() == cells.len() && !labels.is_empty() {
        let mut shares = Array2::<f64>::zeros((cells.len(), labels.len()));
        for (i, value) in values.iter().enumerate() {
            for &(label, share) in &value.probabilities {
                if let Some(cell) = shares.get_mut((i, place(column.kind(), label))) {
                    *cell = share;
                }
            }
        }
        out.set_item("labels", labels)?;
        out.set_item("probabilities", PyArray2::from_owned_array(py, shares))?;
    }
    Ok(out)
}

/// The position of the engine's cell among the labels.
fn place(kind: &Kind, cell: f64) -> usize {
    match kind {
        Kind::Levels { values, .. } => values.iter().position(|&x| x == cell).unwrap_or(usize::MAX),
        _ => cell as usize,
    }
}

/// NumPy's name of a unit.
fn unit_name(unit: TimeUnit) -> &'static str {
    match unit {
        TimeUnit::Day => "D",
        TimeUnit::Second => "s",
        TimeUnit::Minute => "m",
        TimeUnit::Hour => "h",
        TimeUnit::Millisecond => "ms",
        TimeUnit::Microsecond => "us",
        TimeUnit::Nanosecond => "ns",
    }
}

/// The labels of a category in their type: texts, numbers or booleans.
pub(crate) fn labels<'py>(py: Python<'py>, kind: &Kind) -> PyResult<Bound<'py, PyList>> {
    match kind {
        Kind::Labels { labels, .. } => PyList::new(py, labels),
        Kind::Codes { values, .. } | Kind::Levels { values, .. } => PyList::new(py, values),
        Kind::Boolean { .. } => PyList::new(py, [false, true]),
        _ => Ok(PyList::empty(py)),
    }
}
