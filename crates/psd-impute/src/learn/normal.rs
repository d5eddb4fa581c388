//! The normal model of an incomplete table: the mixture with one component, its ridge chosen by held-out likelihood.

use super::mixture::{EmParams, EmReport, Mixture, MixturePrior};
use crate::Result;
use crate::density::Density;
use crate::table::{Kind, Table};
use faer::Mat;
use rayon::prelude::*;
use std::sync::Arc;

/// Ridges tried, in shares of the table's rows; the columns are standardised.
const RIDGES: [f64; 6] = [5e-4, 2e-3, 1e-2, 3e-2, 0.1, 0.3];

/// The normal model with a given ridge: the covariance is pulled to the identity with the weight of `ridge · n` rows.
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

/// The prior that a ridge stands for.
pub(super) fn normal_prior(table: &Table, ridge: f64) -> MixturePrior {
    let g = table.columns().iter().filter(|c| *c.kind() == Kind::Continuous).count();
    MixturePrior { scale: Mat::identity(g, g), strength: ridge * table.len() as f64 }
}

/// The ridge with the best likelihood of a fifth of the rows, fitted to the others.
pub fn choose_ridge(table: &Table) -> Result<f64> {
    let (test, train): (Vec<usize>, Vec<usize>) = (0..table.len()).partition(|i| i % 5 == 0);
    if train.is_empty() || test.is_empty() {
        return Ok(RIDGES[RIDGES.len() - 1]);
    }
    let (test, train) = (table.select(&test)?, table.select(&train)?);
    let params = EmParams { tolerance: 1e-3, max_iterations: 50 };
    let scores = RIDGES
        .par_iter()
        .map(|&ridge| {
            let normal = fit_normal(&train, None, ridge, params)?.0.density(&train, None, &Arc::default())?;
            Ok(normal.log_marginals(&test)?.iter().sum())
        })
        .collect::<Result<Vec<f64>>>()?;
    let best = (0..RIDGES.len()).max_by(|&a, &b| scores[a].total_cmp(&scores[b])).unwrap_or(0);
    Ok(RIDGES[best])
}

/// Column means, or first atoms, where cells are missing: a start for EM.
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
