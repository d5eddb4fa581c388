//! Numbers whose digits may be a date or a time in a form that is not completed.
//!
//! Long forms (`31012020`, `2020013112`) are hardly ever anything else. Short ones are: one integer in 27 is a day in `yymmdd`, three in five
//! are a time in `hhmm`. They count only where nearly all numbers of a column fit and so many differ that this is no chance.

use crate::text::{is_stamp, is_stamp_number, short_date};
use std::collections::BTreeSet;

/// Different numbers that are kept.
const KEPT: usize = 1000;
/// The fewest different numbers that decide, and the fewest months that dates cover.
const DIFFERENT: usize = 20;
const MONTHS: usize = 4;
/// Times of day and weeks: the fewest different numbers, those of them beyond the first hour, and the fewest different last two digits.
const DIFFERENT_TIMES: usize = 30;
const LATER: usize = 20;
const MINUTES: usize = 10;
const YEARS: std::ops::RangeInclusive<u32> = 1900..=2099;

/// A form of digits that is completed as numbers, which need not be of the form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::plan) enum DigitForm {
    /// `1359`, a time of day.
    Clock,
    /// `202052`, a year and its week.
    Week,
}

/// Summary of a column's numbers by their digits.
#[derive(Debug, Default)]
pub(in crate::plan) struct DigitSurvey {
    numbers: u64,
    /// Numbers in long forms.
    pub(in crate::plan) long: u64,
    /// Days of six digits: year, day or month first; and months of six digits, month first.
    short: [Fits; 4],
    clocks: Fits,
    weeks: Fits,
}

/// The numbers that fit a form.
#[derive(Debug, Default)]
struct Fits {
    count: u64,
    different: BTreeSet<u32>,
    months: BTreeSet<u32>,
}

impl Fits {
    fn add(&mut self, number: u32, month: u32) {
        self.count += 1;
        self.months.insert(month);
        if self.different.len() < KEPT {
            self.different.insert(number);
        }
    }

    /// The number of different last two digits.
    fn last_two(&self) -> usize {
        self.different.iter().map(|x| x % 100).collect::<BTreeSet<_>>().len()
    }
}

impl DigitSurvey {
    pub(super) fn add_text(&mut self, text: &str) {
        self.long += u64::from(is_stamp(text));
        self.numbers += 1;
        let digits = text.strip_suffix(".0").unwrap_or(text);
        if (1..=6).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit()) {
            digits.parse().into_iter().for_each(|number| self.add_short(number));
        }
    }

    pub(super) fn add_number(&mut self, x: f64) {
        self.long += u64::from(is_stamp_number(x));
        self.numbers += 1;
        if x.fract() == 0.0 && (0.0..1e6).contains(&x) {
            self.add_short(x as u32);
        }
    }

    fn add_short(&mut self, number: u32) {
        if (10_000..1_000_000).contains(&number) {
            for (fits, month) in self.short.iter_mut().zip(short_date(number)) {
                month.into_iter().for_each(|month| fits.add(number, month));
            }
        }
        if number / 100 < 24 && number % 100 < 60 {
            self.clocks.add(number, 0);
        }
        if YEARS.contains(&(number / 100)) && (1..=53).contains(&(number % 100)) {
            self.weeks.add(number, 0);
        }
    }

    /// The most numbers that are dates in one of the short forms, if that is likely.
    pub(in crate::plan) fn short_dates(&self) -> u64 {
        let likely = |fits: &&Fits| fits.different.len() >= DIFFERENT && fits.months.len() >= MONTHS;
        self.short.iter().filter(likely).map(|fits| fits.count).max().unwrap_or(0)
    }

    /// The form that all numbers have, though they are completed as numbers.
    pub(in crate::plan) fn form(&self) -> Option<DigitForm> {
        let all = |fits: &Fits| fits.count == self.numbers && fits.different.len() >= DIFFERENT_TIMES;
        // Fewer may be months.
        if all(&self.weeks) && self.weeks.last_two() > 12 {
            return Some(DigitForm::Week);
        }
        let clocks = &self.clocks.different;
        let hours: BTreeSet<u32> = clocks.iter().map(|x| x / 100).collect();
        let late = clocks.iter().filter(|&&x| x >= 60).count() >= LATER;
        (all(&self.clocks) && late && hours.len() >= MONTHS && self.clocks.last_two() >= MINUTES)
            .then_some(DigitForm::Clock)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn survey(numbers: impl Iterator<Item = u32>) -> (u64, Option<DigitForm>) {
        let mut survey = DigitSurvey::default();
        numbers.for_each(|number| survey.add_text(&number.to_string()));
        (survey.short_dates(), survey.form())
    }

    #[test]
    fn short_dates_are_recognised_in_any_order() {
        let parts = |k: u32| (15 + k % 7, 1 + k % 12, 1 + k * 5 % 28);
        for write in [
            |(y, m, d): (u32, u32, u32)| 10_000 * y + 100 * m + d,
            |(y, m, d)| 10_000 * d + 100 * m + y,
            |(y, m, d)| 10_000 * m + 100 * d + y,
            |(y, m, _)| 10_000 * m + 2000 + y,
        ] {
            assert_eq!(survey((0..84).map(|k| write(parts(k)))), (84, None));
        }
        assert!(survey((0..200).map(|k| 100_000 + k * 7919 % 900_000)).0 < 20, "numbers");
        assert_eq!(survey((0..200).map(|k| 120_101 + k % 5)).0, 0, "few different");
    }

    #[test]
    fn times_and_weeks_are_told_from_counts() {
        let minutes = |k: u32| k * 37 % 1440;
        assert_eq!(
            survey((0..100).map(|k| minutes(k) / 60 * 100 + minutes(k) % 60)).1,
            Some(DigitForm::Clock)
        );
        assert_eq!(survey((0..100).map(|k| 100 * (2015 + k % 5) + 1 + k * 7 % 52)).1, Some(DigitForm::Week));
        for (what, numbers) in [
            ("counts", (0..100).map(|k| k * 17 % 160).collect::<Vec<_>>()),
            ("counts below an hour", (0..100).map(|k| k % 60).collect()),
            ("rounded", (0..100).map(|k| 50 * (k % 40)).collect()),
            ("years", (0..100).map(|k| 1950 + k % 70).collect()),
            ("amounts", (0..100).map(|k| k * 7919 % 2400).collect()),
            ("long", (0..100).map(|k| 200_000 + k * 7919 % 5000).collect()),
        ] {
            assert_eq!(survey(numbers.into_iter()).1, None, "{what}");
        }
    }
}
