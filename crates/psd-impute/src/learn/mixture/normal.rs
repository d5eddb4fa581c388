//! The normal model of an incomplete table: a mixture of one component, with a ridge chosen by held-out likelihood.

use super::{EmParams, EmReport, Mixture, MixturePrior};
use crate::Result;
use crate::density::Density;
use crate::learn::folds::{folds, split};
use crate::learn::selection::plainest;
use crate::table::{Kind, Table};
use faer::Mat;
use rayon::prelude::*;
use std::sync::Arc;

/// Ridges tried, in fractions of the number of rows, for standardised columns. Arbitrary.
const RIDGES: [f64; 6] = [5e-4, 2e-3, 1e-2, 3e-2, 0.1, 0.3];

/// The normal model with a given ridge: the covariance is shrunk towards the identity with the weight of `ridge · n` rows.
///
/// # Errors
///
/// As for [`Mixture::fit`].
pub fn fit_normal(
    table: &Table,
    weights: Option<&[f64]>,
    ridge: f64,
    params: EmParams,
) -> Result<(Mixture, EmReport)> {
    let prior = normal_prior(table, ridge);
    let start = typical_cells(table);
    Mixture::fit(table, weights, start.as_ref(), &vec![0; table.len()], &prior, params)
}

/// The prior that corresponds to a ridge.
pub(crate) fn normal_prior(table: &Table, ridge: f64) -> MixturePrior {
    let g = table.columns().iter().filter(|c| *c.kind() == Kind::Continuous).count();
    MixturePrior { scale: Mat::identity(g, g), strength: ridge * table.len() as f64 }
}

/// The smallest ridge whose held-out likelihood cannot be told from the best, but at least the weight of one row. A ridge shrinks slopes
/// towards zero, so more of it than the data need costs coverage of estimates from completed tables.
/// Rows should be in random order: row `i` is in fold `i` modulo the number of folds.
///
/// # Errors
///
/// As for [`Mixture::fit`].
pub fn choose_ridge(table: &Table) -> Result<f64> {
    let folds = folds(table);
    if folds < 2 {
        return Ok(RIDGES[RIDGES.len() - 1]);
    }
    let params = EmParams { tolerance: 1e-3, max_iterations: 50 };
    let held_out = |ridge: f64, fold: usize| {
        let (test, train) = split(table.len(), fold, folds);
        let train = table.select(&train)?;
        let normal = fit_normal(&train, None, ridge, params)?.0;
        normal.density(&train, None, &Arc::default())?.log_marginals(&table.select(&test)?)
    };
    let logs = RIDGES
        .par_iter()
        .map(|&ridge| {
            Ok((0..folds)
                .into_par_iter()
                .map(|fold| held_out(ridge, fold))
                .collect::<Result<Vec<_>>>()?
                .concat())
        })
        .collect::<Result<Vec<Vec<f64>>>>()?;
    let least = plainest(RIDGES.len(), table.len(), |ridge, row| -logs[ridge][row]);
    Ok(RIDGES[least].max(1.0 / table.len() as f64))
}

/// Cells with missing ones at the column's mean or first atom: a start for EM.
fn typical_cells(table: &Table) -> Mat<f64> {
    let mut cells = table.cells().to_owned();
    for (j, column) in table.columns().iter().enumerate() {
        let fill = match column.kind() {
            Kind::Continuous => {
                let seen: Vec<f64> = table.observed(j).collect();
                seen.iter().sum::<f64>() / seen.len().max(1) as f64
            }
            kind => kind.atoms()[0],
        };
        cells.row_mut(j).iter_mut().filter(|x| x.is_nan()).for_each(|x| *x = fill);
    }
    cells
}
