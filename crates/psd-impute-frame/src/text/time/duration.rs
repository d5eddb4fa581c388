//! Lengths of time as text and as counts of units.

use super::clock::{number, parse_fraction, parse_minutes, show_fraction, show_minutes};
use super::unit::{DAY, TimeUnit};
use serde::{Deserialize, Serialize};

/// The text format of durations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum DurationText {
    /// Hours, minutes and perhaps seconds: `36:10`, `1:02:03`.
    Clock {
        /// Whether seconds are written.
        seconds: bool,
        /// Whether hours have at least two digits.
        padded: bool,
    },
    /// Days before a clock: `1 days 02:03:04`.
    Days,
    /// ISO 8601: `PT1H30M`.
    Iso,
}

impl DurationText {
    /// Reads a duration: nanoseconds, and its format.
    pub(crate) fn parse(text: &str) -> Option<(i128, Self)> {
        let (sign, unsigned) = match text.strip_prefix('-') {
            Some(rest) => (-1, rest),
            None => (1, text),
        };
        if let Some(iso) = unsigned.strip_prefix('P') {
            return Some((sign * parse_iso(iso)?, Self::Iso));
        }
        if let Some((days, rest)) = unsigned.split_once(" day") {
            // In the pandas format, the clock counts forward even if the days are negative.
            let clock = rest.strip_prefix('s').unwrap_or(rest).trim_start_matches(',').trim_start();
            let clock = clock.strip_prefix('+').unwrap_or(clock);
            let within = if clock.is_empty() { 0 } else { parse_hours(clock).filter(|c| c.0 < DAY)?.0 };
            let days = number(days).filter(|_| !days.is_empty())?;
            return Some((sign * i128::from(days) * DAY + within, Self::Days));
        }
        let (time, seconds, padded) = parse_hours(unsigned)?;
        Some((sign * time, Self::Clock { seconds, padded }))
    }

    /// Writes a duration of `x` units.
    pub(crate) fn show(&self, x: f64, unit: TimeUnit) -> String {
        let time = unit.time(x);
        let size = time.checked_abs().unwrap_or(i128::MAX);
        let sign = if time < 0 { "-" } else { "" };
        let hour = TimeUnit::Hour.nanoseconds();
        match self {
            Self::Clock { seconds, padded } => {
                let width = if *padded { 2 } else { 1 };
                format!("{sign}{:0width$}{}", size / hour, show_minutes(size % hour, *seconds, unit))
            }
            Self::Days => {
                let within = time.rem_euclid(DAY);
                let plus = if time < 0 { "+" } else { "" };
                let clock = show_minutes(within % hour, true, unit);
                format!("{} days {plus}{:02}{clock}", time.div_euclid(DAY), within / hour)
            }
            Self::Iso => format!("{sign}{}", show_iso(size, unit)),
        }
    }

    /// The format of a column with cells in this format and in `other`.
    pub(crate) fn join(self, other: Self) -> Option<Self> {
        match (self, other) {
            (Self::Clock { seconds: a, padded: b }, Self::Clock { seconds: c, padded: d }) => {
                Some(Self::Clock { seconds: a || c, padded: b && d })
            }
            (a, b) => (a == b).then_some(a),
        }
    }
}

/// Nanoseconds of hours, minutes and perhaps seconds; whether there are seconds, and whether hours have two digits.
fn parse_hours(text: &str) -> Option<(i128, bool, bool)> {
    let (hours, rest) = text.split_once(':')?;
    let count = number(hours).filter(|_| !hours.is_empty())?;
    let (within, seconds) = parse_minutes(rest)?;
    Some((i128::from(count) * TimeUnit::Hour.nanoseconds() + within, seconds, hours.len() > 1))
}

/// Nanoseconds of the text after the `P` of an ISO duration. Years and months have no fixed length.
fn parse_iso(text: &str) -> Option<i128> {
    let (days, clock) = text.split_once('T').map_or((text, None), |(days, clock)| (days, Some(clock)));
    let week = ('W', 7 * DAY);
    let parts = [('H', TimeUnit::Hour), ('M', TimeUnit::Minute), ('S', TimeUnit::Second)];
    let total = parse_parts(days, &[week, ('D', DAY)])?;
    match clock {
        Some("") => None,
        Some(clock) => Some(total + parse_parts(clock, &parts.map(|(c, unit)| (c, unit.nanoseconds())))?),
        None if text.is_empty() => None,
        None => Some(total),
    }
}

/// The sum of numbers, each followed by the letter of its unit, in the order of the units.
fn parse_parts(text: &str, units: &[(char, i128)]) -> Option<i128> {
    let (mut rest, mut total) = (text, 0i128);
    for &(letter, length) in units {
        let Some((digits, after)) = rest.split_once(letter) else { continue };
        let (whole, fraction) = digits.split_once('.').map_or((digits, None), |(w, f)| (w, Some(f)));
        let count = number(whole).filter(|_| !whole.is_empty())?;
        total += i128::from(count) * length;
        match fraction {
            None => {}
            Some(f) if letter == 'S' && !f.is_empty() => total += parse_fraction(f)?,
            Some(_) => return None,
        }
        rest = after;
    }
    rest.is_empty().then_some(total)
}

fn show_iso(size: i128, unit: TimeUnit) -> String {
    let seconds = size / TimeUnit::Second.nanoseconds();
    let (hours, minutes, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    let fraction =
        if size % TimeUnit::Second.nanoseconds() == 0 { String::new() } else { show_fraction(size, unit) };
    let mut text = "PT".to_string();
    if hours > 0 {
        text += &format!("{hours}H");
    }
    if minutes > 0 {
        text += &format!("{minutes}M");
    }
    if second > 0 || !fraction.is_empty() || text == "PT" {
        text += &format!("{second}{fraction}S");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_read_back() {
        for text in [
            "36:10",
            "1:02:03",
            "-0:30",
            "100:00:00.500",
            "PT1H",
            "PT36H10M5.250S",
            "PT0S",
            "-PT5M",
            "1 days 02:03:04",
            "-1 days +23:59:59",
        ] {
            let (time, looks) = DurationText::parse(text).unwrap();
            let unit = TimeUnit::coarsest(time);
            assert_eq!(looks.show(unit.count(time), unit), text);
        }
    }

    #[test]
    fn iso_durations_have_days_and_weeks() {
        let hours = |text| DurationText::parse(text).map(|(time, _)| time / TimeUnit::Hour.nanoseconds());
        assert_eq!((hours("P1DT2H"), hours("P2W"), hours("P1D")), (Some(26), Some(336), Some(24)));
    }

    #[test]
    fn refuses_what_is_no_duration() {
        for text in [
            "",
            "P",
            "PT",
            "P1Y",
            "P1M",
            "PT1X",
            "PT.5H",
            "1:2",
            ":30",
            "1:60",
            "5 days 25:00",
            "day",
            "PT1M1H",
        ] {
            assert_eq!(DurationText::parse(text), None, "{text}");
        }
    }

    #[test]
    fn any_count_can_be_shown() {
        for looks in
            [DurationText::Clock { seconds: true, padded: true }, DurationText::Days, DurationText::Iso]
        {
            for x in [f64::MAX, f64::MIN, f64::NAN, 0.0] {
                assert!(!looks.show(x, TimeUnit::Day).is_empty());
            }
        }
    }
}
