//! Dates in the forms that people write.

use crate::common::{completed, plan_of, remarks_of, source_with};
use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch};
use psd_impute_frame::{ColumnOverride, ColumnOverrides, DateOrder, Plan, ReadOptions, Reason, Role};
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
    let plan = plan_of(text, &ColumnOverrides::new()).unwrap();
    let iso = |cell: &str| plan.columns()[0].kind().read(cell).unwrap();
    assert_eq!(iso("05/06/2020"), iso("2020-06-05"));
}

#[test]
fn doubtful_orders_are_asked_for() {
    let text = "a,b\n05/06/2020,1\n01/02/2020,3\n03/04/2020,7\n";
    let plan = plan_of(text, &ColumnOverrides::new()).unwrap();
    assert_eq!(*plan.columns()[0].role(), Role::Left(Reason::DoubtfulDates), "never read one way in silence");
    assert_eq!(
        remarks_of(text, &ReadOptions::default()),
        ["column `a`: `05/06/2020` may have its day or its month first; \
          `--dates dmy` or `--dates mdy` says which, so that the column is completed"]
    );
    for (order, day) in [(DateOrder::Dmy, "2020-06-05"), (DateOrder::Mdy, "2020-05-06")] {
        let options = ReadOptions { dates: Some(order), ..ReadOptions::default() };
        let plan =
            Plan::infer(source_with(text, &options).batches().unwrap(), &ColumnOverrides::new()).unwrap();
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
    let plan = Plan::infer([Ok(mixed.into())], &ColumnOverrides::new()).unwrap();
    assert_eq!(*plan.columns()[0].role(), Role::Left(Reason::SomeDates));
}

/// Months from January 2015 on, in an order of its own.
fn months(count: usize) -> Vec<i64> {
    (0..count as i64).map(|i| i * 5 % 31).map(|k| 100 * (2015 + k / 12) + k % 12 + 1).collect()
}

#[test]
fn six_digits_may_be_years_and_months() {
    let rows = |cells: &[i64]| cells.iter().map(|cell| format!("{cell}\t1\n")).collect::<String>();
    let text = |cells: &[i64]| format!("x\ty\n{}NA\t2\n", rows(cells));
    let kind =
        |cells: &[i64]| plan_of(&text(cells), &ColumnOverrides::new()).unwrap().columns()[0].kind().name();
    let all = months(31);
    assert_eq!(kind(&all), "date");
    // The first of February 2020, and the last day of a leap year's February, are in that month.
    for day in [18293.0, 18321.0] {
        assert!(completed(&text(&all), &ReadOptions::default(), day).ends_with("202002\t2\n"), "{day}");
    }
    assert_eq!(
        remarks_of(&text(&all), &ReadOptions::default()),
        ["column `x`: its numbers are taken to be years and months (201501 to 201707); \
          `--continuous x` takes them as numbers"]
    );
    let numbers = ColumnOverrides::from([("x".to_string(), ColumnOverride::Continuous)]);
    assert_eq!(plan_of(&text(&all), &numbers).unwrap().columns()[0].kind().name(), "continuous");
    // Few, few different ones, few months of the year, other endings, other years.
    let twice: Vec<i64> = months(7).into_iter().cycle().take(28).collect();
    let januaries: Vec<i64> = (0..30).map(|i| 100 * (1990 + i * 7 % 30) + 1).collect();
    let others: Vec<i64> = (0..30).map(|i| 201_500 + i * 7 % 31).collect();
    let late: Vec<i64> = all.iter().map(|month| month + 50_000).collect();
    for cells in [&all[..11], &twice, &januaries, &others, &late] {
        assert_eq!(kind(cells), "integer", "{cells:?}");
    }
}

#[test]
fn six_digits_are_months_in_typed_columns_too() {
    let cells = months(31);
    let records = |cells: Vec<Option<i64>>| {
        let y: ArrayRef = Arc::new((0..cells.len()).map(|i| Some(i as f64 * 1.5)).collect::<Float64Array>());
        let x: ArrayRef = Arc::new(Int64Array::from(cells));
        RecordBatch::try_from_iter_with_nullable([("x", x, true), ("y", y, false)]).unwrap()
    };
    let with_gap: Vec<Option<i64>> = cells.iter().copied().map(Some).chain([None]).collect();
    let done = crate::common::complete_records(records(with_gap), 18293.0);
    let expected: ArrayRef = Arc::new(cells.iter().copied().chain([202_002]).collect::<Int64Array>());
    assert_eq!(done.column(0), &expected);
    let with_other = cells.iter().copied().chain([999_999]).map(Some).collect();
    let plan = Plan::infer([Ok(records(with_other).into())], &ColumnOverrides::new()).unwrap();
    assert_eq!(*plan.columns()[0].role(), Role::Left(Reason::SomeDates));
}

/// Twenty days in one form, some cells replaced, beside numbers.
fn digits(form: impl Fn(u32) -> String, others: &[(u32, &str)]) -> String {
    let other = |i: u32| others.iter().find(|(at, _)| *at == i).map(|(_, text)| text.to_string());
    let rows: String =
        (0..20).map(|i| format!("{},{}.5\n", other(i).unwrap_or_else(|| form(i)), i * i % 7)).collect();
    format!("a,b\n{rows}")
}

/// They are dates or are left, never numbers, which would be completed with invalid dates.
#[test]
fn dates_of_digits_are_no_numbers_when_some_cells_are_none() {
    let role = |text: &str| {
        let plan = plan_of(text, &ColumnOverrides::new()).unwrap();
        (plan.columns()[0].kind().name(), plan.columns()[0].role().clone())
    };
    let day = |i: u32| format!("{}", 20200110 + i);
    for odd in ["20209999", "0", "99999999"] {
        let text = digits(day, &[(3, odd), (5, "")]);
        assert_eq!(role(&text), ("date", Role::Modelled));
        let said = remarks_of(&text, &ReadOptions::default());
        assert!(
            said[0].contains("1 cell is not one of its dates or times") && said[0].contains(odd),
            "{said:?}"
        );
        let done = completed(&text, &ReadOptions::default(), 18300.0);
        assert_eq!(done, text.replace("\n,", "\n20200208,"));
    }
    let some = |others: &[(u32, &str)], form: &dyn Fn(u32) -> String| role(&digits(form, others));
    let left = || ("text", Role::Left(Reason::SomeDates));
    assert_eq!(some(&[(1, "0"), (2, "0"), (3, "0"), (4, "0")], &day), left());
    assert_eq!(some(&[(5, "")], &|i| format!("{}123000", 20200110 + i)), left());
    assert_eq!(some(&[(5, "")], &|i| format!("{}1230", 20200110 + i)), left());
    assert_eq!(some(&[(5, "")], &|i| format!("{}012020", 10 + i)), left());
    assert_eq!(some(&[(5, "")], &|i| format!("{}102020", 1 + i)), left());
    assert_eq!(
        some(&[(5, "")], &|i| format!("{}", 20200110 + 7919 * i)).0,
        "integer",
        "few of them are dates"
    );
}

/// Integers with missing cells, as programs write them.
#[test]
fn dates_of_digits_may_have_a_point_and_a_zero() {
    let text = digits(|i| format!("{}.0", 20200110 + i), &[(5, "")]);
    let done = completed(&text, &ReadOptions::default(), 18300.0);
    assert_eq!(done, text.replace("\n,", "\n20200208.0,"));
    let both = digits(|i| format!("{}{}", 20200110 + i, if i % 2 == 0 { ".0" } else { "" }), &[(5, "")]);
    assert_eq!(completed(&both, &ReadOptions::default(), 18300.0), both.replace("\n,", "\n20200208,"));
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
    let plan = Plan::infer([Ok(records.into())], &ColumnOverrides::new()).unwrap();
    assert_eq!(*plan.columns()[0].role(), Role::Left(Reason::LongIntegers));
}

/// Cells made of the year, month and day of some dates.
fn rows_of(write: impl Fn([u32; 3]) -> String) -> String {
    let row = |i: u32| format!("{}\t{}\n", write([15 + i % 7, 1 + i % 12, 1 + i * 5 % 28]), i % 9);
    format!("x\ty\n{}NA\t2\n", (0..84).map(row).collect::<String>())
}

#[test]
fn other_dates_in_digits_are_left_alone() {
    let role = |text: &str| {
        plan_of(text, &ColumnOverrides::new()).unwrap().column("x").map(|column| column.role().clone())
    };
    let left = Some(Role::Left(Reason::SomeDates));
    for text in [
        rows_of(|[y, m, d]| format!("{y}{m:02}{d:02}")),
        rows_of(|[y, m, d]| format!("{d}{m:02}{y}")),
        rows_of(|[y, m, d]| format!("{m}{d:02}{y}")),
        rows_of(|[y, m, _]| format!("{m}20{y}")),
        rows_of(|[y, m, d]| format!("20{y}{m:02}{d:02}{:02}", m * d % 24)),
    ] {
        assert_eq!(role(&text), left, "{text}");
        assert_eq!(completed(&text, &ReadOptions::default(), 1.0), text, "nothing is filled");
        let numbers = ColumnOverrides::from([("x".to_string(), ColumnOverride::Continuous)]);
        assert_eq!(plan_of(&text, &numbers).unwrap().columns()[0].kind().name(), "continuous");
    }
    // In Parquet too, as integers.
    let days: ArrayRef = Arc::new(
        (0..84).map(|i| 150_101 + 10_000 * (i % 7) + 100 * (i % 12) + i * 5 % 28).collect::<Int64Array>(),
    );
    let other: ArrayRef = Arc::new((0..84).map(|i| Some(f64::from(i))).collect::<Float64Array>());
    let records = RecordBatch::try_from_iter([("x", days), ("y", other)]).unwrap();
    let plan = Plan::infer([Ok(records.into())], &ColumnOverrides::new()).unwrap();
    assert_eq!(plan.columns()[0].role(), &Role::Left(Reason::SomeDates));
    // Counts, of which one in 27 is a date by chance, and product numbers of which few differ.
    let counts: String = (0..300).map(|i| format!("{}\t1\n", 100_000 + i * 104_729 % 900_000)).collect();
    let products: String = (0..300).map(|i| format!("{}\t1\n", 120_101 + i * i % 7)).collect();
    for rows in [counts, products] {
        assert_eq!(role(&format!("x\ty\n{rows}")), Some(Role::Modelled));
    }
}

#[test]
fn integers_that_look_like_times_or_weeks_are_pointed_out() {
    let said = |text: &str| remarks_of(text, &ReadOptions::default());
    let option = "`--continuous x` says that they are numbers, `--ignore x` leaves it as it is";
    assert_eq!(
        said(&rows_of(|[y, m, d]| format!("{}", 100 * (m * d % 24) + (7 * y + 13 * d) % 60))),
        [format!(
            "column `x`: its numbers look like times of day such as 1359, but are completed as numbers: 1375 may be imputed; {option}"
        )]
    );
    assert_eq!(
        said(&rows_of(|[y, m, d]| format!("{}", 100 * (2000 + y) + 1 + (12 * d + m) % 52))),
        [format!(
            "column `x`: its numbers look like years and weeks such as 202052, but are completed as numbers: 202075 may be imputed; {option}"
        )]
    );
    for counts in [
        rows_of(|[y, m, d]| format!("{}", y * m * d % 2400)),
        rows_of(|[_, m, d]| format!("{}", 50 * (m + d))),
        rows_of(|[_, m, d]| format!("{}", m + d)),
        rows_of(|[y, _, d]| format!("{}", 1900 + 3 * d + y)),
    ] {
        assert_eq!(said(&counts), [""; 0]);
    }
}
