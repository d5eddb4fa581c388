//! Distances of completed tables from the truth.
//!
//! Numbers are standardised by the truth's mean and standard deviation; a column that is constant in the truth is left out. A category
//! enters distances by the indicators of its labels, each divided by the square root of two, so that two different labels are at distance one.
//!
//! | | |
//! |---|---|
//! | `ed` | the energy distance between the completed and the true rows |
//! | `w2` | half the squared 2-Wasserstein distance between the rows that had a missing cell and their truth |
//! | `sw2` | in its place, when there are too many such rows: a lower bound of it, by distances along random directions |
//! | `rmse`, `mae` | the root of the mean squared and the mean absolute error of the missing numbers |
//! | `category_error` | the share of missing labels that were completed wrongly |
//!
//! Rows whose truth is incomplete are not scored.
//!
//! [`Evaluation::intervals`] scores intervals for missing numbers, and [`energy_i_score`] scores an imputer without a truth.

mod assignment;
mod cells;
mod check;
mod energy;
mod intervals;
mod iscore;
mod points;
mod sliced;
mod wasserstein;

pub use intervals::Intervals;
pub use iscore::{ColumnScore, IScore, energy_i_score};
pub use sliced::{DIRECTIONS, sliced_bases};

use crate::{Error, Result};
use cells::CellErrors;
use faer::Mat;
use points::{Points, Space};
use psd_impute::table::Table;
use serde::{Deserialize, Serialize};

/// Maximum number of completed tables whose Wasserstein distance is measured, by far the slowest score.
pub const WASSERSTEIN_TABLES: usize = 2;
/// Maximum number of rows with a missing cell for which it is measured: memory grows with their square and time with their cube. For more rows
/// a lower bound is measured along [`DIRECTIONS`] directions or a few more.
pub const WASSERSTEIN_ROWS: usize = 5_000;

/// Distances of one completed table from the truth, or the averages over several. `None` where a score does not apply.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Scores {
    /// The energy distance over all rows.
    pub ed: f64,
    /// Half the squared 2-Wasserstein distance over the rows with a missing cell; of the first [`WASSERSTEIN_TABLES`] only, and of no
    /// more than [`WASSERSTEIN_ROWS`] rows.
    pub w2: Option<f64>,
    /// A lower bound of it for more rows: the distance along single directions, summed over random bases.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sw2: Option<f64>,
    /// The root mean squared error of missing numbers.
    pub rmse: Option<f64>,
    /// The mean absolute error of missing numbers.
    pub mae: Option<f64>,
    /// The share of missing labels that are wrong.
    pub category_error: Option<f64>,
}

impl Scores {
    /// The averages of the scores of several tables, each over the tables that have it; `None` without a table.
    pub fn average(all: &[Self]) -> Option<Self> {
        let of = |score: &dyn Fn(&Self) -> Option<f64>| {
            let values: Vec<f64> = all.iter().filter_map(score).collect();
            (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
        };
        Some(Self {
            ed: of(&|s| Some(s.ed))?,
            w2: of(&|s| s.w2),
            sw2: of(&|s| s.sw2),
            rmse: of(&|s| s.rmse),
            mae: of(&|s| s.mae),
            category_error: of(&|s| s.category_error),
        })
    }
}

/// A truth and a masked table, against which completed tables are scored.
pub struct Evaluation {
    truth: Table,
    /// The masked table's cells, with labels numbered as in the truth.
    masked: Mat<f64>,
    space: Space,
    /// The scored rows, and their truth as points.
    rows: Vec<usize>,
    points: Points,
    /// The points that had a missing cell.
    with_gaps: Vec<usize>,
    /// The mean distance between two points of the truth.
    spread: f64,
}

impl Evaluation {
    /// Prepares the scores of completed copies of a masked table.
    ///
    /// # Errors
    ///
    /// [`Error::Columns`], [`Error::Rows`], [`Error::Header`], [`Error::OtherKind`] or an error about a cell if the masked table's columns,
    /// number of rows or observed cells differ from the truth's.
    pub fn new(truth: &Table, masked: &Table) -> Result<Self> {
        let space = Space::of(truth)?;
        let cells = check::aligned(truth, masked)?;
        check::unchanged(&space, truth, cells.as_ref(), masked)?;
        let complete = |i: &usize| !truth.row(*i).iter().any(|x| x.is_nan());
        let rows: Vec<usize> = (0..truth.len()).filter(complete).collect();
        if rows.is_empty() {
            return Err(Error::NoCompleteRow);
        }
        let points = space.points(truth.cells(), &rows);
        let missing = |&k: &usize| space.columns().any(|j| cells[(j, rows[k])].is_nan());
        let with_gaps = (0..rows.len()).filter(missing).collect();
        let spread = energy::spread(&points);
        Ok(Self { truth: truth.clone(), masked: cells, space, rows, points, with_gaps, spread })
    }

    /// Number of scored rows, whose truth is complete.
    pub fn rows(&self) -> usize {
        self.rows.len()
    }

    /// Number of them with a missing cell, ignoring constant columns.
    pub fn rows_with_gaps(&self) -> usize {
        self.with_gaps.len()
    }

    /// Scores the `k`th completed table, counted from zero.
    ///
    /// # Errors
    ///
    /// As for [`new`](Self::new), and for a table with missing cells.
    pub fn score(&self, k: usize, completed: &Table) -> Result<Scores> {
        let cells = check::aligned(&self.truth, completed)?;
        check::unchanged(&self.space, &self.truth, self.masked.as_ref(), completed)?;
        check::complete(self.masked.as_ref(), completed)?;
        let points = self.space.points(cells.as_ref(), &self.rows);
        let errors = CellErrors::of(
            &self.space,
            &self.rows,
            self.masked.as_ref(),
            [self.truth.cells(), cells.as_ref()],
        );
        let measured = k < WASSERSTEIN_TABLES && (1..=WASSERSTEIN_ROWS).contains(&self.with_gaps.len());
        let bounded = self.with_gaps.len() > WASSERSTEIN_ROWS;
        Ok(Scores {
            // The distance of equal tables is exactly zero in spite of rounding.
            ed: (2.0 * energy::between(&points, &self.points) - energy::spread(&points) - self.spread)
                .max(0.0)
                + 0.0,
            w2: measured.then(|| wasserstein::half_squared(&points, &self.points, &self.with_gaps)),
            sw2: bounded.then(|| sliced::half_squared(&points, &self.points, &self.with_gaps)).transpose()?,
            rmse: errors.rmse(),
            mae: errors.mae(),
            category_error: errors.category_error(),
        })
    }
}
