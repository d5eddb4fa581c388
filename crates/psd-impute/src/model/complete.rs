//! Completing tables with a model, in one call or within limits.

use super::{FittedDensity, Imputations, Model};
use crate::Result;
use crate::density::Stack;
use crate::impute::{Imputer, Limits};
use crate::table::{RowCounter, Table};

impl Model {
    /// Completes a table with a draw in every missing cell. For the table that was fitted, the draws together keep its distribution; see
    /// [`imputations`](Self::imputations).
    ///
    /// ```
    /// use psd_impute::{FitOptions, Model, Table};
    ///
    /// let rows = [[1.0, 2.1], [2.0, 3.9], [3.0, f64::NAN], [4.0, 8.2], [5.0, 9.9], [6.0, 12.1]];
    /// let table = Table::continuous(&["x", "y"], &rows)?;
    /// let model = Model::fit(&table, &FitOptions::default())?;
    /// let completed = model.draw(&table, 1)?;
    /// assert!(completed.row(2)[1].is_finite());
    /// assert_eq!(completed.row(0), table.row(0)); // observed cells stay
    /// # Ok::<(), psd_impute::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`check`](Self::check), and [`Error::ImpossibleRow`](crate::Error::ImpossibleRow) for a row with density zero.
    pub fn draw(&self, table: &Table, seed: u64) -> Result<Table> {
        self.imputations(1, seed)?.nth(1)?.complete(table, &mut RowCounter::default())
    }

    /// Completes a table with the conditional mean of every missing number, and the most probable label of every missing category.
    ///
    /// ```
    /// use psd_impute::{FitOptions, Model, Table};
    ///
    /// let rows = [[1.0, 2.1], [2.0, 3.9], [3.0, f64::NAN], [4.0, 8.2], [5.0, 9.9], [6.0, 12.1]];
    /// let table = Table::continuous(&["x", "y"], &rows)?;
    /// let model = Model::fit(&table, &FitOptions::default())?;
    /// let y = model.mean(&table)?.row(2)[1]; // about 6: the rows lie close to y = 2x
    /// assert!((4.0..8.0).contains(&y));
    /// # Ok::<(), psd_impute::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`draw`](Self::draw).
    pub fn mean(&self, table: &Table) -> Result<Table> {
        self.check(table)?;
        self.imputer(self.no_limits())?.mean(table)
    }

    /// Completes a table with the conditional median of every missing number, and the most probable label of every missing category.
    ///
    /// ```
    /// use psd_impute::{FitOptions, Model, Table};
    ///
    /// let rows = [[1.0, 2.1], [2.0, 3.9], [3.0, f64::NAN], [4.0, 8.2], [5.0, 9.9], [6.0, 12.1]];
    /// let table = Table::continuous(&["x", "y"], &rows)?;
    /// let model = Model::fit(&table, &FitOptions::default())?;
    /// let y = model.median(&table)?.row(2)[1];
    /// assert!((4.0..8.0).contains(&y));
    /// # Ok::<(), psd_impute::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`draw`](Self::draw).
    pub fn median(&self, table: &Table) -> Result<Table> {
        self.check(table)?;
        self.imputer(self.no_limits())?.median(table)
    }

    /// `m` completed tables. Several tables are *proper* multiple imputations, so that results from them can be pooled by Rubin's rules: each
    /// is drawn from a refit with its own random row weights (the paper's recipes are not refitted).
    ///
    /// ```
    /// use psd_impute::{FitOptions, Limits, Model, Table};
    ///
    /// let rows = [[1.0, 2.1], [2.0, 3.9], [3.0, f64::NAN], [4.0, 8.2], [5.0, 9.9], [6.0, 12.1]];
    /// let table = Table::continuous(&["x", "y"], &rows)?;
    /// let model = Model::fit(&table, &FitOptions::default())?;
    /// let limits = Limits::new(table.columns(), &[(None, None), (Some(0.0), None)])?;
    /// let tables = model.imputations(5, 1)?.within(limits)?.tables(&table)?;
    /// assert!(tables.len() == 5 && tables.iter().all(|table| table.row(2)[1] >= 0.0));
    /// # Ok::<(), psd_impute::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::BadParameter`](crate::Error::BadParameter) if `m` is zero.
    pub fn imputations(&self, m: u64, seed: u64) -> Result<Imputations<'_>> {
        Imputations::new(self, m, seed)
    }

    /// An imputer for means, medians, summaries of cells, scores and new rows, within limits.
    ///
    /// # Errors
    ///
    /// [`Error::Shape`](crate::Error::Shape) if the limits are for another number of columns.
    pub fn imputer(&self, limits: Limits) -> Result<Imputer<'_>> {
        Imputer::new(self.density(), &self.scaler, &self.ties, limits)
    }

    /// The model refitted without some rows, for out-of-fold predictions of their cells; see
    /// [`FittedStack::without`](crate::stack::FittedStack::without). `None` for the paper's recipes, which are not refitted.
    ///
    /// # Errors
    ///
    /// As for [`check`](Self::check) and the refit.
    pub fn without(&self, rows: &Table) -> Result<Option<Refitted<'_>>> {
        self.check(rows)?;
        match &self.fitted {
            FittedDensity::Stack(stack) => {
                let density = stack.without(&self.scaler.standardise(rows))?;
                Ok(Some(Refitted { density, model: self }))
            }
            FittedDensity::Kernel { .. } => Ok(None),
        }
    }

    pub(super) fn no_limits(&self) -> Limits {
        Limits::none(self.columns.len())
    }
}

/// A model refitted without some rows.
pub struct Refitted<'a> {
    density: Stack,
    model: &'a Model,
}

impl Refitted<'_> {
    /// An imputer for tables with the model's columns.
    ///
    /// # Errors
    ///
    /// [`Error::Shape`](crate::Error::Shape) if the limits are for another number of columns.
    pub fn imputer(&self, limits: Limits) -> Result<Imputer<'_>> {
        Imputer::new(&self.density, &self.model.scaler, &self.model.ties, limits)
    }
}
