//! The demo as a user runs it.

#![allow(clippy::unwrap_used)]

use std::process::{Command, Output};

fn run(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_psd-impute")).args(arguments).output().unwrap()
}

#[test]
fn another_seed_is_another_table() {
    assert_ne!(run(&["demo", "--seed", "1"]).stdout, run(&["demo"]).stdout);
}

/// Draws have the distribution of the truth; means do not.
#[test]
fn draws_are_nearest_to_the_truth() {
    let output = run(&["demo"]);
    assert!(output.status.success());
    let said = String::from_utf8(output.stdout).unwrap();
    let distance = |name: &str| -> f64 {
        let line = said.lines().find(|line| line.trim_start().starts_with(name)).unwrap();
        line.trim_start()[name.len()..].split_whitespace().next().unwrap().parse().unwrap()
    };
    let draws = distance("psd-impute, draws");
    for other in ["column means", "iterated regressions", "psd-impute, means"] {
        assert!(5.0 * draws < distance(other), "{said}");
    }
}

#[test]
fn wrong_usage_exits_with_one() {
    for arguments in [&[][..], &["dance"], &["demo", "--seed", "x"]] {
        let output = run(arguments);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        assert!(output.stdout.is_empty() && !output.stderr.is_empty());
    }
    assert_eq!(run(&["--help"]).status.code(), Some(0));
}
