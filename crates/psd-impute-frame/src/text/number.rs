//! Numbers as they are written: with a decimal point or comma, with or without separated thousands.

use serde::{Deserialize, Serialize};

/// Columns whose cells all have at most so many decimals are completed with no more than theirs.
pub const MOST_DECIMALS: u8 = 6;

/// How a column writes its numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NumberText {
    /// Whether the decimal sign is a comma.
    pub comma: bool,
    /// Whether thousands are set apart, by whichever of comma and point is not the decimal sign.
    pub grouped: bool,
    /// The decimals that every number is given, as in `1.50`.
    pub padding: u8,
}

/// A number that was read, with what its text shows of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Parsed {
    pub(crate) value: f64,
    /// Digits after the decimal sign; none if the number has an exponent.
    pub(crate) decimals: Option<u8>,
    /// Whether it is a row of digits that is more than a number: it begins with a zero, or is too long to be counted with.
    pub(crate) code: bool,
}

impl Parsed {
    /// A number that was never text.
    pub(crate) fn plain(value: f64) -> Self {
        Self { value, decimals: Some(0), code: false }
    }
}

impl NumberText {
    /// `1234.5`.
    pub const PLAIN: Self = Self { comma: false, grouped: false, padding: 0 };
    /// `1,234.5`.
    pub const GROUPED: Self = Self { comma: false, grouped: true, padding: 0 };
    /// `1.234,5` and `1234,5`.
    pub const COMMA: Self = Self { comma: true, grouped: true, padding: 0 };

    /// Reads a number; infinite ones are read as such.
    pub(crate) fn parse(&self, text: &str) -> Option<Parsed> {
        let (group, point) = self.signs();
        let is_plain = !text.contains(group) && (!self.comma || !text.contains(point));
        if is_plain {
            return parse_plain(text);
        }
        let (whole, rest) = text.split_once(point).map_or((text, None), |(whole, rest)| (whole, Some(rest)));
        if !(self.grouped || self.comma)
            || !is_grouped(whole, group)
            || rest.is_some_and(|r| r.contains(group))
        {
            return None;
        }
        let mut plain = whole.replace(group, "");
        if let Some(rest) = rest {
            plain.push('.');
            plain.push_str(rest);
        }
        parse_plain(&plain)
    }

    /// What sets thousands apart, and the decimal sign.
    fn signs(&self) -> (char, char) {
        if self.comma { ('.', ',') } else { (',', '.') }
    }

    /// Writes a number with at most so many decimals; without a limit, with as many as it takes to read it back.
    pub(crate) fn show(&self, x: f64, decimals: Option<u8>) -> String {
        let text = match decimals {
            Some(k) if fits(x, k) => trim_zeros(format!("{x:.*}", k as usize)),
            _ => shortest(x),
        };
        self.dress(&text)
    }

    /// Gives a plain number the column's looks.
    fn dress(&self, plain: &str) -> String {
        let plain = if plain == "-0" { "0" } else { plain };
        if plain.contains('e') {
            return if self.comma { plain.replace('.', ",") } else { plain.to_string() };
        }
        let (whole, rest) = plain.split_once('.').unwrap_or((plain, ""));
        let (group, point) = self.signs();
        let mut text = if self.grouped { group_thousands(whole, group) } else { whole.to_string() };
        if !rest.is_empty() || self.padding > 0 {
            text.push(point);
            text.push_str(rest);
            text.extend(std::iter::repeat_n('0', (self.padding as usize).saturating_sub(rest.len())));
        }
        text
    }
}

fn parse_plain(text: &str) -> Option<Parsed> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let first = *unsigned.as_bytes().first()?;
    if !first.is_ascii_digit() && first != b'.' {
        let infinite = unsigned.eq_ignore_ascii_case("inf") || unsigned.eq_ignore_ascii_case("infinity");
        return infinite.then_some(Parsed { value: text.parse().ok()?, decimals: None, code: false });
    }
    let value: f64 = text.parse().ok()?;
    let digits = unsigned.bytes().all(|b| b.is_ascii_digit());
    let code = digits && (first == b'0' && unsigned.len() > 1 || text.parse::<i64>().is_err());
    let decimals = match unsigned.split_once('.') {
        _ if unsigned.contains(['e', 'E']) => None,
        Some((_, rest)) => u8::try_from(rest.len()).ok(),
        None => Some(0),
    };
    Some(Parsed { value, decimals, code })
}

/// Whether the separators of thousands, if there are any, are where they belong.
fn is_grouped(whole: &str, group: char) -> bool {
    let mut parts = whole.trim_start_matches(['+', '-']).split(group);
    let lead = parts.next().unwrap_or_default().len();
    parts.enumerate().all(|(k, part)| part.len() == 3 && (k > 0 || (1..=3).contains(&lead)))
}

fn group_thousands(whole: &str, group: char) -> String {
    let (sign, digits) = whole.strip_prefix('-').map_or(("", whole), |digits| ("-", digits));
    let mut text = sign.to_string();
    for (k, digit) in digits.chars().enumerate() {
        if k > 0 && (digits.len() - k).is_multiple_of(3) {
            text.push(group);
        }
        text.push(digit);
    }
    text
}

fn trim_zeros(text: String) -> String {
    if !text.contains('.') {
        return text;
    }
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

/// The shortest text that reads back as the same number.
fn shortest(x: f64) -> String {
    if x != 0.0 && !(1e-5..1e16).contains(&x.abs()) { format!("{x:e}") } else { x.to_string() }
}

/// Whether counting in units of `10^-decimals` is exact at `x`.
fn fits(x: f64, decimals: u8) -> bool {
    x.abs() * 10f64.powi(i32::from(decimals)) < 2f64.powi(53)
}

/// The nearest number with at most so many decimals.
pub(crate) fn round_to(x: f64, decimals: u8) -> f64 {
    if !fits(x, decimals) {
        return x;
    }
    let unit = 10f64.powi(i32::from(decimals));
    (x * unit).round() / unit
}

/// The decimals of a number that was never text, if they are few. A number of single precision has those of its shortest text.
pub(crate) fn decimals_of(x: f64, single: bool) -> Option<u8> {
    let same = |y: f64| if single { y as f32 == x as f32 } else { y == x };
    (0..=MOST_DECIMALS).find(|&k| same(round_to(x, k)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: NumberText, cell: &str) -> Option<f64> {
        text.parse(cell).map(|p| p.value)
    }

    #[test]
    fn reads_what_is_written() {
        for (text, cell, expected) in [
            (NumberText::PLAIN, "1.5", Some(1.5)),
            (NumberText::PLAIN, "-2e-3", Some(-2e-3)),
            (NumberText::PLAIN, "1,5", None),
            (NumberText::PLAIN, "nan", None),
            (NumberText::PLAIN, "0x1", None),
            (NumberText::PLAIN, "", None),
            (NumberText::PLAIN, "-", None),
            (NumberText::GROUPED, "1,234.5", Some(1234.5)),
            (NumberText::GROUPED, "-12,345,678", Some(-12345678.0)),
            (NumberText::GROUPED, "1,5", None),
            (NumberText::GROUPED, "1234,567", None),
            (NumberText::GROUPED, ",567", None),
            (NumberText::COMMA, "1,5", Some(1.5)),
            (NumberText::COMMA, "1.234,5", Some(1234.5)),
            (NumberText::COMMA, "1.5", None),
            (NumberText::COMMA, "1,2,3", None),
            (NumberText::COMMA, "17", Some(17.0)),
        ] {
            assert_eq!(value(text, cell), expected, "{cell}");
        }
        assert_eq!(value(NumberText::PLAIN, "-Inf"), Some(f64::NEG_INFINITY));
        assert_eq!(value(NumberText::PLAIN, "1e999"), Some(f64::INFINITY));
    }

    #[test]
    fn tells_codes_from_numbers() {
        let code = |cell| NumberText::PLAIN.parse(cell).unwrap().code;
        assert!(code("02134") && code("12345678901234567890"));
        assert!(!code("0") && !code("0.5") && !code("2134"));
    }

    #[test]
    fn writes_with_the_columns_looks() {
        let padded = |text: NumberText, padding| NumberText { padding, ..text };
        for (text, x, decimals, expected) in [
            (NumberText::PLAIN, 1.5, Some(2), "1.5"),
            (NumberText::PLAIN, 1.256, Some(2), "1.26"),
            (NumberText::PLAIN, -0.001, Some(2), "0"),
            (padded(NumberText::PLAIN, 2), 1.5, Some(2), "1.50"),
            (padded(NumberText::PLAIN, 1), 41.0, Some(0), "41.0"),
            (NumberText::PLAIN, 0.1 + 0.2, None, "0.30000000000000004"),
            (NumberText::PLAIN, 1.5e-9, None, "1.5e-9"),
            (NumberText::PLAIN, 1e20, Some(0), "1e20"),
            (NumberText::GROUPED, -1234567.5, Some(1), "-1,234,567.5"),
            (NumberText::COMMA, 1234.5, None, "1.234,5"),
            (NumberText { comma: true, grouped: false, padding: 0 }, 1234.5, None, "1234,5"),
        ] {
            assert_eq!(text.show(x, decimals), expected);
        }
    }

    #[test]
    fn numbers_read_back() {
        for x in [1.0, 0.1, 123456.789, -5e-324, f64::MAX, 1.0 / 3.0] {
            for text in [NumberText::PLAIN, NumberText::GROUPED, NumberText::COMMA] {
                assert_eq!(value(text, &text.show(x, None)), Some(x));
            }
        }
    }

    #[test]
    fn counts_decimals() {
        assert_eq!(decimals_of(41.0, false), Some(0));
        assert_eq!(decimals_of(71.2833, false), Some(4));
        assert_eq!(decimals_of(f64::from(0.1f32), true), Some(1));
        assert_eq!(decimals_of(f64::from(0.1f32), false), None);
        assert_eq!(decimals_of(1.0 / 3.0, false), None);
    }
}
