//! The format of an error:
//!
//! ```text
//! error: people.csv:4, column `age`: `abc` is not a number
//!   |
//! 4 | 1003,abc,1.72,yes
//!   |      ^^^
//! hint: correct the cell, or ...
//! ```
//!
//! Colours are left out unless standard error is a terminal, and if `NO_COLOR` is set.

use crate::commands::Failure;
use anstyle::{AnsiColor, Style};
use psd_impute_frame::{At, Excerpt, Place};
use std::io::Write;
use unicode_width::UnicodeWidthStr;

const ERROR: Style = AnsiColor::Red.on_default().bold();
const HINT: Style = AnsiColor::Cyan.on_default().bold();
const FRAME: Style = AnsiColor::Blue.on_default();

/// Writes the error, the line of the table where it occurred, and the hint to standard error.
pub(crate) fn print(failure: &Failure) {
    // If it cannot be written, as on a full disk, it cannot be reported to anybody.
    let _ = anstream::stderr().write_all(render(failure).as_bytes());
}

fn render(failure: &Failure) -> String {
    let mut out = format!("{ERROR}error:{ERROR:#} {}\n", printable(&failure.to_string()));
    if let Some(Place { at: At::Line(line), excerpt: Some(excerpt), .. }) = failure.place() {
        out += &show(*line, excerpt);
    }
    if let Some(hint) = failure.hint() {
        out += &format!("{HINT}hint:{HINT:#} {}\n", printable(&hint));
    }
    out
}

/// The line with its number, and carets below the mark; one caret if the mark is empty.
fn show(line: u64, Excerpt { before, marked, after }: &Excerpt) -> String {
    let [before, marked, after] = [before, marked, after].map(|part| printable(part));
    let number = line.to_string();
    let (blank, space) = (" ".repeat(number.len()), " ".repeat(before.width()));
    let carets = "^".repeat(marked.width().max(1));
    format!(
        "{FRAME}{blank} |{FRAME:#}\n\
         {FRAME}{number} |{FRAME:#} {before}{marked}{after}\n\
         {FRAME}{blank} |{FRAME:#} {space}{ERROR}{carets}{ERROR:#}\n"
    )
}

/// A text of a file made safe for a terminal: characters that would control it, or change its text direction, are escaped as in Rust.
pub(crate) fn printable(text: &str) -> String {
    let hidden = |c: char| matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}');
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() || hidden(c) {
            out.extend(c.escape_default());
        } else {
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use psd_impute_frame::{Error, Origin};

    fn plain(before: &str, marked: &str, after: &str) -> String {
        let excerpt = Excerpt { before: before.into(), marked: marked.into(), after: after.into() };
        let place = Place { origin: Origin::file("t.csv"), at: At::Line(12), excerpt: Some(excerpt.into()) };
        let failure = Failure::Frame(Error::Infinite { place, column: "b".into(), text: marked.into() });
        anstream::adapter::strip_str(&render(&failure)).to_string()
    }

    #[test]
    fn carets_stand_below_the_mark() {
        let shown = plain("1,", "inf", ",3");
        assert!(shown.starts_with("error: t.csv:12, column `b`: `inf` is infinite\n"), "{shown}");
        assert!(shown.contains("\n   |\n12 | 1,inf,3\n   |   ^^^\nhint: "), "{shown}");
        assert!(plain("1", "", "").contains("\n12 | 1\n   |  ^\n"));
    }

    #[test]
    fn wide_characters_and_tabs_take_their_room() {
        assert!(plain("東京,", "無限", ",3").contains("\n12 | 東京,無限,3\n   |      ^^^^\n"));
        assert!(plain("1\t", "inf", "\t3").contains("\n12 | 1\\tinf\\t3\n   |    ^^^\n"));
    }

    #[test]
    fn nothing_of_a_file_controls_the_terminal() {
        let shown = plain("\u{1b}[2J\u{7}", "a\u{9b}\u{202e}b\rc", "\u{0}");
        assert!(
            shown.chars().all(|c| c == '\n' || !c.is_control()) && !shown.contains('\u{202e}'),
            "{shown}"
        );
        assert!(shown.contains("\n12 | \\u{1b}[2J\\u{7}a\\u{9b}\\u{202e}b\\rc\\u{0}\n"), "{shown}");
        assert_eq!(printable("Zoë \"O'Neil\" \\ e\u{301}"), "Zoë \"O'Neil\" \\ e\u{301}");
    }

    #[test]
    fn a_message_is_coloured_until_it_is_stripped() {
        let failure = Failure::OneStream;
        assert!(render(&failure).starts_with("\u{1b}[1m\u{1b}[31merror:\u{1b}[0m standard"));
    }
}
