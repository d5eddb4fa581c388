//! What is missing?

use crate::numbers::{count, counted, list, percent};
use crate::rows::Rows;
use psd_impute_frame::ColumnPlan;
use serde::Serialize;

/// Columns that are named one by one.
const NAMED: usize = 5;

/// How many cells are missing, and in which columns.
#[derive(Debug, Clone, Serialize)]
pub struct Missing {
    /// The table's rows.
    pub rows: u64,
    /// Rows without a gap.
    pub complete: u64,
    /// Each column that is modelled, in the table's order.
    pub columns: Vec<Gaps>,
    /// The columns that stay as they are and have gaps, and their missing cells, which stay empty.
    pub others: Vec<(String, u64)>,
    /// The columns of one value that have gaps, and their missing cells, which become that value.
    pub constants: Vec<(String, u64)>,
}

/// The gaps of a column.
#[derive(Debug, Clone, Serialize)]
pub struct Gaps {
    /// The column.
    pub name: String,
    /// Its kind in words.
    pub kind: &'static str,
    /// Its missing cells; those with a label that the model does not know count as such.
    pub missing: u64,
}

impl Missing {
    pub(crate) fn of(rows: &Rows, plans: &[&ColumnPlan]) -> Self {
        let columns = plans.iter().zip(&rows.report.columns).map(|(column, found)| Gaps {
            name: column.name().to_string(),
            kind: column.kind().name(),
            missing: found.missing + found.unseen,
        });
        let complete = rows.patterns.iter().find(|(missing, _)| missing.is_empty()).map_or(0, |p| p.1);
        let others = rows.report.left.iter().map(|column| (&column.name, column.missing));
        let constants = rows.report.columns.iter().skip(plans.len()).map(|c| (&c.name, c.missing));
        Self {
            rows: rows.report.rows,
            complete,
            columns: columns.collect(),
            others: with_gaps(others),
            constants: with_gaps(constants),
        }
    }

    /// All cells.
    pub fn cells(&self) -> u64 {
        self.rows * self.columns.len() as u64
    }

    /// The missing ones.
    pub fn gaps(&self) -> u64 {
        self.columns.iter().map(|column| column.missing).sum()
    }

    /// In a sentence or two.
    pub fn answer(&self) -> String {
        let mut out = self.of_modelled();
        for (columns, what) in [
            (&self.constants, "Cells of columns with one value become that value"),
            (&self.others, "Cells of columns that are left as they are stay empty"),
        ] {
            if !columns.is_empty() {
                out += &format!(" {what}: {}.", named(columns));
            }
        }
        out
    }

    fn of_modelled(&self) -> String {
        if self.gaps() == 0 {
            return format!(
                "Nothing is missing in the modelled columns: all {} cells are observed.",
                count(self.cells())
            );
        }
        let share = |n: u64, of: u64| percent(n as f64 / of.max(1) as f64);
        let most = self.columns.iter().map(|column| column.missing).max().unwrap_or(0);
        let worst: Vec<String> = self
            .columns
            .iter()
            .filter(|c| c.missing == most)
            .take(3)
            .map(|c| format!("“{}”", c.name))
            .collect();
        format!(
            "{} of {} cells ({}) are missing, in {} of {} columns; {} of {} rows ({}) are complete. The most gaps, {} of its rows, {} in {}.",
            count(self.gaps()),
            count(self.cells()),
            share(self.gaps(), self.cells()),
            self.columns.iter().filter(|column| column.missing > 0).count(),
            self.columns.len(),
            count(self.complete),
            count(self.rows),
            share(self.complete, self.rows),
            share(most, self.rows),
            if worst.len() == 1 { "are" } else { "each are" },
            list(&worst),
        )
    }
}

fn with_gaps<'a>(columns: impl Iterator<Item = (&'a String, u64)>) -> Vec<(String, u64)> {
    columns.filter(|(_, missing)| *missing > 0).map(|(name, missing)| (name.clone(), missing)).collect()
}

/// Columns and their missing cells, the first few by name.
fn named(columns: &[(String, u64)]) -> String {
    let first = columns.iter().take(NAMED);
    let mut names: Vec<String> =
        first.map(|(name, missing)| format!("“{name}” ({})", counted(*missing, "cell"))).collect();
    if columns.len() > NAMED {
        names.push(counted((columns.len() - NAMED) as u64, "more column"));
    }
    list(&names)
}
