//! Splits the text of a number into sign, currency or unit, and digits.
//!
//! `-$1,234.50`, `(1,234)`, `12 kg`, `5.3kg`, `7 %`, `EUR 5`, `−3` (with the minus sign U+2212), `1 234,5`, `1'234.5`, `2e-3`.

use super::affix::{is_currency, is_suffix};

/// The parts of a number's text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Written<'a> {
    pub(crate) negative: bool,
    /// Whether parentheses mark it as negative.
    pub(crate) accounting: bool,
    /// Whether the minus sign is the character U+2212.
    pub(crate) wide_minus: bool,
    /// A currency with the space behind it.
    pub(crate) prefix: &'a str,
    /// A percent sign, a currency or a unit with the space before it.
    pub(crate) suffix: &'a str,
    /// Digits with their separators, and an exponent.
    pub(crate) digits: &'a str,
}

impl<'a> Written<'a> {
    /// Splits a text without surrounding space. Returns `None` if it cannot be a number.
    pub(crate) fn parse(text: &'a str) -> Option<Self> {
        let mut written = Self {
            negative: false,
            accounting: false,
            wide_minus: false,
            prefix: "",
            suffix: "",
            digits: "",
        };
        let mut rest = text;
        if let Some(inner) = text.strip_prefix('(').and_then(|inner| inner.strip_suffix(')')) {
            (written.negative, written.accounting, rest) = (true, true, inner.trim());
        }
        rest = written.strip_sign(rest)?;
        let start = rest.find(|c: char| c.is_ascii_digit() || c == '.' || c == '-' || c == '\u{2212}')?;
        if start > 0 {
            let (prefix, digits) = rest.split_at(start);
            if !is_currency(prefix.trim_end()) {
                return None;
            }
            written.prefix = prefix;
            rest = written.strip_sign(digits)?;
        }
        let end = digits_end(rest)?;
        (written.digits, written.suffix) = rest.split_at(end);
        let suffix = written.suffix.trim_start();
        let one_currency = written.prefix.is_empty() || !is_currency(suffix);
        (suffix.is_empty() || is_suffix(suffix) && one_currency).then_some(written)
    }

    /// Strips at most one sign.
    fn strip_sign(&mut self, text: &'a str) -> Option<&'a str> {
        let (sign, rest) = match text.chars().next()? {
            c @ ('-' | '+' | '\u{2212}') => (c, &text[c.len_utf8()..]),
            _ => return Some(text),
        };
        if self.negative || self.accounting {
            return None;
        }
        (self.negative, self.wide_minus) = (sign != '+', sign == '\u{2212}');
        Some(rest)
    }
}

/// The end of the digits at the start of a text, including separators and an exponent.
fn digits_end(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let (mut at, mut any) = (0, false);
    loop {
        if digit(at) {
            (at, any) = (at + 1, true);
            continue;
        }
        let Some(c) = text[at..].chars().next() else { break };
        // A point may end or begin a number; any other separator has digits on both sides.
        let next = at + c.len_utf8();
        if c == '.' && (any || digit(next)) && bytes.get(next).is_none_or(|&b| b != b'.')
            || any && is_separator(c) && digit(next)
        {
            at = next;
        } else {
            break;
        }
    }
    if any && matches!(bytes.get(at), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-')));
        if digit(at + 1 + sign) {
            at += 1 + sign;
            at += bytes[at..].iter().take_while(|b| b.is_ascii_digit()).count();
        }
    }
    any.then_some(at)
}

/// Whether a character may separate the digits of a number.
pub(super) fn is_separator(c: char) -> bool {
    matches!(c, ',' | '.' | ' ' | '\u{a0}' | '\u{2009}' | '\u{202f}' | '\'' | '\u{2019}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(text: &str) -> Option<(bool, &str, &str, &str)> {
        Written::parse(text).map(|w| (w.negative, w.prefix, w.digits, w.suffix))
    }

    #[test]
    fn takes_numbers_apart() {
        for (text, expected) in [
            ("1.5", (false, "", "1.5", "")),
            ("+4", (false, "", "4", "")),
            ("-$1,234.50", (true, "$", "1,234.50", "")),
            ("$-5", (true, "$", "5", "")),
            ("€ 5", (false, "€ ", "5", "")),
            ("USD 5", (false, "USD ", "5", "")),
            ("5 EUR", (false, "", "5", " EUR")),
            ("(1,234)", (true, "", "1,234", "")),
            ("($5)", (true, "$", "5", "")),
            ("\u{2212}3", (true, "", "3", "")),
            ("12 kg", (false, "", "12", " kg")),
            ("5.3kg", (false, "", "5.3", "kg")),
            ("7 %", (false, "", "7", " %")),
            ("1 234,5", (false, "", "1 234,5", "")),
            ("1\u{202f}234", (false, "", "1\u{202f}234", "")),
            ("1'234.5", (false, "", "1'234.5", "")),
            ("2e-3", (false, "", "2e-3", "")),
            ("2E5", (false, "", "2E5", "")),
            (".5", (false, "", ".5", "")),
            ("5.", (false, "", "5.", "")),
            ("36.6 °C", (false, "", "36.6", " °C")),
            ("120 mg/dL", (false, "", "120", " mg/dL")),
        ] {
            assert_eq!(parts(text), Some(expected), "{text}");
        }
    }

    #[test]
    fn refuses_what_is_no_number() {
        for text in [
            "",
            "-",
            "+",
            "abc",
            "A12",
            "Room 5",
            "--5",
            "(-5)",
            "1-2",
            "2020-01-01",
            "13:45",
            "12 apples and 3",
            "#5",
            "1st",
            "3rd",
            "5..",
            "..5",
            "1/2",
            "$",
            "$5 EUR",
            "1,",
            "12 34x5",
        ] {
            assert_eq!(parts(text), None, "{text}");
        }
    }
}
