//! Learning `Q`, anchors, metric and the reference's weight together by L-BFGS.
//!
//! Free parameters: the root of `Q` in its [`Structure`], the anchors, the metric's
//! [`parameters`](crate::kernel::Metric::parameters) and, with a reference density, `logit ν`, whose slope is `ν (1-ν) ∂F/∂ν`. The
//! gradient with respect to anchors and metric is that of the Lagrangian.
//!
//! **The prior on the metric** keeps it from collapsing onto repeated values: `κ (log|R| + ½ |R⁻¹T|²)` with `Σ = RR'` and `TT'` the
//! covariance to which `Σ` is shrunk.

use super::fit::{average_log_likelihood, with_reference};
use super::held_out::{Best, HeldOut};
use super::structure::Structure;
use crate::density::{Density, PsdDensity};
use crate::error::{bad, non_negative};
use crate::kernel::Features;
use crate::linalg::{Cholesky, LbfgsInfo, LbfgsParams, lbfgs_watched, sigmoid, times};
use crate::objective::{Problem, ProblemOptions};
use crate::solver::{Solution, SolverOptions, solve};
use crate::table::Table;
use crate::{Error, Result};
use faer::{Mat, MatRef, Scale};
use std::ops::ControlFlow;
use std::sync::Arc;

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
    /// Settings of the objective; with a reference, `ν` is the starting value of its weight.
    pub problem: ProblemOptions,
    /// The prior on the metric.
    pub prior: &'a MetricPrior,
    /// Row weights.
    pub weights: Option<&'a [f64]>,
    /// Stopping rule.
    pub params: LbfgsParams,
}

/// Further options of joint learning.
#[derive(Clone, Default)]
pub struct JointOptions<'a> {
    /// Structure of `Q`.
    pub structure: Structure,
    /// The reference density `u`; its weight `ν` is then learned too.
    pub reference: Option<Arc<dyn Density>>,
    /// Held-out rows for early stopping.
    pub held_out: Option<HeldOut<'a>>,
    /// Solves the convex problem in `Q` at the learned anchors, metric and `ν`; full `Q` only.
    pub finish: Option<SolverOptions>,
}

/// Result of joint learning.
pub struct JointFitted {
    /// The model: the PSD density, stacked with the reference if there is one.
    pub density: Box<dyn Density>,
    /// The PSD density alone.
    pub psd: PsdDensity,
    /// Weight of the reference.
    pub nu: f64,
    /// Outcome of L-BFGS.
    pub info: LbfgsInfo,
    /// The step that was kept: the last one, or the best one on the held-out rows.
    pub step: usize,
    /// Held-out log-likelihood of the result, in nats per row.
    pub held_out: Option<f64>,
    /// Result of the final convex solve.
    pub solution: Option<Solution>,
}

impl JointFit<'_> {
    /// Minimises from `features` and `q` with default options; returns the features, `Q` and the outcome.
    ///
    /// # Errors
    ///
    /// As for [`learn`](Self::learn).
    pub fn run(
        &self,
        table: &Table,
        features: &Features,
        q: MatRef<'_, f64>,
    ) -> Result<(Features, Mat<f64>, LbfgsInfo)> {
        let fitted = self.learn(table, features, q, &JointOptions::default())?;
        Ok((fitted.psd.features().clone(), fitted.psd.q().to_owned(), fitted.info))
    }

    /// Minimises from `features` and `q`.
    ///
    /// # Errors
    ///
    /// [`Error::BadParameter`] for a negative prior strength, a reference whose `ν` starts at zero, or a convex solve of a `Q` that is not full;
    /// [`Error::NotPositiveDefinite`] unless `q` is positive definite; and as for [`Problem::new`] and [`solve`].
    pub fn learn(
        &self,
        table: &Table,
        features: &Features,
        q: MatRef<'_, f64>,
        options: &JointOptions<'_>,
    ) -> Result<JointFitted> {
        self.check(table, features, options)?;
        let joint = Joint { fit: self, options, start: features };
        let start =
            Point { root: options.structure.root(q)?, features: features.clone(), nu: self.problem.nu };
        let mut best = Best::new(options.held_out.map_or(0, |rows| rows.patience));
        let watch = |step: usize, t: &[f64]| match options.held_out {
            Some(rows) if step.is_multiple_of(rows.every.max(1)) => {
                let score = joint.unpack(t).and_then(|point| joint.score(rows.table, &point));
                Ok(best.offer(step, score.unwrap_or(f64::NEG_INFINITY), || t.to_vec()))
            }
            _ => Ok(ControlFlow::Continue(())),
        };
        let (t, info) = lbfgs_watched(|t| joint.value(table, t), watch, joint.pack(&start), self.params)?;
        let mut step = info.iterations;
        let mut point = joint.unpack(&t)?;
        if let Some(rows) = options.held_out {
            let last = joint.score(rows.table, &point).unwrap_or(f64::NEG_INFINITY);
            if let Some((_, at, t)) = best.take().filter(|(score, ..)| *score > last) {
                (step, point) = (at, joint.unpack(&t)?);
            }
        }
        joint.fitted(table, point, info, step)
    }

    fn check(&self, table: &Table, features: &Features, options: &JointOptions<'_>) -> Result<()> {
        non_negative("strength of the metric's prior", self.prior.strength)?;
        Problem::new(features, table, self.weights, options.reference.as_deref(), self.problem)?;
        if options.reference.is_some() && self.problem.nu == 0.0 {
            return Err(bad("nu", 0, "above zero to start from when there is a reference density"));
        }
        if options.finish.is_some() && options.structure != Structure::Full {
            return Err(bad("structure of Q", format!("{:?}", options.structure), "full for a convex solve"));
        }
        Ok(())
    }

    /// `κ (½ log|Σ| + ½ tr(Σ⁻¹ TT'))` and its gradient with respect to `Σ`, `½ κ (Σ⁻¹ - Σ⁻¹ TT' Σ⁻¹)`.
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

/// A point in the space of parameters.
struct Point {
    /// The free entries of `L`.
    root: Mat<f64>,
    features: Features,
    nu: f64,
}

/// A fit with its options, and the features it starts from.
struct Joint<'a> {
    fit: &'a JointFit<'a>,
    options: &'a JointOptions<'a>,
    start: &'a Features,
}

impl Joint<'_> {
    fn pack(&self, point: &Point) -> Vec<f64> {
        let mut t = entries(point.root.as_ref());
        t.extend(entries(point.features.anchors()));
        t.extend(point.features.metric().parameters());
        t.extend(self.options.reference.as_ref().map(|_| (point.nu / (1.0 - point.nu)).ln()));
        t
    }

    fn unpack(&self, t: &[f64]) -> Result<Point> {
        let (l, g) = (self.start.len(), self.start.anchors().nrows());
        let columns = self.options.structure.columns(l);
        let (root, rest) = t.split_at(l * columns);
        let (anchors, rest) = rest.split_at(g * l);
        let (metric, logit) = rest.split_at(rest.len() - usize::from(self.options.reference.is_some()));
        let anchors = MatRef::from_column_major_slice(anchors, g, l).to_owned();
        Ok(Point {
            root: MatRef::from_column_major_slice(root, l, columns).to_owned(),
            features: self.start.moved(anchors, self.start.metric().with_parameters(metric)?)?,
            nu: logit.first().map_or(self.fit.problem.nu, |&t| sigmoid(t)),
        })
    }

    fn problem_options(&self, point: &Point) -> ProblemOptions {
        ProblemOptions { nu: point.nu, ..self.fit.problem }
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
        let (features, reference) = (&point.features, self.options.reference.as_deref());
        let problem =
            Problem::new(features, table, self.fit.weights, reference, self.problem_options(point))?;
        let at = self.options.structure.evaluate(&problem, features, point.root.as_ref())?;
        let (prior, in_sigma) = self.fit.prior(features)?;
        let mut gradient = entries(at.root.as_ref());
        gradient.extend(entries(at.features.anchors.as_ref()));
        gradient.extend(features.metric().chain((&at.features.sigma + &in_sigma).as_ref()));
        gradient.extend(reference.map(|_| point.nu * (1.0 - point.nu) * at.nu));
        Ok((at.value + prior, gradient))
    }

    /// Log-likelihood of a table in nats per row.
    fn score(&self, table: &Table, point: &Point) -> Result<f64> {
        let options = ProblemOptions { lambda: 0.0, ..self.problem_options(point) };
        let problem = Problem::new(&point.features, table, None, self.options.reference.as_deref(), options)?;
        Ok(-self.options.structure.evaluate(&problem, &point.features, point.root.as_ref())?.value)
    }

    /// The density at a point, after the convex solve if one is requested.
    fn fitted(&self, table: &Table, point: Point, info: LbfgsInfo, step: usize) -> Result<JointFitted> {
        let mut q = self.options.structure.square(point.root.as_ref());
        let problem = self.problem_options(&point);
        let (features, reference) = (point.features, &self.options.reference);
        let solution = match &self.options.finish {
            None => None,
            Some(solver) => {
                let problem =
                    Problem::new(&features, table, self.fit.weights, reference.as_deref(), problem)?;
                let solution = solve(&problem.objective()?, solver, Some(q.as_ref()), &mut ())?;
                q = solution.q.clone();
                Some(solution)
            }
        };
        let psd = PsdDensity::new(features, q)?;
        let density = with_reference(&psd, point.nu, reference.clone())?;
        let held_out = self.options.held_out.map(|rows| average_log_likelihood(density.as_ref(), rows.table));
        let held_out = held_out.transpose()?;
        Ok(JointFitted { density, psd, nu: point.nu, info, step, held_out, solution })
    }
}

/// The entries of a matrix, column by column.
pub(super) fn entries(a: MatRef<'_, f64>) -> Vec<f64> {
    a.col_iter().flat_map(|column| column.iter().copied().collect::<Vec<_>>()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::density::Uniform;
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
    fn gradients_of_every_structure_and_of_nu_agree_with_finite_differences() {
        let (table, features) = boxed();
        let prior = MetricPrior { strength: 0.3, scale: Mat::identity(2, 2) };
        let reference: Arc<dyn Density> =
            Arc::new(Uniform::on_box(&features, &[(-2.0, 2.0), (-1.9, 2.0)]).unwrap());
        let params = LbfgsParams { max_iterations: 1, tolerance: 0.0, memory: 1 };
        let weights: Vec<f64> = (0..20).map(|i| (i % 3) as f64).collect();
        for structure in [Structure::Full, Structure::LowRank(2), Structure::Diagonal] {
            for regularizer in [Regularizer::Kernel, Regularizer::Identity] {
                let problem = ProblemOptions { lambda: 0.2, regularizer, nu: 0.2, ..Default::default() };
                let fit = JointFit { problem, prior: &prior, weights: Some(&weights), params };
                let options =
                    JointOptions { structure, reference: Some(reference.clone()), ..Default::default() };
                let joint = Joint { fit: &fit, options: &options, start: &features };
                let root =
                    Mat::from_fn(4, structure.columns(4), |a, k| 0.3 * noise(a + 9 * k) + f64::from(a == k));
                let t = joint.pack(&Point { root, features: features.clone(), nu: 0.2 });
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
                    assert!((gradient[k] - slope).abs() < 1e-9, "{structure:?} {k}: {} {slope}", gradient[k]);
                }
            }
        }
    }
}
