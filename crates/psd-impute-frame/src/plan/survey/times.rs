//! The dates and times of a column.

use crate::place::Place;
use crate::text::{TimeText, TimeUnit};

/// What was seen of a column's times.
#[derive(Debug)]
pub(in crate::plan) struct TimeSurvey {
    pub(in crate::plan) count: u64,
    pub(in crate::plan) low: i128,
    pub(in crate::plan) high: i128,
    /// The coarsest unit that all are whole numbers of.
    pub(in crate::plan) unit: TimeUnit,
    /// How they are written, if they go together.
    pub(in crate::plan) text: Option<TimeText>,
    /// The first cell that is none.
    pub(in crate::plan) other: Option<(Place, String)>,
}

impl Default for TimeSurvey {
    fn default() -> Self {
        let (low, high, unit) = (i128::MAX, i128::MIN, TimeUnit::Day);
        Self { count: 0, low, high, unit, text: None, other: None }
    }
}

impl TimeSurvey {
    pub(super) fn add(&mut self, nanoseconds: i128, text: TimeText) {
        self.text = if self.count == 0 { Some(text) } else { self.text.and_then(|t| t.join(text)) };
        self.count += 1;
        self.low = self.low.min(nanoseconds);
        self.high = self.high.max(nanoseconds);
        self.unit = self.unit.min(TimeUnit::coarsest(nanoseconds));
    }
}
