//! The rows of a table: all are counted, a sample is kept.
//!
//! A table may have a million rows. It is read twice in batches: first everything is counted, then random samples are kept of all rows
//! and of those with missing cells.

use crate::error::Result;
use psd_impute::impute::Limits;
use psd_impute::table::{RowSample, Table};
use psd_impute_frame::{BoundsOptions, Checked, EncodedBatch, Patterns, Plan, Report, Source};

/// Size of the sample of all rows, for findings computed from rows alone.
const KEPT: usize = 10_000;
/// Size of the sample of rows with missing cells.
const WITH_GAPS: usize = 2_000;

/// Counts and samples of a table's rows.
pub(crate) struct Rows {
    /// Numbers of missing cells and of labels that the model does not know.
    pub(crate) report: Report,
    /// The patterns, the most common first.
    pub(crate) patterns: Vec<(Vec<usize>, u64)>,
    /// The smallest and the largest observed cell of each modelled column, over all rows; reversed if none is observed.
    pub(crate) ranges: Vec<(f64, f64)>,
    /// A random sample of all rows.
    pub(crate) sample: Sample,
    /// A random sample of the rows with missing cells; None if there are none.
    pub(crate) gaps: Option<Sample>,
}

/// Some rows of a table.
pub(crate) struct Sample {
    /// Their numbers in the table, counted from zero.
    pub(crate) numbers: Vec<u64>,
    pub(crate) table: Table,
}

impl Rows {
    /// Refuses a table that does not fit the plan, and an observed cell outside its bounds, which are found, too.
    pub(crate) fn read(source: &Source, plan: &Plan, bounds: &BoundsOptions) -> Result<(Self, Limits)> {
        let mut patterns = Patterns::default();
        let mut ranges = vec![(f64::INFINITY, f64::NEG_INFINITY); plan.modelled().count()];
        let Checked { limits, report } = plan.check(source, bounds, |table| {
            patterns.add(table);
            for row in table.rows() {
                // The minimum and the maximum of a number and a NaN are the number.
                ranges.iter_mut().zip(row).for_each(|(range, &x)| *range = (range.0.min(x), range.1.max(x)));
            }
        })?;
        let patterns = patterns.commonest();
        let (mut all, mut gaps) = (RowSample::new(KEPT), RowSample::new(WITH_GAPS));
        for encoded in plan.batches(source)? {
            let EncodedBatch { batch, table, .. } = encoded?;
            for (i, row) in table.rows().enumerate() {
                let number = batch.first_row() + i as u64;
                all.offer(number, row, || row.to_vec());
                if row.iter().any(|x| x.is_nan()) {
                    gaps.offer(number, row, || row.to_vec());
                }
            }
        }
        let sample = |rows: Vec<(u64, Vec<f64>)>| -> Result<Sample> {
            let (numbers, cells): (Vec<u64>, Vec<Vec<f64>>) = rows.into_iter().unzip();
            Ok(Sample { table: plan.table(&cells.concat())?, numbers })
        };
        let gaps = gaps.into_rows();
        let gaps = if gaps.is_empty() { None } else { Some(sample(gaps)?) };
        Ok((Self { report, patterns, ranges, sample: sample(all.into_rows())?, gaps }, limits))
    }
}

impl Rows {
    /// Number of rows with a missing cell.
    pub(crate) fn with_gaps(&self) -> u64 {
        self.patterns.iter().filter(|(missing, _)| !missing.is_empty()).map(|pattern| pattern.1).sum()
    }
}

impl Sample {
    /// At most `most` of the rows, at random.
    pub(crate) fn some(&self, most: usize) -> Result<Self> {
        self.select(&self.table.sample(most))
    }

    /// The rows at the given positions.
    pub(crate) fn select(&self, rows: &[usize]) -> Result<Self> {
        let numbers = rows.iter().map(|&i| self.numbers[i]).collect();
        Ok(Self { numbers, table: self.table.select(rows)? })
    }
}
