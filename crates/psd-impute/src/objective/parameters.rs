//! Derivatives of the objective with respect to all parameters: `Q`, anchors, metric, discrete tables and the reference's weight.
//!
//! One pass over the data gives the value of the data term and its gradients. Compared with [`Objective`](super::Objective) it costs an
//! additional evaluation of the features: it is meant for moving anchors, not for solving in `Q`.
//!
//! [`Problem::parameter_gradient`] holds `Q` and a multiplier `ω` fixed and returns the gradient of the Lagrangian
//! `F + ω (tr(QH) - 1)`. At an optimal `Q` with its dual `ω` this is the gradient of the optimal value, as in the paper's alternating
//! step. For any other `Q` with `tr(QH) = 1` and `ω = -⟨∇F(Q), Q⟩` it is the gradient of `F(Q / tr(QH))`, as in the joint fit. Both
//! `ω` have the same formula, [`Solution::omega`](crate::solver::Solution::omega).
//!
//! `log det Q` refers to the `Q` of the normalised features and does not change with them; see `docs/paper.md`.

use super::Regularizer;
use super::problem::{Problem, Scales};
use crate::Result;
use crate::kernel::FeatureGradient;
use crate::linalg::{column, dot, times};
use crate::table::Group;
use faer::{Mat, MatRef, Scale};
use rayon::prelude::*;

/// Number of groups whose gradients are summed in one piece. Arbitrary.
const PIECE: usize = 16;

/// The data term and the penalty, `-Σ w_i log(…) + λ tr(QA_0)`, with their gradients.
#[derive(Debug, Clone)]
pub struct Derivatives {
    /// The value.
    pub value: f64,
    /// With respect to `Q`.
    pub q: Mat<f64>,
    /// With respect to anchors, metric and discrete tables, before [`FeatureGradient::finish`].
    pub features: FeatureGradient,
    /// With respect to `ν`; zero without a reference.
    pub nu: f64,
}

/// Gradient of the Lagrangian.
#[derive(Debug, Clone)]
pub struct ParameterGradient {
    /// With respect to anchors, metric and discrete tables.
    pub features: FeatureGradient,
    /// With respect to `ν`; zero without a reference.
    pub nu: f64,
}

impl Problem<'_> {
    /// Value and gradients at `Q`.
    ///
    /// # Errors
    ///
    /// [`Error::FarRow`](crate::Error::FarRow) for a row whose density is not a number,
    /// [`Error::NotPositiveDefinite`](crate::Error::NotPositiveDefinite) for the metric.
    pub fn derivatives(&self, q: MatRef<'_, f64>) -> Result<Derivatives> {
        let mut total = self.add_up(|group, sum| self.add_group(group, q, sum))?;
        self.add_penalty(q, &mut total)?;
        Ok(total)
    }

    /// Sums over all groups.
    fn add_up(&self, add: impl Fn(&Group, &mut Derivatives) -> Result<()> + Sync) -> Result<Derivatives> {
        let zero = || Derivatives {
            value: 0.0,
            q: Mat::zeros(self.features.len(), self.features.len()),
            features: FeatureGradient::zeros(self.features),
            nu: 0.0,
        };
        let parts: Vec<Derivatives> = self
            .groups
            .par_chunks(PIECE)
            .map(|groups| {
                let mut sum = zero();
                groups.iter().try_for_each(|group| add(group, &mut sum))?;
                Ok(sum)
            })
            .collect::<Result<_>>()?;
        let mut total = zero();
        for part in &parts {
            total.value += part.value;
            total.q += &part.q;
            total.features.add(&part.features);
            total.nu += part.nu;
        }
        Ok(total)
    }

    /// Gradient of `F + ω (tr(QH) - 1)` with respect to everything except `Q`.
    ///
    /// # Errors
    ///
    /// As for [`derivatives`](Self::derivatives).
    pub fn parameter_gradient(&self, q: MatRef<'_, f64>, omega: f64) -> Result<ParameterGradient> {
        let Derivatives { features, nu, .. } = self.derivatives(q)?;
        Ok(ParameterGradient { features: self.with_constraint(features, q, omega)?, nu })
    }

    /// Adds the gradient of `ω tr(QH)` to that of the data, and finishes it.
    pub(crate) fn with_constraint(
        &self,
        mut features: FeatureGradient,
        q: MatRef<'_, f64>,
        omega: f64,
    ) -> Result<FeatureGradient> {
        let h = self.features.h()?;
        features.add_h(self.features, hadamard(q, h.as_ref(), omega).as_ref())?;
        features.finish(self.features)
    }

    fn add_penalty(&self, q: MatRef<'_, f64>, sum: &mut Derivatives) -> Result<()> {
        let (l, lambda) = (self.features.len(), self.options.lambda);
        if lambda == 0.0 {
            return Ok(());
        }
        match self.options.regularizer {
            Regularizer::Identity => {
                sum.value += lambda * crate::linalg::trace(q);
                sum.q += Mat::<f64>::identity(l, l) * Scale(lambda);
            }
            Regularizer::Kernel => {
                let k = self.features.k()?;
                sum.value += lambda * crate::linalg::trace_product(q, k.as_ref());
                sum.features.add_k(self.features, hadamard(q, k.as_ref(), lambda).as_ref())?;
                sum.q += k * Scale(lambda);
            }
        }
        Ok(())
    }

    /// Adds one row, given `t = tr(QA_i)` divided by the row's scale; returns `c = ∂F/∂t`.
    fn add_row(&self, row: usize, scales: &Scales, i: usize, t: f64, sum: &mut Derivatives) -> f64 {
        let mass = 1.0 - self.options.nu;
        let density = (mass * t + scales.offsets[i]).max(f64::MIN_POSITIVE);
        sum.value -= self.weights[row] * (density.ln() + scales.logs[i]);
        if let Some(logs) = &self.log_reference {
            let u = (logs[row] - scales.logs[i]).exp();
            sum.nu -= self.weights[row] * (u - t) / density;
        }
        -self.weights[row] * mass / density
    }

    /// With `t_i = f_i'(Q∘E)f_i` and `c_i = ∂F/∂t_i`: `∂F/∂Q = E ∘ (F diag(c) F')`, `∂F/∂log f = 2 F ∘ ((Q∘E)F) diag(c)` and
    /// `∂F/∂log E = Q ∘ ∂F/∂Q`.
    fn add_group(&self, group: &Group, q: MatRef<'_, f64>, sum: &mut Derivatives) -> Result<()> {
        let pattern = self.features.pattern(&group.pattern)?;
        let (f, scales) = self.vectors_of(&pattern, group)?;
        let e = pattern.e();
        let y = times(hadamard(q, e.as_ref(), 1.0).as_ref(), f.as_ref());
        let mut weighted = f.clone();
        for (i, &row) in group.rows.iter().enumerate() {
            let t = dot(column(f.as_ref(), i), column(y.as_ref(), i));
            let c = self.add_row(row, &scales, i, t, sum);
            weighted.col_mut(i).iter_mut().for_each(|x| *x *= c);
        }
        let square = times(weighted.as_ref(), f.transpose());
        let in_q = Mat::from_fn(square.nrows(), square.ncols(), |a, b| {
            0.5 * (square[(a, b)] + square[(b, a)]) * e[(a, b)]
        });
        let g = Mat::from_fn(y.nrows(), y.ncols(), |a, i| 2.0 * weighted[(a, i)] * y[(a, i)]);
        let t = hadamard(q, in_q.as_ref(), 1.0);
        sum.q += in_q;
        sum.features.add_rows(self.features, &pattern, self.table, &group.rows, g.as_ref(), t.as_ref());
        Ok(())
    }
}

fn hadamard(a: MatRef<'_, f64>, b: MatRef<'_, f64>, scale: f64) -> Mat<f64> {
    Mat::from_fn(a.nrows(), a.ncols(), |i, j| scale * a[(i, j)] * b[(i, j)])
}
