//! The engine for Python. This crate converts and waits; the public interface is in `psd_impute/`, in Python.

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

/// Fits allocate many small matrices on every thread, for which the system's allocator is slow.
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
    use crate::names::check_fit;
    #[pymodule_export]
    use crate::table::Table;

    /// The texts that count as missing cells, the same as for the command.
    #[pymodule_export]
    const MISSING_TEXTS: [&str; psd_impute_frame::DEFAULT_MISSING.len()] = psd_impute_frame::DEFAULT_MISSING;
}
