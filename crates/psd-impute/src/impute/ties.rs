//! Numeric columns with ties: draws land on observed values.
//!
//! The model's numbers are real, those of such a column are recorded: each stands for an interval. By default a number is recorded as the
//! observed value nearest to it. [`Ties::calibrated`] places the ends of the intervals where the recorded values come out as often as
//! they were observed. With `F` the model's distribution function of the column, the `n` rows should have `n F(b)` numbers below `b`, of which
//! the rows without the cell hold `Σ P(x ≤ b | row)`; the rest must be the cells observed up to the value that ends at `b`:
//!
//! ```text
//! n F(b_k) - Σ_{missing} P(x ≤ b_k | row) = #{observed ≤ v_k}
//! ```
//!
//! As the rows that miss the cell are counted apart, this holds wherever the model does, also when what is missing depends on what is
//! observed. Without it a normal component spreads an atom over its neighbours, and makes a rare value common.

use super::imputer::Imputer;
use super::limits::Limits;
use crate::Result;
use crate::density::Density;
use crate::table::{Kind, Scaler, Table};

/// Rows and draws that `Σ P(x ≤ b | row)` is taken from.
const ROWS: usize = 2000;
const DRAWS: u64 = 4;
/// Points between which `F` is linear.
const POINTS: usize = 600;

/// The observed values of the continuous columns in which most cells share their value with another.
#[derive(Debug, Clone)]
pub struct Ties {
    columns: Vec<Recorded>,
}

/// One column's values and where their intervals meet. Both increase; none in a column without ties.
#[derive(Debug, Clone, Default)]
struct Recorded {
    values: Vec<f64>,
    /// `ends[k]` lies between value `k` and the next.
    ends: Vec<f64>,
}

impl Ties {
    /// Finds the columns with ties.
    pub fn of(table: &Table) -> Self {
        let column = |j: usize| {
            let mut seen: Vec<f64> = table.observed(j).collect();
            let cells = seen.len();
            seen.sort_by(f64::total_cmp);
            seen.dedup();
            let tied = *table.columns()[j].kind() == Kind::Continuous && 2 * seen.len() <= cells;
            if tied { Recorded::halfway(seen) } else { Recorded::default() }
        };
        Self { columns: (0..table.columns().len()).map(column).collect() }
    }

    /// The same values with intervals that give each as often as it was observed, under a density on the table standardised by `scaler`.
    pub fn calibrated(&self, density: &dyn Density, table: &Table, scaler: &Scaler) -> Result<Self> {
        if self.columns.iter().all(|column| column.ends.is_empty()) {
            return Ok(self.clone());
        }
        let kept = table.len().min(ROWS);
        let some = table.select(&(0..kept).map(|k| k * table.len() / kept).collect::<Vec<_>>())?;
        let d = self.columns.len();
        let free = Imputer::new(density, scaler, &Self::none(d), Limits::none(d))?;
        let drawn = (0..DRAWS).map(|k| free.complete_with_draws(&some, 0, k)).collect::<Result<Vec<_>>>()?;
        let whole = density.conditional(&vec![f64::NAN; d])?;
        let mut columns = self.columns.clone();
        for (j, column) in columns.iter_mut().enumerate().filter(|(_, column)| !column.ends.is_empty()) {
            let gaps = (0..kept).filter(|&i| some.row(i)[j].is_nan());
            let mut guesses: Vec<f64> = gaps.flat_map(|i| drawn.iter().map(move |t| t.row(i)[j])).collect();
            guesses.sort_by(f64::total_cmp);
            let mut observed: Vec<f64> = some.observed(j).collect();
            observed.sort_by(f64::total_cmp);
            column.calibrate(&observed, &guesses, |x| whole.cdf(j, scaler.apply(j, x)))?;
        }
        Ok(Self { columns })
    }

    /// No ties in any of so many columns.
    pub fn none(columns: usize) -> Self {
        Self { columns: vec![Recorded::default(); columns] }
    }

    /// The number of columns.
    pub fn columns(&self) -> usize {
        self.columns.len()
    }

    /// Those within bounds. A column of which none is left has no ties.
    pub(super) fn between(&self, limits: &Limits) -> Self {
        let kept = |(j, column): (usize, &Recorded)| column.only(|v| limits.hold(j, v));
        Self { columns: self.columns.iter().enumerate().map(kept).collect() }
    }

    /// What `x` is recorded as in column `j`; `x` itself in a column without ties.
    pub fn recorded(&self, j: usize, x: f64) -> f64 {
        let Recorded { values, ends } = &self.columns[j];
        values.get(ends.partition_point(|&end| end < x)).copied().unwrap_or(x)
    }
}

impl Recorded {
    /// Intervals that meet halfway between the values.
    fn halfway(values: Vec<f64>) -> Self {
        let ends = values.windows(2).map(|pair| pair[0] + 0.5 * (pair[1] - pair[0])).collect();
        Self { values, ends }
    }

    /// The values for which `keep` holds; intervals of others go to their neighbours.
    fn only(&self, keep: impl Fn(f64) -> bool) -> Self {
        let kept: Vec<usize> = (0..self.values.len()).filter(|&k| keep(self.values[k])).collect();
        let meet = |pair: &[usize]| 0.5 * (self.ends[pair[0]] + self.ends[pair[1] - 1]);
        Self {
            values: kept.iter().map(|&k| self.values[k]).collect(),
            ends: kept.windows(2).map(meet).collect(),
        }
    }

    /// Moves the ends, from the sorted observed cells, sorted draws of the missing ones ([`DRAWS`] each) and `F`.
    fn calibrate(
        &mut self,
        observed: &[f64],
        guesses: &[f64],
        cdf: impl Fn(f64) -> Result<f64>,
    ) -> Result<()> {
        let (least, most) = (self.values[0], self.values[self.values.len() - 1]);
        let point = |p: usize| least + (most - least) * (2.0 * p as f64 / POINTS as f64 - 0.5);
        let n = observed.len() as f64 + guesses.len() as f64 / DRAWS as f64;
        let mut top = f64::NEG_INFINITY;
        // Counts of observed rows that the model has below each point, made increasing.
        let counts = (0..=POINTS)
            .map(|p| {
                let missing = guesses.partition_point(|&g| g <= point(p)) as f64 / DRAWS as f64;
                top = (n * cdf(point(p))? - missing).max(top);
                Ok(top)
            })
            .collect::<Result<Vec<f64>>>()?;
        for (k, end) in self.ends.iter_mut().enumerate() {
            let wanted = observed.partition_point(|&x| x <= self.values[k]) as f64;
            let at = counts.partition_point(|&c| c < wanted);
            *end = match at {
                0 => point(0),
                at if at > POINTS => point(POINTS),
                at => {
                    let share = (wanted - counts[at - 1]) / (counts[at] - counts[at - 1]);
                    point(at - 1) + share * (point(at) - point(at - 1))
                }
            };
        }
        Ok(())
    }
}
