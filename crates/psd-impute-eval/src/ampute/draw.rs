//! Draws of the columns involved and of the cells to mask.

use crate::Result;
use faer::Mat;
use psd_impute::table::Table;
use rand::{Rng, RngExt, seq};

/// A share of the positions below `of`, rounded down but at least one, increasing.
pub(super) fn choose(of: usize, share: f64, rng: &mut impl Rng) -> Vec<usize> {
    let count = ((share * of as f64) as usize).max(1);
    let mut chosen = seq::index::sample(rng, of, count).into_vec();
    chosen.sort_unstable();
    chosen
}

/// Masks each observed cell with its probability. A row that had an observed cell keeps one.
pub(super) fn take_away(table: &Table, probabilities: &Mat<f64>, rng: &mut impl Rng) -> Result<Table> {
    let mut cells = table.cells().to_owned();
    for (row, probabilities) in cells.col_iter_mut().zip(probabilities.col_iter()) {
        // Every cell has a draw, observed or not, so that draws do not shift.
        for (cell, probability) in row.iter_mut().zip(probabilities.iter()) {
            if rng.random::<f64>() < *probability {
                *cell = f64::NAN;
            }
        }
    }
    for (i, row) in table.rows().enumerate() {
        let had: Vec<usize> = (0..row.len()).filter(|&j| !row[j].is_nan()).collect();
        if !had.is_empty() && had.iter().all(|&j| cells[(j, i)].is_nan()) {
            let back = had[rng.random_range(0..had.len())];
            cells[(back, i)] = row[back];
        }
    }
    Ok(table.with_cells(cells)?)
}
