//! The rows of a table: all of them counted, some of them kept.
//!
//! A table may have a million rows. It is read twice in batches: first everything is counted, then evenly spread rows are kept, some
//! among all rows and some among those with gaps.

use crate::error::Result;
use psd_impute::impute::Limits;
use psd_impute::table::Table;
use psd_impute_frame::{Plan, Report, Source};
use std::collections::HashMap;

/// Rows that are kept among all, for what is computed from rows alone.
const KEPT: u64 = 10_000;
/// Rows that are kept among those with gaps.
const WITH_GAPS: u64 = 2_000;

/// The sets of missing columns and how many rows have them.
pub(crate) type Patterns = Vec<(Vec<usize>, u64)>;

/// What is known of a table's rows.
pub(crate) struct Rows {
    /// Missing cells and labels that the model does not know.
    pub(crate) report: Report,
    /// The commonest first.
    pub(crate) patterns: Patterns,
    /// The least and the largest observed cell of each modelled column, over all rows; the wrong way round where none is observed.
    pub(crate) ranges: Vec<(f64, f64)>,
    /// Evenly spread among all rows.
    pub(crate) sample: Sample,
    /// Evenly spread among the rows with gaps; none if there are none.
    pub(crate) gaps: Option<Sample>,
}

/// Some rows of a table.
pub(crate) struct Sample {
    /// Their numbers in the table, from zero.
    pub(crate) numbers: Vec<u64>,
    pub(crate) table: Table,
}

impl Rows {
    /// Refuses a table that does not fit the plan, and an observed cell outside its bounds.
    pub(crate) fn read(source: &Source, plan: &Plan, limits: &Limits) -> Result<Self> {
        let Counted { report, patterns, ranges } = Counted::of(source, plan, limits)?;
        let with_gaps: u64 = patterns.iter().filter(|(missing, _)| !missing.is_empty()).map(|p| p.1).sum();
        let mut spread = [Spread::new(report.rows, KEPT), Spread::new(with_gaps, WITH_GAPS)];
        let mut kept: [(Vec<u64>, Vec<f64>); 2] = Default::default();
        for batch in source.batches()? {
            let batch = batch?;
            let (table, _) = plan.encode(&batch)?;
            for (i, row) in table.rows().enumerate() {
                let takes = [true, row.iter().any(|x| x.is_nan())];
                for ((spread, (numbers, cells)), _) in
                    spread.iter_mut().zip(&mut kept).zip(takes).filter(|(_, takes)| *takes)
                {
                    if spread.takes_next() {
                        numbers.push(batch.first_row() + i as u64);
                        cells.extend(row);
                    }
                }
            }
        }
        let sample = |(numbers, cells): (Vec<u64>, Vec<f64>)| -> Result<Sample> {
            Ok(Sample { table: plan.table(&cells)?, numbers })
        };
        let [all, gaps] = kept;
        let gaps = if gaps.0.is_empty() { None } else { Some(sample(gaps)?) };
        Ok(Self { report, patterns, ranges, sample: sample(all)?, gaps })
    }
}

impl Rows {
    /// How many rows have a gap.
    pub(crate) fn with_gaps(&self) -> u64 {
        self.patterns.iter().filter(|(missing, _)| !missing.is_empty()).map(|pattern| pattern.1).sum()
    }
}

impl Sample {
    /// At most so many of the rows, evenly spread.
    pub(crate) fn spread(&self, most: usize) -> Result<Self> {
        let mut spread = Spread::new(self.numbers.len() as u64, most as u64);
        self.select(&(0..self.numbers.len()).filter(|_| spread.takes_next()).collect::<Vec<_>>())
    }

    /// Some of the rows.
    pub(crate) fn select(&self, rows: &[usize]) -> Result<Self> {
        let numbers = rows.iter().map(|&i| self.numbers[i]).collect();
        Ok(Self { numbers, table: self.table.select(rows)? })
    }
}

/// What is known of all rows.
struct Counted {
    report: Report,
    patterns: Patterns,
    ranges: Vec<(f64, f64)>,
}

impl Counted {
    fn of(source: &Source, plan: &Plan, limits: &Limits) -> Result<Self> {
        let mut report = Report::default();
        let mut patterns = HashMap::<Vec<usize>, u64>::new();
        let mut ranges = vec![(f64::INFINITY, f64::NEG_INFINITY); plan.modelled().count()];
        for batch in source.batches()? {
            let batch = batch?;
            let (table, found) = plan.encode(&batch)?;
            plan.check_limits(limits, &batch, &table)?;
            report.add(&found);
            for row in table.rows() {
                *patterns.entry((0..row.len()).filter(|&j| row[j].is_nan()).collect()).or_default() += 1;
                // The least and the largest of a number and a NaN are the number.
                ranges.iter_mut().zip(row).for_each(|(range, &x)| *range = (range.0.min(x), range.1.max(x)));
            }
        }
        let mut patterns: Patterns = patterns.into_iter().collect();
        patterns.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
        Ok(Self { report, patterns, ranges })
    }
}

/// Takes `kept` of `of` things that come one after another: the things `k·of/kept` for `k = 0, 1, ...`
pub(crate) struct Spread {
    of: u64,
    kept: u64,
    taken: u64,
    seen: u64,
}

impl Spread {
    pub(crate) fn new(of: u64, most: u64) -> Self {
        Self { of, kept: of.min(most), taken: 0, seen: 0 }
    }

    pub(crate) fn takes_next(&mut self) -> bool {
        let takes = self.taken < self.kept && self.taken * self.of / self.kept == self.seen;
        self.seen += 1;
        self.taken += u64::from(takes);
        takes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_evenly_spread() {
        let kept = |of, most| {
            let mut spread = Spread::new(of, most);
            (0..of).filter(|_| spread.takes_next()).collect::<Vec<_>>()
        };
        assert_eq!(kept(10, 4), [0, 2, 5, 7]);
        assert_eq!(kept(3, 9), [0, 1, 2]);
        assert_eq!(kept(1_000_000, 10_000).len(), 10_000);
    }
}
