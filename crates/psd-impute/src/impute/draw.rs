//! Draws within bounds.
//!
//! The target is the row's conditional cut to the bounds of all its missing cells. A draw of the row that lies within them is a
//! draw from it, so draws are repeated until one does. Should none of [`TRIES`] do, the bounded cells are drawn one after another:
//! each from its own conditional cut to its own bounds, given the observed cells and those drawn before; then the rest given all of
//! them. For a single bounded cell this is exact as well. For several it leaves out what the bounds of later cells say of the
//! earlier ones; it is reached with probability `(1 - a)^TRIES`, `a` being the mass within the bounds.

use super::cell::Cell;
use super::imputer::Imputer;
use crate::density::Conditional;
use crate::table::RowKeys;
use crate::table::Table;
use crate::{Error, Result};
use rand::{Rng, RngExt};

/// How many draws of a row are tried.
const TRIES: usize = 100;

impl Imputer<'_> {
    /// Completes every row that has a gap with a draw from its conditional distribution.
    ///
    /// The draw depends on the seed, the number of the imputation and the row alone: its content, and how many equal rows stand
    /// before it. The order of the rows, the batch they come in and the number of threads do not matter. A draw that lies within
    /// the bounds is the one that would be made without them.
    ///
    /// Draws follow the row's conditional cut to all bounds. This is exact where one missing cell of the row has bounds, and for
    /// several as long as one of a hundred draws of the row lies within them; a row whose hundred draws all miss gets its bounded
    /// cells one after another, each within its bounds given those before.
    pub fn complete_with_draws(&self, table: &Table, seed: u64, imputation: u64) -> Result<Table> {
        self.complete_batch_with_draws(table, &RowKeys::of(table), seed, imputation)
    }

    /// The same for a batch of a larger table, whose rows have the keys of a [`RowCounter`](crate::table::RowCounter): the batches then
    /// get what the whole table would.
    pub fn complete_batch_with_draws(
        &self,
        table: &Table,
        keys: &RowKeys,
        seed: u64,
        imputation: u64,
    ) -> Result<Table> {
        self.complete(table, |i, conditional| {
            self.draw(table, i, conditional, &mut keys.generator(i, seed, imputation))
        })
    }

    /// A draw of row `i`'s missing cells in the table's units.
    pub(super) fn draw(
        &self,
        table: &Table,
        i: usize,
        conditional: &dyn Conditional,
        rng: &mut dyn Rng,
    ) -> Result<Vec<f64>> {
        let missing = conditional.missing();
        let bounded: Vec<usize> = missing.iter().copied().filter(|&j| self.limits.bind(j)).collect();
        let mut last = Vec::new();
        for _ in 0..if bounded.is_empty() { 1 } else { TRIES } {
            last = self.undo(missing, conditional.draw(rng));
            if missing.iter().zip(&last).all(|(&j, &x)| self.limits.hold(j, x)) {
                return Ok(self.settle(table, missing, last));
            }
        }
        match self.one_by_one(table, table.row(i), &bounded, rng) {
            Ok(values) => last = values,
            Err(Error::ZeroDensity) => {} // A bound where the model's density is zero: nothing to condition on.
            Err(other) => return Err(other),
        }
        Ok(self.settle(table, missing, last))
    }

    /// The bounded cells one after another, then the rest.
    fn one_by_one(
        &self,
        table: &Table,
        row: &[f64],
        bounded: &[usize],
        rng: &mut dyn Rng,
    ) -> Result<Vec<f64>> {
        let mut row = row.to_vec();
        let missing: Vec<usize> = (0..row.len()).filter(|&j| row[j].is_nan()).collect();
        for &j in bounded {
            let conditional = self.density.conditional(&self.standardised(&row))?;
            let kind = table.columns()[j].kind();
            let p = rng.random::<f64>().clamp(f64::EPSILON, 1.0 - f64::EPSILON);
            row[j] = Cell::new(conditional.as_ref(), j, kind, self.scaler, &self.limits).quantile(p)?;
        }
        if bounded.len() < missing.len() {
            let conditional = self.density.conditional(&self.standardised(&row))?;
            let rest = self.undo(conditional.missing(), conditional.draw(rng));
            conditional.missing().iter().zip(rest).for_each(|(&j, x)| row[j] = x);
        }
        Ok(missing.iter().map(|&j| row[j]).collect())
    }

    fn standardised(&self, row: &[f64]) -> Vec<f64> {
        row.iter().enumerate().map(|(j, &x)| self.scaler.apply(j, x)).collect()
    }

    fn undo(&self, columns: &[usize], z: Vec<f64>) -> Vec<f64> {
        columns.iter().zip(z).map(|(&j, z)| self.scaler.undo(j, z)).collect()
    }

    /// Values that may stand in the columns: those with ties hold observed values, and no bound is passed.
    fn settle(&self, table: &Table, columns: &[usize], values: Vec<f64>) -> Vec<f64> {
        let settled = |(&j, x): (&usize, f64)| {
            self.ties.recorded(j, self.limits.nearest(j, table.columns()[j].kind(), x))
        };
        columns.iter().zip(values).map(settled).collect()
    }
}
