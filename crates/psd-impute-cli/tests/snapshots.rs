//! The full output of every command on the table in `examples/`: its help, its summary, and its errors for bad input.
//! `TRYCMD=overwrite cargo test -p psd-impute-cli --test snapshots` accepts the current output.

#![cfg(unix)]

use std::path::Path;

#[test]
fn commands_say_what_the_snapshots_show() {
    let cases = trycmd::TestCases::new();
    cases.register_bin("sh", Path::new("/bin/sh"));
    cases.case("tests/snapshots/*.trycmd");
}
