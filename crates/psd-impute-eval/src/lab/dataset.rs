//! Tables of a study.

use crate::Result;
use crate::scale::scaler;
use faer::Mat;
use psd_impute::table::{Column, Kind, Table};

/// A table and its name.
#[derive(Debug, Clone)]
pub struct Dataset {
    /// Its name in records.
    pub name: String,
    /// The table; only complete rows are scored.
    pub table: Table,
}

impl Dataset {
    /// The dataset with every column of numbers standardised, as in the paper: some methods depend on units.
    ///
    /// # Errors
    ///
    /// Those of the engine for a table without rows or columns.
    pub fn standardised(name: &str, table: &Table) -> Result<Self> {
        let (scaler, cells) = (scaler(table)?, table.cells());
        let column = |(j, column): (usize, &Column)| match column.kind() {
            Kind::Ordered(values) => {
                Column::ordered(column.name(), values.iter().map(|&x| scaler.apply(j, x)).collect())
            }
            _ => Ok(column.clone()),
        };
        let columns = table.columns().iter().enumerate().map(column);
        let columns = columns.collect::<psd_impute::Result<Vec<_>>>()?;
        let cells = Mat::from_fn(cells.nrows(), cells.ncols(), |j, i| scaler.apply(j, cells[(j, i)]));
        Ok(Self { name: name.to_string(), table: Table::new(columns, cells)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_get_mean_zero_and_deviation_one_and_labels_stay() {
        let columns = vec![
            Column::continuous("a"),
            Column::ordered("b", vec![10.0, 20.0, 40.0]).unwrap(),
            Column::category("c", vec!["x".into(), "y".into()]).unwrap(),
        ];
        let cells = [[3.0, 10.0, 0.0], [5.0, 40.0, 1.0], [f64::NAN, 20.0, 1.0], [-9.5, 20.0, 0.0]];
        let table = Table::new(columns, Mat::from_fn(3, 4, |j, i| cells[i][j])).unwrap();
        let Dataset { table, .. } = Dataset::standardised("t", &table).unwrap();
        for j in 0..2 {
            let values: Vec<f64> = table.observed(j).collect();
            let moment = |k| values.iter().map(|x| x.powi(k)).sum::<f64>() / values.len() as f64;
            assert!(moment(1).abs() < 1e-14 && (moment(2) - 1.0).abs() < 1e-14);
        }
        assert_eq!(table.observed(2).collect::<Vec<_>>(), [0.0, 1.0, 1.0, 0.0]);
        assert_eq!(table.columns()[1].kind().atoms().len(), 3);
    }
}
