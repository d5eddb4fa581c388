//! The project's own tasks: `cargo xtask quick`, `test`, `docs`, `package` and `bench`.

mod browser;
mod python;
mod step;

use std::env;
use std::process::ExitCode;
use std::thread;
use step::{cargo, run, target};

const USAGE: &str = "usage: cargo xtask <task>

tasks:
  quick     formatting, lints, the unit tests and the quicker Rust tests
  test      formatting, lints, documentation, Rust tests, Python checks, pages in a browser, the Python package's tests
  docs      the documentation site, into target/site, with warnings denied
  package   the crates as they would be published, and the Python package's source distribution and wheel
  bench     all benchmarks of the engine";

fn main() -> ExitCode {
    let tasks: Vec<String> = env::args().skip(1).collect();
    let outcome = match tasks.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["quick"] => quick(),
        ["test"] => test(),
        ["docs"] => python::site(),
        ["package"] => package(),
        ["bench"] => bench(),
        _ => Err(USAGE.to_string()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

/// The checks to run after every change.
fn quick() -> Result<(), String> {
    lints()?;
    let tests = "test --workspace --lib --bins --test frame --test snapshots --test evaluation --test drift";
    run("quicker tests", &mut cargo(tests))
}

/// All checks before a change is merged, the quick ones first. Python packages are installed while cargo builds.
fn test() -> Result<(), String> {
    thread::scope(|scope| {
        let environments = scope.spawn(python::Environments::prepare);
        rust()?;
        let environments = environments.join().map_err(|_| "xtask: a panic while Python was set up")??;
        python::site()?;
        python::checks(&environments)?;
        python::package(&environments)
    })
}

fn lints() -> Result<(), String> {
    run("formatting", &mut cargo("fmt --all --check"))?;
    run("lints", &mut cargo("clippy --workspace --all-targets -- -D warnings"))
}

fn rust() -> Result<(), String> {
    lints()?;
    run("documentation", cargo("doc --workspace --no-deps").env("RUSTDOCFLAGS", "-Dwarnings"))?;
    run("tests", &mut cargo("test --workspace"))
}

/// Builds what would be published, as users will: each crate from its package, the Python package from its source distribution.
fn package() -> Result<(), String> {
    let mut package =
        cargo("package --workspace --exclude xtask --exclude psd-impute-python --exclude psd-impute-fuzz");
    // Otherwise each package is built in a separate folder, with all its dependencies.
    run("crates", package.env("CARGO_TARGET_DIR", target()))?;
    python::distributions()
}

fn bench() -> Result<(), String> {
    run("benchmarks", &mut cargo("bench -p psd-impute --bench *"))
}
