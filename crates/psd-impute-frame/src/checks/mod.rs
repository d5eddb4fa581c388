//! Checks of a completed table: findings to review before trusting it.
//!
//! [`Checks`] sees the batches of a table before and after they are completed. It counts over all rows where it can ([`Tally`],
//! [`LabelPairs`]) and keeps two bounded random samples: of all rows, and of the rows with gaps. [`Checks::finish`] then asks one question
//! per file of this folder. A check fires on two conditions: the difference is too large for chance, given the number of comparisons, and
//! it is large enough to matter.
//!
//! Cells missing at random may well differ from observed ones. Where distributions are compared, observed rows are therefore weighted so
//! that their other columns look like those of the imputed rows (see [`compared`]).
//!
//! ```
//! use psd_impute::table::Table;
//! use psd_impute_frame::{Checks, FilledWith, Plan, ReadOptions, Source, ColumnOverrides};
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("boys.csv");
//! # let row = |i: u32| format!("{},{}\n", i * 7 % 20, if i * 7 % 20 < 8 { String::new() } else { (i % 5).to_string() });
//! # std::fs::write(&path, format!("age,stage\n{}", (0..200).map(row).collect::<String>()))?;
//!
//! let source = Source::open(&path, &ReadOptions::default())?;
//! let plan = Plan::infer(source.batches()?, &ColumnOverrides::new())?;
//! let mut checks = Checks::new(&plan, FilledWith::Draws);
//! for batch in source.batches()? {
//!     let (before, _) = plan.encode(&batch?)?;
//!     let mut cells = before.cells().to_owned();
//!     (0..before.len()).filter(|&i| before.row(i)[1].is_nan()).for_each(|i| cells[(1, i)] = 3.0); // Some imputer.
//!     checks.add(&before, &before.with_cells(cells)?);
//! }
//! let warnings = checks.finish(None);
//! assert_eq!(warnings[0].text, "`stage` is imputed in 80 rows with `age` below 8, where it was never observed");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod associations;
mod chance;
mod compared;
mod difference;
mod distributions;
mod extrapolation;
mod far_cells;
mod impossible;
mod label_pairs;
mod likelihood;
mod propensity;
mod sample;
mod sentinels;
mod tally;
mod warning;

pub use warning::{Warning, WarningKind};

use crate::plan::{ColumnPlan, Kind, Plan};
use compared::Compared;
use label_pairs::LabelPairs;
use psd_impute::model::Model;
use psd_impute::table::Table;
use sample::{Row, Sample};
use tally::Tally;

/// The rows kept of each sample, if the columns are few.
const ROWS: usize = 4_000;
/// The most cells kept of each sample; but always `FEWEST` rows.
const CELLS: usize = 400_000;
const FEWEST: usize = 400;

/// The most columns with gaps and pairs of columns that are examined.
const COLUMNS: usize = 60;
const PAIRS: usize = 2_000;

/// The values that missing cells were filled with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FilledWith {
    /// Draws, which should be distributed like observed cells.
    Draws,
    /// Means or medians, which vary less than observed cells and follow other columns more closely.
    Typical,
}

/// Collects the data for the checks while a table is completed.
pub struct Checks {
    evidence: Evidence,
    all: Sample,
    with_gaps: Sample,
}

/// The data that the checks examine.
struct Evidence {
    filling: FilledWith,
    columns: Vec<ColumnPlan>,
    rows: u64,
    /// A sample of all rows.
    all: Vec<Row>,
    /// A sample of the rows with gaps.
    rows_with_gaps: Vec<Row>,
    /// Whether the samples hold every row.
    whole: bool,
    tallies: Vec<Tally>,
    pairs: LabelPairs,
}

impl Checks {
    /// Makes checks of tables with the plan's columns.
    pub fn new(plan: &Plan, filling: FilledWith) -> Self {
        let columns: Vec<ColumnPlan> = plan.modelled().cloned().collect();
        let rows = (CELLS / columns.len().max(1)).clamp(FEWEST, ROWS);
        let labels: Vec<usize> = columns.iter().map(|column| column.kind().labels().len()).collect();
        let evidence = Evidence {
            filling,
            rows: 0,
            all: Vec::new(),
            rows_with_gaps: Vec::new(),
            whole: true,
            tallies: columns.iter().map(Tally::new).collect(),
            pairs: LabelPairs::new(&labels),
            columns,
        };
        Self { evidence, all: Sample::new(rows), with_gaps: Sample::new(rows) }
    }

    /// Adds the next batch: its encoded cells before and after completion.
    pub fn add(&mut self, before: &Table, after: &Table) {
        before.rows().zip(after.rows()).for_each(|(was, is)| self.add_row(was, is));
    }

    /// Adds the next row.
    pub fn add_row(&mut self, before: &[f64], after: &[f64]) {
        let Self { evidence, all, with_gaps } = self;
        let number = evidence.rows;
        evidence.rows += 1;
        let after: Vec<f64> = after.iter().zip(&evidence.columns).map(|(&x, c)| written(c, x)).collect();
        for ((tally, &was), &is) in evidence.tallies.iter_mut().zip(before).zip(&after) {
            tally.add(was, is, number);
        }
        evidence.pairs.add(before, &after);
        all.offer(number, before, &after);
        if before.iter().any(|x| x.is_nan()) {
            with_gaps.offer(number, before, &after);
        }
    }

    /// The number of rows added.
    pub fn rows(&self) -> u64 {
        self.evidence.rows
    }

    /// The findings, the worst first. A model, if given, is asked how its fit went.
    pub fn finish(self, model: Option<&Model>) -> Vec<Warning> {
        let Self { mut evidence, all, with_gaps } = self;
        evidence.whole = all.is_whole() && with_gaps.is_whole();
        evidence.all = all.into_rows();
        evidence.rows_with_gaps = with_gaps.into_rows();
        let compared: Vec<Compared<'_>> =
            evidence.with_gaps().filter_map(|j| Compared::of(&evidence, j)).collect();
        let mut found = extrapolation::check(&evidence);
        let is_told = |j: usize| found.iter().any(|warning| warning.columns[0] == evidence.name(j));
        let untold = compared.iter().filter(|compared| !is_told(compared.column));
        let unlike: Vec<Warning> =
            untold.filter_map(|compared| extrapolation::unlike(&evidence, compared)).collect();
        found.extend(unlike);
        found.extend(label_pairs::check(&evidence));
        found.extend(impossible::check(&evidence));
        let sentinels = sentinels::check(&evidence);
        // Codes are usually far off.
        let is_code = |warning: &Warning| sentinels.iter().any(|code| code.columns == warning.columns);
        found.extend(far_cells::check(&evidence).into_iter().filter(|warning| !is_code(warning)));
        found.extend(sentinels);
        found.extend(model.map(|model| likelihood::check(model, &evidence)).unwrap_or_default());
        if evidence.filling == FilledWith::Draws {
            found.extend(evidence.differences(&compared));
        }
        found.sort_by(|a, b| b.severity.total_cmp(&a.severity));
        found
    }
}

impl Evidence {
    /// Columns with imputed cells.
    fn with_gaps(&self) -> impl Iterator<Item = usize> {
        (0..self.columns.len()).filter(|&j| self.tallies[j].imputed > 0).take(COLUMNS)
    }

    /// The number of other columns each of them is compared with.
    fn others(&self) -> usize {
        self.columns.len().min(PAIRS / self.with_gaps().count().max(1))
    }

    /// Finds where imputed cells differ from comparable observed ones.
    fn differences(&self, compared: &[Compared<'_>]) -> Vec<Warning> {
        let mut found = Vec::new();
        for compared in compared.iter().filter(|compared| compared.is_enough()) {
            found.extend(distributions::compare(self, compared));
            for k in (0..self.others()).filter(|&k| k != compared.column) {
                found.extend(associations::compare(self, compared, k));
            }
        }
        difference::beyond_chance(found, |j| self.name(j).to_string())
    }

    /// The sampled rows in which a column was observed.
    fn observed(&self, j: usize) -> impl Iterator<Item = &Row> {
        self.all.iter().filter(move |row| !row.before[j].is_nan())
    }

    /// The sampled rows in which a column was imputed.
    fn imputed(&self, j: usize) -> impl Iterator<Item = &Row> {
        self.rows_with_gaps.iter().filter(move |row| row.before[j].is_nan() && !row.after[j].is_nan())
    }

    /// Scales a count among a column's sampled imputed cells to all rows, with its wording.
    fn in_words(&self, j: usize, sampled: usize, what: &str) -> (u64, String) {
        let (kept, all) = (self.imputed(j).count(), self.tallies[j].imputed);
        let count = (sampled as f64 * all as f64 / kept.max(1) as f64).round() as u64;
        let about = if kept as u64 == all { "" } else { "about " };
        (count, format!("{about}{count} {what}{}", if count == 1 { "" } else { "s" }))
    }

    fn is_number(&self, j: usize) -> bool {
        self.tallies[j].labels.is_empty()
    }

    fn name(&self, j: usize) -> &str {
        self.columns[j].name()
    }

    /// A cell of a column as text.
    fn show(&self, j: usize, x: f64) -> String {
        match self.columns[j].kind() {
            Kind::Number { decimals: None, .. } => warning::short(x),
            kind => kind.show(x),
        }
    }
}

/// A completed cell as it is written to a file.
fn written(column: &ColumnPlan, x: f64) -> f64 {
    match column.kind() {
        kind @ Kind::Number { .. } => kind.rounded(x),
        kind if kind.time_unit().is_some() => x.round(),
        _ => x,
    }
}
