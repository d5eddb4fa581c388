//! The best of some random splits of a node.
//!
//! A split by a column is worth the log-likelihood that it gains in *all other columns*, whose cells are independent within a node:
//!
//! ```text
//! gain = Σ_j [ℓ_j(left) + ℓ_j(right) - ℓ_j(both)]
//! numbers  ℓ = -½ n log[(SS + ν σ²)/(n + ν)]        labels  ℓ = Σ_v n_v log[(n_v + s q_v)/(n + s)]
//! ```
//!
//! with the variance `σ²` and the shares `q` of the node. The column itself would gain from any split and say nothing of dependence.
//! Cells are gathered into groups first, one for each label or interval between thresholds, so that a split costs no pass over the rows.

use super::cells::{CellColumn, Cells, ColumnCells, moments};
use rand::{Rng, RngExt};

/// `ν` and `s`, in rows. Arbitrary.
const ROWS: f64 = 1.0;

/// A test of one column.
pub(super) struct Split {
    pub(super) column: usize,
    test: Test,
    gain: f64,
    /// The sums of both sides.
    pub(super) sides: [Vec<f64>; 2],
}

enum Test {
    /// Left up to this number.
    UpTo(f64),
    /// For each value, whether it goes left.
    Among(Vec<bool>),
}

/// Rows of a node, and their weights.
pub(super) struct Node<'a> {
    pub(super) cells: &'a Cells,
    pub(super) rows: &'a [u32],
    pub(super) weights: &'a [f64],
    /// The least weight of a side.
    pub(super) least: f64,
    /// The number of thresholds tried in a column of numbers.
    pub(super) thresholds: usize,
}

impl Split {
    /// The side of a row: 0 is left. `None` if it lacks the cell.
    pub(super) fn side(&self, cells: &Cells, row: usize) -> Option<usize> {
        let column = &cells.columns[self.column];
        column.has(row).then(|| match (&column.cells, &self.test) {
            (ColumnCells::Numbers { values, .. }, Test::UpTo(end)) => usize::from(values[row] > *end),
            (ColumnCells::Values { places, .. }, Test::Among(left)) => {
                usize::from(!left[places[row] as usize])
            }
            _ => 0,
        })
    }
}

impl Node<'_> {
    /// The best split by the given columns; `None` if there is none with enough rows on both sides.
    pub(super) fn best(&self, columns: &[usize], rng: &mut dyn Rng) -> Option<Split> {
        let mut best: Option<Split> = None;
        for &column in columns {
            let found = self.best_of(column, rng);
            if let Some(split) = found.filter(|split| best.as_ref().is_none_or(|b| split.gain > b.gain)) {
                best = Some(split);
            }
        }
        best
    }

    fn best_of(&self, column: usize, rng: &mut dyn Rng) -> Option<Split> {
        let groups = self.groups(column, rng)?;
        let total = groups.total();
        let before = self.level(column, &total, &total);
        let mut best: Option<(f64, Vec<bool>)> = None;
        for left in groups.sides(self, column, rng) {
            let [a, b] = groups.sums(&left, &total);
            let weight = |side: bool| {
                groups.weights.iter().zip(&left).filter(|(_, l)| **l == side).map(|(w, _)| w).sum::<f64>()
            };
            if weight(true) < self.least || weight(false) < self.least {
                continue;
            }
            let gain = self.level(column, &a, &total) + self.level(column, &b, &total) - before;
            if best.as_ref().is_none_or(|best| gain > best.0) {
                best = Some((gain, left));
            }
        }
        let (gain, left) = best?;
        let sides = groups.sums(&left, &total);
        let test = match &groups.ends {
            Some(ends) => Test::UpTo(ends[left.iter().filter(|left| **left).count() - 1]),
            None => Test::Among(left),
        };
        Some(Split { column, test, gain, sides })
    }

    /// `Σ_j ℓ_j` over the columns other than the split one.
    fn level(&self, column: usize, sums: &[f64], node: &[f64]) -> f64 {
        let others = self.cells.columns.iter().enumerate().filter(|(j, _)| *j != column);
        others.map(|(_, other)| level(other, sums, node)).sum()
    }

    /// The rows that have the column's cell, in groups: one for each value, or for each interval between random thresholds.
    fn groups(&self, column: usize, rng: &mut dyn Rng) -> Option<Groups> {
        let cells = &self.cells.columns[column];
        let (ends, count) = match &cells.cells {
            ColumnCells::Numbers { values, .. } => {
                let ends = self.ends(values, rng)?;
                let count = ends.len() + 1;
                (Some(ends), count)
            }
            ColumnCells::Values { atoms, .. } => (None, *atoms),
        };
        let width = self.cells.width;
        let (mut sums, mut weights) = (vec![0.0; count * width], vec![0.0; count]);
        for &row in self.rows {
            let row = row as usize;
            if !cells.has(row) {
                continue;
            }
            let group = match (&cells.cells, &ends) {
                (ColumnCells::Numbers { values, .. }, Some(ends)) => {
                    ends.partition_point(|end| *end < values[row])
                }
                (ColumnCells::Values { places, .. }, _) => places[row] as usize,
                _ => 0,
            };
            weights[group] += self.weights[row];
            self.cells.add(row, self.weights[row], &mut sums[group * width..][..width]);
        }
        let some = weights.iter().filter(|weight| **weight > 0.0).count() > 1;
        some.then_some(Groups { ends, weights, sums, width })
    }

    /// Random thresholds among the values of the rows, increasing; the last value is none.
    fn ends(&self, values: &[f64], rng: &mut dyn Rng) -> Option<Vec<f64>> {
        let mut ends = Vec::new();
        for _ in 0..self.thresholds {
            let x = values[self.rows[rng.random_range(0..self.rows.len())] as usize];
            if !x.is_nan() {
                ends.push(x);
            }
        }
        ends.sort_by(f64::total_cmp);
        ends.dedup();
        (!ends.is_empty()).then_some(ends)
    }
}

/// `ℓ` of one column.
fn level(column: &CellColumn, sums: &[f64], node: &[f64]) -> f64 {
    let (part, whole) = (column.part(sums), column.part(node));
    match &column.cells {
        ColumnCells::Numbers { floor, .. } => {
            let ((n, _, square), (total, _, spread)) = (moments(part), moments(whole));
            if n <= 0.0 {
                return 0.0;
            }
            let variance = (square + ROWS * spread / total) / (n + ROWS);
            -0.5 * n * variance.max(*floor).ln()
        }
        ColumnCells::Values { .. } => {
            let (n, total): (f64, f64) = (part.iter().sum(), whole.iter().sum());
            if n <= 0.0 {
                return 0.0;
            }
            let seen = part.iter().zip(whole).filter(|(n_v, _)| **n_v > 0.0);
            seen.map(|(n_v, q)| n_v * ((n_v + ROWS * q / total) / (n + ROWS)).ln()).sum()
        }
    }
}

/// The sums of a node's rows by value or interval of one column.
struct Groups {
    /// Upper ends of the intervals of numbers but the last; `None` for values.
    ends: Option<Vec<f64>>,
    /// The weight of each group.
    weights: Vec<f64>,
    sums: Vec<f64>,
    width: usize,
}

impl Groups {
    fn of(&self, group: usize) -> &[f64] {
        &self.sums[group * self.width..][..self.width]
    }

    fn total(&self) -> Vec<f64> {
        self.sum(|_| true)
    }

    fn sum(&self, of: impl Fn(usize) -> bool) -> Vec<f64> {
        let mut out = vec![0.0; self.width];
        for group in (0..self.weights.len()).filter(|&group| of(group) && self.weights[group] > 0.0) {
            out.iter_mut().zip(self.of(group)).for_each(|(sum, x)| *sum += x);
        }
        out
    }

    /// The sums of both sides.
    fn sums(&self, left: &[bool], total: &[f64]) -> [Vec<f64>; 2] {
        let a = self.sum(|group| left[group]);
        let b = total.iter().zip(&a).map(|(total, a)| (total - a).max(0.0)).collect();
        [a, b]
    }

    /// The splits to be compared: intervals and ordered values are cut in two; of labels, each is taken against the rest, and they are cut
    /// in two in the order of a random other column's mean, or of a random value's share.
    fn sides(&self, node: &Node<'_>, column: usize, rng: &mut dyn Rng) -> Vec<Vec<bool>> {
        let count = self.weights.len();
        let seen: Vec<usize> = (0..count).filter(|&group| self.weights[group] > 0.0).collect();
        let cut = |order: &[usize], at: usize| {
            let mut left = vec![false; count];
            order[..at].iter().for_each(|&group| left[group] = true);
            left
        };
        let labels = matches!(node.cells.columns[column].cells, ColumnCells::Values { ordered: false, .. });
        if !labels {
            let every: Vec<usize> = (0..count).collect();
            return (1..count).map(|at| cut(&every, at)).collect();
        }
        let mut out: Vec<Vec<bool>> = seen.iter().map(|&group| cut(&[group], 1)).collect();
        if seen.len() > 3 {
            let order = self.ordered(&seen, node, column, rng);
            out.extend((2..seen.len() - 1).map(|at| cut(&order, at)));
        }
        out
    }

    /// Labels in the order of a random statistic of another column.
    fn ordered(&self, seen: &[usize], node: &Node<'_>, column: usize, rng: &mut dyn Rng) -> Vec<usize> {
        let mut other = rng.random_range(0..node.cells.columns.len());
        if other == column {
            other = (other + 1) % node.cells.columns.len();
        }
        let cells = &node.cells.columns[other];
        let value = match &cells.cells {
            ColumnCells::Numbers { .. } => None,
            ColumnCells::Values { atoms, .. } => Some(rng.random_range(0..*atoms)),
        };
        let statistic = |group: usize| {
            let part = cells.part(self.of(group));
            match value {
                None => moments(part).1,
                Some(v) => part[v] / self.weights[group],
            }
        };
        let mut order = seen.to_vec();
        order.sort_by(|&a, &b| statistic(a).total_cmp(&statistic(b)).then(a.cmp(&b)));
        order
    }
}
