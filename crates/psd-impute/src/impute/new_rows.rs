//! New rows, drawn from the density.

use super::imputer::Imputer;
use crate::Result;
use crate::table::{Column, Table};
use faer::Mat;

/// Imputation number reserved for new rows, so that they differ from the draws of rows without observed cells.
const STREAM: u64 = u64::MAX;

impl Imputer<'_> {
    /// Draws `count` new rows from the density, in the units of tables with these columns. Columns with repeated values hold observed values,
    /// and bounds are kept, as in [`independent_draws`](Self::independent_draws). Row `i` depends only on the seed and `i`.
    ///
    /// # Errors
    ///
    /// [`Error::EmptyTable`](crate::Error::EmptyTable) for no rows, [`Error::Shape`](crate::Error::Shape) for another number of columns.
    pub fn new_rows(&self, columns: &[Column], count: usize, seed: u64) -> Result<Table> {
        let nothing = Mat::from_fn(columns.len(), count, |_, _| f64::NAN);
        self.independent_draws(&Table::new(columns.to_vec(), nothing)?, seed, STREAM)
    }
}
