//! Completed tables are checked against the table, and compared.

use crate::common::*;
use psd_impute_report::Error;

const TABLE: &str = "a,b\n1,5\n2,\n3,6\n,7\n5,4\n6,3\n7,2\n8,9\n";

fn error(completed: &str) -> Error {
    with_completed(TABLE, &[completed]).unwrap_err()
}

#[test]
fn imputed_values_are_those_of_the_files() {
    let one = TABLE.replace("2,\n", "2,8\n").replace("\n,7", "\n4,7");
    let other = TABLE.replace("2,\n", "2,3\n").replace("\n,7", "\n4,7");
    let found = with_completed(TABLE, &[&one, &other]).unwrap();
    assert_eq!(found.belong.tables, 2);
    let [a, b] = &found.belong.columns[..] else { panic!("two columns have gaps") };
    // Of 4 and 4, of 8 and 3: mean, then quantiles.
    assert_eq!((a.imputed.count, a.imputed.shown[0].as_str()), (2, "4"));
    assert_eq!((b.imputed.count, b.imputed.shown[0].as_str()), (2, "5.5"));
}

#[test]
fn other_cells_are_refused_with_their_place() {
    let changed = TABLE.replace("2,\n", "2,8\n").replace("\n,7", "\n4,7").replace("6,3", "6,30");
    let error = error(&changed);
    assert_eq!(error.to_string(), "the table, line 7, column `b`: `30` was `3` in the table");
    assert!(error.hint().unwrap().contains("psd-impute impute") && error.place().is_some());
}

#[test]
fn gaps_are_refused() {
    let half = TABLE.replace("2,\n", "2,8\n");
    assert_eq!(
        error(&half).to_string(),
        "the table, line 5, column `a`: the cell is missing in the completed table, too"
    );
}

#[test]
fn other_rows_are_refused() {
    let done = TABLE.replace("2,\n", "2,8\n").replace("\n,7", "\n4,7");
    assert_eq!(error(done.strip_suffix("8,9\n").unwrap()).to_string(), "the table has 7 rows, the table 8");
    assert_eq!(error(&(done + "1,1\n")).to_string(), "the table has more rows, the table 8");
    let narrow = error("a\n1\n2\n3\n4\n5\n6\n7\n8\n");
    assert!(narrow.to_string().contains("column `b`"), "{narrow}");
}
