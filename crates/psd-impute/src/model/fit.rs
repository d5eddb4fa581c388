//! Fitting a model to a table.

use super::kernel_density::KernelDensity;
use super::{FitOptions, FittedDensity, KernelReport, Model, Recipe};
use crate::Result;
use crate::impute::Ties;
use crate::solver::Status;
use crate::stack::{Budget, FitObserver};
use crate::table::Table;

impl Model {
    /// Fits a table.
    ///
    /// ```
    /// use psd_impute::{FitOptions, Model, Table};
    ///
    /// let rows = [[1.0, 2.1], [2.0, 3.9], [3.0, f64::NAN], [4.0, 8.2], [5.0, 9.9], [6.0, 12.1]];
    /// let table = Table::continuous(&["x", "y"], &rows)?;
    /// let model = Model::fit(&table, &FitOptions { seed: 7, ..FitOptions::default() })?;
    /// assert_eq!(model.report().rows.table, 6);
    /// # Ok::<(), psd_impute::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`FitOptions::check`], and errors of the fit itself, for example [`Error::NotPositiveDefinite`](crate::Error::NotPositiveDefinite).
    pub fn fit(table: &Table, options: &FitOptions) -> Result<Self> {
        Self::fit_observed(table, options, &mut ())
    }

    /// Fits a table and reports progress to an observer, which may stop the fit.
    ///
    /// # Errors
    ///
    /// As for [`fit`](Self::fit), and [`Error::Abandoned`](crate::Error::Abandoned) if the observer stops the fit.
    pub fn fit_observed(table: &Table, options: &FitOptions, observer: &mut dyn FitObserver) -> Result<Self> {
        options.check()?;
        let mut budget = Budget::new(options.budget()?, observer);
        let (standardised, scaler) = table.standardise();
        let fitted = options.recipe.fit(&standardised, options.seed, &mut budget)?;
        let mut model = Self {
            columns: table.columns().to_vec(),
            scaler,
            ties: Ties::of(table),
            seed: options.seed,
            rows: table.len(),
            budget_ended_after: budget.ended_after,
            fitted,
        };
        model.ties = model.ties.calibrated(model.density(), table, &model.scaler)?;
        Ok(model)
    }
}

impl Recipe {
    fn fit(&self, table: &Table, seed: u64, observer: &mut dyn FitObserver) -> Result<FittedDensity> {
        let (density, report, status) = match self {
            Self::Stack(options) => {
                let stack = options.fit(table, seed).run(table, observer)?;
                return Ok(FittedDensity::Stack(Box::new(stack)));
            }
            Self::Paper(preset) => {
                let (psd, report) = preset.fit(table, seed)?;
                let (mu, eta, rounds, kept) = (report.mu, report.eta, report.rounds.len(), report.kept);
                let paper = KernelReport::Paper { mu, eta, rounds, kept };
                (KernelDensity::new(psd, 0.0)?, paper, report.status)
            }
            Self::Theory(preset) => {
                let (fitted, report) = preset.fit(table, seed)?;
                let density = KernelDensity::new(fitted.psd, report.schedule.nu)?;
                (density, KernelReport::Theory(report.schedule), report.status)
            }
        };
        Ok(FittedDensity::Kernel {
            density: Box::new(density),
            report,
            converged: status == Status::Converged,
        })
    }
}
