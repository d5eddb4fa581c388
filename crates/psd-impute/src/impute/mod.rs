//! Completing tables, and other results of a fitted density for a table's rows.
//!
//! An [`Imputer`] holds a density, the scaler of its tables, their repeated values and their bounds.
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
//! let drawn = imputer.independent_draws(&table, 1, 1)?;
//! assert!(drawn.row(1)[1] >= 0.0);
//! # Ok::<(), psd_impute::Error>(())
//! ```

mod balance;
mod cell;
mod draw;
mod imputer;
mod limits;
mod new_rows;
mod outliers;
mod shape;
mod summary;
mod ties;

pub(crate) use balance::{Balance, Drawn, Draws};
pub use imputer::Imputer;
pub use limits::Limits;
pub use outliers::RowScore;
pub use shape::CellShape;
pub use summary::{CellSummary, Numbers, Values};
pub use ties::Ties;
