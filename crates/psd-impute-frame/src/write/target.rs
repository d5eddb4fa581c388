//! Output files and streams.

use crate::error::{Error, Result};
use crate::temporary::{self, Listed};
use std::fs::{File, Metadata};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// An output. A file appears under its name when [`finish`](Self::finish) has written all of it; without that, nothing is left behind, and
/// an earlier file of that name stays.
pub struct Target {
    /// Its name in messages.
    name: PathBuf,
    output: BufWriter<Output>,
}

enum Output {
    /// A temporary file and its final path.
    File(NamedTempFile, Listed, PathBuf),
    Stream(Box<dyn Write + Send>),
}

impl Target {
    /// A file that gets its name when it is complete. A link remains a link, and a replaced file keeps its owner and mode. A device or a
    /// pipe is written to directly.
    ///
    /// # Errors
    ///
    /// If the file cannot be created.
    pub fn file(path: &Path) -> Result<Self> {
        let at = |error| Error::Io { path: path.to_owned(), error };
        if path.metadata().is_ok_and(|found| !found.is_file()) {
            let special = File::options().write(true).open(path).map_err(at)?;
            return Ok(Self::new(path, Output::Stream(Box::new(special))));
        }
        let place = followed(path).map_err(at)?;
        let before = place.metadata().ok();
        if before.is_some() {
            // A file without write permission is not replaced either.
            File::options().write(true).open(&place).map_err(at)?;
        }
        let mut builder = tempfile::Builder::new();
        // A new file is readable by others, like any that a program writes.
        #[cfg(unix)]
        if before.is_none() {
            builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        }
        let (file, listed) = temporary::create(&builder, folder(&place)).map_err(at)?;
        if let Some(before) = before {
            keep_rights(file.as_file(), &before);
        }
        Ok(Self::new(path, Output::File(file, listed, place)))
    }

    /// Any output, such as standard output.
    pub fn stream(output: impl Write + Send + 'static) -> Self {
        Self::new(Path::new("the output"), Output::Stream(Box::new(output)))
    }

    fn new(name: &Path, output: Output) -> Self {
        Self { name: name.to_owned(), output: BufWriter::new(output) }
    }

    /// Turns an error of the system while writing here into this crate's error.
    pub(crate) fn failure(&self) -> impl Fn(std::io::Error) -> Error + use<> {
        let path = self.name.clone();
        move |error| Error::Io { path: path.clone(), error }
    }

    /// Writes buffered data, and gives the file its name.
    ///
    /// # Errors
    ///
    /// If that fails.
    pub fn finish(self) -> Result<()> {
        let failure = self.failure();
        match self.output.into_inner().map_err(|error| failure(error.into_error()))? {
            Output::Stream(mut stream) => stream.flush().map_err(failure),
            Output::File(file, _listed, place) => {
                file.as_file().sync_all().map_err(&failure)?;
                file.persist(&place).map_err(|error| failure(error.error))?;
                sync_name(folder(&place));
                Ok(())
            }
        }
    }
}

/// Writes a whole file, or keeps an earlier file of that name.
///
/// # Errors
///
/// If the file cannot be written.
pub fn write_file(path: &Path, bytes: &[u8]) -> Result<()> {
    let mut target = Target::file(path)?;
    target.write_all(bytes).map_err(target.failure())?;
    target.finish()
}

/// Resolves a path, including links to files that do not exist yet.
fn followed(path: &Path) -> std::io::Result<PathBuf> {
    /// The limit on Linux.
    const MOST_LINKS: usize = 40;
    let mut place = path.to_owned();
    for _ in 0..MOST_LINKS {
        match place.read_link() {
            Ok(to) => place = folder(&place).join(to),
            Err(_) => return Ok(place),
        }
    }
    path.canonicalize()
}

/// Gives a file the owner and the mode of the one it replaces, as far as the system allows. Until then only we may read it, and that
/// remains where permissions cannot be changed.
fn keep_rights(file: &File, before: &Metadata) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
        let (user, group) = (before.uid(), before.gid());
        let _ = fchown(file, Some(user), Some(group)).or_else(|_| fchown(file, None, Some(group)));
        let _ = file.set_permissions(PermissionsExt::from_mode(before.mode() & 0o777));
    }
    #[cfg(not(unix))]
    let _ = file.set_permissions(before.permissions());
}

fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Syncs a folder so that a new name in it survives a power failure. The file is already complete under its name, so a folder that cannot
/// be synced, such as an unreadable one, is not an error.
fn sync_name(folder: &Path) {
    if cfg!(unix) {
        let _ = File::open(folder).and_then(|folder| folder.sync_all());
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        match self {
            Self::File(file, ..) => file.as_file_mut().write(bytes),
            Self::Stream(stream) => stream.write(bytes),
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        match self {
            Self::File(file, ..) => file.as_file_mut().flush(),
            Self::Stream(stream) => stream.flush(),
        }
    }
}

impl Write for Target {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.output.write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.output.flush()
    }
}
