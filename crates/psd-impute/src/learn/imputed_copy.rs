//! A quick completed copy of a table, used only to place anchors: each missing cell is taken from the nearest row in which it is observed.

use super::row_distance::{labels, squared_difference};
use crate::Result;
use crate::density::{Conditional, Density, map_gaps};
use crate::table::Table;
use faer::Mat;
use rand::Rng;
use rand::seq::index;
use rayon::prelude::*;

/// Largest number of donor rows: enough to find near ones, few enough to keep the cost linear in the table. Arbitrary.
const DONORS: usize = 512;

/// The cells of the copy, `d × n`. Rows are compared by the mean squared difference over the columns observed in both. A cell observed in no donor gets the column's first observed value, or else zero or the first atom.
pub fn imputed_copy(table: &Table, rng: &mut dyn Rng) -> Mat<f64> {
    let donors = index::sample(rng, table.len(), DONORS.min(table.len())).into_vec();
    let labels = labels(table);
    let fallback: Vec<f64> = (0..table.columns().len()).map(|j| typical(table, j)).collect();
    let mut out = table.cells().to_owned();
    let filled: Vec<Option<Vec<f64>>> = (0..table.len())
        .into_par_iter()
        .map(|i| table.row(i).iter().any(|x| x.is_nan()).then(|| fill(table, &labels, i, &donors, &fallback)))
        .collect();
    for (i, row) in filled.into_iter().enumerate() {
        if let Some(row) = row {
            out.col_mut(i).iter_mut().zip(row).for_each(|(to, from)| *to = from);
        }
    }
    out
}

fn fill(table: &Table, labels: &[bool], i: usize, donors: &[usize], fallback: &[f64]) -> Vec<f64> {
    let row = table.row(i);
    let distances: Vec<f64> = donors.iter().map(|&k| distance(labels, row, table.row(k))).collect();
    (0..row.len())
        .map(|j| {
            if !row[j].is_nan() {
                return row[j];
            }
            let able = (0..donors.len()).filter(|&k| !table.row(donors[k])[j].is_nan());
            let nearest = able.min_by(|&a, &b| distances[a].total_cmp(&distances[b]));
            nearest.map_or(fallback[j], |k| table.row(donors[k])[j])
        })
        .collect()
}

/// Mean squared difference over the columns observed in both rows; infinite if there are none.
fn distance(labels: &[bool], a: &[f64], b: &[f64]) -> f64 {
    let (mut sum, mut shared) = (0.0, 0);
    for ((&x, &y), &label) in a.iter().zip(b).zip(labels) {
        if !(x.is_nan() || y.is_nan()) {
            shared += 1;
            sum += squared_difference(label, x, y);
        }
    }
    if shared > 0 { sum / shared as f64 } else { f64::INFINITY }
}

fn typical(table: &Table, j: usize) -> f64 {
    let kind = table.columns()[j].kind();
    table.observed(j).next().unwrap_or_else(|| kind.atoms().first().copied().unwrap_or(0.0))
}

/// The cells `d × n` with every missing one at its conditional mean under a density; in discrete columns at the nearest allowed value.
pub(crate) fn mean_copy(density: &dyn Density, table: &Table) -> Result<Mat<f64>> {
    let mut out = table.cells().to_owned();
    let means = |_: usize, c: &dyn Conditional| (c.missing().to_vec(), c.mean());
    for (i, (missing, mean)) in map_gaps(density, table, means)? {
        for (j, mean) in missing.into_iter().zip(mean) {
            out[(j, i)] = table.columns()[j].kind().nearest(mean);
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::density::PsdDensity;
    use crate::table::Column;

    #[test]
    fn a_copy_of_means_has_values_that_its_columns_may_hold() {
        let columns = vec![Column::continuous("x"), Column::ordered("k", vec![0.0, 1.0, 9.0]).unwrap()];
        let rows = [[0.5, 0.0], [0.1, 9.0], [0.2, f64::NAN], [f64::NAN, 1.0]];
        let table = Table::new(columns, Mat::from_fn(2, 4, |j, i| rows[i][j])).unwrap();
        let normal = PsdDensity::normal(&table, &[0.3], Mat::<f64>::identity(1, 1).as_ref()).unwrap();
        let copy = mean_copy(&normal, &table).unwrap();
        // The mean grade is ten thirds; the nearest value is one.
        assert_eq!((copy[(1, 2)], copy[(0, 3)]), (1.0, 0.3));
        assert!(table.with_cells(copy).is_ok());
    }
}
