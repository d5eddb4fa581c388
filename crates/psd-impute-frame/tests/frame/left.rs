//! Cells that stay empty: every way a column may be left, counted and named.

use crate::common::{batches_of, plan_of};
use arrow_array::{ArrayRef, BinaryArray, Float64Array, RecordBatch};
use psd_impute_frame::{
    Batch, ColumnOverride, ColumnOverrides, Error, LeftColumn, Plan, Reason, Report, Survey,
};
use std::sync::Arc;

/// Sixteen rows: a row number, names, tickets, an ignored and an empty column, a constant, and numbers.
fn table() -> String {
    let mut text = String::from("id,name,ticket,skipped,never,same,size\n");
    for i in 0..16 {
        let gap = |cell: String| if i % 4 == 1 { String::new() } else { cell };
        let (id, name) = (gap((i + 1).to_string()), gap(format!("Mrs number {i}")));
        let (ticket, skipped) = (gap(format!("T{}", i / 2)), gap(format!("{i}")));
        text += &format!("{id},{name},{ticket},{skipped},,{},{}\n", gap("x".into()), gap(format!("{i}.5")));
    }
    text
}

fn plan() -> Plan {
    plan_of(&table(), &ColumnOverrides::from([("skipped".to_string(), ColumnOverride::Ignore)])).unwrap()
}

fn counts(left: &[LeftColumn]) -> Vec<(&str, u64)> {
    left.iter().map(|column| (column.name.as_str(), column.missing)).collect()
}

#[test]
fn every_way_a_cell_may_stay_empty_is_counted() {
    let report = plan().encode(&batches_of(&table())[0]).unwrap().1;
    assert_eq!(counts(&report.left), [("id", 4), ("name", 4), ("ticket", 4), ("skipped", 4), ("never", 16)]);
    assert_eq!(
        report.columns.iter().map(|c| (c.name.as_str(), c.missing)).collect::<Vec<_>>(),
        [("size", 4), ("same", 4)],
        "a column of one value is filled"
    );
    let notes: Vec<String> = report.left.iter().filter_map(LeftColumn::note).collect();
    assert_eq!(
        notes,
        [
            "4 cells of `id` stay empty: it identifies rows",
            "4 cells of `name` stay empty: it is free text",
            "4 cells of `ticket` stay empty: 8 different texts in 12 cells are too many for a category",
            "4 cells of `skipped` stay empty: it is ignored, as asked",
            "16 cells of `never` stay empty: no cell is observed",
        ]
    );
}

#[test]
fn counts_add_up_over_batches_and_extra_columns_count() {
    let plan = plan_of("a,b\n1,2\n2,3\n4,5\n", &ColumnOverrides::new()).unwrap();
    let mut report = Report::default();
    for text in ["a,b,new\n1,2,\n2,,x\n", "a,b,new\n,2,\n"] {
        report.add(&plan.encode(&batches_of(text)[0]).unwrap().1);
    }
    assert_eq!(counts(&report.left), [("new", 2)]);
    assert_eq!(report.left[0].reason, Reason::Unknown);
}

#[test]
fn cells_of_unsupported_types_are_counted() {
    let bytes: ArrayRef = Arc::new(BinaryArray::from_opt_vec(vec![Some(b"a"), None, None]));
    let numbers: ArrayRef = Arc::new(Float64Array::from(vec![1.0, 2.0, 4.0]));
    let batch = Batch::from(
        RecordBatch::try_from_iter_with_nullable([("raw", bytes, true), ("x", numbers, true)]).unwrap(),
    );
    let mut survey = Survey::default();
    survey.add(&batch).unwrap();
    assert_eq!(survey.missing().collect::<Vec<_>>(), [("raw", 2), ("x", 0)]);
    let plan = survey.plan(&ColumnOverrides::new()).unwrap();
    let left = plan.encode(&batch).unwrap().1.left;
    assert_eq!(left[0].note().unwrap(), "2 cells of `raw` stay empty: the type Binary is not modelled");
}

#[test]
fn a_strict_caller_hears_which_columns_and_what_to_do() {
    let left = plan().left(&batches_of(&table())[0]).unwrap();
    let error = LeftColumn::refuse_empty(&left).unwrap_err();
    assert!(matches!(&error, Error::StaysEmpty { columns } if columns.len() == 5));
    assert!(
        error.to_string().starts_with("32 missing cells would stay empty: 4 of `id` (it identifies rows), ")
    );
    assert_eq!(
        LeftColumn::remedies(&left, ["--categorical", "--continuous", "--ignore"]),
        "--categorical name,ticket completes it with texts of other rows, few of which repeat; complete it with --continuous id; do not give --ignore skipped; \
         take never out of the table, which nothing completes"
    );
    let whole: Vec<LeftColumn> = left.into_iter().map(|column| LeftColumn { missing: 0, ..column }).collect();
    assert!(LeftColumn::refuse_empty(&whole).is_ok());
}
