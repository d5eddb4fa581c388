//! Rows that are unusual under the model.

use crate::columns::show;
use crate::error::Result;
use crate::numbers::{count, counted, percent, rounded};
use crate::rows::Sample;
use psd_impute::impute::{Imputer, RowScore};
use psd_impute_frame::ColumnPlan;
use serde::Serialize;

/// Maximum number of rows scored.
const SCORED_ROWS: usize = 2_000;
/// Maximum number of patterns scored, the most common first: each needs its own comparison.
const PATTERNS: usize = 25;
/// Number of new rows of the model that a row is compared with.
const DRAWS: usize = 500;
/// Number of rows shown.
const SHOWN: usize = 10;

/// The most unusual rows.
#[derive(Debug, Clone, Serialize)]
pub struct Outliers {
    /// The most unusual first.
    pub rows: Vec<Unusual>,
    /// Number of rows scored.
    pub scored: usize,
    /// Number of those as unusual as the most unusual 1 % of the model's own rows.
    pub rare: usize,
}

/// An unusual row.
#[derive(Debug, Clone, Serialize)]
pub struct Unusual {
    /// Its number in the table, counted from one.
    pub row: u64,
    /// The log-density of its observed cells.
    pub log_density: f64,
    /// The share of the model's rows with at most the same density in the same cells.
    pub share: f64,
    /// Its cells as text; None is a missing cell.
    pub cells: Vec<Option<String>>,
}

impl Outliers {
    pub(crate) fn of(sample: &Sample, imputer: &Imputer<'_>, plans: &[&ColumnPlan]) -> Result<Self> {
        let sample = sample.some(SCORED_ROWS)?;
        let mut groups = sample.table.groups();
        groups.sort_by_key(|group| std::cmp::Reverse(group.rows.len()));
        let mut rows: Vec<usize> = groups.into_iter().take(PATTERNS).flat_map(|group| group.rows).collect();
        rows.sort_unstable();
        let sample = sample.select(&rows)?;
        let drawn = imputer.new_rows(sample.table.columns(), DRAWS, 0)?;
        let scores = imputer.outlier_scores(&sample.table, &drawn)?;
        let mut order: Vec<usize> = (0..scores.len()).collect();
        let key = |&i: &usize| (scores[i].share, scores[i].log_density);
        order.sort_by(|a, b| key(a).0.total_cmp(&key(b).0).then(key(a).1.total_cmp(&key(b).1)));
        let unusual = |&i: &usize| {
            let RowScore { log_density, share } = scores[i];
            let cells = sample.table.row(i).iter().zip(plans);
            Unusual {
                row: sample.numbers[i] + 1,
                log_density: rounded(log_density, 5),
                share: rounded(share, 4),
                cells: cells.map(|(&x, plan)| (!x.is_nan()).then(|| show(plan, x))).collect(),
            }
        };
        Ok(Self {
            rows: order.iter().take(SHOWN).map(unusual).collect(),
            scored: scores.len(),
            rare: scores.iter().filter(|score| score.share <= 0.01).count(),
        })
    }

    /// One sentence.
    pub fn answer(&self) -> String {
        let expected = self.scored as f64 * 0.01;
        format!(
            "{} of {} ({}) are as unusual as the model’s own rarest 1 %, where about {} would be if all came from the model.",
            count(self.rare as u64),
            counted(self.scored as u64, "row"),
            percent(self.rare as f64 / self.scored.max(1) as f64),
            count(expected.round() as u64)
        )
    }
}
