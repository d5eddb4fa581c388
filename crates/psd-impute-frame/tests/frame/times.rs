//! Times of day and durations.

use crate::common::{complete, complete_records, plan_of};
use arrow_array::{Array, ArrayRef, Float64Array, RecordBatch, Time32SecondArray};
use psd_impute_frame::ColumnOverrides;
use std::sync::Arc;

/// The kind of a column `x` with these cells.
fn kind(cells: &[&str]) -> &'static str {
    let rows: String = cells.iter().map(|cell| format!("\"{cell}\",1\n")).collect();
    plan_of(&format!("x,y\n{rows}"), &ColumnOverrides::new()).unwrap().columns()[0].kind().name()
}

#[test]
fn times_of_day_and_durations_are_kinds() {
    assert_eq!(kind(&["13:45", "9:05", "00:00"]), "time of day");
    assert_eq!(kind(&["13:45:30", "09:05", "23:59:59.5"]), "time of day");
    assert_eq!(kind(&["1:45 PM", "12:00 am", "11:30 PM"]), "time of day");
    assert_eq!(kind(&["1:02:03", "36:10:00", "0:00:01"]), "duration");
    assert_eq!(kind(&["36:10", "2:30", "11:00"]), "duration");
    assert_eq!(kind(&["PT1H", "PT30M", "P1DT2H"]), "duration");
    assert_eq!(kind(&["1 days 02:03:04", "0 days 00:00:01", "2 days 12:00:00"]), "duration");
    assert_eq!(kind(&["1:45 PM", "13:45", "1:45 PM", "13:45"]), "category", "two clocks");
    assert_eq!(kind(&["P1Y", "P2M", "P1Y", "P2M"]), "category", "years have no fixed length");
}

#[test]
fn what_is_filled_looks_like_the_column() {
    let folder = tempfile::tempdir().unwrap();
    let (input, output) = (folder.path().join("in.csv"), folder.path().join("out.csv"));
    let text =
        "a,b,c,d\n13:45,1:45 PM,36:10,PT1H\n9:05,2:30 PM,2:30,PT90M\nNA,NA,NA,NA\n00:30,3:15 AM,1:00,PT2H\n";
    std::fs::write(&input, text).unwrap();
    complete(&input, &output, &ColumnOverrides::new(), 75.0).unwrap();
    let expected = text.replace("NA,NA,NA,NA", "1:15,1:15 AM,1:15,PT1H15M");
    assert_eq!(std::fs::read_to_string(&output).unwrap(), expected);
    // A day ends at midnight, whatever is drawn.
    complete(&input, &output, &ColumnOverrides::new(), 5000.0).unwrap();
    let expected = text.replace("NA,NA,NA,NA", "23:59,11:59 PM,83:20,PT83H20M");
    assert_eq!(std::fs::read_to_string(&output).unwrap(), expected);
}

#[test]
fn text_becomes_typed_columns_and_text_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("a.csv"), "a,b\n13:45,PT36H\nNA,PT90S\n09:05,NA\n00:30,PT2H\n").unwrap();
    for name in ["b.parquet", "b.arrow"] {
        complete(&path("a.csv"), &path(name), &ColumnOverrides::new(), 60.0).unwrap();
        complete(&path(name), &path("c.csv"), &ColumnOverrides::new(), 1.0).unwrap();
        let back = std::fs::read_to_string(path("c.csv")).unwrap();
        let plan = plan_of(&back, &ColumnOverrides::new()).unwrap();
        let kinds: Vec<&str> = plan.columns().iter().map(|column| column.kind().name()).collect();
        assert_eq!(kinds, ["time of day", "duration"], "{back}");
        assert_eq!(plan.columns()[0].kind().read("13:45"), plan.columns()[0].kind().read("13:45:00"));
    }
}

#[test]
fn a_typed_time_of_day_stays_in_its_day() {
    let times: ArrayRef = Arc::new(Time32SecondArray::from(vec![Some(60), None, Some(3601)]));
    let other: ArrayRef = Arc::new(Float64Array::from(vec![1.5, 2.5, 4.0]));
    let records =
        RecordBatch::try_from_iter_with_nullable([("x", times, true), ("y", other, false)]).unwrap();
    let cell = |x: f64| {
        let after = complete_records(records.clone(), x);
        after.column(0).as_any().downcast_ref::<Time32SecondArray>().unwrap().value(1)
    };
    assert_eq!((cell(-5.0), cell(5.0), cell(1e9)), (0, 5, 86_399));
}
