//! Statistics of the cells that a column was fitted to, for comparison with other tables.

use serde::{Deserialize, Serialize};

/// Statistics of the cells that a column was fitted to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum Learned {
    /// Numbers and times, as the engine sees them.
    Numbers {
        /// The least cell.
        low: f64,
        /// The largest cell.
        high: f64,
        /// Their count, mean and variation.
        moments: Moments,
    },
    /// A category: the number of cells with each of the engine's labels.
    Labels {
        /// The counts.
        cells: Vec<u64>,
    },
}

/// The count of some cells, their mean, and the sum of squared deviations from it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Moments {
    /// The number of cells.
    pub cells: u64,
    /// The mean; zero without cells.
    pub mean: f64,
    /// The sum of squares.
    pub squares: f64,
}

impl Moments {
    /// Adds a cell (Welford).
    pub(crate) fn push(&mut self, x: f64) {
        self.cells += 1;
        let delta = x - self.mean;
        self.mean += delta / self.cells as f64;
        self.squares += delta * (x - self.mean);
    }

    /// Merges the cells of `other` (Chan, Golub and LeVeque).
    pub(crate) fn add(&mut self, other: &Self) {
        let (n, m) = (self.cells as f64, other.cells as f64);
        if m == 0.0 {
            return;
        }
        let delta = other.mean - self.mean;
        self.cells += other.cells;
        self.mean += delta * m / (n + m);
        self.squares += other.squares + delta * delta * n * m / (n + m);
    }

    /// The variance.
    pub fn variance(&self) -> f64 {
        self.squares / self.cells.saturating_sub(1).max(1) as f64
    }
}

impl Learned {
    /// Statistics of the engine's cells of a column with `labels` labels, or of numbers if that is zero. `None` if no cell is observed.
    pub(crate) fn of(labels: usize, cells: impl Iterator<Item = f64>) -> Option<Self> {
        let (mut moments, mut low, mut high) = (Moments::default(), f64::INFINITY, f64::NEG_INFINITY);
        let mut counts = vec![0; labels];
        for x in cells {
            moments.push(x);
            (low, high) = (low.min(x), high.max(x));
            if let Some(count) = counts.get_mut(x as usize) {
                *count += 1;
            }
        }
        match (moments.cells, labels) {
            (0, _) => None,
            (_, 0) => Some(Self::Numbers { low, high, moments }),
            _ => Some(Self::Labels { cells: counts }),
        }
    }

    /// The inconsistency of these statistics in a column with `labels` labels, if any.
    pub(super) fn problem(&self, labels: usize) -> Option<&'static str> {
        let sound = match self {
            Self::Numbers { low, high, moments: Moments { cells, mean, squares } } => {
                let finite = [low, high, mean, squares].iter().all(|x| x.is_finite());
                labels == 0 && *cells > 0 && finite && low <= high && *squares >= 0.0
            }
            Self::Labels { cells } => cells.len() == labels && labels > 0,
        };
        (!sound).then_some("its statistics make no sense")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_add_up() {
        let cells = [3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0];
        let of = |cells: &[f64]| {
            let mut moments = Moments::default();
            cells.iter().for_each(|&x| moments.push(x));
            moments
        };
        let (whole, mut parts) = (of(&cells), Moments::default());
        parts.add(&of(&cells[..3]));
        parts.add(&of(&[]));
        parts.add(&of(&cells[3..]));
        assert_eq!(parts.cells, 7);
        assert!((parts.mean - whole.mean).abs() < 1e-12 && (parts.squares - whole.squares).abs() < 1e-12);
        assert!((whole.mean - 25.0 / 7.0).abs() < 1e-12 && (whole.variance() - 7.952_380_952).abs() < 1e-8);
    }
}
