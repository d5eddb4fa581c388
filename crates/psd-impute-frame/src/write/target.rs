//! Where output goes.

use crate::error::{Error, Result};
use crate::temporary::{self, Listed};
use std::fs::{File, Metadata};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// Where output goes. A file appears under its name when [`finish`](Self::finish) has written all of it; if that is never called,
/// nothing is left behind, and what had the name before stays.
pub struct Target {
    /// What it is called in messages.
    name: PathBuf,
    output: BufWriter<Output>,
}

enum Output {
    /// A file and the path that it gets when it is whole.
    File(NamedTempFile, Listed, PathBuf),
    Stream(Box<dyn Write + Send>),
}

impl Target {
    /// A file that gets its name when it is whole. A link stays one, and a file that is replaced keeps its owner and mode. What is no file but has a name, such as a device or a pipe, is
    /// written to as it is.
    pub fn file(path: &Path) -> Result<Self> {
        let at = |error| Error::Io { path: path.to_owned(), error };
        if path.metadata().is_ok_and(|found| !found.is_file()) {
            let special = File::options().write(true).open(path).map_err(at)?;
            return Ok(Self::new(path, Output::Stream(Box::new(special))));
        }
        let place = followed(path).map_err(at)?;
        let before = place.metadata().ok();
        if before.is_some() {
            // A file that may not be written to is not replaced either.
            File::options().write(true).open(&place).map_err(at)?;
        }
        let mut builder = tempfile::Builder::new();
        // Others may read a new file, as any that a program writes.
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

    /// Anything that can be written to, such as standard output.
    pub fn stream(output: impl Write + Send + 'static) -> Self {
        Self::new(Path::new("the output"), Output::Stream(Box::new(output)))
    }

    fn new(name: &Path, output: Output) -> Self {
        Self { name: name.to_owned(), output: BufWriter::new(output) }
    }

    /// An error of the system while writing here.
    pub(crate) fn failure(&self) -> impl Fn(std::io::Error) -> Error + use<> {
        let path = self.name.clone();
        move |error| Error::Io { path: path.clone(), error }
    }

    /// Writes what is buffered, and gives the file its name.
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

/// Writes a whole file, or leaves what had its name before.
pub fn write_file(path: &Path, bytes: &[u8]) -> Result<()> {
    let mut target = Target::file(path)?;
    target.write_all(bytes).map_err(target.failure())?;
    target.finish()
}

/// Where a path leads to, also through a link to what is not there yet.
fn followed(path: &Path) -> std::io::Result<PathBuf> {
    /// As many as Linux follows.
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

/// Gives a file the owner and the mode of the one that it replaces, as far as the system allows it. Until then only we may read it, and
/// that is what is left where it may not be changed.
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

/// Asks that names in a folder outlast a power cut. The file is whole under its name already, so a folder that cannot be asked, such
/// as one whose names one may not read, is no failure.
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
