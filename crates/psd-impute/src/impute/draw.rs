//! Draws within bounds.
//!
//! The target is the row's conditional cut to the bounds of all its missing cells. A draw of the row that lies within them is a
//! draw from it, so draws are repeated until one does. Should none of [`TRIES`] do, the bounded cells are drawn one after another:
//! each from its own conditional cut to its own bounds, given the observed cells and those drawn before; then the rest given all of
//! them. For a single bounded cell this is exact as well. For several it leaves out what the bounds of later cells say of the
//! earlier ones; it is reached with probability `(1 - a)^TRIES`, `a` being the mass within the bounds.

use super::balance::Drawn;
use super::cell::Cell;
use super::imputer::Imputer;
use crate::density::Conditional;
use crate::table::{Column, RowKeys, Table};
use crate::{Error, Result};
use rand::{Rng, RngExt};

/// How many draws of a row are tried.
const TRIES: usize = 100;

impl Imputer<'_> {
    /// Completes every row that has a gap with a draw from its conditional distribution, each by itself.
    ///
    /// The draw depends on the seed, the number of the imputation and the row alone: its content, and how many equal rows stand
    /// before it. The order of the rows, the batch they come in and the number of threads do not matter. A draw that lies within
    /// the bounds is the one that would be made without them.
    ///
    /// Draws follow the row's conditional cut to all bounds. This is exact where one missing cell of the row has bounds, and for
    /// several as long as one of a hundred draws of the row lies within them; a row whose hundred draws all miss gets its bounded
    /// cells one after another, each within its bounds given those before.
    pub fn complete_with_draws(&self, table: &Table, seed: u64, imputation: u64) -> Result<Table> {
        self.complete_from(&Drawn::default(), table, &self.keys(table), seed, imputation)
    }

    /// The keys of a table's rows: what the density sees of them, and how many that look the same stand before.
    pub(super) fn keys(&self, table: &Table) -> RowKeys {
        RowKeys::of(&self.scaler.standardise(table))
    }

    /// The same with the draws that some rows have already. `keys` are those of the standardised rows.
    pub(crate) fn complete_from(
        &self,
        drawn: &Drawn,
        table: &Table,
        keys: &RowKeys,
        seed: u64,
        imputation: u64,
    ) -> Result<Table> {
        let table = drawn.fill(table, keys)?;
        let standardised = self.scaler.standardise(&table);
        self.complete(&table, |i, conditional| {
            let rng = &mut keys.generator(i, seed, imputation);
            self.draw(table.columns(), standardised.row(i), conditional, rng)
        })
    }

    /// A draw of the missing cells of a standardised row, in the table's units.
    pub(super) fn draw(
        &self,
        columns: &[Column],
        row: &[f64],
        conditional: &dyn Conditional,
        rng: &mut dyn Rng,
    ) -> Result<Vec<f64>> {
        let missing = conditional.missing();
        let bounded: Vec<usize> = missing.iter().copied().filter(|&j| self.limits.bind(j)).collect();
        let mut last = Vec::new();
        for _ in 0..if bounded.is_empty() { 1 } else { TRIES } {
            last = self.undo(missing, conditional.draw(rng), rng);
            if missing.iter().zip(&last).all(|(&j, &x)| self.limits.hold(j, x)) {
                return Ok(self.settle(columns, missing, last));
            }
        }
        match self.one_by_one(columns, row, &bounded, rng) {
            Ok(values) => last = values,
            Err(Error::ZeroDensity) => {} // A bound where the model's density is zero: nothing to condition on.
            Err(other) => return Err(other),
        }
        Ok(self.settle(columns, missing, last))
    }

    /// The bounded cells of a standardised row one after another, then the rest.
    fn one_by_one(
        &self,
        columns: &[Column],
        row: &[f64],
        bounded: &[usize],
        rng: &mut dyn Rng,
    ) -> Result<Vec<f64>> {
        let mut row = row.to_vec();
        let missing: Vec<usize> = (0..row.len()).filter(|&j| row[j].is_nan()).collect();
        let mut values = row.clone();
        for &j in bounded {
            let conditional = self.density.conditional(&row)?;
            let p = rng.random::<f64>().clamp(f64::EPSILON, 1.0 - f64::EPSILON);
            let cell = Cell::new(conditional.as_ref(), j, columns[j].kind(), self.scaler, &self.limits);
            values[j] = cell.quantile(p)?;
            row[j] = self.scaler.apply(j, values[j]);
        }
        if bounded.len() < missing.len() {
            let conditional = self.density.conditional(&row)?;
            let rest = self.undo(conditional.missing(), conditional.draw(rng), rng);
            conditional.missing().iter().zip(rest).for_each(|(&j, x)| values[j] = x);
        }
        Ok(missing.iter().map(|&j| values[j]).collect())
    }

    /// A standardised draw in the table's units.
    fn undo(&self, columns: &[usize], z: Vec<f64>, rng: &mut dyn Rng) -> Vec<f64> {
        columns.iter().zip(z).map(|(&j, z)| self.scaler.undo_drawn(j, z, rng)).collect()
    }

    /// Values that may stand in the columns: those with ties hold observed values, and no bound is passed.
    fn settle(&self, columns: &[Column], places: &[usize], values: Vec<f64>) -> Vec<f64> {
        let settled =
            |(&j, x): (&usize, f64)| self.ties.recorded(j, self.limits.nearest(j, columns[j].kind(), x));
        places.iter().zip(values).map(settled).collect()
    }
}
