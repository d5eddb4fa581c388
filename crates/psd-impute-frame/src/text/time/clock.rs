//! Times of day as text and as counts of units since midnight.

use super::unit::{DAY, TimeUnit};
use serde::{Deserialize, Serialize};

/// The text format of times of day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClockText {
    /// Whether seconds are written, as in `13:45:30`.
    pub seconds: bool,
    /// Whether hours always have two digits, as in `09:05`.
    pub padded: bool,
    /// The format of AM and PM; `None` counts hours up to 23.
    pub meridiem: Option<Meridiem>,
}

/// The format of `AM` and `PM`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Meridiem {
    /// In capitals.
    pub upper: bool,
    /// After a space.
    pub spaced: bool,
}

impl ClockText {
    /// `13:45:30`.
    pub const FULL: Self = Self { seconds: true, padded: true, meridiem: None };

    /// Reads a time of day: nanoseconds since midnight, and its format.
    pub(crate) fn parse(text: &str) -> Option<(i128, Self)> {
        let (digits, meridiem, afternoon) = split_meridiem(text);
        let (hours, rest) = digits.split_once(':')?;
        let hour = number(hours).filter(|_| (1..=2).contains(&hours.len()))?;
        let hour = match meridiem {
            None => Some(hour).filter(|&hour| hour < 24)?,
            Some(_) => Some(hour % 12).filter(|_| (1..=12).contains(&hour))? + 12 * u32::from(afternoon),
        };
        let (within, seconds) = parse_minutes(rest)?;
        // Hours that need two digits tell nothing about padding.
        let padded = hours.len() == 2;
        let time = i128::from(hour) * TimeUnit::Hour.nanoseconds() + within;
        Some((time, Self { seconds, padded, meridiem }))
    }

    /// Writes the time `x` units after midnight; times outside the day become its first or last unit.
    pub(crate) fn show(&self, x: f64, unit: TimeUnit) -> String {
        self.show_time(within_day(x, unit), unit)
    }

    /// Writes nanoseconds since midnight.
    pub(super) fn show_time(&self, time: i128, unit: TimeUnit) -> String {
        let hour = time / TimeUnit::Hour.nanoseconds();
        let shown = if self.meridiem.is_some() { (hour + 11) % 12 + 1 } else { hour };
        let mut text = if self.padded { format!("{shown:02}") } else { shown.to_string() };
        text += &show_minutes(time % TimeUnit::Hour.nanoseconds(), self.seconds, unit);
        if let Some(Meridiem { upper, spaced }) = self.meridiem {
            let half = if hour < 12 { "am" } else { "pm" };
            let half = if upper { half.to_uppercase() } else { half.to_string() };
            text += &format!("{}{half}", if spaced { " " } else { "" });
        }
        text
    }

    /// The format of a column with cells in this format and in `other`.
    pub(crate) fn join(self, other: Self) -> Option<Self> {
        let same_halves = self.meridiem.is_some() == other.meridiem.is_some();
        let (seconds, padded) = (self.seconds || other.seconds, self.padded && other.padded);
        same_halves.then_some(Self { seconds, padded, meridiem: self.meridiem })
    }
}

/// The nanoseconds since midnight of `x` units, clamped to the day.
pub(crate) fn within_day(x: f64, unit: TimeUnit) -> i128 {
    unit.time(x).clamp(0, DAY - unit.nanoseconds())
}

/// The text before `AM` or `PM`, their format, and whether it is afternoon.
fn split_meridiem(text: &str) -> (&str, Option<Meridiem>, bool) {
    let Some((digits, half)) = text.len().checked_sub(2).and_then(|at| text.split_at_checked(at)) else {
        return (text, None, false);
    };
    let afternoon = half.eq_ignore_ascii_case("pm");
    if !afternoon && !half.eq_ignore_ascii_case("am") {
        return (text, None, false);
    }
    let upper = half.bytes().all(|b| b.is_ascii_uppercase());
    let spaced = digits.ends_with(' ');
    (digits.trim_end(), Some(Meridiem { upper, spaced }), afternoon)
}

/// Nanoseconds of `MM`, `MM:SS` or `MM:SS.sss`, and whether there are seconds.
pub(super) fn parse_minutes(text: &str) -> Option<(i128, bool)> {
    let (minute, second) = text.split_once(':').map_or((text, None), |(minute, s)| (minute, Some(s)));
    let minutes = i128::from(pair(minute).filter(|&m| m < 60)?) * TimeUnit::Minute.nanoseconds();
    let Some(second) = second else { return Some((minutes, false)) };
    let (whole, fraction) = second.split_once('.').map_or((second, ""), |(whole, f)| (whole, f));
    let seconds = i128::from(pair(whole).filter(|&s| s < 60)?) * TimeUnit::Second.nanoseconds();
    if second.len() > whole.len() && fraction.is_empty() {
        return None;
    }
    Some((minutes + seconds + parse_fraction(fraction)?, true))
}

/// Nanoseconds of the digits after the point of a second.
pub(super) fn parse_fraction(digits: &str) -> Option<i128> {
    if digits.len() > 9 {
        return None;
    }
    number(&format!("{digits:0<9}")).map(i128::from)
}

/// `:MM`, `:MM:SS` or `:MM:SS.sss` of nanoseconds below an hour.
pub(super) fn show_minutes(time: i128, seconds: bool, unit: TimeUnit) -> String {
    let whole = time / TimeUnit::Second.nanoseconds();
    let mut text = format!(":{:02}", whole / 60);
    if seconds || unit < TimeUnit::Minute {
        text += &format!(":{:02}{}", whole % 60, show_fraction(time, unit));
    }
    text
}

/// The fraction of a second in the digits of a unit, with its point.
pub(super) fn show_fraction(time: i128, unit: TimeUnit) -> String {
    match unit.digits() {
        0 => String::new(),
        digits => format!(".{}", &format!("{:09}", time.rem_euclid(1_000_000_000))[..digits]),
    }
}

pub(super) fn pair(text: &str) -> Option<u32> {
    if text.len() == 2 { number(text) } else { None }
}

pub(super) fn number(text: &str) -> Option<u32> {
    if text.bytes().all(|b| b.is_ascii_digit()) { text.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_day_read_back() {
        for text in
            ["13:45", "00:00", "9:05", "13:45:30", "23:59:59.999", "1:45 PM", "12:00am", "01:45:30 pm"]
        {
            let (time, looks) = ClockText::parse(text).unwrap();
            let unit = TimeUnit::coarsest(time);
            assert_eq!(looks.show(unit.count(time), unit), text);
        }
    }

    #[test]
    fn knows_noon_and_midnight() {
        let at = |text| ClockText::parse(text).map(|(time, _)| time / TimeUnit::Minute.nanoseconds());
        assert_eq!((at("12:00 AM"), at("12:00 PM"), at("1:45 PM")), (Some(0), Some(720), Some(825)));
    }

    #[test]
    fn refuses_what_is_no_time_of_day() {
        for text in
            ["24:00", "12:60", "1:2", "13:45 PM", "0:30 AM", "12", "a:00", "12:00:00.", ":30", "é:00", ""]
        {
            assert_eq!(ClockText::parse(text), None, "{text}");
        }
    }

    #[test]
    fn stays_within_the_day() {
        assert_eq!(ClockText::FULL.show(-3.0, TimeUnit::Minute), "00:00:00");
        assert_eq!(ClockText::FULL.show(1e300, TimeUnit::Minute), "23:59:00");
        assert_eq!(ClockText::FULL.show(f64::NAN, TimeUnit::Second), "00:00:00");
    }
}
