//! Errors of single cells.

use super::points::Space;
use faer::MatRef;

/// Counts and errors of missing cells.
#[derive(Default)]
pub(super) struct CellErrors {
    numbers: usize,
    squares: f64,
    absolutes: f64,
    labels: usize,
    wrong: usize,
}

impl CellErrors {
    /// Sums over those cells of the given rows that are missing in `masked`.
    pub(super) fn of(
        space: &Space,
        rows: &[usize],
        masked: MatRef<'_, f64>,
        [truth, completed]: [MatRef<'_, f64>; 2],
    ) -> Self {
        let mut all = Self::default();
        for &i in rows {
            for &j in space.numbers().iter().filter(|&&j| masked[(j, i)].is_nan()) {
                let error = space.unit(j, completed[(j, i)]) - space.unit(j, truth[(j, i)]);
                all.numbers += 1;
                all.squares += error * error;
                all.absolutes += error.abs();
            }
            for &j in space.categories().iter().filter(|&&j| masked[(j, i)].is_nan()) {
                all.labels += 1;
                all.wrong += usize::from(completed[(j, i)] != truth[(j, i)]);
            }
        }
        all
    }

    pub(super) fn rmse(&self) -> Option<f64> {
        mean(self.squares, self.numbers).map(f64::sqrt)
    }

    pub(super) fn mae(&self) -> Option<f64> {
        mean(self.absolutes, self.numbers)
    }

    pub(super) fn category_error(&self) -> Option<f64> {
        mean(self.wrong as f64, self.labels)
    }
}

fn mean(sum: f64, count: usize) -> Option<f64> {
    (count > 0).then(|| sum / count as f64)
}
