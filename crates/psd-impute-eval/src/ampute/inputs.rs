//! Inputs of logistic models.
//!
//! A column of numbers enters standardised. A category enters by the indicators of its labels, centred and scaled together so that
//! their variances add up to one, the variance of a number: then a column's part in a model does not grow with its labels. A missing
//! cell counts as the column's mean, which is zero.

use super::logistic::unit_variance;
use crate::Result;
use crate::scale::scaler;
use psd_impute::table::{Kind, Table};
use rand::{Rng, RngExt};
use std::f64::consts::TAU;

/// The inputs of each column of a table: one or more features, each with a number for every row.
pub(super) struct Inputs {
    columns: Vec<Vec<Vec<f64>>>,
}

impl Inputs {
    pub(super) fn of(table: &Table) -> Result<Self> {
        let scaler = scaler(table)?;
        let columns = table.columns().iter().enumerate().map(|(j, column)| match column.kind() {
            Kind::Category(labels) => indicators(table, j, labels.len()),
            _ => vec![feature(table, j, |x| scaler.apply(j, x))],
        });
        Ok(Self { columns: columns.collect() })
    }

    /// A random combination of the features of some columns, for every row: independent normal coefficients, scaled to unit variance.
    pub(super) fn combination(&self, columns: &[usize], rng: &mut impl Rng) -> Vec<f64> {
        let rows = self.columns[0][0].len();
        let mut sum = vec![0.0; rows];
        for feature in columns.iter().flat_map(|&j| &self.columns[j]) {
            let weight = normal(rng);
            sum.iter_mut().zip(feature).for_each(|(s, x)| *s += weight * x);
        }
        unit_variance(&mut sum);
        sum
    }
}

fn feature(table: &Table, j: usize, of: impl Fn(f64) -> f64) -> Vec<f64> {
    table.rows().map(|row| if row[j].is_nan() { 0.0 } else { of(row[j]) }).collect()
}

fn indicators(table: &Table, j: usize, labels: usize) -> Vec<Vec<f64>> {
    let observed = table.observed(j).count().max(1) as f64;
    let share = |k: usize| table.observed(j).filter(|&x| x == k as f64).count() as f64 / observed;
    let shares: Vec<f64> = (0..labels).map(share).collect();
    let variance: f64 = shares.iter().map(|s| s * (1.0 - s)).sum();
    let scale = if variance > 0.0 { variance.sqrt() } else { 1.0 };
    let indicator = |k: usize, x: f64| if x == k as f64 { 1.0 } else { 0.0 };
    (0..labels).map(|k| feature(table, j, |x| (indicator(k, x) - shares[k]) / scale)).collect()
}

/// A standard normal number by Box and Muller's formula.
pub(crate) fn normal(rng: &mut (impl Rng + ?Sized)) -> f64 {
    let (u, v): (f64, f64) = (1.0 - rng.random::<f64>(), rng.random());
    (-2.0 * u.ln()).sqrt() * (TAU * v).cos()
}

#[cfg(test)]
mod tests {
    use super::*;
    use faer::Mat;
    use psd_impute::table::Column;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    /// A number, a number of few values, a constant and a category, with missing cells.
    fn table() -> Table {
        let labels = ["a", "b", "c"].map(String::from).to_vec();
        let columns = vec![
            Column::continuous("number"),
            Column::ordered("count", vec![0.0, 1.0, 4.0]).unwrap(),
            Column::continuous("constant"),
            Column::category("label", labels).unwrap(),
        ];
        let cells = Mat::from_fn(4, 60, |j, i| match j {
            _ if (i + j) % 7 == 0 && j != 2 => f64::NAN,
            0 => ((i * i) as f64).sqrt() + (i % 11) as f64,
            1 => [0.0, 1.0, 4.0][i % 3],
            2 => 0.1,
            _ => [0.0, 2.0, 0.0, 1.0, 0.0][i % 5],
        });
        Table::new(columns, cells).unwrap()
    }

    #[test]
    fn columns_are_centred_with_variances_that_add_up_to_one() {
        let table = table();
        let inputs = Inputs::of(&table).unwrap();
        assert_eq!(inputs.columns[3].len(), 3);
        for (j, total) in [(0, 1.0), (1, 1.0), (2, 0.0), (3, 1.0)] {
            let seen = table.observed(j).count() as f64;
            for feature in &inputs.columns[j] {
                assert!(feature.iter().sum::<f64>().abs() < 1e-12, "a gap counts as the mean");
            }
            let variance: f64 = inputs.columns[j].iter().flatten().map(|x| x * x / seen).sum();
            assert!((variance - total).abs() < 1e-12, "column {j}: {variance}");
            let gap = table.rows().position(|row| row[j].is_nan());
            assert!(gap.is_none_or(|i| inputs.columns[j].iter().all(|feature| feature[i] == 0.0)));
        }
    }

    #[test]
    fn combinations_have_unit_variance_unless_nothing_varies() {
        let inputs = Inputs::of(&table()).unwrap();
        let rng = &mut ChaCha8Rng::seed_from_u64(3);
        for columns in [&[0][..], &[3], &[0, 1, 2, 3]] {
            let x = inputs.combination(columns, rng);
            let n = x.len() as f64;
            let mean = x.iter().sum::<f64>() / n;
            let variance = x.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n;
            assert!((variance - 1.0).abs() < 1e-12, "{columns:?}: {variance}");
        }
        assert!(inputs.combination(&[2], rng).iter().all(|&x| x == 0.0));
    }

    #[test]
    fn coefficients_are_standard_normal() {
        let rng = &mut ChaCha8Rng::seed_from_u64(0);
        let draws: Vec<f64> = (0..100_000).map(|_| normal(rng)).collect();
        let moment = |k: i32| draws.iter().map(|x| x.powi(k)).sum::<f64>() / draws.len() as f64;
        // Four standard errors of the moments 0, 1, 0, 3, whose variances are 1, 2, 15, 96.
        for (k, exact, variance) in [(1, 0.0, 1.0), (2, 1.0, 2.0), (3, 0.0, 15.0), (4, 3.0, 96.0f64)] {
            assert!((moment(k) - exact).abs() < 4.0 * (variance / 1e5).sqrt(), "moment {k}: {}", moment(k));
        }
    }
}
