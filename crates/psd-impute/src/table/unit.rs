//! Units in which differences within a column are measured.

use super::{Kind, Table, mean_and_deviation};

/// Unit of a column of a standardised table: the standard deviation for numbers; different labels have distance one.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Unit {
    Number(f64),
    Label,
}

impl Unit {
    /// The unit of column `j`. Continuous columns are already standardised, ordered ones are not.
    pub(crate) fn of(table: &Table, j: usize) -> Self {
        match table.columns()[j].kind() {
            Kind::Continuous => Self::Number(1.0),
            Kind::Ordered(_) => Self::Number(mean_and_deviation(&table.observed(j).collect::<Vec<_>>()).1),
            Kind::Category(_) => Self::Label,
        }
    }

    /// Squared difference of two cells in this unit.
    pub(crate) fn square(self, x: f64, y: f64) -> f64 {
        match self {
            Self::Number(unit) => ((x - y) / unit).powi(2),
            Self::Label => f64::from(u8::from(x != y)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Column;
    use faer::Mat;

    #[test]
    fn numbers_are_apart_in_deviations_and_labels_by_one() {
        let columns = vec![
            Column::continuous("x"),
            Column::ordered("k", vec![0.0, 10.0, 70.0]).unwrap(),
            Column::category("c", ["a", "b", "c"].map(String::from).to_vec()).unwrap(),
        ];
        let cells = Mat::from_fn(3, 4, |j, i| if j == 1 { 10.0 * (i % 2) as f64 } else { 0.0 });
        let table = Table::new(columns, cells).unwrap();
        let square = |j: usize, x: f64, y: f64| Unit::of(&table, j).square(x, y);
        assert_eq!(square(0, 1.0, 4.0), 9.0);
        // The observed cells are 0, 10, 0, 10.
        assert_eq!(square(1, 70.0, 10.0), 144.0);
        assert_eq!((square(2, 0.0, 2.0), square(2, 1.0, 1.0)), (1.0, 0.0));
    }
}
