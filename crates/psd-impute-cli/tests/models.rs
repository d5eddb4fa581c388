//! `fit`, `describe`, `score` and `sample`, and `impute` with a model, on a table of all kinds.

#![allow(clippy::unwrap_used)]

mod folder;

use folder::Folder;
use std::io::Write;
use std::process::{Output, Stdio};

impl Folder {
    /// A folder with `people.csv`, eighty rows with columns of every kind.
    fn new() -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        let mut text = String::from("id,age,height,smoker,town,joined,never,same\r\n");
        for i in 0..80 {
            let gap =
                |k: usize, cell: String| if (i + k).is_multiple_of(7) { "NA".to_string() } else { cell };
            let age = gap(0, (20 + (i * 13) % 50).to_string());
            let height = gap(1, format!("{:.2}", 1.5 + ((i * 7) % 40) as f64 / 100.0));
            let smoker = gap(2, ["yes", "no"][i % 2].to_string());
            let town = gap(3, ["\"Ulm, old\"", "Bonn", "Kiel"][i % 3].to_string());
            let joined = gap(4, format!("2020-{:02}-{:02}", 1 + i % 12, 1 + i % 28));
            let same = gap(5, "7".to_string());
            text += &format!("{},{age},{height},{smoker},{town},{joined},,{same}\r\n", 1000 + i);
        }
        std::fs::write(folder.path("people.csv"), text).unwrap();
        folder
    }

    fn done(&self, arguments: &str) -> Output {
        let output = self.command(arguments).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{arguments}: {said}");
        output
    }
}

/// The cells of a CSV file without quotes, except for one label.
fn cells(text: &str) -> Vec<Vec<String>> {
    let plain = text.replace("\"Ulm, old\"", "Ulm");
    plain.lines().map(|line| line.split(',').map(|cell| cell.trim_end().to_string()).collect()).collect()
}

#[test]
fn a_model_goes_to_standard_output_too() {
    let folder = Folder::new();
    folder.done("fit people.csv -o model --quiet --time-budget 0.001");
    let output = folder.done("fit people.csv -o - --quiet --time-budget 0.001");
    assert!(output.stdout == std::fs::read(folder.path("model")).unwrap());
    assert_eq!(folder.command("fit people.csv -o - --json").output().unwrap().status.code(), Some(1));
}

#[test]
fn every_kind_is_completed_with_what_it_may_hold() {
    let folder = Folder::new();
    let output = folder.done("impute people.csv -o done.csv --json");
    let summary: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(summary["rows"], 80);
    assert!(
        summary["fit"]["held_out"].as_f64().unwrap() > summary["fit"]["normal_held_out"].as_f64().unwrap()
    );
    let (before, after) = (cells(&folder.get("people.csv")), cells(&folder.get("done.csv")));
    assert!(folder.get("done.csv").contains("\"Ulm, old\"") && folder.get("done.csv").ends_with("\r\n"));
    for (old, new) in before.iter().zip(&after).skip(1) {
        for (a, b) in old.iter().zip(new).filter(|(a, _)| *a != "NA") {
            assert_eq!(a, b);
        }
        assert!(new[1].parse::<i64>().is_ok() && new[2].parse::<f64>().is_ok(), "{new:?}");
        assert!(
            ["yes", "no"].contains(&new[3].as_str()) && ["Ulm", "Bonn", "Kiel"].contains(&new[4].as_str())
        );
        assert!(new[5].starts_with("20") && new[5].len() == 10, "{new:?}");
        assert_eq!((new[6].as_str(), new[7].as_str()), ("", "7"));
    }
}

#[test]
fn a_saved_model_completes_as_the_fit_did_whatever_the_batch_and_order() {
    let folder = Folder::new();
    folder.done("impute people.csv -o direct.csv -m 2 --seed 3 --save-model people.psd");
    folder.done("impute people.csv -o again.csv -m 2 --seed 3 --model people.psd");
    for k in [1, 2] {
        assert_eq!(folder.get(&format!("direct.{k}.csv")), folder.get(&format!("again.{k}.csv")));
    }
    folder.done("fit people.csv -o fitted.psd --seed 3");
    assert_eq!(
        std::fs::read(folder.path("fitted.psd")).unwrap(),
        std::fs::read(folder.path("people.psd")).unwrap()
    );
    // Rows and columns reversed, and through the standard streams.
    let turned: Vec<String> = cells(&folder.get("people.csv"))
        .into_iter()
        .map(|row| {
            row.into_iter().rev().map(|c| c.replace("Ulm", "\"Ulm, old\"")).collect::<Vec<_>>().join(",")
        })
        .collect();
    let turned = [&turned[..1], &turned[1..].iter().rev().cloned().collect::<Vec<_>>()].concat().join("\n");
    let mut child = folder
        .command("impute - -o - --seed 3 --model people.psd --threads 1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(turned.as_bytes()).unwrap();
    let turned = cells(&String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap());
    folder.done("impute people.csv -o one.csv --seed 3 --model people.psd");
    let one = cells(&folder.get("one.csv"));
    for (row, other) in one[1..].iter().zip(turned[1..].iter().rev()) {
        assert_eq!(*row, other.iter().rev().cloned().collect::<Vec<_>>());
    }
}

#[test]
fn other_formats_hold_the_same_cells() {
    let folder = Folder::new();
    folder.done("impute people.csv -o people.parquet");
    folder.done("impute people.csv -o done.csv");
    folder.done("impute people.parquet -o back.csv.gz");
    folder.done("impute people.parquet -o people.arrow");
    let described = |name: &str| String::from_utf8(folder.done(&format!("describe {name}")).stdout).unwrap();
    assert!(described("people.parquet").contains("date") && described("people.arrow").contains("80 rows"));
    assert!(described("back.csv.gz").contains("80 rows, 8 columns"));
}

#[test]
fn indicators_say_what_was_missing() {
    let folder = Folder::new();
    folder.done("impute people.csv -o done.csv --indicator --method mean --time-budget 0.001");
    let (before, after) = (cells(&folder.get("people.csv")), cells(&folder.get("done.csv")));
    let at = after[0].iter().position(|name| name == "age_missing").unwrap();
    for (old, new) in before.iter().zip(&after).skip(1) {
        assert_eq!(new[at] == "1", old[1] == "NA");
    }
}

#[test]
fn models_are_described_scored_with_and_drawn_from() {
    let folder = Folder::new();
    folder.done("fit people.csv -o people.psd");
    let described = String::from_utf8(folder.done("describe people.psd").stdout).unwrap();
    for word in ["a model of 8 columns", "integer", "Bonn", "converged", "normal model", "it identifies rows"]
    {
        assert!(described.contains(word), "`{described}` does not say `{word}`");
    }
    let table = String::from_utf8(folder.done("describe people.csv --json").stdout).unwrap();
    let table: serde_json::Value = serde_json::from_str(&table).unwrap();
    assert_eq!((&table["rows"], &table["columns"][6]["missing"]), (&80.into(), &80.into()));

    let mut text = folder.get("people.csv");
    text += "2000,900,1.6,yes,Bonn,2020-05-05,,7\r\n2001,40,1.6,yes,Atlantis,2020-05-05,,7\r\n";
    std::fs::write(folder.path("more.csv"), text).unwrap();
    let output = folder.done("score more.csv --model people.psd -o scores.csv");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("labels unknown to the model in 1 cell"), "{said}");
    let scores = cells(&folder.get("scores.csv"));
    assert_eq!(scores[0].join(","), "row,log_density,share,rank");
    assert_eq!(scores[81][3], "1", "an age of 900 is the most unusual");
    folder.done("impute more.csv --model people.psd -o more.done.csv --quiet");
    assert!(folder.get("more.done.csv").contains("Atlantis"));

    folder.done("sample people.psd -n 50 -o new.csv --seed 1");
    let new = cells(&folder.get("new.csv"));
    assert_eq!(new.len(), 51);
    let town = new[0].iter().position(|name| name == "town").unwrap();
    assert!(new[1..].iter().all(|row| ["Ulm", "Bonn", "Kiel"].contains(&row[town].as_str())));
}

#[test]
fn a_kernel_density_may_be_asked_for() {
    let folder = Folder::new();
    let output = folder.done("impute people.csv -o done.csv --anchors 8 --metric diagonal --ignore town");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        said.contains("100 %  kernel density with 8 anchors")
            && said.contains("11 cells of `town` stay empty: it is ignored, as asked"),
        "{said}"
    );
}

#[test]
fn completions_and_the_man_page_come_from_the_same_definitions() {
    let folder = Folder::new();
    let bash = String::from_utf8(folder.done("completions bash").stdout).unwrap();
    let man = String::from_utf8(folder.done("man").stdout).unwrap();
    for option in ["--save-model", "--bounds", "--mechanism"] {
        assert!(bash.contains(option), "{option}");
        assert!(man.contains(&option.replace('-', "\\-")), "{option}");
    }
}
