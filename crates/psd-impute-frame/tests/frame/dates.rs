//! Dates as people write them.

use crate::common::{completed, plan_of, remarks_of, source_with};
use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch};
use psd_impute_frame::{DateOrder, Plan, ReadOptions, Reason, Role, Wishes};
use std::sync::Arc;

/// Completes the only missing cell with the day 18300, the eighth of February 2020.
fn filled(cells: &[&str]) -> String {
    let rows: String = cells.iter().map(|cell| format!("{cell}\t1\n")).collect();
    let text = format!("x\ty\n{rows}NA\t2\n");
    let output = completed(&text, &ReadOptions::default(), 18300.0);
    let (before, last) = output.trim_end().rsplit_once('\n').unwrap();
    assert_eq!(before, text.trim_end().rsplit_once('\n').unwrap().0, "observed cells change");
    last.split_once('\t').unwrap().0.to_string()
}

#[test]
fn dates_are_filled_in_the_columns_style() {
    for (cells, expected) in [
        (vec!["31/01/2020", "01/02/2020"], "08/02/2020"),
        (vec!["1/31/2020", "12/1/2020"], "2/8/2020"),
        (vec!["31.1.2020", "1.2.2020"], "8.2.2020"),
        (vec!["31-01-99", "01-02-20"], "08-02-20"),
        (vec!["31-Jan-2020", "01-Feb-2020"], "08-Feb-2020"),
        (vec!["Jan 31, 2020", "March 1, 2020"], "February 8, 2020"),
        (vec!["2020/01/31", "2020/02/01"], "2020/02/08"),
        (vec!["20200131", "20200201"], "20200208"),
    ] {
        assert_eq!(filled(&cells), expected, "{cells:?}");
    }
}

#[test]
fn other_columns_tell_the_order() {
    let text = "a,b\n05/06/2020,31/01/2020\n01/02/2020,01/02/2020\n03/04/2020,28/02/2020\n";
    let plan = plan_of(text, &Wishes::new()).unwrap();
    let iso = |cell: &str| plan.columns()[0].kind().read(cell).unwrap();
    assert_eq!(iso("05/06/2020"), iso("2020-06-05"));
}

#[test]
fn doubtful_orders_are_asked_for() {
    let text = "a,b\n05/06/2020,1\n01/02/2020,3\n03/04/2020,7\n";
    let plan = plan_of(text, &Wishes::new()).unwrap();
    assert_eq!(*plan.columns()[0].role(), Role::Left(Reason::DoubtfulDates), "never read one way in silence");
    assert_eq!(
        remarks_of(text, &ReadOptions::default()),
        ["column `a`: `05/06/2020` may have its day or its month first; \
          `--dates dmy` or `--dates mdy` says which, so that the column is completed"]
    );
    for (order, day) in [(DateOrder::Dmy, "2020-06-05"), (DateOrder::Mdy, "2020-05-06")] {
        let options = ReadOptions { dates: Some(order), ..ReadOptions::default() };
        let plan = Plan::infer(source_with(text, &options).batches().unwrap(), &Wishes::new()).unwrap();
        let kind = plan.columns()[0].kind();
        assert_eq!(kind.name(), "date");
        assert_eq!(kind.read("05/06/2020"), kind.read(day));
    }
}

#[test]
fn eight_digits_are_dates_in_typed_columns_too() {
    let days: ArrayRef = Arc::new(Int64Array::from(vec![Some(20200131), None, Some(20191224)]));
    let other: ArrayRef = Arc::new(Float64Array::from(vec![1.5, 2.5, 4.0]));
    let records = |days: &ArrayRef| {
        RecordBatch::try_from_iter_with_nullable([("x", days.clone(), true), ("y", other.clone(), false)])
            .unwrap()
    };
    let done = crate::common::complete_records(records(&days), 18300.0);
    let expected: ArrayRef = Arc::new(Int64Array::from(vec![20200131, 20200208, 20191224]));
    assert_eq!(done.column(0), &expected);

    let cells = (0..20).map(|i| if i == 7 { 99999999 } else { 20200101 + i });
    let days: ArrayRef = Arc::new(cells.collect::<Int64Array>());
    let other: ArrayRef = Arc::new((0..20).map(|i| Some(f64::from(i) * 1.5)).collect::<Float64Array>());
    let mixed = RecordBatch::try_from_iter([("x", days), ("y", other)]).unwrap();
    let plan = Plan::infer([Ok(mixed.into())], &Wishes::new()).unwrap();
    assert_eq!(*plan.columns()[0].role(), Role::Left(Reason::SomeDates));
}

#[test]
fn years_of_two_digits_are_said() {
    let text = "a,b\n31/01/20,1\n01/02/99,3\n03/04/21,7\n";
    assert_eq!(
        remarks_of(text, &ReadOptions::default()),
        ["column `a`: years of two digits are taken to be 1969 to 2068"]
    );
}

#[test]
fn typed_long_integers_are_left_alone() {
    let ids: ArrayRef = Arc::new((0..20).map(|i| Some((1i64 << 53) + 3 * i)).collect::<Int64Array>());
    let other: ArrayRef = Arc::new((0..20).map(|i| Some(i as f64 * 1.5)).collect::<Float64Array>());
    let records = RecordBatch::try_from_iter([("x", ids), ("y", other)]).unwrap();
    let plan = Plan::infer([Ok(records.into())], &Wishes::new()).unwrap();
    assert_eq!(*plan.columns()[0].role(), Role::Left(Reason::LongIntegers));
}
