//! Derivatives of the objective in anchors, metric and the reference's weight.
//!
//! `Q` and a multiplier `ω` are held fixed: the gradient is that of the Lagrangian `F + ω (tr(QH) - 1)`. At an optimal `Q` with its
//! dual `ω` this is the gradient of the optimal value, the paper's alternating step. For any other `Q` with `tr(QH) = 1`
//! and `ω = -⟨∇F(Q), Q⟩` it is the gradient of `F(Q / tr(QH))`, the joint way. Both come to the same formula,
//! [`Solution::omega`](crate::solver::Solution::omega).
//!
//! `log det Q` is that of the normalised features' `Q` and does not move with them; see `docs/paper.md`.

use super::Regularizer;
use super::problem::Problem;
use crate::Result;
use crate::kernel::FeatureGradient;
use crate::linalg::{column, dot, times};
use crate::table::Group;
use faer::{Mat, MatRef};
use rayon::prelude::*;

/// Groups whose gradients are added up in one piece.
const PIECE: usize = 16;

/// The Lagrangian's gradient.
#[derive(Debug, Clone)]
pub struct ParameterGradient {
    /// In anchors, metric and discrete tables.
    pub features: FeatureGradient,
    /// In `ν`; zero without a reference.
    pub nu: f64,
}

impl Problem<'_> {
    /// The gradient of `F + ω (tr(QH) - 1)` in everything but `Q`; cost of a few passes over the data.
    pub fn parameter_gradient(&self, q: MatRef<'_, f64>, omega: f64) -> Result<ParameterGradient> {
        let parts: Vec<ParameterGradient> = self
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
            total.features.add(&part.features);
            total.nu += part.nu;
        }
        let h = self.features.h()?;
        total.features.add_h(self.features, hadamard(q, h.as_ref(), omega).as_ref())?;
        if self.options.regularizer == Regularizer::Kernel && self.options.lambda > 0.0 {
            let k = self.features.k()?;
            total.features.add_k(self.features, hadamard(q, k.as_ref(), self.options.lambda).as_ref())?;
        }
        total.features = total.features.finish(self.features)?;
        Ok(total)
    }

    fn zero(&self) -> ParameterGradient {
        ParameterGradient { features: FeatureGradient::zeros(self.features), nu: 0.0 }
    }

    /// With `t_i = f_i'(Q∘E)f_i` and `c_i = ∂F/∂t_i`: `∂F/∂log f = 2 F ∘ ((Q∘E)F) diag(c)` and
    /// `∂F/∂log E = (Q∘E) ∘ (F diag(c) F')`.
    fn add_group(&self, group: &Group, q: MatRef<'_, f64>, sum: &mut ParameterGradient) -> Result<()> {
        let rows = self.rows_of(group)?;
        let qe = hadamard(q, rows.e.as_ref(), 1.0);
        let y = times(qe.as_ref(), rows.f.as_ref());
        let mass = 1.0 - self.options.nu;
        let mut weighted = rows.f.clone();
        for (i, &row) in group.rows.iter().enumerate() {
            let t = dot(column(rows.f.as_ref(), i), column(y.as_ref(), i));
            let density = (mass * t + rows.offsets[i]).max(f64::MIN_POSITIVE);
            let c = -self.weights[row] * mass / density;
            weighted.col_mut(i).iter_mut().for_each(|x| *x *= c);
            if let Some(logs) = &self.log_reference {
                let u = (logs[row] - rows.log_scales[i]).exp();
                sum.nu -= self.weights[row] * (u - t) / density;
            }
        }
        let t = times(weighted.as_ref(), rows.f.transpose());
        let t = Mat::from_fn(t.nrows(), t.ncols(), |a, b| 0.5 * (t[(a, b)] + t[(b, a)]) * qe[(a, b)]);
        let g = Mat::from_fn(y.nrows(), y.ncols(), |a, i| 2.0 * weighted[(a, i)] * y[(a, i)]);
        let pattern = self.features.pattern(&group.pattern)?;
        sum.features.add_rows(self.features, &pattern, self.table, &group.rows, g.as_ref(), t.as_ref())
    }
}

fn hadamard(a: MatRef<'_, f64>, b: MatRef<'_, f64>, scale: f64) -> Mat<f64> {
    Mat::from_fn(a.nrows(), a.ncols(), |i, j| scale * a[(i, j)] * b[(i, j)])
}
