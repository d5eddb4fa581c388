//! Tokens for missing cells, in text and in typed columns.

use crate::common::{complete_records, remarks_of, source_with};
use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use psd_impute_frame::{ColumnOverrides, Error, Plan, ReadOptions, Source, Token};
use std::sync::Arc;

fn missing(text: &str, options: &ReadOptions) -> Vec<u64> {
    let source = source_with(text, options);
    let plan = Plan::infer(source.batches().unwrap(), &ColumnOverrides::new()).unwrap();
    let batch = source.batches().unwrap().next().unwrap().unwrap();
    plan.encode(&batch).unwrap().1.columns.iter().map(|column| column.missing).collect()
}

#[test]
fn usual_tokens_are_never_labels() {
    for token in
        ["N/A", "n/a", "NaN", "<NA>", "NaT", "none", "None", "NULL", "\\N", "--", "n.a.", "missing", "#N/A"]
    {
        let text = format!("x,y\nred,1.5\nblue,2.5\n{token},3.5\nred,{token}\nblue,4.0\n");
        assert_eq!(missing(&text, &ReadOptions::default()), [1, 1], "{token}");
    }
}

#[test]
fn tokens_are_added_for_all_columns_or_for_one() {
    let text = "age,income\n-999,-999\n30,1200.5\n41,-999.0\n28,900.5\n";
    let options = |missing: Vec<Token>| ReadOptions { missing, ..ReadOptions::default() };
    assert_eq!(missing(text, &options(vec![Token::everywhere("-999")])), [1, 2], "by value");
    assert_eq!(missing(text, &options(vec![Token::of("age", "-999")])), [1, 0]);
    let error =
        source_with(text, &options(vec![Token::of("weight", "-999")])).batches().unwrap().next().unwrap();
    assert!(matches!(error, Err(Error::UnknownColumn { column, .. }) if column == "weight"));
}

#[test]
fn words_that_may_be_answers_are_pointed_out() {
    let rows: String = (0..30).map(|i| format!("{},{i}.5\n", ["none", "mild", "severe"][i % 3])).collect();
    let remarks = remarks_of(&format!("pain,y\n{rows}"), &ReadOptions::default());
    assert_eq!(
        remarks,
        ["column `pain`: `none` counts as missing in 10 cells; `--missing-only pain=NA` makes it a label"]
    );
    let only = ReadOptions { missing_only: vec![Token::of("pain", "NA")], ..ReadOptions::default() };
    assert_eq!(remarks_of(&format!("pain,y\n{rows}"), &only), [""; 0]);
}

#[test]
fn typed_columns_have_tokens_too() {
    let text: ArrayRef = Arc::new(StringArray::from(vec!["red", "N/A", "blue", "red", " ", "blue"]));
    let number: ArrayRef = Arc::new(Int64Array::from(vec![1, -999, 3, 5, -999, 8]));
    let records = RecordBatch::try_from_iter([("x", text), ("y", number)]).unwrap();
    let done = complete_records(records.clone(), 1.0);
    let expected: ArrayRef = Arc::new(StringArray::from(vec!["red", "red", "blue", "red", "red", "blue"]));
    assert_eq!(done.column(0), &expected, "never a label");
    assert_eq!(done.column(1), records.column(1));

    let options = ReadOptions { missing: vec![Token::of("y", "-999")], ..ReadOptions::default() };
    let source = Source::records_with(vec![records], &options);
    let plan = Plan::infer(source.batches().unwrap(), &ColumnOverrides::new()).unwrap();
    let batch = source.batches().unwrap().next().unwrap().unwrap();
    let (table, report) = plan.encode(&batch).unwrap();
    assert_eq!(report.columns.iter().map(|column| column.missing).collect::<Vec<_>>(), [2, 2]);
    let done = crate::common::filled(&table, 1.0);
    let done = plan.decode(&batch, &done).unwrap().records().unwrap();
    let expected: ArrayRef = Arc::new(Int64Array::from(vec![1, 1, 3, 5, 1, 8]));
    assert_eq!(done.column(1), &expected);
}
