//! Numbers of six digits that may be years and months.

use super::times::TimeSurvey;
use crate::text::{TimeText, month_of_year};
use std::collections::BTreeSet;

/// Numbers count as years and months if there are at least this many, enough of them differ, and they cover enough months of the year:
/// hardly one in eight integers that count something else ends in 01 to 12.
const CELLS: u64 = 12;
const DIFFERENT: usize = 8;
const MONTHS: usize = 4;

/// Summary of a column's numbers that may be years and months.
#[derive(Debug, Default)]
pub(in crate::plan) struct MonthSurvey {
    pub(in crate::plan) times: TimeSurvey<TimeText>,
    /// The different numbers. There are few.
    different: BTreeSet<i128>,
}

impl MonthSurvey {
    pub(super) fn add(&mut self, row: u64, nanoseconds: i128) {
        self.times.add(row, nanoseconds, TimeText::MONTH);
        self.different.insert(nanoseconds);
    }

    /// Whether they are unlikely to look like months by chance.
    pub(super) fn are_likely(&self) -> bool {
        let months: BTreeSet<u32> = self.different.iter().filter_map(|&time| month_of_year(time)).collect();
        self.times.count >= CELLS && self.different.len() >= DIFFERENT && months.len() >= MONTHS
    }
}
