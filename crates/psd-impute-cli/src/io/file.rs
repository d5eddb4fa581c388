//! Writing a file as a whole.

use super::csv_table::temporary;
use crate::commands::Failure;
use std::io::Write;
use std::path::Path;

/// Writes a file under a temporary name in its folder and renames it, so that no one sees half of it.
pub(crate) fn write_file(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let at = |error: std::io::Error| Failure::File { path: path.to_owned(), error };
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = temporary().tempfile_in(folder).map_err(at)?;
    file.write_all(bytes).map_err(at)?;
    file.as_file().sync_all().map_err(at)?;
    file.persist(path).map_err(|error| at(error.error))?;
    Ok(())
}
