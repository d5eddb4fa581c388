//! Forests of density trees.
//!
//! A tree divides the rows by tests of one column at a time, each of which gains as much likelihood of all other columns as any tried; its
//! leaves are product densities, and the tree is their mixture. So what labels have to do with each other and with numbers is told by which
//! leaves there are, and a forest is the average of many random trees: one mixture of all leaves, whose marginals and
//! conditionals are closed forms ([`Forest`]). Its published relatives are the adversarial random forests of Watson et al. (2023).
//!
//! 1. *Grow.* Each tree from a random part of the rows, with a random part of the columns tried at each node (`grow`, `split`).
//! 2. *Fill.* All rows are shared among the leaves by how likely their observed cells are there, and the leaves' parameters follow from
//!    their shares, pulled to those of the node above (`shrink`): a few steps of EM. Other row weights need this step only.

mod cells;
mod grow;
mod parts;
mod shrink;
mod split;
#[cfg(test)]
mod tests;

pub(crate) use parts::ForestParts;

use crate::density::{Forest, LeafCells, LeafColumn};
use crate::error::bad;
use crate::linalg::log_sum_exp;
use crate::table::{Resolution, Table};
use crate::{Error, Result};
use cells::Cells;
use grow::{Nodes, grow};
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use shrink::Habits;
use std::sync::Arc;

/// The numbers of a forest's fit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ForestParams {
    /// The number of trees.
    pub trees: usize,
    /// The share of the rows that a tree is grown from.
    pub share_of_rows: f64,
    /// The share of the columns that are tried at a node.
    pub share_of_columns: f64,
    /// The number of thresholds tried in a column of numbers.
    pub thresholds: usize,
    /// The least number of rows of a leaf, and the largest number of leaves of a tree.
    pub least_rows: f64,
    /// See `least_rows`.
    pub most_leaves: f64,
    /// Steps of EM after a tree has grown, and under other row weights.
    pub steps: usize,
    /// The pull of a node's means to its parent's, in rows.
    pub pull_of_means: f64,
    /// The pull of a leaf's variances to those of its neighbours, in rows.
    pub pull_of_variances: f64,
}

impl ForestParams {
    /// The numbers of a stack's forest. Held-out likelihoods of five mixed tables differ little for half or twice of any; smaller leaves
    /// and more steps gain a little where rows are many, at twice the time.
    pub(crate) const USUAL: Self = Self {
        trees: 32,
        share_of_rows: 0.63,
        share_of_columns: 0.4,
        thresholds: 10,
        least_rows: 6.0,
        most_leaves: 400.0,
        steps: 3,
        pull_of_means: 0.5,
        pull_of_variances: 3.0,
    };
}

/// Shares of a row in a leaf below this are left out. Arbitrary.
const LIGHTEST: f64 = 1e-4;

/// A fitted forest: its trees.
#[derive(Debug, Clone)]
pub(crate) struct FittedForest {
    trees: Vec<Tree>,
}

/// A tree and the parameters of its leaves.
#[derive(Debug, Clone)]
struct Tree {
    nodes: Nodes,
    /// The weights of the leaves, and the parameters of each column.
    weights: Vec<f64>,
    columns: Vec<LeafCells>,
}

impl FittedForest {
    /// Fits a forest to a standardised table.
    ///
    /// # Errors
    ///
    /// [`Error::BadParameter`] without trees, [`Error::Shape`] unless there is one weight per row.
    pub(crate) fn fit(
        table: &Table,
        weights: &[f64],
        params: &ForestParams,
        rng: &mut dyn Rng,
    ) -> Result<Self> {
        if params.trees == 0 {
            return Err(bad("trees", 0, "at least one"));
        }
        check(table, weights)?;
        let (cells, seed) = (Cells::of(table), rng.random::<u64>());
        let tree = |t: usize| {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            rng.set_stream(t as u64);
            Tree::fit(table, &cells, weights, params, &mut rng)
        };
        Ok(Self { trees: (0..params.trees).into_par_iter().map(tree).collect() })
    }

    /// The same trees, filled under other row weights. Variances are then multiplied by `spread`.
    ///
    /// # Errors
    ///
    /// As for [`fit`](Self::fit).
    pub(crate) fn refilled(
        &self,
        table: &Table,
        weights: &[f64],
        params: &ForestParams,
        spread: f64,
    ) -> Result<Self> {
        check(table, weights)?;
        let cells = Cells::of(table);
        let tree = |tree: &Tree| {
            let mut tree = tree.clone();
            tree.fill(table, &cells, weights, &mut Habits::none(&cells), params);
            tree.spread(spread);
            tree
        };
        Ok(Self { trees: self.trees.par_iter().map(tree).collect() })
    }

    /// The density over the columns of `table`. Base weights of discrete columns are counted with `weights`.
    ///
    /// # Errors
    ///
    /// [`Error::EmptyTable`] for a table without columns.
    pub(crate) fn density(
        &self,
        table: &Table,
        weights: &[f64],
        resolution: &Arc<Resolution>,
    ) -> Result<Forest> {
        let column = |j: usize| {
            let base = table.shares(j, Some(weights));
            LeafColumn::new(table.columns()[j].kind(), &self.joined(j), &base)
        };
        let share = 1.0 / self.trees.len() as f64;
        let weights: Vec<f64> = self.trees.iter().flat_map(|t| t.weights.iter().map(|w| share * w)).collect();
        Forest::new((0..table.columns().len()).map(column).collect(), &weights, resolution.clone())
    }

    /// The parameters of a column in the leaves of all trees.
    fn joined(&self, j: usize) -> LeafCells {
        let of = |tree: &Tree| tree.columns[j].clone();
        let parts: Vec<LeafCells> = self.trees.iter().map(of).collect();
        LeafCells::join(&parts)
    }
}

/// Refuses weights that do not belong to the rows.
fn check(table: &Table, weights: &[f64]) -> Result<()> {
    let (found, expected) = (weights.len(), table.len());
    if found == expected { Ok(()) } else { Err(Error::Shape { what: "row weights", found, expected }) }
}

impl Tree {
    fn fit(table: &Table, cells: &Cells, weights: &[f64], params: &ForestParams, rng: &mut dyn Rng) -> Self {
        let grown = grow(cells, weights, params, rng);
        let mut sums = vec![vec![0.0; cells.width]; grown.rows.len()];
        let mut counts = vec![0.0; grown.rows.len()];
        for ((rows, sums), count) in grown.rows.iter().zip(&mut sums).zip(&mut counts) {
            for &row in rows {
                cells.add(row as usize, weights[row as usize], sums);
                *count += weights[row as usize];
            }
        }
        let mut habits = Habits::none(cells);
        let (leaf_weights, columns) =
            shrink::leaves(cells, &grown.nodes, (&sums, &counts), &mut habits, params);
        let mut tree = Self { nodes: grown.nodes, weights: leaf_weights, columns };
        tree.fill(table, cells, weights, &mut habits, params);
        tree
    }

    /// Some steps of EM: rows are shared among the leaves, whose parameters follow.
    fn fill(
        &mut self,
        table: &Table,
        cells: &Cells,
        weights: &[f64],
        habits: &mut Habits,
        params: &ForestParams,
    ) {
        for _ in 0..params.steps {
            let (sums, counts) = self.share(table, cells, weights);
            let found = (&sums[..], &counts[..]);
            (self.weights, self.columns) = shrink::leaves(cells, &self.nodes, found, habits, params);
        }
    }

    /// The sums and the weight of each leaf, with every row in the leaves by how likely its observed cells are there.
    fn share(&self, table: &Table, cells: &Cells, weights: &[f64]) -> (Vec<Vec<f64>>, Vec<f64>) {
        let column = |j: usize| {
            let kind = table.columns()[j].kind();
            LeafColumn::new(kind, &self.columns[j], &vec![1.0; kind.atoms().len()])
        };
        let columns: Vec<LeafColumn> = (0..self.columns.len()).map(column).collect();
        let log_weights: Vec<f64> = self.weights.iter().map(|w| w.ln()).collect();
        let mut sums = vec![vec![0.0; cells.width]; self.weights.len()];
        let mut counts = vec![0.0; self.weights.len()];
        for (i, row) in table.rows().enumerate().filter(|(i, _)| weights[*i] > 0.0) {
            let mut logs = log_weights.clone();
            for (column, &x) in columns.iter().zip(row).filter(|(_, x)| !x.is_nan()) {
                column.add_logs(x, &mut logs);
            }
            let total = log_sum_exp(&logs);
            let least = total + LIGHTEST.ln();
            for (k, log) in logs.iter().enumerate().filter(|(_, log)| **log > least) {
                let weight = weights[i] * (log - total).exp();
                counts[k] += weight;
                cells.add(i, weight, &mut sums[k]);
            }
        }
        (sums, counts)
    }

    fn spread(&mut self, times: f64) {
        for column in &mut self.columns {
            if let LeafCells::Normals { variances, .. } = column {
                variances.iter_mut().for_each(|variance| *variance *= times);
            }
        }
    }
}
