//! Plans: stored, and applied to other tables.

use crate::common::{asked, batches_of, filled, plan_of};
use arrow_array::{
    Array, ArrayRef, DictionaryArray, Float32Array, Float64Array, Int8Array, NullArray, RecordBatch,
    StringArray,
};
use proptest::prelude::*;
use psd_impute_frame::{
    Batch, Bounds, ColumnOverride, ColumnOverrides, ColumnPlan, End, Error, Kind, MOST_LABELS, Plan,
    ReadOptions, Role, Source, Writer,
};
use std::sync::Arc;

const TABLE: &str = "id,size,count,colour,sure,when,note,same,never\n\
    a1,1.5,1,red,true,2020-01-01T10:00Z,some words,x,\n\
    a2,2.5,NA,blue,false,2020-01-02T11:30Z,other words,x,\n\
    a3,3.25,5,red,,2020-01-03T10:00Z,more words,x,\n\
    a4,NA,7,blue,true,,no words,NA,\n";

fn plan() -> Plan {
    plan_of(TABLE, &ColumnOverrides::from([("note".to_string(), ColumnOverride::Ignore)])).unwrap()
}

#[test]
fn a_plan_is_stored_and_read_back() {
    let plan = plan();
    let json = serde_json::to_string_pretty(&plan).unwrap();
    let again: Plan = serde_json::from_str(&json).unwrap();
    assert_eq!(again, plan);
    assert_eq!(serde_json::to_string_pretty(&again).unwrap(), json);
}

#[test]
fn numbers_in_a_plan_are_exact() {
    let overrides = ColumnOverrides::from([("x".to_string(), ColumnOverride::Category)]);
    let plan = plan_of("x,y\n0.1,1\n0.30000000000000004,2\n1e-300,3\n", &overrides).unwrap();
    let again: Plan = serde_json::from_str(&serde_json::to_string(&plan).unwrap()).unwrap();
    assert_eq!(again, plan);
}

#[test]
fn a_plan_that_makes_no_sense_is_refused() {
    let good = serde_json::to_value(plan()).unwrap();
    let column = |json: &str| serde_json::from_str::<serde_json::Value>(json).unwrap();
    for (bad, problem) in [
        (r#"{"name":"size","kind":{"holds":"text"},"role":{"left":"identifier"}}"#, "its name is taken"),
        (r#"{"name":"z","kind":{"holds":"text"},"role":"modelled"}"#, "free text can only be left as it is"),
        (r#"{"name":"z","kind":{"holds":"labels","labels":[]},"role":"modelled"}"#, "it has no labels"),
        (
            r#"{"name":"z","kind":{"holds":"labels","labels":["b","a"]},"role":"modelled"}"#,
            "its labels are not in order",
        ),
        (
            r#"{"name":"z","kind":{"holds":"labels","labels":["a"]},"role":{"constant":1.0}}"#,
            "its constant is not one",
        ),
        (
            r#"{"name":"z","kind":{"holds":"labels","labels":["a"]},"role":{"constant":-1.0}}"#,
            "its constant is not one",
        ),
        (
            r#"{"name":"z","kind":{"holds":"boolean","text":["a","b"]},"role":"modelled"}"#,
            "not false and true",
        ),
        (
            r#"{"name":"z","kind":{"holds":"codes","values":[1.0,1.0],"text":{"comma":false,"grouped":false,"padding":0}},"role":"modelled"}"#,
            "its values do not increase",
        ),
        (
            r#"{"name":"z","kind":{"holds":"number","decimals":200,"text":{"comma":false,"grouped":false,"padding":0}},"role":"modelled"}"#,
            "more decimals",
        ),
        (
            r#"{"name":"z","kind":{"holds":"number","decimals":null,"text":{"comma":false,"grouped":false,"padding":255}},"role":"modelled"}"#,
            "pads with more decimals",
        ),
        (
            r#"{"name":"z","kind":{"holds":"time","unit":"day","text":{"clock":"none","zone":{"ahead":32767}}},"role":"modelled"}"#,
            "more than a day away",
        ),
        (r#"{"name":"z","kind":{"holds":"magic"},"role":"modelled"}"#, "unknown variant"),
        (r#"{"name":"z","kind":{"holds":"text"},"role":"modelled","extra":1}"#, "unknown field"),
    ] {
        let mut plan = good.clone();
        plan["columns"].as_array_mut().unwrap().push(column(bad));
        let error = serde_json::from_value::<Plan>(plan).unwrap_err().to_string();
        assert!(error.contains(problem), "{error}, but expected: {problem}");
    }
    for (count, ordered) in [(MOST_LABELS + 1, false), (1_001, true)] {
        let labels: Vec<String> = (0..count).map(|k| format!("{k:06}")).collect();
        let columns = vec![ColumnPlan::new("z", Kind::Labels { labels, ordered }, Role::Modelled)];
        assert!(matches!(Plan::new(columns), Err(Error::BadPlan { problem: "it has too many labels", .. })));
    }
}

#[test]
fn new_rows_are_matched_by_name() {
    let plan = plan();
    let text = "colour,new,size,sure,when,count\ngreen,1,NA,?,2021-05-05T00:00Z,3\nred,2,7.5,FALSE,,\n,3,1,true,,2\n";
    let batches = batches_of(text);
    let (table, report) = plan.encode(&batches[0]).unwrap();
    let names: Vec<&str> = table.columns().iter().map(|c| c.name()).collect();
    assert_eq!(names, ["size", "count", "colour", "sure", "when"]);
    assert_eq!((table.row(1)[0], table.row(1)[2], table.row(1)[3]), (7.5, 1.0, 0.0));
    assert!(table.row(1)[1].is_nan());
    assert_eq!(report.extra, ["new"]);
    let counts: Vec<(u64, u64)> = report.columns.iter().map(|c| (c.missing, c.unseen)).collect();
    assert_eq!(counts, [(1, 0), (1, 0), (1, 1), (1, 0), (2, 0)]);
    assert_eq!(
        report.notes(),
        [
            "column `colour`: labels unknown to the model in 1 cell (50.0 %); they count as missing and stay",
            "column `new` is unknown to the model and passed through"
        ]
    );

    let source = crate::common::source_of(text);
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("out.csv");
    let mut writer = Writer::create(&output, source.format()).unwrap();
    let done = filled(&table, 1.0);
    writer.write(&plan.decode(&batches[0], &done).unwrap()).unwrap();
    writer.finish().unwrap();
    assert_eq!(
        std::fs::read_to_string(output).unwrap(),
        "colour,new,size,sure,when,count\ngreen,1,1.0,true,2021-05-05T00:00Z,3\n\
         red,2,7.5,FALSE,1970-01-01T00:01Z,1\nred,3,1,true,1970-01-01T00:01Z,2\n",
        "the label `green` is unseen but observed"
    );
}

#[test]
fn tables_that_do_not_fit_are_refused() {
    let plan = plan();
    let error = |text: &str| plan.encode(&batches_of(text)[0]).unwrap_err();
    let header = "size,count,colour,sure,when\n";
    let none = error("this,that\n1,2\n");
    assert_eq!(none.to_string(), "the table has none of the modelled columns");
    assert_eq!(none.hint().unwrap(), "they are size, count, colour, sure, when");
    let text = format!("{header}1,2,red,true,\nabc,2,red,true,\n");
    assert_eq!(error(&text).to_string(), "the table, line 3, column `size`: `abc` is not a number");
    let text = format!("{header}1,2,red,true,soon\n");
    assert_eq!(error(&text).to_string(), "the table, line 2, column `when`: `soon` is not a date or time");
    let text = format!("{header}1,inf,red,true,\n");
    assert_eq!(error(&text).to_string(), "the table, line 2, column `count`: `inf` is infinite");
    let fine = batches_of(&format!("{header}1,2,red,true,\n"));
    let table = plan.encode(&fine[0]).unwrap().0;
    let two = batches_of(&format!("{header}1,2,red,true,\n1,2,red,true,\n"));
    assert!(matches!(
        plan.decode(&two[0], &table),
        Err(Error::Shape { what: "rows", found: 1, expected: 2 })
    ));
}

#[test]
fn a_column_that_a_table_lacks_counts_as_missing_and_is_not_added() {
    let plan = plan();
    let batch = &batches_of("sure,size\ntrue,1.5\n,2.5\n")[0];
    let (table, report) = plan.encode(batch).unwrap();
    assert!(table.row(0)[1].is_nan() && table.row(1)[4].is_nan());
    assert_eq!((table.row(1)[0], table.row(0)[3]), (2.5, 1.0));
    let absent: Vec<&str> = report.columns.iter().filter(|c| c.absent).map(|c| c.name.as_str()).collect();
    assert_eq!(absent, ["count", "colour", "when"]);
    assert_eq!(
        report.notes()[0],
        "column `count` is not in the table; it counts as missing, and is not added"
    );
    let records = plan.decode(batch, &filled(&table, 1.0)).unwrap().records().unwrap();
    assert_eq!(records.num_columns(), 2);
    let origin = batch.origin();
    assert_eq!(report.refuse_absent(origin).unwrap_err().to_string(), "the table has no column `count`");
}

#[test]
fn types_are_checked() {
    let numbers = plan_of("x,y\n1.5,2\n2.5,4\n", &ColumnOverrides::new()).unwrap();
    let column = |name, array: ArrayRef| (name, array, true);
    let y = || column("y", Arc::new(Int8Array::from(vec![1, 2])));
    let labels = column("x", Arc::new(StringArray::from(vec!["a", "b"])));
    let batch = Batch::from(RecordBatch::try_from_iter_with_nullable([labels, y()]).unwrap());
    let error = numbers.encode(&batch).unwrap_err();
    assert_eq!(error.to_string(), "the table, row 1, column `x`: `a` is not a number");
    let single = column("x", Arc::new(Float32Array::from(vec![0.5, f32::NAN])));
    let batch = Batch::from(RecordBatch::try_from_iter_with_nullable([y(), single]).unwrap());
    let (table, report) = numbers.encode(&batch).unwrap();
    assert_eq!((table.row(0)[0], table.row(1)[1], report.columns[0].missing), (0.5, 2.0, 1));
}

proptest! {
    /// Any stored plan is refused or works.
    #[test]
    fn a_damaged_plan_does_no_harm(at in any::<prop::sample::Index>(), byte in 0x20..0x7fu8, more in 0..3usize) {
        let mut json = serde_json::to_vec(&plan()).unwrap();
        let at = at.index(json.len());
        json.splice(at..(at + 1).min(json.len()), std::iter::repeat_n(byte, more));
        let Ok(plan) = serde_json::from_slice::<Plan>(&json) else { return Ok(()) };
        let batch = &batches_of(TABLE)[0];
        if let Ok((table, _)) = plan.encode(batch) {
            for cell in [0.0, 1.0] {
                let completed = filled(&table, cell);
                let completed = plan.decode(batch, &completed).unwrap();
                let _ = completed.records();
            }
        }
        for column in plan.columns() {
            for cell in [0.0, -1.0, 1e300, f64::NAN] {
                column.kind().show(cell);
            }
            let _ = column.note(0);
        }
    }
}

#[test]
fn a_plan_from_text_fits_the_same_table_in_parquet() {
    let folder = tempfile::tempdir().unwrap();
    let (csv, parquet, back) =
        (folder.path().join("a.csv"), folder.path().join("a.parquet"), folder.path().join("b.csv"));
    std::fs::write(&csv, TABLE).unwrap();
    let source = Source::open(&csv, &ReadOptions::default()).unwrap();
    let plan = plan();
    let convert = |source: &Source, output: &std::path::Path| {
        let mut writer = Writer::create(output, source.format()).unwrap();
        for batch in source.batches().unwrap() {
            let batch = batch.unwrap();
            let table = plan.encode(&batch).unwrap().0;
            writer.write(&plan.decode(&batch, &table).unwrap()).unwrap();
        }
        writer.finish().unwrap();
    };
    convert(&source, &parquet);
    let stored = Source::open(&parquet, &ReadOptions::default()).unwrap();
    let encoded = |source: &Source| {
        let batch = source.batches().unwrap().next().unwrap().unwrap();
        let (table, mut report) = plan.encode(&batch).unwrap();
        let cells: Vec<String> = table.rows().map(|row| format!("{row:?}")).collect();
        // Columns after the modelled ones are constant, and filled separately.
        let constants = report.columns.split_off(table.columns().len());
        assert_eq!(constants.iter().map(|column| column.name.as_str()).collect::<Vec<_>>(), ["same"]);
        (cells, report)
    };
    assert_eq!(encoded(&stored), encoded(&source));
    convert(&stored, &back);
    assert_eq!(
        std::fs::read_to_string(&back).unwrap(),
        "id,size,count,colour,sure,when,note,same,never\n\
         a1,1.5,1,red,true,2020-01-01T10:00:00Z,some words,x,\n\
         a2,2.5,,blue,false,2020-01-02T11:30:00Z,other words,x,\n\
         a3,3.25,5,red,,2020-01-03T10:00:00Z,more words,x,\n\
         a4,,7,blue,true,,no words,x,\n"
    );
}

#[test]
fn a_batch_of_missing_cells_may_have_any_type() {
    let plan = plan_of("size,colour\n1.5,red\n2.5,blue\n3.5,red\n,blue\n", &ColumnOverrides::new()).unwrap();
    let sizes: ArrayRef = Arc::new(Float64Array::from(vec![1.0, 2.0]));
    let numbers: ArrayRef = Arc::new(Float64Array::from(vec![None, None]));
    let keys = Int8Array::from(vec![None, None]);
    let dictionary: ArrayRef =
        Arc::new(DictionaryArray::new(keys.clone(), Arc::new(Float64Array::from(Vec::<f64>::new()))));
    let nothing: ArrayRef = Arc::new(DictionaryArray::new(keys, Arc::new(NullArray::new(0))));
    for colours in [numbers, dictionary, nothing] {
        let records =
            RecordBatch::try_from_iter([("size", sizes.clone()), ("colour", colours.clone())]).unwrap();
        let batch = Batch::from(records);
        let (table, report) = plan.encode(&batch).unwrap();
        assert_eq!(report.columns[1].missing, 2);
        let done = plan.decode(&batch, &filled(&table, 1.0)).unwrap().records().unwrap();
        let texts = arrow_cast::cast(done.column(1), &arrow_schema::DataType::Utf8).unwrap();
        assert_eq!(texts.as_ref(), &StringArray::from(vec!["red", "red"]), "{}", colours.data_type());
        let keyed = |array: &ArrayRef| matches!(array.data_type(), arrow_schema::DataType::Dictionary(..));
        assert_eq!(keyed(done.column(1)), keyed(&colours));
    }
    let other: ArrayRef = Arc::new(Float64Array::from(vec![None, Some(1.0)]));
    let batch = Batch::from(RecordBatch::try_from_iter([("size", sizes), ("colour", other)]).unwrap());
    assert!(matches!(plan.encode(&batch), Err(Error::WrongType { .. })));
}

#[test]
fn a_plan_knows_where_cells_were_missing() {
    let plan = plan();
    let gaps: Vec<&str> = plan.columns().iter().filter(|c| c.has_gaps()).map(|c| c.name()).collect();
    assert_eq!(gaps, ["size", "count", "sure", "when", "same", "never"]);
    let settings = serde_json::json!({"method": "mean"});
    let kept = plan.clone().with_settings(Some(settings.clone()));
    let again: Plan = serde_json::from_str(&serde_json::to_string(&kept).unwrap()).unwrap();
    assert_eq!(again.settings(), Some(&settings));
    // A plan from before either was kept.
    let mut old = serde_json::to_value(&plan).unwrap();
    for column in old["columns"].as_array_mut().unwrap() {
        column.as_object_mut().unwrap().remove("gaps");
    }
    let old: Plan = serde_json::from_value(old).unwrap();
    assert!(old.settings().is_none() && old.columns().iter().all(|column| !column.has_gaps()));
}

#[test]
fn a_bound_that_is_a_number_is_no_text() {
    let plan = plan_of("a;b\n1,5;x\n2,25;y\n3,125;x\n;y\n", &ColumnOverrides::new()).unwrap();
    let upper = |end: End| {
        plan.limits(&asked(Bounds { column: "a".to_string(), ends: [None, Some(end)] }), None)
            .map(|l| l.of(0).1)
    };
    assert_eq!(upper(End::Number(1.125)).unwrap(), 1.125);
    assert_eq!(upper(End::Text("1,125".to_string())).unwrap(), 1.125);
    let label =
        plan.limits(&asked(Bounds { column: "b".to_string(), ends: [None, Some(End::Number(1.0))] }), None);
    assert!(matches!(label, Err(Error::BadBound { .. })));
}
