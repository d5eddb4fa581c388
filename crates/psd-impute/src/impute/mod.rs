//! Completing tables.

mod row_key;
mod ties;

pub use row_key::RowKeys;
pub use ties::Ties;

use crate::Result;
use crate::density::{Conditional, Density, map_gaps};
use crate::table::{Scaler, Table};

/// Completes every row that has a gap with its conditional mean: of a category the most probable value, of a discrete number the
/// value nearest to the mean.
///
/// `density` lives on the table standardised by `scaler`; the result is in the table's own units, and its observed cells are
/// the table's, bit for bit.
pub fn complete_with_means(density: &dyn Density, table: &Table, scaler: &Scaler) -> Result<Table> {
    complete(density, table, scaler, |_, conditional| {
        let mean = conditional.mean();
        let value = |(&j, z): (&usize, f64)| table.columns()[j].kind().nearest(scaler.undo(j, z));
        conditional.missing().iter().zip(mean).map(value).collect()
    })
}

/// Completes every row that has a gap with a draw from its conditional distribution. Columns with ties are drawn on observed values.
///
/// The draw depends on the seed, the number of the imputation and the row alone: its content, and how many equal rows stand
/// before it. The order of the rows, the batch they come in and the number of threads do not matter.
pub fn complete_with_draws(
    density: &dyn Density,
    table: &Table,
    scaler: &Scaler,
    ties: &Ties,
    seed: u64,
    imputation: u64,
) -> Result<Table> {
    let keys = RowKeys::of(table);
    complete(density, table, scaler, |i, conditional| {
        let draw = conditional.draw(&mut keys.generator(i, seed, imputation));
        conditional.missing().iter().zip(draw).map(|(&j, z)| ties.nearest(j, scaler.undo(j, z))).collect()
    })
}

/// Completes every row that has a gap with what `fill` makes of its number and its conditional distribution, in the
/// table's units.
fn complete(
    density: &dyn Density,
    table: &Table,
    scaler: &Scaler,
    fill: impl Fn(usize, &dyn Conditional) -> Vec<f64> + Sync,
) -> Result<Table> {
    scaler.check(table)?;
    let standardised = scaler.standardise(table);
    let mut cells = table.cells().to_owned();
    for (i, values) in map_gaps(density, &standardised, fill)? {
        let gaps = cells.col_mut(i).iter_mut().filter(|x| x.is_nan());
        gaps.zip(values).for_each(|(cell, value)| *cell = value);
    }
    table.with_cells(cells)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::density::PsdDensity;
    use faer::Mat;

    #[test]
    fn means_are_regressions_and_observed_cells_stay() {
        let na = f64::NAN;
        let table =
            Table::continuous(&["a", "b"], &[[1.0, na], [0.1 + 0.2, 5.0], [na, na], [3.0, 9.0]]).unwrap();
        let (_, scaler) = table.standardise();
        let covariance = Mat::from_fn(2, 2, |i, j| if i == j { 1.0 } else { 0.5 });
        let normal = PsdDensity::normal(&table, &[0.0, 0.0], covariance.as_ref()).unwrap();
        let done = complete_with_means(&normal, &table, &scaler).unwrap();
        assert_eq!(done.row(1), table.row(1));
        assert_eq!(done.row(0)[0], 1.0);
        assert!((done.row(0)[1] - scaler.undo(1, 0.5 * scaler.apply(0, 1.0))).abs() < 1e-12);
        assert!((done.row(2)[0] - scaler.undo(0, 0.0)).abs() < 1e-12);
    }
}
