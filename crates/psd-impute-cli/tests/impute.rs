//! `psd-impute impute` as a user runs it.

#![allow(clippy::unwrap_used)]

use std::path::PathBuf;
use std::process::{Command, Output};

/// A temporary folder with one file.
struct Folder(tempfile::TempDir);

impl Folder {
    fn with(text: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("in.csv"), text).unwrap();
        Self(folder)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn impute(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_psd-impute"));
        command.arg("impute").arg(self.path("in.csv")).arg("-o").arg(self.path("out.csv")).args(arguments);
        command.output().unwrap()
    }

    fn cells(&self, name: &str) -> Vec<Vec<String>> {
        let text = std::fs::read_to_string(self.path(name)).unwrap();
        text.lines().map(|line| line.split(',').map(String::from).collect()).collect()
    }
}

/// Forty rows of a curved relation, with missing cells.
fn bent() -> String {
    let mut text = String::from("x,y,constant\n");
    for i in 0..40 {
        let x = f64::from(i) / 10.0 - 2.0;
        match i % 5 {
            0 => text += &format!("{x:.2},NA,7\n"),
            3 => text += &format!(",{:.3},7\n", x * x),
            _ => text += &format!("{x:.2},{:.3},7.0\n", x * x),
        }
    }
    text
}

#[test]
fn observed_cells_come_out_byte_for_byte_and_gaps_are_filled() {
    let folder = Folder::with(&bent());
    for method in ["mean", "draw"] {
        let output = folder.impute(&["--method", method]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert!(output.stdout.is_empty());
        for (before, after) in folder.cells("in.csv").iter().zip(folder.cells("out.csv")) {
            for (old, new) in before.iter().zip(after) {
                if old.is_empty() || old == "NA" {
                    assert!(new.parse::<f64>().unwrap().is_finite());
                } else {
                    assert_eq!(*old, new);
                }
            }
        }
    }
}

fn message(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Runs it and expects success; returns its messages.
fn done(folder: &Folder, arguments: &[&str]) -> String {
    let output = folder.impute(arguments);
    let message = message(&output);
    assert!(output.status.success(), "{arguments:?}: {message}");
    assert!(output.stdout.is_empty());
    message
}

/// The columns of each row of an intervals file, behind the row's number and the column's name.
fn intervals(folder: &Folder, name: &str) -> Vec<(usize, String, Vec<f64>)> {
    let cells = folder.cells(name);
    assert_eq!(cells[0].join(","), "row,column,mean,sd,median,q2.5,q97.5,most_probable,probability");
    let parse = |row: &Vec<String>| {
        let numbers = row[2..7].iter().map(|x| x.parse().unwrap()).collect();
        (row[0].parse().unwrap(), row[1].clone(), numbers)
    };
    cells[1..].iter().map(parse).collect()
}

#[test]
fn several_tables_differ_refitted_or_not_and_come_back_with_the_seed() {
    let folder = Folder::with(&bent());
    let tables = |arguments: &[&str]| {
        done(&folder, &[&["-m", "3", "--seed", "7"], arguments].concat());
        [1, 2, 3].map(|k| std::fs::read(folder.path(&format!("out.{k}.csv"))).unwrap())
    };
    let (refitted, one_fit) = (tables(&[]), tables(&["--one-fit"]));
    for three in [&refitted, &one_fit] {
        assert!(three[0] != three[1] && three[1] != three[2] && three[0] != three[2]);
    }
    assert_ne!(refitted, one_fit);
    assert_eq!(refitted, tables(&[]), "same seed, same bytes");
}

#[test]
fn means_and_medians_are_in_the_intervals_file() {
    let folder = Folder::with(&bent());
    for (method, place) in [("mean", 0), ("median", 2)] {
        let path = folder.path("cells.csv");
        done(&folder, &["--method", method, "--intervals", path.to_str().unwrap()]);
        let (table, cells) = (folder.cells("out.csv"), intervals(&folder, "cells.csv"));
        assert_eq!(cells.len(), 16);
        for (row, column, numbers) in cells {
            let j = table[0].iter().position(|name| *name == column).unwrap();
            // The table has as many decimals as its columns: one and two.
            let filled: f64 = table[row][j].parse().unwrap();
            assert!((filled - numbers[place]).abs() <= [0.05, 0.005][j], "row {row}: {filled}");
            assert!(folder.cells("in.csv")[row][j].parse::<f64>().is_err());
            let [_, sd, median, low, high] = numbers[..] else { unreachable!() };
            assert!(sd > 0.0 && low <= median && median <= high && low < high, "row {row}: {numbers:?}");
        }
    }
    assert_eq!(std::fs::read_dir(folder.0.path()).unwrap().count(), 3, "temporary files are gone");
}

#[test]
fn intervals_bracket_what_was_taken_away() {
    let folder = Folder::with(&bent());
    done(&folder, &["--intervals", folder.path("cells.csv").to_str().unwrap()]);
    let heights = intervals(&folder, "cells.csv").into_iter().filter(|(_, column, _)| column == "y");
    let inside = heights.filter(|(row, _, numbers)| {
        let x = (*row as f64 - 1.0) / 10.0 - 2.0;
        numbers[3] <= x * x && x * x <= numbers[4]
    });
    assert!(inside.count() >= 6, "of 8");
}

#[test]
fn the_papers_presets_complete_a_table() {
    let folder = Folder::with(&bent().replace(",7.0\n", "\n").replace(",7\n", "\n").replace(",constant", ""));
    for (preset, word) in [("paper", "fitted by the paper's: mu"), ("theory", "fitted by the theorem's: ")] {
        let said = done(&folder, &["--preset", preset]);
        assert!(said.contains(word), "{said}");
        let filled = folder
            .cells("out.csv")
            .iter()
            .skip(1)
            .flatten()
            .all(|cell| cell.parse::<f64>().is_ok_and(f64::is_finite));
        assert!(filled);
    }
    assert!(
        done(&folder, &["--preset", "theory", "-m", "2"])
            .contains("note: all tables are drawn from the one fit")
    );
    assert!(done(&folder, &["--method", "mean", "-m", "2"]).contains("note: all 2 tables are the same"));
}

#[test]
fn bounds_are_kept() {
    let folder = Folder::with(&bent());
    let cells = folder.path("cells.csv");
    // Without bounds each of these is exceeded somewhere; cells at the ends of the table are drawn beyond it.
    for method in ["draw", "mean", "median"] {
        let bounds = ["--bounds", "y=0:4", "--bounds", "x=-2:"];
        done(&folder, &[&bounds[..], &["--method", method, "--intervals", cells.to_str().unwrap()]].concat());
        for row in folder.cells("out.csv").iter().skip(1) {
            let (x, y): (f64, f64) = (row[0].parse().unwrap(), row[1].parse().unwrap());
            assert!(x >= -2.0 && (0.0..=4.0).contains(&y), "{method}: {row:?}");
        }
        for (row, column, numbers) in intervals(&folder, "cells.csv") {
            let low = if column == "y" { 0.0 } else { -2.0 };
            assert!(numbers[3] >= low && (column != "y" || numbers[4] <= 4.0), "{row} {column}: {numbers:?}");
        }
    }
}

#[test]
fn a_short_time_budget_still_completes_and_says_so() {
    let folder = Folder::with(&bent());
    let said = done(&folder, &["--time-budget", "0.001"]);
    assert!(said.contains("note: the time budget ended after the normal model"), "{said}");
    assert!(folder.cells("out.csv").iter().skip(1).flatten().all(|cell| cell.parse::<f64>().is_ok()));
}

#[test]
fn a_table_without_gaps_is_copied_with_the_same_checks_and_summary() {
    let folder = Folder::with("1,2\n3,4\n5,6.50\n");
    let said = done(&folder, &["--intervals", folder.path("cells.csv").to_str().unwrap()]);
    for words in ["2 rows, 2 columns, 0 missing cells", "note: no cell is missing", "wrote "] {
        assert!(said.contains(words), "`{said}` does not say `{words}`");
    }
    assert_eq!(folder.cells("out.csv"), folder.cells("in.csv"));
    assert!(intervals(&folder, "cells.csv").is_empty());
    let output = folder.impute(&["--json"]);
    let summary: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&summary["rows"], &summary["fit"]), (&2.into(), &serde_json::Value::Null));
    assert!(summary["notes"][0].as_str().unwrap().contains("no cell is missing"));
    let output = folder.impute(&["--bounds", "2=0:5"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(message(&output).contains("`6.5` is outside the bounds 0:5"), "{}", message(&output));
}

#[test]
fn outputs_are_checked_before_the_fit() {
    let folder = Folder::with(&bent());
    for (option, words) in [("-o", "there is no folder"), ("--intervals", "there is no folder")] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_psd-impute"));
        command.arg("impute").arg(folder.path("in.csv")).arg(option).arg(folder.path("none/x.csv"));
        if option != "-o" {
            command.arg("-o").arg(folder.path("out.csv"));
        }
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        let said = message(&output);
        assert!(said.contains(words) && said.contains("hint: make the folder first"), "{said}");
    }
    let same = folder.path("out.csv");
    assert!(message(&folder.impute(&["--intervals", same.to_str().unwrap()])).contains("written twice"));
    // However the file is called, and whether it is there or not.
    let other_way = folder.0.path().join(".").join("..").join(folder.0.path().file_name().unwrap());
    for intervals in [other_way.join("out.csv"), folder.path("./out.csv")] {
        let said = message(&folder.impute(&["--intervals", intervals.to_str().unwrap()]));
        assert!(said.contains("written twice"), "{said}");
        assert!(!same.exists());
    }
    #[cfg(unix)]
    {
        std::fs::write(&same, "before").unwrap();
        std::os::unix::fs::symlink("out.csv", folder.path("link.csv")).unwrap();
        let link = folder.path("link.csv");
        assert!(message(&folder.impute(&["--intervals", link.to_str().unwrap()])).contains("written twice"));
        assert_eq!(std::fs::read_to_string(&same).unwrap(), "before");
    }
}

#[test]
fn several_tables_are_numbered_and_seeded() {
    let folder = Folder::with(&bent());
    assert!(folder.impute(&["-m", "2", "--seed", "4"]).status.success());
    let (one, two) = (folder.cells("out.1.csv"), folder.cells("out.2.csv"));
    assert_ne!(one, two);
    assert!(!folder.path("out.csv").exists());
    assert!(folder.impute(&["-m", "2", "--seed", "4"]).status.success());
    assert_eq!(one, folder.cells("out.1.csv"));
    assert!(folder.impute(&["-m", "2", "--seed", "5"]).status.success());
    assert_ne!(one, folder.cells("out.1.csv"));
}

#[test]
fn degenerate_tables_are_completed() {
    for text in [
        "a\n1\n\n3\n\"\"\n2\n",
        "a,b\n1,5\n1,\n",
        "a,b\n1,2\n1,2\n1,2\n1,NAN\n1,NaN\n",
        "a,b\n1,2\n3,\n",
        "a,b\n1,1\n1,1\n1,\n,1\n",
        "a,b,c\n1,2,3\n2,4,6\n3,,9\n4,8,\n,10,15\n6,12,18\n",
        "a,b\n1e300,1e-300\n-1e300,\n5e299,3e-300\n,2e-300\n",
    ] {
        let folder = Folder::with(text);
        let output = folder.impute(&[]);
        assert!(output.status.success(), "{text}: {}", String::from_utf8_lossy(&output.stderr));
        let done = folder.cells("out.csv");
        assert_eq!(done.len(), text.lines().count(), "{text}: {done:?}");
        for row in done.iter().skip(1) {
            assert!(row.iter().all(|cell| cell.parse::<f64>().is_ok_and(f64::is_finite)), "{text}: {row:?}");
        }
    }
}

#[test]
fn a_text_among_numbers_is_named_and_stays() {
    for (delimiter, end) in [(",", "\n"), (",", "\r\n"), (";", "\n")] {
        let number = |i: u32| format!("{i}.5{delimiter}{}.25{end}", i * i % 7);
        let rows: String = (0..20).map(number).collect();
        let folder = Folder::with(&format!("a{delimiter}b{end}{rows}3{delimiter}x{end}{delimiter}2.25{end}"));
        let said = done(&folder, &[]);
        assert!(
            said.contains("column `b`: 1 cell is not one of its numbers (`x`; first in row 21)"),
            "{said}"
        );
        assert!(said.contains("`--missing 'b=x'` makes such cells missing"), "{said}");
        let completed = std::fs::read_to_string(folder.path("out.csv")).unwrap();
        assert!(completed.contains(&format!("3{delimiter}x{end}")), "{completed}");
    }
}

#[test]
fn bad_files_are_named_and_nothing_is_written() {
    let rows: String = (0..20).map(|i| format!("{i}.5,{}.25\n", i * i % 7)).collect();
    let cases = [
        (format!("a,b\n{rows}1,inf\n"), &["in.csv:22", "column `b`", "infinite", "hint:"][..]),
        ("a,b\n1,2\n3\n".to_string(), &["in.csv:3: 1 cell, but the header has 2", "hint:"]),
        ("a,b\n1,\"2\n3,4\n".to_string(), &["in.csv:2", "quote", "hint:"]),
        ("a,a\n1,2\n3,\n2,5\n".to_string(), &["two columns named `a`", "hint:"]),
        ("a,b\n".to_string(), &["in.csv", "no rows", "hint:"]),
        (String::new(), &["in.csv", "empty", "hint:"]),
        ("name\nann\nbob\n\neve\n".to_string(), &["in.csv", "no column that can be modelled", "hint:"]),
    ];
    for (text, words) in cases {
        let folder = Folder::with(&text);
        let output = folder.impute(&[]);
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{message}");
        for word in words {
            assert!(message.contains(word), "`{message}` does not say `{word}`");
        }
        assert!(!folder.path("out.csv").exists());
    }
    let said = done(&Folder::with("a,b,never\n1,2,\n3,,NA\n2,1,\n,4,?\n5,6,\n"), &[]);
    assert!(said.contains("note: 5 cells of `never` stay empty: no cell is observed"), "{said}");
    let folder = Folder::with("a\n1\n");
    let missing = Command::new(env!("CARGO_BIN_EXE_psd-impute"))
        .args(["impute", "/nowhere/at/all.csv", "-o"])
        .arg(folder.path("out.csv"))
        .output()
        .unwrap();
    assert_eq!(missing.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&missing.stderr).contains("/nowhere/at/all.csv"));
}

#[cfg(unix)]
#[test]
fn others_may_read_the_output() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::with(&bent());
    assert!(folder.impute(&[]).status.success());
    let mode = |name: &str| std::fs::metadata(folder.path(name)).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode("out.csv"), mode("in.csv"));
}

/// Boys whose stage of puberty was written down only from the age of eight on.
fn boys() -> String {
    let mut text = String::from("age,height,stage\n");
    for i in 0..300 {
        let (age, wave) = (f64::from(i % 60) * 0.3, f64::from(i * 37 % 101) / 10.0);
        let stage =
            if age < 8.0 || i % 7 == 0 { "" } else { ["G1", "G2", "G3"][((age - 8.0) / 3.6) as usize] };
        text += &format!("{age:.1},{:.1},{stage}\n", 70.0 + 6.0 * age + wave);
    }
    text
}

#[test]
fn what_should_be_looked_at_is_said() {
    let folder = Folder::with(&boys());
    let warning =
        "warning: `stage` is imputed in 135 rows with `age` below 8.1, where it was never observed\n";
    let said = done(&folder, &["--time-budget", "1"]);
    assert!(said.contains(warning), "{said}");
    assert!(said.matches("warning: ").count() <= 5, "{said}");
    let quiet = done(&folder, &["--quiet", "--time-budget", "1", "--method", "mean"]);
    assert!(quiet.contains(warning) && quiet.lines().all(|line| line.starts_with("warning: ")), "{quiet}");
    let json = folder.impute(&["--json", "--time-budget", "1"]);
    let summary: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    let first = &summary["warnings"][0];
    assert_eq!(
        (first["kind"].as_str(), first["numbers"]["rows"].as_f64()),
        (Some("extrapolation"), Some(135.0))
    );
    assert_eq!(first["columns"], serde_json::json!(["stage", "age"]));
    assert!(first["text"].as_str().unwrap().ends_with("where it was never observed"));
}

#[test]
fn a_good_table_has_no_warnings() {
    let said = done(&Folder::with(&bent()), &[]);
    assert!(!said.contains("warning"), "{said}");
}

/// A thousand normal rows and one cell at a million: its effect on the fit is reported.
#[test]
fn a_cell_that_spoils_the_fit_is_pointed_out() {
    let row = |i: u32| {
        let wave = |k: u32| (f64::from(i * (2 * k + 3)) * 0.61).sin() + (f64::from(i * (k + 5)) * 0.37).cos();
        let x = if i == 400 { 1e6 } else { wave(1) };
        let y = if i.is_multiple_of(9) { String::new() } else { format!("{:.3}", wave(1) + 0.3 * wave(2)) };
        format!("{x:.3},{y}\n")
    };
    let text = format!("x,y\n{}", (0..1_000).map(row).collect::<String>());
    let said = done(&Folder::with(&text), &["--quiet", "--time-budget", "1"]);
    assert!(
        said.starts_with("warning: row 401 has `x` = 1000000.000, ")
            || said.contains("row 401 has `x` = 1000000"),
        "{said}"
    );
}

#[test]
fn ordered_levels_are_completed_with_levels() {
    let mut text = String::from("x,grade,score\n");
    for i in 0..90 {
        let x = f64::from((i * 37) % 90) / 30.0;
        let level = x as usize;
        let grade = if i % 5 == 0 { "" } else { ["low", "mid", "high"][level] };
        let score = if i % 5 == 2 { String::new() } else { [1, 2, 4][level].to_string() };
        text += &format!("{x:.3},{grade},{score}\n");
    }
    let folder = Folder::with(&text);
    let cells = folder.path("cells.csv");
    let output = folder.impute(&[
        "--ordered",
        "grade=low<mid<high,score",
        "--method",
        "median",
        "--intervals",
        cells.to_str().unwrap(),
    ]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(String::from_utf8_lossy(&output.stderr).contains("ordered"));
    for row in folder.cells("out.csv").iter().skip(1) {
        let level = row[0].parse::<f64>().unwrap() as usize;
        let off = |place: Option<usize>| place.unwrap().abs_diff(level);
        assert!(off(["low", "mid", "high"].iter().position(|grade| *grade == row[1])) <= 1, "{row:?}");
        assert!(off(["1", "2", "4"].iter().position(|score| *score == row[2])) <= 1, "{row:?}");
    }
    let cells = folder.cells("cells.csv");
    let grade = cells.iter().find(|row| row[1] == "grade").unwrap();
    assert!(
        grade[2].is_empty() && grade[3].is_empty() && ["low", "mid", "high"].contains(&grade[4].as_str())
    );
    let score = cells.iter().find(|row| row[1] == "score").unwrap();
    assert!(score[2].parse::<f64>().unwrap() > 0.9 && ["1", "2", "4"].contains(&score[4].as_str()));
}

#[test]
fn labels_without_an_order_are_refused_with_the_option() {
    let folder = Folder::with("x,grade\n1,a\n2,b\n3,a\n4,b\n5,\n");
    let output = folder.impute(&["--ordered", "grade"]);
    let said = String::from_utf8_lossy(&output.stderr).to_string();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("its labels have no order of their own"), "{said}");
    assert!(said.contains("--ordered \"grade=LOW<MIDDLE<HIGH\""), "{said}");
}
