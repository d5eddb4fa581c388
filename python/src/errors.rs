//! Exceptions: one for each kind of mistake, with a hint on a line of its own.

use crate::hints;
use psd_impute_frame::Error as FrameError;
use pyo3::PyErr;
use pyo3::create_exception;
use pyo3::exceptions::{PyOSError, PyRuntimeError, PyValueError};
use std::io;
use std::path::Path;

create_exception!(
    psd_impute,
    PsdImputeError,
    PyValueError,
    "Something that psd_impute was given is not right."
);
create_exception!(psd_impute, DataError, PsdImputeError, "A table that cannot be fitted or completed.");
create_exception!(
    psd_impute,
    SettingError,
    PsdImputeError,
    "A setting outside its range, or that contradicts another."
);
create_exception!(
    psd_impute,
    ModelFileError,
    PsdImputeError,
    "A file that holds no model, or a damaged one."
);
create_exception!(
    psd_impute,
    InternalError,
    PyRuntimeError,
    "A mistake of psd_impute's own. Please report it."
);

/// A failure in the engine.
pub(crate) enum Failure {
    Frame(FrameError),
    /// The engine panicked.
    Panic(String),
}

impl From<FrameError> for Failure {
    fn from(error: FrameError) -> Self {
        Self::Frame(error)
    }
}

impl From<psd_impute::Error> for Failure {
    fn from(error: psd_impute::Error) -> Self {
        Self::Frame(error.into())
    }
}

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> Self {
        let error = match failure {
            Failure::Frame(error) => error,
            Failure::Panic(text) => {
                return InternalError::new_err(format!("this is a mistake of ours: {text}"));
            }
        };
        if let FrameError::Io { path, error } = &error {
            return os_error(error, path);
        }
        let text = match hints::hint(&error) {
            Some(hint) => format!("{error}\nhint: {hint}"),
            None => error.to_string(),
        };
        match error {
            FrameError::Engine(psd_impute::Error::ModelFile(_))
            | FrameError::ModelColumns { .. }
            | FrameError::BadPlan { .. } => ModelFileError::new_err(text),
            FrameError::Engine(
                psd_impute::Error::BadParameter { .. } | psd_impute::Error::RecipeHasItsOwn,
            )
            | FrameError::NoBounds { .. }
            | FrameError::BoundsTwice { .. }
            | FrameError::BadBound { .. }
            | FrameError::BadBounds { .. }
            | FrameError::BadOverride { .. }
            | FrameError::UnknownColumn { .. } => SettingError::new_err(text),
            _ => DataError::new_err(text),
        }
    }
}

/// Python chooses the exception by the error number, and shows the file.
fn os_error(error: &io::Error, path: &Path) -> PyErr {
    let number = error.raw_os_error().unwrap_or(match error.kind() {
        io::ErrorKind::NotFound => 2,
        io::ErrorKind::PermissionDenied => 13,
        io::ErrorKind::IsADirectory => 21,
        io::ErrorKind::StorageFull => 28,
        io::ErrorKind::ReadOnlyFilesystem => 30,
        _ => 5,
    });
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or_default().to_string();
    PyOSError::new_err((number, text, path.display().to_string()))
}
