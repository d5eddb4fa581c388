//! The E-step by definition, in plain loops, as a reference for the fast one.

use super::data::Em;
use super::expect::{LEAST_SHARE, Ready};
use super::maximise::Sums;
use super::{Component, EmParams, Mixture, MixturePrior};
use crate::table::{Column, Table};
use faer::Mat;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Inverse by Gauss-Jordan elimination, and determinant.
fn invert(mut a: Vec<Vec<f64>>) -> (Vec<Vec<f64>>, f64) {
    let n = a.len();
    let mut inverse: Vec<Vec<f64>> =
        (0..n).map(|i| (0..n).map(|j| f64::from(u8::from(i == j))).collect()).collect();
    let mut determinant = 1.0;
    for p in 0..n {
        let pivot = a[p][p];
        determinant *= pivot;
        for j in 0..n {
            a[p][j] /= pivot;
            inverse[p][j] /= pivot;
        }
        for i in (0..n).filter(|&i| i != p) {
            let f = a[i][p];
            for j in 0..n {
                a[i][j] -= f * a[p][j];
                inverse[i][j] -= f * inverse[p][j];
            }
        }
    }
    (inverse, determinant)
}

/// Log-density of the observed cells, then mean and covariance of all cells minus the component's mean, given the observed ones.
fn condition(component: &Component, cells: &[f64]) -> (f64, Vec<f64>, Vec<Vec<f64>>) {
    let g = cells.len();
    let (gaps, seen): (Vec<usize>, Vec<usize>) = (0..g).partition(|&j| cells[j].is_nan());
    let sigma = |a: usize, b: usize| component.covariance[(a, b)];
    let block = seen.iter().map(|&a| seen.iter().map(|&b| sigma(a, b)).collect()).collect();
    let (inverse, determinant) = invert(block);
    let y: Vec<f64> = seen.iter().map(|&j| cells[j] - component.mean[j]).collect();
    let solved: Vec<f64> = inverse.iter().map(|row| row.iter().zip(&y).map(|(a, b)| a * b).sum()).collect();
    let square: f64 = solved.iter().zip(&y).map(|(a, b)| a * b).sum();
    let log = -0.5 * (square + determinant.ln() + seen.len() as f64 * std::f64::consts::TAU.ln());
    let (mut mean, mut covariance) = (vec![0.0; g], vec![vec![0.0; g]; g]);
    seen.iter().zip(&y).for_each(|(&j, y)| mean[j] = *y);
    for &p in &gaps {
        mean[p] = seen.iter().zip(&solved).map(|(&j, s)| sigma(p, j) * s).sum();
        for &q in &gaps {
            covariance[p][q] = sigma(p, q);
            for (a, &i) in seen.iter().enumerate() {
                for (b, &j) in seen.iter().enumerate() {
                    covariance[p][q] -= sigma(p, i) * inverse[a][b] * sigma(j, q);
                }
            }
        }
    }
    (log, mean, covariance)
}

fn naive(em: &Em<'_>, table: &Table, mixture: &Mixture) -> (Vec<Sums>, f64) {
    let mut sums = vec![Sums::none(em); mixture.len()];
    let mut total = 0.0;
    for (i, row) in table.rows().enumerate() {
        let cells: Vec<f64> = em.continuous.iter().map(|&j| row[j]).collect();
        let given: Vec<_> = mixture.components.iter().map(|c| condition(c, &cells)).collect();
        let joint: Vec<f64> = given
            .iter()
            .zip(&mixture.components)
            .map(|(given, c)| {
                let tables = em.discrete.iter().zip(&c.tables);
                let seen = tables.filter_map(|(d, t)| d.position(row[d.column]).map(|k| t[k] / d.rho[k]));
                c.weight * given.0.exp() * seen.product::<f64>()
            })
            .collect();
        let whole: f64 = joint.iter().sum();
        total += em.weights[i] * whole.ln();
        let counts = |k: &usize| joint[*k] >= LEAST_SHARE * whole;
        let kept: f64 = (0..joint.len()).filter(counts).map(|k| joint[k]).sum();
        for k in (0..joint.len()).filter(counts) {
            let (_, mean, covariance) = &given[k];
            let share = em.weights[i] * joint[k] / kept;
            sums[k].weight += share;
            for a in 0..cells.len() {
                sums[k].first[a] += share * mean[a];
                for b in 0..=a {
                    sums[k].second[(a, b)] += share * (mean[a] * mean[b] + covariance[a][b]);
                }
            }
            for (c, column) in em.discrete.iter().enumerate() {
                for (atom, value) in column.atoms.iter().enumerate() {
                    let there = if row[column.column].is_nan() {
                        mixture.components[k].tables[c][atom]
                    } else {
                        f64::from(u8::from(row[column.column] == *value))
                    };
                    sums[k].tables[c][atom] += share * there;
                }
            }
        }
    }
    (sums, total / em.rows)
}

/// Rows of five continuous columns and a category, with a fraction of the cells missing, and overlapping clusters.
fn setting(seed: u64, missing: f64, clusters: usize) -> (Table, Mat<f64>, Vec<usize>) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut columns: Vec<Column> = (0..5).map(|j| Column::continuous(format!("x{j}"))).collect();
    columns.insert(2, Column::category("c", ["a", "b", "c"].map(String::from).to_vec()).unwrap());
    let labels: Vec<usize> = (0..150).map(|i| i % clusters).collect();
    let mut copy = Mat::zeros(6, 150);
    for i in 0..150 {
        let common: f64 = rng.random();
        for j in 0..6 {
            copy[(j, i)] = match j {
                2 => f64::from(rng.random_range(0..3u8)),
                _ => 2.0 * common + rng.random::<f64>() + 0.2 * (labels[i] * j) as f64,
            };
        }
    }
    let mut cells = copy.clone();
    for i in 0..150 {
        cells.col_mut(i).iter_mut().filter(|_| rng.random::<f64>() < missing).for_each(|x| *x = f64::NAN);
    }
    (Table::new(columns, cells).unwrap(), copy, labels)
}

#[test]
fn the_fast_step_is_the_naive_one() {
    for (seed, (missing, clusters)) in
        (0u64..).zip([(0.0, 2), (0.2, 1), (0.2, 3), (0.4, 9), (0.8, 2), (1.0, 2)])
    {
        let (table, copy, labels) = setting(seed, missing, clusters);
        let weights: Vec<f64> = (0..150).map(|i| (i % 4) as f64).collect();
        let prior = MixturePrior { scale: Mat::identity(5, 5), strength: 0.5 };
        let em = Em::new(&table, Some(&weights), &prior).unwrap();
        let mixture = em.start(copy.as_ref(), &labels);
        let (slow, expected) = naive(&em, &table, &mixture);
        let mut ready = Ready::new(&mixture).unwrap();
        for precise in [true, false] {
            ready.well_conditioned = precise;
            let (fast, found) = em.expect(&ready).unwrap();
            assert!((found - expected).abs() < 1e-10, "{found} {expected}");
            for (fast, slow) in fast.iter().zip(&slow) {
                assert!((fast.weight - slow.weight).abs() < 1e-9);
                assert!(fast.first.iter().zip(&slow.first).all(|(a, b)| (a - b).abs() < 1e-9));
                for (a, b) in (0..5).flat_map(|a| (0..=a).map(move |b| (a, b))) {
                    let (fast, slow) = (fast.second[(a, b)], slow.second[(a, b)]);
                    assert!((fast - slow).abs() < 1e-9, "{a} {b}: {fast} {slow}");
                }
                let tables = fast.tables.iter().flatten().zip(slow.tables.iter().flatten());
                assert!(tables.into_iter().all(|(a, b)| (a - b).abs() < 1e-9));
            }
        }
    }
}

#[test]
fn an_ill_conditioned_covariance_takes_the_other_route_and_goes_up() {
    let (table, mut copy, labels) = setting(7, 0.2, 2);
    let mut cells = table.cells().to_owned();
    for i in 0..150 {
        copy[(1, i)] = copy[(0, i)] * (1.0 + 1e-9 * i as f64);
        // Missing cells would make the two columns' means differ.
        (cells[(0, i)], cells[(1, i)]) = (copy[(0, i)], copy[(1, i)]);
    }
    let table = table.with_cells(cells).unwrap();
    let prior = MixturePrior { scale: Mat::identity(5, 5), strength: 1e-9 };
    let mut last = f64::NEG_INFINITY;
    for max_iterations in 1..8 {
        let params = EmParams { tolerance: 0.0, max_iterations };
        let (mixture, report) = Mixture::fit(&table, None, copy.as_ref(), &labels, &prior, params).unwrap();
        assert!(!Ready::new(&mixture).unwrap().well_conditioned);
        assert!(report.objective > last - 1e-9, "{} after {last}", report.objective);
        last = report.objective;
    }
}

#[test]
fn the_pooled_prior_has_the_scatter_of_all_rows_about_the_means_of_their_components() {
    let (table, copy, labels) = setting(3, 0.2, 4);
    let weights: Vec<f64> = (0..150).map(|i| (i % 4) as f64).collect();
    let prior = MixturePrior { scale: Mat::identity(5, 5), strength: 2.5 };
    let em = Em::new(&table, Some(&weights), &prior).unwrap();
    let before = em.start(copy.as_ref(), &labels);
    let (sums, _) = naive(&em, &table, &before);
    let after = em.maximise(&before, &sums);
    let pooled = em.pooled(&after);
    assert!((pooled.strength - 2.5).abs() < 1e-12);
    for (a, b) in (0..5).flat_map(|a| (0..=a).map(move |b| (a, b))) {
        let mut expected = 2.5 * prior.scale[(a, b)];
        for (k, sums) in sums.iter().enumerate() {
            let shift = |j: usize| after.components[k].mean[j] - before.components[k].mean[j];
            expected += sums.second[(a, b)] - sums.first[a] * shift(b) - shift(a) * sums.first[b]
                + sums.weight * shift(a) * shift(b);
        }
        expected /= 150.0 + 2.5;
        for found in [pooled.scale[(a, b)], pooled.scale[(b, a)]] {
            assert!((found - expected).abs() < 1e-10, "{a} {b}: {found} {expected}");
        }
    }
}
