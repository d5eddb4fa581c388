//! The cells of a sheet, and the times among them.
//!
//! Excel counts days from the end of 1899, and believes that there was a 29th of February 1900; some workbooks count from 1904.

use crate::class::Class;
use crate::json::text_of;
use crate::text::{Clock, TimeText, TimeUnit};
use serde_json::json;

/// The first of January 1970, the first of March 1900, and the one day that Excel counts too much after.
const EPOCH: f64 = 25_569.0;
const LEAP: f64 = 60.0;
/// The first day that Excel has no date for.
const LAST: f64 = 2_958_466.0;
const DAY: f64 = 86_400_000.0;
/// The days between the two ways of counting.
pub(super) const SINCE_1904: f64 = 1_462.0;
/// The keys of times among cells of several types.
const DATE: &str = "date";
const DAYS: &str = "days";

/// A cell that is not empty.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    /// An error such as #N/A, which is missing.
    Error,
    Number(f64),
    Text(Box<str>),
    Boolean(bool),
    /// Days since the end of 1899, with the time of day.
    Time(f64),
    /// Days.
    Duration(f64),
}

impl Value {
    /// None of an error.
    pub(super) fn class(&self) -> Option<Class> {
        Some(match self {
            Self::Error => return None,
            Self::Number(_) => Class::Number,
            Self::Text(_) => Class::Text,
            Self::Boolean(_) => Class::Boolean,
            Self::Time(days) if (0.0..1.0).contains(days) => Class::Clock,
            Self::Time(days) if days.fract() == 0.0 => Class::Date,
            Self::Time(_) => Class::Time,
            Self::Duration(_) => Class::Duration,
        })
    }

    /// The text that people see.
    pub(super) fn show(&self) -> String {
        match self {
            Self::Error => String::new(),
            Self::Number(x) => x.to_string(),
            Self::Text(text) => text.to_string(),
            Self::Boolean(value) => value.to_string(),
            Self::Time(days) => match days.fract() == 0.0 {
                true => TimeText::DATE.show(epoch_days(*days), TimeUnit::Day),
                false => (TimeText { clock: Clock::T, ..TimeText::DATE })
                    .show(epoch_milliseconds(*days) as f64, TimeUnit::Millisecond),
            },
            Self::Duration(days) => format!("{days} days"),
        }
    }

    /// As JSON, for columns of several types.
    pub(super) fn json(&self) -> Option<String> {
        Some(match self {
            Self::Error => return None,
            Self::Number(x) => format!("{x:?}"),
            Self::Text(text) => text_of(text),
            Self::Boolean(value) => value.to_string(),
            Self::Time(days) => json!({ DATE: self.show(), DAYS: days }).to_string(),
            Self::Duration(days) => json!({ DAYS: days }).to_string(),
        })
    }

    /// Reads the output of [`json`](Self::json); other JSON becomes text.
    pub(super) fn of_json(json: &str) -> Self {
        use serde_json::Value as Json;
        let days = |object: &serde_json::Map<String, Json>| object.get(DAYS).and_then(Json::as_f64);
        match serde_json::from_str(json) {
            Ok(Json::Bool(value)) => Self::Boolean(value),
            Ok(Json::String(text)) => Self::Text(text.into()),
            Ok(Json::Number(x)) => match (x.as_f64(), x.as_i64()) {
                // Longer integers would be rounded.
                (Some(x), whole)
                    if json.contains(['.', 'e', 'E'])
                        || whole.is_some_and(|n| n.unsigned_abs() <= 1 << 53) =>
                {
                    Self::Number(x)
                }
                _ => Self::Text(json.into()),
            },
            Ok(Json::Object(object)) => match (days(&object), object.contains_key(DATE), object.len()) {
                (Some(days), true, 2) if is_date(days) => Self::Time(days),
                (Some(days), false, 1) => Self::Duration(days),
                _ => Self::Text(json.into()),
            },
            _ => Self::Text(json.into()),
        }
    }
}

/// Whether Excel has a date for so many days.
pub(super) fn is_date(days: f64) -> bool {
    (0.0..LAST).contains(&days)
}

/// Days since 1970.
pub(super) fn epoch_days(days: f64) -> f64 {
    days - EPOCH + if days < LEAP { 1.0 } else { 0.0 }
}

/// Milliseconds since 1970, which is as exact as Excel is.
pub(super) fn epoch_milliseconds(days: f64) -> i64 {
    milliseconds(epoch_days(days))
}

pub(super) fn milliseconds(days: f64) -> i64 {
    (days * DAY).round() as i64
}

/// Excel's days of milliseconds since 1970; none before 1900 and after 9999.
pub(super) fn excel_days(milliseconds: f64) -> Option<f64> {
    let days = milliseconds / DAY + EPOCH;
    let days = if days < LEAP + 1.0 { days - 1.0 } else { days };
    Some(days).filter(|&days| days >= 1.0 && is_date(days))
}

pub(super) fn days_of(milliseconds: f64) -> f64 {
    milliseconds / DAY
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_those_that_excel_shows() {
        for (days, shown) in [
            (1.0, "1900-01-01"),
            (59.0, "1900-02-28"),
            (61.0, "1900-03-01"),
            (25_569.0, "1970-01-01"),
            (45_943.0, "2025-10-13"),
            (2_958_465.0, "9999-12-31"),
        ] {
            assert_eq!(Value::Time(days).show(), shown);
            assert_eq!(excel_days(epoch_milliseconds(days) as f64), Some(days), "{shown}");
        }
        for value in
            [Value::Time(45_943.25), Value::Duration(-0.5), Value::Text("5".into()), Value::Number(5.0)]
        {
            assert_eq!(Value::of_json(&value.json().unwrap()), value);
        }
        assert_eq!(excel_days(-2_300_000_000_000.0), None);
    }
}
