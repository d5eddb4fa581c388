//! One missing cell, truncated to its column's bounds.
//!
//! With bounds `[lo, hi]` the cell's distribution is that of `X` given `lo ≤ X ≤ hi`, where `X` is the cell's conditional given the
//! row's observed cells. Its mass, mean and variance are closed forms; quantiles invert a closed form. The bounds of the row's *other*
//! missing cells are ignored: their effect on this cell has no closed form.
//!
//! If the model's mass between the bounds underflows, the cell is the point of `[lo, hi]` nearest to the mean.

use super::limits::Limits;
use crate::density::{Conditional, Piece};
use crate::table::{Kind, Scaler};
use crate::{Error, Result};

/// A cell in the table's units.
pub(super) struct Cell<'c> {
    conditional: &'c dyn Conditional,
    j: usize,
    kind: &'c Kind,
    scaler: &'c Scaler,
    limits: &'c Limits,
}

impl<'c> Cell<'c> {
    pub(super) fn new(
        conditional: &'c dyn Conditional,
        j: usize,
        kind: &'c Kind,
        scaler: &'c Scaler,
        limits: &'c Limits,
    ) -> Self {
        Self { conditional, j, kind, scaler, limits }
    }

    /// The bounds in standardised units.
    fn standardised(&self) -> (f64, f64) {
        let (lo, hi) = self.limits.of(self.j);
        (self.scaler.apply(self.j, lo), self.scaler.apply(self.j, hi))
    }

    fn undo(&self, z: f64) -> f64 {
        let (lo, hi) = self.limits.of(self.j);
        self.scaler.undo(self.j, z).clamp(lo, hi)
    }

    /// Mean and standard deviation; NaN for labels.
    pub(super) fn moments(&self) -> Result<(f64, f64)> {
        let Piece { mass, mean, variance } = self.conditional.within(self.j, self.standardised())?;
        if mass <= 0.0 {
            return Ok((self.only()?, 0.0));
        }
        Ok((self.undo(mean), self.scaler.scale(self.j) * variance.sqrt()))
    }

    pub(super) fn quantile(&self, p: f64) -> Result<f64> {
        if !self.limits.bind(self.j) {
            return Ok(self.scaler.undo(self.j, self.conditional.quantile(self.j, p)?));
        }
        match self.conditional.quantile_within(self.j, p, self.standardised()) {
            Ok(z) => Ok(self.undo(z)),
            Err(Error::ZeroDensity) => self.only(),
            Err(other) => Err(other),
        }
    }

    /// The probability of values up to `x`, in the table's units.
    pub(super) fn below(&self, x: f64) -> Result<f64> {
        let (lo, hi) = self.standardised();
        let all = self.conditional.within(self.j, (lo, hi))?.mass;
        if all <= 0.0 {
            return Ok(f64::from(u8::from(self.only()? <= x)));
        }
        Ok(self.conditional.within(self.j, (lo, self.scaler.apply(self.j, x).clamp(lo, hi)))?.mass / all)
    }

    /// The values of a discrete cell within the bounds, with their probabilities; `None` for a continuous one.
    pub(super) fn probabilities(&self) -> Result<Option<Vec<(f64, f64)>>> {
        let Some(atoms) = self.conditional.probabilities(self.j)? else { return Ok(None) };
        let mut atoms = self.scaler.undo_atoms(self.j, atoms);
        atoms.retain(|&(value, _)| self.limits.hold(self.j, value));
        let mass: f64 = atoms.iter().map(|atom| atom.1).sum();
        if mass > 0.0 {
            atoms.iter_mut().for_each(|(_, p)| *p /= mass);
        } else {
            let only = self.only()?;
            atoms.iter_mut().for_each(|(value, p)| *p = f64::from(u8::from(*value == only)));
        }
        Ok(Some(atoms))
    }

    /// The value within the bounds nearest to the unbounded mean.
    fn only(&self) -> Result<f64> {
        let all = self.conditional.within(self.j, (f64::NEG_INFINITY, f64::INFINITY))?;
        Ok(self.limits.nearest(self.j, self.kind, self.scaler.undo(self.j, all.mean)))
    }
}
