//! Reads digits with either decimal sign.

use super::written::{Written, is_separator};

/// Integers up to here are exact; those beyond are labels rather than numbers.
const EXACT: u64 = 1 << 53;

/// A number as read, with the features of its text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Parsed {
    pub(crate) value: f64,
    /// Digits after the decimal sign; `None` if the number has an exponent.
    pub(crate) decimals: Option<u8>,
    /// Whether the digits are a code rather than a number: they begin with a zero, or are too many to be exact.
    pub(crate) code: bool,
    /// The separator of its thousands.
    pub(crate) group: Option<char>,
}

impl Parsed {
    /// A number that was not stored as text.
    pub(crate) fn plain(value: f64) -> Self {
        Self { value, decimals: Some(0), code: false, group: None }
    }
}

/// A cell that may be a number, read with a decimal point and with a decimal comma.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NumberCell<'a> {
    /// Its parts, unless it is a simple number.
    pub(crate) written: Option<Written<'a>>,
    /// The readings with a point and with a comma.
    pub(crate) readings: [Option<Parsed>; 2],
}

impl<'a> NumberCell<'a> {
    pub(crate) fn parse(text: &'a str) -> Option<Self> {
        if let Some(parsed) = parse_simple(text) {
            return Some(Self { written: None, readings: [Some(parsed), with_comma(text, parsed)] });
        }
        let written = Written::parse(text)?;
        let readings = [false, true].map(|comma| read_digits(&written, comma));
        readings.iter().any(Option::is_some).then_some(Self { written: Some(written), readings })
    }

    /// Whether the two readings differ.
    pub(crate) fn is_ambiguous(&self) -> bool {
        matches!(self.readings, [Some(a), Some(b)] if a.value != b.value)
    }
}

/// Reads a number as programs write it: ASCII digits, optionally a sign, a point and an exponent; or infinity.
pub(super) fn parse_simple(text: &str) -> Option<Parsed> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let first = *unsigned.as_bytes().first()?;
    if !first.is_ascii_digit() && first != b'.' {
        let infinite = unsigned.eq_ignore_ascii_case("inf") || unsigned.eq_ignore_ascii_case("infinity");
        return infinite.then_some(Parsed {
            value: text.parse().ok()?,
            decimals: None,
            code: false,
            group: None,
        });
    }
    let value: f64 = text.parse().ok()?;
    let point = unsigned.bytes().position(|b| b == b'.');
    let exponent = unsigned.bytes().any(|b| b | 0x20 == b'e');
    let decimals = match point {
        _ if exponent => None,
        Some(at) => u8::try_from(unsigned.len() - at - 1).ok(),
        None => Some(0),
    };
    let code = point.is_none() && !exponent && is_code(unsigned);
    Some(Parsed { value, decimals, code, group: None })
}

/// Reads a simple number with a comma as the decimal sign: unchanged without a point, and perhaps as thousands with one.
fn with_comma(text: &str, parsed: Parsed) -> Option<Parsed> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let Some(at) = unsigned.find('.') else { return Some(parsed) };
    let thousands = parsed.decimals == Some(3) && (1..=3).contains(&at) && !unsigned.starts_with('0');
    let value = (parsed.value * 1000.0).round();
    thousands.then_some(Parsed { value, decimals: Some(0), code: false, group: Some('.') })
}

/// Whether digits are a code rather than a number.
fn is_code(digits: &str) -> bool {
    digits.len() > 1 && digits.starts_with('0')
        || digits.len() > 15 && digits.parse::<u64>().map_or(true, |x| x > EXACT)
}

/// Reads the digits of a number with one decimal sign.
pub(super) fn read_digits(written: &Written<'_>, comma: bool) -> Option<Parsed> {
    let point = if comma { ',' } else { '.' };
    let digits = written.digits;
    let (whole, rest) = digits.split_once(point).map_or((digits, None), |(whole, rest)| (whole, Some(rest)));
    if rest.is_some_and(|rest| rest.contains(is_separator)) {
        return None;
    }
    let group = whole.chars().find(|&c| is_separator(c));
    if let Some(group) = group
        && !(group != point && is_grouped(whole, group))
    {
        return None;
    }
    let mut plain = match group {
        Some(group) => whole.replace(group, ""),
        None => whole.to_string(),
    };
    let exponent = digits.contains(['e', 'E']);
    let code = rest.is_none() && !exponent && written.suffix.is_empty() && is_code(&plain);
    if let Some(rest) = rest {
        plain.push('.');
        plain.push_str(rest);
    }
    let size: f64 = plain.parse().ok()?;
    let decimals = if exponent { None } else { u8::try_from(rest.map_or(0, str::len)).ok() };
    Some(Parsed { value: if written.negative { -size } else { size }, decimals, code, group })
}

/// Whether separators of thousands are in the right places. A number does not begin with a zero and a separator.
fn is_grouped(whole: &str, group: char) -> bool {
    let mut parts = whole.split(group);
    let lead = parts.next().unwrap_or_default();
    let digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
    let lead_fits = (1..=3).contains(&lead.len()) && !lead.starts_with('0') && digits(lead);
    lead_fits && parts.all(|part| part.len() == 3 && digits(part))
}
