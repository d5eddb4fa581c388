//! Units of time.

use serde::{Deserialize, Serialize};

/// Nanoseconds of a day.
pub(crate) const DAY: i128 = 86_400_000_000_000;

/// The unit in which a column counts times.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TimeUnit {
    /// 10⁻⁹ s.
    Nanosecond,
    /// 10⁻⁶ s.
    Microsecond,
    /// 10⁻³ s.
    Millisecond,
    /// 1 s.
    Second,
    /// 60 s.
    Minute,
    /// 3600 s.
    Hour,
    /// 86400 s.
    Day,
}

impl TimeUnit {
    const COARSE_TO_FINE: [Self; 7] = [
        Self::Day,
        Self::Hour,
        Self::Minute,
        Self::Second,
        Self::Millisecond,
        Self::Microsecond,
        Self::Nanosecond,
    ];

    /// Its length.
    pub(crate) fn nanoseconds(self) -> i128 {
        match self {
            Self::Nanosecond => 1,
            Self::Microsecond => 1_000,
            Self::Millisecond => 1_000_000,
            Self::Second => 1_000_000_000,
            Self::Minute => 60_000_000_000,
            Self::Hour => 3_600_000_000_000,
            Self::Day => DAY,
        }
    }

    /// The coarsest unit of which a time is a whole multiple.
    pub(crate) fn coarsest(nanoseconds: i128) -> Self {
        let divides = |unit: &Self| nanoseconds % unit.nanoseconds() == 0;
        Self::COARSE_TO_FINE.into_iter().find(divides).unwrap_or(Self::Nanosecond)
    }

    /// A time as a number of units.
    pub(crate) fn count(self, nanoseconds: i128) -> f64 {
        let unit = self.nanoseconds();
        (nanoseconds / unit) as f64 + (nanoseconds % unit) as f64 / unit as f64
    }

    /// The time of the nearest whole number of units, in nanoseconds.
    pub(crate) fn time(self, x: f64) -> i128 {
        (x.round() as i128).saturating_mul(self.nanoseconds())
    }

    /// The digits of a second that the unit needs.
    pub(super) fn digits(self) -> usize {
        match self {
            Self::Nanosecond => 9,
            Self::Microsecond => 6,
            Self::Millisecond => 3,
            _ => 0,
        }
    }
}

impl From<arrow_schema::TimeUnit> for TimeUnit {
    fn from(unit: arrow_schema::TimeUnit) -> Self {
        match unit {
            arrow_schema::TimeUnit::Second => Self::Second,
            arrow_schema::TimeUnit::Millisecond => Self::Millisecond,
            arrow_schema::TimeUnit::Microsecond => Self::Microsecond,
            arrow_schema::TimeUnit::Nanosecond => Self::Nanosecond,
        }
    }
}
