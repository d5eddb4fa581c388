//! The paper's model: `p(x) = φ(x)' Q φ(x)` with a positive semi-definite `Q` and `tr(QH) = 1`.

use super::pairs::{Pair, PairConditional};
use super::{Conditional, Density, Given, Weighed};
use crate::error::bad;
use crate::kernel::{Features, PatternFeatures};
use crate::linalg::{eigenvalues, is_finite, trace_product};
use crate::table::{Pattern, Resolution, Table};
use crate::{Error, Result};
use faer::{Mat, MatRef};
use std::sync::Arc;

/// A positive semi-definite kernel density. To add a reference density, make a [`Stack`](super::Stack) of the two.
#[derive(Debug, Clone)]
pub struct PsdDensity {
    features: Features,
    q: Mat<f64>,
    resolution: Arc<Resolution>,
}

impl PsdDensity {
    /// The density of `features` and `q`, which is scaled to `tr(QH) = 1`.
    ///
    /// # Errors
    ///
    /// [`Error::Shape`] unless `q` has one row and column per anchor, [`Error::NotFinite`] unless it is finite, [`Error::BadParameter`]
    /// unless it is symmetric, positive semi-definite and `tr(QH)` positive, [`Error::NotPositiveDefinite`] for the metric.
    pub fn new(features: Features, q: Mat<f64>) -> Result<Self> {
        let l = features.len();
        if (q.nrows(), q.ncols()) != (l, l) {
            return Err(Error::Shape { what: "order of Q", found: q.nrows(), expected: l });
        }
        let size = q.norm_max();
        if !is_finite(q.as_ref()) {
            return Err(Error::NotFinite { what: "Q" });
        }
        if (&q - q.transpose()).norm_max() > 1e-10 * size {
            return Err(bad("Q", "not symmetric", "symmetric"));
        }
        let q = (&q + q.transpose()) * faer::Scale(0.5);
        if let Some(value) = eigenvalues(q.as_ref(), "Q")?.iter().find(|&&v| v < -1e-10 * size) {
            return Err(bad("smallest eigenvalue of Q", value, "not below zero"));
        }
        let mass = trace_product(q.as_ref(), features.h()?.as_ref());
        if mass.is_nan() || mass <= 0.0 {
            return Err(bad("tr(QH)", mass, "above zero"));
        }
        Ok(Self { features, q: q * faer::Scale(1.0 / mass), resolution: Arc::default() })
    }

    /// The density of `features` and a `q` as returned by [`q`](Self::q), used bit for bit after the checks of [`new`](Self::new).
    pub(crate) fn from_parts(features: Features, q: Mat<f64>) -> Result<Self> {
        let checked = Self::new(features, q.clone())?;
        let symmetric = (0..q.ncols()).all(|j| (0..j).all(|i| q[(i, j)] == q[(j, i)]));
        if !symmetric || (&q - &checked.q).norm_max() > 1e-8 * q.norm_max() {
            return Err(bad("Q", "not symmetric or not of unit mass", "as it was written"));
        }
        Ok(Self { q, ..checked })
    }

    /// The normal density on the continuous columns of `table`, as the case of one anchor: `φ²` is a Gaussian.
    ///
    /// # Errors
    ///
    /// As for [`Features::normal`].
    pub fn normal(table: &Table, mean: &[f64], covariance: MatRef<'_, f64>) -> Result<Self> {
        Self::new(Features::normal(table, None, mean, covariance)?, Mat::identity(1, 1))
    }

    /// The same density, where repeated values count by the probability of their bins.
    pub fn with_resolution(self, resolution: Arc<Resolution>) -> Self {
        Self { resolution, ..self }
    }

    /// The features.
    pub fn features(&self) -> &Features {
        &self.features
    }

    /// `Q` for features of unit norm.
    pub fn q(&self) -> MatRef<'_, f64> {
        self.q.as_ref()
    }
}

impl Density for PsdDensity {
    fn columns(&self) -> usize {
        self.features.columns()
    }

    fn given<'a>(&'a self, pattern: &Pattern) -> Result<Box<dyn Given<'a> + 'a>> {
        self.check_columns(pattern.columns())?;
        let features = self.features.pattern(pattern)?;
        let e = features.e();
        let weight = |a: usize, b: usize| if a == b { 1.0 } else { 2.0 } * self.q[(a, b)] * e[(a, b)];
        let pairs = (0..e.nrows()).flat_map(|b| (b..e.nrows()).map(move |a| (a, b)));
        let qe = pairs.map(|(a, b)| Pair { a, b, weight: weight(a, b) }).collect();
        let observed = features.continuous().observed();
        let resolution = self.resolution.concerns(observed).then(|| self.resolution.as_ref());
        Ok(Box::new(PsdGiven { features: Arc::new(features), qe, resolution }))
    }
}

struct PsdGiven<'a> {
    features: Arc<PatternFeatures<'a>>,
    /// `Q ∘ E`, with both orders of a pair summed.
    qe: Vec<Pair>,
    /// Present if an observed value may stand for a bin.
    resolution: Option<&'a Resolution>,
}

/// The pairs of anchors evaluated at one row.
struct Pairs {
    z: Vec<f64>,
    /// Logarithm of the factor taken out of the weights.
    scale: f64,
    /// `(Q∘E)_ab f_a f_b`, times the corrections for bins.
    weights: Vec<Pair>,
    /// Sum of the weights.
    value: f64,
    /// Sum of the weights of the pairs of an anchor with itself.
    own: f64,
}

impl Pairs {
    /// Logarithm of the density. `value` can be negative only by rounding, by at most the last bit of `own`, so that is its lower limit.
    fn log_sum(&self) -> f64 {
        if self.scale == f64::NEG_INFINITY {
            return self.scale;
        }
        self.scale + self.value.max(f64::EPSILON * self.own).ln()
    }

    fn conditional<'a>(mut self, features: Arc<PatternFeatures<'a>>) -> Result<Box<dyn Conditional + 'a>> {
        if self.scale == f64::NEG_INFINITY || self.own == 0.0 {
            return Err(Error::ZeroDensity);
        }
        // At a zero of the density the pairs cancel; keep only those of an anchor with itself, which are never negative.
        if self.value <= features.len() as f64 * f64::EPSILON * self.own {
            self.weights.retain(|pair| pair.a == pair.b);
            self.value = self.own;
        }
        Ok(Box::new(PairConditional::new(features, &self.z, self.weights, self.value)))
    }
}

impl PsdGiven<'_> {
    fn pairs(&self, row: &[f64]) -> Pairs {
        let block = self.features.continuous();
        let (mut z, mut f) = (vec![0.0; block.observed().len()], vec![0.0; self.features.len()]);
        let mut scale = 2.0 * self.features.whitened_features(row, &mut z, &mut f);
        let at_row = |&Pair { a, b, weight }: &Pair| Pair { a, b, weight: weight * f[a] * f[b] };
        let mut weights: Vec<Pair> = self.qe.iter().map(at_row).collect();
        if let Some(resolution) = self.resolution {
            let places = self.qe.iter().map(|pair| (pair.a, pair.b));
            let logs = block.log_cells(row, &z, |j, x| resolution.cell(j, x), places);
            let top = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            weights.iter_mut().zip(&logs).for_each(|(pair, log)| pair.weight *= (log - top).exp());
            scale += top;
        }
        let value = weights.iter().map(|pair| pair.weight).sum();
        let own = weights.iter().filter(|pair| pair.a == pair.b).map(|pair| pair.weight).sum();
        Pairs { z, scale, weights, value, own }
    }
}

impl<'a> Given<'a> for PsdGiven<'a> {
    fn log_marginal(&self, row: &[f64]) -> f64 {
        self.pairs(row).log_sum()
    }

    fn weigh(&self, row: &[f64]) -> Weighed<'a> {
        let (pairs, features) = (self.pairs(row), self.features.clone());
        Weighed { log_marginal: pairs.log_sum(), conditional: Box::new(move || pairs.conditional(features)) }
    }
}
