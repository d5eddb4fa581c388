//! Columns that say which cells were missing.

use crate::common::{filled, open};
use arrow_array::cast::AsArray;
use arrow_array::*;
use arrow_schema::{DataType, Field, Schema};
use psd_impute_frame::{Batch, ColumnOverrides, Format, Plan, Result, Writer};
use std::path::Path;
use std::sync::Arc;

/// Completes a file with ones, and adds indicators.
fn complete(input: &Path, output: &Path, columns: &[&str]) -> Result<()> {
    let source = open(input)?;
    let plan = Plan::infer(source.batches()?, &ColumnOverrides::new())?;
    let columns: Vec<String> = columns.iter().map(|name| name.to_string()).collect();
    let mut writer = Writer::create(output, source.format())?;
    for batch in source.batches()? {
        let batch = batch?;
        let table = filled(&plan.encode(&batch)?.0, 1.0);
        writer.write(&plan.decode(&batch, &table)?.with_indicators(&columns)?)?;
    }
    writer.finish()
}

/// The text with indicators.
fn completed(text: &str, columns: &[&str]) -> Result<String> {
    let folder = tempfile::tempdir().unwrap();
    let (input, output) = (folder.path().join("in"), folder.path().join("out.csv"));
    std::fs::write(&input, text).unwrap();
    complete(&input, &output, columns)?;
    Ok(std::fs::read_to_string(&output).unwrap())
}

#[test]
fn text_gets_zeros_and_ones_at_the_ends_of_its_rows() {
    let text = "\u{feff}\r\n\"size\",\"red, or \"\"not\"\"\",note\r\n\
                1.50, yes ,a \"b\"\r\n7,no,\r\n\
                \r\n\
                NA,\"no\", NA \r\n  \r\n\
                \"2,000\",,\"c,\r\nd\"\r\n\
                3,yes,e f";
    let expected = "\u{feff}\r\n\"size\",\"red, or \"\"not\"\"\",note,note_missing,\"red, or \"\"not\"\"_missing\"\r\n\
                    1.50, yes ,a \"b\",0,0\r\n7,no,,1,0\r\n\
                    \r\n\
                    1,\"no\", NA ,1,0\r\n  \r\n\
                    \"2,000\",yes,\"c,\r\nd\",0,1\r\n\
                    3,yes,e f,0,0";
    assert_eq!(completed(text, &["note", "red, or \"not\""]).unwrap(), expected);
}

#[test]
fn a_single_column_gets_a_second_one() {
    assert_eq!(completed("x\n1,5\n\n2,5\n", &["x"]).unwrap(), "x;x_missing\n1,5;0\n1,0;1\n2,5;0\n");
}

#[test]
fn every_batch_gets_its_own() {
    let cell = |i: usize| if i.is_multiple_of(7) { String::new() } else { format!("{}.5", i % 1000) };
    let text = (0..200_000).fold("a;b\n".to_string(), |text, i| text + &format!("{};{}\n", i % 17, cell(i)));
    let folder = tempfile::tempdir().unwrap();
    let (input, output) = (folder.path().join("in.csv"), folder.path().join("out.csv"));
    std::fs::write(&input, &text).unwrap();
    assert!(open(&input).unwrap().batches().unwrap().count() > 1, "the file should take more than one batch");
    complete(&input, &output, &["b"]).unwrap();
    let out = std::fs::read_to_string(&output).unwrap();
    assert_eq!(out.lines().next(), Some("a;b;b_missing"));
    assert_eq!(out.lines().count(), 200_001);
    for (i, line) in out.lines().skip(1).enumerate() {
        assert!(line.ends_with(if i.is_multiple_of(7) { ";1" } else { ";0" }), "{line}");
    }
}

#[test]
fn names_must_be_known_and_free() {
    let text = "a,a_missing\n1,2\n3,\n5,7\n";
    let error = completed(text, &["a"]).unwrap_err().to_string();
    assert!(error.ends_with("cannot get a column `a_missing`: it has one already"), "{error}");
    let error = completed("a,b\n1,2\n3,\n5,7\n", &["b", "b"]).unwrap_err().to_string();
    assert!(error.ends_with("cannot get a column `b_missing`: it has one already"), "{error}");
    let error = completed(text, &["c"]).unwrap_err();
    assert!(error.to_string().contains("has no column `c`"), "{error}");
    assert_eq!(error.hint().as_deref(), Some("the columns are a, a_missing"));
}

/// A batch with a column of a type that is left alone, and with a not-a-number.
fn records() -> RecordBatch {
    let numbers = Float64Array::from(vec![Some(0.5), Some(f64::NAN), None, Some(2.0)]);
    let binary = BinaryArray::from(vec![Some(b"a".as_ref()), None, Some(b"b"), None]);
    let fields = vec![
        Field::new("x", DataType::Float64, true),
        Field::new("bytes", DataType::Binary, true),
        Field::new("never", DataType::Null, true),
    ];
    let schema = Schema::new(fields)
        .with_metadata(std::collections::HashMap::from([("key".to_string(), "value".to_string())]));
    let columns: Vec<ArrayRef> = vec![Arc::new(numbers), Arc::new(binary), Arc::new(NullArray::new(4))];
    RecordBatch::try_new(Arc::new(schema), columns).unwrap()
}

#[test]
fn records_get_booleans() {
    let batch = Batch::from(records());
    let plan = Plan::infer([Ok(batch.clone())], &ColumnOverrides::new()).unwrap();
    let table = filled(&plan.encode(&batch).unwrap().0, 1.0);
    let columns = ["x", "bytes", "never"].map(String::from);
    let completed = plan.decode(&batch, &table).unwrap().with_indicators(&columns).unwrap();
    let after = completed.records().unwrap();
    assert_eq!(after.schema().metadata(), records().schema().metadata());
    assert_eq!(&after.schema().fields()[..3], &records().schema().fields()[..]);
    for (j, (name, expected)) in [
        ("x_missing", [false, true, true, false]),
        ("bytes_missing", [false, true, false, true]),
        ("never_missing", [true; 4]),
    ]
    .into_iter()
    .enumerate()
    {
        assert_eq!(after.schema().field(3 + j), &Field::new(name, DataType::Boolean, false));
        assert_eq!(after.column(3 + j).as_boolean(), &BooleanArray::from(expected.to_vec()));
    }
}

#[test]
fn indicators_survive_a_change_of_format() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("a.csv"), "x,note\n0.5,a\n,\n2.5,b\n").unwrap();
    for name in ["b.parquet", "b.arrow", "b.arrows"] {
        complete(&path("a.csv"), &path(name), &["x", "note"]).unwrap();
        let batch = open(&path(name)).unwrap().batches().unwrap().next().unwrap().unwrap();
        assert_eq!(batch.names(), ["x", "note", "x_missing", "note_missing"]);
        let plan = Plan::infer([Ok(batch.clone())], &ColumnOverrides::new()).unwrap();
        assert_eq!(plan.columns()[2].kind().name(), "boolean", "{name}");
    }
    let text = "x\tnote\tx_missing\tnote_missing\n0.5\ta\t0\t0\n1.0\t\t1\t1\n2.5\tb\t0\t0\n";
    complete(&path("a.csv"), &path("c.tsv"), &["x", "note"]).unwrap();
    assert_eq!(std::fs::read_to_string(path("c.tsv")).unwrap(), text);
    let batch = Batch::from(records());
    let plan = Plan::infer([Ok(batch.clone())], &ColumnOverrides::new()).unwrap();
    let table = plan.encode(&batch).unwrap().0;
    let completed = plan.decode(&batch, &table).unwrap();
    let completed = completed.with_indicators(&["x".to_string()]).unwrap();
    let mut writer = Writer::create(&path("d.csv"), Format::Parquet).unwrap();
    writer.write(&completed).unwrap();
    writer.finish().unwrap();
    let text = std::fs::read_to_string(path("d.csv")).unwrap();
    assert_eq!(text, "x,bytes,never,x_missing\n0.5,61,,0\nNaN,,,1\n,62,,1\n2.0,,,0\n");
}
