//! A model applied to a table that differs from the one it was fitted to.

#![allow(clippy::unwrap_used)]

mod folder;

use folder::Folder;
use serde_json::Value;

/// Rows of height, weight and sex; heights in units of `unit` centimetres. `skip` leaves rows out.
fn people(rows: impl Iterator<Item = u32>, unit: f64, sexes: [&str; 2]) -> String {
    let mut text = String::from("height,weight,sex\n");
    for i in rows {
        let (z, e) = (f64::from(i * 37 % 101) / 50.0 - 1.0, f64::from(i * 53 % 97) / 48.0 - 1.0);
        let height = format!("{:.1}", (170.0 + 12.0 * z) / unit);
        let weight = if i % 7 == 0 { String::new() } else { format!("{:.1}", 70.0 + 10.0 * z + 4.0 * e) };
        text += &format!("{height},{weight},{}\n", sexes[usize::from(i * 29 % 10 < 4)]);
    }
    text
}

/// A folder with a model of half of the people.
fn folder() -> Folder {
    let folder = Folder(tempfile::tempdir().unwrap());
    std::fs::write(folder.path("in.csv"), people((0..240).step_by(2), 1.0, ["m", "f"])).unwrap();
    let output = folder.command("fit in.csv -o m.psd --anchors 8").output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    folder
}

fn said(folder: &Folder, command: &str) -> String {
    let output = folder.command(command).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    said
}

#[test]
fn the_other_half_of_a_table_has_no_drift() {
    let folder = folder();
    std::fs::write(folder.path("half.csv"), people((1..240).step_by(2), 1.0, ["m", "f"])).unwrap();
    let output = folder.command("impute half.csv -o out.csv --model m.psd --json").output().unwrap();
    let summary: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((summary.get("drift"), summary["notes"].as_array().unwrap().len()), (None, 0), "{summary}");
}

#[test]
fn a_table_in_other_units_is_told_column_by_column() {
    let folder = folder();
    std::fs::write(folder.path("inches.csv"), people((1..240).step_by(2), 2.54, ["m", "x"])).unwrap();
    let found = said(&folder, "impute inches.csv -o out.csv --model m.psd");
    let note = "note: column `height` is not what was learned: 100 % of its cells lie outside 158 to 182, and its mean 66.9";
    assert!(found.contains(note), "{found}");
    assert!(
        found.contains("column `sex` is not what was learned: 40 % of its cells have labels that were never"),
        "{found}"
    );
    assert!(!found.contains("column `weight` is not"), "{found}");
    let output = folder.command("impute inches.csv -o out.csv --model m.psd --json").output().unwrap();
    let summary: Value = serde_json::from_slice(&output.stdout).unwrap();
    let drift = summary["drift"].as_array().unwrap();
    assert_eq!((&drift[0]["column"], &drift[0]["outside"]), (&"height".into(), &1.0.into()));
    assert!(drift[0]["shift"].as_f64().unwrap() < -5.0);
    assert_eq!(drift[1]["unseen"].as_f64(), Some(0.4));
    for command in
        ["score inches.csv -o out.csv --model m.psd", "report inches.csv -o out.html --model m.psd"]
    {
        assert!(said(&folder, command).contains("column `height` is not what was learned"), "{command}");
    }
}

#[test]
fn a_column_that_new_rows_lack_counts_as_missing() {
    let folder = folder();
    let narrow: String = people((1..60).step_by(2), 1.0, ["m", "f"])
        .lines()
        .map(|l| l.split_once(',').unwrap().1.to_string() + "\n")
        .collect();
    std::fs::write(folder.path("narrow.csv"), &narrow).unwrap();
    let note = "note: column `height` is not in the table; it counts as missing, and is not added";
    let found = said(&folder, "impute narrow.csv -o out.csv --model m.psd --indicator");
    assert!(
        found.contains(note) && found.contains("30 rows, 2 columns, 4 missing cells, all filled"),
        "{found}"
    );
    let done = folder.get("out.csv");
    assert!(done.starts_with("weight,sex,weight_missing\n") && !done.contains("\n,"), "{done}");
    for command in ["score narrow.csv -o s.csv --model m.psd", "report narrow.csv -o p.html --model m.psd"] {
        assert!(said(&folder, command).contains(note), "{command}");
    }
    std::fs::write(folder.path("other.csv"), "a,b\n1,2\n").unwrap();
    let output = folder.command("impute other.csv -o out2.csv --model m.psd").output().unwrap();
    let found = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2));
    assert!(
        found.contains("other.csv has none of the modelled columns\nhint: they are height, weight, sex"),
        "{found}"
    );
}
