//! Dates and times as text and as counts of units since 1970.

use chrono::{Datelike, NaiveDate};
use serde::{Deserialize, Serialize};

/// Days from the first of January of the year one to the first of January 1970, plus one.
const EPOCH: i32 = 719_163;
const DAY: i128 = 86_400_000_000_000;

/// What a column of times is counted in.
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

    /// The coarsest unit of which a time is a whole number.
    pub(crate) fn coarsest(nanoseconds: i128) -> Self {
        let divides = |unit: &Self| nanoseconds % unit.nanoseconds() == 0;
        Self::COARSE_TO_FINE.into_iter().find(divides).unwrap_or(Self::Nanosecond)
    }

    /// A time as a number of units.
    pub(crate) fn count(self, nanoseconds: i128) -> f64 {
        let unit = self.nanoseconds();
        (nanoseconds / unit) as f64 + (nanoseconds % unit) as f64 / unit as f64
    }

    /// The time of the whole number of units nearest to `x`, in nanoseconds.
    pub(crate) fn time(self, x: f64) -> i128 {
        (x.round() as i128).saturating_mul(self.nanoseconds())
    }

    /// Digits of a second that are not always zero.
    fn digits(self) -> usize {
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

/// How a column writes its times.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TimeText {
    /// What follows the date.
    pub clock: Clock,
    /// What follows the clock.
    pub zone: Zone,
}

/// The time of day in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Clock {
    /// None: `2020-01-31`.
    None,
    /// After a `T`: `2020-01-31T12:00:00`.
    T,
    /// After a space: `2020-01-31 12:00:00`.
    Space,
    /// After a `T`, without seconds.
    TMinutes,
    /// After a space, without seconds.
    SpaceMinutes,
}

/// The zone in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Zone {
    /// None is written.
    None,
    /// `Z`.
    Utc,
    /// So many minutes ahead of UTC: `+01:00`.
    Ahead(i16),
}

impl Zone {
    fn nanoseconds(self) -> i128 {
        match self {
            Self::None | Self::Utc => 0,
            Self::Ahead(minutes) => i128::from(minutes) * TimeUnit::Minute.nanoseconds(),
        }
    }

    fn show(self) -> String {
        match self {
            Self::None => String::new(),
            Self::Utc => "Z".to_string(),
            Self::Ahead(minutes) => {
                let sign = if minutes < 0 { '-' } else { '+' };
                let minutes = minutes.unsigned_abs();
                format!("{sign}{:02}:{:02}", minutes / 60, minutes % 60)
            }
        }
    }
}

impl TimeText {
    /// `2020-01-31`.
    pub const DATE: Self = Self { clock: Clock::None, zone: Zone::None };

    /// Reads an ISO date or date-time: nanoseconds since 1970, and how it is written.
    pub(crate) fn parse(text: &str) -> Option<(i128, Self)> {
        let dashed = text.as_bytes().get(4) == Some(&b'-') && text.is_ascii();
        let (date, rest) = text.split_at_checked(10).filter(|_| dashed)?;
        let days = parse_date(date)?;
        if rest.is_empty() {
            return Some((days * DAY, Self::DATE));
        }
        let spaced = rest.starts_with(' ');
        let rest = rest.strip_prefix(['T', ' '])?;
        let at = rest.find(['Z', '+', '-']).unwrap_or(rest.len());
        let (clock, zone) = (&rest[..at], parse_zone(&rest[at..])?);
        let (time, seconds) = parse_clock(clock)?;
        let clock = match (spaced, seconds) {
            (false, true) => Clock::T,
            (true, true) => Clock::Space,
            (false, false) => Clock::TMinutes,
            (true, false) => Clock::SpaceMinutes,
        };
        Some((days * DAY + time - zone.nanoseconds(), Self { clock, zone }))
    }

    /// Writes the time `x` units after 1970. A time without a date in the calendar is written as the number of units.
    pub(crate) fn show(&self, x: f64, unit: TimeUnit) -> String {
        let local = unit.time(x).saturating_add(self.zone.nanoseconds());
        let days = i32::try_from(local.div_euclid(DAY)).ok().and_then(|days| days.checked_add(EPOCH));
        let Some(date) = days.and_then(NaiveDate::from_num_days_from_ce_opt) else { return x.to_string() };
        let seconds = local.rem_euclid(DAY) / 1_000_000_000;
        let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
        let mut text = date.to_string();
        match self.clock {
            Clock::None => return text,
            Clock::T | Clock::TMinutes => text.push('T'),
            Clock::Space | Clock::SpaceMinutes => text.push(' '),
        }
        text += &format!("{hour:02}:{minute:02}");
        if matches!(self.clock, Clock::T | Clock::Space) || unit < TimeUnit::Minute {
            text += &format!(":{second:02}");
        }
        let digits = unit.digits();
        if digits > 0 {
            let fraction = format!("{:09}", local.rem_euclid(1_000_000_000));
            text += &format!(".{}", &fraction[..digits]);
        }
        text + &self.zone.show()
    }

    /// How a column is written of which some cells are written so and others like `other`; never both with and without a zone.
    pub(crate) fn join(self, other: Self) -> Option<Self> {
        let clock = match (self.clock, other.clock) {
            (Clock::None, clock) | (clock, Clock::None) => clock,
            (Clock::TMinutes, Clock::T | Clock::Space) => Clock::T,
            (Clock::SpaceMinutes, Clock::T | Clock::Space) => Clock::Space,
            (clock, _) => clock,
        };
        let zone = match (self.zone, other.zone) {
            (a, b) if a == b => a,
            (Zone::None, _) | (_, Zone::None) => return None,
            _ => Zone::Utc,
        };
        Some(Self { clock, zone })
    }
}

/// Days since 1970 of `YYYY-MM-DD`, of which the first dash is there.
fn parse_date(text: &str) -> Option<i128> {
    let bytes = text.as_bytes();
    if bytes[7] != b'-' {
        return None;
    }
    let (year, month, day) = (number(&text[..4])?, number(&text[5..7])?, number(&text[8..])?);
    let date = NaiveDate::from_ymd_opt(i32::try_from(year).ok()?, month, day)?;
    Some(i128::from(date.num_days_from_ce() - EPOCH))
}

/// Nanoseconds since midnight of `HH:MM`, `HH:MM:SS` or `HH:MM:SS.sss`, and whether there are seconds.
fn parse_clock(text: &str) -> Option<(i128, bool)> {
    let mut parts = text.split(':');
    let (hour, minute) = (pair(parts.next()?)?, pair(parts.next()?)?);
    let second = parts.next();
    if parts.next().is_some() || hour > 23 || minute > 59 {
        return None;
    }
    let minutes = i128::from(hour * 60 + minute) * TimeUnit::Minute.nanoseconds();
    let Some(second) = second else { return Some((minutes, false)) };
    let (whole, fraction) = second.split_once('.').map_or((second, None), |(whole, f)| (whole, Some(f)));
    let seconds = pair(whole).filter(|&s| s < 60)?;
    let nanoseconds = match fraction {
        None => 0,
        Some(digits) if digits.len() <= 9 => {
            number(&format!("{digits:0<9}")).filter(|_| !digits.is_empty())?
        }
        Some(_) => return None,
    };
    Some((minutes + i128::from(seconds) * 1_000_000_000 + i128::from(nanoseconds), true))
}

fn parse_zone(text: &str) -> Option<Zone> {
    if text.is_empty() || text == "Z" {
        return Some(if text.is_empty() { Zone::None } else { Zone::Utc });
    }
    let digits = text[1..].replace(':', "");
    let (hours, minutes) = match digits.len() {
        2 => (pair(&digits)?, 0),
        4 => (pair(&digits[..2])?, pair(&digits[2..])?),
        _ => return None,
    };
    let ahead = i16::try_from(hours * 60 + minutes).ok().filter(|_| hours < 24 && minutes < 60)?;
    Some(Zone::Ahead(if text.starts_with('-') { -ahead } else { ahead }))
}

fn pair(text: &str) -> Option<u32> {
    if text.len() == 2 { number(text) } else { None }
}

fn number(text: &str) -> Option<u32> {
    if text.bytes().all(|b| b.is_ascii_digit()) { text.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text written after reading it, in the unit it is a whole number of.
    fn again(text: &str) -> Option<String> {
        let (time, shape) = TimeText::parse(text)?;
        let unit = TimeUnit::coarsest(time);
        Some(shape.show(unit.count(time), unit))
    }

    #[test]
    fn times_read_back() {
        for text in [
            "1970-01-01",
            "1969-12-31",
            "2024-02-29",
            "0001-01-01",
            "2020-01-31T12:34:56",
            "2020-01-31 12:34:56.789",
            "2020-01-31 12:34:56.000001Z",
            "1969-12-31T23:59:59.999999999",
            "2020-01-31T00:00+01:00",
            "2020-01-31 23:30-05:30",
        ] {
            assert_eq!(again(text).as_deref(), Some(text));
        }
    }

    #[test]
    fn refuses_what_is_no_time() {
        for text in [
            "2020-02-30",
            "2020-1-31",
            "31-01-2020",
            "2020-01-31T",
            "2020-01-31T25:00",
            "2020-01-31T12:00:60",
            "2020-01-31T12:00:00.",
            "2020-01-31T12:00+1",
            "2020-01-31x12:00",
            "2020-01-31é",
            "20é0-01-31",
            "+020-01-31",
            "",
        ] {
            assert_eq!(again(text), None, "{text}");
        }
    }

    #[test]
    fn knows_the_epoch_and_zones() {
        let at = |text| TimeText::parse(text).unwrap().0;
        assert_eq!(at("1970-01-02"), DAY);
        assert_eq!(at("2000-01-01T00:00:00Z"), 946_684_800 * 1_000_000_000);
        assert_eq!(at("2000-01-01T01:00:00+01:00"), at("2000-01-01T00:00:00Z"));
        assert_eq!(TimeUnit::coarsest(at("2000-01-01T01:30:00")), TimeUnit::Minute);
    }

    #[test]
    fn any_count_can_be_shown() {
        for x in [f64::MAX, f64::MIN, 1e300, f64::NAN] {
            assert!(!TimeText::DATE.show(x, TimeUnit::Day).is_empty());
        }
    }
}
