//! The documentation site, the checks in Python and the Python package's tests, in virtual environments of their own.

use crate::browser;
use crate::step::{command, root, run, target};
use std::fs;
use std::path::{Path, PathBuf};

/// A virtual environment with the packages that a file names.
struct Environment {
    python: PathBuf,
}

impl Environment {
    /// Makes the environment and installs the requirements, unless the copy of them inside shows that this is done.
    fn prepare(name: &str, requirements: &str) -> Result<Self, String> {
        let venv = target().join(name);
        let environment = Self { python: venv.join("bin/python") };
        let stamp = venv.join("requirements.txt");
        let wanted =
            fs::read(root().join(requirements)).map_err(|e| format!("xtask: {requirements}: {e}"))?;
        if fs::read(&stamp).is_ok_and(|installed| installed == wanted) {
            return Ok(environment);
        }
        if !environment.python.exists() {
            run(&format!("making {name}"), command("python3").args(["-m", "venv"]).arg(&venv))?;
        }
        environment.install(&format!("packages of {name}"), &["-r", requirements])?;
        fs::write(&stamp, wanted).map_err(|e| format!("xtask: {}: {e}", stamp.display()))?;
        Ok(environment)
    }

    fn install(&self, heading: &str, what: &[&str]) -> Result<(), String> {
        self.pip(heading, "install", what)
    }

    fn pip(&self, heading: &str, task: &str, what: &[&str]) -> Result<(), String> {
        let mut pip = command(&self.python);
        pip.args(["-m", "pip", task, "--quiet", "--disable-pip-version-check"]).args(what);
        run(heading, pip.env("CARGO_TARGET_DIR", target()))
    }

    /// Runs pytest; its summary is the last thing printed.
    fn pytest(&self, heading: &str, arguments: &[&str]) -> Result<(), String> {
        let mut pytest = command(&self.python);
        pytest.args(["-m", "pytest", "-p", "no:cacheprovider"]).args(arguments);
        let command = target().join("debug/psd-impute");
        pytest.env("PYTHONDONTWRITEBYTECODE", "1").env("PSD_IMPUTE_COMMAND", command);
        run(heading, &mut pytest)
    }
}

/// All environments.
pub(crate) struct Environments {
    checks: Environment,
    current: Environment,
    oldest: Environment,
}

impl Environments {
    pub(crate) fn prepare() -> Result<Self, String> {
        Ok(Self {
            checks: Environment::prepare("venv-checks", "checks/requirements.txt")?,
            current: Environment::prepare("venv-package", "python/tests/requirements.txt")?,
            oldest: Environment::prepare("venv-oldest", "python/tests/requirements-oldest.txt")?,
        })
    }
}

/// Builds the documentation site into `target/site`; a warning is an error.
pub(crate) fn site() -> Result<(), String> {
    let environment = Environment::prepare("venv-docs", "docs/requirements.txt")?;
    let mut mkdocs = command(&environment.python);
    mkdocs.args(["-m", "mkdocs", "build", "--quiet", "--strict", "--site-dir"]).arg(target().join("site"));
    run("documentation site", mkdocs.env("NO_MKDOCS_2_WARNING", "1").env("PYTHONDONTWRITEBYTECODE", "1"))
}

/// Checks against independent programs, and the report and the site in a browser, if there is one.
pub(crate) fn checks(Environments { checks: environment, .. }: &Environments) -> Result<(), String> {
    environment.pytest("Python checks", &["checks", "--ignore", "checks/browser"])?;
    if !browser::is_there() {
        println!("== pages in a browser: skipped, because there is no /usr/bin/chromium");
        return Ok(());
    }
    environment.pytest("pages in a browser", &["checks/browser"])
}

/// Builds the package's wheel, and runs its tests with current packages and with the oldest that it supports.
pub(crate) fn package(Environments { current, oldest, .. }: &Environments) -> Result<(), String> {
    let wheels = target().join("wheels");
    let _ = fs::remove_dir_all(&wheels);
    let mut maturin = command(&current.python);
    maturin.args([
        "-m",
        "maturin",
        "build",
        "--quiet",
        "--profile",
        "dev",
        "--manifest-path",
        "python/Cargo.toml",
    ]);
    run("Python wheel", maturin.arg("--out").arg(&wheels).arg("--interpreter").arg(&current.python))?;
    let wheel = only(&wheels, "whl")?;
    for environment in [current, oldest] {
        environment.install("Python package", &["--force-reinstall", "--no-deps", &wheel])?;
    }
    oldest.pytest(
        "Python package, oldest packages",
        &[
            "-c",
            "python/pyproject.toml",
            "-W",
            "default",
            "python/tests/test_estimator.py",
            "python/tests/test_frames.py",
        ],
    )?;
    let everything =
        ["-c", "python/pyproject.toml", "--doctest-modules", "--pyargs", "psd_impute", "python/tests"];
    current.pytest("Python package", &everything)
}

/// Builds the source distribution and from it alone, outside the workspace, a wheel; checks the metadata of both.
pub(crate) fn distributions() -> Result<(), String> {
    let environment = Environment::prepare("venv-publish", "python/requirements-publish.txt")?;
    let folder = target().join("distributions");
    let _ = fs::remove_dir_all(&folder);
    let mut sdist = command(&environment.python);
    sdist.args(["-m", "maturin", "sdist", "--manifest-path", "python/Cargo.toml", "--out"]);
    run("source distribution", sdist.arg(&folder))?;
    let source = only(&folder, "gz")?;
    let out = folder.display().to_string();
    environment.pip(
        "wheel from the source distribution",
        "wheel",
        &["--no-deps", "--wheel-dir", &out, &source],
    )?;
    let wheel = only(&folder, "whl")?;
    let mut twine = command(&environment.python);
    run("metadata", twine.args(["-m", "twine", "check", "--strict", &source, &wheel]))?;
    environment.install("the wheel", &["--force-reinstall", &wheel])?;
    let mut import = command(&environment.python);
    run("import", import.args(["-c", "import psd_impute; psd_impute.PSDImputer()"]))
}

/// The one file in a folder with this ending.
fn only(folder: &Path, ending: &str) -> Result<String, String> {
    let entries = fs::read_dir(folder).map_err(|e| format!("xtask: {}: {e}", folder.display()))?;
    let found = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .find(|path| path.extension().is_some_and(|e| e == ending));
    found
        .map(|path| path.display().to_string())
        .ok_or_else(|| format!("xtask: no .{ending} in {}", folder.display()))
}
