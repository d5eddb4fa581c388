//! Imputation by optimal transport: Algorithm 1 of Muzellec, Josse, Boyer and Cuturi, *Missing Data Imputation using Optimal Transport*
//! (2020), with the settings of their public code.
//!
//! Any two batches of rows should have about the same distribution. So stochastic gradient steps move the missing cells to decrease
//! the Sinkhorn divergence between two random batches.

mod cloud;
mod coupling;
mod descent;
mod divergence;
mod exponential;
mod temperature;

pub use divergence::{Blur, Divergence, sinkhorn_divergence};

use super::cells::{fill, only_numbers};
use super::in_sample::InSample;
use super::{Fitted, Imputer};
use crate::Result;
use crate::scale::scaler;
use descent::Descent;
use psd_impute::table::Table;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// The ratio of one blur to the next within a divergence.
const SCALING: f64 = 0.9;

/// Batched Sinkhorn imputation, for numbers only. Columns are standardised, and all rows are completed together.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sinkhorn {
    /// The number of gradient steps.
    pub iterations: usize,
    /// The number of rows of a batch; for a table with less than twice as many, the largest power of two up to half its rows.
    pub batch: usize,
    /// The learning rate of RMSprop.
    pub rate: f64,
    /// The standard deviation of the noise added to the means at the start.
    pub noise: f64,
}

impl Default for Sinkhorn {
    /// The settings of the public code.
    fn default() -> Self {
        Self { iterations: 2000, batch: 128, rate: 1e-2, noise: 0.1 }
    }
}

impl Imputer for Sinkhorn {
    fn fit(&self, table: &Table, seed: u64) -> Result<Box<dyn Fitted>> {
        only_numbers(table)?;
        let settings = *self;
        let complete = move |table: &Table| settings.complete(table, seed);
        Ok(Box::new(InSample { table: table.clone(), complete }))
    }
}

impl Sinkhorn {
    fn complete(&self, table: &Table, seed: u64) -> Result<Table> {
        let rng = &mut ChaCha8Rng::seed_from_u64(seed);
        let scaler = scaler(table)?;
        let standard = |(j, &x): (usize, &f64)| scaler.apply(j, x);
        let cells: Vec<f64> = table.rows().flat_map(|row| row.iter().enumerate().map(standard)).collect();
        let d = table.columns().len();
        // Equal rows have no distances.
        let Some(length) = temperature::typical(&cells, d, rng) else {
            return fill(table, |j, _| scaler.undo(j, 0.0));
        };
        let blur = Blur { length, scaling: SCALING };
        let mut descent = Descent::new(cells, d, self.noise, rng);
        (0..self.iterations).for_each(|_| descent.step(self.batch, self.rate, &blur, rng));
        fill(table, |j, i| scaler.undo(j, descent.cells()[i * d + j]))
    }
}
