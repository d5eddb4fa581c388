//! Mechanisms of missingness: those of Muzellec, Josse, Boyer and Cuturi, *Missing Data Imputation using Optimal Transport* (2020),
//! as in their public code.
//!
//! A mechanism gives every cell a **probability** of being masked; then each observed cell is masked by an independent draw. The
//! columns involved, their coefficients and the draws depend only on the seed and the table's shape, so that missingness of a cell
//! depends only on the mechanism's inputs.
//!
//! The **rate** is the share of missing cells in the columns that lose any. Under [`MAR`](Mechanism::MAR), where some columns stay
//! complete, the share over the whole table is smaller.
//!
//! Differences from that code: self-masking fits each intercept to its own column, not to the whole table; cells beyond the quantiles
//! are masked with a probability that attains the rate, not with the rate itself; and a row that lost everything gets one random cell
//! back.

mod draw;
mod inputs;
mod logistic;
mod quantile;

pub(crate) use inputs::normal;
pub use quantile::Tail;

use crate::error::{Error, Result, share};
use faer::Mat;
use inputs::Inputs;
use psd_impute::table::Table;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// A mechanism of missingness.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Mechanism {
    /// Completely at random: every cell with the same probability.
    Mcar,
    /// At random: some columns stay complete, and cells of the others are missing by logistic models of these.
    Mar {
        /// The share of columns that stay complete, rounded down, but at least one.
        observed: f64,
    },
    /// Not at random: as `Mar`, but the input columns of the models lose cells too, completely at random.
    MnarLogistic {
        /// The share of input columns of the models, rounded down, but at least one.
        inputs: f64,
    },
    /// Not at random: a cell is missing by a logistic model of the cell itself.
    MnarSelf,
    /// Not at random: in some columns of numbers, cells beyond a quantile are missing. Categories have no quantiles and stay complete.
    MnarQuantile {
        /// The share of columns that lose cells, rounded down, but at least one.
        columns: f64,
        /// The share of a column's cells in each tail.
        quantile: f64,
        /// The tails that lose cells.
        tail: Tail,
    },
}

impl Mechanism {
    /// `Mar` with 30 % of the columns complete.
    pub const MAR: Self = Self::Mar { observed: 0.3 };
    /// `MnarLogistic` with 30 % of the columns as inputs.
    pub const MNAR_LOGISTIC: Self = Self::MnarLogistic { inputs: 0.3 };
    /// `MnarQuantile` on the lower and the upper quarter of 70 % of the columns.
    pub const MNAR_QUANTILE: Self = Self::MnarQuantile { columns: 0.7, quantile: 0.25, tail: Tail::Both };

    /// The table with cells masked; cells that were missing stay missing.
    ///
    /// # Errors
    ///
    /// [`Error::BadParameter`] for a rate or share out of range, [`Error::TooFewColumns`] and [`Error::ThinTails`] for a table that the
    /// mechanism cannot be applied to.
    pub fn ampute(&self, table: &Table, rate: f64, seed: u64) -> Result<Table> {
        let rng = &mut ChaCha8Rng::seed_from_u64(seed);
        let probabilities = self.probabilities(table, rate, rng)?;
        draw::take_away(table, &probabilities, rng)
    }

    /// The probability of masking each cell, in the shape of the table's cells.
    fn probabilities(&self, table: &Table, rate: f64, rng: &mut impl Rng) -> Result<Mat<f64>> {
        share("the rate", rate)?;
        let d = table.columns().len();
        match *self {
            Self::Mcar => Ok(Mat::full(d, table.len(), rate)),
            Self::Mar { observed } => models_of_some(table, rate, observed, 0.0, rng),
            Self::MnarLogistic { inputs } => models_of_some(table, rate, inputs, rate, rng),
            Self::MnarSelf => {
                let inputs = Inputs::of(table)?;
                let mut out = Mat::zeros(d, table.len());
                for j in 0..d {
                    logistic::fill(&mut out, table, j, &inputs.combination(&[j], rng), rate);
                }
                Ok(out)
            }
            Self::MnarQuantile { columns, quantile, tail } => {
                quantile::probabilities(table, rate, columns, (quantile, tail), rng)
            }
        }
    }
}

/// Some columns are inputs and missing with the probability `of_inputs`; the others are missing by logistic models of these.
fn models_of_some(
    table: &Table,
    rate: f64,
    looked_at: f64,
    of_inputs: f64,
    rng: &mut impl Rng,
) -> Result<Mat<f64>> {
    share("the share of columns", looked_at)?;
    let d = table.columns().len();
    if d < 2 {
        return Err(Error::TooFewColumns { what: "columns", needed: 2, found: d });
    }
    let chosen = draw::choose(d, looked_at, rng);
    let inputs = Inputs::of(table)?;
    let mut out = Mat::full(d, table.len(), of_inputs);
    for j in (0..d).filter(|j| !chosen.contains(j)) {
        logistic::fill(&mut out, table, j, &inputs.combination(&chosen, rng), rate);
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn log_odds_have_unit_variance() {
        let row = |i: i32| [f64::from(i * i % 101), f64::from(i % 7), f64::from(i).sqrt(), f64::from(i % 5)];
        let rows: Vec<[f64; 4]> = (0..300).map(row).collect();
        let table = Table::continuous(&["a", "b", "c", "d"], &rows).unwrap();
        for (mechanism, models) in
            [(Mechanism::MAR, 3), (Mechanism::MNAR_LOGISTIC, 3), (Mechanism::MnarSelf, 4)]
        {
            let rng = &mut ChaCha8Rng::seed_from_u64(2);
            let p = mechanism.probabilities(&table, 0.4, rng).unwrap();
            let moments = |j: usize| {
                let odds: Vec<f64> = p.row(j).iter().map(|p| (p / (1.0 - p)).ln()).collect();
                let mean = odds.iter().sum::<f64>() / 300.0;
                odds.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 300.0
            };
            let found = (0..4).filter(|&j| (moments(j) - 1.0).abs() < 1e-10).count();
            assert_eq!(found, models, "{mechanism:?}");
        }
    }
}
