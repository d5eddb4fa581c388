//! Rows that were never seen.

use super::imputer::Imputer;
use crate::Result;
use crate::table::{Column, Table};
use faer::Mat;

/// Its own stream of random numbers, so that new rows are not the draws of an imputation for rows without cells.
const STREAM: u64 = u64::MAX;

impl Imputer<'_> {
    /// So many new rows from the density, in the units of tables with these columns. Columns with ties hold observed values and
    /// bounds are kept, as in [`draw_rows`](Self::draw_rows). Row `i` depends on the seed and `i` alone.
    pub fn new_rows(&self, columns: &[Column], count: usize, seed: u64) -> Result<Table> {
        let nothing = Mat::from_fn(columns.len(), count, |_, _| f64::NAN);
        self.draw_rows(&Table::new(columns.to_vec(), nothing)?, seed, STREAM)
    }
}
