//! The engine for Python. What is here converts and waits; everything that a user sees is in `psd_impute/`, in Python.

mod bounds;
mod cells;
mod complete;
mod density;
mod errors;
mod hints;
mod matrix;
mod model;
mod names;
mod report;
mod run;
mod table;
mod watch;

/// Fits make many small matrices on every thread, for which the system's allocator is slow.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The engine of psd_impute.
#[pyo3::pymodule]
mod _engine {
    #[pymodule_export]
    use crate::density::KernelDensity;
    #[pymodule_export]
    use crate::errors::{DataError, InternalError, ModelFileError, PsdImputeError, SettingError};
    #[pymodule_export]
    use crate::matrix::{table_from_matrix, write_matrix};
    #[pymodule_export]
    use crate::model::Model;
    #[pymodule_export]
    use crate::table::Table;

    /// What stands for a missing cell in text, as the command has it.
    #[pymodule_export]
    const MISSING_TEXTS: [&str; psd_impute_frame::DEFAULT_MISSING.len()] = psd_impute_frame::DEFAULT_MISSING;
}
