//! The cells of a table by column, and the sums that a leaf's parameters follow from.

use crate::table::{Kind, Table, mean_and_deviation, position};

/// Marks a missing cell of a discrete column.
const MISSING: u32 = u32::MAX;
/// The least deviation of a normal: half the tenth percentile of the gaps between neighbouring distinct values, but at least this. A narrower
/// one would only detect repeated values. Arbitrary, as is the deviation for a column with a single value.
const NARROWEST: f64 = 2e-3;
const CONSTANT: f64 = 0.05;

/// The cells of a table, column by column.
pub(super) struct Cells {
    pub(super) columns: Vec<CellColumn>,
    pub(super) rows: usize,
    /// The length of a vector of sums.
    pub(super) width: usize,
}

/// The cells of one column.
pub(super) struct CellColumn {
    pub(super) cells: ColumnCells,
    /// The place of the column's sums in a vector of all sums.
    pub(super) at: usize,
}

/// The cells of a continuous or a discrete column.
pub(super) enum ColumnCells {
    /// Three sums: weights, values, squares. A missing cell is NaN; no variance is below `floor`.
    Numbers { values: Vec<f64>, floor: f64 },
    /// A sum of weights for each value.
    Values { places: Vec<u32>, atoms: usize, ordered: bool },
}

impl Cells {
    pub(super) fn of(table: &Table) -> Self {
        let mut width = 0;
        let columns = (0..table.columns().len()).map(|j| {
            let cells = column(table, j);
            let at = width;
            width += cells.sums();
            CellColumn { cells, at }
        });
        Self { columns: columns.collect(), rows: table.len(), width }
    }

    /// Adds a row with a weight to some sums.
    pub(super) fn add(&self, row: usize, weight: f64, sums: &mut [f64]) {
        for column in &self.columns {
            column.add(row, weight, sums);
        }
    }
}

impl CellColumn {
    /// The column's part of all sums.
    pub(super) fn part<'a>(&self, sums: &'a [f64]) -> &'a [f64] {
        &sums[self.at..][..self.cells.sums()]
    }

    /// Whether a row has the cell.
    pub(super) fn has(&self, row: usize) -> bool {
        match &self.cells {
            ColumnCells::Numbers { values, .. } => !values[row].is_nan(),
            ColumnCells::Values { places, .. } => places[row] != MISSING,
        }
    }

    fn add(&self, row: usize, weight: f64, sums: &mut [f64]) {
        match &self.cells {
            ColumnCells::Numbers { values, .. } => {
                let x = values[row];
                if !x.is_nan() {
                    sums[self.at] += weight;
                    sums[self.at + 1] += weight * x;
                    sums[self.at + 2] += weight * x * x;
                }
            }
            ColumnCells::Values { places, .. } => {
                if places[row] != MISSING {
                    sums[self.at + places[row] as usize] += weight;
                }
            }
        }
    }
}

impl ColumnCells {
    fn sums(&self) -> usize {
        match self {
            Self::Numbers { .. } => 3,
            Self::Values { atoms, .. } => *atoms,
        }
    }
}

fn column(table: &Table, j: usize) -> ColumnCells {
    let kind = table.columns()[j].kind();
    if *kind == Kind::Continuous {
        let values = table.rows().map(|row| row[j]).collect();
        return ColumnCells::Numbers { values, floor: least_deviation(table, j).powi(2) };
    }
    let atoms = kind.atoms();
    let place = |x: f64| position(&atoms, x).map_or(MISSING, |v| v as u32);
    let places = table.rows().map(|row| place(row[j])).collect();
    ColumnCells::Values { places, atoms: atoms.len(), ordered: matches!(kind, Kind::Ordered(_)) }
}

fn least_deviation(table: &Table, j: usize) -> f64 {
    let mut seen: Vec<f64> = table.observed(j).collect();
    let unit = mean_and_deviation(&seen).1;
    seen.sort_by(f64::total_cmp);
    seen.dedup();
    let mut gaps: Vec<f64> = seen.windows(2).map(|pair| pair[1] - pair[0]).collect();
    gaps.sort_by(f64::total_cmp);
    gaps.get(gaps.len() / 10).map_or(CONSTANT, |gap| (0.5 * gap).max(NARROWEST)).min(unit)
}

/// Number, mean and squared deviations about it, from the three sums of a column of numbers.
pub(super) fn moments(sums: &[f64]) -> (f64, f64, f64) {
    let n = sums[0];
    if n <= 0.0 {
        return (0.0, 0.0, 0.0);
    }
    let mean = sums[1] / n;
    (n, mean, (sums[2] - n * mean * mean).max(0.0))
}
