//! The normal distribution of maximum likelihood of the observed cells: the engine's normal model alone, by expectation maximisation.

use super::cells::only_numbers;
use super::psd::Value;
use super::{Fitted, Imputer};
use crate::Result;
use crate::scale::free_columns;
use psd_impute::impute::{Imputer as Completer, Limits, Ties};
use psd_impute::learn::mixture::{EmParams, Mixture, choose_ridge, fit_normal};
use psd_impute::table::{RowKeys, Scaler, Table};
use rand::RngExt;
use rand_distr::Exp1;
use std::sync::Arc;

/// A normal distribution of all columns, with the ridge on its covariance that predicts best.
#[derive(Debug, Clone, Copy)]
pub struct Gaussian {
    /// The value that a missing cell gets. Draws of one imputation come from a fit of their own under weights of the Bayesian bootstrap.
    pub value: Value,
}

struct FittedGaussian {
    /// The standardised table, whose columns may hold any number.
    table: Table,
    scaler: Scaler,
    ridge: f64,
    value: Value,
    seed: u64,
}

impl Imputer for Gaussian {
    fn fit(&self, table: &Table, seed: u64) -> Result<Box<dyn Fitted>> {
        only_numbers(table)?;
        let free = Table::new(free_columns(table), table.cells().to_owned())?;
        let (table, scaler) = free.standardise();
        let ridge = choose_ridge(&table.select(&table.shuffled(table.len()))?)?;
        Ok(Box::new(FittedGaussian { table, scaler, ridge, value: self.value, seed }))
    }
}

impl Fitted for FittedGaussian {
    fn complete(&self, table: &Table, imputation: u64) -> Result<Table> {
        let weights = match self.value {
            Value::Mean => None,
            Value::Draw => Some(self.bootstrap(imputation)),
        };
        // A total gain over all rows that is negligible against chance.
        let params = EmParams { tolerance: 1e-4 / self.table.len() as f64, max_iterations: 1000 };
        let (normal, _): (Mixture, _) = fit_normal(&self.table, weights.as_deref(), self.ridge, params)?;
        let density = normal.density(&self.table, None, &Arc::default())?;
        let d = table.columns().len();
        let completer = Completer::new(&density, &self.scaler, &Ties::none(d), Limits::none(d))?;
        let free = Table::new(free_columns(table), table.cells().to_owned())?;
        Ok(match self.value {
            Value::Mean => completer.mean(&free)?,
            Value::Draw => completer.independent_draws(&free, self.seed, imputation)?,
        })
    }
}

impl FittedGaussian {
    /// Row weights of the Bayesian bootstrap.
    fn bootstrap(&self, imputation: u64) -> Vec<f64> {
        let keys = RowKeys::of(&self.table);
        let weight = |i: usize| keys.generator(i, self.seed, imputation).sample::<f64, _>(Exp1);
        (0..self.table.len()).map(weight).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// If only one column has missing cells, the maximum likelihood normal distribution regresses it on the other as complete rows do.
    #[test]
    fn means_lie_on_the_line_of_the_complete_rows_and_draws_around_it() {
        let noise = |i: usize| ((i * 7919 % 1009) as f64 / 1009.0 - 0.5) * 3.0;
        let row = |i: usize| {
            let x = (i * 613 % 2003) as f64 / 100.0;
            [x, if i.is_multiple_of(4) { f64::NAN } else { 5.0 + 2.0 * x + noise(i) }]
        };
        let rows: Vec<[f64; 2]> = (0..2003).map(row).collect();
        let table = Table::continuous(&["x", "y"], &rows).unwrap();
        let complete = |value| Gaussian { value }.fit(&table, 1).unwrap().complete(&table, 1).unwrap();
        let (means, draws) = (complete(Value::Mean), complete(Value::Draw));
        let gaps: Vec<usize> = (0..rows.len()).filter(|i| i.is_multiple_of(4)).collect();
        for &i in &gaps {
            assert!((means.row(i)[1] - 5.0 - 2.0 * rows[i][0]).abs() < 0.2, "{:?}", means.row(i));
        }
        let square = |&i: &usize| (draws.row(i)[1] - means.row(i)[1]).powi(2);
        let variance = gaps.iter().map(square).sum::<f64>() / gaps.len() as f64;
        assert!((variance / 0.75 - 1.0).abs() < 0.3, "{variance}");
    }
}
