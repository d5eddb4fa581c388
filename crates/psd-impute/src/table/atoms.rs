//! Few-valued columns of numbers as atoms.
//!
//! Every value of such a column stands for its bin ([`Resolution`]), so that the probability of the bin is all that a likelihood has of it, and the
//! column is as well a discrete one whose values are the recorded ones. Outside, the cell of an atom is uniform on an interval around it that is in its
//! bin: half as long on either side as the way to the nearer neighbour.

use super::{Column, Kind, Resolution, Table};
use crate::Result;
use faer::Mat;

/// Most values of a column whose values are atoms. Arbitrary.
const MOST: usize = 30;

/// The columns of a table whose values are atoms.
#[derive(Debug, Clone)]
pub struct Atoms {
    resolution: Resolution,
    /// The values of each column; empty if they are no atoms.
    columns: Vec<Vec<f64>>,
}

impl Atoms {
    /// The few-valued columns of a table. Returns `None` if there are none.
    pub(crate) fn of(table: &Table, resolution: &Resolution) -> Option<Self> {
        let values = |j: usize| match table.columns()[j].kind() {
            Kind::Continuous => resolution.few_values(j, MOST).to_vec(),
            _ => Vec::new(),
        };
        let columns: Vec<Vec<f64>> = (0..table.columns().len()).map(values).collect();
        let any = columns.iter().any(|values| !values.is_empty());
        any.then(|| Self { resolution: resolution.clone(), columns })
    }

    /// The number of columns.
    pub fn columns(&self) -> usize {
        self.columns.len()
    }

    /// The atoms of a column; empty if its values are none.
    pub fn values(&self, j: usize) -> &[f64] {
        &self.columns[j]
    }

    /// The atom of a cell, by its bin; other cells stay as they are.
    pub fn apply(&self, j: usize, x: f64) -> f64 {
        if self.columns[j].is_empty() || x.is_nan() { x } else { self.resolution.recorded(j, x) }
    }

    /// Maps a row.
    pub fn apply_row(&self, row: &[f64]) -> Vec<f64> {
        row.iter().enumerate().map(|(j, &x)| self.apply(j, x)).collect()
    }

    /// The table with these columns as ordered ones.
    ///
    /// # Errors
    ///
    /// As for [`Column::ordered`] and [`Table::new`].
    pub fn apply_table(&self, table: &Table) -> Result<Table> {
        let column = |(column, values): (&Column, &Vec<f64>)| match values.is_empty() {
            true => Ok(column.clone()),
            false => Column::ordered(column.name(), values.clone()),
        };
        let columns = table.columns().iter().zip(&self.columns).map(column).collect::<Result<_>>()?;
        let (d, n) = (table.columns().len(), table.len());
        Table::new(columns, Mat::from_fn(d, n, |j, i| self.apply(j, table.cells()[(j, i)])))
    }

    /// Half the length of the interval around an atom.
    pub fn reach(&self, j: usize, place: usize) -> f64 {
        let values = &self.columns[j];
        let gap = |k: usize| Some(values.get(k + 1)? - values[k]);
        let below = place.checked_sub(1).and_then(gap).unwrap_or(f64::INFINITY);
        0.5 * gap(place).unwrap_or(f64::INFINITY).min(below)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_repeated_values_are_atoms_and_others_are_not() {
        let row = |i: usize| [[0.0, 1.0, 5.0][i % 3], i as f64];
        let table = Table::continuous(&["few", "many"], &(0..60).map(row).collect::<Vec<_>>()).unwrap();
        let atoms = Atoms::of(&table, &Resolution::of(&table)).unwrap();
        assert_eq!((atoms.values(0), atoms.values(1)), (&[0.0, 1.0, 5.0][..], &[][..]));
        assert_eq!([0, 1, 2].map(|k| atoms.reach(0, k)), [0.5, 0.5, 2.0]);
        assert_eq!((atoms.apply(0, 3.5), atoms.apply(0, -9.0), atoms.apply(1, 3.5)), (5.0, 0.0, 3.5));
        assert!(atoms.apply(0, f64::NAN).is_nan());
        let inside = atoms.apply_table(&table).unwrap();
        assert_eq!(*inside.columns()[0].kind(), Kind::Ordered(vec![0.0, 1.0, 5.0]));
        let single = Table::continuous(&["x"], &[[1.0], [1.0], [1.0]]).unwrap();
        assert!(Atoms::of(&single, &Resolution::of(&single)).is_none());
    }
}
