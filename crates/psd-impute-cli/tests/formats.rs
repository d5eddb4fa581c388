//! Files of several formats, and several files, as a user gives them.

#![allow(clippy::unwrap_used)]

mod folder;

use folder::Folder;

/// Sixty rows of two dependent columns, with missing cells.
fn rows() -> Vec<[String; 2]> {
    let row = |i: i32| {
        let x = f64::from(i % 30) / 10.0;
        let y = if i % 4 == 0 { String::new() } else { format!("{:.2}", 5.0 - x) };
        [format!("{x:.1}"), y]
    };
    (0..60).map(row).collect()
}

fn csv(rows: &[[String; 2]]) -> String {
    rows.iter().fold("x,y\n".to_string(), |text, row| text + &row.join(",") + "\n")
}

/// The messages of a command after a successful run.
fn said(folder: &Folder, arguments: &str) -> String {
    let output = folder.command(arguments).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{arguments}: {said}");
    said
}

/// The exit code and the messages of a run that writes nothing.
fn refused(folder: &Folder, arguments: &str) -> (Option<i32>, String) {
    let before = std::fs::read_dir(folder.0.path()).unwrap().count();
    let output = folder.command(arguments).output().unwrap();
    assert_eq!(std::fs::read_dir(folder.0.path()).unwrap().count(), before, "{arguments}");
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn several_files_are_completed_as_one() {
    let folder = Folder(tempfile::tempdir().unwrap());
    let all = rows();
    for (name, rows) in [("whole.csv", &all[..]), ("a.csv", &all[..25]), ("b.csv", &all[25..])] {
        std::fs::write(folder.path(name), csv(rows)).unwrap();
    }
    let one = said(&folder, "impute whole.csv -o one.csv");
    let two = said(&folder, "impute a.csv b.csv -o two.csv");
    assert_eq!(folder.get("one.csv"), folder.get("two.csv"));
    assert!(two.contains("a.csv, b.csv: 60 rows, 2 columns, 15 missing cells, all filled"), "{two}");
    assert_eq!(one.lines().nth(1), two.lines().nth(1));
    said(&folder, "fit a.csv b.csv -o m.psd");
    said(&folder, "score a.csv b.csv --model m.psd -o scores.csv");
    assert_eq!(folder.get("scores.csv").lines().count(), 61);
    said(&folder, "report a.csv b.csv --model m.psd --completed two.csv -o page.html");
    said(&folder, "ampute a.csv b.csv --rate 0.2 -o fewer.csv");
    assert_eq!(folder.get("fewer.csv").lines().count(), 61);
    let described = folder.command("describe a.csv b.csv").output().unwrap();
    assert!(String::from_utf8_lossy(&described.stdout).starts_with("60 rows, 2 columns, 15 missing cells"));
}

#[test]
fn a_bad_row_is_named_with_its_file() {
    let folder = Folder(tempfile::tempdir().unwrap());
    std::fs::write(folder.path("a.csv"), csv(&rows())).unwrap();
    std::fs::write(folder.path("b.csv"), "x,y\n1,2\n3,4,5\n").unwrap();
    std::fs::write(folder.path("c.csv"), "y,x\n1,2\n").unwrap();
    let (code, told) = refused(&folder, "impute a.csv b.csv -o out.csv");
    assert_eq!(code, Some(2));
    assert!(
        told.starts_with("error: b.csv:3: 3 cells, but the header has 2") && told.contains("3 | 3,4,5"),
        "{told}"
    );
    let (code, told) = refused(&folder, "describe a.csv c.csv");
    assert_eq!(code, Some(2));
    assert!(told.contains("c.csv does not go with a.csv: its columns are in another order"), "{told}");
    let (code, told) = refused(&folder, "impute a.csv - -o out.csv");
    assert_eq!(code, Some(1));
    assert!(told.contains("hint: name files only"), "{told}");
    let (code, told) = refused(&folder, "impute a.csv b.csv -o b.csv");
    assert_eq!(code, Some(1));
    assert!(told.contains("b.csv: is read from"), "{told}");
}

#[test]
fn formats_go_into_each_other() {
    let folder = Folder(tempfile::tempdir().unwrap());
    std::fs::write(folder.path("a.csv"), csv(&rows())).unwrap();
    for (from, to) in
        [("a.csv", "b.xlsx"), ("b.xlsx", "c.jsonl.gz"), ("c.jsonl.gz", "d.parquet"), ("d.parquet", "e.csv")]
    {
        said(&folder, &format!("ampute {from} --rate 0.1 -o {to}"));
    }
    let said = said(&folder, "impute b.xlsx -o out.xlsx");
    assert!(said.contains("60 rows, 2 columns"), "{said}");
    assert_eq!(folder.get("e.csv").lines().count(), 61);
}

#[test]
fn a_folder_is_not_written_into() {
    let folder = Folder(tempfile::tempdir().unwrap());
    std::fs::write(folder.path("a.csv"), csv(&rows())).unwrap();
    std::fs::create_dir(folder.path("parts")).unwrap();
    said(&folder, "ampute a.csv --rate 0.1 -o parts/a.parquet");
    said(&folder, "ampute a.csv --rate 0.1 --seed 1 -o parts/b.parquet");
    let done = said(&folder, "impute parts -o done.parquet");
    assert!(done.contains("parts: 120 rows, 2 columns"), "{done}");
    let (code, told) = refused(&folder, "impute parts -o parts/done.parquet");
    assert_eq!(code, Some(1));
    assert!(told.contains("is in the folder parts, whose files are read"), "{told}");
    std::fs::create_dir(folder.path("empty")).unwrap();
    let (code, told) = refused(&folder, "impute empty -o done.csv");
    assert_eq!(code, Some(2));
    assert!(told.contains("empty is a folder without a Parquet file"), "{told}");
}
