//! The order of the rooms: each may use only those before it, and no folder of `learn/` uses another.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};

/// The rooms of the engine in the order of ARCHITECTURE.md.
const ROOMS: [&str; 10] =
    ["linalg", "table", "kernel", "density", "objective", "solver", "learn", "stack", "impute", "model"];
/// The folders of `learn`, which are independent of each other.
const KINDS: [&str; 4] = ["psd", "mixture", "forest", "donors"];

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut out = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            out.extend(files(&path));
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            out.push(path);
        }
    }
    out
}

/// The code of a file before its tests, without comments.
fn code(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    let code = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
    code.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

/// The names that follow a path such as `crate::`, those in braces included.
fn named(code: &str, path: &str) -> Vec<String> {
    let word = |text: &str| text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
    code.split(path)
        .skip(1)
        .flat_map(|rest| match rest.strip_prefix('{') {
            None => vec![word(rest)],
            Some(list) => {
                list.split('}').next().unwrap_or_default().split(',').map(|name| word(name.trim())).collect()
            }
        })
        .collect()
}

#[test]
fn each_room_uses_only_those_before_it() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut seen = 0;
    for (place, room) in ROOMS.iter().enumerate() {
        for file in files(&source.join(room)) {
            for name in named(&code(&file), "crate::") {
                let Some(other) = ROOMS.iter().position(|room| **room == name) else { continue };
                seen += 1;
                assert!(other <= place, "{} uses `{name}`, which comes after `{room}`", file.display());
            }
        }
    }
    assert!(seen > 100, "only {seen} uses were found");
}

#[test]
fn no_kind_of_density_knows_another() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/learn");
    for kind in KINDS {
        for file in files(&source.join(kind)) {
            let names = named(&code(&file), "crate::learn::");
            let other = names.iter().find(|name| KINDS.contains(&name.as_str()) && *name != kind);
            assert!(other.is_none(), "{} uses `{}`", file.display(), other.unwrap());
        }
    }
}
