//! Patterns of missing cells.

use crate::numbers::{count, counted, percent};
use crate::rows::Rows;
use serde::Serialize;

/// Number of patterns shown separately.
const SHOWN: usize = 15;

/// The sets of columns that are missing together.
#[derive(Debug, Clone, Serialize)]
pub struct Patterns {
    /// The most common patterns, in decreasing order.
    pub shown: Vec<Pattern>,
    /// Number of other patterns.
    pub others: u64,
    /// Number of rows with those.
    pub other_rows: u64,
    /// Number of rows of the table.
    pub rows: u64,
}

/// A set of missing columns.
#[derive(Debug, Clone, Serialize)]
pub struct Pattern {
    /// The positions of the columns.
    pub missing: Vec<usize>,
    /// Number of rows that miss these columns and no others.
    pub rows: u64,
}

impl Patterns {
    pub(crate) fn of(rows: &Rows) -> Self {
        let shown = rows.patterns.iter().take(SHOWN);
        let others = &rows.patterns[SHOWN.min(rows.patterns.len())..];
        Self {
            shown: shown.map(|(missing, rows)| Pattern { missing: missing.clone(), rows: *rows }).collect(),
            others: others.len() as u64,
            other_rows: others.iter().map(|pattern| pattern.1).sum(),
            rows: rows.report.rows,
        }
    }

    /// One sentence.
    pub fn answer(&self) -> String {
        let total = self.shown.len() as u64 + self.others;
        let gaps: Vec<&Pattern> = self.shown.iter().filter(|pattern| !pattern.missing.is_empty()).collect();
        let Some(first) = gaps.first() else { return "No row has a gap.".to_string() };
        let share = percent(first.rows as f64 / self.rows as f64);
        let mut out = format!(
            "Observed and missing columns form {}; the commonest one with a gap has {} ({share}).",
            counted(total, "pattern"),
            counted(first.rows, "row")
        );
        if self.others > 0 {
            out += &format!(
                " The {} that are not shown have {} together.",
                count(self.others),
                counted(self.other_rows, "row")
            );
        }
        out
    }
}
