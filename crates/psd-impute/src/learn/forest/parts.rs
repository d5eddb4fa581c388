//! The numbers that make up a forest, as written to a model file.

use super::grow::Nodes;
use super::{FittedForest, Tree};
use crate::density::LeafCells;
use crate::error::bad;
use crate::table::Kind;
use crate::{Error, Result};

/// The trees of a forest, one after the other.
pub(crate) struct ForestParts {
    /// The number of nodes of each tree.
    pub(crate) nodes: Vec<usize>,
    /// The parent of each node, counted within its tree; that of a root is itself.
    pub(crate) parents: Vec<usize>,
    /// The weights of the leaves, which sum to one within a tree.
    pub(crate) weights: Vec<f64>,
    /// The parameters of the leaves of all trees, column by column.
    pub(crate) columns: Vec<LeafCells>,
}

impl FittedForest {
    /// The numbers that make up the forest.
    pub(crate) fn parts(&self) -> ForestParts {
        let columns = self.trees.first().map_or(0, |tree| tree.columns.len());
        ForestParts {
            nodes: self.trees.iter().map(|tree| tree.nodes.parents.len()).collect(),
            parents: self.trees.iter().flat_map(|tree| tree.nodes.parents.iter().copied()).collect(),
            weights: self.trees.iter().flat_map(|tree| tree.weights.iter().copied()).collect(),
            columns: (0..columns).map(|j| self.joined(j)).collect(),
        }
    }

    /// A forest from parts as returned by [`parts`](Self::parts), which are checked; `kinds` are those of the columns.
    pub(crate) fn from_parts(parts: &ForestParts, kinds: &[&Kind]) -> Result<Self> {
        let ForestParts { nodes, parents, weights, columns } = parts;
        if nodes.is_empty() || nodes.contains(&0) {
            return Err(bad("nodes of a tree", 0, "at least one"));
        }
        let total = nodes.iter().try_fold(0, |sum: usize, n| sum.checked_add(*n)).unwrap_or(usize::MAX);
        same("nodes of the trees", parents.len(), total)?;
        same("columns of the leaves", columns.len(), kinds.len())?;
        for (column, kind) in columns.iter().zip(kinds) {
            same("leaves of a column", column.leaves(), weights.len())?;
            column.check(kind)?;
        }
        let (mut trees, mut from, mut leaf) = (Vec::new(), 0, 0);
        for &count in nodes {
            let nodes = nodes_of(&parents[from..from + count])?;
            let end = leaf + nodes.leaves.len();
            let weights = weights.get(leaf..end).ok_or(shape("leaves", weights.len(), end))?.to_vec();
            check_weights(&weights)?;
            let columns = columns.iter().map(|column| column.some(leaf..end)).collect();
            trees.push(Tree { nodes, weights, columns });
            (from, leaf) = (from + count, end);
        }
        same("leaves", weights.len(), leaf)?;
        Ok(Self { trees })
    }
}

/// A tree from its nodes' parents, each of which has to come before its children.
fn nodes_of(parents: &[usize]) -> Result<Nodes> {
    let wrong = |(node, &parent): (usize, &usize)| if node == 0 { parent != 0 } else { parent >= node };
    match parents.iter().enumerate().find(|&pair| wrong(pair)) {
        Some((_, parent)) => Err(bad("parent of a node", parent, "a node before it")),
        None => Ok(Nodes::new(parents.to_vec())),
    }
}

fn check_weights(weights: &[f64]) -> Result<()> {
    let (sum, least) = weights.iter().fold((0.0, f64::INFINITY), |(sum, least), w| (sum + w, w.min(least)));
    if (sum - 1.0).abs() < 1e-6 && least > 0.0 {
        return Ok(());
    }
    Err(bad(
        "weights of the leaves",
        format!("{least} at least, {sum} in all"),
        "above zero, adding up to one",
    ))
}

fn shape(what: &'static str, found: usize, expected: usize) -> Error {
    Error::Shape { what, found, expected }
}

fn same(what: &'static str, found: usize, expected: usize) -> Result<()> {
    if found == expected { Ok(()) } else { Err(shape(what, found, expected)) }
}
