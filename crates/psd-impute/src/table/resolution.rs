//! What a recorded value stands for.
//!
//! Numbers are recorded on a grid, below a limit as zero, or as one of a few settings. A density with respect to length has no fair way to
//! speak of a value that comes back: whoever puts the narrowest spike there wins on likelihood. So a value that comes back stands
//! for its **cell**, all numbers nearer to it than to the next recorded value, and counts by the probability of the cell.

use super::{Kind, Table};

/// An atom of an otherwise untied column has this share of the observed cells, but at least `REPEATS` of them.
const SHARE: f64 = 0.05;
const REPEATS: usize = 5;

/// The recorded values of each continuous column, with their cells.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Resolution {
    columns: Vec<Grid>,
}

/// The values of a column that stand for cells, increasing.
#[derive(Debug, Clone, Default, PartialEq)]
struct Grid {
    values: Vec<f64>,
    cells: Vec<(f64, f64)>,
    /// Whether every number is in a cell.
    full: bool,
}

impl Resolution {
    /// In a column where most cells share their value with another, every value stands for its cell; in others, those that come
    /// back often do.
    pub fn of(table: &Table) -> Self {
        let grid = |j: usize| match table.columns()[j].kind() {
            Kind::Continuous => Grid::of(table.observed(j).collect()),
            _ => Grid::default(),
        };
        Self { columns: (0..table.columns().len()).map(grid).collect() }
    }

    /// The cell that a value of column `j` stands for; none for a value that stands for itself.
    pub fn cell(&self, j: usize, x: f64) -> Option<(f64, f64)> {
        let grid = self.columns.get(j)?;
        let at = grid.cells.partition_point(|cell| cell.1 < x);
        let cell = *grid.cells.get(at)?;
        (grid.full || grid.values[at] == x).then_some(cell)
    }

    /// The resolution of a table whose columns are mapped by an increasing function each.
    pub(crate) fn map(&self, f: impl Fn(usize, f64) -> f64) -> Self {
        let grid = |(j, grid): (usize, &Grid)| Grid {
            values: grid.values.iter().map(|&x| f(j, x)).collect(),
            cells: grid.cells.iter().map(|&(lo, hi)| (f(j, lo), f(j, hi))).collect(),
            full: grid.full,
        };
        Self { columns: self.columns.iter().enumerate().map(grid).collect() }
    }

    /// Whether the values of any of these columns may stand for cells.
    pub fn concerns(&self, columns: &[usize]) -> bool {
        columns.iter().any(|&j| self.columns.get(j).is_some_and(|grid| !grid.values.is_empty()))
    }
}

impl Grid {
    fn of(mut seen: Vec<f64>) -> Self {
        seen.sort_by(f64::total_cmp);
        let counts: Vec<(f64, usize)> = seen.chunk_by(|a, b| a == b).map(|run| (run[0], run.len())).collect();
        let full = !counts.is_empty() && 2 * counts.len() <= seen.len();
        let least = ((SHARE * seen.len() as f64).ceil() as usize).max(REPEATS);
        let kept: Vec<usize> = (0..counts.len()).filter(|&k| full || counts[k].1 >= least).collect();
        let middle = |k: usize| 0.5 * (counts[k].0 + counts[k + 1].0);
        let cell = |&k: &usize| {
            let lo = if k == 0 { f64::NEG_INFINITY } else { middle(k - 1) };
            let hi = if k + 1 == counts.len() { f64::INFINITY } else { middle(k) };
            (lo, hi)
        };
        Self {
            values: kept.iter().map(|&k| counts[k].0).collect(),
            cells: kept.iter().map(cell).collect(),
            full,
        }
    }
}
