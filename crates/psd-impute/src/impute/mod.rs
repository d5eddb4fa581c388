//! Completing tables, and what else a fitted density says of a table's rows.
//!
//! An [`Imputer`] holds a density, the scaler of its tables, their ties and their bounds. The functions here are its short cuts for
//! tables without bounds.
//!
//! ```
//! use psd_impute::{density::PsdDensity, impute::{Imputer, Limits, Ties}, table::Table};
//!
//! let table = Table::continuous(&["age", "income"], &[[31.0, 40.0], [52.0, f64::NAN], [45.0, 70.0]])?;
//! let (_, scaler) = table.standardise();
//! let correlation = faer::Mat::from_fn(2, 2, |i, j| if i == j { 1.0 } else { 0.6 });
//! let density = PsdDensity::normal(&table, &[0.0, 0.0], correlation.as_ref())?;
//! let limits = Limits::new(table.columns(), &[(None, None), (Some(0.0), None)])?;
//! let imputer = Imputer::new(&density, &scaler, &Ties::of(&table), limits)?;
//!
//! let cells = imputer.summaries(&table, &[0.05, 0.95])?;
//! assert_eq!((cells[0].row, cells[0].column), (1, 1));
//! let income = cells[0].numbers.as_ref().expect("a number");
//! assert!(0.0 < income.quantiles[0] && income.quantiles[0] < income.median);
//! let drawn = imputer.complete_with_draws(&table, 1, 1)?;
//! assert!(drawn.row(1)[1] >= 0.0);
//! # Ok::<(), psd_impute::Error>(())
//! ```

mod cell;
mod closest;
mod draw;
mod imputer;
mod limits;
mod new_rows;
mod outliers;
mod summary;
mod ties;

pub use imputer::Imputer;
pub use limits::Limits;
pub use outliers::RowScore;
pub use summary::{CellSummary, Numbers, Values};
pub use ties::Ties;

use crate::Result;
use crate::density::Density;
use crate::table::{Scaler, Table};

/// [`Imputer::complete_with_means`] without bounds.
pub fn complete_with_means(density: &dyn Density, table: &Table, scaler: &Scaler) -> Result<Table> {
    let columns = density.columns();
    Imputer::new(density, scaler, &Ties::none(columns), Limits::none(columns))?.complete_with_means(table)
}

/// [`Imputer::complete_with_draws`] without bounds.
pub fn complete_with_draws(
    density: &dyn Density,
    table: &Table,
    scaler: &Scaler,
    ties: &Ties,
    seed: u64,
    imputation: u64,
) -> Result<Table> {
    let limits = Limits::none(density.columns());
    Imputer::new(density, scaler, ties, limits)?.complete_with_draws(table, seed, imputation)
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
        let done = complete_with_means(&normal, &table, &scaler).unwrap();
        assert_eq!(done.row(1), table.row(1));
        assert_eq!(done.row(0)[0], 1.0);
        assert!((done.row(0)[1] - scaler.undo(1, 0.5 * scaler.apply(0, 1.0))).abs() < 1e-12);
        assert!((done.row(2)[0] - scaler.undo(0, 0.0)).abs() < 1e-12);
    }
}
