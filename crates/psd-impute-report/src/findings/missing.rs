//! Missing cells.

use crate::numbers::{count, counted, list, percent};
use crate::rows::Rows;
use psd_impute_frame::ColumnPlan;
use serde::Serialize;

/// Number of columns that are named.
const NAMED: usize = 5;

/// Numbers of missing cells, by column.
#[derive(Debug, Clone, Serialize)]
pub struct Missing {
    /// Number of rows of the table.
    pub rows: u64,
    /// Number of rows without a missing cell.
    pub complete: u64,
    /// The modelled columns, in the table's order.
    pub columns: Vec<Gaps>,
    /// The columns with missing cells that are left unchanged, and the numbers of their missing cells, which stay empty.
    pub others: Vec<(String, u64)>,
    /// The constant columns with missing cells, and the numbers of their missing cells, which get the constant.
    pub constants: Vec<(String, u64)>,
}

/// The missing cells of a column.
#[derive(Debug, Clone, Serialize)]
pub struct Gaps {
    /// The name of the column.
    pub name: String,
    /// Its kind in words.
    pub kind: &'static str,
    /// Number of its missing cells, including those with a label that the model does not know.
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

    /// Number of cells.
    pub fn cells(&self) -> u64 {
        self.rows * self.columns.len() as u64
    }

    /// Number of missing cells.
    pub fn gaps(&self) -> u64 {
        self.columns.iter().map(|column| column.missing).sum()
    }

    /// One or two sentences.
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

/// Lists columns and the numbers of their missing cells, the first few by name.
fn named(columns: &[(String, u64)]) -> String {
    let first = columns.iter().take(NAMED);
    let mut names: Vec<String> =
        first.map(|(name, missing)| format!("“{name}” ({})", counted(*missing, "cell"))).collect();
    if columns.len() > NAMED {
        names.push(counted((columns.len() - NAMED) as u64, "more column"));
    }
    list(&names)
}
