//! `psd-impute ampute` and `psd-impute evaluate` as a user runs them.

#![allow(clippy::unwrap_used)]

use std::path::PathBuf;
use std::process::{Command, Output};

/// A temporary folder.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn put(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).unwrap();
    }

    fn get(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    fn cells(&self, name: &str) -> Vec<Vec<String>> {
        self.get(name).lines().map(|line| line.split(',').map(String::from).collect()).collect()
    }

    /// A command in the folder, its arguments separated by spaces.
    fn command(&self, arguments: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_psd-impute"));
        command.current_dir(self.0.path()).args(arguments.split(' '));
        command
    }

    fn run(&self, arguments: &str) -> Output {
        self.command(arguments).output().unwrap()
    }

    fn done(&self, arguments: &str) -> String {
        let output = self.run(arguments);
        assert!(output.status.success(), "{arguments}: {}", message(&output));
        String::from_utf8(output.stdout).unwrap()
    }

    /// Runs a command that must fail because of bad data; returns its messages.
    fn refused(&self, arguments: &str) -> String {
        let output = self.run(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments}: {}", message(&output));
        assert!(output.stdout.is_empty());
        message(&output)
    }
}

fn message(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Four columns of numbers written in many ways, a cell of which is missing.
fn numbers() -> String {
    let mut text = String::from("a,b,c,d\n-1,NA,2.50,1e-3\n");
    for i in 0..200 {
        text += &format!("{}.0,{},{:e},+{}\n", i % 17, i * i % 31, f64::from(i).sqrt(), i % 5);
    }
    text
}

const WAYS: [&str; 5] = ["mcar", "mar", "mnar", "mnar --mnar self", "mnar --mnar quantile"];

#[test]
fn cells_that_stay_come_out_byte_for_byte() {
    let folder = Folder::new();
    folder.put("in.csv", &numbers());
    for way in WAYS {
        let command = |out: &str, seed: u64| {
            format!("ampute in.csv -o {out} --mechanism {way} --rate 0.3 --seed {seed}")
        };
        assert!(folder.done(&command("out.csv", 3)).is_empty());
        let (before, after) = (folder.cells("in.csv"), folder.cells("out.csv"));
        assert_eq!(before.len(), after.len());
        let cells = || before.iter().flatten().zip(after.iter().flatten());
        assert!(cells().all(|(old, new)| new == old || new.is_empty()), "{way}");
        let taken = cells().filter(|(old, new)| old != new).count();
        assert!((90..=290).contains(&taken), "{way}: {taken} of 803");
        assert_eq!(after[1][1], "NA");
        assert_eq!(before[0], after[0]);

        folder.done(&command("same.csv", 3));
        folder.done(&command("other.csv", 4));
        assert_eq!(folder.get("out.csv"), folder.get("same.csv"));
        assert_ne!(folder.get("out.csv"), folder.get("other.csv"));
    }
    assert!(message(&folder.run("ampute in.csv -o out.csv --rate 0.3")).contains("of 803 cells taken away"));
}

#[test]
fn what_cannot_be_taken_is_explained() {
    let folder = Folder::new();
    folder.put("in.csv", &numbers());
    folder.put("one.csv", "a\n1\n2\n");
    for rate in ["0", "1", "x", "NaN"] {
        let output = folder.run(&format!("ampute in.csv -o out.csv --rate {rate}"));
        assert_eq!(output.status.code(), Some(1));
        assert!(message(&output).contains("above zero and below one"));
    }
    let one = folder.refused("ampute one.csv -o out.csv --rate 0.3 --mechanism mar");
    assert!(one.contains("one.csv: the mechanism needs 2 or more columns") && one.contains("hint:"), "{one}");
    let thin = folder.refused("ampute in.csv -o out.csv --rate 0.9 --mechanism mnar --mnar quantile");
    assert!(thin.contains("in.csv: column `") && thin.contains("hint: lower the rate"), "{thin}");
    assert!(folder.refused("ampute in.csv -o none/out.csv --rate 0.3").contains("there is no folder"));
    assert!(!folder.path("out.csv").exists());
}

/// The truth is -1 and 1 in standard units, and the second cell of `a` is missing.
fn two_rows() -> Folder {
    let folder = Folder::new();
    folder.put("truth.csv", "a,same\n0,5\n2,5\n");
    folder.put("masked.csv", "a,same\n0,5\nNA,5\n");
    folder.put("poor.csv", "a,same\n0,5\n0.0,5\n");
    folder.put("good.csv", "a,same\n0,5\n2,5\n");
    folder
}

#[test]
fn scores_are_printed_as_a_table_or_as_json() {
    let folder = two_rows();
    let printed = folder.done("evaluate truth.csv masked.csv poor.csv good.csv");
    let lines: Vec<Vec<&str>> = printed.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(lines[0], ["ed", "w2", "rmse", "mae", "category", "error"]);
    assert_eq!(lines[1], ["poor.csv", "1.000000", "2.000000", "2.000000", "2.000000", "-"]);
    assert_eq!(lines[2], ["good.csv", "0.000000", "0.000000", "0.000000", "0.000000", "-"]);
    assert_eq!(lines[3], ["average", "0.500000", "1.000000", "1.000000", "1.000000", "-"]);
    let widths: Vec<usize> = printed.lines().map(str::len).collect();
    assert!(widths.iter().all(|w| *w == widths[0]), "{printed}");

    let printed = folder.done("evaluate truth.csv masked.csv good.csv poor.csv poor.csv --json");
    let json: serde_json::Value = serde_json::from_str(&printed).unwrap();
    let third = 2.0 / 3.0;
    let expected = serde_json::json!({
        "ed": third, "w2": 1.0, "rmse": 2.0 * third, "mae": 2.0 * third, "category_error": null,
        "each": [
            {"file": "good.csv", "ed": 0.0, "w2": 0.0, "rmse": 0.0, "mae": 0.0, "category_error": null},
            {"file": "poor.csv", "ed": 1.0, "w2": 2.0, "rmse": 2.0, "mae": 2.0, "category_error": null},
            {"file": "poor.csv", "ed": 1.0, "w2": null, "rmse": 2.0, "mae": 2.0, "category_error": null},
        ],
    });
    assert_eq!(json, expected);
}

#[test]
fn what_cannot_be_scored_is_named() {
    let folder = two_rows();
    folder.put("short.csv", "a,same\n0,5\n");
    folder.put("renamed.csv", "b,same\n0,5\n2,5\n");
    folder.put("changed.csv", "a,same\n7,5\n2,5\n");
    folder.put("holes.csv", "a,same\n0,5\n,5\n");
    folder.put("empty.csv", "a,b\n,5\n2,\n,6\n3,\n");
    let cases = [
        ("truth.csv masked.csv good.csv short.csv", "short.csv: the truth has 2 rows, but this table 1"),
        ("truth.csv short.csv good.csv", "short.csv: the truth has 2 rows, but this table 1"),
        ("truth.csv masked.csv renamed.csv", "renamed.csv has none of the modelled columns"),
        ("truth.csv masked.csv changed.csv", "changed.csv: row 1, column `a` is 7, but 0 in the truth"),
        ("truth.csv changed.csv good.csv", "changed.csv: row 1, column `a` is 7, but 0 in the truth"),
        (
            "truth.csv masked.csv holes.csv",
            "holes.csv: 1 of 1 missing cells are left empty, the first in row 2, column `a`",
        ),
        ("empty.csv empty.csv good.csv", "empty.csv: no row of the truth is complete"),
    ];
    for (files, words) in cases {
        let said = folder.refused(&format!("evaluate {files}"));
        assert!(said.contains(words) && said.contains("\nhint: "), "`{said}` does not say `{words}`");
    }
    assert!(folder.refused("evaluate truth.csv masked.csv nowhere.csv").contains("nowhere.csv"));
    assert_eq!(folder.run("evaluate truth.csv masked.csv").status.code(), Some(1));
}

#[test]
fn rows_whose_truth_has_gaps_are_left_out_and_counted() {
    let folder = two_rows();
    folder.put("truth.csv", "a,b\n0,5\n2,7\n1,\n");
    folder.put("masked.csv", "a,b\n0,5\n,7\n1,\n");
    folder.put("done.csv", "a,b\n0,5\n2,7\n1,6\n");
    let output = folder.run("evaluate truth.csv masked.csv done.csv");
    assert!(output.status.success());
    assert!(
        message(&output).contains("note: not scored, because their truth has gaps: 1 of 3 rows"),
        "{}",
        message(&output)
    );
}

#[test]
fn columns_that_are_not_scored_are_named_with_the_cells_left_empty_in_them() {
    let folder = Folder::new();
    let table = |x: &dyn Fn(usize) -> String, words: &dyn Fn(usize) -> String, same: &str| {
        let row = |i: usize| format!("p{i:03},{},{},{same}\n", x(i), words(i));
        format!("id,x,words,same\n{}", (0..60).map(row).collect::<String>())
    };
    let (x, words) =
        (|i: usize| (i * i % 17).to_string(), |i: usize| format!("some words on {i} and others"));
    let some = |i: usize| if i.is_multiple_of(4) { String::new() } else { words(i) };
    folder.put("truth.csv", &table(&x, &words, "5"));
    folder.put("masked.csv", &table(&|i| if i < 9 { String::new() } else { x(i) }, &some, ""));
    folder.put("done.csv", &table(&x, &some, "5"));
    let output = folder.run("evaluate truth.csv masked.csv done.csv --json");
    let said = message(&output);
    assert!(output.status.success(), "{said}");
    for words in [
        "note: column `words` has 15 missing cells, which are not scored: it is free text\n",
        "note: column `same` has 60 missing cells, which are not scored: all its cells are the same\n",
        "note: done.csv: 15 cells of column `words` are left empty\n",
    ] {
        assert!(said.contains(words), "{words}: {said}");
    }
    assert_eq!(said.lines().count(), 3, "{said}");
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["not_scored"], serde_json::json!(["words", "same"]));
    assert_eq!(json["rmse"], 0.0);
}

#[test]
fn a_table_goes_all_the_way() {
    let folder = Folder::new();
    let mut text = String::from("x,y\n");
    (0..60).for_each(|i| text += &format!("{},{}\n", i % 13, (i % 13) * 2 + i % 3));
    folder.put("truth.csv", &text);
    folder.done("ampute truth.csv -o masked.csv --rate 0.2 --seed 1");
    folder.done("impute masked.csv -o done.csv --method mean --time-budget 0.001");
    let printed = folder.done("evaluate truth.csv masked.csv done.csv --json");
    let json: serde_json::Value = serde_json::from_str(&printed).unwrap();
    // The columns lie close to a line, which the normal model finds; means of columns would have an error of one.
    let rmse = json["rmse"].as_f64().unwrap();
    assert!(rmse > 0.0 && rmse < 0.5, "{rmse}");
}

#[test]
fn intervals_of_numbers_and_dates_are_held_against_the_truth() {
    let folder = Folder::new();
    let mut text = String::from("x,day,colour\n");
    for i in 0..120u32 {
        let x = f64::from(i * 37 % 101) / 7.0;
        text += &format!(
            "{x:.3},2024-{:02}-{:02},{}\n",
            1 + i * 5 % 12,
            1 + i * 11 % 28,
            ["red", "blue"][i as usize % 2]
        );
    }
    folder.put("truth.csv", &text);
    folder.done("ampute truth.csv -o masked.csv --rate 0.3");
    folder.done("impute masked.csv -o done.csv --intervals cells.csv --quiet --time-budget 0.001");
    let found = folder.done("evaluate truth.csv masked.csv done.csv --intervals cells.csv --json");
    let found: serde_json::Value = serde_json::from_str(&found).unwrap();

    let truth = folder.cells("truth.csv");
    // Dates of one form are in the order of their texts.
    let inside = |cell: &Vec<String>| {
        let value = &truth[cell[0].parse::<usize>().unwrap()][usize::from(cell[1] == "day")];
        match value.parse::<f64>() {
            Ok(value) => (cell[5].parse().unwrap()..=cell[6].parse().unwrap()).contains(&value),
            Err(_) => (&cell[5]..=&cell[6]).contains(&value),
        }
    };
    let cells: Vec<Vec<String>> =
        folder.cells("cells.csv").into_iter().skip(1).filter(|cell| cell[1] != "colour").collect();
    let held = cells.iter().filter(|cell| inside(cell)).count();
    assert_eq!(found["intervals"]["cells"], cells.len());
    assert_eq!(found["intervals"]["coverage"], held as f64 / cells.len() as f64);
    assert!(held > cells.len() / 2 && cells.iter().any(|cell| cell[1] == "day"));

    let mut command = folder.command("evaluate truth.csv masked.csv done.csv --intervals - --json");
    let piped = command.stdin(std::fs::File::open(folder.path("cells.csv")).unwrap()).output().unwrap();
    assert_eq!(serde_json::from_slice::<serde_json::Value>(&piped.stdout).unwrap(), found);

    let error = folder.refused("evaluate truth.csv masked.csv done.csv --intervals done.csv");
    assert!(error.contains("done.csv: line 1: the header is not `row,column,"), "{error}");
    folder.put("lost.csv", &folder.get("cells.csv").lines().take(5).collect::<Vec<_>>().join("\n"));
    let error = folder.refused("evaluate truth.csv masked.csv done.csv --intervals lost.csv");
    assert!(error.contains("lost.csv: row ") && error.contains("has no interval"), "{error}");
}
