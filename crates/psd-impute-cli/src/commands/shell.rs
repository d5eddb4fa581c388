//! `psd-impute completions` and `psd-impute man`, from the same definitions as the commands.

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

/// The man page, the subcommands' after the command's own.
pub(crate) fn man(command: clap::Command, out: &mut dyn Write) -> Result<ExitCode, Failure> {
    clap_mangen::Man::new(command.clone()).render(out)?;
    for subcommand in command.get_subcommands().filter(|c| c.get_name() != "help") {
        clap_mangen::Man::new(subcommand.clone()).render(out)?;
    }
    Ok(ExitCode::SUCCESS)
}
