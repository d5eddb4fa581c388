//! Fitting one density to a table: one folder per kind of density, none of which knows another, and the files they share.

pub mod donors;
pub(crate) mod folds;
pub(crate) mod forest;
pub(crate) mod imputed_copy;
pub(crate) mod kmeans;
pub mod mixture;
pub mod psd;
mod row_distance;
pub(crate) mod selection;

pub(crate) use imputed_copy::{imputed_copy, mean_copy};
