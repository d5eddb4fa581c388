//! Named tensors, for writing and for reading.

use crate::Result;
use crate::error::ModelFileError;
use faer::{Mat, MatRef};
use safetensors::{Dtype, SafeTensorError, SafeTensors, View};
use serde::Deserialize;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Key of the layout in the metadata.
const LAYOUT: &str = "model";

/// Tensors to be written.
#[derive(Default)]
pub(super) struct Tensors {
    tensors: BTreeMap<String, Tensor>,
}

struct Tensor {
    dtype: Dtype,
    shape: Vec<usize>,
    data: Vec<u8>,
}

impl View for &Tensor {
    fn dtype(&self) -> Dtype {
        self.dtype
    }

    fn shape(&self) -> &[usize] {
        &self.shape
    }

    fn data(&self) -> Cow<'_, [u8]> {
        self.data.as_slice().into()
    }

    fn data_len(&self) -> usize {
        self.data.len()
    }
}

impl Tensors {
    pub(super) fn vector(&mut self, name: &str, numbers: &[f64]) {
        self.add(name, vec![numbers.len()], numbers.iter());
    }

    /// Adds a matrix; each column of it is a row of the tensor.
    pub(super) fn matrix(&mut self, name: &str, a: MatRef<'_, f64>) {
        self.add(name, vec![a.ncols(), a.nrows()], a.col_iter().flat_map(|column| column.iter()));
    }

    pub(super) fn text(&mut self, name: &str, text: &str) {
        let tensor = Tensor { dtype: Dtype::U8, shape: vec![text.len()], data: text.as_bytes().to_vec() };
        self.tensors.insert(name.to_string(), tensor);
    }

    fn add<'n>(&mut self, name: &str, shape: Vec<usize>, numbers: impl Iterator<Item = &'n f64>) {
        let data = numbers.flat_map(|x| x.to_le_bytes()).collect();
        self.tensors.insert(name.to_string(), Tensor { dtype: Dtype::F64, shape, data });
    }

    /// The payload: all tensors and the layout. The metadata has only one key, as the order of several would vary.
    pub(super) fn payload(&self, layout: String) -> std::result::Result<Vec<u8>, SafeTensorError> {
        let metadata = [(LAYOUT.to_string(), layout)].into_iter().collect();
        safetensors::serialize(self.tensors.iter(), Some(metadata))
    }
}

/// Tensors read from a file.
pub(super) struct Source<'a> {
    tensors: SafeTensors<'a>,
    layout: Option<String>,
}

impl<'a> Source<'a> {
    pub(super) fn of(payload: &'a [u8]) -> Result<Self> {
        let unreadable = |error: SafeTensorError| ModelFileError::Payload { reason: error.to_string() };
        check_offsets(payload)?;
        let (_, header) = SafeTensors::read_metadata(payload).map_err(unreadable)?;
        let layout = header.metadata().as_ref().and_then(|metadata| metadata.get(LAYOUT).cloned());
        Ok(Self { tensors: SafeTensors::deserialize(payload).map_err(unreadable)?, layout })
    }

    /// The structure of the model.
    pub(super) fn layout(&self) -> Result<&str> {
        let missing = || ModelFileError::Payload { reason: format!("its metadata have no `{LAYOUT}`") };
        Ok(self.layout.as_deref().ok_or_else(missing)?)
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.tensors.tensor(name).is_ok()
    }

    /// Length of a tensor's first dimension.
    pub(super) fn len(&self, name: &str) -> Result<usize> {
        let tensor = self.tensors.tensor(name).map_err(|_| problem(name, "is missing"))?;
        Ok(tensor.shape().first().copied().ok_or_else(|| problem(name, "is a single number"))?)
    }

    /// Numbers of the given shape, any of which may be infinite or NaN.
    fn raw(&self, name: &str, shape: &[usize]) -> Result<Vec<f64>> {
        let tensor = self.tensors.tensor(name).map_err(|_| problem(name, "is missing"))?;
        if tensor.shape() != shape {
            let text = format!("has the shape {:?}, but should have {shape:?}", tensor.shape());
            return Err(problem(name, text).into());
        }
        if tensor.dtype() != Dtype::F64 {
            return Err(problem(name, format!("holds {:?}, but should hold F64", tensor.dtype())).into());
        }
        let number = |bytes: &[u8; 8]| f64::from_le_bytes(*bytes);
        Ok(tensor.data().as_chunks().0.iter().map(number).collect())
    }

    fn finite(&self, name: &str, shape: &[usize]) -> Result<Vec<f64>> {
        let numbers = self.raw(name, shape)?;
        match numbers.iter().find(|x| !x.is_finite()) {
            None => Ok(numbers),
            Some(x) => Err(problem(name, format!("holds {x}, but should be finite")).into()),
        }
    }

    /// A vector of finite numbers, of length `len` if given.
    pub(super) fn vector(&self, name: &str, len: Option<usize>) -> Result<Vec<f64>> {
        let len = len.map_or_else(|| self.len(name), Ok)?;
        self.finite(name, &[len])
    }

    /// `len` numbers, none of which is NaN.
    pub(super) fn likelihoods(&self, name: &str, len: usize) -> Result<Vec<f64>> {
        let numbers = self.raw(name, &[len])?;
        match numbers.iter().any(|x| x.is_nan()) {
            false => Ok(numbers),
            true => Err(problem(name, "contains NaN").into()),
        }
    }

    pub(super) fn number(&self, name: &str) -> Result<f64> {
        Ok(self.vector(name, Some(1))?[0])
    }

    /// A matrix of finite numbers.
    pub(super) fn matrix(&self, name: &str, (rows, columns): (usize, usize)) -> Result<Mat<f64>> {
        let numbers = self.finite(name, &[columns, rows])?;
        Ok(Mat::from_fn(rows, columns, |i, j| numbers[j * rows + i]))
    }

    /// A matrix of numbers with `rows` rows; NaN marks a missing cell.
    pub(super) fn cells(&self, name: &str, rows: usize) -> Result<Mat<f64>> {
        let columns = self.len(name)?;
        let numbers = self.raw(name, &[columns, rows])?;
        Ok(Mat::from_fn(rows, columns, |i, j| numbers[j * rows + i]))
    }

    pub(super) fn text(&self, name: &str) -> Result<String> {
        let tensor = self.tensors.tensor(name).map_err(|_| problem(name, "is missing"))?;
        if tensor.dtype() != Dtype::U8 {
            return Err(problem(name, format!("holds {:?}, but should hold U8", tensor.dtype())).into());
        }
        let text = String::from_utf8(tensor.data().to_vec());
        Ok(text.map_err(|error| problem(name, format!("is no text: {error}")))?)
    }
}

fn problem(name: &str, problem: impl Into<String>) -> ModelFileError {
    ModelFileError::Tensor { name: name.to_string(), problem: problem.into() }
}

/// Refuses tensors that end beyond the payload. The sum of their sizes may overflow, which safetensors does not check.
fn check_offsets(payload: &[u8]) -> Result<()> {
    #[derive(Deserialize)]
    struct Entry {
        data_offsets: Option<(u64, u64)>,
    }
    let unreadable = |reason: String| ModelFileError::Payload { reason };
    let header = payload.split_first_chunk().and_then(|(length, rest)| {
        let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
        rest.get(..length)
    });
    let header = header.ok_or_else(|| unreadable("its header is cut".to_string()))?;
    let entries: BTreeMap<String, Entry> =
        serde_json::from_slice(header).map_err(|error| unreadable(error.to_string()))?;
    let end = |entry: &Entry| entry.data_offsets.map_or(0, |(_, end)| end);
    match entries.iter().find(|(_, entry)| end(entry) > payload.len() as u64) {
        None => Ok(()),
        Some((name, _)) => Err(problem(name, "ends beyond the end of the file").into()),
    }
}
