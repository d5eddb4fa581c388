//! Learning `Q`, anchors and metric together by L-BFGS.
//!
//! Free parameters: a root of `Q = LL' / tr(LL'H)`, the anchors, and the metric's
//! [`parameters`](crate::kernel::Metric::parameters). With `G = ∇F(Q)` and `ω = -⟨G, Q⟩` the gradient with respect to `L` is
//! `2 (G + ωH) L / tr(LL'H)`; that with respect to anchors and metric is the Lagrangian's.
//!
//! **The prior on the metric** keeps it from collapsing onto repeated values: `κ (log|R| + ½ |R⁻¹T|²)` with `Σ = RR'` and `TT'` the
//! covariance to which `Σ` is shrunk.

use crate::density::PsdDensity;
use crate::error::non_negative;
use crate::kernel::Features;
use crate::linalg::{Cholesky, LbfgsInfo, LbfgsParams, gram, lbfgs, times, trace, trace_product};
use crate::objective::{Problem, ProblemOptions};
use crate::table::Table;
use crate::{Error, Result};
use faer::{Mat, MatRef, Scale};

/// The prior on `Σ`.
#[derive(Debug, Clone)]
pub struct MetricPrior {
    /// `κ`, its weight in nats per row.
    pub strength: f64,
    /// `TT'`, to which `Σ` is shrunk.
    pub scale: Mat<f64>,
}

/// Settings of joint learning.
#[derive(Debug, Clone)]
pub struct JointFit<'a> {
    /// Settings of the objective.
    pub problem: ProblemOptions,
    /// The prior on the metric.
    pub prior: &'a MetricPrior,
    /// Row weights.
    pub weights: Option<&'a [f64]>,
    /// Stopping rule.
    pub params: LbfgsParams,
}

impl JointFit<'_> {
    /// Minimises from `features` and `q`; returns the features, `Q` and the outcome.
    ///
    /// # Errors
    ///
    /// [`Error::BadParameter`] for a negative prior strength, [`Error::NotPositiveDefinite`] unless `q` is positive definite, and
    /// [`Error::FarRow`] for a row out of reach of all anchors.
    pub fn run(
        &self,
        table: &Table,
        features: &Features,
        q: MatRef<'_, f64>,
    ) -> Result<(Features, Mat<f64>, LbfgsInfo)> {
        non_negative("strength of the metric's prior", self.prior.strength)?;
        Problem::new(features, table, self.weights, None, self.problem)?;
        let joint = Joint { fit: self, start: features };
        let root = Cholesky::new(q.to_owned(), "starting Q")?.into_factor();
        let start = joint.pack(&Point { root, features: features.clone() });
        let (t, info) = lbfgs(|t| joint.value(table, t), start, self.params)?;
        let Point { root, features } = joint.unpack(&t)?;
        let psd = PsdDensity::new(features, gram(root.as_ref()))?;
        Ok((psd.features().clone(), psd.q().to_owned(), info))
    }

    /// `κ (½ log|Σ| + ½ tr(Σ⁻¹ TT'))` and its gradient with respect to `Σ`, `½ κ (Σ⁻¹ - Σ⁻¹ TT' Σ⁻¹)`.
    fn prior(&self, features: &Features) -> Result<(f64, Mat<f64>)> {
        let g = features.sigma().nrows();
        let factor = Cholesky::new(features.sigma().to_owned(), "metric")?;
        let mut inverse = Mat::identity(g, g);
        factor.solve(inverse.as_mut());
        let pulled = times(inverse.as_ref(), self.prior.scale.as_ref());
        let half = 0.5 * self.prior.strength;
        let value = half * (factor.log_det() + trace(pulled.as_ref()));
        let gradient = (&inverse - times(pulled.as_ref(), inverse.as_ref())) * Scale(half);
        Ok((value, gradient))
    }
}

/// A point in the space of parameters.
struct Point {
    /// The root `L` of `Q`.
    root: Mat<f64>,
    features: Features,
}

/// A fit, and the features it starts from.
struct Joint<'a> {
    fit: &'a JointFit<'a>,
    start: &'a Features,
}

impl Joint<'_> {
    fn pack(&self, point: &Point) -> Vec<f64> {
        let mut t = entries(point.root.as_ref());
        t.extend(entries(point.features.anchors()));
        t.extend(point.features.metric().parameters());
        t
    }

    fn unpack(&self, t: &[f64]) -> Result<Point> {
        let (l, g) = (self.start.len(), self.start.anchors().nrows());
        let (root, rest) = t.split_at(l * l);
        let (anchors, metric) = rest.split_at(g * l);
        let anchors = MatRef::from_column_major_slice(anchors, g, l).to_owned();
        Ok(Point {
            root: MatRef::from_column_major_slice(root, l, l).to_owned(),
            features: self.start.moved(anchors, self.start.metric().with_parameters(metric)?)?,
        })
    }

    /// Value and gradient. The value is infinite, which marks a step as too long, if the metric left the cone, an anchor overflowed, or a row
    /// is out of reach of all anchors.
    fn value(&self, table: &Table, t: &[f64]) -> Result<(f64, Vec<f64>)> {
        match self.unpack(t).and_then(|point| self.evaluate(table, &point)) {
            Err(
                Error::NotPositiveDefinite { .. }
                | Error::NotFinite { .. }
                | Error::BadParameter { .. }
                | Error::FarRow { .. },
            ) => Ok((f64::INFINITY, Vec::new())),
            other => other,
        }
    }

    fn evaluate(&self, table: &Table, point: &Point) -> Result<(f64, Vec<f64>)> {
        let (features, root) = (&point.features, point.root.as_ref());
        let problem = Problem::new(features, table, self.fit.weights, None, self.fit.problem)?;
        let h = features.h()?;
        let square = gram(root);
        let mass = trace_product(square.as_ref(), h.as_ref());
        let q = square * Scale(1.0 / mass);
        let at = problem.derivatives(q.as_ref())?;
        let omega = -trace_product(at.q.as_ref(), q.as_ref());
        let of_features = problem.with_constraint(at.features, q.as_ref(), omega)?;
        let (prior, in_sigma) = self.fit.prior(features)?;
        let in_root = times((at.q + h * Scale(omega)).as_ref(), root) * Scale(2.0 / mass);
        let mut gradient = entries(in_root.as_ref());
        gradient.extend(entries(of_features.anchors.as_ref()));
        gradient.extend(features.metric().chain((&of_features.sigma + &in_sigma).as_ref()));
        Ok((at.value + prior, gradient))
    }
}

/// The entries of a matrix, column by column.
pub(super) fn entries(a: MatRef<'_, f64>) -> Vec<f64> {
    a.col_iter().flat_map(|column| column.iter().copied().collect::<Vec<_>>()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{Anchors, BaseMeasure, Metric};
    use crate::objective::Regularizer;
    use crate::table::Column;

    /// Pseudo-random numbers in `[-1, 1]`.
    fn noise(k: usize) -> f64 {
        ((k * 7919 % 1009) as f64 / 504.5 - 1.0) * if k.is_multiple_of(2) { 1.0 } else { 0.7 }
    }

    /// A category and two continuous columns with missing cells, and four anchors on a box.
    fn boxed() -> (Table, Features) {
        let labels = ["a", "b", "c"].map(String::from).to_vec();
        let mut columns = vec![Column::category("label", labels).unwrap()];
        columns.extend(["x", "y"].map(Column::continuous));
        let cell = |j: usize, k: usize| if j == 0 { (k % 3) as f64 } else { 1.5 * noise(k) };
        let cells = Mat::from_fn(3, 20, |j, i| if (i + j) % 4 == 1 { f64::NAN } else { cell(j, 3 * i + j) });
        let table = Table::new(columns, cells).unwrap();
        let anchors = Anchors::new(Mat::from_fn(3, 4, |j, a| cell(j, 5 * a + 2 * j + 1))).unwrap();
        let metric = Metric::diagonal(vec![0.8, 1.3]).unwrap();
        let measure = BaseMeasure::Box(vec![(-2.0, 2.0); 2]);
        let features = Features::new(&table, None, &anchors, metric, measure, 0.6).unwrap();
        (table, features)
    }

    #[test]
    fn gradients_agree_with_finite_differences() {
        let (table, features) = boxed();
        let prior = MetricPrior { strength: 0.3, scale: Mat::identity(2, 2) };
        let params = LbfgsParams { max_iterations: 1, tolerance: 0.0, memory: 1 };
        let weights: Vec<f64> = (0..20).map(|i| (i % 3) as f64).collect();
        for regularizer in [Regularizer::Kernel, Regularizer::Identity] {
            let problem = ProblemOptions { lambda: 0.2, regularizer, ..Default::default() };
            let fit = JointFit { problem, prior: &prior, weights: Some(&weights), params };
            let joint = Joint { fit: &fit, start: &features };
            let root = Mat::from_fn(4, 4, |a, k| 0.3 * noise(a + 9 * k) + f64::from(a == k));
            let t = joint.pack(&Point { root, features: features.clone() });
            let (_, gradient) = joint.value(&table, &t).unwrap();
            assert_eq!(gradient.len(), t.len());
            for k in 0..t.len() {
                let across = |h: f64| {
                    let at = |h: f64| {
                        let mut t = t.clone();
                        t[k] += h;
                        joint.value(&table, &t).unwrap().0
                    };
                    at(h) - at(-h)
                };
                let h = 1e-3;
                let slope = (45.0 * across(h) - 9.0 * across(2.0 * h) + across(3.0 * h)) / (60.0 * h);
                assert!((gradient[k] - slope).abs() < 1e-9, "{k}: {} {slope}", gradient[k]);
            }
        }
    }
}
