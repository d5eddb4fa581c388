//! A forest keeps what a density has to keep, and what its trees are grown for.

use super::*;
use crate::density::{Density, map_gaps};
use crate::table::Column;
use faer::Mat;

const NA: f64 = f64::NAN;
const FEW: ForestParams = ForestParams { trees: 3, ..ForestParams::USUAL };

fn forest(table: &Table, params: &ForestParams) -> Forest {
    let weights = vec![1.0; table.len()];
    let fitted = FittedForest::fit(table, &weights, params, &mut ChaCha8Rng::seed_from_u64(1)).unwrap();
    fitted.density(table, &weights, &Arc::new(Resolution::of(table))).unwrap()
}

fn labels(count: usize) -> Vec<String> {
    (0..count).map(|k| format!("l{k}")).collect()
}

/// A number, a label that goes with its sign, an ordered column and a second number; a seventh of the cells are missing.
fn mixed(rows: usize) -> Table {
    let columns = vec![
        Column::continuous("x"),
        Column::category("side", labels(3)).unwrap(),
        Column::ordered("grade", vec![-1.0, 0.5, 4.0]).unwrap(),
        Column::continuous("y"),
    ];
    let cell = |j: usize, i: usize| {
        let x = (i as f64 * 1.7).sin() * 1.4;
        match j {
            _ if (3 * i + 5 * j).is_multiple_of(7) => NA,
            0 => x,
            1 => f64::from(u8::from(x > 0.0)),
            2 => [-1.0, 0.5, 4.0][((x + 1.4) as usize).min(2)],
            _ => x * x + 0.1 * (i as f64 * 2.9).cos(),
        }
    };
    Table::new(columns, Mat::from_fn(4, rows, cell)).unwrap()
}

#[test]
fn marginals_are_sums_of_marginals() {
    let table = mixed(120);
    let forest = forest(&table, &FEW);
    let log = |row: &[f64]| forest.log_marginal(row).unwrap().exp();
    let base = table.shares(1, Some(&[1.0; 120]));
    for (x, grade, y) in [(0.3, 0.5, NA), (-1.1, NA, 0.7), (NA, 4.0, NA)] {
        let sum: f64 = (0..3).map(|v| base[v] * log(&[x, v as f64, grade, y])).sum();
        assert!((sum / log(&[x, NA, grade, y]) - 1.0).abs() < 1e-9);
        let step = 0.002;
        let whole: f64 = (-6000..6000).map(|k| step * log(&[f64::from(k) * step, 1.0, grade, y])).sum();
        assert!((whole / log(&[NA, 1.0, grade, y]) - 1.0).abs() < 1e-6, "{x} {grade} {y}");
    }
    assert!((log(&[NA; 4]) - 1.0).abs() < 1e-12);
}

#[test]
fn conditionals_are_ratios_of_marginals() {
    let table = mixed(120);
    let forest = forest(&table, &FEW);
    let log = |row: &[f64]| forest.log_marginal(row).unwrap();
    let base = table.shares(1, Some(&[1.0; 120]));
    let given = forest.conditional(&[NA, NA, 0.5, 0.4]).unwrap();
    let whole = log(&[NA, NA, 0.5, 0.4]);
    for (value, p) in given.probabilities(1).unwrap().unwrap() {
        let ratio = base[value as usize] * (log(&[NA, value, 0.5, 0.4]) - whole).exp();
        assert!((p - ratio).abs() < 1e-9, "{value}: {p} {ratio}");
    }
    for x in [-1.0, 0.2, 1.3] {
        let ratio = (log(&[x, NA, 0.5, 0.4]) - whole).exp();
        assert!((given.density(0, x).unwrap() / ratio - 1.0).abs() < 1e-9);
        let slope = (given.cdf(0, x + 1e-5).unwrap() - given.cdf(0, x - 1e-5).unwrap()) / 2e-5;
        assert!((slope / ratio - 1.0).abs() < 1e-5);
        let p = given.cdf(0, x).unwrap();
        assert!((given.quantile(0, p).unwrap() - x).abs() < 1e-6);
    }
}

#[test]
fn pieces_add_up_and_draws_have_the_moments() {
    let forest = forest(&mixed(120), &FEW);
    let given = forest.conditional(&[NA, 1.0, NA, 0.4]).unwrap();
    let (mean, variance) = (given.mean(), given.variance(0).unwrap());
    let covariance = given.covariance();
    assert!((covariance[(0, 0)] - variance).abs() < 1e-9);
    let pieces = [(f64::NEG_INFINITY, 0.1), (0.1, 0.9), (0.9, f64::INFINITY)];
    let pieces = pieces.map(|limits| given.within(0, limits).unwrap());
    let parts = || pieces.iter().filter(|piece| piece.mass > 0.0);
    assert!((parts().map(|p| p.mass).sum::<f64>() - 1.0).abs() < 1e-9);
    assert!((parts().map(|p| p.mass * p.mean).sum::<f64>() - mean[0]).abs() < 1e-9);
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let draws: Vec<Vec<f64>> = (0..20_000).map(|_| given.draw(&mut rng)).collect();
    let average = |f: &dyn Fn(&[f64]) -> f64| draws.iter().map(|x| f(x)).sum::<f64>() / draws.len() as f64;
    for k in 0..2 {
        let off = average(&|x| x[k]) - mean[k];
        assert!(off.abs() < 4.0 * (covariance[(k, k)] / 20_000.0).sqrt(), "{k}: {off}");
    }
    let product = average(&|x| (x[0] - mean[0]) * (x[1] - mean[1]));
    assert!((product - covariance[(0, 1)]).abs() < 0.03, "{product} {}", covariance[(0, 1)]);
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let table = mixed(90);
    let bits = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let logs = pool.install(|| forest(&table, &FEW).log_marginals(&table).unwrap());
        logs.into_iter().map(f64::to_bits).collect::<Vec<_>>()
    };
    assert_eq!(bits(1), bits(3));
}

#[test]
fn parts_make_the_same_forest() {
    let table = mixed(60);
    let weights = vec![1.0; 60];
    let fitted = FittedForest::fit(&table, &weights, &FEW, &mut ChaCha8Rng::seed_from_u64(1)).unwrap();
    let kinds: Vec<_> = table.columns().iter().map(Column::kind).collect();
    let again = FittedForest::from_parts(&fitted.parts(), &kinds).unwrap();
    let resolution = Arc::new(Resolution::of(&table));
    let logs =
        |f: &FittedForest| f.density(&table, &weights, &resolution).unwrap().log_marginals(&table).unwrap();
    assert_eq!(logs(&fitted), logs(&again));
    let refilled = |f: &FittedForest| logs(&f.refilled(&table, &[2.0; 60], &FEW, 1.1).unwrap());
    assert_eq!(refilled(&fitted), refilled(&again));
    let mut parts = fitted.parts();
    parts.parents[1] = 5;
    assert!(FittedForest::from_parts(&parts, &kinds).is_err());
}

/// A row that lacks a label has the one that goes with its other label.
#[test]
fn labels_that_go_together_stay_together() {
    let columns = ["a", "b"].map(|name| Column::category(name, labels(8)).unwrap()).to_vec();
    let cell = |j: usize, i: usize| match (i % 5, j) {
        (0, 1) | (1, 0) => NA,
        _ => [(i % 8) as f64, ((3 * i + 1) % 8) as f64][j],
    };
    let table = Table::new(columns, Mat::from_fn(2, 400, cell)).unwrap();
    let forest = forest(&table, &ForestParams { trees: 8, ..ForestParams::USUAL });
    let right = map_gaps(&forest, &table, |i, given| {
        let (j, label) = if i % 5 == 0 { (1, (3 * i + 1) % 8) } else { (0, i % 8) };
        given.density(j, label as f64).unwrap()
    });
    let right: Vec<f64> = right.unwrap().into_iter().map(|(_, p)| p).collect();
    assert!(right.iter().sum::<f64>() / right.len() as f64 > 0.97, "{right:?}");
}

#[test]
fn degenerate_tables_have_forests_too() {
    let one = Table::continuous(&["x"], &[[1.0], [NA], [2.0]]).unwrap();
    let constant = Table::continuous(&["x", "y"], &[[1.0, NA]; 30]).unwrap();
    let column = Column::category("c", labels(1)).unwrap();
    let label =
        Table::new(vec![column, Column::continuous("x")], Mat::from_fn(2, 3, |j, _| j as f64)).unwrap();
    let nothing = Table::continuous(&["x", "y"], &[[NA, NA]; 3]).unwrap();
    for table in [one, constant, label, nothing] {
        let forest = forest(&table, &FEW);
        assert!(forest.log_marginals(&table).unwrap().iter().all(|log| log.is_finite()));
        let whole = forest.conditional(&vec![NA; table.columns().len()]).unwrap();
        assert!(whole.mean().iter().all(|x| x.is_finite()));
        assert!(whole.draw(&mut ChaCha8Rng::seed_from_u64(1)).iter().all(|x| x.is_finite()));
    }
}
