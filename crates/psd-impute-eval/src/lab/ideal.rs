//! The oracle of the paper's experiments (`psd_ideal`): the draw of a row closest to the truth, among several.
//!
//! It bounds the gain from choosing among draws, and shows that draws reach the truth. It is no imputation method, because it uses the truth.

use crate::Result;
use crate::imputers::Fitted;
use psd_impute::impute::Limits;
use psd_impute::model::Model;
use psd_impute::table::{Kind, Scaler, Table};
use std::sync::Arc;

/// A model and the truth.
pub(super) struct Ideal {
    pub(super) model: Arc<Model>,
    pub(super) truth: Table,
    /// The units of distances.
    pub(super) scaler: Scaler,
    /// The number of draws of each row, at least one.
    pub(super) draws: u64,
    pub(super) seed: u64,
}

impl Fitted for Ideal {
    fn complete(&self, table: &Table, _: u64) -> Result<Table> {
        let imputer = self.model.imputer(Limits::none(table.columns().len()))?;
        let first = imputer.independent_draws(table, self.seed, 1)?;
        (2..=self.draws).try_fold(first, |best, k| {
            closer(best, &imputer.independent_draws(table, self.seed, k)?, &self.truth, &self.scaler)
        })
    }
}

/// Each row from the one of two tables that is closer to the truth, or the first if equal.
fn closer(first: Table, second: &Table, truth: &Table, scaler: &Scaler) -> Result<Table> {
    let mut cells = first.cells().to_owned();
    for i in 0..first.len() {
        let distance = |table: &Table| squared_distance(table.row(i), truth.row(i), truth, scaler);
        if distance(second) < distance(&first) {
            cells.col_mut(i).iter_mut().zip(second.row(i)).for_each(|(to, from)| *to = *from);
        }
    }
    Ok(first.with_cells(cells)?)
}

/// The squared distance of a completed row to the truth, in standardised units; a wrong label counts one. Cells missing in the truth are left out.
fn squared_distance(row: &[f64], truth: &[f64], table: &Table, scaler: &Scaler) -> f64 {
    let square = |(j, (&x, &y)): (usize, (&f64, &f64))| match table.columns()[j].kind() {
        _ if y.is_nan() => 0.0,
        Kind::Category(_) => f64::from(u8::from(x != y)),
        _ => ((x - y) / scaler.scale(j)).powi(2),
    };
    row.iter().zip(truth).enumerate().map(square).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use psd_impute::FitOptions;

    #[test]
    fn the_closest_draw_is_one_of_the_draws_and_none_is_closer() -> Result<()> {
        let wave = |i: usize, f: f64| (i as f64 * f).sin();
        let rows: Vec<[f64; 2]> = (0..60).map(|i| [wave(i, 1.3), wave(i, 1.3) + wave(i, 2.9)]).collect();
        let truth = Table::continuous(&["a", "b"], &rows)?;
        let gaps: Vec<[f64; 2]> = (0..60).map(|i| [rows[i][0], [rows[i][1], f64::NAN][i % 2]]).collect();
        let table = Table::continuous(&["a", "b"], &gaps)?;
        let model = Arc::new(Model::fit(&table, &FitOptions::default())?);
        let scaler = table.standardise().1;
        let ideal = Ideal { model: model.clone(), truth: truth.clone(), scaler, draws: 6, seed: 5 };
        let closest = ideal.complete(&table, 1)?;
        let imputer = model.imputer(Limits::none(2))?;
        let draws =
            (1..=6).map(|k| Ok(imputer.independent_draws(&table, 5, k)?)).collect::<Result<Vec<Table>>>()?;
        let off = |row: &[f64], i: usize| (row[1] - rows[i][1]).abs();
        for i in 0..60 {
            let found = closest.row(i);
            assert!(draws.iter().any(|draw| draw.row(i) == found));
            assert!(draws.iter().all(|draw| off(draw.row(i), i) >= off(found, i)));
        }
        Ok(())
    }
}
