//! Where output goes.

use crate::error::{Error, Result};
use crate::temporary::{self, Listed};
use std::fs::File;
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
    /// A file that gets its name when it is whole. A link stays one. What is no file but has a name, such as a device or a pipe, is
    /// written to as it is.
    pub fn file(path: &Path) -> Result<Self> {
        let at = |error| Error::Io { path: path.to_owned(), error };
        if path.metadata().is_ok_and(|found| !found.is_file()) {
            let special = File::options().write(true).open(path).map_err(at)?;
            return Ok(Self::new(path, Output::Stream(Box::new(special))));
        }
        let place = path.canonicalize().unwrap_or(path.to_owned());
        let mut builder = tempfile::Builder::new();
        // Others may read it, as any file that a program writes.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let (file, listed) = temporary::create(&builder, folder(&place)).map_err(at)?;
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
    pub(super) fn failure(&self) -> impl Fn(std::io::Error) -> Error + use<> {
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
