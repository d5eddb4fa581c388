//! `psd-impute impute` as a user runs it.

#![allow(clippy::unwrap_used)]

use std::path::PathBuf;
use std::process::{Command, Output};

/// A folder that is gone when the test ends, with one file in it.
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

/// Forty rows of a bent relation, with gaps.
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
        "a,b\n1,\n",
        "a,b\n1,2\n1,2\n1,2\n1,NAN\n1,NaN\n",
        "a,b\n1,2\n3,\n",
        "a,b,never\n1,2,\n3,,\n2,1,\n,4,\n",
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
fn bad_files_are_named_and_nothing_is_written() {
    let cases = [
        ("a,b\n1,2\n3,x\n", &["in.csv", "line 3", "column `b`", "`x` is not a number", "hint:"][..]),
        ("a,b\n1,2\n3\n", &["in.csv", "3"]),
        ("a,b\n", &["no rows"]),
        ("", &["no columns"]),
        ("a\ninf\n", &["row 0", "column `a`", "infinite"]),
    ];
    for (text, words) in cases {
        let folder = Folder::with(text);
        let output = folder.impute(&[]);
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{message}");
        for word in words {
            assert!(message.contains(word), "`{message}` does not say `{word}`");
        }
        assert!(!folder.path("out.csv").exists());
    }
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
