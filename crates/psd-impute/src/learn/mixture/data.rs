//! Data of EM that do not change over the iterations: the rows, cut into batches, and the prior.

use super::MixturePrior;
use super::labels::Labels;
use crate::density::LabelForest;
use crate::error::bad;
use crate::table::{Group, Kind, Table};
use crate::{Error, Result};
use faer::Mat;
use std::sync::Arc;

/// Largest number of rows of a batch. Arbitrary.
const ROWS: usize = 64;
/// Approximate number of pieces of a table, whatever the number of threads. Arbitrary.
const PIECES: usize = 16;

/// The table, prepared for the E-step.
pub(super) struct Em<'a> {
    pub(super) prior: &'a MixturePrior,
    /// Groups of batches; each group is summed up on one thread.
    pub(super) pieces: Vec<Vec<Batch>>,
    /// Relative weights that sum to the number of rows.
    pub(super) weights: Vec<f64>,
    pub(super) rows: f64,
    /// Positions of the continuous columns in the table.
    pub(super) continuous: Vec<usize>,
    /// Cells of the continuous columns, one column per row of the table; NaN where missing.
    pub(super) cells: Mat<f64>,
    pub(super) labels: Labels,
    /// The point towards which means are shrunk: the observed means.
    pub(super) centre: Vec<f64>,
}

/// At most [`ROWS`] rows that share a pattern. Columns are numbered within the continuous block.
pub(super) struct Batch {
    pub(super) observed: Vec<usize>,
    pub(super) missing: Vec<usize>,
    pub(super) rows: Vec<usize>,
}

impl<'a> Em<'a> {
    /// Prepares a table; labels depend on each other along `forest`, or as its pairs of labels ask for.
    pub(super) fn new(
        table: &'a Table,
        weights: Option<&[f64]>,
        prior: &'a MixturePrior,
        forest: Option<Arc<LabelForest>>,
    ) -> Result<Self> {
        let kind = |j: &usize| *table.columns()[*j].kind() == Kind::Continuous;
        let continuous: Vec<usize> = (0..table.columns().len()).filter(kind).collect();
        if prior.scale.nrows() != continuous.len() {
            let (found, expected) = (prior.scale.nrows(), continuous.len());
            return Err(Error::Shape { what: "order of the prior's scale", found, expected });
        }
        let rows = table.len() as f64;
        let weights = weights.map_or(vec![1.0; table.len()], <[f64]>::to_vec);
        let total: f64 = weights.iter().sum();
        let negative = weights.iter().any(|w| w.is_nan() || *w < 0.0);
        if negative || total <= 0.0 || weights.len() != table.len() {
            return Err(bad(
                "row weights",
                format!("{} with sum {total}", weights.len()),
                "one per row, none below zero, not all zero",
            ));
        }
        // What depends on what is told by the rows themselves, however many of them are equal.
        let labels = Labels::new(table, &weights, forest);
        let weights: Vec<f64> = weights.iter().map(|w| w * rows / total).collect();
        let centre = continuous.iter().map(|&j| mean(table, j, &weights)).collect();
        let cells = Mat::from_fn(continuous.len(), table.len(), |j, i| table.cells()[(continuous[j], i)]);
        let pieces = pieces(batches(table, &continuous, &weights));
        Ok(Self { prior, pieces, weights, rows, continuous, cells, labels, centre })
    }
}

/// Batches of the rows with positive weight, by pattern.
fn batches(table: &Table, continuous: &[usize], weights: &[f64]) -> Vec<Batch> {
    let mut out = Vec::new();
    for Group { pattern, mut rows } in table.groups() {
        rows.retain(|&i| weights[i] > 0.0);
        let gap = |k: &usize| pattern.missing().binary_search(&continuous[*k]).is_ok();
        let (missing, observed): (Vec<usize>, Vec<usize>) = (0..continuous.len()).partition(gap);
        for rows in rows.chunks(ROWS) {
            out.push(Batch { observed: observed.clone(), missing: missing.clone(), rows: rows.to_vec() });
        }
    }
    out
}

/// Distributes batches over pieces with about the same number of rows.
fn pieces(batches: Vec<Batch>) -> Vec<Vec<Batch>> {
    let rows: usize = batches.iter().map(|batch| batch.rows.len()).sum();
    let (size, mut used) = (rows.div_ceil(PIECES), 0);
    let mut out: Vec<Vec<Batch>> = Vec::new();
    for batch in batches {
        if out.is_empty() || used >= size {
            out.push(Vec::new());
            used = 0;
        }
        used += batch.rows.len();
        if let Some(piece) = out.last_mut() {
            piece.push(batch);
        }
    }
    out
}

impl Batch {
    /// Whether at most half of the columns are missing.
    pub(super) fn few_gaps(&self) -> bool {
        self.missing.len() <= self.observed.len()
    }
}

fn mean(table: &Table, j: usize, weights: &[f64]) -> f64 {
    let seen = table.rows().zip(weights).filter(|(row, _)| !row[j].is_nan());
    let (sum, total) = seen.fold((0.0, 0.0), |(sum, total), (row, w)| (sum + w * row[j], total + w));
    if total > 0.0 { sum / total } else { 0.0 }
}
