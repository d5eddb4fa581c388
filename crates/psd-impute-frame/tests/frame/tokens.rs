//! Tokens for missing cells, in text and in typed columns.

use crate::common::{complete_records, completed, remarks_of, source_with};
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

/// A text of numbers under a decimal sign, with cells in front of some.
fn numbers(decimal: char, delimiter: char, cells: &[&str]) -> String {
    let row = |i: usize| {
        let x = cells
            .get(i)
            .map_or_else(|| format!("{}.{:03}", 7 + i % 5, 37 * i % 1000), |cell| cell.to_string());
        let x = if i < cells.len() { x } else { x.replace('.', &decimal.to_string()) };
        format!("{i}{decimal}25{delimiter}{x}\n")
    };
    let rows: String = (0..40).map(row).collect();
    format!("a{delimiter}b\n{rows}")
}

/// The cells of a text in lines that change where `token` makes cells of `b` missing. All others stay byte for byte.
fn filled(text: &str, token: &str) -> Vec<String> {
    let options = ReadOptions { missing: vec![Token::of("b", token)], ..ReadOptions::default() };
    let done = completed(text, &options, 5.0);
    let changed = text.lines().zip(done.lines()).filter(|(before, after)| before != after);
    changed.map(|(before, _)| before.rsplit(['\t', ';']).next().unwrap_or_default().to_string()).collect()
}

#[test]
fn a_number_is_no_token_because_its_decimal_sign_could_group_thousands() {
    let none: [&str; 0] = [];
    let point = numbers('.', '\t', &["9.999", "9999", "9999.0", "-9.999"]);
    assert_eq!(filled(&point, "9999"), ["9999", "9999.0"]);
    assert_eq!(filled(&point, "-9999"), none);
    let comma = numbers(',', ';', &["9,999", "9999", "9999,0", "-9,999"]);
    assert_eq!(filled(&comma, "9999"), ["9999", "9999,0"]);
    assert_eq!(filled(&comma, "-9999"), none);
    // Thousands are what they are where the sign is known.
    assert_eq!(filled(&numbers('.', ';', &["9,999", "-9,999"]), "9999"), ["9,999"]);
    assert_eq!(filled(&numbers('.', ';', &["9,999", "-9,999"]), "-9999"), ["-9,999"]);
    assert_eq!(filled(&numbers(',', ';', &["9.999", "-9.999"]), "-9999"), ["-9.999"]);
    // Three decimals are no thousands.
    assert_eq!(filled(&numbers('.', '\t', &["-999.000", "-9.990"]), "-999"), ["-999.000"]);
}

#[test]
fn where_nothing_tells_the_decimal_sign_only_the_exact_text_is_a_token() {
    let rows: String = (0..40).map(|i| format!("{};{},{:03}\n", i % 7, 1 + i % 6, 100 + i)).collect();
    let text = format!("a;b\n{rows}3;9,999\n3;9999\n3;-9,999\n");
    let count = |token: &str, decimal| {
        let options = ReadOptions { missing: vec![Token::of("b", token)], decimal, ..ReadOptions::default() };
        missing(&text, &options)[1]
    };
    assert_eq!(count("9999", None), 1);
    assert_eq!(count("9,999", None), 1);
    assert_eq!((count("9999", Some('.')), count("9999", Some(','))), (2, 1));
    assert_eq!((count("-9999", Some('.')), count("-9999", Some(',')), count("-9999", None)), (1, 0, 0));
}
