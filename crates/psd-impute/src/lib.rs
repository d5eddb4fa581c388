//! Imputation of missing values that keeps the distribution of the data.
//!
//! A density is fitted to the observed cells of a table. Its marginals are closed-form for every set of observed columns, so that each row counts with
//! exactly what is known of it, and the fitted density gives conditional means, exact draws for multiple imputation, quantiles and log-densities.
//!
//! ```
//! use psd_impute::{FitOptions, Model, Table};
//!
//! let nan = f64::NAN;
//! let rows = [[1.62, 61.0], [1.75, nan], [1.81, 83.0], [nan, 72.0], [1.70, 69.0], [1.66, 58.0], [1.78, 77.0]];
//! let table = Table::continuous(&["height", "weight"], &rows)?;
//! let model = Model::fit(&table, &FitOptions::default())?;
//!
//! let completed = model.draw(&table, 1)?; // one table, its distribution kept
//! let means = model.mean(&table)?; // the best guess cell by cell
//! let five = model.imputations(5, 1)?.tables(&table)?; // proper multiple imputation, to be pooled
//! assert!(completed.rows().chain(means.rows()).flatten().all(|cell| cell.is_finite()));
//! assert_eq!(five.len(), 5);
//! # Ok::<(), psd_impute::Error>(())
//! ```
//!
//! For users: [`Table`], [`Model`] and its [`FitOptions`], [`Limits`], [`Imputations`](model::Imputations), and
//! [`Imputer`](impute::Imputer) for summaries of cells, scores and new rows.
//!
//! For researchers: [`density`] (marginals, conditionals and draws of any [`Density`](density::Density)), [`learn`] (kernel densities, mixtures and
//! donors, one module each), [`stack`] (members weighed by cross-validation) and [`solver`].

#![deny(clippy::print_stdout, clippy::print_stderr)]

pub mod density;
mod error;
pub mod impute;
mod kernel;
pub mod learn;
mod linalg;
pub mod model;
mod objective;
pub mod solver;
pub mod stack;
pub mod table;

pub use error::{Error, ModelFileError, Result};
pub use impute::Limits;
pub use model::{FitOptions, Model, Recipe, StackOptions};
pub use table::{Column, Table};

/// Open to the tests, benchmarks and examples of this crate only. It is not part of the interface and may change at any time.
#[doc(hidden)]
pub mod internals {
    pub use crate::density::warped::Warped;
    pub use crate::learn::imputed_copy::imputed_copy;
    pub use crate::solver::step::{NewtonStep, newton_step_at};
    pub use crate::table::warps::{Warp, Warps};

    /// Features of kernel densities.
    pub mod kernel {
        pub use crate::kernel::*;
    }

    /// Linear algebra.
    pub mod linalg {
        pub use crate::linalg::*;
    }

    /// The penalised likelihood.
    pub mod objective {
        pub use crate::objective::*;
    }
}
