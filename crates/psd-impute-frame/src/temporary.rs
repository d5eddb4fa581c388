//! Temporary files, kept on a list so that a program that must stop at once leaves none behind.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tempfile::NamedTempFile;

static LIST: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

fn list() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    LIST.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Deletes the temporary files of all open [`Writer`](crate::Writer)s, [`Target`](crate::Target)s and [`Source`](crate::Source)s, which
/// cannot be used afterwards. For programs that are about to exit without dropping them, as on Ctrl-C.
pub fn remove_unfinished() {
    for path in list().iter() {
        // A file that is already gone need not be deleted; other failures cannot be reported to anybody.
        let _ = std::fs::remove_file(path);
    }
}

/// A temporary file's entry on the list, removed when this is dropped.
#[derive(Debug)]
pub(crate) struct Listed(PathBuf);

impl Drop for Listed {
    fn drop(&mut self) {
        list().remove(&self.0);
    }
}

/// Makes a temporary file in a folder.
pub(crate) fn create(
    builder: &tempfile::Builder<'_, '_>,
    folder: &Path,
) -> std::io::Result<(NamedTempFile, Listed)> {
    // The list is locked meanwhile, so that no file is missed between its creation and its listing.
    let mut list = list();
    let file = builder.tempfile_in(folder)?;
    list.insert(file.path().to_owned());
    let listed = Listed(file.path().to_owned());
    Ok((file, listed))
}
