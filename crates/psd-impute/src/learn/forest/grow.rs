//! Growing one tree.

use super::ForestParams;
use super::cells::{CellColumn, Cells, ColumnCells, moments};
use super::split::{Node, Split};
use rand::{Rng, RngExt};

/// The nodes of a tree: the first is the root, and each comes after its parent.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Nodes {
    /// The parent of each node; that of the root is itself.
    pub(super) parents: Vec<usize>,
    /// The nodes without children, increasing.
    pub(super) leaves: Vec<usize>,
}

impl Nodes {
    pub(super) fn new(parents: Vec<usize>) -> Self {
        let mut childless = vec![true; parents.len()];
        parents.iter().skip(1).for_each(|&parent| childless[parent] = false);
        Self { leaves: (0..parents.len()).filter(|&node| childless[node]).collect(), parents }
    }
}

/// A tree, and for each of its leaves the rows that it was grown from.
pub(super) struct Grown {
    pub(super) nodes: Nodes,
    pub(super) rows: Vec<Vec<u32>>,
}

/// Grows a tree from a random part of the rows.
pub(super) fn grow(cells: &Cells, weights: &[f64], params: &ForestParams, rng: &mut dyn Rng) -> Grown {
    let mut some: Vec<u32> =
        (0..cells.rows as u32).filter(|_| rng.random::<f64>() < params.share_of_rows).collect();
    if some.is_empty() {
        some = (0..cells.rows as u32).collect();
    }
    let total: f64 = some.iter().map(|&i| weights[i as usize]).sum();
    let least = params.least_rows.max(total / params.most_leaves);
    let mut parents = vec![0];
    let mut leaves: Vec<(usize, Vec<u32>)> = Vec::new();
    let mut open = vec![(0, some)];
    while let Some((node, rows)) = open.pop() {
        match split(cells, weights, &rows, least, params, rng) {
            Some(sides) => {
                for side in sides {
                    open.push((parents.len(), side));
                    parents.push(node);
                }
            }
            None => leaves.push((node, rows)),
        }
    }
    leaves.sort_by_key(|leaf| leaf.0);
    Grown { nodes: Nodes::new(parents), rows: leaves.into_iter().map(|leaf| leaf.1).collect() }
}

/// Splits the rows of a node in two. Those that lack the split cell go to a side at random, by the share of the side times the
/// likelihood of their other cells there.
fn split(
    cells: &Cells,
    weights: &[f64],
    rows: &[u32],
    least: f64,
    params: &ForestParams,
    rng: &mut dyn Rng,
) -> Option<[Vec<u32>; 2]> {
    let total: f64 = rows.iter().map(|&i| weights[i as usize]).sum();
    if total < 2.0 * least || cells.columns.len() < 2 {
        return None;
    }
    let node = Node { cells, rows, weights, least, thresholds: params.thresholds };
    let columns = some_columns(cells.columns.len(), params.share_of_columns, rng);
    let best = node.best(&columns, rng)?;
    let sides = Sides::of(cells, &best);
    let mut out = [Vec::new(), Vec::new()];
    for &row in rows {
        let u: f64 = rng.random();
        let side = best.side(cells, row as usize);
        let side = side.unwrap_or_else(|| usize::from(u >= sides.share_left(row as usize)));
        out[side].push(row);
    }
    Some(out)
}

/// A random part of the columns, at least two.
fn some_columns(count: usize, share: f64, rng: &mut dyn Rng) -> Vec<usize> {
    let wanted = ((share * count as f64).ceil() as usize).clamp(2.min(count), count);
    let mut columns: Vec<usize> = (0..count).collect();
    for k in 0..wanted {
        columns.swap(k, rng.random_range(k..count));
    }
    columns.truncate(wanted);
    columns
}

/// The densities of the two sides of a split.
struct Sides<'a> {
    cells: &'a Cells,
    split: &'a Split,
    whole: Vec<f64>,
    log_odds: f64,
}

impl<'a> Sides<'a> {
    fn of(cells: &'a Cells, split: &'a Split) -> Self {
        let [a, b] = &split.sides;
        let whole = a.iter().zip(b).map(|(a, b)| a + b).collect();
        let column = &cells.columns[split.column];
        let weight = |sums: &[f64]| match &column.cells {
            ColumnCells::Numbers { .. } => column.part(sums)[0],
            ColumnCells::Values { .. } => column.part(sums).iter().sum(),
        };
        Self { cells, split, whole, log_odds: (weight(a) / weight(b)).ln() }
    }

    /// The probability that a row is on the left, given its cells other than the split one.
    fn share_left(&self, row: usize) -> f64 {
        let others = self.cells.columns.iter().enumerate().filter(|(j, _)| *j != self.split.column);
        let log = |column: &CellColumn| {
            let [a, b] = [0, 1].map(|side| self.log_density(column, row, &self.split.sides[side]));
            a - b
        };
        let logs: f64 = others.filter(|(_, column)| column.has(row)).map(|(_, column)| log(column)).sum();
        crate::linalg::sigmoid(self.log_odds + logs)
    }

    fn log_density(&self, column: &CellColumn, row: usize, sums: &[f64]) -> f64 {
        let (part, whole) = (column.part(sums), column.part(&self.whole));
        match &column.cells {
            ColumnCells::Numbers { values, floor } => {
                let ((n, mean, square), (total, centre, spread)) = (moments(part), moments(whole));
                let variance = ((square + spread / total.max(1e-9)) / (n + 1.0)).max(*floor);
                let mean = (n * mean + centre) / (n + 1.0);
                -0.5 * (variance.ln() + (values[row] - mean).powi(2) / variance)
            }
            ColumnCells::Values { places, .. } => {
                let v = places[row] as usize;
                let (n, total): (f64, f64) = (part.iter().sum(), whole.iter().sum());
                let share = whole[v] / total.max(1e-9);
                ((part[v] + share).max(1e-9) / (n + 1.0)).ln()
            }
        }
    }
}
