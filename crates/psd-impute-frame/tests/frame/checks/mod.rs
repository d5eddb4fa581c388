//! Checks of completed tables: their findings, and none in good tables.
//!
//! Complete tables are drawn, cells are masked, and an imputer of known quality fills them: the truth is a perfect imputation.

mod clean;
mod found;

use psd_impute::table::Table;
use psd_impute_frame::{
    Checks, ColumnPlan, FilledWith, Kind, NumberText, Plan, Role, TimeText, TimeUnit, Warning, WarningKind,
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const NA: f64 = f64::NAN;

pub(crate) fn rng(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

pub(crate) fn uniform(rng: &mut ChaCha8Rng) -> f64 {
    rng.random_range(0.0..1.0)
}

/// A standard normal number.
pub(crate) fn normal(rng: &mut ChaCha8Rng) -> f64 {
    let (a, b) = (1.0 - uniform(rng), uniform(rng));
    (-2.0 * a.ln()).sqrt() * (std::f64::consts::TAU * b).cos()
}

pub(crate) fn number(name: &str) -> ColumnPlan {
    ColumnPlan::new(name, Kind::Number { decimals: None, text: NumberText::PLAIN }, Role::Modelled)
}

pub(crate) fn integer(name: &str) -> ColumnPlan {
    ColumnPlan::new(name, Kind::Number { decimals: Some(0), text: NumberText::PLAIN }, Role::Modelled)
}

pub(crate) fn labels(name: &str, labels: &[&str]) -> ColumnPlan {
    let labels = labels.iter().map(|label| label.to_string()).collect();
    ColumnPlan::new(name, Kind::Labels { labels, ordered: false }, Role::Modelled)
}

/// The warnings of the checks about rows before and after.
pub(crate) fn check(columns: Vec<ColumnPlan>, before: &[Vec<f64>], after: &[Vec<f64>]) -> Vec<Warning> {
    check_filled(columns, before, after, FilledWith::Draws)
}

pub(crate) fn check_filled(
    columns: Vec<ColumnPlan>,
    before: &[Vec<f64>],
    after: &[Vec<f64>],
    filled: FilledWith,
) -> Vec<Warning> {
    let plan = Plan::new(columns).unwrap();
    let table = |rows: &[Vec<f64>]| -> Table { plan.table(&rows.concat()).unwrap() };
    let mut checks = Checks::new(&plan, filled);
    // In batches of any size.
    for (before, after) in before.chunks(777).zip(after.chunks(777)) {
        checks.add(&table(before), &table(after));
    }
    assert_eq!(checks.rows(), before.len() as u64);
    checks.finish(None)
}

/// The rows without the cells for which `gone` of row and column holds.
pub(crate) fn masked(rows: &[Vec<f64>], mut gone: impl FnMut(&[f64], usize) -> bool) -> Vec<Vec<f64>> {
    let mask =
        |row: &Vec<f64>| (0..row.len()).map(|j| if gone(row, j) { NA } else { row[j] }).collect::<Vec<f64>>();
    rows.iter().map(mask).collect()
}

/// The rows with `put` in the missing cells of a column, the truth in those of the others.
pub(crate) fn put(
    truth: &[Vec<f64>],
    before: &[Vec<f64>],
    column: usize,
    mut put: impl FnMut(&[f64]) -> f64,
) -> Vec<Vec<f64>> {
    let rows = truth.iter().zip(before).map(|(truth, before)| {
        let mut row = truth.clone();
        if before[column].is_nan() {
            row[column] = put(truth);
        }
        row
    });
    rows.collect()
}

pub(crate) fn texts(warnings: &[Warning]) -> String {
    warnings.iter().map(|warning| warning.text.as_str()).collect::<Vec<_>>().join("\n")
}

/// The warnings of a kind.
pub(crate) fn of(warnings: &[Warning], kind: WarningKind) -> Vec<&Warning> {
    warnings.iter().filter(|warning| warning.kind == kind).collect()
}

/// A table of every kind of column: a normal number, one that follows it, one that is bent, a lognormal one, a count, an
/// amount that is often zero, two labels and four.
pub(crate) fn mixed(rows: usize, rng: &mut ChaCha8Rng) -> (Vec<ColumnPlan>, Vec<Vec<f64>>) {
    let columns = vec![
        number("x"),
        number("follows"),
        number("bent"),
        number("income"),
        integer("children"),
        number("amount"),
        labels("sex", &["f", "m"]),
        labels("port", &["a", "b", "c", "d"]),
    ];
    let row = |rng: &mut ChaCha8Rng| {
        let x = normal(rng);
        let sex = f64::from(uniform(rng) < 0.4 + 0.2 * f64::from(x > 0.0));
        let amount = if uniform(rng) < 0.3 + 0.3 * sex { 0.0 } else { (0.5 * x + normal(rng)).exp() };
        let port = [0.7, 0.9, 0.97, 1.0].iter().position(|&edge| uniform(rng) < edge).unwrap_or(3);
        vec![
            x,
            0.8 * x + 0.6 * normal(rng) + 1.17 * sex,
            x * x + 0.5 * normal(rng),
            (10.0 + 0.5 * x + 0.7 * normal(rng)).exp(),
            (1.5 + normal(rng) + 0.5 * x).max(0.0).round(),
            amount,
            sex,
            port as f64,
        ]
    };
    (columns, (0..rows).map(|_| row(rng)).collect())
}
