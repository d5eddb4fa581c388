//! A step of a task: one command, run at the root of the workspace.

use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

/// The root of the workspace.
pub(crate) fn root() -> &'static Path {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here)
}

/// The folder where cargo builds, and of the virtual environments.
pub(crate) fn target() -> PathBuf {
    root().join(env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into()))
}

/// A command at the root of the workspace.
pub(crate) fn command(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    command.current_dir(root());
    command
}

/// The running cargo with these arguments, separated by spaces.
pub(crate) fn cargo(arguments: &str) -> Command {
    let mut cargo = command(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(arguments.split(' '));
    cargo
}

/// Runs one step under its heading and prints its time; the error names the failed step and the reason.
pub(crate) fn run(heading: &str, command: &mut Command) -> Result<(), String> {
    println!("== {heading}");
    let start = Instant::now();
    match command.status() {
        Ok(status) if status.success() => {
            println!("== {heading}: {:.0} s", start.elapsed().as_secs_f64());
            Ok(())
        }
        Ok(status) => Err(format!("xtask: {heading} failed ({status}): {command:?}")),
        Err(error) => Err(format!("xtask: {heading} could not start ({error}): {command:?}")),
    }
}
