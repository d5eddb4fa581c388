//! How unusual a row is.
//!
//! The log-density of a row's observed cells cannot be compared with that of a row with other cells: every cell adds its own scale.
//! Comparable is its rank among rows of the model with the same cells observed. With `y_1 … y_m` drawn from the model and `S` the
//! row's observed columns,
//!
//! ```text
//! t_k = log p(y_k,S)        t = log p(x_S)        share = (1 + #{k : t_k ≤ t}) / (1 + m)
//! ```
//!
//! is a Monte-Carlo p-value: if the row comes from the model, the share is uniform on `1/(m+1), …, 1` but for ties, whatever `S`.
//! `1 - share` estimates the mass of the model's highest-density region in those cells that ends at the row.

use super::imputer::Imputer;
use crate::table::{Kind, Pattern, Table};
use crate::{Error, Result};
use faer::Mat;
use rayon::prelude::*;

/// How a row compares with the model's.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RowScore {
    /// The log-density of the observed cells, in the table's units; see [`density`](crate::density) for the base measure.
    pub log_density: f64,
    /// The share of the model's rows, the row itself counted among them, with no higher density in the same cells: small for an
    /// outlier, never zero, 1 for a row without cells.
    pub share: f64,
}

impl Imputer<'_> {
    /// The log-density of every row's observed cells, in the table's units; zero for a row without cells.
    pub fn log_densities(&self, table: &Table) -> Result<Vec<f64>> {
        self.scaler.check(table)?;
        let table = self.scaler.standardise(table);
        let logs = self.density.log_marginals(&table)?;
        let continuous: Vec<usize> =
            (0..table.columns().len()).filter(|&j| *table.columns()[j].kind() == Kind::Continuous).collect();
        let one = |(i, log): (usize, f64)| {
            if log.is_nan() {
                return Err(Error::FarRow { row: i });
            }
            let observed = continuous.iter().filter(|&&j| !table.row(i)[j].is_nan());
            Ok(log - observed.map(|&j| self.scaler.scale(j).ln()).sum::<f64>())
        };
        logs.into_iter().enumerate().map(one).collect()
    }

    /// The score of every row among the rows `drawn` from the model by [`new_rows`](Self::new_rows). A row's score depends on the row
    /// and on those alone.
    ///
    /// The drawn rows keep bounds and ties, as the table's do; the density that ranks them is the one without.
    pub fn outlier_scores(&self, table: &Table, drawn: &Table) -> Result<Vec<RowScore>> {
        for table in [table, drawn] {
            self.limits.check(table)?;
        }
        let logs = self.log_densities(table)?;
        let groups = table.groups();
        let parts = groups.par_iter().map(|group| {
            let mut others = self.log_densities(&masked(drawn, &group.pattern)?)?;
            others.sort_by(f64::total_cmp);
            Ok(others)
        });
        let mut out = vec![RowScore { log_density: 0.0, share: 1.0 }; table.len()];
        for (group, others) in groups.iter().zip(parts.collect::<Result<Vec<_>>>()?) {
            for &i in &group.rows {
                let below = others.partition_point(|&other| other <= logs[i]);
                let share = (1 + below) as f64 / (1 + others.len()) as f64;
                out[i] = RowScore { log_density: logs[i], share };
            }
        }
        Ok(out)
    }
}

/// The rows with the cells of a pattern alone.
fn masked(drawn: &Table, pattern: &Pattern) -> Result<Table> {
    drawn.with_cells(Mat::from_fn(drawn.columns().len(), drawn.len(), |j, i| {
        if pattern.missing().binary_search(&j).is_ok() { f64::NAN } else { drawn.row(i)[j] }
    }))
}
