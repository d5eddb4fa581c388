//! Drawn cells stay within the range of their type, and do not accumulate at its ends.

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int8Type};
use arrow_array::{
    Array, ArrayRef, Decimal128Array, DictionaryArray, Float64Array, Int8Array, RecordBatch, UInt8Array,
    UInt16Array, UInt64Array,
};
use arrow_cast::cast;
use arrow_schema::DataType;
use psd_impute::FitOptions;
use psd_impute::impute::Limits;
use psd_impute_frame::{Batch, BoundsOptions, ColumnOverrides, Format, Source, Surveyed, TableModel};
use std::sync::Arc;

/// Columns of small types that cover their whole range, with missing cells, and one that depends on them.
fn records() -> RecordBatch {
    let u = |i: usize, k: f64| (i as f64 * 0.618_033_988_75 + k * (i as f64 * 0.414_213_562).fract()).fract();
    let cell = |i: usize, k: usize, x: f64| (i % 7 != k).then_some(x.floor());
    let column = |k: usize, low: f64, high: f64| {
        (0..80)
            .map(move |i| cell(i, k, low + (high - low + 0.999) * u(i, 0.05 * k as f64)))
            .collect::<Float64Array>()
    };
    let to = |column: Float64Array, kind: &DataType| cast(&column, kind).unwrap();
    let decimal: Decimal128Array =
        column(5, -999.0, 999.0).iter().map(|x| x.map(|x| x as i128)).collect::<Decimal128Array>();
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("u8", to(column(0, 0.0, 255.0), &DataType::UInt8)),
        ("u16", to(column(1, 0.0, 40.0), &DataType::UInt16)),
        ("u64", to(column(2, 0.0, 3000.0), &DataType::UInt64)),
        ("i8", to(column(3, -128.0, 127.0), &DataType::Int8)),
        ("f16", to(column(4, -65000.0, 65000.0), &DataType::Float16)),
        ("decimal", Arc::new(decimal.with_precision_and_scale(3, 0).unwrap())),
        ("whole", Arc::new((0..80).map(|i| Some(100.0 * u(i, 0.0) + u(i, 0.3))).collect::<Float64Array>())),
    ];
    RecordBatch::try_from_iter(columns).unwrap()
}

const ENDS: [(&str, f64, f64); 6] = [
    ("u8", 0.0, 255.0),
    ("u16", 0.0, 65535.0),
    ("u64", 0.0, u64::MAX as f64),
    ("i8", -128.0, 127.0),
    ("f16", -65504.0, 65504.0),
    ("decimal", -999.0, 999.0),
];

fn fitted(records: &RecordBatch) -> TableModel {
    let source = Source::records(vec![records.clone()]);
    let options = FitOptions {
        time_budget: Some(std::time::Duration::from_millis(1)),
        seed: 0,
        ..FitOptions::default()
    };
    Surveyed::new(&source, ColumnOverrides::new()).unwrap().fit(&source, &options, &mut ()).unwrap().0
}

/// New rows of a model within limits, as numbers by column.
fn sampled(fitted: &TableModel, limits: Limits, rows: usize) -> Vec<(String, Vec<f64>)> {
    let imputer = fitted.model.imputer(limits).unwrap();
    let drawn = imputer.new_rows(fitted.model.columns(), rows, 1).unwrap();
    let batch = fitted.plan.blank_batches(rows as u64, Format::ArrowStream).unwrap().next().unwrap();
    let records = fitted.plan.decode(&batch, &drawn).unwrap().records().unwrap();
    let numbers = |array: &ArrayRef| {
        cast(array, &DataType::Float64).unwrap().as_primitive::<Float64Type>().values().to_vec()
    };
    let names = records.schema().fields().iter().map(|field| field.name().clone()).collect::<Vec<_>>();
    names.into_iter().zip(records.columns().iter().map(numbers)).collect()
}

/// Limits by the ranges of the types only.
fn types_only() -> BoundsOptions {
    BoundsOptions { asked: Vec::new(), auto: false }
}

fn outside(columns: &[(String, Vec<f64>)]) -> Vec<&'static str> {
    let is_outside = |(name, low, high): &(&str, f64, f64)| {
        let (_, cells) = columns.iter().find(|(column, _)| column == name).unwrap();
        cells.iter().any(|x| x < low || x > high)
    };
    ENDS.iter().filter(|end| is_outside(end)).map(|end| end.0).collect()
}

#[test]
fn new_rows_stay_within_the_types_of_the_table() {
    let fitted = fitted(&records());
    let columns = fitted.model.columns().len();
    let free = sampled(&fitted, Limits::none(columns), 400);
    assert_eq!(
        outside(&free),
        ["u8", "u16", "u64", "i8", "f16", "decimal"],
        "the types would not hold all draws"
    );
    let held = sampled(&fitted, fitted.plan.limits(&types_only(), None).unwrap(), 400);
    assert_eq!(outside(&held), [] as [&str; 0]);
    for (name, low, high) in ENDS {
        let (_, cells) = held.iter().find(|(column, _)| column == name).unwrap();
        let at_ends = cells.iter().filter(|x| **x == low || **x == high).count();
        // Some of the observed cells are ends themselves.
        assert!(at_ends < 100, "{name}: {at_ends} of 400 at the ends");
    }
}

#[test]
fn a_model_keeps_the_ends_of_types_in_its_file() {
    let fitted = fitted(&records());
    let read = TableModel::read(&fitted.to_bytes().unwrap()).unwrap();
    assert_eq!(read.plan.column("u8").unwrap().type_ends(), [Some(0.0), Some(255.0)]);
    assert_eq!(read.plan.column("u64").unwrap().type_ends(), [Some(0.0), None], "the upper end is far away");
    assert_eq!(read.plan.column("whole").unwrap().type_ends(), [None, None]);
}

#[test]
fn imputed_cells_stay_within_the_types_and_wider_types_are_not_bound() {
    let records = records();
    let fitted = fitted(&records);
    let batch = Batch::from(records.clone());
    let limits = fitted.plan.limits(&types_only(), Some(&batch)).unwrap();
    let (table, _) = fitted.plan.encode(&batch).unwrap();
    fitted.plan.check_limits(&limits, &batch, &table).unwrap();
    let imputer = fitted.model.imputer(limits).unwrap();
    let done = imputer.independent_draws(&table, 3, 1).unwrap();
    let out = fitted.plan.decode(&batch, &done).unwrap().records().unwrap();
    assert_eq!(out.schema().field(0).data_type(), &DataType::UInt8);
    assert_eq!(out.columns().iter().map(|column| column.null_count()).sum::<usize>(), 0);
    for (j, (name, low, high)) in ENDS.iter().enumerate() {
        let mut rows = (0..table.len()).map(|i| done.row(i)[j]);
        assert!(rows.all(|x| x >= *low && x <= *high), "{name}");
    }
    // The same model completes a table whose cells its types could not hold.
    let mut columns = records.columns().to_vec();
    columns[0] =
        Arc::new((0..80).map(|i| (i % 7 != 0).then_some(f64::from(i) * 10.0)).collect::<Float64Array>());
    let names = records.schema().fields().iter().map(|field| field.name().clone()).collect::<Vec<_>>();
    let wide = Batch::from(RecordBatch::try_from_iter(names.into_iter().zip(columns)).unwrap());
    let limits = fitted.plan.limits(&types_only(), Some(&wide)).unwrap();
    let (table, _) = fitted.plan.encode(&wide).unwrap();
    fitted.plan.check_limits(&limits, &wide, &table).unwrap();
}

#[test]
fn small_dictionaries_of_numbers_hold_their_values() {
    let keys: Vec<Option<u8>> = (0..60u8).map(|i| (i % 5 != 0).then_some(i % 3)).collect();
    let values = UInt8Array::from(vec![1, 2, 250]);
    let keys: Int8Array = keys.into_iter().map(|key| key.map(|key| key as i8)).collect();
    let dictionary = DictionaryArray::<Int8Type>::try_new(keys, Arc::new(values)).unwrap();
    let other: ArrayRef = Arc::new((0..60u16).map(|i| Some(i * 3 % 17)).collect::<UInt16Array>());
    let far: ArrayRef = Arc::new((0..60u64).map(|i| Some(u64::MAX - i * 1_000_000)).collect::<UInt64Array>());
    let records =
        RecordBatch::try_from_iter(vec![("a", Arc::new(dictionary) as ArrayRef), ("b", other), ("c", far)])
            .unwrap();
    let fitted = fitted(&records);
    let batch = Batch::from(records);
    let (table, _) = fitted.plan.encode(&batch).unwrap();
    let imputer = fitted.model.imputer(fitted.plan.limits(&types_only(), Some(&batch)).unwrap()).unwrap();
    let done = imputer.independent_draws(&table, 3, 1).unwrap();
    let out = fitted.plan.decode(&batch, &done).unwrap().records().unwrap();
    let filled = cast(out.column(0), &DataType::Float64).unwrap();
    let filled = filled.as_primitive::<Float64Type>();
    assert_eq!(filled.null_count(), 0);
    assert!(filled.values().iter().all(|x| [1.0, 2.0, 250.0].contains(x)));
}
