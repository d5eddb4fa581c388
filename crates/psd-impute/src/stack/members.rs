//! The kinds of member of a stack, and their fits.

use crate::Result;
use crate::density::{Density, PsdDensity, Stack};
use crate::error::bad;
use crate::kernel::{Anchors, BaseMeasure, Features, Metric, MetricKind};
use crate::learn::forest::{FittedForest, ForestParams};
use crate::learn::kmeans;
use crate::learn::mean_copy;
use crate::learn::mixture::{EmParams, Mixture, MixturePrior, fit_normal, normal_prior};
use crate::learn::psd::{JointFit, MetricPrior};
use crate::linalg::LbfgsParams;
use crate::objective::ProblemOptions;
use crate::table::{Resolution, Table};
use faer::{Mat, MatRef, Scale};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::fmt;
use std::sync::Arc;

/// A member's kind and settings.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Member {
    /// The normal model.
    Normal,
    /// A mixture of normals, each with its own covariance.
    Mixture {
        /// The number of components.
        components: usize,
    },
    /// The paper's density: `Q`, anchors and metric learned jointly.
    Psd {
        /// The kind of metric.
        metric: MetricKind,
        /// The number of anchors.
        anchors: usize,
        /// The weight of the metric's prior, in nats per row.
        strength: f64,
        /// Its scale, in covariances of the normal model.
        scale: f64,
    },
    /// A forest of density trees.
    Forest,
    /// Every row of the table.
    Donors,
}

impl fmt::Display for Member {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Normal => write!(f, "normal model"),
            Self::Mixture { components } => write!(f, "mixture of {components} normals"),
            Self::Psd { anchors, .. } => write!(f, "kernel density with {anchors} anchors"),
            Self::Forest => write!(f, "forest of density trees"),
            Self::Donors => write!(f, "donors"),
        }
    }
}

/// The random numbers of a fit from one of several starts.
pub(super) fn generator(seed: u64, start: u64) -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(start);
    rng
}

/// The rows a member is fitted to.
#[derive(Clone, Copy)]
pub(super) struct Rows<'a> {
    pub(super) table: &'a Table,
    pub(super) weights: &'a [f64],
    /// The row weights of the base measure of discrete columns, which all members of a stack share.
    pub(super) base: &'a [f64],
    pub(super) resolution: &'a Arc<Resolution>,
    /// The stopping rule of EM.
    pub(super) em: EmParams,
}

/// A mixture and the prior it was fitted with.
#[derive(Clone)]
pub(crate) struct FittedMixture {
    pub(crate) mixture: Mixture,
    pub(crate) prior: MixturePrior,
}

/// A smooth member's parameters, and the prior under which they are refitted with other row weights.
pub(crate) enum Smooth {
    Mixture(FittedMixture),
    Psd { psd: Box<PsdDensity>, prior: MetricPrior },
    Forest(FittedForest),
}

/// Steps of L-BFGS for a first fit, if EM may not take more, and from a fit to one with other row weights. Both arbitrary.
const STEPS: usize = 150;
const MOVES: usize = 8;
/// The tolerance of EM where only the pooled covariance of the components is needed. Arbitrary: a start need not be exact.
const COARSE: f64 = 0.01;
/// The least share of the variance that a component is expected to have: clusters of equal rows have none. Arbitrary.
const LEAST_SHARE: f64 = 0.02;

/// The normal model of some rows, where the other members start.
pub(super) struct Start {
    pub(super) normal: FittedMixture,
    pub(super) converged: bool,
    /// The rows, with every missing cell at its mean.
    copy: Mat<f64>,
}

impl Start {
    pub(super) fn of(rows: Rows<'_>, ridge: f64) -> Result<Self> {
        let prior = normal_prior(rows.table, ridge);
        let (mixture, report) = fit_normal(rows.table, Some(rows.weights), ridge, rows.em)?;
        let normal = FittedMixture { mixture, prior };
        let copy = mean_copy(&normal.density(rows)?, rows.table)?;
        Ok(Self { normal, converged: report.converged, copy })
    }
}

impl FittedMixture {
    fn density(&self, rows: Rows<'_>) -> Result<Stack> {
        self.mixture.density(rows.table, Some(rows.base), rows.resolution)
    }
}

impl Smooth {
    /// Fits a member other than the donors, and says whether it converged. It starts from the normal model of the same rows.
    pub(super) fn fit(
        member: Member,
        rows: Rows<'_>,
        Start { normal, converged, copy }: &Start,
        rng: &mut dyn Rng,
    ) -> Result<(Self, bool)> {
        let covariance = normal.mixture.covariance();
        match member {
            Member::Donors => {
                Err(bad("smooth member", member, "a normal model, mixture, kernel density or forest"))
            }
            Member::Forest => {
                let forest = FittedForest::fit(rows.table, rows.weights, &ForestParams::USUAL, rng)?;
                Ok((Self::Forest(forest), true))
            }
            Member::Normal => Ok((Self::Mixture(normal.clone()), *converged)),
            Member::Mixture { components } => {
                let (_, labels) =
                    kmeans::cluster(rows.table, copy, components.min(rows.table.len()), 20, rng);
                let (mixture, converged) = fit_mixture(rows, &normal.mixture, copy.as_ref(), &labels)?;
                Ok((Self::Mixture(mixture), converged))
            }
            Member::Psd { metric, anchors, strength, scale } => {
                let metric = Metric::near(metric, (covariance * Scale(0.09)).as_ref())?;
                let start = start_psd(rows, metric, copy, anchors, rng)?;
                let prior = MetricPrior { strength, scale: covariance * Scale(scale) };
                learn_psd(rows, &start, prior, STEPS.max(rows.em.max_iterations))
            }
        }
    }

    /// Moves to a fit of the same rows under other weights. The covariances of a mixture are then multiplied by `spread`.
    pub(super) fn refit(&self, rows: Rows<'_>, spread: f64) -> Result<Self> {
        match self {
            Self::Mixture(FittedMixture { mixture, prior }) => {
                let (mixture, _) = mixture.refine(rows.table, Some(rows.weights), prior, rows.em)?;
                Ok(Self::Mixture(FittedMixture { mixture: mixture.spread(spread), prior: prior.clone() }))
            }
            Self::Psd { psd, prior } => Ok(learn_psd(rows, psd, prior.clone(), MOVES)?.0),
            Self::Forest(forest) => {
                let params = ForestParams::USUAL;
                Ok(Self::Forest(forest.refilled(rows.table, rows.weights, &params, spread)?))
            }
        }
    }

    /// The density.
    pub(super) fn density(&self, rows: Rows<'_>) -> Result<Arc<dyn Density>> {
        Ok(match self {
            Self::Mixture(mixture) => Arc::new(mixture.density(rows)?),
            Self::Psd { psd, .. } => Arc::new((**psd).clone().with_resolution(rows.resolution.clone())),
            Self::Forest(forest) => Arc::new(forest.density(rows.table, rows.base, rows.resolution)?),
        })
    }
}

/// A mixture with an empirical prior: components are first pulled to the covariance of the whole table, scaled by the share of variance within clusters, and
/// then to the pooled covariance of the components. That is well estimated even if each component has few rows.
///
/// The prior is worth half as many rows as there are columns. Measured, not derived: on eight tables a third to one row per column did about as well,
/// fewer better on narrow tables and more on wide ones.
fn fit_mixture(
    rows: Rows<'_>,
    normal: &Mixture,
    copy: MatRef<'_, f64>,
    labels: &[usize],
) -> Result<(FittedMixture, bool)> {
    let covariance = normal.covariance();
    let share = kmeans::share_within(rows.table, rows.weights, copy, labels).max(LEAST_SHARE);
    let strength = (0.5 * covariance.nrows() as f64).max(1.0);
    let prior = MixturePrior { scale: covariance * Scale(share), strength };
    let weights = Some(rows.weights);
    let coarse = EmParams { tolerance: rows.em.tolerance.max(COARSE), ..rows.em };
    let (first, _) = normal.fit_alike(rows.table, weights, copy, labels, &prior, coarse)?;
    let prior = first.pooled(rows.table, weights, &prior)?;
    let (mixture, report) = first.refine(rows.table, weights, &prior, rows.em)?;
    Ok((FittedMixture { mixture, prior }, report.converged))
}

/// A start from k-means: the centres as anchors, and their shares on the diagonal of `Q`.
fn start_psd(
    rows: Rows<'_>,
    metric: Metric,
    copy: &Mat<f64>,
    anchors: usize,
    rng: &mut dyn Rng,
) -> Result<PsdDensity> {
    let (centres, labels) = kmeans::cluster(rows.table, copy, anchors.min(rows.table.len()), 20, rng);
    let l = centres.ncols();
    let anchors = Anchors::new(centres)?;
    let features =
        Features::new(rows.table, Some(rows.weights), &anchors, metric, BaseMeasure::WholeSpace, 1.0)?;
    let share = |a: usize| labels.iter().filter(|&&k| k == a).count() as f64 / labels.len() as f64;
    PsdDensity::new(features, Mat::from_fn(l, l, |a, b| if a == b { share(a) + 1e-3 } else { 0.0 }))
}

fn learn_psd(rows: Rows<'_>, start: &PsdDensity, prior: MetricPrior, steps: usize) -> Result<(Smooth, bool)> {
    let params = LbfgsParams { max_iterations: steps, tolerance: 1e-3, memory: 12 };
    let fit =
        JointFit { problem: ProblemOptions::default(), prior: &prior, weights: Some(rows.weights), params };
    let (features, q, info) = fit.run(rows.table, start.features(), start.q())?;
    let psd = Box::new(PsdDensity::new(features, q)?);
    Ok((Smooth::Psd { psd, prior }, info.converged))
}
