//! Buffers of rows to be added to the sums of a component.
//!
//! Every component has a matrix `Σ s y y'`, and a row has a share `s` in many components: adding rows one by one would mostly read and
//! write matrices. So a component's rows are buffered until there are [`DEEP`] of them, and are then added to its matrix together.

use super::data::Em;
use super::maximise::{PAD, Sums};
use crate::linalg::column_mut;

/// Number of rows added together. Arbitrary.
const DEEP: usize = 4;

/// A component's sums and the buffered rows not yet included.
pub(super) struct Gather {
    /// The sums; only their moments lack the buffered rows.
    pub(super) sums: Sums,
    /// The buffered rows, in blocks of [`PAD`] cells of each, padded with zeros at the end.
    cells: Vec<[[f64; PAD]; DEEP]>,
    shares: [f64; DEEP],
    waiting: usize,
}

impl Gather {
    pub(super) fn new(em: &Em<'_>) -> Self {
        let cells = vec![[[0.0; PAD]; DEEP]; em.continuous.len().div_ceil(PAD)];
        Self { sums: Sums::none(em), cells, shares: [0.0; DEEP], waiting: 0 }
    }

    /// Adds a row with its share.
    #[inline(always)]
    pub(super) fn add(&mut self, share: f64, y: impl Iterator<Item = f64>) {
        self.sums.weight += share;
        for (j, y) in y.enumerate() {
            self.cells[j / PAD][self.waiting][j % PAD] = y;
        }
        self.shares[self.waiting] = share;
        self.waiting += 1;
        if self.waiting == DEEP {
            self.flush();
        }
    }

    /// Adds the buffered rows to the sums.
    #[inline(always)]
    pub(super) fn flush(&mut self) {
        let Self { sums, cells, shares, waiting } = self;
        if *waiting == 0 {
            return;
        }
        shares[*waiting..].fill(0.0);
        for b in 0..sums.first.len() {
            let scales: [f64; DEEP] = std::array::from_fn(|i| shares[i] * cells[b / PAD][i][b % PAD]);
            sums.first[b] += scales.iter().sum::<f64>();
            let to = column_mut(sums.second.as_mut(), b)[b / PAD * PAD..].chunks_exact_mut(PAD);
            for (to, cells) in to.zip(&cells[b / PAD..]) {
                for (scale, cells) in scales.iter().zip(cells) {
                    for w in 0..PAD {
                        to[w] += scale * cells[w];
                    }
                }
            }
        }
        *waiting = 0;
    }
}
