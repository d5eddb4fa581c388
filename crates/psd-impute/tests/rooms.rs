//! The order of the rooms: each may use only those before it, and no folder of `learn/` uses another.

#![allow(clippy::unwrap_used)]

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The rooms of the engine in the order of ARCHITECTURE.md.
const ROOMS: [&str; 10] =
    ["linalg", "table", "kernel", "density", "objective", "solver", "learn", "stack", "impute", "model"];
/// The files beside them. `error` is open to all rooms, and `lib` only exports.
const FILES: [&str; 2] = ["error.rs", "lib.rs"];

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// The names in a folder, those of folders and of files apart.
fn entries(folder: &Path) -> (Vec<String>, Vec<String>) {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let (folders, files): (Vec<_>, Vec<_>) = entries.partition(|path| path.is_dir());
    let names = |paths: Vec<PathBuf>| {
        let mut names: Vec<String> =
            paths.iter().map(|path| path.file_name().unwrap().to_str().unwrap().to_string()).collect();
        names.sort();
        names
    };
    (names(folders), names(files))
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let (folders, files_here) = entries(folder);
    let here = files_here.iter().filter(|name| name.ends_with(".rs")).map(|name| folder.join(name));
    here.chain(folders.iter().flat_map(|name| files(&folder.join(name)))).collect()
}

/// The code of a file before its tests, without comments.
fn code(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    let code = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
    code.lines().map(|line| line.split("//").next().unwrap_or_default()).collect::<Vec<_>>().join("\n")
}

/// The module of a file: `learn/psd/fit.rs` is `[learn, psd, fit]`, `learn/mod.rs` is `[learn]`.
fn module(path: &Path) -> Vec<String> {
    let path = path.strip_prefix(source()).unwrap().with_extension("");
    let mut parts: Vec<String> = path.iter().map(|part| part.to_str().unwrap().to_string()).collect();
    if parts.last().is_some_and(|name| name == "mod") {
        parts.pop();
    }
    parts
}

/// The paths that a tree such as `a::{b, c::{d, e}}` stands for, and the text after it.
fn tree(text: &str) -> (Vec<Vec<String>>, &str) {
    let text = text.trim_start();
    if let Some(mut rest) = text.strip_prefix('{') {
        let mut all = Vec::new();
        loop {
            rest = rest.trim_start().trim_start_matches(',').trim_start();
            if let Some(after) = rest.strip_prefix('}') {
                return (all, after);
            }
            let (paths, after) = tree(rest);
            assert!(after.len() < rest.len(), "no tree of paths: {rest:.80}");
            all.extend(paths);
            rest = after;
            // The name after `as`.
            while !rest.trim_start().starts_with([',', '}']) {
                rest = rest.trim_start().trim_start_matches(|c: char| c.is_alphanumeric() || c == '_');
            }
        }
    }
    let end = text.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '*')).unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    let (below, rest) = match rest.strip_prefix("::") {
        Some(below) if !below.starts_with('<') => tree(below),
        _ => (vec![Vec::new()], rest),
    };
    let path = |below: Vec<String>| [name.to_string()].into_iter().chain(below).collect();
    (below.into_iter().map(path).collect(), rest)
}

/// The paths, from the root of the crate, that code in a module names by `crate::` and `super::`.
fn paths(code: &str, module: &[String]) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    let begins = |at: usize| !code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':');
    for (at, word) in code.match_indices("crate::").filter(|(at, _)| begins(*at)) {
        found.extend(tree(&code[at + word.len()..]).0);
    }
    for (at, _) in code.match_indices("super::").filter(|(at, _)| begins(*at)) {
        let (mut rest, mut base) = (&code[at..], module.to_vec());
        while let Some(after) = rest.strip_prefix("super::") {
            assert!(base.pop().is_some(), "too many `super` in {module:?}");
            rest = after;
        }
        found.extend(tree(rest).0.into_iter().map(|path| [base.clone(), path].concat()));
    }
    found
}

/// The room of each name that the root of the crate exports.
fn exports() -> HashMap<String, String> {
    let code = code(&source().join("lib.rs"));
    let mut out = HashMap::new();
    for rest in code.split("\npub use ").skip(1) {
        for path in tree(rest).0 {
            out.insert(path.last().unwrap().clone(), path[0].clone());
        }
    }
    out
}

/// Every path that a file names, from the root, with names that the root exports put into their rooms.
fn uses(file: &Path, exports: &HashMap<String, String>) -> Vec<Vec<String>> {
    let resolved = |path: Vec<String>| match path.first().and_then(|name| exports.get(name)) {
        Some(room) => [vec![room.clone()], path].concat(),
        None => path,
    };
    paths(&code(file), &module(file)).into_iter().map(resolved).collect()
}

#[test]
fn every_folder_is_a_room() {
    let (mut rooms, files) = (ROOMS.map(String::from).to_vec(), entries(&source()).1);
    rooms.sort();
    assert_eq!(entries(&source()).0, rooms);
    assert_eq!(files, FILES);
}

#[test]
fn each_room_uses_only_those_before_it() {
    let exports = exports();
    assert_eq!(exports.get("Model").map(String::as_str), Some("model"));
    let mut seen = 0;
    for (place, room) in ROOMS.iter().enumerate() {
        for file in files(&source().join(room)) {
            for path in uses(&file, &exports) {
                let name = path.first().map_or("", String::as_str);
                let other = ROOMS.iter().position(|room| *room == name);
                assert!(
                    other.is_some() || name == "error",
                    "{}: `{}` is in no room",
                    file.display(),
                    path.join("::")
                );
                let Some(other) = other else { continue };
                seen += 1;
                let path = path.join("::");
                assert!(other <= place, "{} uses `{path}`, which comes after `{room}`", file.display());
            }
        }
    }
    assert!(seen > 100, "only {seen} uses were found");
}

#[test]
fn no_kind_of_density_knows_another() {
    let (exports, learn) = (exports(), source().join("learn"));
    let kinds = entries(&learn).0;
    for kind in &kinds {
        for file in files(&learn.join(kind)) {
            for path in uses(&file, &exports).iter().filter(|path| path[0] == "learn" && path.len() > 1) {
                let other = kinds.contains(&path[1]) && path[1] != *kind;
                assert!(!other, "{} uses `{}`", file.display(), path.join("::"));
            }
        }
    }
}

#[test]
fn no_way_of_naming_a_room_escapes() {
    let module = ["learn", "psd", "fit"].map(String::from);
    let found =
        |code: &str| -> Vec<String> { paths(code, &module).iter().map(|path| path.join("::")).collect() };
    assert_eq!(
        found("use crate::{a::{b, c::D}, e as f, stack::Member};"),
        ["a::b", "a::c::D", "e", "stack::Member"]
    );
    assert_eq!(found("use super::super::super::model::Model;"), ["model::Model"]);
    assert_eq!(found("let x = super::super::donors::fit(y);"), ["learn::donors::fit"]);
    assert_eq!(found("use super::{anchors::*, joint};"), ["learn::psd::anchors::*", "learn::psd::joint"]);
    assert_eq!(found("fn f(m: &crate::Model) {}"), ["Model"]);
}
