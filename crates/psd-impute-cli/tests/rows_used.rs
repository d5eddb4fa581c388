//! The numbers of rows used by each step, as reported in the summary, in JSON and by `describe`.

#![allow(clippy::unwrap_used)]

use std::process::Command;

/// A temporary folder in which commands run.
struct Folder(tempfile::TempDir);

impl Folder {
    /// A folder with `in.csv`, of the given number of rows with missing cells.
    fn new(rows: usize) -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        let row = |i: usize| {
            let x = (i * 7919 % rows) as f64 / rows as f64;
            if i.is_multiple_of(10) { format!("{x:.5},\n") } else { format!("{x:.5},{:.5}\n", x * x) }
        };
        let text: String = std::iter::once("x,y\n".to_string()).chain((0..rows).map(row)).collect();
        std::fs::write(folder.0.path().join("in.csv"), text).unwrap();
        folder
    }

    /// Its output on both streams.
    fn said(&self, arguments: &str) -> String {
        let mut command = Command::new(env!("CARGO_BIN_EXE_psd-impute"));
        let output = command.current_dir(self.0.path()).args(arguments.split(' ')).output().unwrap();
        let said = [output.stdout, output.stderr].map(|said| String::from_utf8(said).unwrap()).concat();
        assert!(output.status.success(), "{arguments}: {said}");
        said
    }
}

#[test]
fn rows_that_are_only_a_part_are_counted_everywhere() {
    let folder = Folder::new(4_500);
    let fitted = "members are fitted to all 4500 rows and compared on 4000, which are the donors too";
    let said = folder.said("impute in.csv -o out.csv --time-budget 0.001 --save-model model.psd");
    assert!(said.contains(fitted) && said.contains("are not in balance"), "{said}");
    let json = folder.said("impute in.csv -o out.csv --time-budget 0.001 --json");
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let [rows, learned, compared] = ["rows", "rows_fitted", "rows_compared"].map(|name| &json["fit"][name]);
    assert_eq!((rows, learned, compared), (&4_500.into(), &4_500.into(), &4_000.into()));
    // The time is up before donors are tried.
    assert_eq!((&json["fit"]["rows_donors"], &json["balanced"]), (&0.into(), &false.into()));
    let said = folder.said("describe model.psd");
    assert!(said.contains("fitted to 4500 rows") && said.contains(fitted), "{said}");
}

#[test]
fn a_long_table_is_said_to_be_learned_from_a_part_of_it() {
    let folder = Folder::new(100_500);
    let said = folder.said("impute in.csv -o out.csv --time-budget 0.001 --save-model model.psd");
    assert!(said.contains("100500 rows"), "{said}");
    assert!(said.contains("learned from 100000 of 100500 rows, chosen at random"), "{said}");
    let fitted = "members are fitted to 20000 of 100000 rows and compared on 4000";
    assert!(said.contains(fitted), "{said}");
    let said = folder.said("describe model.psd");
    assert!(said.contains("fitted to 20000 rows") && said.contains(fitted), "{said}");
}

#[test]
fn draws_that_are_not_in_balance_are_said_to_be_so() {
    let folder = Folder::new(100);
    let many = "draws are not in balance, since more than 5 tables are asked for";
    let json = |arguments: &str| -> serde_json::Value {
        serde_json::from_str(&folder.said(&format!("impute in.csv -o out.csv --json {arguments}"))).unwrap()
    };
    let whole = json("--time-budget 60");
    let donors =
        whole["fit"]["members"].as_array().unwrap().iter().any(|member| member["member"] == "donors");
    assert_eq!(whole["fit"]["rows_donors"], if donors { 100 } else { 0 });
    assert_eq!(whole["balanced"], true);
    assert_eq!(json("--time-budget 0.001 -m 6")["balanced"], false);
    assert!(json("--time-budget 0.001 --method mean").get("balanced").is_none());
    assert!(folder.said("impute in.csv -o out.csv --time-budget 0.001 -m 6").contains(many));
    let said = folder.said("impute in.csv -o out.csv --time-budget 0.001 -m 5");
    assert!(!said.contains("balance"), "{said}");
    let said = folder.said("impute in.csv -o out.csv --preset theory");
    assert!(
        said.contains("draws are not in balance, since the model was not fitted by the default preset"),
        "{said}"
    );
    let said = folder.said("impute in.csv -o out.csv --preset theory --method mean");
    assert!(!said.contains("balance"), "{said}");
}
