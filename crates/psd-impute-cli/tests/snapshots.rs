//! What every command says, whole: its help, its summary, and what it makes of bad input, on the table in `examples/`; and what the
//! README shows. `TRYCMD=overwrite cargo test -p psd-impute-cli --test snapshots` takes over what commands say now, but for the README.

#![cfg(unix)]
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::Path;

#[test]
fn commands_say_what_the_snapshots_show() {
    let cases = trycmd::TestCases::new();
    cases.register_bin("sh", Path::new("/bin/sh"));
    cases.case("tests/snapshots/*.trycmd");
}

#[test]
fn commands_say_what_the_readme_shows() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folder = tempfile::tempdir().unwrap();
    let readme = fs::read_to_string(root.join("README.md")).unwrap();
    assert_eq!(readme.matches("\n```console\n$ psd-impute ").count(), 2);
    let lines: Vec<String> = readme.lines().map(elided).collect();
    // An empty line says that the last one of an output has an end.
    let text = lines.join("\n").replace("\n```\n", "\n\n```\n");
    fs::write(folder.path().join("README.md"), text).unwrap();
    // The folder that the commands start from; the other lets them write.
    let start = folder.path().join("README.in/examples");
    fs::create_dir_all(&start).unwrap();
    fs::create_dir(folder.path().join("README.out")).unwrap();
    fs::copy(root.join("examples/people.csv"), start.join("people.csv")).unwrap();
    trycmd::TestCases::new().case(folder.path().join("README.md")).run();
}

/// A line of the README without what is a machine's own: seconds, likelihoods and weights.
fn elided(line: &str) -> String {
    if line.strip_suffix(" s").is_some_and(|seconds| seconds.parse::<f64>().is_ok()) {
        return "[..] s".to_string();
    }
    if line.starts_with("held-out log-likelihood ") {
        return "held-out log-likelihood [..] nats a row (normal model [..]), of which:".to_string();
    }
    match line.strip_suffix(" alone)").and_then(|member| Some((member.find('%')?, member.rfind('(')?))) {
        Some((percent, score)) => format!("[..] {}([..] alone)", &line[percent..score]),
        None => line.to_string(),
    }
}
