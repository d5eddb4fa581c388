//! Positive semi-definite kernel densities on incomplete tables.
//!
//! A density `p(x) = φ(x)' Q φ(x)` is fitted to the observed cells of a table by convex maximum likelihood. Its
//! marginals are closed-form for every set of observed columns, so that each row enters with exactly what is known of
//! it, and the fitted density gives log-densities, conditional means, quantiles and exact draws for what is not.
//!
//! The rooms, each of which uses only those before it:
//!
//! - [`linalg`]: symmetric coordinates, Cholesky factors, bounded conjugate gradients;
//! - [`table`]: columns, missing cells, rows grouped by pattern, standardisation;
//! - [`kernel`]: anchors and their features, for every pattern of observed columns;
//! - [`density`]: densities on rows: marginals, conditionals, draws;
//! - [`objective`]: the penalised likelihood and its derivatives;
//! - [`solver`]: the interior-point Newton method;
//! - [`learn`]: choosing anchors and fitting a density to a table;
//! - [`impute`]: completing tables;
//! - [`model`]: what is left of a table when it has been fitted, and its file.
//!
//! ```
//! use psd_impute::{density::Density, learn::{AnchorChoice, PsdFit}, table::Table};
//! use rand::SeedableRng;
//!
//! let nan = f64::NAN;
//! let table = Table::continuous(
//!     &["height", "weight"],
//!     &[[1.62, 61.0], [1.75, nan], [1.81, 83.0], [nan, 72.0], [1.70, 69.0]],
//! )?;
//! let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(0);
//! let (standardised, scaler) = table.standardise();
//! let anchors = AnchorChoice::KMeans { count: 2, steps: 20 }.pick(&standardised, &mut rng)?;
//! let fit = PsdFit::default().run(&standardised, &anchors, &mut ())?;
//! let weight = fit.density.conditional(standardised.row(1))?.mean()[0];
//! assert!((50.0..100.0).contains(&scaler.undo(1, weight)));
//! # Ok::<(), psd_impute::Error>(())
//! ```

#![deny(clippy::print_stdout, clippy::print_stderr)]

pub mod density;
mod error;
pub mod impute;
pub mod kernel;
pub mod learn;
pub mod linalg;
pub mod model;
pub mod objective;
pub mod solver;
pub mod table;

pub use error::{Error, ModelFileError, Result};
