//! Fitting one PSD density when everything except `Q` is given.

use crate::Result;
use crate::density::{Density, PsdDensity, Stack, Uniform};
use crate::kernel::{Anchors, BaseMeasure, Bounds, Features, Metric};
use crate::objective::{Problem, ProblemOptions};
use crate::solver::{Observer, Solution, SolverOptions, solve};
use crate::table::Table;
use faer::Mat;
use std::sync::Arc;

/// The reference density `u` of `(1-ν) p_Q + ν u`; its weight is [`ProblemOptions::nu`].
#[derive(Debug, Clone, Default)]
pub enum Reference {
    /// No reference: `ν = 0`.
    #[default]
    None,
    /// Uniform on a box, with one finite interval per continuous column.
    Uniform(Vec<Bounds>),
    /// Normal on the continuous columns.
    Gaussian {
        /// Mean, one number per continuous column.
        mean: Vec<f64>,
        /// Covariance of the continuous columns.
        covariance: Mat<f64>,
    },
}

impl Reference {
    /// The density over the columns of `features`, restricted to their box if they have one; `None` without a reference.
    ///
    /// # Errors
    ///
    /// As for [`Uniform::on_box`] and [`Features::normal_like`].
    pub fn density(&self, features: &Features) -> Result<Option<Arc<dyn Density>>> {
        Ok(match self {
            Self::None => None,
            Self::Uniform(bounds) => Some(Arc::new(Uniform::on_box(features, bounds)?)),
            Self::Gaussian { mean, covariance } => {
                let features = features.normal_like(mean, covariance.as_ref())?;
                Some(Arc::new(PsdDensity::new(features, Mat::identity(1, 1))?))
            }
        })
    }
}

/// Settings of a fit at fixed anchors. The table should be standardised.
#[derive(Debug, Clone)]
pub struct PsdFit {
    /// The kernel on the continuous columns.
    pub metric: Metric,
    /// The domain of integration of the continuous columns.
    pub measure: BaseMeasure,
    /// The kernel's bandwidth on discrete columns.
    pub discrete_eta: f64,
    /// The reference density.
    pub reference: Reference,
    /// Settings of the objective.
    pub problem: ProblemOptions,
    /// Settings of the solver.
    pub solver: SolverOptions,
    /// Row weights; `None` for equal ones.
    pub weights: Option<Vec<f64>>,
    /// A starting point for `Q`, if one is known.
    pub warm_start: Option<Mat<f64>>,
}

impl Default for PsdFit {
    /// An isotropic kernel of bandwidth 2, the whole space, no reference, no penalty. The bandwidths are arbitrary.
    fn default() -> Self {
        Self {
            metric: Metric::isotropic(2.0).unwrap_or_else(|_| unreachable!("2 is a bandwidth")),
            measure: BaseMeasure::WholeSpace,
            discrete_eta: 1.0,
            reference: Reference::None,
            problem: ProblemOptions::default(),
            solver: SolverOptions::default(),
            weights: None,
            warm_start: None,
        }
    }
}

/// A fitted density.
pub struct Fitted {
    /// The model: the PSD density, stacked with the reference if there is one.
    pub density: Box<dyn Density>,
    /// The PSD density alone.
    pub psd: PsdDensity,
    /// Result of the solve.
    pub solution: Solution,
}

impl PsdFit {
    /// Fits `Q` to the observed cells of a table.
    ///
    /// # Errors
    ///
    /// As for [`Features::new`], [`Reference::density`], [`Problem::new`], [`Problem::objective`] and [`solve`].
    pub fn run(&self, table: &Table, anchors: &Anchors, observer: &mut dyn Observer) -> Result<Fitted> {
        let features = self.features(table, anchors)?;
        let reference = self.reference.density(&features)?;
        let problem =
            Problem::new(&features, table, self.weights.as_deref(), reference.as_deref(), self.problem)?;
        let solution = solve(
            &problem.objective()?,
            &self.solver,
            self.warm_start.as_ref().map(|q| q.as_ref()),
            observer,
        )?;
        let psd = PsdDensity::new(features, solution.q.clone())?;
        let density = with_reference(&psd, self.problem.nu, reference)?;
        Ok(Fitted { density, psd, solution })
    }

    /// The density for a given `Q`, on the columns of a table.
    ///
    /// # Errors
    ///
    /// As for [`Features::new`], [`Reference::density`] and [`PsdDensity::new`].
    pub fn at(&self, table: &Table, anchors: &Anchors, q: Mat<f64>) -> Result<Box<dyn Density>> {
        let features = self.features(table, anchors)?;
        let reference = self.reference.density(&features)?;
        with_reference(&PsdDensity::new(features, q)?, self.problem.nu, reference)
    }

    fn features(&self, table: &Table, anchors: &Anchors) -> Result<Features> {
        let (metric, measure) = (self.metric.clone(), self.measure.clone());
        Features::new(table, self.weights.as_deref(), anchors, metric, measure, self.discrete_eta)
    }
}

/// `(1-ν) p_Q + ν u`, or `p_Q` alone without a reference.
pub(crate) fn with_reference(
    psd: &PsdDensity,
    nu: f64,
    reference: Option<Arc<dyn Density>>,
) -> Result<Box<dyn Density>> {
    Ok(match reference {
        Some(u) => Box::new(Stack::new(vec![(1.0 - nu, Box::new(psd.clone())), (nu, Box::new(u))])?),
        None => Box::new(psd.clone()),
    })
}

/// The log-likelihood of a table's observed cells, in nats per row.
pub(super) fn average_log_likelihood(density: &dyn Density, table: &Table) -> Result<f64> {
    Ok(density.log_marginals(table)?.iter().sum::<f64>() / table.len() as f64)
}
