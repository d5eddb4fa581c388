//! Dates and times as text and as counts of units since 1970.

use super::clock::{ClockText, Meridiem, pair};
use super::date::{DateOrder, DateText, parse_date};
use super::unit::{DAY, TimeUnit};
use serde::{Deserialize, Serialize};

/// The text format of a column's times.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TimeText {
    /// The date.
    #[serde(default, skip_serializing_if = "DateText::is_iso")]
    pub date: DateText,
    /// The time of day after the date.
    pub clock: Clock,
    /// The zone after the clock.
    pub zone: Zone,
    /// The format of hours.
    #[serde(default, skip_serializing_if = "Hours::is_usual")]
    pub hours: Hours,
}

/// The format of the hours of a date-time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hours {
    /// Whether they always have two digits.
    pub padded: bool,
    /// The format of AM and PM.
    pub meridiem: Option<Meridiem>,
}

impl Default for Hours {
    fn default() -> Self {
        Self { padded: true, meridiem: None }
    }
}

impl Hours {
    fn is_usual(&self) -> bool {
        *self == Self::default()
    }
}

/// A date or time, read day-first and month-first: nanoseconds since 1970, and its format.
pub(crate) type TimeCell = [Option<(i128, TimeText)>; 2];

/// The format of the time of day.
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

/// The format of the zone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Zone {
    /// No zone.
    None,
    /// `Z`.
    Utc,
    /// This many minutes ahead of UTC: `+01:00`.
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
    pub const DATE: Self = Self {
        date: DateText::ISO,
        clock: Clock::None,
        zone: Zone::None,
        hours: Hours { padded: true, meridiem: None },
    };
    /// `20200131`.
    pub(crate) const COMPACT: Self = Self { date: DateText::COMPACT, ..Self::DATE };
    /// `202001`.
    pub(crate) const MONTH: Self = Self { date: DateText::MONTH, ..Self::DATE };

    /// Whether it is written in digits alone, as numbers are.
    pub(crate) fn is_digits(&self) -> bool {
        self.date.separator.is_none()
    }

    /// The date of a number, in a column that writes its dates in this format.
    pub(crate) fn of_number(&self, x: f64) -> Option<i128> {
        let whole = x.fract() == 0.0 && (1e5..1e8).contains(&x);
        self.date.of_digits(whole.then_some(x as u32)?)
    }

    /// Reads a date or date-time with an unambiguous order: nanoseconds since 1970, and its format.
    pub(crate) fn parse(text: &str) -> Option<(i128, Self)> {
        match Self::parse_both(text)? {
            [Some(a), Some(b)] if a == b => Some(a),
            _ => None,
        }
    }

    /// Reads a date, optionally with a time of day after it, in both orders.
    pub(crate) fn parse_both(text: &str) -> Option<TimeCell> {
        // A date has a digit and one of these early on; most texts do not.
        let early = text.as_bytes().get(..text.len().min(12))?;
        if text.len() < 6 || !early.iter().any(|b| matches!(b, b'-' | b'/' | b'.' | b' ')) {
            return None;
        }
        let (date, rest) = split_clock(text);
        let dates = parse_date(date)?;
        let Some((clock, spaced)) = rest else {
            return Some(
                dates.map(|read| read.map(|(days, date)| (days * DAY, Self { date, ..Self::DATE }))),
            );
        };
        let (clock, zone) = split_zone(clock)?;
        let (time, looks) = ClockText::parse(clock)?;
        let clock = match (spaced, looks.seconds) {
            (false, true) => Clock::T,
            (true, true) => Clock::Space,
            (false, false) => Clock::TMinutes,
            (true, false) => Clock::SpaceMinutes,
        };
        let hours = Hours { padded: looks.padded, meridiem: looks.meridiem };
        let within = time - zone.nanoseconds();
        Some(
            dates.map(|read| {
                read.map(|(days, date)| (days * DAY + within, Self { date, clock, zone, hours }))
            }),
        )
    }

    /// Reads a cell of a column with this format.
    pub(crate) fn read(&self, text: &str) -> Option<i128> {
        if self.is_digits() {
            return self.date.read_digits(text);
        }
        let cell = Self::parse_both(text)?;
        let tells = cell[0] == cell[1];
        match self.date.order {
            DateOrder::Ymd => cell[0].filter(|_| tells),
            DateOrder::Dmy => cell[0],
            DateOrder::Mdy => cell[1],
        }
        .map(|(time, _)| time)
    }

    /// Writes the time `x` units after 1970. A time outside the calendar is written as the number of units.
    pub(crate) fn show(&self, x: f64, unit: TimeUnit) -> String {
        let local = unit.time(x).saturating_add(self.zone.nanoseconds());
        let Some(mut text) = self.date.show(local.div_euclid(DAY)) else { return x.to_string() };
        match self.clock {
            Clock::None => return text,
            Clock::T | Clock::TMinutes => text.push('T'),
            Clock::Space | Clock::SpaceMinutes => text.push(' '),
        }
        let seconds = matches!(self.clock, Clock::T | Clock::Space);
        let Hours { padded, meridiem } = self.hours;
        text += &ClockText { seconds, padded, meridiem }.show_time(local.rem_euclid(DAY), unit);
        text + &self.zone.show()
    }

    /// The format of a column with cells in this format and in `other`; never both with and without a zone.
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
        let hours = match (self.clock, other.clock) {
            (Clock::None, _) => other.hours,
            (_, Clock::None) => self.hours,
            _ if self.hours.meridiem.is_some() != other.hours.meridiem.is_some() => return None,
            _ => Hours { padded: self.hours.padded && other.hours.padded, ..self.hours },
        };
        Some(Self { date: self.date.join(other.date)?, clock, zone, hours })
    }
}

/// Splits off the time of day, with whether a space precedes it.
fn split_clock(text: &str) -> (&str, Option<(&str, bool)>) {
    let Some(colon) = text.find(':') else { return (text, None) };
    let Some(at) = text[..colon].rfind([' ', 'T']) else { return (text, None) };
    (&text[..at], Some((&text[at + 1..], text.as_bytes()[at] == b' ')))
}

/// Splits off the zone behind a time of day.
fn split_zone(text: &str) -> Option<(&str, Zone)> {
    let at = text.find(['Z', '+', '-']).unwrap_or(text.len());
    Some((&text[..at], parse_zone(&text[at..])?))
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads a text and writes it again, in the coarsest unit that is exact.
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
            "Jan 31, 2020 1:45 PM",
            "2020/1/31 9:05",
        ] {
            assert_eq!(again(text).as_deref(), Some(text));
        }
    }

    #[test]
    fn refuses_what_is_no_time() {
        for text in [
            "2020-02-30",
            "01-02-2020",
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
    fn the_order_of_a_column_tells() {
        let read = |order: &str, text: &str| {
            let looks = TimeText::parse_both(order).unwrap().into_iter().flatten().next().unwrap().1;
            looks.read(text).map(|time| TimeText::DATE.show(TimeUnit::Day.count(time), TimeUnit::Day))
        };
        assert_eq!(read("31/01/2020", "05/06/2020").as_deref(), Some("2020-06-05"));
        assert_eq!(read("01/31/2020", "05/06/2020").as_deref(), Some("2020-05-06"));
        assert_eq!(read("2020-01-31", "05/06/2020"), None, "it does not tell");
        assert_eq!(read("31/01/2020", "2020-06-05").as_deref(), Some("2020-06-05"));
        assert_eq!(TimeText::COMPACT.read("20200605"), TimeText::DATE.read("2020-06-05"));
    }

    #[test]
    fn any_count_can_be_shown() {
        for x in [f64::MAX, f64::MIN, 1e300, f64::NAN] {
            assert!(!TimeText::DATE.show(x, TimeUnit::Day).is_empty());
        }
    }
}
