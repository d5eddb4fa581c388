//! Dates as text.
//!
//! Year first (`2020-01-31`, `2020/1/31`), day or month first (`31/01/2020`, `1.2.20`), with the month's English name (`31-Jan-2020`,
//! `January 31, 2020`), eight digits (`20200131`), or six without a day (`202001`). Where day and month are both numbers up to twelve, one
//! cell cannot tell which is first, so both readings are returned.

use super::clock::number;
use super::unit::DAY;
use chrono::{Datelike, NaiveDate};
use serde::{Deserialize, Serialize};

/// Days from the first of January of the year one to the first of January 1970, plus one.
const EPOCH: i32 = 719_163;
/// Two-digit years from here on are in the last century, as in POSIX.
const LAST_CENTURY: u32 = 69;
/// Years that digits may begin with to count as a date.
const COMPACT_YEARS: std::ops::RangeInclusive<u32> = 1800..=2199;
/// The middle day of a month: a time that is nearest to it is in the month.
const MIDDLE: u32 = 15;
const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// The text format of dates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DateText {
    /// The order of day, month and year.
    pub order: DateOrder,
    /// The separator of day, month and year.
    pub separator: Option<char>,
    /// Whether days and months always have two digits.
    pub padded: bool,
    /// Whether years have two digits.
    pub short_year: bool,
    /// The format of months.
    pub month: MonthText,
    /// Whether a comma precedes the year.
    pub comma: bool,
    /// Whether it has year and month, but no day.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub dayless: bool,
    /// Whether `.0` follows all-digit dates, as programs write integers in columns with missing cells.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pointed: bool,
}

/// The order of day, month and year.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DateOrder {
    /// Year, month, day.
    Ymd,
    /// Day, month, year.
    Dmy,
    /// Month, day, year.
    Mdy,
}

/// The format of months.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MonthText {
    /// As numbers.
    Number,
    /// By their English names.
    Name {
        /// The full name, or its first three letters.
        long: bool,
        /// Whether it is in upper case.
        upper: bool,
    },
}

impl Default for DateText {
    fn default() -> Self {
        Self::ISO
    }
}

/// A date in days since 1970 and its format, read day-first and month-first. Both are the same where the text is unambiguous.
pub(super) type DateCell = [Option<(i128, DateText)>; 2];

impl DateText {
    /// `2020-01-31`.
    pub const ISO: Self = Self {
        order: DateOrder::Ymd,
        separator: Some('-'),
        padded: true,
        short_year: false,
        month: MonthText::Number,
        comma: false,
        dayless: false,
        pointed: false,
    };
    /// `20200131`.
    pub const COMPACT: Self = Self { separator: None, ..Self::ISO };
    /// `202001`.
    pub const MONTH: Self = Self { dayless: true, ..Self::COMPACT };

    pub(super) fn is_iso(&self) -> bool {
        *self == Self::ISO
    }

    /// Writes days since 1970, if they are in the calendar.
    pub(super) fn show(&self, days: i128) -> Option<String> {
        let days = i32::try_from(days).ok()?.checked_add(EPOCH)?;
        let date = NaiveDate::from_num_days_from_ce_opt(days)?;
        let (year, month, day) = (date.year(), date.month(), date.day());
        if !(0..=9999).contains(&year) {
            return Some(date.to_string());
        }
        let two = |x: u32| if self.padded { format!("{x:02}") } else { x.to_string() };
        let month = match self.month {
            MonthText::Number => two(month),
            MonthText::Name { long, upper } => {
                let name = MONTHS[month as usize - 1];
                let name = if long { name } else { &name[..3] };
                if upper { name.to_uppercase() } else { name.to_string() }
            }
        };
        let year = if self.short_year { format!("{:02}", year % 100) } else { format!("{year:04}") };
        let between = self.separator.map(String::from).unwrap_or_default();
        let comma = if self.comma { "," } else { "" };
        let point = if self.pointed { ".0" } else { "" };
        Some(match self.order {
            DateOrder::Ymd if self.dayless => [year, month].join(&between) + point,
            DateOrder::Ymd => [year, month, two(day)].join(&between) + point,
            DateOrder::Dmy => format!("{}{between}{month}{comma}{between}{year}", two(day)),
            DateOrder::Mdy => format!("{month}{between}{}{comma}{between}{year}", two(day)),
        })
    }

    /// Reads a date of digits alone, with or without `.0`, in nanoseconds since 1970.
    pub(super) fn read_digits(&self, text: &str) -> Option<i128> {
        let text = text.strip_suffix(".0").unwrap_or(text);
        let digits =
            text.len() == if self.dayless { 6 } else { 8 } && text.bytes().all(|b| b.is_ascii_digit());
        self.of_digits(number(text).filter(|_| digits)?)
    }

    /// Nanoseconds since 1970 of a number whose digits are a date, in a plausible year. A month counts as its middle.
    pub(super) fn of_digits(&self, digits: u32) -> Option<i128> {
        let digits = if self.dayless { digits.checked_mul(100)?.checked_add(MIDDLE)? } else { digits };
        let year = Some(digits / 10_000).filter(|year| COMPACT_YEARS.contains(year))?;
        days(year, digits / 100 % 100, digits % 100).map(|days| days * DAY)
    }

    /// The format of a column with cells in this format and in `other`.
    pub(super) fn join(self, other: Self) -> Option<Self> {
        let month = match (self.month, other.month) {
            (MonthText::Name { long: a, upper }, MonthText::Name { long: b, .. }) => {
                // `May` may be short or long.
                MonthText::Name { long: a || b, upper }
            }
            (a, b) => Some(a).filter(|a| *a == b)?,
        };
        let padded = self.padded && other.padded;
        let joined = Self { padded, month, ..self };
        (Self { padded, month, ..other } == joined).then_some(joined)
    }
}

/// Reads a date that is not compact.
pub(super) fn parse_date(text: &str) -> Option<DateCell> {
    if !text.is_ascii() || !(6..=18).contains(&text.len()) {
        return None;
    }
    let at = text.find(|c: char| !c.is_ascii_alphanumeric())?;
    let separator = char::from(text.as_bytes()[at]);
    if !matches!(separator, '-' | '/' | '.' | ' ') {
        return None;
    }
    let mut parts = text.split(separator);
    let (a, b, c) = (parts.next()?, parts.next()?, parts.next()?);
    if parts.next().is_some() {
        return None;
    }
    let style = DateText { separator: Some(separator), ..DateText::ISO };
    let named = |day: &str, name: &str, year: &str, comma, order| {
        let (month, month_text) = parse_month(name)?;
        date(day, month, year, DateText { order, comma, month: month_text, ..style })
    };
    if a.starts_with(|c: char| c.is_ascii_alphabetic()) {
        let (day, comma) = b.strip_suffix(',').map_or((b, false), |day| (day, true));
        let read = named(day, a, c, comma, DateOrder::Mdy);
        return read.map(|read| [Some(read); 2]);
    }
    if b.starts_with(|c: char| c.is_ascii_alphabetic()) {
        let (name, comma) = b.strip_suffix(',').map_or((b, false), |name| (name, true));
        return named(a, name, c, comma, DateOrder::Dmy).map(|read| [Some(read); 2]);
    }
    // Numbers with spaces between them may mean many things.
    if separator == ' ' {
        return None;
    }
    if a.len() == 4 {
        let month = part(b)?;
        let unpadded = b.len() == 1;
        let read = date(c, month, a, DateText { padded: !unpadded, ..style })?;
        return Some([Some(read); 2]);
    }
    let (day_first, month_first) = (part(a)?, part(b)?);
    let unpadded = a.len() == 1 || b.len() == 1;
    let ordered = |order| DateText { order, padded: !unpadded, ..style };
    let cell =
        [date(a, month_first, c, ordered(DateOrder::Dmy)), date(b, day_first, c, ordered(DateOrder::Mdy))];
    cell.iter().any(Option::is_some).then_some(cell)
}

/// The month of the year of a time in nanoseconds since 1970.
pub(crate) fn month_of_year(nanoseconds: i128) -> Option<u32> {
    let days = i32::try_from(nanoseconds.div_euclid(DAY)).ok()?.checked_add(EPOCH)?;
    NaiveDate::from_num_days_from_ce_opt(days).map(|date| date.month())
}

/// Whether digits are a date in an order or with a time of day that is not completed: `31012020`, `2020013112`, `20200131123000`.
pub(crate) fn is_stamp(text: &str) -> bool {
    let digits = text.strip_suffix(".0").unwrap_or(text);
    if !digits.bytes().all(|b| b.is_ascii_digit()) {
        return false;
    }
    let below = |range: std::ops::Range<usize>, end: u32| number(&digits[range]).is_some_and(|x| x < end);
    match digits.len() {
        7 | 8 => {
            let (parts, year) = digits.split_at(digits.len() - 4);
            let (a, b) = parts.split_at(parts.len() - 2);
            let is_date = |a: u32, b: u32, year| days(year, b, a).or(days(year, a, b)).is_some();
            let year = number(year).filter(|year| COMPACT_YEARS.contains(year));
            number(a).zip(number(b)).zip(year).is_some_and(|((a, b), year)| is_date(a, b, year))
        }
        10 | 12 | 14 => {
            let within = |start, end| digits.len() <= start || below(start..start + 2, end);
            let date = DateText::COMPACT.read_digits(&digits[..8]);
            date.is_some() && within(8, 24) && within(10, 60) && within(12, 60)
        }
        _ => false,
    }
}

/// Whether the digits of a number are such a stamp.
pub(crate) fn is_stamp_number(x: f64) -> bool {
    x.fract() == 0.0 && (1e6..1e14).contains(&x) && is_stamp(&x.to_string())
}

/// The months of an integer that is a date in short forms of digits alone: `yymmdd`, `ddmmyy`, `mmddyy` and `mmyyyy`.
pub(crate) fn short_date(number: u32) -> [Option<u32>; 4] {
    let [a, b, c] = [number / 10_000, number / 100 % 100, number % 100];
    let day = |year, month, day| {
        let year = year + if year < LAST_CENTURY { 2000 } else { 1900 };
        days(year, month, day).map(|_| month)
    };
    let month = Some(a).filter(|month| (1..=12).contains(month) && (19..=20).contains(&b));
    [day(a, b, c), day(c, b, a), day(c, a, b), month]
}

/// A day or month of one or two digits.
fn part(text: &str) -> Option<u32> {
    if (1..=2).contains(&text.len()) { number(text) } else { None }
}

fn date(day: &str, month: u32, year: &str, style: DateText) -> Option<(i128, DateText)> {
    let short_year = year.len() == 2;
    let padded = style.padded && day.len() == 2;
    let full = match (year.len(), number(year)?) {
        (2, year) => year + if year < LAST_CENTURY { 2000 } else { 1900 },
        (4, year) => year,
        _ => return None,
    };
    Some((days(full, month, part(day)?)?, DateText { short_year, padded, ..style }))
}

/// Days since 1970.
fn days(year: u32, month: u32, day: u32) -> Option<i128> {
    let date = NaiveDate::from_ymd_opt(i32::try_from(year).ok()?, month, day)?;
    Some(i128::from(date.num_days_from_ce() - EPOCH))
}

fn parse_month(name: &str) -> Option<(u32, MonthText)> {
    let short = name.len() == 3;
    let same = |month: &&str| {
        let month = if short { &month[..3] } else { month };
        name.eq_ignore_ascii_case(month)
    };
    let at = MONTHS.iter().position(same)?;
    let upper = name.bytes().all(|b| b.is_ascii_uppercase());
    Some((at as u32 + 1, MonthText::Name { long: !short, upper }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn again(text: &str) -> [Option<String>; 2] {
        parse_date(text).unwrap_or_default().map(|read| read.and_then(|(days, style)| style.show(days)))
    }

    #[test]
    fn dates_read_back() {
        for text in [
            "2020-01-31",
            "2020/01/31",
            "2020.1.31",
            "31-Jan-2020",
            "31 JAN 2020",
            "31 January 2020",
            "Jan 31, 2020",
            "January 1, 2020",
            "01-Feb-99",
        ] {
            assert_eq!(again(text), [Some(text.to_string()), Some(text.to_string())], "{text}");
        }
        for text in ["31/01/2020", "31.12.99", "31-1-2020"] {
            assert_eq!(again(text), [Some(text.to_string()), None], "{text}");
        }
        assert_eq!(again("1/31/2020"), [None, Some("1/31/2020".to_string())]);
        assert_eq!(again("01/02/2020"), [Some("01/02/2020".to_string()), Some("01/02/2020".to_string())]);
        let [day_first, month_first] = parse_date("01/02/2020").unwrap();
        assert_eq!(day_first.unwrap().0 - month_first.unwrap().0, 30);
    }

    #[test]
    fn refuses_what_is_no_date() {
        for text in [
            "",
            "2020-02-30",
            "31/31/2020",
            "1/2",
            "1/2/3/4",
            "1/2/203",
            "1.234.567",
            "192.168.1",
            "12-34",
            "Jam 1, 2020",
            "31-Jan",
            "1 2 2020",
            "2020-01-31x",
            "1/2-2020",
            "Mon 5 may",
            "é1/02/2020",
            "May May 2020",
        ] {
            assert_eq!(again(text), [None, None], "{text}");
        }
    }

    #[test]
    fn eight_digits_may_be_a_date() {
        assert_eq!(DateText::COMPACT.read_digits("19700102"), Some(DAY));
        assert_eq!(DateText::COMPACT.of_digits(20200496), None);
        assert_eq!(DateText::COMPACT.read_digits("19700102.0"), Some(DAY));
        let pointed = DateText { pointed: true, ..DateText::COMPACT };
        assert_eq!(pointed.show(1).as_deref(), Some("19700102.0"));
        for text in
            ["31012020", "1012020", "01312020", "20200131123000", "202001312359", "31012020.0", "2020013123"]
        {
            assert!(is_stamp(text), "{text}");
        }
        for text in [
            "20200131",
            "31312020",
            "31011720",
            "20200131246000",
            "202001312460",
            "2020013124",
            "é101202",
            "123",
        ] {
            assert!(!is_stamp(text), "{text}");
        }
        assert_eq!(DateText::COMPACT.show(1).as_deref(), Some("19700102"));
        for text in ["20200496", "20201301", "12345678", "2020013", "202001311", "99991231", "2020-1-3"] {
            assert_eq!(DateText::COMPACT.read_digits(text), None, "{text}");
        }
    }

    #[test]
    fn six_digits_may_be_a_month() {
        let month = DateText::MONTH;
        assert_eq!(month.read_digits("197001"), Some(14 * DAY));
        assert_eq!(
            [0, 14, 30, 31].map(|days| month.show(days).unwrap()),
            ["197001", "197001", "197001", "197002"]
        );
        for text in ["201654", "201600", "20160", "2016011", "20160131", "179912", "220001", "2016-1", ""] {
            assert_eq!(month.read_digits(text), None, "{text}");
        }
    }

    #[test]
    fn styles_join_where_they_can() {
        let style = |text: &str| parse_date(text).unwrap()[0].unwrap().1;
        assert_eq!(
            style("31-May-2020").join(style("1-June-2020")).unwrap().show(0).unwrap(),
            "1-January-1970"
        );
        assert_eq!(style("2020-01-31").join(style("31/12/2020")), None);
        assert_eq!(style("2020-01-31").join(style("2020/01/31")), None);
    }
}
