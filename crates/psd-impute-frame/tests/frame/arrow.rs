//! Arrow columns of every type: only missing cells change, and no type does.

use crate::common::{complete, complete_records, open};
use arrow_array::types::{Int8Type, Int32Type};
use arrow_array::*;
use arrow_schema::{DataType, Field, Schema, TimeUnit};
use psd_impute_frame::{Batch, ColumnOverride, ColumnOverrides, Error, Plan, Reason, Role, Writer};
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

/// One column of a batch; the cells after completion with the cell 1.
struct Case {
    array: ArrayRef,
    expected: ArrayRef,
}

fn case(array: impl Array + 'static, expected: impl Array + 'static) -> Case {
    Case { array: Arc::new(array), expected: Arc::new(expected) }
}

/// Integers of a type.
macro_rules! integers {
    ($array:ty) => {
        case(<$array>::from(vec![Some(3), None, Some(7)]), <$array>::from(vec![3, 1, 7]))
    };
}

fn cases() -> Vec<Case> {
    let decimal =
        |cells: Vec<Option<i128>>| Decimal128Array::from(cells).with_precision_and_scale(9, 2).unwrap();
    let wide = |cells: Vec<Option<i128>>| {
        let cells = cells.into_iter().map(|c| c.map(arrow_buffer::i256::from_i128));
        cells.collect::<Decimal256Array>().with_precision_and_scale(40, 3).unwrap()
    };
    let zoned =
        |cells: Vec<Option<i64>>| TimestampMicrosecondArray::from(cells).with_timezone("Europe/Berlin");
    let half = |x: f32| half::f16::from_f32(x);
    vec![
        integers!(Int8Array),
        integers!(Int16Array),
        integers!(Int32Array),
        integers!(Int64Array),
        integers!(UInt8Array),
        integers!(UInt16Array),
        integers!(UInt32Array),
        integers!(UInt64Array),
        case(
            Float16Array::from(vec![Some(half(0.5)), None, Some(half(2.25))]),
            Float16Array::from(vec![half(0.5), half(1.0), half(2.25)]),
        ),
        case(Float32Array::from(vec![Some(0.1), None, Some(2.5)]), Float32Array::from(vec![0.1, 1.0, 2.5])),
        case(Float64Array::from(vec![0.1, f64::NAN, 2.5]), Float64Array::from(vec![0.1, 1.0, 2.5])),
        case(decimal(vec![Some(150), None, Some(275)]), decimal(vec![Some(150), Some(100), Some(275)])),
        case(wide(vec![Some(1500), None, Some(2750)]), wide(vec![Some(1500), Some(1000), Some(2750)])),
        case(
            BooleanArray::from(vec![Some(false), None, Some(true)]),
            BooleanArray::from(vec![false, true, true]),
        ),
        case(Date32Array::from(vec![Some(10), None, Some(20)]), Date32Array::from(vec![10, 1, 20])),
        case(
            Date64Array::from(vec![Some(86_400_000), None, Some(0)]),
            Date64Array::from(vec![86_400_000, 86_400_000, 0]),
        ),
        case(
            TimestampSecondArray::from(vec![Some(60), None, Some(7200)]),
            TimestampSecondArray::from(vec![60, 60, 7200]),
        ),
        case(
            TimestampMillisecondArray::from(vec![Some(500), None, Some(1000)]),
            TimestampMillisecondArray::from(vec![500, 1, 1000]),
        ),
        case(zoned(vec![Some(3), None, Some(9)]), zoned(vec![Some(3), Some(1), Some(9)])),
        case(
            TimestampNanosecondArray::from(vec![Some(3_000), None, Some(9_000)]),
            TimestampNanosecondArray::from(vec![3_000, 1_000, 9_000]),
        ),
        case(
            Time32SecondArray::from(vec![Some(60), None, Some(7200)]),
            Time32SecondArray::from(vec![60, 60, 7200]),
        ),
        case(
            Time32MillisecondArray::from(vec![Some(500), None, Some(1000)]),
            Time32MillisecondArray::from(vec![500, 1, 1000]),
        ),
        case(
            Time64MicrosecondArray::from(vec![Some(0), None, Some(86_399_999_999)]),
            Time64MicrosecondArray::from(vec![0, 1, 86_399_999_999]),
        ),
        case(
            Time64NanosecondArray::from(vec![Some(3_000), None, Some(9_000)]),
            Time64NanosecondArray::from(vec![3_000, 1_000, 9_000]),
        ),
        case(
            DurationSecondArray::from(vec![Some(-60), None, Some(7200)]),
            DurationSecondArray::from(vec![-60, 60, 7200]),
        ),
        case(
            DurationMillisecondArray::from(vec![Some(500), None, Some(1000)]),
            DurationMillisecondArray::from(vec![500, 1, 1000]),
        ),
        case(
            DurationMicrosecondArray::from(vec![Some(3), None, Some(9)]),
            DurationMicrosecondArray::from(vec![3, 1, 9]),
        ),
        case(
            DurationNanosecondArray::from(vec![Some(i64::MAX), None, Some(9)]),
            DurationNanosecondArray::from(vec![i64::MAX, 1, 9]),
        ),
        labels(StringArray::from),
        labels(LargeStringArray::from),
        labels(StringViewArray::from),
        labels(|cells| cells.into_iter().collect::<DictionaryArray<Int8Type>>()),
        labels(|cells| cells.into_iter().collect::<DictionaryArray<Int32Type>>()),
    ]
}

fn labels<A: Array + 'static>(array: impl Fn(Vec<Option<&'static str>>) -> A) -> Case {
    let (a, b) = (Some("a"), Some("b"));
    case(array(vec![b, None, a, a, b]), array(vec![b, b, a, a, b]))
}

/// A batch with the column, nullable only if it holds nulls, and one of metadata everywhere.
fn records(array: &ArrayRef) -> RecordBatch {
    let field = Field::new("x", array.data_type().clone(), array.null_count() > 0);
    let field = field.with_metadata(HashMap::from([("of".to_string(), "field".to_string())]));
    let other = Field::new("other", DataType::Float64, false);
    let pairs = HashMap::from([("pandas".to_string(), "{}".to_string()), ("a".to_string(), "b".to_string())]);
    let schema = Schema::new_with_metadata(vec![field, other], pairs);
    let numbers: Float64Array = (0..array.len()).map(|i| Some(i as f64 * 1.5)).collect();
    RecordBatch::try_new(Arc::new(schema), vec![array.clone(), Arc::new(numbers)]).unwrap()
}

#[test]
fn every_type_is_completed_and_kept() {
    for Case { array, expected } in cases() {
        let before = records(&array);
        let after = complete_records(before.clone(), 1.0);
        assert_eq!(after.schema(), before.schema());
        assert_eq!(after.column(0), &expected, "{}", array.data_type());
        assert_eq!(after.column(1), before.column(1));
    }
}

/// The whole file as one batch.
fn read(path: &Path) -> RecordBatch {
    let source = open(path).unwrap();
    let batches: Vec<Batch> = source.batches().unwrap().map(|batch| batch.unwrap()).collect();
    assert_eq!(batches.len(), 1);
    records_of(&batches[0])
}

/// A batch as records, as decoded if nothing is filled.
fn records_of(batch: &Batch) -> RecordBatch {
    let plan = Plan::infer([Ok(batch.clone())], &ColumnOverrides::new()).unwrap();
    let table = plan.encode(batch).unwrap().0;
    plan.decode(batch, &table).unwrap().records().unwrap()
}

/// Writes records as they are.
fn write(records: &RecordBatch, path: &Path) {
    let batch = Batch::from(records.clone());
    let plan = Plan::infer([Ok(batch.clone())], &ColumnOverrides::new()).unwrap();
    let table = plan.encode(&batch).unwrap().0;
    let format = psd_impute_frame::Format::of_name(path).unwrap();
    let mut writer = Writer::create(path, format).unwrap();
    writer.write(&plan.decode(&batch, &table).unwrap()).unwrap();
    writer.finish().unwrap();
}

#[test]
fn every_type_goes_through_every_format() {
    let folder = tempfile::tempdir().unwrap();
    for Case { array, expected } in cases() {
        for extension in ["parquet", "arrow", "arrows"] {
            let seconds = [DataType::Timestamp(TimeUnit::Second, None), DataType::Time32(TimeUnit::Second)];
            if extension == "parquet" && seconds.contains(array.data_type()) {
                continue; // Parquet has no seconds.
            }
            let (input, output) = (folder.path().join("in"), folder.path().join("out"));
            let (input, output) = (input.with_extension(extension), output.with_extension(extension));
            let before = records(&array);
            write(&before, &input);
            complete(&input, &output, &ColumnOverrides::new(), 1.0).unwrap();
            let after = read(&output);
            assert_eq!(after.column(0), &expected, "{} in {extension}", array.data_type());
            assert_eq!(after.schema().fields(), before.schema().fields());
            let pairs = before.schema().metadata().clone();
            assert_eq!(after.schema().metadata(), &pairs, "{extension}");
        }
    }
}

#[test]
fn numbers_stay_within_their_type() {
    for (array, cell, expected) in [
        (Arc::new(Int8Array::from(vec![Some(3), None, Some(7)])) as ArrayRef, 1e9, "127"),
        (Arc::new(UInt16Array::from(vec![Some(3), None, Some(7)])), -5.0, "0"),
        (Arc::new(Int64Array::from(vec![Some(3), None, Some(7)])), 1e30, "9223372036854775807"),
        (Arc::new(UInt64Array::from(vec![Some(3), None, Some(7)])), 1e30, "18446744073709551615"),
        (Arc::new(Float32Array::from(vec![Some(0.5), None, Some(7.0)])), -1e300, "-3.4028235e38"),
        (Arc::new(Date32Array::from(vec![Some(3), None, Some(7)])), -1e6, "-0768-02-04"),
        (
            Arc::new(
                Decimal128Array::from(vec![Some(3), None, Some(7)]).with_precision_and_scale(5, 2).unwrap(),
            ),
            1e9,
            "999.99",
        ),
    ] {
        let after = complete_records(records(&array), cell);
        assert!(after.column(0).is_valid(1));
        let text = arrow_cast::display::array_value_to_string(after.column(0), 1);
        assert_eq!(text.unwrap(), expected, "{}", array.data_type());
    }
}

#[test]
fn unknown_types_are_passed_through() {
    let lists = ListArray::from_iter_primitive::<Int32Type, _, _>([Some(vec![Some(1)]), None, Some(vec![])]);
    let binary = BinaryArray::from(vec![Some(b"a".as_ref()), None, Some(b"b")]);
    for array in [Arc::new(lists) as ArrayRef, Arc::new(binary), Arc::new(NullArray::new(3))] {
        let before = records(&array);
        assert_eq!(complete_records(before.clone(), 1.0), before);
        let plan = Plan::infer([Ok(before.into())], &ColumnOverrides::new()).unwrap();
        assert!(matches!(
            plan.columns()[0].role(),
            Role::Left(Reason::Unsupported { .. } | Reason::NeverObserved)
        ));
    }
}

#[test]
fn infinite_numbers_are_refused_with_their_row() {
    let array: ArrayRef = Arc::new(Float64Array::from(vec![1.5, f64::NEG_INFINITY, 2.0]));
    let batch = Batch::from(records(&array));
    let error = Plan::infer([Ok(batch.clone())], &ColumnOverrides::new()).unwrap_err();
    assert_eq!(error.to_string(), "the table, row 2, column `x`: `-inf` is infinite");
    let good: ArrayRef = Arc::new(Float64Array::from(vec![1.5, 3.5, 2.0]));
    let plan = Plan::infer([Ok(records(&good).into())], &ColumnOverrides::new()).unwrap();
    assert!(matches!(plan.encode(&batch), Err(Error::Infinite { .. })));
}

#[test]
fn a_dictionary_gets_labels_it_does_not_have() {
    let old: ArrayRef = Arc::new(vec!["a", "b", "a", "c"].into_iter().collect::<DictionaryArray<Int8Type>>());
    let plan = Plan::infer([Ok(records(&old).into())], &ColumnOverrides::new()).unwrap();
    let new = vec![Some("z"), Some("b"), None, Some("b")].into_iter().collect::<DictionaryArray<Int8Type>>();
    let new: ArrayRef = Arc::new(new);
    let batch = Batch::from(records(&new));
    let (table, report) = plan.encode(&batch).unwrap();
    assert_eq!((report.columns[0].missing, report.columns[0].unseen), (1, 1));
    let completed = crate::common::filled(&table, 2.0);
    let after = plan.decode(&batch, &completed).unwrap().records().unwrap();
    let after: &DictionaryArray<Int8Type> = cast::as_dictionary_array(after.column(0));
    let labels: Vec<_> = after.downcast_dict::<StringArray>().unwrap().into_iter().flatten().collect();
    assert_eq!(labels, ["z", "b", "c", "b"]);
    let values: Vec<_> = cast::as_string_array(after.values()).iter().flatten().collect();
    assert_eq!(values, ["z", "b", "a", "c"], "each once");
}

#[test]
fn a_full_dictionary_is_an_error() {
    let keys = Int8Array::from_iter((0..128).map(|k| (k > 0).then_some(k as i8)));
    let values: StringArray = (0..128).map(|k| Some(format!("label{k}"))).collect();
    let array: ArrayRef = Arc::new(DictionaryArray::try_new(keys, Arc::new(values)).unwrap());
    let plain = StringArray::from_iter((0..128).map(|k| Some(format!("other{}", k % 2))));
    let plain: ArrayRef = Arc::new(plain.into_iter().collect::<DictionaryArray<Int8Type>>());
    let plan = Plan::infer([Ok(records(&plain).into())], &ColumnOverrides::new()).unwrap();
    let batch = Batch::from(records(&array));
    let table = crate::common::filled(&plan.encode(&batch).unwrap().0, 0.0);
    let error = plan.decode(&batch, &table).unwrap().records().unwrap_err();
    assert_eq!(error.to_string(), "column `x`: the keys of type Int8 cannot count 130 labels");
}

#[test]
fn dictionaries_of_numbers_are_categories() {
    let values = Int64Array::from(vec![10, 20, 30]);
    let keys = Int32Array::from(vec![Some(2), None, Some(0), Some(1)]);
    let array: ArrayRef = Arc::new(DictionaryArray::try_new(keys, Arc::new(values)).unwrap());
    let after = complete_records(records(&array), 1.0);
    let after: &DictionaryArray<Int32Type> = cast::as_dictionary_array(after.column(0));
    assert_eq!(after.keys(), &Int32Array::from(vec![2, 1, 0, 1]));
}

#[test]
fn wishes_apply_to_arrow_columns() {
    let array: ArrayRef = Arc::new(Int64Array::from(vec![Some(10), None, Some(20)]));
    let batch = Batch::from(records(&array));
    let overrides = ColumnOverrides::from([("x".to_string(), ColumnOverride::Category)]);
    let plan = Plan::infer([Ok(batch.clone())], &overrides).unwrap();
    let table = crate::common::filled(&plan.encode(&batch).unwrap().0, 1.0);
    let after = plan.decode(&batch, &table).unwrap().records().unwrap();
    assert_eq!(
        cast::as_primitive_array::<arrow_array::types::Int64Type>(after.column(0)),
        &Int64Array::from(vec![10, 20, 20])
    );
    let zoned: ArrayRef = Arc::new(TimestampSecondArray::from(vec![1, 2]));
    let error = Plan::infer([Ok(records(&zoned).into())], &overrides).unwrap_err();
    assert_eq!(error.to_string(), "column `x` cannot be taken as a category: it holds times");
}

#[test]
fn parquet_gets_what_it_can_hold() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.parquet");
    let seconds: ArrayRef = Arc::new(TimestampSecondArray::from(vec![60, -7]).with_timezone("+01:00"));
    write(&records(&seconds), &path);
    let expected = TimestampMillisecondArray::from(vec![60_000, -7_000]).with_timezone("+01:00");
    assert_eq!(read(&path).column(0).as_ref(), &expected as &dyn Array);
    let batch = Batch::from(records(&(Arc::new(Date64Array::from(vec![1, 86_400_000])) as ArrayRef)));
    let plan = Plan::infer([Ok(batch.clone())], &ColumnOverrides::new()).unwrap();
    let table = plan.encode(&batch).unwrap().0;
    let mut writer = Writer::create(&path, psd_impute_frame::Format::Parquet).unwrap();
    let error = writer.write(&plan.decode(&batch, &table).unwrap()).unwrap_err();
    assert!(error.to_string().contains("no whole day: 1 ms since 1970"), "{error}");
    assert!(writer.finish().is_err());
}

#[test]
fn large_files_come_in_batches() {
    let folder = tempfile::tempdir().unwrap();
    let labels = (0..20_000).map(|i| if i % 3 == 0 { None } else { Some(["a", "b", "c"][i % 7 % 3]) });
    let array: ArrayRef = Arc::new(labels.collect::<DictionaryArray<Int8Type>>());
    let before = records(&array);
    for extension in ["parquet", "arrow", "arrows"] {
        let (input, output) = (folder.path().join("in"), folder.path().join("out"));
        let (input, output) = (input.with_extension(extension), output.with_extension(extension));
        write(&before, &input);
        let plan = complete(&input, &output, &ColumnOverrides::new(), 1.0).unwrap();
        let (source, mut rows) = (open(&output).unwrap(), 0);
        for batch in source.batches().unwrap() {
            let batch = batch.unwrap();
            assert_eq!(batch.first_row(), rows);
            rows += batch.len() as u64;
            let report = plan.encode(&batch).unwrap().1;
            assert!(batch.len() <= 8192 && report.columns[0].missing == 0);
        }
        assert_eq!(rows, 20_000);
    }
}

#[test]
fn broken_files_are_errors() {
    let folder = tempfile::tempdir().unwrap();
    let array: ArrayRef = Arc::new((0..5000).map(|i| Some(i as f64 * 0.3)).collect::<Float64Array>());
    for extension in ["parquet", "arrow", "arrows"] {
        let path = folder.path().join("whole").with_extension(extension);
        write(&records(&array), &path);
        let bytes = std::fs::read(&path).unwrap();
        for keep in [8, 100, bytes.len() / 2, bytes.len() - 20] {
            let cut = folder.path().join("cut").with_extension(extension);
            std::fs::write(&cut, &bytes[..keep]).unwrap();
            let source = open(&cut).unwrap();
            let result = source.batches().and_then(|batches| batches.collect::<Result<Vec<_>, _>>());
            // A stream may end early between two messages.
            match result {
                Err(error) => {
                    assert!(matches!(error, Error::Unreadable { .. } | Error::NoRows { .. }), "{error}")
                }
                Ok(_) => assert_eq!(extension, "arrows"),
            }
        }
    }
    let path = folder.path().join("text.parquet");
    std::fs::write(&path, "a,b\n1,2\n").unwrap();
    let error = open(&path).unwrap().batches().err().unwrap();
    assert!(error.to_string().contains("cannot be read as Parquet"), "{error}");
    std::fs::write(&path, "").unwrap();
    assert!(matches!(open(&path), Err(Error::EmptyFile { .. })));
    assert!(matches!(open(&folder.path().join("none.csv")), Err(Error::Io { .. })));
}
