//! Rows as points, with the distance on which the energy distance is based.

use crate::table::{Kind, Table, Unit};
use std::f64::consts::FRAC_1_SQRT_2;

/// Coordinates for the cells of a standardised row: numbers in units of their column; each label is an axis of its own, so that two labels
/// have distance one.
pub(super) struct Points {
    /// Unit and number of axes of each column.
    columns: Vec<(Unit, usize)>,
}

impl Points {
    pub(super) fn new(table: &Table) -> Self {
        let axes = |j: usize| match table.columns()[j].kind() {
            Kind::Category(labels) => labels.len(),
            _ => 1,
        };
        Self { columns: (0..table.columns().len()).map(|j| (Unit::of(table, j), axes(j))).collect() }
    }

    /// Coordinates of a row's cells, each given with its column.
    pub(super) fn of(&self, cells: impl Iterator<Item = (usize, f64)>) -> Vec<f64> {
        let mut out = Vec::new();
        for (j, x) in cells {
            match self.columns[j] {
                (Unit::Number(unit), _) => out.push(x / unit),
                (Unit::Label, axes) => {
                    out.extend((0..axes).map(|k| if k == x as usize { FRAC_1_SQRT_2 } else { 0.0 }));
                }
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Column;
    use faer::Mat;

    #[test]
    fn points_are_as_far_apart_as_the_columns_units_say() {
        let columns = vec![
            Column::continuous("x"),
            Column::ordered("k", vec![0.0, 10.0, 70.0]).unwrap(),
            Column::category("c", ["a", "b", "c"].map(String::from).to_vec()).unwrap(),
        ];
        let cells = Mat::from_fn(3, 4, |j, i| if j == 1 { 10.0 * (i % 2) as f64 } else { 0.0 });
        let table = Table::new(columns, cells).unwrap();
        let points = Points::new(&table);
        let of = |row: [f64; 3]| points.of(row.into_iter().enumerate());
        for (x, y) in
            [([1.0, 70.0, 0.0], [4.0, 10.0, 2.0]), ([0.5, 0.0, 1.0], [0.5, 10.0, 1.0]), ([0.0; 3], [0.0; 3])]
        {
            let expected: f64 = (0..3).map(|j| Unit::of(&table, j).square(x[j], y[j])).sum();
            let found: f64 = of(x).iter().zip(of(y)).map(|(x, y)| (x - y).powi(2)).sum();
            assert!((found - expected).abs() < 1e-12, "{found} {expected}");
        }
    }
}
