//! A temporary folder in which commands run.

use std::path::PathBuf;
use std::process::{Command, Stdio};

pub(crate) struct Folder(pub(crate) tempfile::TempDir);

impl Folder {
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn get(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    pub(crate) fn command(&self, arguments: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_psd-impute"));
        command.current_dir(self.0.path()).args(arguments.split(' '));
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }
}
