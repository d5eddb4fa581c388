//! Calibration of intervals and probabilities, by over-imputation of observed cells.
//!
//! Observed cells are predicted from the rest of their rows and compared with their values. A model predicts rows that it was fitted to too
//! well, above all a row that is its own donor; so the rows are left out in folds, and predicted by the fit to the others
//! ([`Model::without`]).

mod verdict;

use crate::error::Result;
use crate::numbers::rounded;
use crate::rows::Sample;
use psd_impute::impute::{CellSummary, Imputer, Limits};
use psd_impute::model::Model;
use psd_impute::table::Table;
use serde::Serialize;

/// Number of rows that cells are taken from.
const PREDICTED_ROWS: usize = 1_000;
/// Maximum number of cells in all. Arbitrary: it bounds the time.
const CELLS: usize = 1_200;
/// Minimum and maximum number of cells per column, arbitrary: fewer say nothing, and more would say it in greater detail than is shown.
const FEWEST_OF_COLUMN: usize = 10;
const MOST_OF_COLUMN: usize = 80;
/// If there are more columns, only some are predicted.
const COLUMNS: usize = CELLS / FEWEST_OF_COLUMN;
/// Minimum number of distinct values of a column that is not coarse.
pub const DIFFERENT: usize = 20;
/// Maximum share of cells with one value in such a column.
const OFTEN: f64 = 0.15;
/// Number of folds of the rows, if leaving all out at once would leave too few.
const FOLDS: usize = 5;

/// The levels of the intervals.
pub const LEVELS: [f64; 4] = [0.5, 0.8, 0.9, 0.95];
/// The quantiles at their ends, outermost first.
const QUANTILES: [f64; 8] = [0.025, 0.05, 0.1, 0.25, 0.75, 0.9, 0.95, 0.975];

/// Observed coverage of intervals and labels.
#[derive(Debug, Clone, Serialize)]
pub struct Calibration {
    /// The levels of the intervals.
    pub levels: [f64; 4],
    /// Columns of numbers.
    pub numbers: Vec<NumberColumn>,
    /// Columns of labels.
    pub labels: Vec<LabelColumn>,
    /// Whether the rows were left out of the fit that predicted them.
    pub left_out: bool,
    /// The number of columns predicted, and of all columns.
    pub columns: [usize; 2],
}

/// A column of numbers.
#[derive(Debug, Clone, Serialize)]
pub struct NumberColumn {
    /// The column, by its place.
    pub column: usize,
    /// Whether it has so few distinct values that intervals, which end at values, cover more than their level.
    pub coarse: bool,
    /// Number of points in the interval of each level.
    pub covered: [usize; 4],
    /// Observed value, median, and the two ends of the 90 % interval of each cell.
    pub points: Vec<[f64; 4]>,
}

/// A column of labels.
#[derive(Debug, Clone, Serialize)]
pub struct LabelColumn {
    /// The column, by its place.
    pub column: usize,
    /// Number of cells predicted.
    pub cells: usize,
    /// Number of cells with the most probable label.
    pub right: usize,
    /// Expectation of that number by the predicted probabilities.
    pub expected: f64,
    /// Variance of that number by the predicted probabilities.
    pub variance: f64,
}

impl Calibration {
    pub(crate) fn of(sample: &Sample, model: &Model, limits: &Limits) -> Result<Self> {
        // In random order, because cells and folds are taken at regular steps.
        let sample = sample.select(&sample.table.shuffled(PREDICTED_ROWS))?;
        let chosen = choose(&sample.table);
        let mut rows: Vec<usize> = chosen.iter().map(|cell| cell.0).collect();
        rows.sort_unstable();
        rows.dedup();
        let folds =
            if 10 * rows.len() <= model.report().rows.fitted { 1 } else { FOLDS.min(rows.len().max(1)) };
        let mut found = Vec::new();
        let mut left_out = true;
        for fold in 0..folds {
            let out: Vec<usize> = rows.iter().copied().skip(fold).step_by(folds).collect();
            let cells: Vec<(usize, usize)> =
                chosen.iter().copied().filter(|cell| out.binary_search(&cell.0).is_ok()).collect();
            if cells.is_empty() {
                continue;
            }
            let blind = model.without(&sample.table.select(&out)?)?;
            left_out &= blind.is_some();
            let imputer = match &blind {
                Some(blind) => blind.imputer(limits.clone())?,
                None => model.imputer(limits.clone())?,
            };
            found.extend(predict(&sample.table, &cells, &imputer)?);
        }
        found.sort_by_key(|cell: &Predicted| (cell.column, cell.row));
        let found = Self::sum_up(&found, left_out, |j| is_coarse(sample.table.observed(j).collect()));
        let d = sample.table.columns().len();
        Ok(Self { columns: [d.min(COLUMNS), d], ..found })
    }

    fn sum_up(found: &[Predicted], left_out: bool, is_coarse: impl Fn(usize) -> bool) -> Self {
        let mut out =
            Self { levels: LEVELS, numbers: Vec::new(), labels: Vec::new(), left_out, columns: [0; 2] };
        for cells in found.chunk_by(|a, b| a.column == b.column) {
            let column = cells[0].column;
            let guesses = cells.iter().filter_map(Predicted::guess);
            let right = guesses.clone().filter(|(hit, _)| *hit).count();
            let expected = guesses.clone().map(|(_, p)| p).sum();
            let variance = guesses.clone().map(|(_, p)| p * (1.0 - p)).sum();
            if guesses.count() > 0 {
                out.labels.push(LabelColumn {
                    column,
                    cells: cells.len(),
                    right,
                    expected: rounded(expected, 4),
                    variance: rounded(variance, 4),
                });
                continue;
            }
            let covered = [3, 2, 1, 0].map(|k| cells.iter().filter(|cell| cell.is_within(k)).count());
            let points = cells.iter().filter_map(Predicted::point).collect();
            out.numbers.push(NumberColumn { column, coarse: is_coarse(column), covered, points });
        }
        out
    }

    /// Number of cells in numeric columns that are not coarse, and of those in the interval of each level.
    pub fn together(&self) -> (usize, [usize; 4]) {
        let fine = self.numbers.iter().filter(|column| !column.coarse);
        let cells = fine.clone().map(|column| column.points.len()).sum();
        (cells, [0, 1, 2, 3].map(|k| fine.clone().map(|column| column.covered[k]).sum()))
    }
}

/// Whether few distinct values are observed, or one of them often: intervals end at values, and cover more than their level.
fn is_coarse(mut values: Vec<f64>) -> bool {
    values.sort_by(f64::total_cmp);
    let counts: Vec<usize> = values.chunk_by(|a, b| a == b).map(<[f64]>::len).collect();
    let most = counts.iter().copied().max().unwrap_or(0);
    counts.len() < DIFFERENT || most as f64 > OFTEN * values.len() as f64
}

/// An observed cell and its prediction from the rest of its row.
struct Predicted {
    row: usize,
    column: usize,
    truth: f64,
    said: CellSummary,
}

impl Predicted {
    /// Whether it lies within the `k`-th interval from outside.
    fn is_within(&self, k: usize) -> bool {
        let numbers = self.said.numbers.as_ref();
        numbers.is_some_and(|n| (n.quantiles[k]..=n.quantiles[QUANTILES.len() - 1 - k]).contains(&self.truth))
    }

    fn point(&self) -> Option<[f64; 4]> {
        let numbers = self.said.numbers.as_ref()?;
        let point = [self.truth, numbers.median, numbers.quantiles[1], numbers.quantiles[6]];
        Some(point.map(|x| rounded(x, 6)))
    }

    /// For a label: whether the most probable one is right, and its probability.
    fn guess(&self) -> Option<(bool, f64)> {
        let values = self.said.values.as_ref().filter(|_| self.said.numbers.is_none())?;
        let p =
            values.probabilities.iter().find(|(value, _)| *value == values.mode).map_or(0.0, |most| most.1);
        Some((values.mode == self.truth, p))
    }
}

/// Observed cells, evenly spread over each column, of rows with another observed cell.
fn choose(table: &Table) -> Vec<(usize, usize)> {
    let d = table.columns().len();
    let looked_at = d.min(COLUMNS);
    let columns: Vec<usize> = (0..looked_at).map(|k| k * d / looked_at).collect();
    let most = (CELLS / columns.len().max(1)).min(MOST_OF_COLUMN);
    let enough = |i: usize| table.row(i).iter().filter(|x| !x.is_nan()).count() > 1;
    let column = |j: usize| {
        let seen: Vec<usize> = (0..table.len()).filter(|&i| !table.row(i)[j].is_nan() && enough(i)).collect();
        let kept = seen.len().min(most);
        // Each column starts elsewhere, so that the cells are spread over the rows.
        let at = move |k: usize| (seen[((k * seen.len() + j * seen.len() / d) / kept) % seen.len()], j);
        (0..kept).map(at).collect::<Vec<_>>()
    };
    columns.into_iter().flat_map(column).collect()
}

fn predict(table: &Table, cells: &[(usize, usize)], imputer: &Imputer<'_>) -> Result<Vec<Predicted>> {
    let masked = table.select(&cells.iter().map(|cell| cell.0).collect::<Vec<_>>())?;
    let mut gone = masked.cells().to_owned();
    cells.iter().enumerate().for_each(|(k, &(_, j))| gone[(j, k)] = f64::NAN);
    let said = imputer.summaries(&masked.with_cells(gone)?, &QUANTILES)?;
    let wanted = said.into_iter().filter(|summary| summary.column == cells[summary.row].1);
    Ok(wanted
        .map(|said| {
            let (row, column) = cells[said.row];
            Predicted { row, column, truth: table.row(row)[column], said }
        })
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use psd_impute::impute::Numbers;

    #[test]
    fn every_column_has_cells_of_different_rows() {
        let rows: Vec<[f64; 2]> =
            (0..200).map(|i| [f64::from(i), if i % 2 == 0 { f64::NAN } else { 1.0 }]).collect();
        let table = Table::continuous(&["a", "b"], &rows).unwrap();
        let chosen = choose(&table);
        // The only observed cell of a row cannot be predicted from others.
        assert!(chosen.iter().all(|&(i, _)| i % 2 == 1));
        for j in 0..2 {
            let mut of: Vec<usize> = chosen.iter().filter(|cell| cell.1 == j).map(|cell| cell.0).collect();
            of.sort_unstable();
            of.dedup();
            assert_eq!(of.len(), 80);
        }
    }

    #[test]
    fn many_columns_have_no_more_cells() {
        let names: Vec<String> = (0..2_000).map(|j| format!("c{j}")).collect();
        let columns = names.iter().map(psd_impute::table::Column::continuous).collect();
        let table = Table::new(columns, faer::Mat::from_fn(2_000, 30, |j, i| (i * 31 + j) as f64)).unwrap();
        let chosen = choose(&table);
        assert_eq!(chosen.len(), CELLS);
        assert!(chosen.iter().any(|cell| cell.1 > 1_900));
    }

    #[test]
    fn columns_of_few_values_and_of_one_that_comes_back_are_coarse() {
        let of = |value: &dyn Fn(u32) -> u32| is_coarse((0..100).map(|i| f64::from(value(i))).collect());
        assert!(of(&|i| i % 19) && of(&|i| if i % 4 == 0 { 0 } else { i }));
        assert!(!of(&|i| i % 20) && !of(&|i| i));
    }

    #[test]
    fn intervals_are_counted_from_the_inside() {
        let said = |truth: f64| {
            let quantiles = vec![0.0, 1.0, 2.0, 3.0, 5.0, 6.0, 7.0, 8.0];
            let numbers = Some(Numbers { mean: 4.0, deviation: 2.0, median: 4.0, quantiles });
            Predicted {
                row: 0,
                column: 3,
                truth,
                said: CellSummary { row: 0, column: 3, numbers, values: None },
            }
        };
        let found = Calibration::sum_up(&[0.5, 3.0, 6.5, 9.0].map(said), true, |_| false);
        assert_eq!(found.numbers[0].covered, [1, 1, 2, 3]);
        assert_eq!(found.numbers[0].points[0], [0.5, 4.0, 1.0, 7.0]);
        assert_eq!(found.together(), (4, [1, 1, 2, 3]));
        let coarse = Calibration::sum_up(&[3.0].map(said), true, |j| j == 3);
        assert_eq!(coarse.together(), (0, [0; 4]));
        assert!(coarse.answer(&[]).contains("fewer than 20 different values"), "{}", coarse.answer(&[]));
        assert!(Calibration::sum_up(&[], true, |_| false).answer(&[]).starts_with("Too few cells"));
    }
}
