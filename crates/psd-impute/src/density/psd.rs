//! The paper's model: `p(x) = φ(x)' Q φ(x)` with a positive semi-definite `Q` and `tr(QH) = 1`.

use super::pairs::PairConditional;
use super::{Conditional, Density, Given};
use crate::error::bad;
use crate::kernel::{Features, PatternFeatures};
use crate::linalg::{column, dot, eigenvalues, is_finite, trace_product};
use crate::table::{Pattern, Table};
use crate::{Error, Result};
use faer::{Mat, MatRef};
use std::sync::Arc;

/// A positive semi-definite kernel density. A reference density is added by a [`Stack`](super::Stack) of two.
#[derive(Debug, Clone)]
pub struct PsdDensity {
    features: Features,
    q: Mat<f64>,
}

impl PsdDensity {
    /// The density of `features` and `q`, which is scaled to `tr(QH) = 1`.
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
        Ok(Self { features, q: q * faer::Scale(1.0 / mass) })
    }

    /// The normal density on the continuous columns of `table`, as the one-anchor case: `φ²` is a Gaussian.
    pub fn normal(table: &Table, mean: &[f64], covariance: MatRef<'_, f64>) -> Result<Self> {
        Self::new(Features::normal(table, None, mean, covariance)?, Mat::identity(1, 1))
    }

    /// The features.
    pub fn features(&self) -> &Features {
        &self.features
    }

    /// `Q` for normalised features; see [`kernel`](crate::kernel).
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
        let qe = Mat::from_fn(e.nrows(), e.ncols(), |a, b| self.q[(a, b)] * e[(a, b)]);
        Ok(Box::new(PsdGiven { features: Arc::new(features), qe }))
    }
}

struct PsdGiven<'a> {
    features: Arc<PatternFeatures<'a>>,
    /// `Q ∘ E`.
    qe: Mat<f64>,
}

impl PsdGiven<'_> {
    /// `f`, its scale, `f' (Q∘E) f` and the last bit of `Σ Q_aa f_a²`: the value is not negative but for rounding, which is at most
    /// that.
    fn evaluate(&self, row: &[f64]) -> (Vec<f64>, f64, f64, f64) {
        let mut f = vec![0.0; self.features.len()];
        let scale = self.features.scaled_features(row, &mut f);
        let value: f64 = f.iter().enumerate().map(|(a, fa)| fa * dot(column(self.qe.as_ref(), a), &f)).sum();
        let noise = f64::EPSILON * f.iter().enumerate().map(|(a, fa)| self.qe[(a, a)] * fa * fa).sum::<f64>();
        (f, scale, value, noise)
    }
}

impl<'a> Given<'a> for PsdGiven<'a> {
    fn log_marginal(&self, row: &[f64]) -> f64 {
        let (_, scale, value, noise) = self.evaluate(row);
        if scale == f64::NEG_INFINITY { scale } else { 2.0 * scale + value.max(noise).ln() }
    }

    fn conditional(&self, row: &[f64]) -> Result<Box<dyn Conditional + 'a>> {
        let (f, scale, value, noise) = self.evaluate(row);
        if scale == f64::NEG_INFINITY || noise == 0.0 {
            return Err(Error::ZeroDensity);
        }
        let mut z = vec![0.0; self.features.continuous().observed().len()];
        self.features.continuous().whiten(row, &mut z);
        // At a zero of the density the pairs cancel; those of an anchor with itself, which are never negative, are kept.
        let cancelled = value <= f.len() as f64 * noise;
        let total = if cancelled { noise / f64::EPSILON } else { value };
        let weight = |a, b| if cancelled && a != b { 0.0 } else { self.qe[(a, b)] * f[a] * f[b] };
        Ok(Box::new(PairConditional::new(self.features.clone(), &z, total, weight)))
    }
}
