//! Uncertainty of each missing cell.

use crate::columns::show;
use crate::error::Result;
use crate::numbers::{counted, percent, quantile, rounded, sorted};
use crate::rows::Rows;
use psd_impute::impute::{CellShape, CellSummary, Imputer, Values};
use psd_impute::table::Table;
use psd_impute_frame::ColumnPlan;
use serde::Serialize;
use std::collections::HashMap;

/// Maximum number of rows shown, and of their missing cells.
const SHOWN_ROWS: usize = 240;
const GAPS: usize = 800;
/// Maximum number of cells in all.
const CELLS: usize = 12_000;
/// Number of intervals of a cell's distribution.
const INTERVALS: usize = 40;
/// The probabilities at the ends of the 90 % interval.
const ENDS: [f64; 2] = [0.05, 0.95];
/// Maximum number of labels shown for a cell.
const LABELS: usize = 8;

/// Rows with missing cells, and the distributions of those cells.
#[derive(Debug, Clone, Serialize)]
pub struct Cells {
    /// The rows, in the table's order.
    pub rows: Vec<CellRow>,
    /// Number of rows with missing cells in the whole table.
    pub of: u64,
}

/// A row with missing cells.
#[derive(Debug, Clone, Serialize)]
pub struct CellRow {
    /// Its number in the table, counted from one.
    pub row: u64,
    /// Its cells.
    pub cells: Vec<Cell>,
}

/// A cell, observed or not.
#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
pub enum Cell {
    /// An observed cell as text.
    Observed(String),
    /// The distribution of a missing cell.
    Missing(Box<Known>),
}

/// The distribution of a missing cell.
#[derive(Debug, Clone, Serialize)]
pub struct Known {
    /// The width of the interval relative to that of the observed values, if those differ; for a label the probability of all others.
    pub width: Option<f64>,
    /// The median, or the most probable label, as text.
    pub typical: String,
    /// For a number: mean, and the two ends of the interval, as text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub number: Option<[String; 3]>,
    /// For a number: the median, the two ends of the interval, and the two ends of its shape.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<[f64; 5]>,
    /// For a number: the masses of the intervals of its shape, scaled so that the largest is 99.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub shape: Vec<u8>,
    /// For a label: the most probable ones and their probabilities.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<(String, f64)>,
}

impl Cells {
    pub(crate) fn of(rows: &Rows, imputer: &Imputer<'_>, plans: &[&ColumnPlan]) -> Result<Self> {
        let Some(gaps) = &rows.gaps else { return Ok(Self { rows: Vec::new(), of: 0 }) };
        let missing: usize = gaps.table.rows().flatten().filter(|x| x.is_nan()).count();
        let by_gaps = (GAPS * gaps.numbers.len()).div_ceil(missing.max(1));
        let some = gaps.some(SHOWN_ROWS.min(by_gaps).min(CELLS / plans.len()).max(1))?;
        let usual: Vec<Option<f64>> = (0..plans.len()).map(|j| usual_width(&rows.sample.table, j)).collect();
        let shapes = imputer.shapes(&some.table, INTERVALS)?;
        let shapes: HashMap<(usize, usize), CellShape> =
            shapes.into_iter().map(|shape| ((shape.row, shape.column), shape)).collect();
        let summaries = imputer.summaries(&some.table, &ENDS)?;
        let mut known: HashMap<(usize, usize), Known> = HashMap::new();
        for cell in summaries {
            let at = (cell.row, cell.column);
            known.insert(at, Known::of(&cell, shapes.get(&at), plans[cell.column], usual[cell.column]));
        }
        let shown = some.table.rows().enumerate().map(|(i, row)| CellRow {
            row: some.numbers[i] + 1,
            cells: row
                .iter()
                .enumerate()
                .map(|(j, &x)| match known.remove(&(i, j)) {
                    Some(known) => Cell::Missing(known.into()),
                    None => Cell::Observed(show(plans[j], x)),
                })
                .collect(),
        });
        Ok(Self { rows: shown.collect(), of: rows.with_gaps() })
    }

    /// One sentence.
    pub fn answer(&self) -> String {
        let cells = self.rows.iter().flat_map(|row| &row.cells);
        let widths = cells.filter_map(|cell| match cell {
            Cell::Missing(known) if known.number.is_some() => known.width,
            _ => None,
        });
        let widths = sorted(widths.collect());
        let cells = self.rows.iter().flat_map(|row| &row.cells);
        let others = cells.filter_map(|cell| match cell {
            Cell::Missing(known) if known.number.is_none() => known.width.map(|width| 1.0 - width),
            _ => None,
        });
        let certain = sorted(others.collect());
        if self.rows.is_empty() {
            return "There is no missing cell.".to_string();
        }
        let mut out = Vec::new();
        if !widths.is_empty() {
            out.push(format!(
                "The 90 % interval of a typical missing number is {} as wide as that of its column’s observed values ({} looked at); near 100 %, the rest of the row says nothing of the cell.",
                percent(quantile(&widths, 0.5)),
                counted(widths.len() as u64, "cell")
            ));
        }
        if !certain.is_empty() {
            out.push(format!(
                "A typical missing label’s best guess has a probability of {} ({} looked at).",
                percent(quantile(&certain, 0.5)),
                counted(certain.len() as u64, "cell")
            ));
        }
        if out.is_empty() {
            return "All observed values of the columns with gaps are the same, so that there is nothing to compare with.".to_string();
        }
        out.join(" ")
    }
}

impl Known {
    fn of(cell: &CellSummary, shape: Option<&CellShape>, plan: &ColumnPlan, usual: Option<f64>) -> Self {
        let mut out = Self {
            width: None,
            typical: String::new(),
            number: None,
            at: None,
            shape: Vec::new(),
            labels: Vec::new(),
        };
        if let (Some(numbers), Some(shape)) = (&cell.numbers, shape) {
            let [low, high] = [numbers.quantiles[0], numbers.quantiles[1]];
            out.width = usual.map(|usual| rounded((high - low) / usual, 3));
            out.typical = show(plan, numbers.median);
            out.number =
                Some([crate::columns::show_fine(plan, numbers.mean), show(plan, low), show(plan, high)]);
            // A cell without uncertainty is drawn in the middle of the usual range of its column.
            let room = if shape.ends.0 < shape.ends.1 { 0.0 } else { usual.unwrap_or(1.0) / 2.0 };
            let (from, to) = (shape.ends.0 - room, shape.ends.1 + room);
            out.at = Some([numbers.median, low, high, from, to].map(|x| rounded(x, 7)));
            let most = shape.masses.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
            out.shape = shape.masses.iter().map(|mass| (99.0 * mass / most).round() as u8).collect();
        } else if let Some(Values { probabilities, mode }) = &cell.values {
            let mut order = probabilities.clone();
            order.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.total_cmp(&b.0)));
            out.width = Some(rounded(1.0 - order.first().map_or(1.0, |most| most.1), 3));
            out.typical = show(plan, *mode);
            let label = |(value, p): &(f64, f64)| (show(plan, *value), rounded(*p, 3));
            out.labels = order.iter().take(LABELS).map(label).collect();
        }
        out
    }
}

/// The width of the 90 % interval of a column's observed cells, or their range if that is zero; None if all are equal.
fn usual_width(table: &Table, j: usize) -> Option<f64> {
    let values = sorted(table.observed(j).collect());
    let between = |low: f64, high: f64| quantile(&values, high) - quantile(&values, low);
    [between(ENDS[0], ENDS[1]), between(0.0, 1.0)].into_iter().find(|width| *width > 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_of_zeros_is_measured_by_its_range() {
        let row = |i: u32| [f64::from(i), if i == 7 { 3310.0 } else { 0.0 }, 1.0];
        let table = Table::continuous(&["a", "b", "c"], &(0..101).map(row).collect::<Vec<_>>()).unwrap();
        assert_eq!([0, 1, 2].map(|j| usual_width(&table, j)), [Some(90.0), Some(3310.0), None]);
    }
}
