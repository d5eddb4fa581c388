//! Filling the missing cells of a dictionary of labels.
//!
//! The dictionary gets all labels of the plan that it lacks, whether a cell needs them or not, so that dictionaries that were equal in all
//! batches remain so. Observed cells keep their keys.

use crate::batch::Cells;
use crate::encode::{Encoder, Number};
use crate::error::{Error, Result};
use crate::fill::{Arrow, cells, unwritable};
use crate::plan::{ColumnPlan, Kind};
use arrow_array::cast::AsArray;
use arrow_array::types::{ArrowDictionaryKeyType, Int64Type};
use arrow_array::{Array, ArrayRef, DictionaryArray, Int64Array, downcast_integer};
use arrow_cast::{CastOptions, cast, cast_with_options};
use arrow_schema::{ArrowError, DataType};
use arrow_select::concat::concat;
use std::sync::Arc;

/// Fills `gaps` into the dictionary, where cells were missing.
pub(crate) fn fill_dictionary(
    array: &ArrayRef,
    column: &ColumnPlan,
    gaps: &[Option<f64>],
) -> Result<ArrayRef> {
    let dictionary = array.as_any_dictionary();
    let (values, places) = extend(column.kind(), dictionary.values()).map_err(unwritable)?;
    let keys = cast(dictionary.keys(), &DataType::Int64).map_err(unwritable)?;
    let keys = keys.as_primitive::<Int64Type>();
    let keys: Int64Array = (keys.iter().zip(gaps))
        .map(|(key, gap)| gap.and_then(|x| places.get(x as usize).copied()).or(key))
        .collect();
    let key_type = dictionary.keys().data_type();
    let strict = CastOptions { safe: false, ..CastOptions::default() };
    let keys = cast_with_options(&keys, key_type, &strict).map_err(|_| Error::FullDictionary {
        column: column.name().to_string(),
        keys: key_type.to_string(),
        labels: values.len(),
    })?;
    rebuild(&keys, values).map_err(unwritable)
}

/// The values with all labels, and the positions of the labels.
fn extend(kind: &Kind, values: &ArrayRef) -> Arrow<(ArrayRef, Vec<i64>)> {
    let (known, encoder) = (Cells::of(values, Arc::default())?, Encoder::of(kind));
    let mut places: Vec<Option<i64>> = vec![None; kind.labels().len()];
    for v in 0..values.len() {
        if let Number::Is(k) = encoder.encode(&known.get(v)) {
            places[k as usize].get_or_insert(v as i64);
        }
    }
    let absent: Vec<usize> = (0..places.len()).filter(|&k| places[k].is_none()).collect();
    let gaps: Vec<Option<f64>> = absent.iter().map(|&k| Some(k as f64)).collect();
    let added = cells(kind, values.data_type(), &gaps)?;
    for (v, k) in (values.len() as i64..).zip(absent) {
        places[k] = Some(v);
    }
    let values = if added.is_empty() { values.clone() } else { concat(&[values, &added])? };
    Ok((values, places.into_iter().flatten().collect()))
}

fn rebuild(keys: &ArrayRef, values: ArrayRef) -> Arrow<ArrayRef> {
    fn of<K: ArrowDictionaryKeyType>(keys: &ArrayRef, values: ArrayRef) -> Arrow<ArrayRef> {
        Ok(Arc::new(DictionaryArray::<K>::try_new(keys.as_primitive::<K>().clone(), values)?))
    }
    macro_rules! of_type {
        ($key:ty) => {
            of::<$key>(keys, values)
        };
    }
    downcast_integer! {
        keys.data_type() => (of_type),
        other => Err(ArrowError::CastError(format!("{other} cannot be the keys of a dictionary"))),
    }
}
