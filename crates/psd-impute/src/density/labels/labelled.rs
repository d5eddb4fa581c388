//! A normal density with labels beside it.

use super::conditional::LabelledConditional;
use super::{Beliefs, LabelForest};
use crate::Result;
use crate::density::{Density, Given, PsdDensity, Weighed};
use crate::kernel::DiscreteColumn;
use crate::table::{Pattern, position};
use std::sync::Arc;

/// A discrete column of the table.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    /// Its position in the table.
    pub(crate) column: usize,
    /// The values of its cells.
    pub(crate) atoms: Vec<f64>,
    /// Whether the values are labels, which cannot be averaged.
    pub(crate) labels: bool,
    /// The logarithms of the base weights.
    pub(crate) log_rho: Vec<f64>,
}

impl Node {
    /// From a discrete column of features.
    pub(crate) fn of(column: &DiscreteColumn) -> Self {
        Self {
            column: column.column(),
            atoms: column.atoms().to_vec(),
            labels: column.has_labels(),
            log_rho: column.log_rho().to_vec(),
        }
    }
}

/// The product of a density that is flat on the discrete columns and a forest over them.
pub(crate) struct Labelled {
    pub(super) inner: PsdDensity,
    pub(super) forest: Arc<LabelForest>,
    pub(super) nodes: Arc<Vec<Node>>,
    /// A table for each node.
    pub(super) tables: Vec<Vec<f64>>,
}

impl Labelled {
    /// `inner` must be one with respect to the base weights on the discrete columns.
    pub(crate) fn new(
        inner: PsdDensity,
        forest: Arc<LabelForest>,
        nodes: Arc<Vec<Node>>,
        tables: Vec<Vec<f64>>,
    ) -> Self {
        Self { inner, forest, nodes, tables }
    }

    /// The log-density of the observed labels of a row; minus infinity if one is not among the column's values.
    fn weigh_labels(&self, row: &[f64]) -> (Vec<Option<usize>>, Beliefs, f64) {
        let mut log = 0.0;
        let place = |node: &Node| {
            let x = row[node.column];
            if x.is_nan() {
                return None;
            }
            let place = position(&node.atoms, x);
            log -= place.map_or(f64::INFINITY, |v| node.log_rho[v]);
            place
        };
        let seen: Vec<Option<usize>> = self.nodes.iter().map(place).collect();
        let mut beliefs = Beliefs::default();
        log += self.forest.listen(&self.tables, &seen, &mut beliefs);
        (seen, beliefs, log)
    }
}

impl Density for Labelled {
    fn columns(&self) -> usize {
        self.inner.columns()
    }

    fn given<'a>(&'a self, pattern: &Pattern) -> Result<Box<dyn Given<'a> + 'a>> {
        Ok(Box::new(LabelledGiven { inner: self.inner.given(pattern)?, of: self }))
    }
}

struct LabelledGiven<'a> {
    inner: Box<dyn Given<'a> + 'a>,
    of: &'a Labelled,
}

impl<'a> Given<'a> for LabelledGiven<'a> {
    fn log_marginal(&self, row: &[f64]) -> f64 {
        self.inner.log_marginal(row) + self.of.weigh_labels(row).2
    }

    fn weigh(&self, row: &[f64]) -> Weighed<'a> {
        let Weighed { log_marginal, conditional } = self.inner.weigh(row);
        let (seen, beliefs, log) = self.of.weigh_labels(row);
        let of = self.of;
        let conditional = move || Ok(LabelledConditional::boxed(conditional()?, of, seen, beliefs));
        Weighed { log_marginal: log_marginal + log, conditional: Box::new(conditional) }
    }
}
