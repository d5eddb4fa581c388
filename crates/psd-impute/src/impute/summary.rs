//! Summaries of the predictive distribution of each missing cell.

use super::imputer::Imputer;
use crate::Result;
use crate::density::most_probable;
use crate::table::Table;

/// The distribution of one missing cell, in the table's units.
#[derive(Debug, Clone, PartialEq)]
pub struct CellSummary {
    /// The row, counted from zero.
    pub row: usize,
    /// The column, counted from zero.
    pub column: usize,
    /// Summary of a number; `None` for a category.
    pub numbers: Option<Numbers>,
    /// Summary of a discrete cell; `None` for a continuous one.
    pub values: Option<Values>,
}

/// The distribution of a missing number. In a column with repeated values median and quantiles are observed values, and the mean lies
/// between the smallest and the largest of them; the deviation is that of the unrounded distribution, but none that values with this mean cannot have.
#[derive(Debug, Clone, PartialEq)]
pub struct Numbers {
    /// The mean.
    pub mean: f64,
    /// The standard deviation.
    pub deviation: f64,
    /// The median.
    pub median: f64,
    /// Quantiles at the requested probabilities, in the same order.
    pub quantiles: Vec<f64>,
}

/// The distribution of a missing discrete cell.
#[derive(Debug, Clone, PartialEq)]
pub struct Values {
    /// Each value within the column's bounds and its probability.
    pub probabilities: Vec<(f64, f64)>,
    /// The most probable value; the first if there are ties.
    pub mode: f64,
}

impl Imputer<'_> {
    /// Summarises every missing cell, by row, then by column, with quantiles at the given probabilities, each above 0 and below 1. The
    /// interval at level `p` has its ends at the quantiles `(1-p)/2` and `(1+p)/2`.
    ///
    /// # Errors
    ///
    /// [`Error::BadParameter`](crate::Error::BadParameter) for a probability out of range, and as for [`independent_draws`](Self::independent_draws).
    pub fn summaries(&self, table: &Table, probabilities: &[f64]) -> Result<Vec<CellSummary>> {
        let mut rows = self.map(&self.standardise(table)?, |row, conditional| {
            self.each(table, conditional, |column, cell| {
                let values = cell
                    .probabilities()?
                    .map(|probabilities| Values { mode: most_probable(&probabilities), probabilities });
                if conditional.has_labels(column) {
                    return Ok(CellSummary { row, column, numbers: None, values });
                }
                let (mean, deviation) = cell.moments()?;
                let mean = self.ties.clamp(column, mean);
                let deviation = self.ties.possible_deviation(column, mean, deviation);
                let quantile = |p: f64| Ok(self.ties.recorded(column, cell.quantile(p)?));
                let numbers = Numbers {
                    mean,
                    deviation,
                    median: quantile(0.5)?,
                    quantiles: probabilities.iter().map(|&p| quantile(p)).collect::<Result<_>>()?,
                };
                Ok(CellSummary { row, column, numbers: Some(numbers), values })
            })
        })?;
        rows.sort_by_key(|(i, _)| *i);
        Ok(rows.into_iter().flat_map(|(_, cells)| cells).collect())
    }
}
