//! The members a stack may have.

use super::donors::fit_donors;
use super::imputed_copy::mean_copy;
use super::joint::{JointFit, MetricPrior};
use super::kmeans;
use super::mixture::{EmParams, Mixture, MixturePrior};
use crate::Result;
use crate::density::{Density, PsdDensity};
use crate::kernel::{Anchors, BaseMeasure, Features, Metric};
use crate::linalg::{LbfgsInfo, LbfgsParams};
use crate::objective::ProblemOptions;
use crate::table::Table;
use faer::{Mat, Scale};
use rand::Rng;

/// A member's kind and settings.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Member {
    /// The normal model.
    Normal,
    /// The paper's density with a full metric: `Q`, anchors and metric learned jointly.
    Psd {
        /// How many anchors.
        anchors: usize,
        /// The weight of the metric's prior, in nats a row.
        strength: f64,
        /// Its scale, in covariances of the normal model.
        scale: f64,
    },
    /// Every row of the table.
    Donors,
    /// A mixture of normals, each with its own covariance.
    Mixture {
        /// How many.
        components: usize,
        /// The prior's scale, in covariances of the normal model.
        scale: f64,
    },
}

impl Member {
    /// Fits the member, and says whether it converged. `normal` is the normal model of the same rows.
    pub fn fit(
        &self,
        table: &Table,
        weights: Option<&[f64]>,
        normal: &Mixture,
        rng: &mut dyn Rng,
    ) -> Result<(Box<dyn Density>, bool)> {
        match *self {
            Self::Donors => {
                let (donors, _) = fit_donors(table, weights, &normal.density(table, weights)?)?;
                Ok((Box::new(donors), true))
            }
            Self::Psd { anchors, strength, scale } => {
                let (psd, info) = fit_psd(table, weights, normal, anchors, strength, scale, rng)?;
                Ok((Box::new(psd), info.converged))
            }
            Self::Normal => Ok((Box::new(normal.density(table, weights)?), true)),
            Self::Mixture { components, scale } => {
                let copy = mean_copy(&normal.density(table, weights)?, table)?;
                let (_, labels) = kmeans::cluster(table, &copy, components.min(table.len()), 20, rng);
                let d = normal.covariance().nrows();
                let prior =
                    MixturePrior { scale: normal.covariance() * Scale(scale), strength: 10.0 + d as f64 };
                let params = EmParams::default();
                let (mixture, report) = Mixture::fit(table, weights, copy.as_ref(), &labels, &prior, params)?;
                Ok((Box::new(mixture.density(table, weights)?), report.converged))
            }
        }
    }
}

/// From the centres of k-means, their shares as a diagonal `Q`, and a tenth of the normal model's covariance.
fn fit_psd(
    table: &Table,
    weights: Option<&[f64]>,
    normal: &Mixture,
    anchors: usize,
    strength: f64,
    scale: f64,
    rng: &mut dyn Rng,
) -> Result<(PsdDensity, LbfgsInfo)> {
    let copy = mean_copy(&normal.density(table, weights)?, table)?;
    let (centres, labels) = kmeans::cluster(table, &copy, anchors.min(table.len()), 20, rng);
    let metric = Metric::full((normal.covariance() * Scale(0.09)).as_ref())?;
    let l = centres.ncols();
    let features =
        Features::new(table, weights, &Anchors::new(centres)?, metric, BaseMeasure::WholeSpace, 1.0)?;
    let share = |a: usize| labels.iter().filter(|&&k| k == a).count() as f64 / labels.len() as f64;
    let q = Mat::from_fn(l, l, |a, b| if a == b { share(a) + 1e-3 } else { 0.0 });
    let prior = MetricPrior { strength, scale: normal.covariance() * Scale(scale) };
    let params = LbfgsParams { max_iterations: 60, tolerance: 1e-4, memory: 12 };
    let fit = JointFit { problem: ProblemOptions::default(), prior: &prior, weights, params };
    let (features, q, info) = fit.run(table, &features, q.as_ref())?;
    Ok((PsdDensity::new(features, q)?, info))
}
