//! Hints for errors, with the names of the Python package.

use psd_impute_frame::{Error, Sentinel};

/// The library's hint, with the names of the settings in Python.
pub(crate) fn hint(error: &Error) -> Option<String> {
    Some(match error {
        Error::BadCell { column, .. } => format!(
            "correct the cell, or make it NaN if it is missing; or name {column:?} in categorical_features or ignore_features"
        ),
        Error::Infinite { column, .. } => {
            format!("make the cell NaN if it is missing, or name {column:?} in ignore_features")
        }
        Error::NothingToModel { .. } => {
            "name columns in categorical_features, ordered_features or continuous_features to say what they are".into()
        }
        Error::BadOverride { column, wanted: "ordered", .. } => format!(
            "give its levels as they are in the table, from the lowest to the highest: ordered_features={{{column:?}: [...]}}"
        ),
        Error::BadOverride { .. } => "leave the column out of that list, or name it in ignore_features".into(),
        Error::NoBounds { column, .. } => format!(
            "leave {column:?} out of bounds, or name it in continuous_features if its cells are numbers to complete"
        ),
        _ => return error.hint(),
    })
}

/// The warning about a value that looks like a code for missing cells, with a hint.
pub(crate) fn sentinel_text(sentinel: &Sentinel) -> String {
    let Sentinel { column, value, .. } = sentinel;
    let cells = match value.parse::<f64>() {
        Ok(_) => {
            format!("missing_values={value} makes it missing in all columns, or make it NaN in {column:?}")
        }
        Err(_) => format!("make it missing in {column:?}"),
    };
    format!("{}\nhint: {cells}, if it is no value", sentinel.remark().text)
}
