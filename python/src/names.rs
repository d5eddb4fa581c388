//! Names of settings in Python.

use crate::errors::SettingError;
use psd_impute::learn::psd::MetricKind;
use psd_impute_frame::Wish;
use pyo3::PyResult;

pub(crate) fn metric(name: &str) -> PyResult<MetricKind> {
    match name {
        "full" => Ok(MetricKind::Full),
        "diagonal" => Ok(MetricKind::Diagonal),
        "isotropic" => Ok(MetricKind::Isotropic),
        _ => Err(SettingError::new_err(format!(
            "metric is {name:?}, but must be 'auto', 'full', 'diagonal' or 'isotropic'"
        ))),
    }
}

pub(crate) fn wish(name: &str, levels: Option<Vec<String>>) -> PyResult<Wish> {
    match name {
        "category" => Ok(Wish::Category),
        "ordered" => Ok(Wish::Ordered(levels)),
        "continuous" => Ok(Wish::Continuous),
        "completed" => Ok(Wish::Completed),
        "ignore" => Ok(Wish::Ignore),
        _ => Err(SettingError::new_err(format!("there is no wish {name:?}"))),
    }
}
