//! Messages about missing cells that stay empty.

#![allow(clippy::unwrap_used)]

mod folder;

use folder::Folder;
use serde_json::Value;
use std::process::Output;

/// Sixty people with names, cabins (too many labels), and ages with missing cells.
fn folder() -> Folder {
    let folder = Folder(tempfile::tempdir().unwrap());
    let mut text = String::from("name,cabin,age,fare\n");
    for i in 0..60 {
        let cabin = if i % 3 == 0 { String::new() } else { format!("C{}", i / 2) };
        let age = if i % 5 == 0 { String::new() } else { (20 + i % 17).to_string() };
        text += &format!("Mr number {i},{cabin},{age},{}.5\n", i % 13);
    }
    std::fs::write(folder.path("in.csv"), text).unwrap();
    folder
}

fn run(folder: &Folder, arguments: &str) -> (Output, String) {
    let output = folder.command(arguments).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    (output, said)
}

#[test]
fn the_summary_counts_all_missing_cells() {
    let folder = folder();
    let (output, said) = run(&folder, "impute in.csv -o out.csv");
    assert!(output.status.success(), "{said}");
    assert!(said.contains("60 rows, 4 columns, 32 missing cells, 12 filled, 20 left empty"), "{said}");
    assert!(said.contains("cabin") && said.contains("20 left empty\n"), "{said}");
    let note =
        "note: 20 cells of `cabin` stay empty: 30 different texts in 40 cells are too many for a category";
    assert!(said.contains(note), "{said}");
    assert_eq!(folder.get("out.csv").lines().filter(|line| line.contains(",,")).count(), 20);
}

#[test]
fn the_json_summary_has_them_per_column_and_in_total() {
    let folder = folder();
    let (output, _) = run(&folder, "impute in.csv -o out.csv --json");
    let summary: Value = serde_json::from_slice(&output.stdout).unwrap();
    let cells = |of: &Value| ["missing", "filled", "left_empty"].map(|key| of[key].as_u64().unwrap());
    assert_eq!(cells(&summary), [32, 12, 20]);
    let columns = summary["columns"].as_array().unwrap();
    assert_eq!(
        columns.iter().map(cells).collect::<Vec<_>>(),
        [[0, 0, 0], [20, 0, 20], [12, 12, 0], [0, 0, 0]]
    );
    assert_eq!(columns[1]["reason"], "30 different texts in 40 cells are too many for a category");
    assert_eq!(columns[2].get("reason"), None);
}

#[test]
fn strict_refuses_them_before_anything_is_fitted_or_written() {
    let folder = folder();
    for command in ["impute in.csv -o out.csv --strict", "fit in.csv -o out.psd --strict"] {
        let (output, said) = run(&folder, command);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(
            said.contains("error: 20 missing cells would stay empty: 20 of `cabin` (30 different"),
            "{said}"
        );
        assert!(said.contains("hint: --categorical cabin completes it with texts of other rows"), "{said}");
        assert!(!folder.path("out.csv").exists() && !folder.path("out.psd").exists());
    }
    let (output, said) = run(&folder, "impute in.csv -o out.csv --strict --ignore cabin");
    assert_eq!(output.status.code(), Some(2), "an ignored column stays empty too: {said}");
    let (output, said) = run(&folder, "impute in.csv -o out.csv --strict --categorical cabin");
    assert!(output.status.success(), "{said}");
    assert!(!folder.get("out.csv").contains(",,"));
}

#[test]
fn a_model_says_what_it_leaves_empty() {
    let folder = folder();
    let (_, said) = run(&folder, "fit in.csv -o m.psd");
    assert!(said.contains("note: 20 cells of `cabin` stay empty"), "{said}");
    let (_, said) = run(&folder, "impute in.csv -o out.csv --model m.psd");
    assert!(said.contains("32 missing cells, 12 filled, 20 left empty"), "{said}");
    assert!(said.contains("note: 20 cells of `cabin` stay empty"), "{said}");
    let (output, said) = run(&folder, "impute in.csv -o strict.csv --model m.psd --strict");
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(!folder.path("strict.csv").exists());
    let (_, said) = run(&folder, "report in.csv --model m.psd -o page.html");
    assert!(said.contains("stay empty: “cabin” (20 cells)"), "{said}");
}

#[test]
fn describe_counts_them() {
    let folder = folder();
    let output = folder.command("describe in.csv").output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(said.starts_with("60 rows, 4 columns, 32 missing cells, 20 of which stay empty\n"), "{said}");
    assert!(said.contains("20 cells of `cabin` stay empty: 30 different"), "{said}");
    let output = folder.command("describe in.csv --json").output().unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((report["missing"].as_u64(), report["left_empty"].as_u64()), (Some(32), Some(20)));
}
