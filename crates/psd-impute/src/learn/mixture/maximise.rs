//! The M-step, from the expected sufficient statistics, and the log-prior.

use super::data::Em;
use super::expect::Ready;
use super::labels::TablePrior;
use super::{Component, Mixture, MixturePrior};
use crate::linalg::{column, dot, mirror, trace_product, zeros};
use faer::{Col, Mat, MatRef, Scale};

/// Weight of the prior that shrinks a mean towards the centre, in rows. One row: weak (arbitrary), but it keeps an empty component proper.
const PULL: f64 = 1.0;

/// Columns of sums of squares are padded to a multiple of this, so that registers can be full: with zeros, or entries above the diagonal.
pub(super) const PAD: usize = 4;

/// The expected sufficient statistics of one component, about its current mean.
#[derive(Clone)]
pub(super) struct Sums {
    pub(super) weight: f64,
    pub(super) first: Vec<f64>,
    /// The lower triangle of the sum of squares.
    pub(super) second: Mat<f64>,
    /// Empty until the E-step is over.
    pub(super) tables: Vec<Vec<f64>>,
}

impl Sums {
    pub(super) fn none(em: &Em<'_>) -> Self {
        let g = em.continuous.len();
        Self {
            weight: 0.0,
            first: vec![0.0; g],
            second: zeros(g.next_multiple_of(PAD), g),
            tables: Vec::new(),
        }
    }

    pub(super) fn add(&mut self, other: &Self) {
        self.weight += other.weight;
        self.first.iter_mut().zip(&other.first).for_each(|(a, b)| *a += b);
        self.second += &other.second;
    }
}

impl Em<'_> {
    /// Makes components from clusters of a completed copy. Only observed labels count.
    pub(super) fn start(&self, copy: MatRef<'_, f64>, labels: &[usize]) -> Mixture {
        let count = labels.iter().max().map_or(1, |k| k + 1);
        let g = self.continuous.len();
        let blank = Mixture {
            components: (0..count)
                .map(|_| Component {
                    weight: 1.0 / count as f64,
                    mean: self.centre.clone(),
                    covariance: self.prior.scale.clone(),
                    tables: self.labels.overall.clone(),
                })
                .collect(),
            forest: self.labels.forest.clone(),
        };
        let mut shares = vec![vec![0.0; self.labels.combinations.len()]; count];
        let mut sums = vec![Sums::none(self); count];
        for (i, &k) in labels.iter().enumerate() {
            let weight = self.weights[i];
            let y: Vec<f64> = (0..g).map(|j| copy[(self.continuous[j], i)] - self.centre[j]).collect();
            sums[k].weight += weight;
            for b in 0..g {
                sums[k].first[b] += weight * y[b];
                for a in b..g {
                    sums[k].second[(a, b)] += weight * y[a] * y[b];
                }
            }
            shares[k][self.labels.of_row[i]] += weight;
        }
        let tables = self.labels.counts(&blank.components, &shares);
        sums.iter_mut().zip(tables).for_each(|(sums, tables)| sums.tables = tables);
        self.maximise(&blank, &sums, &self.labels.alike(count))
    }

    /// The mixture that maximises the expected log-likelihood plus the log-prior.
    pub(super) fn maximise(&self, mixture: &Mixture, sums: &[Sums], prior: &TablePrior) -> Mixture {
        let count = sums.len() as f64;
        let components = mixture.components.iter().zip(sums).enumerate().map(|(k, (old, sums))| {
            let g = old.mean.len();
            let pull: Vec<f64> = self.centre.iter().zip(&old.mean).map(|(c, m)| c - m).collect();
            let shift: Vec<f64> =
                (0..g).map(|j| (sums.first[j] + PULL * pull[j]) / (sums.weight + PULL)).collect();
            let rows = sums.weight + self.prior.strength + PULL;
            let mut covariance = zeros(g, g);
            for b in 0..g {
                for a in b..g {
                    let about = sums.second[(a, b)] - sums.first[a] * shift[b] - shift[a] * sums.first[b]
                        + sums.weight * shift[a] * shift[b];
                    let off = (shift[a] - pull[a]) * (shift[b] - pull[b]);
                    covariance[(a, b)] =
                        (about + PULL * off + self.prior.strength * self.prior.scale[(a, b)]) / rows;
                }
            }
            mirror(covariance.as_mut());
            Component {
                weight: (sums.weight + 1.0 / count) / (self.rows + 1.0),
                mean: old.mean.iter().zip(&shift).map(|(m, s)| m + s).collect(),
                covariance,
                tables: prior.tables(k, &sums.tables, &self.labels),
            }
        });
        Mixture { components: components.collect(), forest: mixture.forest.clone() }
    }

    /// The prior that shrinks each covariance towards the common one: the covariance of the rows about the means of their components,
    /// regularised by the current prior as much as each component is. The M-step satisfies, with `c` the centre,
    ///
    /// ```text
    /// (n_k + s + 1) Σ_k = S_k + (m_k - c)(m_k - c)' + s Ψ        so that        Ψ' = (Σ_k S_k + s Ψ) / (n + s)
    /// ```
    ///
    /// can be computed from a mixture that the M-step made.
    pub(super) fn pooled(&self, mixture: &Mixture) -> MixturePrior {
        let MixturePrior { scale, strength } = self.prior;
        let (g, count) = (scale.nrows(), mixture.components.len() as f64);
        let mut sum = scale * Scale(strength * (1.0 - count));
        for Component { weight, mean, covariance, .. } in &mixture.components {
            let rows = weight * (self.rows + 1.0) - 1.0 / count;
            let off = Col::from_fn(g, |j| mean[j] - self.centre[j]);
            sum += covariance * Scale(rows + strength + PULL) - &off * off.transpose() * Scale(PULL);
        }
        MixturePrior { scale: sum * Scale((self.rows + strength).recip()), strength: *strength }
    }

    /// The log-prior up to a constant, in nats.
    pub(super) fn log_prior(&self, ready: &Ready<'_>, tables: &TablePrior) -> f64 {
        let count = ready.mixture.len() as f64;
        let components = ready.mixture.components.iter().zip(&ready.parts).enumerate();
        let terms = components.map(|(k, (component, part))| {
            let spread = trace_product(part.precision.as_ref(), self.prior.scale.as_ref());
            let off: Vec<f64> = component.mean.iter().zip(&self.centre).map(|(m, c)| m - c).collect();
            let distance: f64 =
                off.iter().enumerate().map(|(j, x)| x * dot(column(part.precision.as_ref(), j), &off)).sum();
            let wishart = self.prior.strength * (part.log_det + spread);
            let pull = PULL * (part.log_det + distance);
            -0.5 * (wishart + pull) + component.weight.ln() / count + tables.log(k, component)
        });
        terms.sum()
    }
}
