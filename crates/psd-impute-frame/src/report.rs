//! Counts from a table that a plan was applied to.

use crate::batch::Batch;
use crate::drift::{Drift, Tally};
use crate::error::{Error, Result};
use crate::place::Origin;
use crate::plan::{Plan, Reason, Role};

/// Counts from a table.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Report {
    /// The number of rows.
    pub rows: u64,
    /// The completed columns: the modelled ones in the order of the engine's table, then the constant ones.
    pub columns: Vec<ColumnReport>,
    /// The columns left unchanged, in the order of the table.
    pub left: Vec<LeftColumn>,
    /// Columns that the plan does not know. They are among those left unchanged.
    pub extra: Vec<String>,
}

/// Counts from a completed column.
#[derive(Debug, Clone, PartialEq)]
pub struct ColumnReport {
    /// The column.
    pub name: String,
    /// The number of missing cells; all cells of a column that the table lacks.
    pub missing: u64,
    /// The number of cells with a label that the plan does not know. They count as missing for the model, and are left unchanged.
    pub unseen: u64,
    /// The number of cells that the plan knows not to be numbers or times. They count as missing for the model, and are left unchanged.
    pub odd: u64,
    /// Whether the table lacks it.
    pub absent: bool,
    /// Its observed cells against the learned ones.
    pub(crate) tally: Tally,
}

/// A column that is left unchanged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftColumn {
    /// The column.
    pub name: String,
    /// Its kind in words.
    pub kind: &'static str,
    /// The number of missing cells, which stay empty.
    pub missing: u64,
    /// The reason why it is left unchanged.
    pub reason: Reason,
}

impl Report {
    /// Adds the counts of a further batch of the same table.
    pub fn add(&mut self, other: &Report) {
        if self.columns.is_empty() {
            *self = other.clone();
            return;
        }
        self.rows += other.rows;
        for (mine, theirs) in self.columns.iter_mut().zip(&other.columns) {
            mine.missing += theirs.missing;
            mine.unseen += theirs.unseen;
            mine.odd += theirs.odd;
            mine.tally.add(&theirs.tally);
        }
        self.add_left(&other.left);
    }

    /// Adds the unchanged columns of a further batch.
    pub fn add_left(&mut self, left: &[LeftColumn]) {
        if self.left.is_empty() {
            self.left = left.to_vec();
            return;
        }
        self.left.iter_mut().zip(left).for_each(|(mine, theirs)| mine.missing += theirs.missing);
    }

    /// Refuses a table that lacks a column.
    ///
    /// # Errors
    ///
    /// [`Error::MissingColumn`].
    pub fn refuse_absent(&self, origin: &Origin) -> Result<()> {
        match self.columns.iter().find(|column| column.absent) {
            None => Ok(()),
            Some(column) => Err(Error::MissingColumn { origin: origin.clone(), column: column.name.clone() }),
        }
    }

    /// The differences between the table and the cells that the plan's columns were fitted to, the worst column first.
    pub fn drift(&self, plan: &Plan) -> Vec<Drift> {
        let modelled = plan.modelled().zip(&self.columns);
        let mut drift: Vec<Drift> =
            modelled.filter_map(|(column, found)| Drift::of(column, &found.tally, found.unseen)).collect();
        Drift::sort(&mut drift);
        drift
    }

    /// Notes on cells that are not numbers or times in such columns. Where the plan was made, its survey says more.
    pub fn odd_notes(&self) -> Vec<String> {
        let odd = self.columns.iter().filter(|column| column.odd > 0);
        odd.map(|ColumnReport { name, odd, .. }| match odd {
            1 => format!("column `{name}`: 1 cell is not what the column holds and stays as it is"),
            _ => format!("column `{name}`: {odd} cells are not what the column holds and stay as they are"),
        })
        .collect()
    }

    /// Notes on labels that the plan does not know, and on columns that only the table or only the plan has.
    pub fn notes(&self) -> Vec<String> {
        let unseen = self.columns.iter().filter(|column| column.unseen > 0).map(|column| {
            let ColumnReport { name, unseen, missing, .. } = column;
            let cells = if *unseen == 1 { "cell" } else { "cells" };
            let share = 100.0 * *unseen as f64 / (self.rows - missing).max(1) as f64;
            format!("column `{name}`: labels unknown to the model in {unseen} {cells} ({share:.1} %); they count as missing and stay")
        });
        let extra = self
            .extra
            .iter()
            .map(|name| format!("column `{name}` is unknown to the model and passed through"));
        let absent = self.columns.iter().filter(|column| column.absent).map(|column| {
            let name = &column.name;
            format!("column `{name}` is not in the table; it counts as missing, and is not added")
        });
        absent.chain(unseen).chain(extra).collect()
    }
}

impl ColumnReport {
    /// The report of a column without cells.
    pub(crate) fn new(name: &str) -> Self {
        let tally = Tally::default();
        Self { name: name.to_string(), missing: 0, unseen: 0, odd: 0, absent: false, tally }
    }
}

impl LeftColumn {
    /// A note about the cells that stay empty, if there are any.
    pub fn note(&self) -> Option<String> {
        let Self { name, missing, reason, .. } = self;
        let cells = if *missing == 1 { "cell of `{}` stays" } else { "cells of `{}` stay" };
        (*missing > 0).then(|| format!("{missing} {} empty: {reason}", cells.replace("{}", name)))
    }

    /// How the columns could be completed, in terms of the options that treat columns as categories, treat them as numbers, and ignore
    /// them.
    pub fn remedies(columns: &[Self], [category, number, ignore]: [&str; 3]) -> String {
        use Reason::{DoubtfulDates, FreeText, Identifier, Ignored, LongIntegers, ManyLabels, SomeDates};
        let by_rule = |c: &Self| matches!(c.reason, Identifier | FreeText | ManyLabels { .. } | LongIntegers);
        let dates = |c: &Self| matches!(c.reason, SomeDates | DoubtfulDates);
        let names = |wanted: &dyn Fn(&Self) -> bool| {
            let names = columns.iter().filter(|column| wanted(column)).map(|column| column.name.as_str());
            Some(names.collect::<Vec<_>>().join(",")).filter(|names| !names.is_empty())
        };
        let text = names(&|c| by_rule(c) && c.kind == "text");
        let numbers = names(&|c| by_rule(c) && c.kind != "text");
        let doubtful = names(&dates);
        let ignored = names(&|c| c.reason == Ignored);
        let hopeless = names(&|c| !by_rule(c) && !dates(c) && c.reason != Ignored);
        let remedies = [
            text.map(|names| {
                format!("{category} {names} completes it with texts of other rows, few of which repeat")
            }),
            numbers.map(|names| format!("complete it with {number} {names}")),
            doubtful.map(|names| format!("settle the dates of {names}")),
            ignored.map(|names| format!("do not give {ignore} {names}")),
            hopeless.map(|names| format!("take {names} out of the table, which nothing completes")),
        ];
        remedies.into_iter().flatten().collect::<Vec<_>>().join("; ")
    }

    /// Refuses columns with cells that stay empty.
    ///
    /// # Errors
    ///
    /// [`Error::StaysEmpty`].
    pub fn refuse_empty(columns: &[Self]) -> Result<()> {
        let columns: Vec<Self> = columns.iter().filter(|column| column.missing > 0).cloned().collect();
        if columns.is_empty() { Ok(()) } else { Err(Error::StaysEmpty { columns }) }
    }
}

impl Plan {
    /// The columns of a batch that are left unchanged, including those that the plan does not know.
    ///
    /// # Errors
    ///
    /// If a cell cannot be read.
    pub fn left(&self, batch: &Batch) -> Result<Vec<LeftColumn>> {
        let mut left = Vec::new();
        for (j, name) in batch.names().into_iter().enumerate() {
            let column = self.column(name);
            if column.is_some_and(|column| !matches!(column.role(), Role::Left(_))) {
                continue;
            }
            let missing = batch.missing(j)?.into_iter().filter(|missing| *missing).count() as u64;
            let unknown =
                || LeftColumn { name: name.to_string(), kind: "text", missing, reason: Reason::Unknown };
            left.push(column.and_then(|column| column.left(missing)).unwrap_or_else(unknown));
        }
        Ok(left)
    }
}
