//! Numbers of six digits that may be years and months.

use super::times::TimeSurvey;
use crate::text::{TimeText, month_of_year};
use std::collections::BTreeSet;

/// Numbers are years and months if there are so many of them, so many of them are different, and these have so many months of the year: of
/// integers that count something else hardly one in eight ends in 01 to 12.
const CELLS: u64 = 12;
const DIFFERENT: usize = 8;
const MONTHS: usize = 4;

/// What was seen of a column's numbers that may be years and months.
#[derive(Debug, Default)]
pub(in crate::plan) struct MonthSurvey {
    pub(in crate::plan) times: TimeSurvey<TimeText>,
    /// The different ones. There are not many.
    different: BTreeSet<i128>,
}

impl MonthSurvey {
    pub(super) fn add(&mut self, row: u64, nanoseconds: i128) {
        self.times.add(row, nanoseconds, TimeText::MONTH);
        self.different.insert(nanoseconds);
    }

    /// Whether they are hardly by chance what they may be.
    pub(super) fn are_likely(&self) -> bool {
        let months: BTreeSet<u32> = self.different.iter().filter_map(|&time| month_of_year(time)).collect();
        self.times.count >= CELLS && self.different.len() >= DIFFERENT && months.len() >= MONTHS
    }
}
