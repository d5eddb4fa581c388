//! The project's own tasks: `cargo xtask test`, `cargo xtask docs` and `cargo xtask bench`.

mod browser;
mod python;
mod step;

use std::env;
use std::process::ExitCode;
use std::thread;
use step::{cargo, run};

const USAGE: &str = "usage: cargo xtask <task>

tasks:
  test    formatting, lints, documentation, Rust tests, Python checks, pages in a browser, the Python package's tests
  docs    the documentation site, into target/site, with warnings denied
  bench   all benchmarks of the engine";

fn main() -> ExitCode {
    let tasks: Vec<String> = env::args().skip(1).collect();
    let outcome = match tasks.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["test"] => test(),
        ["docs"] => python::site(),
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

/// Everything that must hold before a change goes in, the quick checks first. Python's packages come while cargo builds.
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

fn rust() -> Result<(), String> {
    run("formatting", &mut cargo("fmt --all --check"))?;
    run("lints", &mut cargo("clippy --workspace --all-targets -- -D warnings"))?;
    run("documentation", cargo("doc --workspace --no-deps").env("RUSTDOCFLAGS", "-Dwarnings"))?;
    run("tests", &mut cargo("test --workspace"))
}

fn bench() -> Result<(), String> {
    run("benchmarks", &mut cargo("bench -p psd-impute --bench *"))
}
