//! One contract for everything that completes tables, ours and the ones it is compared with.
//!
//! An [`Imputer`] is a way with its settings; fitted to a table with gaps it completes that table or others with the same columns, any
//! number of times. Every one of them leaves observed cells as they are, bit for bit, fills every gap with a finite number or says that it
//! cannot (of [`External`] programs, a gap that they leave empty stays a gap, to be counted and not scored), copes with
//! patterns of missing cells that it has not seen, and gives the same tables for the same seed on any number of threads.
//!
//! What is filled in may be any number, also in columns of few values, but for categories, which only [`Mean`] and [`Psd`] take.

mod cells;
mod chain;
mod external;
mod gaussian;
mod ice;
mod in_sample;
mod knn;
mod mean;
mod pmm;
mod psd;
mod sinkhorn;
mod soft_impute;

pub use external::External;
pub use gaussian::Gaussian;
pub use ice::{Ice, IceMultiple};
pub use knn::Knn;
pub use mean::Mean;
pub use pmm::Pmm;
pub use psd::{FittedPsd, Psd, Value};
pub use sinkhorn::{Blur, Divergence, Sinkhorn, sinkhorn_divergence};
pub use soft_impute::SoftImpute;

use crate::Result;
use psd_impute::table::Table;

/// A way to complete tables.
pub trait Imputer: Send + Sync {
    /// Learns from a table with gaps, in each column of which a cell is observed.
    fn fit(&self, table: &Table, seed: u64) -> Result<Box<dyn Fitted>>;
}

/// What was learned from a table.
pub trait Fitted: Send + Sync {
    /// Completes a table with the columns of the fitted one. The number of the imputation counts from one; where nothing is drawn, all
    /// imputations are the same.
    fn complete(&self, table: &Table, imputation: u64) -> Result<Table>;

    /// What a reader of its scores must know of how the last table was completed, such as settings other than the defaults.
    fn note(&self) -> Option<String> {
        None
    }
}
