//! Where output goes.

use super::Sink;
use crate::error::{Error, Result};
use crate::temporary::{self, Listed};
use std::io::Write;
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// Where output goes.
pub(super) struct Target {
    path: PathBuf,
    output: Output,
}

enum Output {
    /// A file that gets its name when it is whole.
    File(NamedTempFile, Listed),
    Stream(Box<dyn Write + Send>),
}

impl Target {
    /// A temporary file in the folder of `path`.
    pub(super) fn file(path: &Path) -> Result<Self> {
        let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let mut builder = tempfile::Builder::new();
        // Others may read it, as any file that a program writes.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let path = path.to_owned();
        match temporary::create(&builder, folder) {
            Ok((file, listed)) => Ok(Self { path, output: Output::File(file, listed) }),
            Err(error) => Err(Error::Io { path, error }),
        }
    }

    pub(super) fn stream(output: impl Write + Send + 'static) -> Self {
        Self { path: PathBuf::from("the output"), output: Output::Stream(Box::new(output)) }
    }

    /// An error of the system while writing here.
    pub(super) fn failure(&self) -> impl Fn(std::io::Error) -> Error + use<> {
        let path = self.path.clone();
        move |error| Error::Io { path: path.clone(), error }
    }

    /// Writes what is buffered, and gives the file its name.
    pub(super) fn finish(sink: Sink) -> Result<()> {
        let failure = sink.get_ref().failure();
        let Self { path, output } = sink.into_inner().map_err(|error| failure(error.into_error()))?;
        match output {
            Output::Stream(mut stream) => stream.flush().map_err(failure),
            Output::File(file, _listed) => {
                file.as_file().sync_all().map_err(&failure)?;
                file.persist(path).map(drop).map_err(|error| failure(error.error))
            }
        }
    }
}

impl Write for Target {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        match &mut self.output {
            Output::File(file, _) => file.write(bytes),
            Output::Stream(stream) => stream.write(bytes),
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        match &mut self.output {
            Output::File(file, _) => file.flush(),
            Output::Stream(stream) => stream.flush(),
        }
    }
}
