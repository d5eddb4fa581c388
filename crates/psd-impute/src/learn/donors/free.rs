//! The free parameters of a column's kernel.

use super::settings::SETTINGS;
use crate::density::{DonorColumn, SmoothKernel};
use crate::linalg::sigmoid;
use std::ops::Range;

/// A column of the donors whose kernel is being learned.
pub(super) struct Free {
    pub(super) column: DonorColumn,
    /// Range of its parameters among those of all columns.
    place: Range<usize>,
}

impl Free {
    /// Wraps all columns, with their parameters one after another.
    pub(super) fn each(columns: Vec<DonorColumn>) -> Vec<Self> {
        let mut end = 0;
        let free = |column: DonorColumn| {
            let start = end;
            end += start_of(&column).len();
            Self { column, place: start..end }
        };
        columns.into_iter().map(free).collect()
    }

    /// Starting values of the parameters.
    pub(super) fn start(&self) -> &'static [f64] {
        start_of(&self.column)
    }

    /// The same column with the kernel set by `t`, the parameters of all columns.
    pub(super) fn moved(&self, t: &[f64]) -> Self {
        let t = &t[self.place.clone()];
        let column = match &self.column {
            DonorColumn::Smooth(column) => {
                let narrow = column.floor() + sigmoid(t[0]);
                let (a, b) = (t[2].exp(), t[3].exp());
                let total = 1.0 + a + b;
                DonorColumn::Smooth(column.with_kernel(SmoothKernel {
                    widths: [narrow, narrow + sigmoid(t[1])],
                    shares: [1.0 / total, a / total, b / total],
                }))
            }
            DonorColumn::Discrete(column) => DonorColumn::Discrete(column.with_background(sigmoid(-t[0]))),
        };
        Self { column, place: self.place.clone() }
    }

    /// Adds the derivatives of `Σ share · log r` over the given donors, `r = k(x)/m`: with the peaks `n_a` in units of `m` and their
    /// derivatives `d_a` with respect to `h_a`, `r = c_0 + Σ_a c_a n_a`.
    pub(super) fn add_slopes(
        &self,
        t: &[f64],
        (x, m): (f64, f64),
        shares: &[(usize, f64)],
        gradient: &mut [f64],
    ) {
        let (t, out) = (&t[self.place.clone()], &mut gradient[self.place.clone()]);
        match &self.column {
            DonorColumn::Smooth(column) => {
                let [c0, c1, c2] = column.kernel.shares;
                let mut sums = [0.0; 4];
                for (share, [(n1, d1), (n2, d2)]) in column.peaks(x, m, shares) {
                    let relative = share / (c0 + c1 * n1 + c2 * n2);
                    sums[0] += relative * (c1 * d1 + c2 * d2);
                    sums[1] += relative * c2 * d2;
                    sums[2] += c1 * (relative * n1 - share);
                    sums[3] += c2 * (relative * n2 - share);
                }
                let slope = |t: f64| sigmoid(t) * (1.0 - sigmoid(t));
                let chain = [slope(t[0]), slope(t[1]), 1.0, 1.0];
                (0..4).for_each(|k| out[k] += chain[k] * sums[k]);
            }
            DonorColumn::Discrete(column) => {
                let (c0, c1) = (column.background, 1.0 - column.background);
                let peaks = column.peaks(x, m);
                for &(donor, share) in shares {
                    let n = peaks(donor);
                    out[0] += share * (c1 * n / (c0 + c1 * n) - c1);
                }
            }
        }
    }
}

fn start_of(column: &DonorColumn) -> &'static [f64] {
    match column {
        DonorColumn::Smooth(_) => &SETTINGS.smooth_start,
        DonorColumn::Discrete(_) => &SETTINGS.discrete_start,
    }
}
