//! Draws within bounds.
//!
//! The target is the row's conditional truncated to the bounds of all its missing cells. A draw of the row that lies within the bounds is a
//! draw from it, so draws are repeated until one does. If none of [`TRIES`] does, the bounded cells are drawn one after another, each
//! from its own conditional truncated to its own bounds, given the observed cells and those drawn before; then the rest given all of
//! them. For a single bounded cell this is exact too. For several it ignores the effect of the bounds of later cells on earlier ones;
//! it happens with probability `(1 - a)^TRIES`, where `a` is the mass within the bounds.

use super::balance::Drawn;
use super::cell::Cell;
use super::imputer::Imputer;
use crate::density::Conditional;
use crate::table::{Column, RowKeys, Table};
use crate::{Error, Result};
use rand::{Rng, RngExt};

/// Number of draws of a row that are tried. Arbitrary.
const TRIES: usize = 100;

impl Imputer<'_> {
    /// Completes every row that has missing cells with an independent draw from its conditional distribution. To complete the table that
    /// a model was fitted to, use [`Model::draw`](crate::Model::draw), whose draws together keep the distribution of the table.
    ///
    /// The draw depends only on the seed, the number of the imputation and the row: its content, and the number of equal rows before it.
    /// The order of the rows, the batch they come in and the number of threads do not matter. A draw that lies within the bounds is the
    /// same as without bounds.
    ///
    /// Draws follow the row's conditional truncated to all bounds. This is exact if one missing cell of the row has bounds, and if several
    /// have, as long as one of a hundred draws of the row lies within them; otherwise the bounded cells are drawn one after another, each
    /// within its bounds given those before.
    ///
    /// # Errors
    ///
    /// [`Error::Shape`] for another number of columns, [`Error::BadCell`] for an observed cell outside the limits,
    /// [`Error::ImpossibleRow`] for a row with density zero.
    pub fn independent_draws(&self, table: &Table, seed: u64, imputation: u64) -> Result<Table> {
        let standardised = self.standardise(table)?;
        let keys = RowKeys::of(&standardised);
        self.complete_from(&Drawn::default(), table, standardised, &keys, seed, imputation)
    }

    /// [`independent_draws`](Self::independent_draws), with the draws in `drawn` used where there are any. `keys` are those of the standardised rows.
    pub(crate) fn complete_from(
        &self,
        drawn: &Drawn,
        table: &Table,
        standardised: Table,
        keys: &RowKeys,
        seed: u64,
        imputation: u64,
    ) -> Result<Table> {
        self.limits.check(table)?;
        let (table, standardised) = drawn.fill(table, standardised, keys, self.scaler)?;
        self.complete(&table, &standardised, |i, conditional| {
            let rng = &mut keys.generator(i, seed, imputation);
            self.draw(table.columns(), standardised.row(i), conditional, rng)
        })
    }

    /// Draws the missing cells of a standardised row, in the table's units.
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

    /// Draws the bounded cells of a standardised row one after another, then the rest.
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

    /// Makes values valid: moves them within the bounds and, in columns with repeated values, to observed values.
    fn settle(&self, columns: &[Column], places: &[usize], values: Vec<f64>) -> Vec<f64> {
        let settled =
            |(&j, x): (&usize, f64)| self.ties.recorded(j, self.limits.nearest(j, columns[j].kind(), x));
        places.iter().zip(values).map(settled).collect()
    }
}
