//! Stochastic gradient steps on the missing cells.

use super::cloud::Cloud;
use super::divergence::{Blur, divergence};
use crate::ampute::normal;
use rand::Rng;
use rand::seq::index::sample;

/// The decay of the running mean of squared derivatives per step of RMSprop.
const MEMORY: f64 = 0.99;
/// The constant added to its square root.
const TINY: f64 = 1e-8;

/// A standardised table whose missing cells are being filled, row by row.
pub(super) struct Descent {
    columns: usize,
    cells: Vec<f64>,
    /// The positions of the missing cells, in order.
    gaps: Vec<usize>,
    /// The derivatives in all cells; they are zero between steps.
    gradient: Vec<f64>,
    /// For each missing cell, the running mean of its squared derivative.
    squares: Vec<f64>,
}

impl Descent {
    /// Fills missing cells with the mean, which is zero, plus noise.
    pub(super) fn new(mut cells: Vec<f64>, columns: usize, noise: f64, rng: &mut impl Rng) -> Self {
        let gaps: Vec<usize> = (0..cells.len()).filter(|&k| cells[k].is_nan()).collect();
        gaps.iter().for_each(|&k| cells[k] = noise * normal(rng));
        Self { columns, gradient: vec![0.0; cells.len()], squares: vec![0.0; gaps.len()], cells, gaps }
    }

    pub(super) fn cells(&self) -> &[f64] {
        &self.cells
    }

    /// Draws two batches and moves their missing cells by RMSprop to decrease the divergence between them.
    pub(super) fn step(&mut self, batch: usize, rate: f64, blur: &Blur, rng: &mut impl Rng) {
        let n = self.cells.len() / self.columns;
        let batch = batch_size(batch, n);
        let batches = [(); 2].map(|()| sample(rng, n, batch).into_vec());
        let clouds = [&batches[0], &batches[1]].map(|rows| self.cloud(rows));
        let (_, gradients) = divergence(&clouds[0], &clouds[1], blur);
        for (rows, gradient) in batches.iter().zip(&gradients) {
            self.add(rows, gradient);
        }
        for (&k, square) in self.gaps.iter().zip(&mut self.squares) {
            let slope = self.gradient[k];
            *square = MEMORY * *square + (1.0 - MEMORY) * slope * slope;
            self.cells[k] -= rate * slope / (square.sqrt() + TINY);
        }
        self.gradient.fill(0.0);
    }

    fn cloud(&self, rows: &[usize]) -> Cloud {
        Cloud::from_fn(rows.len(), self.columns, |j, i| self.cells[rows[i] * self.columns + j])
    }

    /// Adds the derivatives in a batch's cells. A row may be in both batches.
    fn add(&mut self, rows: &[usize], gradient: &Cloud) {
        for (i, &row) in rows.iter().enumerate() {
            for j in 0..self.columns {
                self.gradient[row * self.columns + j] += gradient.coordinate(j)[i];
            }
        }
    }
}

/// The given size, or the largest power of two up to half the rows.
fn batch_size(wanted: usize, rows: usize) -> usize {
    let half = rows / 2;
    if wanted <= half { wanted } else { half.checked_ilog2().map_or(1, |power| 1 << power) }
}
