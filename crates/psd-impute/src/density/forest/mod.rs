//! A mixture of many product densities: the leaves of a forest of trees.
//!
//! Leaf `k` has a normal density for each continuous column and a table of probabilities for each discrete one,
//!
//! ```text
//! p(x) = Σ_k w_k Π_j p_kj(x_j)        Σ_k w_k = 1
//! ```
//!
//! where `w_k` is the leaf's weight in its tree over the number of trees. Given the leaf the columns are independent: a marginal leaves
//! columns out, and a conditional is the mixture of the leaves by their weights `∝ w_k Π_j p_kj(x_j)` given the observed cells. With
//! thousands of leaves the parameters are held column by column, and a row is evaluated at all leaves at once: `O(leaves · |S|)`.

mod column;
mod conditional;

pub(crate) use column::{LeafCells, LeafColumn};

use super::{Conditional, Density, Given, Weighed};
use crate::error::bad;
use crate::linalg::log_sum_exp;
use crate::table::{Pattern, Resolution};
use crate::{Error, Result};
use conditional::ForestConditional;
use std::sync::Arc;

/// A leaf whose density at a row is below `exp(-40) ≈ 4e-18` of another's does not change the row's density.
const NOTHING: f64 = -40.0;

/// The density of a forest.
#[derive(Debug, Clone)]
pub(crate) struct Forest {
    columns: Vec<LeafColumn>,
    /// `log w_k`.
    log_weights: Vec<f64>,
    resolution: Arc<Resolution>,
}

impl Forest {
    /// A density from at least one column, all of the same leaves, and the leaves' weights, which are scaled to sum to one.
    pub(crate) fn new(
        columns: Vec<LeafColumn>,
        weights: &[f64],
        resolution: Arc<Resolution>,
    ) -> Result<Self> {
        if columns.is_empty() {
            return Err(Error::EmptyTable("columns"));
        }
        let expected = weights.len();
        if let Some(found) = columns.iter().map(LeafColumn::leaves).find(|&n| n != expected) {
            return Err(Error::Shape { what: "leaves of a column", found, expected });
        }
        let total: f64 = weights.iter().sum();
        if total.is_nan() || total <= 0.0 || weights.iter().any(|w| *w < 0.0) {
            return Err(bad("sum of the leaves' weights", total, "above zero, and no weight below it"));
        }
        Ok(Self { columns, log_weights: weights.iter().map(|w| (w / total).ln()).collect(), resolution })
    }

    /// `log w_k + Σ_j log p_kj(x_j)` over the observed columns, for every leaf.
    ///
    /// Values that stand for themselves come first. The probability of a bin is dearer, and at most one: once the leaf that led so far is
    /// evaluated in full, most others are too far behind to matter, and count as impossible.
    fn logs(&self, row: &[f64], observed: &[usize]) -> Vec<f64> {
        let mut logs = self.log_weights.clone();
        let cell = |j: usize| self.columns[j].is_smooth().then(|| self.resolution.cell(j, row[j])).flatten();
        let (binned, plain): (Vec<usize>, Vec<usize>) = observed.iter().partition(|&&j| cell(j).is_some());
        plain.iter().for_each(|&j| self.columns[j].add_logs(row[j], &mut logs));
        if binned.is_empty() {
            return logs;
        }
        let bins: Vec<(usize, (f64, f64))> = binned.iter().filter_map(|&j| Some((j, cell(j)?))).collect();
        let in_full = |k: usize, log: f64| {
            bins.iter().fold(log, |log, &(j, bin)| log + self.columns[j].log_bin(k, row[j], bin))
        };
        let leader = (0..logs.len()).fold(0, |best, k| if logs[k] > logs[best] { k } else { best });
        let least = in_full(leader, logs[leader]) + NOTHING;
        for (k, log) in logs.iter_mut().enumerate() {
            *log = if *log < least { f64::NEG_INFINITY } else { in_full(k, *log) };
        }
        logs
    }
}

impl Density for Forest {
    fn columns(&self) -> usize {
        self.columns.len()
    }

    fn given<'a>(&'a self, pattern: &Pattern) -> Result<Box<dyn Given<'a> + 'a>> {
        self.check_columns(pattern.columns())?;
        Ok(Box::new(ForestGiven { forest: self, pattern: pattern.clone() }))
    }
}

struct ForestGiven<'a> {
    forest: &'a Forest,
    pattern: Pattern,
}

impl<'a> Given<'a> for ForestGiven<'a> {
    fn log_marginal(&self, row: &[f64]) -> f64 {
        log_sum_exp(&self.forest.logs(row, self.pattern.observed()))
    }

    fn weigh(&self, row: &[f64]) -> Weighed<'a> {
        let logs = self.forest.logs(row, self.pattern.observed());
        let log_marginal = log_sum_exp(&logs);
        let (columns, missing) = (&self.forest.columns, self.pattern.missing().to_vec());
        let conditional = move || -> Result<Box<dyn Conditional + 'a>> {
            if log_marginal == f64::NEG_INFINITY {
                return Err(Error::ZeroDensity);
            }
            Ok(Box::new(ForestConditional::new(columns, missing, &logs, log_marginal)))
        };
        Weighed { log_marginal, conditional: Box::new(conditional) }
    }
}
