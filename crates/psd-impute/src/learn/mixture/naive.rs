//! The E-step by definition, in plain loops, as a reference for the fast one.

use super::data::Em;
use super::expect::{LEAST_SHARE, Ready};
use super::maximise::Sums;
use super::{Component, EmParams, Mixture, MixturePrior};
use crate::density::{Density, LabelForest};
use crate::table::{Column, Table};
use faer::Mat;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::sync::Arc;

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

/// All completions of a row's labels, as positions, and their probabilities under a component.
fn completions(em: &Em<'_>, component: &Component, seen: &[Option<usize>]) -> Vec<(Vec<usize>, f64)> {
    let forest = &em.labels.forest;
    let mut rows = vec![Vec::new()];
    for c in 0..forest.len() {
        let values = (0..forest.size(c)).filter(|v| seen[c].is_none_or(|seen| seen == *v));
        let longer = |v: usize| rows.iter().map(move |row: &Vec<usize>| [&row[..], &[v]].concat());
        rows = values.flat_map(longer).collect();
    }
    let entry = |row: &[usize], c: usize| {
        let u = forest.parent(c).map_or(0, |p| row[p]);
        component.tables[c][u * forest.size(c) + row[c]]
    };
    let probability = |row: Vec<usize>| {
        let p = (0..forest.len()).map(|c| entry(&row, c)).product::<f64>();
        (row, p)
    };
    rows.into_iter().map(probability).collect()
}

/// Whether a column or one that depends on it was observed.
fn counts(em: &Em<'_>, seen: &[Option<usize>], c: usize) -> bool {
    let children = (0..seen.len()).filter(|&k| em.labels.forest.parent(k) == Some(c));
    seen[c].is_some() || children.into_iter().any(|k| counts(em, seen, k))
}

fn naive(em: &Em<'_>, table: &Table, mixture: &Mixture) -> (Vec<Sums>, f64) {
    let forest = &em.labels.forest;
    let mut sums = vec![Sums { tables: forest.zeros(), ..Sums::none(em) }; mixture.len()];
    let mut total = 0.0;
    for (i, row) in table.rows().enumerate() {
        let cells: Vec<f64> = em.continuous.iter().map(|&j| row[j]).collect();
        let labels = em.labels.columns.iter().map(|&j| (!row[j].is_nan()).then_some(row[j] as usize));
        let seen: Vec<Option<usize>> = labels.collect();
        let rho: f64 = seen.iter().zip(&em.labels.rho).filter_map(|(v, rho)| v.map(|v| rho[v])).product();
        let given: Vec<_> = mixture.components.iter().map(|c| condition(c, &cells)).collect();
        let worlds: Vec<_> = mixture.components.iter().map(|c| completions(em, c, &seen)).collect();
        let likelihood = |k: usize| worlds[k].iter().map(|world| world.1).sum::<f64>();
        let joint: Vec<f64> = (0..mixture.len())
            .map(|k| mixture.components[k].weight * given[k].0.exp() * likelihood(k) / rho)
            .collect();
        let whole: f64 = joint.iter().sum();
        total += em.weights[i] * whole.ln();
        let kept_in = |k: &usize| joint[*k] >= LEAST_SHARE * whole;
        let kept: f64 = (0..joint.len()).filter(kept_in).map(|k| joint[k]).sum();
        for k in (0..joint.len()).filter(kept_in) {
            let (_, mean, covariance) = &given[k];
            let share = em.weights[i] * joint[k] / kept;
            sums[k].weight += share;
            for a in 0..cells.len() {
                sums[k].first[a] += share * mean[a];
                for b in 0..=a {
                    sums[k].second[(a, b)] += share * (mean[a] * mean[b] + covariance[a][b]);
                }
            }
            for (world, p) in &worlds[k] {
                for c in (0..forest.len()).filter(|&c| counts(em, &seen, c)) {
                    let u = forest.parent(c).map_or(0, |p| world[p]);
                    sums[k].tables[c][u * forest.size(c) + world[c]] += share * p / likelihood(k);
                }
            }
        }
    }
    (sums, total / em.rows)
}

/// Rows of five continuous columns and three categories, two of which go together, with a fraction of the cells missing, and overlapping clusters.
fn setting(seed: u64, missing: f64, clusters: usize) -> (Table, Mat<f64>, Vec<usize>) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut columns: Vec<Column> = (0..5).map(|j| Column::continuous(format!("x{j}"))).collect();
    let category = |name: &str| Column::category(name, ["a", "b", "c"].map(String::from).to_vec()).unwrap();
    columns.insert(2, category("c"));
    columns.extend(["d", "e"].map(category));
    let labels: Vec<usize> = (0..150).map(|i| i % clusters).collect();
    let mut copy = Mat::zeros(8, 150);
    for i in 0..150 {
        let common: f64 = rng.random();
        for j in 0..8 {
            copy[(j, i)] = match j {
                2 | 7 => f64::from(rng.random_range(0..3u8)),
                6 if rng.random::<f64>() < 0.8 => copy[(2, i)],
                6 => f64::from(rng.random_range(0..3u8)),
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
        let forest = Arc::new(LabelForest::new(vec![3; 3], vec![Some(1), None, Some(0)]).unwrap());
        let em = Em::new(&table, Some(&weights), &prior, Some(forest.clone())).unwrap();
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
    let em = Em::new(&table, Some(&weights), &prior, None).unwrap();
    let before = em.start(copy.as_ref(), &labels);
    let (sums, _) = naive(&em, &table, &before);
    let after = em.maximise(&before, &sums, &em.labels.alike(4));
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

#[test]
fn em_climbs_with_labels_that_depend_on_each_other() {
    let (table, copy, labels) = setting(11, 0.3, 4);
    let prior = MixturePrior { scale: Mat::identity(5, 5), strength: 2.0 };
    let mut last = f64::NEG_INFINITY;
    for max_iterations in 2..20 {
        let params = EmParams { tolerance: f64::NEG_INFINITY, max_iterations };
        let (mixture, report) = Mixture::fit(&table, None, copy.as_ref(), &labels, &prior, params).unwrap();
        assert!(mixture.forest().parents().iter().any(Option::is_some));
        assert!(report.objective > last - 1e-9, "{} after {last}", report.objective);
        last = report.objective;
    }
}

/// The likelihood of EM is that of the density.
#[test]
fn the_density_has_the_likelihood_of_the_fit() {
    let (table, copy, labels) = setting(12, 0.3, 3);
    let prior = MixturePrior { scale: Mat::identity(5, 5), strength: 2.0 };
    let em = Em::new(&table, None, &prior, None).unwrap();
    let mixture = em.start(copy.as_ref(), &labels);
    let (_, expected) = em.expect(&Ready::new(&mixture).unwrap()).unwrap();
    let logs = mixture.density(&table, None, &Arc::default()).unwrap().log_marginals(&table).unwrap();
    let found = logs.iter().sum::<f64>() / 150.0;
    assert!((found - expected).abs() < 1e-9, "{found} {expected}");
}
