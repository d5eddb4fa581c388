//! Rows as points whose distance is what the energy distance is about.

use crate::table::{Kind, Table, Unit};
use std::f64::consts::FRAC_1_SQRT_2;

/// How the cells of a standardised row become coordinates: numbers in units of their column, each label an axis of its own, so that two are
/// one apart.
pub(super) struct Points {
    /// Of each column, and on how many axes it is.
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

    /// The coordinates of the cells of a row, each given with its column.
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
