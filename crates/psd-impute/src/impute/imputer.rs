//! A fitted density, together with the settings needed to complete tables with it.

use super::cell::Cell;
use super::limits::Limits;
use super::ties::Ties;
use crate::density::{Conditional, Density, map_gaps, most_probable};
use crate::table::{Scaler, Table};
use crate::{Error, Result};
use faer::MatMut;

/// Completes tables with a density.
///
/// Results are in the table's own units, and observed cells are kept bit for bit. A row's result depends only on the row, not on its
/// batch, its position in it, or the number of threads.
///
/// **Bounds.** Draws, means, medians and quantiles lie within the [`Limits`]. A cell's mean, deviation and probabilities are closed forms
/// of its conditional truncated to its own bounds; median and quantiles invert one. The effect of the bounds of the row's *other* missing
/// cells is ignored, so these are exact if no other missing cell of the row has a bound. Draws follow the whole row's conditional
/// truncated to all its bounds: see [`independent_draws`](Self::independent_draws).
///
/// **Repeated values.** In columns with [`Ties`], draws, medians and quantiles are moved to the nearest observed value within the bounds.
/// Means are not, but lie between the smallest and the largest of these values.
pub struct Imputer<'a> {
    pub(super) density: &'a dyn Density,
    pub(super) scaler: &'a Scaler,
    pub(super) ties: Ties,
    pub(super) limits: Limits,
}

impl<'a> Imputer<'a> {
    /// An imputer from a density on tables standardised by `scaler`; ties and limits are in the tables' own units.
    ///
    /// # Errors
    ///
    /// [`Error::Shape`] unless scaler, ties and limits have the density's number of columns.
    pub fn new(density: &'a dyn Density, scaler: &'a Scaler, ties: &Ties, limits: Limits) -> Result<Self> {
        let expected = density.columns();
        let sizes = [("ties", ties.columns()), ("limits", limits.columns()), ("scales", scaler.columns())];
        if let Some((what, found)) = sizes.into_iter().find(|&(_, found)| found != expected) {
            return Err(Error::Shape { what, found, expected });
        }
        Ok(Self { density, scaler, limits: ties.cuts(limits.clone()), ties: ties.between(&limits) })
    }

    /// Completes every row with the conditional mean of each missing cell; a category gets the most probable label, a discrete number the
    /// value nearest to the mean.
    ///
    /// # Errors
    ///
    /// As for [`independent_draws`](Self::independent_draws).
    pub fn mean(&self, table: &Table) -> Result<Table> {
        self.complete(table, &self.standardise(table)?, |_, conditional| {
            self.each(table, conditional, |j, cell| {
                let kind = table.columns()[j].kind();
                if conditional.has_labels(j) {
                    return Ok(most_probable(&cell.probabilities()?.unwrap_or_default()));
                }
                Ok(self.ties.clamp(j, self.limits.nearest(j, kind, cell.moments()?.0)))
            })
        })
    }

    /// Completes every row with the conditional median of each missing cell; a category gets the most probable label.
    ///
    /// # Errors
    ///
    /// As for [`independent_draws`](Self::independent_draws).
    pub fn median(&self, table: &Table) -> Result<Table> {
        self.complete(table, &self.standardise(table)?, |_, conditional| {
            self.each(table, conditional, |j, cell| {
                if conditional.has_labels(j) {
                    return Ok(most_probable(&cell.probabilities()?.unwrap_or_default()));
                }
                Ok(self.ties.recorded(j, cell.quantile(0.5)?))
            })
        })
    }

    /// Applies `f` to each missing cell of a row.
    pub(super) fn each<R>(
        &self,
        table: &Table,
        conditional: &dyn Conditional,
        f: impl Fn(usize, Cell<'_>) -> Result<R>,
    ) -> Result<Vec<R>> {
        let cell = |&j: &usize| {
            let kind = table.columns()[j].kind();
            f(j, Cell::new(conditional, j, kind, self.scaler, &self.limits))
        };
        conditional.missing().iter().map(cell).collect()
    }

    /// Standardises a table. Refuses one with another number of columns, and observed cells outside the limits.
    pub(super) fn standardise(&self, table: &Table) -> Result<Table> {
        self.scaler.check(table)?;
        self.limits.check(table)?;
        Ok(self.scaler.standardise(table))
    }

    /// Applies `f` to the number and the conditional of every standardised row with missing cells. Results are in the order of the patterns.
    pub(super) fn map<R: Send>(
        &self,
        standardised: &Table,
        f: impl Fn(usize, &dyn Conditional) -> Result<R> + Sync,
    ) -> Result<Vec<(usize, R)>> {
        let rows = map_gaps(self.density, standardised, f)?;
        rows.into_iter().map(|(i, result)| Ok((i, result?))).collect()
    }

    /// Fills the missing cells of every row with the values returned by `fill`, in the table's units.
    pub(super) fn complete(
        &self,
        table: &Table,
        standardised: &Table,
        fill: impl Fn(usize, &dyn Conditional) -> Result<Vec<f64>> + Sync,
    ) -> Result<Table> {
        let mut cells = table.cells().to_owned();
        for (i, values) in self.map(standardised, fill)? {
            fill_gaps(cells.as_mut(), i, &values);
        }
        table.with_cells(cells)
    }
}

/// Puts values into the missing cells of row `i`.
pub(super) fn fill_gaps(cells: MatMut<'_, f64>, i: usize, values: &[f64]) {
    let gaps = cells.col_mut(i).iter_mut().filter(|x| x.is_nan());
    gaps.zip(values).for_each(|(cell, value)| *cell = *value);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::density::PsdDensity;
    use faer::Mat;

    #[test]
    fn means_are_regressions_and_observed_cells_stay() {
        let na = f64::NAN;
        let table =
            Table::continuous(&["a", "b"], &[[1.0, na], [0.1 + 0.2, 5.0], [na, na], [3.0, 9.0]]).unwrap();
        let (_, scaler) = table.standardise();
        let covariance = Mat::from_fn(2, 2, |i, j| if i == j { 1.0 } else { 0.5 });
        let normal = PsdDensity::normal(&table, &[0.0, 0.0], covariance.as_ref()).unwrap();
        let imputer = Imputer::new(&normal, &scaler, &Ties::none(2), Limits::none(2)).unwrap();
        let done = imputer.mean(&table).unwrap();
        assert_eq!(done.row(1), table.row(1));
        assert_eq!(done.row(0)[0], 1.0);
        assert!((done.row(0)[1] - scaler.undo(1, 0.5 * scaler.apply(0, 1.0))).abs() < 1e-12);
        assert!((done.row(2)[0] - scaler.undo(0, 0.0)).abs() < 1e-12);
    }
}
