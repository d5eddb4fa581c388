//! Writing a file as a whole.

use crate::commands::Failure;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Writes a file under a temporary name in its folder and renames it, so that no one sees half of it.
pub(crate) fn write_file(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let at = |error: std::io::Error| Failure::File { path: path.to_owned(), error };
    let mut file = temporary().tempfile_in(folder(path)).map_err(at)?;
    file.write_all(bytes).map_err(at)?;
    file.as_file().sync_all().map_err(at)?;
    file.persist(path).map_err(|error| at(error.error))?;
    Ok(())
}

/// Refuses a path in a folder that is not there, a folder, and a file that is read from, before time is spent on what is to be written.
pub(crate) fn check_output(path: &Path, inputs: &[Option<&Path>]) -> Result<(), Failure> {
    let folder = folder(path);
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
    Ok(())
}

fn folder(path: &Path) -> &Path {
    path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A temporary file that others may read, as any file a program writes.
fn temporary() -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder
}
