//! Texts and numbers that mark a missing cell.

use crate::text::{NumberText, TimeText};
use std::collections::HashMap;
use std::sync::Arc;

/// The tokens that mark a missing cell by default: those of pandas and R, and those that spreadsheets and databases write. An empty cell is
/// always missing.
pub const DEFAULT_MISSING: [&str; 56] = [
    "NA",
    "na",
    "N/A",
    "n/a",
    "N/a",
    "n.a.",
    "N.A.",
    "n.a",
    "N.A",
    "N.a.",
    "<NA>",
    "<na>",
    "#N/A",
    "#N/A N/A",
    "#n/a",
    "#NA",
    "NaN",
    "nan",
    "NAN",
    "Nan",
    "<NaN>",
    "-NaN",
    "-nan",
    "NaT",
    "1.#IND",
    "-1.#IND",
    "1.#QNAN",
    "-1.#QNAN",
    "null",
    "NULL",
    "Null",
    "(null)",
    "<null>",
    "<NULL>",
    "[null]",
    "\\N",
    "nil",
    "none",
    "None",
    "NONE",
    "missing",
    "Missing",
    "MISSING",
    "?",
    ".",
    "-",
    "--",
    "---",
    "#VALUE!",
    "#REF!",
    "#DIV/0!",
    "#NUM!",
    "#NAME?",
    "#NULL!",
    "#ERROR!",
    "<missing>",
];

/// Those of them that may also be an answer.
const WORDS: [&str; 8] = ["none", "None", "NONE", "missing", "Missing", "MISSING", "nil", "-"];

/// A token that marks a missing cell, everywhere or in one column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    /// The column; `None` for all of them.
    pub column: Option<String>,
    /// The text. If it is a number, numbers of the same value count, too.
    pub text: String,
}

impl Token {
    /// A token for all columns.
    pub fn everywhere(text: impl Into<String>) -> Self {
        Self { column: None, text: text.into() }
    }

    /// A token for one column.
    pub fn of(column: impl Into<String>, text: impl Into<String>) -> Self {
        Self { column: Some(column.into()), text: text.into() }
    }
}

/// The tokens of missing cells in each column.
#[derive(Debug, Clone)]
pub(crate) struct Missing {
    everywhere: Arc<Tokens>,
    columns: HashMap<String, Arc<Tokens>>,
}

impl Missing {
    /// `only` replaces the default tokens, everywhere or in one column; `added` are added to them.
    pub(crate) fn new(added: &[Token], only: &[Token]) -> Self {
        let texts = |tokens: &[Token], column: Option<&str>| -> Vec<String> {
            let mine = tokens.iter().filter(|token| token.column.as_deref() == column);
            mine.map(|token| token.text.trim().to_string()).collect()
        };
        let usual = match texts(only, None) {
            named if named.is_empty() => DEFAULT_MISSING.map(String::from).to_vec(),
            named => named,
        };
        let added_everywhere = texts(added, None);
        let everywhere = Tokens::new([usual.clone(), added_everywhere.clone()].concat());
        let columns = added.iter().chain(only).filter_map(|token| token.column.as_deref()).map(|column| {
            let base = match texts(only, Some(column)) {
                named if named.is_empty() => usual.clone(),
                named => named,
            };
            let tokens = Tokens::new([base, added_everywhere.clone(), texts(added, Some(column))].concat());
            (column.to_string(), Arc::new(tokens))
        });
        Self { columns: columns.collect(), everywhere: Arc::new(everywhere) }
    }

    /// Whether the decimal sign decides if some texts are tokens: `9.999` is 9999 in a file with decimal commas only.
    pub(crate) fn depends_on_sign(&self) -> bool {
        self.everywhere.depend_on_sign() || self.columns.values().any(|tokens| tokens.depend_on_sign())
    }

    /// The same tokens, with the decimal signs of columns known: whether each is a comma.
    pub(crate) fn with_signs(mut self, commas: impl IntoIterator<Item = (String, bool)>) -> Self {
        for (column, comma) in commas {
            let tokens = self.of(&column);
            if tokens.depend_on_sign() {
                self.columns
                    .insert(column, Arc::new(Tokens { comma: Some(comma), ..Tokens::clone(&tokens) }));
            }
        }
        self
    }

    /// No tokens: only empty cells are missing.
    pub(crate) fn nothing() -> Self {
        Self { everywhere: Arc::new(Tokens::default()), columns: HashMap::new() }
    }

    /// The tokens of a column.
    pub(crate) fn of(&self, column: &str) -> Arc<Tokens> {
        self.columns.get(column).unwrap_or(&self.everywhere).clone()
    }

    /// The columns with tokens of their own.
    pub(crate) fn columns(&self) -> impl Iterator<Item = &str> {
        self.columns.keys().map(String::as_str)
    }
}

impl Default for Missing {
    fn default() -> Self {
        Self::new(&[], &[])
    }
}

/// The tokens of missing cells in one column.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tokens {
    /// Grouped by length, which few cells share.
    by_length: Vec<Vec<String>>,
    numbers: Vec<f64>,
    times: Vec<i128>,
    /// Whether the decimal sign of the column is a comma, where that is known.
    comma: Option<bool>,
}

impl Tokens {
    fn new(texts: Vec<String>) -> Self {
        let mut tokens = Self::default();
        for text in texts {
            tokens.numbers.extend(NumberText::PLAIN.parse(&text).map(|parsed| parsed.value));
            tokens.times.extend(TimeText::parse(&text).map(|(time, _)| time));
            if tokens.by_length.len() <= text.len() {
                tokens.by_length.resize(text.len() + 1, Vec::new());
            }
            tokens.by_length[text.len()].push(text);
        }
        tokens
    }

    /// Whether a text without surrounding space is missing.
    pub(crate) fn has_text(&self, cell: &str) -> bool {
        let same = |tokens: &Vec<String>| tokens.iter().any(|token| token == cell);
        cell.is_empty() || self.by_length.get(cell.len()).is_some_and(same) || self.has_number_text(cell)
    }

    pub(crate) fn has_number(&self, cell: f64) -> bool {
        self.numbers.contains(&cell)
    }

    /// Whether a time, in nanoseconds since 1970, is missing.
    pub(crate) fn has_time(&self, cell: i128) -> bool {
        self.times.contains(&cell)
    }

    /// Whether a text is a missing number, however it is written. If it is another number with a decimal comma than with a point, the sign
    /// of the column decides; where that is not known, the text is not taken for a missing one.
    fn has_number_text(&self, cell: &str) -> bool {
        if self.numbers.is_empty() {
            return false;
        }
        let read = |looks: &NumberText| looks.parse(cell).map(|parsed| parsed.value);
        match [&NumberText::GROUPED, &NumberText::COMMA].map(read) {
            [Some(point), Some(comma)] if point != comma => {
                self.comma.is_some_and(|sign| self.has_number(if sign { comma } else { point }))
            }
            readings => readings.into_iter().flatten().any(|x| self.has_number(x)),
        }
    }

    /// Whether one of the numbers can be written so that the decimal sign decides what is meant: with a sign before its last three digits.
    fn depend_on_sign(&self) -> bool {
        let thousandths = |x: f64| (x * 1000.0).round() / 1000.0 == x;
        self.numbers.iter().any(|&x| (1.0..1e6).contains(&x.abs()) && thousandths(x))
    }
}

/// Whether a token may also be an answer.
pub(crate) fn is_word(token: &str) -> bool {
    WORDS.contains(&token)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn has(missing: &Missing, column: &str, cell: &str) -> bool {
        missing.of(column).has_text(cell)
    }

    #[test]
    fn knows_the_tokens_of_other_programs() {
        let usual = Missing::default();
        let pandas = [
            "", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN",
            "<NA>", "N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null",
        ];
        for cell in pandas
            .into_iter()
            .chain(["Nan", "N.A", "#n/a", "NaT", "none", "\\N", "--", "n.a.", "missing", "?", ".", "-"])
        {
            assert!(has(&usual, "x", cell), "{cell}");
        }
        for cell in ["0", "Na", "unknown", "-1", "no", "nothing", "-999"] {
            assert!(!has(&usual, "x", cell), "{cell}");
        }
    }

    #[test]
    fn tokens_are_added_or_replace() {
        let added = Missing::new(&[Token::everywhere("-999"), Token::of("age", "0")], &[]);
        assert!(has(&added, "x", "-999") && has(&added, "x", "NA") && !has(&added, "x", "0"));
        assert!(has(&added, "age", "0") && has(&added, "age", "-999") && has(&added, "age", "NA"));
        let only =
            Missing::new(&[Token::everywhere("zz")], &[Token::everywhere("-"), Token::of("age", "NA")]);
        assert!(
            has(&only, "x", "-") && has(&only, "x", "zz") && has(&only, "x", "") && !has(&only, "x", "NA")
        );
        assert!(has(&only, "age", "NA") && has(&only, "age", "zz") && !has(&only, "age", "-"));
    }

    #[test]
    fn numbers_are_meant_by_value() {
        let added = Missing::new(&[Token::everywhere("-999"), Token::of("when", "1900-01-01")], &[]);
        for cell in ["-999", "-999.0", "-999,00", "-9.99e2"] {
            assert!(has(&added, "x", cell), "{cell}");
        }
        assert!(!has(&added, "x", "-9990") && !has(&added, "x", "999"));
        assert!(added.of("x").has_number(-999.0) && !added.of("x").has_number(999.0));
        let (day, _) = TimeText::parse("1900-01-01").unwrap();
        assert!(added.of("when").has_time(day) && !added.of("x").has_time(day));
    }
}
