//! Numbers as written: with a decimal point or comma, with or without separated thousands, currencies and units.

mod affix;
mod reading;
mod rounding;
mod written;

pub(crate) use affix::is_known as is_known_unit;
pub(crate) use reading::{NumberCell, Parsed};
pub use rounding::MOST_DECIMALS;
pub(crate) use rounding::{decimals_of, round_to};
pub(crate) use written::Written;

use reading::{parse_simple, read_digits};
use rounding::fits;
use serde::{Deserialize, Serialize};

/// The text format of a column's numbers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NumberText {
    /// Whether the decimal sign is a comma.
    pub comma: bool,
    /// Whether thousands are separated, by whichever of comma and point is not the decimal sign unless the style says otherwise.
    pub grouped: bool,
    /// The least number of decimals, as in `1.50`.
    pub padding: u8,
    /// The text around the digits.
    #[serde(default, skip_serializing_if = "NumberStyle::is_plain")]
    pub style: NumberStyle,
}

/// The text around the digits of a column's numbers.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NumberStyle {
    /// The separator of thousands, if it is neither comma nor point: a space or an apostrophe.
    #[serde(default)]
    pub separator: Option<char>,
    /// A currency before the digits, with the space behind it.
    #[serde(default)]
    pub prefix: String,
    /// A percent sign, a currency or a unit behind the digits, with the space before it.
    #[serde(default)]
    pub suffix: String,
    /// Whether negative numbers are in parentheses.
    #[serde(default)]
    pub accounting: bool,
    /// Whether the minus is the character U+2212.
    #[serde(default)]
    pub wide_minus: bool,
}

impl NumberStyle {
    const PLAIN: Self = Self {
        separator: None,
        prefix: String::new(),
        suffix: String::new(),
        accounting: false,
        wide_minus: false,
    };

    fn is_plain(&self) -> bool {
        *self == Self::PLAIN
    }

    /// Whether a number may be written without the currency or unit that others have. A share is not a percentage.
    pub(crate) fn may_be_bare(&self) -> bool {
        !matches!(self.suffix.trim(), "%" | "‰")
    }

    /// Whether a number with these parts belongs to the column.
    fn fits(&self, written: &Written<'_>) -> bool {
        let (prefix, suffix) = (written.prefix.trim_end(), written.suffix.trim_start());
        let bare = prefix.is_empty() && suffix.is_empty();
        let same = prefix == self.prefix.trim_end() && suffix == self.suffix.trim_start();
        same || bare && self.may_be_bare()
    }
}

impl NumberText {
    /// `1234.5`.
    pub const PLAIN: Self = Self { comma: false, grouped: false, padding: 0, style: NumberStyle::PLAIN };
    /// `1,234.5`.
    pub const GROUPED: Self = Self { comma: false, grouped: true, padding: 0, style: NumberStyle::PLAIN };
    /// `1.234,5` and `1234,5`.
    pub const COMMA: Self = Self { comma: true, grouped: true, padding: 0, style: NumberStyle::PLAIN };

    /// Reads a number, finite or infinite.
    pub(crate) fn parse(&self, text: &str) -> Option<Parsed> {
        if let Some(parsed) = parse_simple(text) {
            let decimal = text.contains('.');
            // Without a point it reads the same either way.
            if self.style.may_be_bare() && (!decimal || !self.comma) {
                return Some(parsed);
            }
        }
        let written = Written::parse(text).filter(|written| self.style.fits(written))?;
        let parsed = read_digits(&written, self.comma)?;
        (parsed.group.is_none() || self.grouped).then_some(parsed)
    }

    /// The separator of thousands and the decimal sign.
    fn signs(&self) -> (char, char) {
        let (group, point) = if self.comma { ('.', ',') } else { (',', '.') };
        (self.style.separator.unwrap_or(group), point)
    }

    /// Writes a number with at most `decimals` decimals; without a limit, with as many as it takes to read it back.
    pub(crate) fn show(&self, x: f64, decimals: Option<u8>) -> String {
        let text = match decimals {
            Some(k) if fits(x, k) => trim_zeros(format!("{x:.*}", k as usize)),
            _ => shortest(x),
        };
        self.dress(&text)
    }

    /// Gives a plain number the column's format.
    fn dress(&self, plain: &str) -> String {
        let plain = if plain == "-0" { "0" } else { plain };
        let (negative, size) = plain.strip_prefix('-').map_or((false, plain), |size| (true, size));
        let digits = self.digits(size);
        let NumberStyle { prefix, suffix, accounting, wide_minus, .. } = &self.style;
        match (negative, accounting, wide_minus) {
            (false, ..) => format!("{prefix}{digits}{suffix}"),
            (true, true, _) => format!("({prefix}{digits}{suffix})"),
            (true, false, true) => format!("\u{2212}{prefix}{digits}{suffix}"),
            (true, false, false) => format!("-{prefix}{digits}{suffix}"),
        }
    }

    /// A plain positive number with the column's decimal sign, separators and padding.
    fn digits(&self, plain: &str) -> String {
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

fn group_thousands(whole: &str, group: char) -> String {
    let mut text = String::new();
    for (k, digit) in whole.chars().enumerate() {
        if k > 0 && (whole.len() - k).is_multiple_of(3) {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn styled(prefix: &str, suffix: &str, separator: Option<char>) -> NumberText {
        let (prefix, suffix) = (prefix.to_string(), suffix.to_string());
        NumberText {
            style: NumberStyle { prefix, suffix, separator, ..NumberStyle::PLAIN },
            ..NumberText::GROUPED
        }
    }

    fn accounting() -> NumberText {
        NumberText { style: NumberStyle { accounting: true, ..NumberStyle::PLAIN }, ..NumberText::GROUPED }
    }

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
            (NumberText::GROUPED, "0,123", None),
            (NumberText::GROUPED, "1 234.5", Some(1234.5)),
            (NumberText::COMMA, "1\u{202f}234,5", Some(1234.5)),
            (NumberText::GROUPED, "1,234 567", None),
            (NumberText::PLAIN, "\u{2212}3", Some(-3.0)),
            (NumberText::PLAIN, "(3)", Some(-3.0)),
            (NumberText::PLAIN, "$3", None),
            (styled("$", "", None), "$3", Some(3.0)),
            (styled("$", "", None), "3", Some(3.0)),
            (styled("$", "", None), "€3", None),
            (styled("", " kg", None), "1,234.5kg", Some(1234.5)),
            (styled("", "%", None), "0.5", None),
        ] {
            assert_eq!(value(text, cell), expected, "{cell}");
        }
        assert_eq!(value(NumberText::PLAIN, "-Inf"), Some(f64::NEG_INFINITY));
        assert_eq!(value(NumberText::PLAIN, "1e999"), Some(f64::INFINITY));
    }

    #[test]
    fn tells_codes_from_numbers() {
        let code = |cell| NumberText::PLAIN.parse(cell).unwrap().code;
        assert!(code("02134") && code("12345678901234567890") && code("12345678901234567"));
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
            (NumberText { comma: true, ..NumberText::PLAIN }, 1234.5, None, "1234,5"),
            (styled("$", "", None), -1234.5, Some(2), "-$1,234.5"),
            (styled("", " kg", Some(' ')), 1234.5, None, "1 234.5 kg"),
            (styled("", "%", None), 7.0, None, "7%"),
            (accounting(), -1234.0, Some(0), "(1,234)"),
            (accounting(), 1234.0, Some(0), "1,234"),
        ] {
            assert_eq!(text.show(x, decimals), expected);
        }
    }

    #[test]
    fn numbers_read_back() {
        for x in [1.0, 0.1, 123456.789, -5e-324, f64::MAX, 1.0 / 3.0] {
            for text in [
                NumberText::PLAIN,
                NumberText::GROUPED,
                NumberText::COMMA,
                accounting(),
                styled("€ ", "", None),
            ] {
                let shown = text.show(x, None);
                assert_eq!(value(text, &shown), Some(x));
            }
        }
    }
}
