//! Choosing anchors and fitting a density to a table.

mod anchors;
mod fit;
mod imputed_copy;
mod kmeans;

pub use anchors::AnchorChoice;
pub use fit::{Fitted, PsdFit, Reference};
pub use imputed_copy::imputed_copy;
