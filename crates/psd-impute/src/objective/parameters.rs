//! Derivatives of the objective in everything at once: `Q`, anchors, metric, discrete tables and the reference's weight.
//!
//! One pass over the data gives the value of the data term and its gradients. What it costs over [`Objective`](super::Objective) is the
//! features, which are worked out anew: this is for moving anchors, not for solving in `Q`.
//!
//! [`Problem::parameter_gradient`] holds `Q` and a multiplier `ω` fixed and returns the gradient of the Lagrangian
//! `F + ω (tr(QH) - 1)`. At an optimal `Q` with its dual `ω` this is the gradient of the optimal value, the paper's alternating step. For
//! any other `Q` with `tr(QH) = 1` and `ω = -⟨∇F(Q), Q⟩` it is the gradient of `F(Q / tr(QH))`, the joint way. Both come to the
//! same formula, [`Solution::omega`](crate::solver::Solution::omega).
//!
//! `log det Q` is that of the normalised features' `Q` and does not move with them; see `docs/paper.md`.

use super::Regularizer;
use super::problem::Problem;
use crate::Result;
use crate::kernel::FeatureGradient;
use crate::linalg::{column, dot, times};
use crate::table::Group;
use faer::{Mat, MatRef, Scale};
use rayon::prelude::*;

/// Groups whose gradients are added up in one piece.
const PIECE: usize = 16;

/// The data term and the penalty, `-Σ w_i log(…) + λ tr(QA_0)`, with their gradients.
#[derive(Debug, Clone)]
pub struct Derivatives {
    /// The value.
    pub value: f64,
    /// In `Q`.
    pub q: Mat<f64>,
    /// In anchors, metric and discrete tables, unfinished: see [`FeatureGradient::finish`].
    pub features: FeatureGradient,
    /// In `ν`; zero without a reference.
    pub nu: f64,
}

/// The Lagrangian's gradient.
#[derive(Debug, Clone)]
pub struct ParameterGradient {
    /// In anchors, metric and discrete tables.
    pub features: FeatureGradient,
    /// In `ν`; zero without a reference.
    pub nu: f64,
}

impl Problem<'_> {
    /// Value and gradients at `Q`.
    pub fn derivatives(&self, q: MatRef<'_, f64>) -> Result<Derivatives> {
        let parts: Vec<Derivatives> = self
            .groups
            .par_chunks(PIECE)
            .map(|groups| {
                let mut sum = self.zero();
                for group in groups {
                    self.add_group(group, q, &mut sum)?;
                }
                Ok(sum)
            })
            .collect::<Result<_>>()?;
        let mut total = self.zero();
        for part in &parts {
            total.value += part.value;
            total.q += &part.q;
            total.features.add(&part.features);
            total.nu += part.nu;
        }
        self.add_penalty(q, &mut total)?;
        Ok(total)
    }

    /// The gradient of `F + ω (tr(QH) - 1)` in everything but `Q`.
    pub fn parameter_gradient(&self, q: MatRef<'_, f64>, omega: f64) -> Result<ParameterGradient> {
        let Derivatives { features, nu, .. } = self.derivatives(q)?;
        Ok(ParameterGradient { features: self.with_constraint(features, q, omega)?, nu })
    }

    /// Adds the gradient of `ω tr(QH)` to one of the data and finishes it.
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

    fn zero(&self) -> Derivatives {
        let l = self.features.len();
        let features = FeatureGradient::zeros(self.features);
        Derivatives { value: 0.0, q: Mat::zeros(l, l), features, nu: 0.0 }
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

    /// With `t_i = f_i'(Q∘E)f_i` and `c_i = ∂F/∂t_i`: `∂F/∂Q = E ∘ (F diag(c) F')`, `∂F/∂log f = 2 F ∘ ((Q∘E)F) diag(c)` and
    /// `∂F/∂log E = Q ∘ ∂F/∂Q`.
    fn add_group(&self, group: &Group, q: MatRef<'_, f64>, sum: &mut Derivatives) -> Result<()> {
        let rows = self.rows_of(group)?;
        let y = times(hadamard(q, rows.e.as_ref(), 1.0).as_ref(), rows.f.as_ref());
        let mass = 1.0 - self.options.nu;
        let mut weighted = rows.f.clone();
        for (i, &row) in group.rows.iter().enumerate() {
            let t = dot(column(rows.f.as_ref(), i), column(y.as_ref(), i));
            let density = (mass * t + rows.scales.offsets[i]).max(f64::MIN_POSITIVE);
            sum.value -= self.weights[row] * (density.ln() + rows.scales.logs[i]);
            let c = -self.weights[row] * mass / density;
            weighted.col_mut(i).iter_mut().for_each(|x| *x *= c);
            if let Some(logs) = &self.log_reference {
                let u = (logs[row] - rows.scales.logs[i]).exp();
                sum.nu -= self.weights[row] * (u - t) / density;
            }
        }
        let square = times(weighted.as_ref(), rows.f.transpose());
        let in_q = Mat::from_fn(square.nrows(), square.ncols(), |a, b| {
            0.5 * (square[(a, b)] + square[(b, a)]) * rows.e[(a, b)]
        });
        let g = Mat::from_fn(y.nrows(), y.ncols(), |a, i| 2.0 * weighted[(a, i)] * y[(a, i)]);
        let t = hadamard(q, in_q.as_ref(), 1.0);
        let pattern = self.features.pattern(&group.pattern)?;
        sum.q += in_q;
        sum.features.add_rows(self.features, &pattern, self.table, &group.rows, g.as_ref(), t.as_ref())
    }
}

fn hadamard(a: MatRef<'_, f64>, b: MatRef<'_, f64>, scale: f64) -> Mat<f64> {
    Mat::from_fn(a.nrows(), a.ncols(), |i, j| scale * a[(i, j)] * b[(i, j)])
}
