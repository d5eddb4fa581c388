//! `psd-impute completions`, from the same definitions as the commands.

use super::Failure;
use clap::Args;
use clap_complete::Shell;
use std::io::Write;
use std::process::ExitCode;

/// The arguments of `completions`.
#[derive(Args)]
pub(crate) struct Completions {
    /// The shell.
    #[arg(value_enum)]
    shell: Shell,
}

impl Completions {
    pub(crate) fn run(&self, mut command: clap::Command, out: &mut dyn Write) -> Result<ExitCode, Failure> {
        let mut text = Vec::new();
        clap_complete::generate(self.shell, &mut command, "psd-impute", &mut text);
        out.write_all(&text)?;
        Ok(ExitCode::SUCCESS)
    }
}
