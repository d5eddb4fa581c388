//! The prior of the tables of a component: the means that they are shrunk towards.
//!
//! **Roots.** The labels of the nearest components: with the counts `n_j` of the others and the Bhattacharyya distances `D_kj` between normal blocks,
//!
//! ```text
//! m_k(v) = (Σ_j a_kj n_j(v) + ρ(v)) / (Σ_j a_kj N_j + 1)        a_kj = exp(D_k - D_kj)
//! ```
//!
//! where `D_k` is the distance of the nearest component in which the column was observed. A component in which it was hardly observed takes the labels of
//! its nearest rows instead ([`nearest`](super::nearest)), not those that are frequent overall: far from all data they would be those of the widest component.
//!
//! **Children.** The same for each value `u` of the parent, with the overall table `p(v | u)` in the place of `ρ`; then multiplied by what is particular to
//! the component, the number of its rows with `v` over the number that this table leads to expect:
//!
//! ```text
//! m_k(v | u) ∝ b_k(v | u) (N_k(v) + ρ(v)) / (Σ_u N_k(u) b_k(v | u) + ρ(v))
//! ```
//!
//! Without it, a component with few rows for each `u` would lose how frequent `v` is in it, which independent tables keep.
//!
//! The weight of these means, in rows, is the most likely one given the counts, for each column ([`strength`](super::strength)). Means and weights
//! come from the first E-step of a run and stay, so that EM climbs.

use super::super::data::Em;
use super::super::{Component, Mixture};
use super::strength::{best, log_likelihood};
use super::{Labels, nearest};
use crate::linalg::Cholesky;
use crate::{Error, Result};
use faer::{Mat, Scale};
use rayon::prelude::*;

/// Weights of the means that are tried, in rows. Arbitrary; less than a row would let single rows decide.
const WEIGHTS: [f64; 6] = [1.0, 3.0, 10.0, 30.0, 100.0, 300.0];
/// Rows of a component in which a column was observed, so that it counts as observed there. Arbitrary.
const ENOUGH: f64 = 5.0;
/// Weight of overall frequencies beside the nearest rows, in rows. Arbitrary.
const FAR: f64 = 0.2;

/// The prior of all tables.
pub(in super::super) struct TablePrior {
    /// The means, for each component and column.
    means: Vec<Vec<Vec<f64>>>,
    /// Their weight, for each column.
    weights: Vec<f64>,
}

impl TablePrior {
    /// The tables of a component that maximise the likelihood of its counts times the prior.
    pub(in super::super) fn tables(&self, k: usize, counts: &[Vec<f64>], labels: &Labels) -> Vec<Vec<f64>> {
        let table = |c: usize| {
            let (size, weight) = (labels.forest.size(c), self.weights[c]);
            let rows = counts[c].chunks(size).zip(self.means[k][c].chunks(size));
            let row = |(counts, means): (&[f64], &[f64])| {
                let total = counts.iter().sum::<f64>() + weight;
                counts.iter().zip(means).map(|(n, m)| (n + weight * m) / total).collect::<Vec<_>>()
            };
            rows.flat_map(row).collect()
        };
        (0..labels.forest.len()).map(table).collect()
    }

    /// The logarithm of the prior up to a constant, in nats.
    pub(in super::super) fn log(&self, k: usize, component: &Component) -> f64 {
        let tables = component.tables.iter().zip(&self.means[k]).zip(&self.weights);
        let one = |((table, means), weight): ((&Vec<f64>, &Vec<f64>), &f64)| {
            weight * table.iter().zip(means).map(|(p, m)| m * p.ln()).sum::<f64>()
        };
        tables.map(one).sum()
    }
}

impl Labels {
    /// The prior in which all components are alike.
    pub(in super::super) fn alike(&self, count: usize) -> TablePrior {
        TablePrior { means: vec![self.overall.clone(); count], weights: vec![1.0; self.columns.len()] }
    }

    /// `m_k` of one column, given the counts that it takes from others and the weight of the overall table beside them.
    fn mean(&self, c: usize, counts: &[f64], taken: &[f64], overall: f64) -> Vec<f64> {
        let size = self.forest.size(c);
        let mut out: Vec<f64> = self.overall[c].iter().zip(taken).map(|(m, n)| overall * m + n).collect();
        out.chunks_mut(size).for_each(normalise);
        if self.forest.parent(c).is_some() {
            let (rho, mut found, mut expected) = (&self.rho[c], vec![0.0; size], vec![0.0; size]);
            for (n, m) in counts.chunks(size).zip(out.chunks(size)) {
                let total: f64 = n.iter().sum();
                for v in 0..size {
                    found[v] += n[v];
                    expected[v] += total * m[v];
                }
            }
            for row in out.chunks_mut(size) {
                (0..size).for_each(|v| row[v] *= (found[v] + rho[v]) / (expected[v] + rho[v]));
                normalise(row);
            }
        }
        out
    }
}

impl Em<'_> {
    /// The prior, given the expected counts of each component.
    pub(in super::super) fn table_prior(
        &self,
        mixture: &Mixture,
        counts: &[&[Vec<f64>]],
    ) -> Result<TablePrior> {
        let (labels, count) = (&self.labels, mixture.len());
        if !labels.any() || count == 1 {
            return Ok(labels.alike(count));
        }
        let distances = distances(&mixture.components)?;
        let rows = self.nearest_rows(mixture, counts)?;
        let mut means = vec![Vec::new(); count];
        let mut weights = Vec::new();
        for c in 0..labels.columns.len() {
            let of: Vec<&[f64]> = counts.iter().map(|counts| &counts[c][..]).collect();
            let mean = |k: usize| {
                let (taken, overall) = match &rows[k] {
                    Some(rows) if scarce(of[k]) => (nearest::counts(self, rows, c), FAR),
                    _ => (neighbours(k, &of, &distances), 1.0),
                };
                labels.mean(c, of[k], &taken, overall)
            };
            let here: Vec<Vec<f64>> = (0..count).map(mean).collect();
            let log = |weight: f64| {
                let size = labels.forest.size(c);
                let rows = of.iter().zip(&here).flat_map(|(n, m)| n.chunks(size).zip(m.chunks(size)));
                rows.map(|(n, m)| log_likelihood(n, m, weight)).sum()
            };
            weights.push(best(&WEIGHTS, log).0);
            means.iter_mut().zip(here).for_each(|(means, here)| means.push(here));
        }
        Ok(TablePrior { means, weights })
    }

    /// For each component in which a column was hardly observed, the rows by their distance from it.
    fn nearest_rows(&self, mixture: &Mixture, counts: &[&[Vec<f64>]]) -> Result<Vec<Option<Vec<usize>>>> {
        let one = |(component, counts): (&Component, &&[Vec<f64>])| {
            let any = counts.iter().any(|counts| scarce(counts));
            any.then(|| nearest::by_distance(self, component)).transpose()
        };
        mixture.components.par_iter().zip(counts).map(one).collect()
    }
}

/// Whether a column was hardly observed in a component with these counts.
fn scarce(counts: &[f64]) -> bool {
    counts.iter().sum::<f64>() < ENOUGH
}

fn normalise(row: &mut [f64]) {
    let total: f64 = row.iter().sum();
    row.iter_mut().for_each(|p| *p /= total);
}

/// `Σ_j a_kj n_j` over the other components in which the column was observed.
fn neighbours(k: usize, counts: &[&[f64]], distances: &Mat<f64>) -> Vec<f64> {
    let others: Vec<usize> = (0..counts.len()).filter(|&j| j != k && !scarce(counts[j])).collect();
    let least = others.iter().map(|&j| distances[(j, k)]).fold(f64::INFINITY, f64::min);
    let mut out = vec![0.0; counts[k].len()];
    for j in others {
        let near = (least - distances[(j, k)]).exp();
        out.iter_mut().zip(counts[j]).for_each(|(sum, n)| *sum += near * n);
    }
    out
}

/// Bhattacharyya distances between the normal blocks of components, `(m - m')' S⁻¹ (m - m') / 8 + log |S| / 2 - log |Σ| |Σ'| / 4` with `S = (Σ + Σ')/2`.
fn distances(components: &[Component]) -> Result<Mat<f64>> {
    let factor = |covariance: Mat<f64>| Cholesky::new(covariance, "covariance of a component");
    let log_det = |component: &Component| Ok(factor(component.covariance.clone())?.log_det());
    let log_dets = components.iter().map(log_det).collect::<Result<Vec<f64>>>()?;
    let count = components.len();
    let mut out = Mat::zeros(count, count);
    for (k, j) in (0..count).flat_map(|k| (0..k).map(move |j| (k, j))) {
        let (one, other) = (&components[k], &components[j]);
        let middle = factor((&one.covariance + &other.covariance) * Scale(0.5))?;
        let mut off = Mat::from_fn(one.mean.len(), 1, |i, _| one.mean[i] - other.mean[i]);
        middle.whiten(off.as_mut());
        let square: f64 = off.col(0).iter().map(|x| x * x).sum();
        let distance = square / 8.0 + 0.5 * middle.log_det() - 0.25 * (log_dets[k] + log_dets[j]);
        if !distance.is_finite() {
            return Err(Error::NotFinite { what: "distance between components" });
        }
        (out[(k, j)], out[(j, k)]) = (distance, distance);
    }
    Ok(out)
}
