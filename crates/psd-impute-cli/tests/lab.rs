//! `lab run` and `lab report`: a small study with every part, killed and resumed.

#![allow(clippy::unwrap_used)]

mod folder;

use folder::Folder;
use serde_json::Value;
use std::collections::BTreeMap;
use std::process::Output;
use std::time::{Duration, Instant};

/// The records by key, without their dates and times taken.
type Records = BTreeMap<String, Value>;

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn done(&self, arguments: &str) -> String {
        let output = self.command(arguments).output().unwrap();
        assert!(output.status.success(), "{arguments}: {}", said(&output));
        said(&output)
    }

    fn records(&self, name: &str) -> Records {
        let one = |line: &str| {
            let mut record: Value = serde_json::from_str(line).unwrap();
            let fields = record.as_object_mut().unwrap();
            ["seconds", "date", "machine"].iter().for_each(|field| assert!(fields.remove(*field).is_some()));
            let key =
                ["dataset", "mechanism", "rate", "seed", "method"].map(|field| fields[field].to_string());
            (key.join(" "), record)
        };
        self.get(name).lines().map(one).collect()
    }
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Waits for a condition for at most a minute.
fn wait(what: impl Fn() -> bool) {
    let start = Instant::now();
    while !what() {
        assert!(start.elapsed() < Duration::from_secs(60));
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_minute_is_run_and_reported() {
    let folder = Folder::new();
    folder.done("lab run minute.toml --quiet");
    let records = folder.records("minute.jsonl");
    // Two toys, five mechanisms, two seeds.
    let methods = records.values().filter(|record| record["seed"] == 0).count() / 10;
    assert_eq!(records.len(), 20 * methods);
    for record in records.values() {
        assert_eq!(record.get("error"), None, "{record}");
        for score in ["ed", "w2", "rmse", "mae"] {
            assert!(record[score].as_f64().unwrap().is_finite(), "{record}");
        }
    }
    // No method beats the oracle, which sees the same draws.
    let sum = |method: &str| {
        let own = records.values().filter(|record| record["method"] == method);
        own.map(|record| record["rmse"].as_f64().unwrap()).sum::<f64>()
    };
    assert!(sum("psd_ideal") < sum("psd_multiple"));

    let page = folder.command("lab report minute.jsonl -o page.md").output().unwrap();
    assert!(page.status.success(), "{}", said(&page));
    let text = folder.get("page.md");
    for figure in
        ["ed-mcar-30-in-sample", "w2-mar-30-in-sample", "rmse-mnarself-30-in-sample", "toy-two-moons"]
    {
        assert!(text.contains(&format!("(page/{figure}.svg)")), "{figure}");
        assert!(folder.path(&format!("page/{figure}.png")).exists(), "{figure}");
    }
    let shown: f64 = records["\"cylinder\" \"mar\" 0.3 0 \"mean\""]["ed"].as_f64().unwrap();
    let other: f64 = records["\"cylinder\" \"mar\" 0.3 1 \"mean\""]["ed"].as_f64().unwrap();
    assert!(text.contains(&format!("{:.4} ±", 0.5 * (shown + other))));
}

const STUDY: &str = "title = 'Small'\nprotocol = 'split'\nmechanisms = ['mcar']\nrates = [0.2]\nseeds = [0, 1, 2]\nimputations = 2\ni_score = true\n\
                     methods = ['mean', 'ice', 'pmm', 'psd_mean', 'psd_ideal']\ntoys = ['rings']\ntoy_rows = 90\n\
                     [[tables]]\nname = 'own'\nsource = 'made by the test'\n";

#[test]
fn a_killed_study_goes_on_to_the_same_records() {
    let folder = Folder::new();
    std::fs::write(folder.path("small.toml"), STUDY).unwrap();
    let row = |i: u32| format!("{},{},{}\n", i * i % 37, i % 11 * i, f64::from(i).sqrt());
    let rows: String = (0..50).map(row).collect();
    std::fs::write(folder.path("own.csv"), format!("a,b,c\n{rows}")).unwrap();
    folder.done("lab run small.toml --data . -o whole.jsonl --threads 2");
    let whole = folder.records("whole.jsonl");
    assert_eq!(whole.len(), 2 * 3 * 5);
    for record in whole.values() {
        // A density has a likelihood; the oracle has no score without the truth.
        let has = |field: &str| record.get(field).is_some_and(|x| x.is_f64());
        assert_eq!(has("nll"), record["method"].as_str().unwrap().starts_with("psd"), "{record}");
        if record["dataset"] == "rings" {
            assert_eq!(has("i_score"), record["method"] != "psd_ideal", "{record}");
        }
    }

    let mut child = folder.command("lab run small.toml --data . -o part.jsonl --threads 1").spawn().unwrap();
    wait(|| std::fs::read(folder.path("part.jsonl")).is_ok_and(|bytes| bytes.contains(&b'\n')));
    child.kill().unwrap();
    child.wait().unwrap();
    // As if it had been killed while it wrote.
    let lines = folder.get("part.jsonl");
    let cut = lines.lines().count() / 2;
    let kept: String = lines.split_inclusive('\n').take(cut).collect();
    std::fs::write(folder.path("part.jsonl"), kept + "{\"dataset\":\"rin").unwrap();
    let said = folder.done("lab run small.toml --data . -o part.jsonl --threads 2");
    assert!(said.contains(&format!("{cut} records there, {} added", 30 - cut)), "{said}");
    assert_eq!(folder.records("part.jsonl"), whole);
}

#[test]
fn records_go_to_standard_output_for_a_hyphen() {
    let folder = Folder::new();
    std::fs::write(folder.path("small.toml"), STUDY).unwrap();
    folder.done("lab run small.toml --methods mean -o file.jsonl");
    let output = folder.command("lab run small.toml --methods mean -o -").output().unwrap();
    assert!(output.status.success() && !folder.path("-").exists(), "{}", said(&output));
    std::fs::write(folder.path("printed.jsonl"), &output.stdout).unwrap();
    assert_eq!(folder.records("printed.jsonl"), folder.records("file.jsonl"));
    assert!(!said(&output).contains("wrote"), "{}", said(&output));
}

#[test]
fn what_is_no_file_of_records_is_left_alone() {
    let folder = Folder::new();
    for text in ["my notes", "{\"dataset\":\"iris\"}\n", "\u{0}\u{1}\n\n"] {
        std::fs::write(folder.path("notes"), text).unwrap();
        let output = folder.command("lab run minute.toml -o notes").output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{}", said(&output));
        assert_eq!(folder.get("notes"), text);
    }
}

#[test]
fn numbers_of_other_sizes_are_other_records() {
    let folder = Folder::new();
    for rows in ["90", "60"] {
        std::fs::write(folder.path("small.toml"), STUDY.replace("90", rows)).unwrap();
        folder.done("lab run small.toml --methods mean -o all.jsonl");
    }
    assert_eq!(folder.get("all.jsonl").lines().count(), 6);
    folder.done("lab report all.jsonl -o page.md");
    let page = folder.get("page.md");
    assert!(page.contains("rings (90 × 2)") && page.contains("rings (60 × 2)"));
    assert!(page.contains("### Energy-I-Score"));
}

/// A program in place of Python that copies the table to complete, with 7 in each missing cell except in the first column, which has a
/// missing cell for seed 1 and later only. It fails for seed 2.
#[cfg(unix)]
const PROGRAM: &str = r#"#!/bin/sh
[ $# -gt 2 ] || exit 0
case "$6" in 2???) echo 'no such luck' >&2; exit 1;; esac
echo 'note: sevens everywhere'
awk -F, -v OFS=, -v first="$([ "$6" -lt 1000 ] && echo 7)" \
    '{ for (j = 1; j <= NF; j++) if ($j == "") $j = j == 1 ? first : 7; print }' "$3" > "$5"
"#;

#[cfg(unix)]
#[test]
fn cells_that_a_program_leaves_empty_are_counted_and_not_scored() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    let study = STUDY.replace("'split'", "'in-sample'").replace("'pmm'", "'miceforest'");
    std::fs::write(folder.path("small.toml"), study.replace("i_score = true\n", "")).unwrap();
    std::fs::write(folder.path("program"), PROGRAM).unwrap();
    std::fs::set_permissions(folder.path("program"), std::fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = folder.command("lab run small.toml --methods mean,miceforest");
    let output = command.env("PSD_IMPUTE_PYTHON", folder.path("program")).output().unwrap();
    assert!(output.status.success(), "{}", said(&output));
    assert!(said(&output).contains("1 of them failed"), "{}", said(&output));
    assert!(said(&output).contains("note: 1 of the records added have no scores"), "{}", said(&output));

    let lines: Vec<Value> =
        folder.get("small.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of = |seed: u64| {
        lines.iter().find(|record| record["method"] == "miceforest" && record["seed"] == seed).unwrap()
    };
    assert!(of(0)["rmse"].is_f64() && of(0)["note"] == "sevens everywhere", "{}", of(0));
    let (left, missing) = (of(1)["left_empty"].as_u64().unwrap(), of(1)["missing"].as_u64().unwrap());
    // About half of the missing cells of two columns, in each of two tables.
    assert!(left > 10 && left < missing && missing < 100, "{}", of(1));
    assert_eq!(of(1).get("ed"), None);
    assert!(of(2)["error"].as_str().unwrap().contains("no such luck"), "{}", of(2));

    folder.done("lab report small.jsonl -o page.md");
    let page = folder.get("page.md");
    let expected = [
        "miceforest on rings, seed 0: sevens everywhere".to_string(),
        format!(
            "miceforest on rings, seed 1: {left} of {missing} cells left empty, not scored; sevens everywhere"
        ),
        "miceforest on rings, seed 2: failed: miceforest: no such luck".to_string(),
    ];
    expected.iter().for_each(|line| assert!(page.contains(&format!("- {line}\n")), "{line}: {page}"));
    // No numbers beside those that have all seeds.
    assert!(
        page.lines().any(|line| line.starts_with("| rings (90 × 2) |") && line.ends_with("| - |")),
        "{page}"
    );

    // A method that left cells empty would do so again; one that failed may not.
    let mut command = folder.command("lab run small.toml --methods mean,miceforest");
    let output = command.env("PSD_IMPUTE_PYTHON", folder.path("program")).output().unwrap();
    assert!(said(&output).contains("5 records there, 1 added"), "{}", said(&output));
}

#[test]
fn tables_that_are_not_there_are_named_with_their_source() {
    let folder = Folder::new();
    std::fs::write(folder.path("small.toml"), STUDY).unwrap();
    let said = folder.done("lab run small.toml --methods mean");
    assert!(said.contains("own.csv: made by the test") && said.contains("--data DIR"), "{said}");
    assert_eq!(folder.records("small.jsonl").len(), 3);
}
