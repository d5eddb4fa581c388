//! Rows for the scatter plots of pairs of columns.

use crate::completed::Imputed;
use crate::error::Result;
use crate::numbers::rounded;
use crate::rows::Sample;
use psd_impute::table::Table;
use serde::Serialize;

/// Maximum number of rows of each kind.
const SHOWN_ROWS: usize = 300;
/// Maximum number of cells of each kind.
const CELLS: usize = 9_000;

/// Rows of the table, and completed rows.
#[derive(Debug, Clone, Serialize)]
pub struct Pairs {
    /// Rows of the table; None is a missing cell.
    pub observed: Vec<Vec<Option<f64>>>,
    /// Completed rows.
    pub completed: Vec<Vec<Option<f64>>>,
    /// The positions of the columns that were missing in each completed row.
    pub missing: Vec<Vec<usize>>,
}

impl Pairs {
    pub(crate) fn of(sample: &Sample, imputed: Option<&Imputed>) -> Result<Self> {
        let most = SHOWN_ROWS.min(CELLS / sample.table.columns().len()).max(20);
        let observed = cells(&sample.some(most)?.table);
        let Some(Imputed { gaps, completed }) = imputed else {
            return Ok(Self { observed, completed: Vec::new(), missing: Vec::new() });
        };
        let numbers = (0..gaps.table.len() as u64).collect();
        let some = Sample { numbers, table: gaps.table.clone() }.some(most)?;
        let places: Vec<usize> = some.numbers.iter().map(|&i| i as usize).collect();
        let missing = some.table.rows().map(|row| (0..row.len()).filter(|&j| row[j].is_nan()).collect());
        Ok(Self {
            observed,
            completed: completed
                .first()
                .map_or(Ok(Vec::new()), |table| Ok::<_, crate::Error>(cells(&table.select(&places)?)))?,
            missing: missing.collect(),
        })
    }
}

fn cells(table: &Table) -> Vec<Vec<Option<f64>>> {
    let cell = |&x: &f64| (!x.is_nan()).then(|| rounded(x, 6));
    table.rows().map(|row| row.iter().map(cell).collect()).collect()
}
