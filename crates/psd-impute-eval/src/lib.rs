//! Masks cells of tables, and scores how well they are imputed.
//!
//! - [`ampute`]: mechanisms of missingness;
//! - [`imputers`]: one interface for imputation methods, ours and those it is compared with;
//! - [`lab`]: comparisons over tables, mechanisms, rates and seeds;
//! - [`metrics`]: distances of completed tables from the truth;
//! - [`toys`]: the paper's shapes with noise.
//!
//! The engine does not depend on this crate.
//!
//! ```
//! use psd_impute::table::Table;
//! use psd_impute_eval::{ampute::Mechanism, metrics::Evaluation};
//!
//! let rows: Vec<[f64; 2]> = (0..50).map(|i| [f64::from(i), f64::from(i % 7)]).collect();
//! let truth = Table::continuous(&["a", "b"], &rows)?;
//! let masked = Mechanism::MAR.ampute(&truth, 0.3, 1)?;
//! let scores = Evaluation::new(&truth, &masked)?.score(0, &truth)?;
//! assert_eq!((scores.ed, scores.rmse), (0.0, Some(0.0)));
//! # Ok::<(), psd_impute_eval::Error>(())
//! ```

#![deny(clippy::print_stdout, clippy::print_stderr)]

pub mod ampute;
mod error;
pub mod imputers;
pub mod lab;
mod linalg;
pub mod metrics;
mod scale;
pub mod toys;

pub use error::{Error, Result};
pub use scale::free_columns;
