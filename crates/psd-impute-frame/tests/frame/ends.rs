//! Ends that all observed cells respect: imputed ones do too, unless other bounds are given.

use crate::common::{asked, source_with};
use psd_impute::FitOptions;
use psd_impute::impute::Limits;
use psd_impute_frame::{Bounds, BoundsOptions, ColumnOverrides, End, ReadOptions, Surveyed, TableModel};

/// An income that is positive, a share, a change of either sign, and a scale that ends at 1 and 5; a quarter of each is missing.
fn table() -> String {
    let mut text = String::from("x,income,share,change,scale\n");
    for i in 0..240 {
        let u = |k: f64| (f64::from(i) * 0.618_033_988_75 * k + 0.37 * k).fract();
        let z = 4.0 * (u(1.0) + u(2.0) + u(3.0)) - 6.0;
        let income = (0.8 * z + u(5.0) - 0.5).exp();
        let share = 1.0 / (1.0 + (-z - u(7.0)).exp());
        let cells = [
            format!("{z:.3}"),
            format!("{income:.3}"),
            format!("{share:.3}"),
            format!("{:.3}", z + u(11.0)),
            format!("{}", (3.0 + z).round().clamp(1.0, 5.0)),
        ];
        let shown = cells
            .iter()
            .enumerate()
            .map(|(j, cell)| if j > 0 && (i + 3 * j as i32) % 4 == 0 { "" } else { cell.as_str() });
        text += &(shown.collect::<Vec<_>>().join(",") + "\n");
    }
    text
}

fn fitted() -> TableModel {
    let source = source_with(&table(), &ReadOptions::default());
    let options = FitOptions {
        time_budget: Some(std::time::Duration::from_millis(1)),
        seed: 1,
        ..FitOptions::default()
    };
    Surveyed::new(&source, ColumnOverrides::new()).unwrap().fit(&source, &options, &mut ()).unwrap().0
}

fn ends(model: &TableModel, column: &str) -> [Option<f64>; 2] {
    model.plan.column(column).unwrap().ends()
}

/// The smallest and the largest cell of a column in some new rows.
fn range(model: &TableModel, options: &BoundsOptions, j: usize) -> (f64, f64) {
    range_within(model, model.plan.limits(options, None).unwrap(), j)
}

fn range_within(model: &TableModel, limits: Limits, j: usize) -> (f64, f64) {
    let drawn = model.model.imputer(limits).unwrap().new_rows(model.model.columns(), 400, 5).unwrap();
    drawn
        .rows()
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), row| (low.min(row[j]), high.max(row[j])))
}

#[test]
fn ends_are_found_kept_in_the_file_and_respected() {
    let model = TableModel::read(&fitted().to_bytes().unwrap()).unwrap();
    assert_eq!(ends(&model, "x"), [None, None]);
    assert_eq!(ends(&model, "income"), [Some(0.001), None]);
    assert_eq!(ends(&model, "share"), [Some(0.001), Some(1.0)]);
    assert_eq!(ends(&model, "change"), [None, None]);
    assert_eq!(ends(&model, "scale"), [Some(1.0), Some(5.0)]);
    let (free, auto) = (Limits::none(5), BoundsOptions::default());
    assert!(range_within(&model, free.clone(), 1).0 < 0.0, "the model alone has negative incomes");
    assert!(range_within(&model, free, 2).1 > 1.0);
    assert!(range(&model, &auto, 1).0 >= 0.001);
    let shares = range(&model, &auto, 2);
    assert!(shares.0 >= 0.001 && shares.1 <= 1.0);
    assert!(range(&model, &auto, 3).0 < -2.0);
    let scale = range(&model, &auto, 4);
    assert_eq!(scale, (1.0, 5.0));
}

#[test]
fn ends_are_lifted_and_replaced_on_demand() {
    let model = fitted();
    let lifted = BoundsOptions { auto: false, ..BoundsOptions::default() };
    assert!(range(&model, &lifted, 1).0 < 0.0);
    let of = |ends: [Option<f64>; 2]| {
        let bounds = Bounds { column: "income".to_string(), ends: ends.map(|end| end.map(End::Number)) };
        model.plan.limits(&asked(bounds), None).unwrap().of(1)
    };
    assert_eq!(of([None, Some(50.0)]), (0.001, 50.0), "an end that is left out is the table's own");
    assert_eq!(of([Some(-3.0), None]), (-3.0, f64::INFINITY));
    assert_eq!(of([None, Some(-1.0)]), (f64::NEG_INFINITY, -1.0), "what is asked for comes first");
}

#[test]
fn another_table_may_pass_them() {
    let model = fitted();
    let source =
        source_with("x,income,share,change,scale\n0.1,-5,2,,9\n0.2,,0.5,0.1,3\n", &ReadOptions::default());
    let batch = source.batches().unwrap().next().unwrap().unwrap();
    let (table, _) = model.plan.encode(&batch).unwrap();
    let limits = model.plan.limits(&BoundsOptions::default(), Some(&batch)).unwrap();
    model.plan.check_limits(&limits, &batch, &table).unwrap();
    let done = model.model.imputer(limits).unwrap().independent_draws(&table, 1, 1).unwrap();
    assert_eq!(done.row(0)[1], -5.0);
    assert!(done.row(1)[1] >= 0.001);
}
