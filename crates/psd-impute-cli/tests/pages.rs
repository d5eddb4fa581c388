//! The commands on pages of the documentation and in the READMEs: those of each page run in order, in a separate folder with
//! `examples/`, and must print the output shown. Blocks of Python are run by `python/tests/test_pages.py`.

#![cfg(unix)]
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};

/// Languages of blocks. Those of `console` are run here, those of `python` and `output` by the Python package's tests; `python-peer`
/// and `r` are other programs' own, `text` is no code.
const LANGUAGES: [&str; 7] = ["console", "python", "output", "python-peer", "r", "sh", "text"];

/// The lines of `sh` blocks, which are not run here but elsewhere.
const SHELL: [&str; 7] = [
    // Pages run `psd-impute demo`: the same program, built and started by cargo.
    "cargo run --release -- demo",
    // Builds and copies the same program.
    "cargo install --profile dist --path crates/psd-impute-cli",
    // `cargo xtask test` builds the same wheel with the same backend, and installs it with pip.
    "pip install ./python",
    "python3 -m venv .venv && .venv/bin/pip install ./python",
    // They run the tests themselves.
    "cargo xtask quick",
    "cargo xtask test",
    "cargo xtask package",
];

/// The programs that `console` blocks may start.
const PROGRAMS: [(&str, &str); 2] = [("ls", "/bin/ls"), ("head", "/usr/bin/head")];

#[test]
fn commands_say_what_pages_show() {
    let folder = tempfile::tempdir().unwrap();
    let cases = trycmd::TestCases::new();
    for (name, path) in PROGRAMS {
        cases.register_bin(name, Path::new(path));
    }
    let mut found = Vec::new();
    for path in pages() {
        let page = fs::read_to_string(&path).unwrap();
        if page.contains("\n```console\n") {
            let name = path.strip_prefix(root()).unwrap().to_str().unwrap().replace('/', "-");
            cases.case(prepared(&page, folder.path(), &name));
            found.push(name);
        }
    }
    for name in ["README.md", "docs-command.md", "docs-getting-started.md"] {
        assert!(found.iter().any(|page| page == name), "{name} has commands");
    }
    cases.run();
}

#[test]
fn every_block_is_run_or_is_known_not_to_be() {
    for path in pages() {
        let page = fs::read_to_string(&path).unwrap();
        let mut language: Option<&str> = None;
        for (number, line) in page.lines().enumerate() {
            let place = format!("{}, line {}: {line}", path.display(), number + 1);
            match (language, line.strip_prefix("```")) {
                (None, Some(opened)) => {
                    assert!(LANGUAGES.contains(&opened), "{place}: a block that no test knows");
                    language = Some(opened);
                }
                (Some(_), Some(rest)) => {
                    assert!(rest.is_empty(), "{place}");
                    language = None;
                }
                (Some("sh"), None) => {
                    let command = line.split("  #").next().unwrap_or_default().trim_end();
                    assert!(SHELL.contains(&command), "{place}: say in this test what runs it")
                }
                (Some("text"), None) => {
                    assert!(!line.starts_with("$ "), "{place}: commands belong into a block of console")
                }
                _ => assert!(!line.trim_start().starts_with("```"), "{place}: indented, so no test sees it"),
            }
        }
        assert_eq!(language, None, "{}: a block without an end", path.display());
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The READMEs, the page for contributors, and every page under `docs/`.
fn pages() -> Vec<PathBuf> {
    let root = root();
    let mut found = vec![root.join("README.md"), root.join("CONTRIBUTING.md"), root.join("python/README.md")];
    let mut folders = vec![root.join("docs")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "md") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Copies a page, with the folder that its commands start from and one that lets them write.
fn prepared(page: &str, folder: &Path, name: &str) -> PathBuf {
    let path = folder.join(name);
    let start = path.with_extension("in").join("examples");
    fs::create_dir_all(&start).unwrap();
    fs::create_dir(path.with_extension("out")).unwrap();
    for entry in fs::read_dir(root().join("examples")).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), start.join(entry.file_name())).unwrap();
    }
    let lines: Vec<String> = page.lines().map(elided).collect();
    // An empty line says that the last one of an output has an end.
    let text = lines.join("\n").replace("\n```\n", "\n\n```\n");
    fs::write(&path, text).unwrap();
    path
}

/// A line without the parts that depend on the machine: seconds, likelihoods, weights and scores, and counts of randomly masked cells.
fn elided(line: &str) -> String {
    if line.contains(" cells taken away") {
        return format!("[..]{}", &line[line.find(' ').unwrap()..]);
    }
    if line.split_whitespace().skip(1).any(is_score) {
        let words = line.split_whitespace();
        return words.map(|word| if is_score(word) { "[..]" } else { word }).collect::<Vec<_>>().join("    ");
    }
    if line.strip_suffix(" s").is_some_and(|seconds| seconds.parse::<f64>().is_ok()) {
        return "[..] s".to_string();
    }
    if line.starts_with("held-out log-likelihood ") {
        return "held-out log-likelihood [..] nats per row (normal model [..]), of which:".to_string();
    }
    match line.strip_suffix(" alone)").and_then(|member| Some((member.find('%')?, member.rfind('(')?))) {
        Some((percent, score)) => format!("[..] {}([..] alone)", &line[percent..score]),
        None => line.to_string(),
    }
}

/// Whether a word is a number with six decimals.
fn is_score(word: &str) -> bool {
    word.split_once('.').is_some_and(|(whole, decimals)| {
        decimals.len() == 6 && [whole, decimals].iter().all(|part| part.bytes().all(|b| b.is_ascii_digit()))
    })
}
