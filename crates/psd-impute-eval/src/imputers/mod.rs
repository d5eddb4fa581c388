//! One interface for all imputers, ours and those it is compared with.
//!
//! An [`Imputer`] is a method with its settings; fitted to an incomplete table it completes that table or others with the same columns, any
//! number of times. Every imputer leaves observed cells unchanged, bit for bit, fills every missing cell with a finite number or returns an
//! error (cells that [`External`] programs leave empty stay missing, and are counted and not scored), handles patterns of missing cells that
//! it has not seen, and gives the same tables for the same seed on any number of threads.
//!
//! Imputed numbers may be any, also in columns of few values. Only [`Mean`] and [`Psd`] accept categories.

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

/// A method of imputation with its settings.
pub trait Imputer: Send + Sync {
    /// Fits to an incomplete table with an observed cell in each column.
    ///
    /// # Errors
    ///
    /// If the method cannot be fitted to such a table.
    fn fit(&self, table: &Table, seed: u64) -> Result<Box<dyn Fitted>>;
}

/// A fitted imputer.
pub trait Fitted: Send + Sync {
    /// Completes a table with the columns of the fitted one. Imputations are numbered from one; without draws, all are the same.
    ///
    /// # Errors
    ///
    /// If the method cannot complete such a table.
    fn complete(&self, table: &Table, imputation: u64) -> Result<Table>;

    /// The first imputations of a table.
    ///
    /// # Errors
    ///
    /// As for [`complete`](Self::complete).
    fn completions(&self, table: &Table, count: u64) -> Result<Vec<Table>> {
        (1..=count).map(|k| self.complete(table, k)).collect()
    }

    /// A note about the last completed table for readers of its scores, such as settings other than the defaults.
    fn note(&self) -> Option<String> {
        None
    }
}
