//! A row's missing cells under the donors' density: independent given the donor.

use super::super::{Conditional, Piece};
use super::column::DonorColumn;
use crate::Result;
use crate::table::Line;
use faer::Mat;
use rand::{Rng, RngExt};

pub(super) struct DonorsConditional<'a> {
    /// All columns of the table.
    pub(super) columns: &'a [DonorColumn],
    pub(super) missing: Vec<usize>,
    /// The donors' weights given the observed cells.
    pub(super) weights: Vec<f64>,
}

impl DonorsConditional<'_> {
    fn column(&self, j: usize) -> Result<&DonorColumn> {
        self.place(j).map(|_| &self.columns[j])
    }
}

impl Conditional for DonorsConditional<'_> {
    fn missing(&self) -> &[usize] {
        &self.missing
    }

    fn has_labels(&self, column: usize) -> bool {
        self.columns[column].has_labels()
    }

    fn mean(&self) -> Vec<f64> {
        self.missing.iter().map(|&j| self.columns[j].mean(&self.weights)).collect()
    }

    fn covariance(&self) -> Mat<f64> {
        let mean = self.mean();
        Mat::from_fn(mean.len(), mean.len(), |a, b| {
            let (one, other) = (&self.columns[self.missing[a]], &self.columns[self.missing[b]]);
            if a == b {
                return one.variance(&self.weights, mean[a]);
            }
            (0..self.weights.len())
                .map(|k| self.weights[k] * (one.mean_given(k) - mean[a]) * (other.mean_given(k) - mean[b]))
                .sum()
        })
    }

    fn cdf(&self, column: usize, x: f64) -> Result<f64> {
        Ok(self.column(column)?.cdf(&self.weights, x).clamp(0.0, 1.0))
    }

    fn density(&self, column: usize, x: f64) -> Result<f64> {
        Ok(self.column(column)?.density(&self.weights, x))
    }

    fn probabilities(&self, column: usize) -> Result<Option<Vec<(f64, f64)>>> {
        Ok(self.column(column)?.probabilities(&self.weights))
    }

    fn support(&self, column: usize) -> Result<(f64, f64)> {
        Ok(self.column(column)?.support())
    }

    fn within(&self, column: usize, limits: (f64, f64)) -> Result<Piece> {
        Ok(self.column(column)?.within(&self.weights, limits))
    }

    fn mapped(&self, column: usize, lines: &[Line]) -> Result<Piece> {
        Ok(self.column(column)?.mapped(&self.weights, lines))
    }

    fn draw(&self, rng: &mut dyn Rng) -> Vec<f64> {
        let mut u: f64 = rng.random();
        let picked = self.weights.iter().position(|w| {
            u -= w;
            u < 0.0
        });
        let donor = picked.unwrap_or(self.weights.len() - 1);
        self.missing.iter().map(|&j| self.columns[j].draw(donor, rng)).collect()
    }
}
