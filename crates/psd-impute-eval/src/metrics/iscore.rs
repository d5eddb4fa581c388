//! The energy-I-Score of Näf, Scornet and Josse, *What Is a Good Imputation Under MAR Missingness?* (2024), as in the R package Iscores: it
//! ranks imputers on an incomplete table, without its truth. Lower is better.
//!
//! For each column in turn, the imputer predicts the cells that are observed. It learns from its own imputations: the column as *imputed* in
//! the rows where it is missing, together with those other columns that are observed wherever it is. Its draws `Y`, `Y'` for an observed cell
//! `y` are scored by the energy score, which is proper,
//!
//! ```text
//! mean |Y - y| - ½ mean |Y - Y'|
//! ```
//!
//! averaged over the cells; a column with the share `p` missing has the weight `p (1 - p)`. Distances are as in all of [`metrics`](super):
//! numbers are in standard deviations of the observed cells, different labels are at distance one.
//!
//! If no other column is observed wherever the column is, fewer rows are predicted: those with the one other column that most of them
//! have. The other rows, with their observed cells, are then among the rows that the imputer learns from. R's package does not
//! standardise by default.

use super::check;
use super::points::Space;
use crate::imputers::{Fitted, Imputer};
use crate::{Error, Result};
use faer::Mat;
use psd_impute::table::{Kind, Table};

/// Minimum number of missing cells of a scored column: from fewer the imputer would learn too little.
const LEAST: usize = 10;

/// The score of an imputer.
#[derive(Debug, Clone, PartialEq)]
pub struct IScore {
    /// The weighted mean over the columns that could be scored; `None` if there is none.
    pub score: Option<f64>,
    /// The columns with missing cells.
    pub columns: Vec<ColumnScore>,
}

/// The score of an imputer on one column.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ColumnScore {
    /// The position of the column.
    pub column: usize,
    /// Its weight.
    pub weight: f64,
    /// Number of other columns that the imputer could use.
    pub others: usize,
    /// The mean energy score; `None` if it could not be measured.
    pub score: Option<f64>,
}

/// Scores an imputer on an incomplete table, by several draws for each cell. One that does not draw is scored by its absolute error.
///
/// # Errors
///
/// [`Error::BadParameter`] without draws, and errors of the imputer.
pub fn energy_i_score(imputer: &dyn Imputer, table: &Table, draws: u64, seed: u64) -> Result<IScore> {
    if draws == 0 {
        return Err(Error::BadParameter { name: "draws", value: 0.0, expected: "at least one" });
    }
    let completed = imputer.fit(table, seed)?.complete(table, 1)?;
    check::complete(table.cells(), &completed)?;
    let trial = Trial { table, completed, space: Space::of(table)?, imputer, draws, seed };
    let gaps = |j: &usize| table.observed(*j).count() < table.len();
    let columns = (0..table.columns().len()).filter(gaps).map(|j| trial.column(j));
    let columns = columns.collect::<Result<Vec<ColumnScore>>>()?;
    let scored = || columns.iter().filter_map(|column| Some((column.weight, column.score?)));
    let weight: f64 = scored().map(|(weight, _)| weight).sum();
    let total: f64 = scored().map(|(weight, score)| weight * score).sum();
    Ok(IScore { score: (weight > 0.0).then(|| total / weight), columns })
}

/// A table, its imputation, and the settings of the predictions.
struct Trial<'a> {
    table: &'a Table,
    completed: Table,
    space: Space,
    imputer: &'a dyn Imputer,
    draws: u64,
    seed: u64,
}

impl Trial<'_> {
    fn column(&self, j: usize) -> Result<ColumnScore> {
        let (n, observed) = (self.table.len() as f64, self.table.observed(j).count() as f64);
        let weight = observed / n * (1.0 - observed / n);
        let enough = n - observed >= LEAST as f64 && self.space.columns().any(|k| k == j);
        let Some((rows, others)) = self.split(j).filter(|_| enough) else {
            return Ok(ColumnScore { column: j, weight, others: 0, score: None });
        };
        let asked = self.asked(j, &rows, &others)?;
        let fitted = self.imputer.fit(&asked, self.seed)?;
        let score = self.energy_score(j, &rows, &asked, fitted.as_ref())?;
        Ok(ColumnScore { column: j, weight, others: others.len(), score: Some(score) })
    }

    /// The rows in which a column is predicted, and the columns that are observed in all of them.
    fn split(&self, j: usize) -> Option<(Vec<usize>, Vec<usize>)> {
        let observed = |i: usize, k: usize| !self.table.row(i)[k].is_nan();
        let mut others: Vec<usize> = (0..self.table.columns().len()).filter(|&k| k != j).collect();
        let mut rows: Vec<usize> = (0..self.table.len()).filter(|&i| observed(i, j)).collect();
        let whole = |rows: &[usize], k: usize| rows.iter().all(|&i| observed(i, k));
        if !others.iter().any(|&k| whole(&rows, k)) {
            let count = |k: &&usize| rows.iter().filter(|&&i| observed(i, **k)).count();
            // The first of equal counts.
            let best = *others.iter().rev().max_by_key(count)?;
            rows.retain(|&i| observed(i, best));
        }
        others.retain(|&k| whole(&rows, k));
        (!rows.is_empty()).then_some((rows, others))
    }

    /// The column and the others: first the rows in which it is predicted, then all other rows, completed.
    fn asked(&self, j: usize, rows: &[usize], others: &[usize]) -> Result<Table> {
        let mut wanted = vec![false; self.table.len()];
        rows.iter().for_each(|&i| wanted[i] = true);
        let order: Vec<usize> =
            rows.iter().copied().chain((0..wanted.len()).filter(|&i| !wanted[i])).collect();
        let columns: Vec<usize> = [j].into_iter().chain(others.iter().copied()).collect();
        let cell = |k: usize, i: usize| {
            if k == 0 && i < rows.len() { f64::NAN } else { self.completed.row(order[i])[columns[k]] }
        };
        let kinds = columns.iter().map(|&k| self.completed.columns()[k].clone()).collect();
        Ok(Table::new(kinds, Mat::from_fn(columns.len(), order.len(), cell))?)
    }

    /// The mean over the rows of the energy score of the draws.
    fn energy_score(&self, j: usize, rows: &[usize], asked: &Table, fitted: &dyn Fitted) -> Result<f64> {
        let draw = |completed: Table| {
            check::complete(asked.cells(), &completed)?;
            Ok((0..rows.len()).map(|i| completed.row(i)[0]).collect::<Vec<f64>>())
        };
        let completed = fitted.completions(asked, self.draws)?.into_iter();
        let draws = completed.map(draw).collect::<Result<Vec<_>>>()?;
        let m = draws.len() as f64;
        let score = |(i, &row): (usize, &usize)| {
            let truth = self.table.row(row)[j];
            let mut total = 0.0;
            for (k, draw) in draws.iter().enumerate() {
                let among: f64 = draws[..k].iter().map(|other| self.distance(j, draw[i], other[i])).sum();
                total += self.distance(j, draw[i], truth) / m - among / (m * m);
            }
            total
        };
        Ok(rows.iter().enumerate().map(score).sum::<f64>() / rows.len() as f64)
    }

    /// The distance between two cells of a column.
    fn distance(&self, j: usize, x: f64, y: f64) -> f64 {
        match self.table.columns()[j].kind() {
            Kind::Category(_) => f64::from(x != y),
            _ => (self.space.unit(j, x) - self.space.unit(j, y)).abs(),
        }
    }
}
