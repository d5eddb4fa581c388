//! Whether a file can be written, as far as it can be told before.

use crate::commands::Failure;
use psd_impute_frame::Target;
use std::path::{Path, PathBuf};

/// Refuses a path in a folder that is not there or may not be written to, a folder, and a file that is read from, before time is spent
/// on what is to be written.
pub(crate) fn check_output(path: &Path, inputs: &[Option<&Path>]) -> Result<(), Failure> {
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if !folder.is_dir() {
        return Err(Failure::NoFolder { path: path.to_owned(), folder: folder.to_owned() });
    }
    if path.is_dir() {
        return Err(Failure::IsFolder { path: path.to_owned() });
    }
    let place = |path: &Path| -> Option<PathBuf> { path.canonicalize().ok() };
    let own = place(path);
    if own.is_some() && inputs.iter().flatten().any(|input| place(input) == own) {
        return Err(Failure::Overwrites { path: path.to_owned() });
    }
    if !path.exists() || path.is_file() {
        drop(Target::file(path)?);
    }
    Ok(())
}
