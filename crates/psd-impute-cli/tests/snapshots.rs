//! What every command says, whole: its help, its summary, and what it makes of bad input, on the table in `examples/`.
//! `TRYCMD=overwrite cargo test -p psd-impute-cli --test snapshots` takes over what commands say now.

#![cfg(unix)]

use std::path::Path;

#[test]
fn commands_say_what_the_snapshots_show() {
    let cases = trycmd::TestCases::new();
    cases.register_bin("sh", Path::new("/bin/sh"));
    cases.case("tests/snapshots/*.trycmd");
}
