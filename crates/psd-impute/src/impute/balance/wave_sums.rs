//! Inner products of candidates from their waves, for too many candidates to store the distances between them.

use super::choose::Products;
use std::iter::zip;

pub(super) struct WaveSums {
    /// `x` of a row's candidates, one after the other. As there are many, they are stored in single precision, which is enough.
    rows: Vec<Vec<f32>>,
    /// `Σ x - t`.
    off: Vec<f64>,
}

impl WaveSums {
    /// Products from the deviations of each row's candidates from their average, in waves, and from `t`.
    pub(super) fn new(rows: Vec<Vec<f32>>, t: &[f64]) -> Self {
        let mut off: Vec<f64> = t.iter().map(|x| -x).collect();
        for row in &rows {
            zip(&mut off, row).for_each(|(off, &x)| *off += f64::from(x));
        }
        Self { rows, off }
    }

    fn candidate(&self, row: usize, k: usize) -> &[f32] {
        &self.rows[row][k * self.off.len()..(k + 1) * self.off.len()]
    }
}

impl Products for WaveSums {
    fn squares(&self, row: usize) -> Vec<f64> {
        self.rows[row].chunks(self.off.len()).map(|x| dot(x, x)).collect()
    }

    fn with_others(&mut self, row: usize, taken: usize) -> Vec<f64> {
        let others = zip(&self.off, self.candidate(row, taken)).map(|(off, &x)| (off - f64::from(x)) as f32);
        let others: Vec<f32> = others.collect();
        self.rows[row].chunks(self.off.len()).map(|x| dot(x, &others)).collect()
    }

    fn take(&mut self, row: usize, from: usize, to: usize) {
        if from == to {
            return;
        }
        let size = self.off.len();
        let of = |k: usize| &self.rows[row][k * size..(k + 1) * size];
        let change = zip(of(from), of(to));
        zip(&mut self.off, change).for_each(|(off, (from, to))| *off += f64::from(to - from));
    }
}

/// Inner product in strands, so that the compiler can use vector registers.
fn dot(a: &[f32], b: &[f32]) -> f64 {
    const STRANDS: usize = 16;
    let mut strands = [0.0f32; STRANDS];
    let (a, b) = (a.chunks(STRANDS), b.chunks(STRANDS));
    for (x, y) in zip(a, b) {
        zip(&mut strands, zip(x, y)).for_each(|(sum, (x, y))| *sum += x * y);
    }
    strands.iter().map(|&x| f64::from(x)).sum()
}
