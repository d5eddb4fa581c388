//! Fitting one density to a table: one folder per kind of density, none of which knows another, and the files they share.

pub mod donors;
pub(crate) mod folds;
pub mod forest;
mod imputed_copy;
pub(crate) mod kmeans;
pub mod mixture;
pub mod psd;
pub(crate) mod selection;

pub use imputed_copy::imputed_copy;
pub(crate) use imputed_copy::mean_copy;
