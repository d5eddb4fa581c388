//! The times of a column: dates, times of day or durations.

use super::spread::{Codes, Spread};
use crate::text::{ClockText, DAY, DurationText, TimeText, TimeUnit};

/// A text format of times, which can be joined with that of another cell.
pub(in crate::plan) trait Looks: Copy {
    fn joined(self, other: Self) -> Option<Self>;
}

impl Looks for TimeText {
    fn joined(self, other: Self) -> Option<Self> {
        self.join(other)
    }
}

impl Looks for ClockText {
    fn joined(self, other: Self) -> Option<Self> {
        self.join(other)
    }
}

impl Looks for DurationText {
    fn joined(self, other: Self) -> Option<Self> {
        self.join(other)
    }
}

/// Summary of a column's times.
#[derive(Debug)]
pub(in crate::plan) struct TimeSurvey<T> {
    pub(in crate::plan) count: u64,
    pub(in crate::plan) low: i128,
    pub(in crate::plan) high: i128,
    /// The coarsest unit of which all are whole multiples.
    pub(in crate::plan) unit: TimeUnit,
    /// How they are written, if one form fits all.
    pub(in crate::plan) text: Option<T>,
    /// In days.
    pub(in crate::plan) spread: Spread,
}

impl<T> Default for TimeSurvey<T> {
    fn default() -> Self {
        let (low, high, unit) = (i128::MAX, i128::MIN, TimeUnit::Day);
        Self { count: 0, low, high, unit, text: None, spread: Spread::new(Codes::Days) }
    }
}

impl<T: Looks> TimeSurvey<T> {
    pub(super) fn add(&mut self, row: u64, nanoseconds: i128, text: T) {
        self.text = if self.count == 0 { Some(text) } else { self.text.and_then(|t| t.joined(text)) };
        self.count += 1;
        self.low = self.low.min(nanoseconds);
        self.high = self.high.max(nanoseconds);
        self.unit = self.unit.min(TimeUnit::coarsest(nanoseconds));
        self.spread.add(row, nanoseconds as f64 / DAY as f64);
    }
}
