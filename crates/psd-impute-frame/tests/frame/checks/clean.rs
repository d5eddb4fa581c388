//! Good imputations cause no warnings.

use super::*;

const SEEDS: u64 = 20;

/// Seeds for which the checks have findings in the truth itself, after cells are masked.
fn alarms(rows: usize, gone: impl Fn(&[f64], usize, &mut ChaCha8Rng) -> bool) -> Vec<String> {
    let one = |seed: u64| {
        let rng = &mut rng(1_000 * seed + rows as u64);
        let (columns, truth) = mixed(rows, rng);
        let before = masked(&truth, |row, j| gone(row, j, rng));
        let warnings = check(columns, &before, &truth);
        (!warnings.is_empty()).then(|| format!("seed {seed}: {}", texts(&warnings)))
    };
    (0..SEEDS).filter_map(one).collect()
}

#[test]
fn cells_missing_completely_at_random_are_no_reason_to_warn() {
    for rows in [200, 1_000, 5_000] {
        for rate in [0.1, 0.4] {
            let found = alarms(rows, |_, _, rng| uniform(rng) < rate);
            assert!(found.len() <= 1, "{rows} rows, {rate}: {found:#?}");
        }
    }
}

/// Missing by a logistic function of `x`: the imputed cells differ from the observed ones, but not from comparable ones.
#[test]
fn cells_missing_at_random_are_no_reason_to_warn() {
    for rows in [200, 1_000, 5_000] {
        let mut found =
            alarms(rows, |row, j, rng| j > 0 && uniform(rng) < 1.0 / (1.0 + (1.5 - 1.5 * row[0]).exp()));
        // Where rows are few, those with the largest `x` may all miss a column; that is so, and said.
        found.retain(|warnings| rows > 200 || !warnings.lines().all(|line| line.contains(" is imputed in ")));
        assert!(found.len() <= 1, "{rows} rows: {found:#?}");
    }
}

/// The checks do not fail on tables with very few cells.
#[test]
fn tables_with_hardly_anything_in_them_are_checked() {
    let columns = || vec![number("a"), labels("b", &["u", "v"])];
    for rows in [
        vec![vec![NA, NA]],
        vec![vec![1.0, NA], vec![1.0, 0.0]],
        vec![vec![NA, 1.0]; 50],
        (0..50).map(|i| vec![5.0, if i % 2 == 0 { NA } else { 1.0 }]).collect(),
    ] {
        let after: Vec<Vec<f64>> =
            rows.iter().map(|row| row.iter().map(|x| if x.is_nan() { 1.0 } else { *x }).collect()).collect();
        assert!(check(columns(), &rows, &after).is_empty());
        // Cells that stay missing count for nothing.
        assert!(check(columns(), &rows, &rows).is_empty());
    }
}

/// A column that grows down a long table and that no other predicts: compared rows come from the whole table, not from its
/// beginning.
#[test]
fn a_trend_down_a_long_table_is_no_reason_to_warn() {
    let rng = &mut rng(5);
    let truth: Vec<Vec<f64>> = (0..9_000).map(|i| vec![f64::from(i) / 3_000.0, normal(rng)]).collect();
    let before = masked(&truth, |_, j| j == 0 && uniform(rng) < 0.2);
    let warnings = check(vec![number("grows"), number("x")], &before, &truth);
    assert!(warnings.is_empty(), "{}", texts(&warnings));
}
