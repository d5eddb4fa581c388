//! Names of settings in Python.

use crate::errors::{Failure, SettingError};
use psd_impute::learn::psd::MetricKind;
use psd_impute::{FitOptions, Recipe, StackOptions};
use psd_impute_frame::ColumnOverride;
use pyo3::prelude::*;
use pyo3::types::PyInt;

/// The engine's options of a fit, not yet checked.
pub(crate) fn options(
    preset: &str,
    anchors: Option<usize>,
    metric: Option<&str>,
    normal: Option<bool>,
    seed: u64,
    seconds: Option<f64>,
) -> Result<FitOptions, Failure> {
    let metric = metric.map(MetricKind::named).transpose()?;
    let recipe = Recipe::named(preset, StackOptions { anchors, metric, normal, members: None })?;
    Ok(FitOptions { recipe, seed, time_budget: seconds.map(FitOptions::seconds).transpose()? })
}

/// Refuses a number of anchors or a time budget that the engine does not accept.
#[pyfunction]
pub(crate) fn check_fit(anchors: Option<Bound<'_, PyInt>>, seconds: Option<f64>) -> PyResult<()> {
    // A number that the engine cannot hold is refused like zero.
    let count = anchors.as_ref().map(|anchors| anchors.extract().unwrap_or(0));
    let checked = options(Recipe::NAMES[0], count, None, None, 0, seconds);
    let checked = checked.and_then(|options| Ok(options.check()?));
    checked.map_err(|failure| match failure {
        // The names that Python has for them.
        Failure::Frame(psd_impute_frame::Error::Engine(psd_impute::Error::BadParameter {
            name: "anchors",
            expected,
            ..
        })) => {
            let given = anchors.map_or_else(String::new, |anchors| anchors.to_string());
            SettingError::new_err(format!("n_anchors is {given}, but must be 'auto' or {expected}"))
        }
        other => other.into(),
    })
}

pub(crate) fn column_override(name: &str, levels: Option<Vec<String>>) -> PyResult<ColumnOverride> {
    match name {
        "category" => Ok(ColumnOverride::Category),
        "ordered" => Ok(ColumnOverride::Ordered(levels)),
        "continuous" => Ok(ColumnOverride::Continuous),
        "completed" => Ok(ColumnOverride::Completed),
        "ignore" => Ok(ColumnOverride::Ignore),
        _ => Err(SettingError::new_err(format!("there is no override {name:?}"))),
    }
}
