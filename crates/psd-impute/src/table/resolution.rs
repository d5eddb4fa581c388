//! Repeated values of continuous columns, and the bins they stand for.
//!
//! Numbers are recorded on a grid, as zero when below a detection limit, or as one of a few settings. A density with respect to length
//! cannot treat repeated values fairly: the model with the narrowest spike there wins on likelihood. So a repeated value stands for its
//! **bin** (`cell` in names): all numbers nearer to it than to the next recorded value. It counts by the probability of the bin.

use super::{Kind, Table};

/// In a column of mostly distinct values, a value counts as repeated if it has at least `SHARE` of the observed cells and occurs at
/// least `REPEATS` times. Both arbitrary.
const SHARE: f64 = 0.05;
const REPEATS: usize = 5;

/// The repeated values of each continuous column, with their bins.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Resolution {
    columns: Vec<Grid>,
}

/// The values of a column that stand for bins, increasing.
#[derive(Debug, Clone, Default, PartialEq)]
struct Grid {
    values: Vec<f64>,
    cells: Vec<(f64, f64)>,
    /// Whether the bins cover the real line.
    full: bool,
    /// Whether they do, and every value was seen more than once, and five times on average.
    repeated: bool,
}

impl Resolution {
    /// In a column where most cells share their value with another, every value stands for its bin; elsewhere only the frequent
    /// values do.
    pub fn of(table: &Table) -> Self {
        let grid = |j: usize| match table.columns()[j].kind() {
            Kind::Continuous => Grid::of(table.observed(j).collect()),
            _ => Grid::default(),
        };
        Self { columns: (0..table.columns().len()).map(grid).collect() }
    }

    /// Returns the bin that the value `x` of column `j` stands for; `None` if it stands for itself.
    pub fn cell(&self, j: usize, x: f64) -> Option<(f64, f64)> {
        let grid = self.columns.get(j)?;
        let at = grid.cells.partition_point(|cell| cell.1 < x);
        let cell = *grid.cells.get(at)?;
        (grid.full || grid.values[at] == x).then_some(cell)
    }

    /// The values of column `j` if they are few, at least two, and each is repeated; none otherwise.
    pub(crate) fn few_values(&self, j: usize, most: usize) -> &[f64] {
        let few = self.columns.get(j).filter(|grid| grid.repeated && (2..=most).contains(&grid.values.len()));
        few.map_or(&[], |grid| &grid.values)
    }

    /// The value whose bin holds `x`, in a column where every value stands for its bin; `x` itself elsewhere.
    pub(crate) fn recorded(&self, j: usize, x: f64) -> f64 {
        let Some(grid) = self.columns.get(j).filter(|grid| grid.full) else { return x };
        let at = grid.cells.partition_point(|cell| cell.1 < x);
        grid.values.get(at).copied().unwrap_or(x)
    }

    /// The resolution of a table whose columns are each mapped by an increasing function.
    pub(crate) fn map(&self, f: impl Fn(usize, f64) -> f64) -> Self {
        let grid = |(j, grid): (usize, &Grid)| Grid {
            values: grid.values.iter().map(|&x| f(j, x)).collect(),
            cells: grid.cells.iter().map(|&(lo, hi)| (f(j, lo), f(j, hi))).collect(),
            full: grid.full,
            repeated: grid.repeated,
        };
        Self { columns: self.columns.iter().enumerate().map(grid).collect() }
    }

    /// Whether values of any of these columns may stand for bins.
    pub(crate) fn concerns(&self, columns: &[usize]) -> bool {
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
            repeated: full && counts.iter().all(|count| count.1 > 1) && REPEATS * counts.len() <= seen.len(),
        }
    }
}
