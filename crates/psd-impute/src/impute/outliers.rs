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
    /// The score of every row among the rows `drawn` from the model by [`new_rows`](Self::new_rows). A row's score depends on the row
    /// and on those alone.
    ///
    /// The drawn rows keep bounds and ties, as the table's do; the density that ranks them is the one without.
    pub fn outlier_scores(&self, table: &Table, drawn: &Table) -> Result<Vec<RowScore>> {
        for table in [table, drawn] {
            self.scaler.check(table)?;
            self.limits.check(table)?;
        }
        let (table, drawn) = (self.scaler.standardise(table), self.scaler.standardise(drawn));
        let mut out = vec![RowScore { log_density: 0.0, share: 1.0 }; table.len()];
        let groups = table.groups();
        let parts = groups.par_iter().map(|group| self.score(&table, &group.pattern, &group.rows, &drawn));
        for (group, scores) in groups.iter().zip(parts.collect::<Result<Vec<_>>>()?) {
            group.rows.iter().zip(scores).for_each(|(&i, score)| out[i] = score);
        }
        Ok(out)
    }

    /// The scores of some rows of one pattern; the tables are standardised.
    fn score(
        &self,
        table: &Table,
        pattern: &Pattern,
        rows: &[usize],
        drawn: &Table,
    ) -> Result<Vec<RowScore>> {
        let masked = drawn.with_cells(Mat::from_fn(drawn.columns().len(), drawn.len(), |j, i| {
            if pattern.missing().binary_search(&j).is_ok() { f64::NAN } else { drawn.row(i)[j] }
        }))?;
        let mut others = self.density.log_marginals(&masked)?;
        others.sort_by(f64::total_cmp);
        let given = self.density.given(pattern)?;
        let continuous = |j: &&usize| *table.columns()[**j].kind() == Kind::Continuous;
        let scale: f64 =
            pattern.observed().iter().filter(continuous).map(|&j| self.scaler.scale(j).ln()).sum();
        let one = |&i: &usize| {
            let log = given.log_marginal(table.row(i));
            if log.is_nan() {
                return Err(Error::FarRow { row: i });
            }
            let below = others.partition_point(|&other| other <= log);
            let share = (1 + below) as f64 / (1 + others.len()) as f64;
            Ok(RowScore { log_density: log - scale, share })
        };
        rows.par_iter().map(one).collect()
    }
}
