//! JSON lines: only missing cells change, and every other byte stays.

use crate::common::{complete, open, plan};
use psd_impute_frame::{ColumnOverrides, Error, Format, Kind, Place, Reason, Role};
use std::path::{Path, PathBuf};

/// The text completed with the cell 1, as JSON lines.
fn completed(text: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let (input, output) = (folder.path().join("in.jsonl"), folder.path().join("out.ndjson"));
    std::fs::write(&input, text).unwrap();
    complete(&input, &output, &ColumnOverrides::new(), 1.0).unwrap();
    std::fs::read_to_string(output).unwrap()
}

fn error_of(text: &str) -> Error {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("in.jsonl");
    std::fs::write(&path, text).unwrap();
    plan(&path, &ColumnOverrides::new()).unwrap_err()
}

fn at(error: &Error) -> (String, String) {
    let Place { excerpt, .. } = error.place().unwrap();
    let place = error.to_string();
    (place.rsplit('/').next().unwrap().to_string(), excerpt.as_ref().unwrap().marked.clone())
}

#[test]
fn only_missing_values_change() {
    let text = "\u{feff}{\"x\": 1.50, \"l\": \"a\", \"o\": {\"k\":[1, 2]}}\r\n\n{\"l\":null,\"x\":2e0}\n\
                {\"l\": \"\\u0062\", \"x\": null}\n{ }\n{\"x\":\"NA\",\"l\":\"a\",\"o\":null}\n{\"x\":3,\"l\":\"b\"}";
    let expected = "\u{feff}{\"x\": 1.50, \"l\": \"a\", \"o\": {\"k\":[1, 2]}}\r\n\n{\"l\":\"b\",\"x\":2e0}\n\
                    {\"l\": \"\\u0062\", \"x\": 1.0}\n{ \"x\":1.0,\"l\":\"b\"}\n{\"x\":1.0,\"l\":\"a\",\"o\":null}\n{\"x\":3,\"l\":\"b\"}\n";
    assert_eq!(completed(text), expected);
}

#[test]
fn values_keep_their_types() {
    let line = |x: &str, yes: &str, text: &str, long: &str| {
        format!("{{\"x\":{x},\"yes\":{yes},\"text\":{text},\"long\":{long}}}\n")
    };
    let text = [
        line("1", "true", "\"2.5\"", "12345678901234567"),
        line("null", "null", "null", "null"),
        line("7", "false", "\"3.5\"", "12345678901234569"),
    ]
    .concat();
    let expected = [
        line("1", "true", "\"2.5\"", "12345678901234567"),
        line("1", "true", "\"3.5\"", "null"),
        line("7", "false", "\"3.5\"", "12345678901234569"),
    ]
    .concat();
    let numbers = completed(&text.repeat(12));
    assert_eq!(numbers, expected.repeat(12));
}

#[test]
fn mixed_types_are_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("in.jsonl");
    let text = "{\"x\":1,\"m\":1,\"w\":123456789012345678901234567890}\n{\"x\":2,\"m\":\"word\"}\n{\"x\":null,\"m\":null}\n";
    std::fs::write(&path, text).unwrap();
    let plan = plan(&path, &ColumnOverrides::new()).unwrap();
    assert!(matches!(plan.column("x").unwrap().kind(), Kind::Number { .. }));
    let reason = |name: &str| match plan.column(name).unwrap().role() {
        Role::Left(Reason::Unsupported { found }) => found.clone(),
        other => panic!("{other:?}"),
    };
    assert_eq!(reason("m"), "integers and texts (`word`)");
    assert!(reason("w").contains("such as `123456789012345678901234567890`"));
    assert_eq!(completed(text), text.replace("{\"x\":null", "{\"x\":1"));
}

#[test]
fn a_bad_line_is_shown() {
    for (text, line, problem, marked) in [
        ("{\"a\":1}\n{\"a\":NaN}\n", 2, "expected value", "N"),
        ("{\"a\":1}\n\n{\"a\":1,}\n", 3, "trailing comma", "}"),
        ("{\"a\":1}\n{\"a\":1\n", 2, "EOF while parsing an object", ""),
        ("{\"a\":1} 2\n", 1, "trailing characters", "2"),
        ("{\"a\":1,\"a\":2}\n", 1, "the key is in the object twice", "\"a\""),
        ("{\"a\":1e999}\n", 1, "the number is too large", "1e999"),
        ("{\"a\":\"\\ud800\"}\n", 1, "unexpected end of hex escape", "\"\\ud800\""),
        ("{\"a\":1}\n[1]\n", 2, "the line is no JSON object", "[1]"),
        ("[{\"a\":1},\n{\"a\":2}]\n", 1, "the line is no JSON object", "[{\"a\":1},"),
        ("{\"a\":1}\n1,2\n", 2, "the line is no JSON object", "1,2"),
    ] {
        let error = error_of(text);
        assert_eq!(at(&error), (format!("in.jsonl:{line}: {problem}"), marked.to_string()), "{text}");
        assert!(error.hint().unwrap().contains("one object"), "{text}");
    }
    assert!(matches!(error_of("{}\n{}\n"), Error::NoRows { .. }));
    assert!(matches!(error_of("{\"a\":1}\n\"\u{fffd}"), Error::BadJson { .. }));
}

#[test]
fn large_and_compressed_files_are_read_in_batches() {
    let folder = tempfile::tempdir().unwrap();
    let line = |i: usize| match i % 7 {
        0 => "{}\n".to_string(),
        _ => format!("{{\"x\":{}.5,\"late\":{}}}\n", i % 11, if i > 15_000 { "1" } else { "null" }),
    };
    let text: String = (0..20_000).map(line).collect();
    let path = |name: &str| -> PathBuf { folder.path().join(name) };
    std::fs::write(path("a.jsonl.zst"), zstd::encode_all(text.as_bytes(), 0).unwrap()).unwrap();
    complete(&path("a.jsonl.zst"), &path("b.jsonl.gz"), &ColumnOverrides::new(), 1.0).unwrap();
    complete(&path("b.jsonl.gz"), &path("c.jsonl"), &ColumnOverrides::new(), 2.0).unwrap();
    let source = open(&path("b.jsonl.gz")).unwrap();
    assert!(matches!(source.format(), Format::JsonLines(_)));
    assert!(source.batches().unwrap().count() > 2);
    let done = std::fs::read_to_string(path("c.jsonl")).unwrap();
    assert_eq!(done.lines().count(), 20_000);
    assert!(done.lines().all(|line| line.contains("\"x\":") && line.contains("\"late\":1")));
}

#[test]
fn many_keys_do_not_take_all_memory() {
    let keys = |i: usize| format!("{{\"key-{i}\":1}}\n");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("in.jsonl");
    std::fs::write(&path, (0..2000).map(keys).collect::<String>()).unwrap();
    assert_eq!(rows(&path), 2000);
    assert!(error_of(&(0..40_000).map(keys).collect::<String>()).to_string().contains("different keys"));
}

fn rows(path: &Path) -> usize {
    open(path).unwrap().batches().unwrap().map(|batch| batch.unwrap().len()).sum()
}
