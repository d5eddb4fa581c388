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

#[test]
fn wrong_usage_exits_with_one() {
    for arguments in [&[][..], &["dance"], &["demo", "--seed", "x"]] {
        let output = run(arguments);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        assert!(output.stdout.is_empty() && !output.stderr.is_empty());
    }
    assert_eq!(run(&["--help"]).status.code(), Some(0));
}
