//! Learning `Q`, anchors and metric together by L-BFGS.
//!
//! Free parameters: `L` with `Q = LL'/tr(LL'H)`, the anchors and the metric's [`parameters`](crate::kernel::Metric::parameters). With
//! `G = ∇F(Q)` and `ω = -⟨G, Q⟩` the gradient in `L` is `2 (G + ωH) L / tr(LL'H)`, and in the others that of the Lagrangian.
//!
//! **The prior on the metric** keeps it from collapsing onto ties: `κ (log|R| + ½ |R⁻¹T|²)` with `Σ = RR'` and `TT'` the covariance
//! that `Σ` is pulled to.

use crate::error::non_negative;
use crate::kernel::Features;
use crate::linalg::{Cholesky, LbfgsInfo, LbfgsParams, gram, lbfgs, times, trace_product};
use crate::objective::{Problem, ProblemOptions};
use crate::table::Table;
use crate::{Error, Result};
use faer::{Mat, MatRef, Scale};

/// The prior on `Σ`.
#[derive(Debug, Clone)]
pub struct MetricPrior {
    /// `κ`, its weight in nats a row.
    pub strength: f64,
    /// `TT'`: where `Σ` is pulled to.
    pub scale: Mat<f64>,
}

/// What joint learning is to do.
#[derive(Debug, Clone)]
pub struct JointFit<'a> {
    /// The objective's settings; `ν` is held fixed.
    pub problem: ProblemOptions,
    /// The prior on the metric.
    pub prior: &'a MetricPrior,
    /// Row weights.
    pub weights: Option<&'a [f64]>,
    /// When to stop.
    pub params: LbfgsParams,
}

impl JointFit<'_> {
    /// Moves `features` and `q` downhill from where they are; returns the features, `Q` and how it ended.
    pub fn run(
        &self,
        table: &Table,
        features: &Features,
        q: MatRef<'_, f64>,
    ) -> Result<(Features, Mat<f64>, LbfgsInfo)> {
        non_negative("strength of the metric's prior", self.prior.strength)?;
        Problem::new(features, table, self.weights, None, self.problem)?;
        let l = features.len();
        let g = features.anchors().nrows();
        let root = Cholesky::new(q.to_owned(), "starting Q")?.factor().to_owned();
        let mut start: Vec<f64> = entries(root.as_ref());
        start.extend(entries(features.anchors()));
        start.extend(features.metric().parameters());
        let unpack = |t: &[f64]| -> Result<(Mat<f64>, Features)> {
            let root = MatRef::from_column_major_slice(&t[..l * l], l, l).to_owned();
            let anchors = MatRef::from_column_major_slice(&t[l * l..l * l + g * l], g, l).to_owned();
            Ok((root, features.moved(anchors, features.metric().with_parameters(&t[l * l + g * l..])?)?))
        };
        let objective =
            |t: &[f64]| match unpack(t).and_then(|(root, features)| self.evaluate(table, &features, root)) {
                // A metric that left the cone, or an anchor that left the range of numbers, is a step too far.
                Err(
                    Error::NotPositiveDefinite { .. } | Error::NotFinite { .. } | Error::BadParameter { .. },
                ) => Ok((f64::INFINITY, Vec::new())),
                other => other,
            };
        let (t, info) = lbfgs(objective, start, self.params)?;
        let (root, moved) = unpack(&t)?;
        let q = gram(root.as_ref());
        let mass = trace_product(q.as_ref(), moved.h()?.as_ref());
        Ok((moved, q * Scale(1.0 / mass), info))
    }

    /// Value and gradient at `(L, W, metric)`.
    fn evaluate(&self, table: &Table, features: &Features, root: Mat<f64>) -> Result<(f64, Vec<f64>)> {
        let problem = Problem::new(features, table, self.weights, None, self.problem)?;
        let h = features.h()?;
        let square = gram(root.as_ref());
        let mass = trace_product(square.as_ref(), h.as_ref());
        let q = square * Scale(1.0 / mass);
        let at = problem.derivatives(q.as_ref())?;
        let omega = -trace_product(at.q.as_ref(), q.as_ref());
        let moved = problem.with_constraint(at.features, q.as_ref(), omega)?;
        let in_root = times((at.q + h * Scale(omega)).as_ref(), root.as_ref()) * Scale(2.0 / mass);
        let (prior, in_sigma) = self.prior(features)?;
        let mut gradient = entries(in_root.as_ref());
        gradient.extend(entries(moved.anchors.as_ref()));
        gradient.extend(features.metric().chain((&moved.sigma + &in_sigma).as_ref()));
        Ok((at.value + prior, gradient))
    }

    /// `κ (½ log|Σ| + ½ tr(Σ⁻¹ TT'))`, whose gradient in `Σ` is `½ κ (Σ⁻¹ - Σ⁻¹ TT' Σ⁻¹)`.
    fn prior(&self, features: &Features) -> Result<(f64, Mat<f64>)> {
        let g = features.sigma().nrows();
        let factor = Cholesky::new(features.sigma().to_owned(), "metric")?;
        let mut inverse = Mat::identity(g, g);
        factor.solve(inverse.as_mut());
        let pulled = times(inverse.as_ref(), self.prior.scale.as_ref());
        let half = 0.5 * self.prior.strength;
        let value = half * (factor.log_det() + crate::linalg::trace(pulled.as_ref()));
        let gradient = (&inverse - times(pulled.as_ref(), inverse.as_ref())) * Scale(half);
        Ok((value, gradient))
    }
}

/// The entries of a matrix, column by column.
fn entries(a: MatRef<'_, f64>) -> Vec<f64> {
    a.col_iter().flat_map(|column| column.iter().copied().collect::<Vec<_>>()).collect()
}
