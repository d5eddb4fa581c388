//! Scores that say how unusual a row is.
//!
//! Log-densities of rows with different observed cells cannot be compared: every cell contributes its own scale. The rank of a row's
//! log-density among the model's rows with the same cells observed can. With `y_1 … y_m` drawn from the model and `S` the row's observed
//! columns,
//!
//! ```text
//! t_k = log p(y_k,S)        t = log p(x_S)        share = (1 + #{k : t_k ≤ t}) / (1 + m)
//! ```
//!
//! is a Monte-Carlo p-value: if the row comes from the model and there are no ties, the share is uniform on `1/(m+1), …, 1`, whatever `S`.
//! `1 - share` estimates the mass of the model's highest-density region for those cells whose boundary contains the row.

use super::imputer::Imputer;
use crate::table::{Kind, Pattern, Table};
use crate::{Error, Result};
use faer::Mat;
use rayon::prelude::*;

/// Comparison of a row with rows drawn from the model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RowScore {
    /// Log-density of the observed cells, in the table's units; see [`density`](crate::density) for the base measure.
    pub log_density: f64,
    /// The share of the model's rows, including the row itself, whose density in the same cells is no higher: small for an outlier, never zero,
    /// 1 for a row without observed cells.
    pub share: f64,
}

impl Imputer<'_> {
    /// Log-density of every row's observed cells, in the table's units; zero for a row without observed cells.
    ///
    /// # Errors
    ///
    /// [`Error::Shape`] for another number of columns, [`Error::FarRow`] for a row whose density is not a number.
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

    /// Scores every row against the rows `drawn` from the model by [`new_rows`](Self::new_rows). A row's score depends only on the row and on
    /// those rows.
    ///
    /// The drawn rows respect bounds and repeated values, like the table; the density that ranks them does not.
    ///
    /// # Errors
    ///
    /// [`Error::BadCell`] for an observed cell outside the limits, and as for [`log_densities`](Self::log_densities).
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

/// The rows with only the observed cells of a pattern.
fn masked(drawn: &Table, pattern: &Pattern) -> Result<Table> {
    drawn.with_cells(Mat::from_fn(drawn.columns().len(), drawn.len(), |j, i| {
        if pattern.missing().binary_search(&j).is_ok() { f64::NAN } else { drawn.row(i)[j] }
    }))
}
