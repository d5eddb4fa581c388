//! Mixtures of normal densities on incomplete tables, by expectation maximisation.
//!
//! This is the member with a diagonal `Q` and one metric per anchor: component `k` is a normal density on the continuous columns (the
//! square of a Gaussian feature) times a forest of tables over the discrete ones: all components have the same edges, and each its own tables (`labels/`). With one component it is the normal model.
//!
//! **Priors**, in units of rows: each covariance has an inverse-Wishart prior of scale `Ψ` and weight `strength`, each mean is
//! shrunk towards the overall mean with the weight of one row, and component weights are smoothed by one row in total, and tables as `labels/` says. So
//! every component stays proper, however few rows it has. A stack fits its mixtures twice: the pooled covariance of the components in
//! the first fit is the `Ψ` of the second.

mod data;
mod expect;
mod gather;
mod labels;
mod maximise;
#[cfg(test)]
mod naive;
mod normal;

use crate::density::{Density, LabelForest, Labelled, Node, PsdDensity, Stack};
use crate::error::{bad, positive};
use crate::kernel::{Features, Metric};
use crate::table::{Resolution, Table};
use crate::{Error, Result};
use data::Em;
use expect::Ready;
use faer::{Mat, MatRef, Scale};
use std::sync::Arc;

pub(crate) use normal::normal_prior;
pub use normal::{choose_ridge, fit_normal};

/// The prior on the components' covariances.
#[derive(Debug, Clone)]
pub struct MixturePrior {
    /// `Ψ`, over the continuous columns: the matrix towards which a covariance is shrunk.
    pub scale: Mat<f64>,
    /// Weight of the prior, in rows.
    pub strength: f64,
}

/// Stopping rule of EM. The defaults are arbitrary.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EmParams {
    /// Stop when an iteration gains less than this, in nats per row.
    pub tolerance: f64,
    /// Stop after this many iterations.
    pub max_iterations: usize,
}

impl Default for EmParams {
    fn default() -> Self {
        Self { tolerance: 1e-4, max_iterations: 200 }
    }
}

/// Outcome of EM.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EmReport {
    /// Number of iterations.
    pub iterations: usize,
    /// Whether the tolerance was met.
    pub converged: bool,
    /// The last penalised log-likelihood, in nats per row.
    pub objective: f64,
}

/// The parameters of a mixture.
#[derive(Debug, Clone)]
pub struct Mixture {
    components: Vec<Component>,
    /// Which discrete column depends on which.
    forest: Arc<LabelForest>,
}

/// One component.
#[derive(Debug, Clone)]
pub(crate) struct Component {
    pub(crate) weight: f64,
    /// Over the continuous columns.
    pub(crate) mean: Vec<f64>,
    pub(crate) covariance: Mat<f64>,
    /// For each discrete column, the probabilities of its atoms; if it depends on another one, for each value of that, one after the other.
    pub(crate) tables: Vec<Vec<f64>>,
}

impl Mixture {
    /// Fits `labels.max() + 1` components to a table, starting from the clusters that `labels` assigns to the columns of a completed
    /// `copy` of its cells. Row weights are relative.
    ///
    /// # Errors
    ///
    /// [`Error::Shape`] if `copy`, `labels` or the prior do not match the table, [`Error::BadParameter`] for a prior without positive
    /// strength or invalid weights, [`Error::NotPositiveDefinite`] for a covariance, [`Error::NotFinite`] for the likelihood.
    pub fn fit(
        table: &Table,
        weights: Option<&[f64]>,
        copy: MatRef<'_, f64>,
        labels: &[usize],
        prior: &MixturePrior,
        params: EmParams,
    ) -> Result<(Self, EmReport)> {
        Self::fit_over(None, table, weights, copy, labels, prior, params)
    }

    /// The same, with labels that depend on each other as in this mixture.
    pub(crate) fn fit_alike(
        &self,
        table: &Table,
        weights: Option<&[f64]>,
        copy: MatRef<'_, f64>,
        labels: &[usize],
        prior: &MixturePrior,
        params: EmParams,
    ) -> Result<(Self, EmReport)> {
        Self::fit_over(Some(self.forest.clone()), table, weights, copy, labels, prior, params)
    }

    fn fit_over(
        forest: Option<Arc<LabelForest>>,
        table: &Table,
        weights: Option<&[f64]>,
        copy: MatRef<'_, f64>,
        labels: &[usize],
        prior: &MixturePrior,
        params: EmParams,
    ) -> Result<(Self, EmReport)> {
        positive("strength of the prior", prior.strength)?;
        let em = Em::new(table, weights, prior, forest)?;
        let (found, expected) = (labels.len().min(copy.ncols()), table.len());
        if found != expected || copy.nrows() != table.columns().len() || labels.len() != copy.ncols() {
            return Err(Error::Shape { what: "rows of the starting copy", found, expected });
        }
        em.run(em.start(copy, labels), params)
    }

    /// Continues EM from this mixture with other row weights or another prior.
    ///
    /// # Errors
    ///
    /// As for [`fit`](Self::fit).
    pub(crate) fn refine(
        &self,
        table: &Table,
        weights: Option<&[f64]>,
        prior: &MixturePrior,
        params: EmParams,
    ) -> Result<(Self, EmReport)> {
        positive("strength of the prior", prior.strength)?;
        Em::new(table, weights, prior, Some(self.forest.clone()))?.run(self.clone(), params)
    }

    /// The prior estimated from all components together, given the rows and the prior of the fit.
    pub(crate) fn pooled(
        &self,
        table: &Table,
        weights: Option<&[f64]>,
        prior: &MixturePrior,
    ) -> Result<MixturePrior> {
        Ok(Em::new(table, weights, prior, Some(self.forest.clone()))?.pooled(self))
    }

    /// The mixture with every covariance multiplied by `times`.
    pub(crate) fn spread(mut self, times: f64) -> Self {
        self.components.iter_mut().for_each(|component| component.covariance *= Scale(times));
        self
    }

    /// A mixture from components of the same shape, whose weights and tables each sum to one; the tables are those of the forest.
    pub(crate) fn from_parts(components: Vec<Component>, forest: LabelForest) -> Result<Self> {
        let one = |what: &'static str, numbers: &mut dyn Iterator<Item = f64>| {
            let (mut sum, mut least) = (0.0, f64::INFINITY);
            numbers.for_each(|x| (sum, least) = (sum + x, least.min(x)));
            let fits = (sum - 1.0).abs() < 1e-6 && least > 0.0;
            if fits {
                Ok(())
            } else {
                Err(bad(what, format!("{least} at least, {sum} in all"), "above zero, adding up to one"))
            }
        };
        one("weights of the components", &mut components.iter().map(|c| c.weight))?;
        for component in &components {
            if component.mean.iter().any(|x| !x.is_finite()) {
                return Err(Error::NotFinite { what: "mean of a component" });
            }
            Metric::full(component.covariance.as_ref())?;
            for (c, table) in component.tables.iter().enumerate() {
                for row in table.chunks(forest.size(c)) {
                    one("probabilities of a component", &mut row.iter().copied())?;
                }
            }
        }
        Ok(Self { components, forest: Arc::new(forest) })
    }

    /// The components.
    pub(crate) fn components(&self) -> &[Component] {
        &self.components
    }

    /// Which discrete column depends on which.
    pub(crate) fn forest(&self) -> &LabelForest {
        &self.forest
    }

    /// The number of components.
    pub(crate) fn len(&self) -> usize {
        self.components.len()
    }

    /// The covariance of the first component; with one component, that of the normal model.
    pub fn covariance(&self) -> MatRef<'_, f64> {
        self.components[0].covariance.as_ref()
    }

    /// The density over the columns of `table`, as a stack of one-anchor members with labels beside them; table and weights must be those of the fit.
    ///
    /// # Errors
    ///
    /// As for [`Features::normal`], [`PsdDensity::new`].
    pub fn density(
        &self,
        table: &Table,
        weights: Option<&[f64]>,
        resolution: &Arc<Resolution>,
    ) -> Result<Stack> {
        let mut nodes: Option<Arc<Vec<Node>>> = None;
        let member = |component: &Component| -> Result<(f64, Box<dyn Density>)> {
            let features = Features::normal(table, weights, &component.mean, component.covariance.as_ref())?;
            let nodes =
                nodes.get_or_insert_with(|| Arc::new(features.discrete().iter().map(Node::of).collect()));
            let (nodes, none) = (nodes.clone(), features.discrete().is_empty());
            let normal = PsdDensity::new(features, Mat::identity(1, 1))?.with_resolution(resolution.clone());
            let density: Box<dyn Density> = match none {
                true => Box::new(normal),
                false => {
                    let (forest, tables) = (self.forest.clone(), component.tables.clone());
                    Box::new(Labelled::new(normal, forest, nodes, tables))
                }
            };
            Ok((component.weight, density))
        };
        Stack::new(self.components.iter().map(member).collect::<Result<_>>()?)
    }
}

impl Em<'_> {
    /// Iterates from `mixture` until an iteration gains less than the tolerance. The prior of the tables is that of the first E-step.
    fn run(&self, mut mixture: Mixture, params: EmParams) -> Result<(Mixture, EmReport)> {
        let (mut last, mut tables) = (f64::NEG_INFINITY, None);
        for iterations in 1..=params.max_iterations {
            let ready = Ready::new(&mixture)?;
            let (sums, log_likelihood) = self.expect(&ready)?;
            let counts: Vec<&[Vec<f64>]> = sums.iter().map(|sums| &sums.tables[..]).collect();
            let prior = match tables.take() {
                Some(prior) => prior,
                None => self.table_prior(&mixture, &counts)?,
            };
            let objective = log_likelihood + self.log_prior(&ready, &prior) / self.rows;
            if !objective.is_finite() {
                return Err(Error::NotFinite { what: "the likelihood of the mixture" });
            }
            if objective - last < params.tolerance {
                return Ok((mixture, EmReport { iterations, converged: true, objective }));
            }
            last = objective;
            mixture = self.maximise(&mixture, &sums, &prior);
            tables = Some(prior);
        }
        Ok((mixture, EmReport { iterations: params.max_iterations, converged: false, objective: last }))
    }
}
