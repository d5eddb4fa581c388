//! The checks in Python, in a virtual environment of their own.

use crate::step::{command, root, run, target};
use std::fs;
use std::path::Path;

const REQUIREMENTS: &str = "checks/requirements.txt";

/// Runs `pytest checks`; its summary is the last thing printed.
pub(crate) fn checks() -> Result<(), String> {
    let venv = target().join("venv");
    let python = venv.join("bin/python");
    prepare(&venv, &python)?;
    let mut pytest = command(&python);
    pytest.args(["-m", "pytest", "-p", "no:cacheprovider", "checks"]).env("PYTHONDONTWRITEBYTECODE", "1");
    run("Python checks", &mut pytest)
}

/// Makes the environment and installs the requirements, unless a copy of them left inside says that this is done.
fn prepare(venv: &Path, python: &Path) -> Result<(), String> {
    let stamp = venv.join("requirements.txt");
    let wanted = fs::read(root().join(REQUIREMENTS)).map_err(|e| format!("xtask: {REQUIREMENTS}: {e}"))?;
    if fs::read(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(());
    }
    if !python.exists() {
        run("Python environment", command("python3").args(["-m", "venv"]).arg(venv))?;
    }
    run("Python packages", command(python).args(["-m", "pip", "install", "--quiet", "-r", REQUIREMENTS]))?;
    fs::write(&stamp, wanted).map_err(|e| format!("xtask: {}: {e}", stamp.display()))
}
