//! The text around a place.

/// Part of a line: the marked text, and the text before and after it. `…` stands for the omitted part of a long line, and `�` for bytes
/// that are not text. All other characters of the file are kept, so it must be made safe before it is shown on a terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Excerpt {
    /// The line up to the mark.
    pub before: String,
    /// The marked text; empty if something is absent there.
    pub marked: String,
    /// The rest of the line.
    pub after: String,
}

/// The most characters of an excerpt, of its part before the mark, and of the mark.
const WHOLE: usize = 76;
const BEFORE: usize = 32;
const MARKED: usize = 40;

impl Excerpt {
    /// The line around the bytes `start..end`; bytes on further lines are left out.
    pub(crate) fn of(text: &[u8], start: usize, end: usize) -> Self {
        let ends_line = |b: &u8| matches!(b, b'\n' | b'\r');
        let line_start = text[..start].iter().rposition(ends_line).map_or(0, |k| k + 1);
        let line_end = text[start..].iter().position(ends_line).map_or(text.len(), |k| start + k);
        let end = end.clamp(start, line_end);
        let part = |from: usize, to: usize| String::from_utf8_lossy(&text[from..to]);
        let before = last(part(line_start, start).trim_start_matches('\u{feff}'), BEFORE);
        let marked = first(&part(start, end), MARKED);
        let room = WHOLE - before.chars().count() - marked.chars().count();
        let after = first(&part(end, line_end), room);
        Self { before, marked, after }
    }
}

/// At most `most` characters from the start of a text.
fn first(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_string(),
        Some(_) => text.chars().take(most - 1).chain(['…']).collect(),
    }
}

/// At most `most` characters from the end of a text.
fn last(text: &str, most: usize) -> String {
    match text.char_indices().rev().nth(most) {
        None => text.to_string(),
        Some(_) => {
            let from = text.char_indices().rev().nth(most - 2).map_or(0, |(at, _)| at);
            format!("…{}", &text[from..])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &[u8], marked: &str) -> [String; 3] {
        let found = text.windows(marked.len()).position(|w| w == marked.as_bytes()).unwrap();
        let Excerpt { before, marked, after } = Excerpt::of(text, found, found + marked.len());
        [before, marked, after]
    }

    #[test]
    fn it_is_the_line_whatever_ends_it() {
        assert_eq!(of(b"a,b\r\n1,x,2\r\n3", "x"), ["1,", "x", ",2"]);
        assert_eq!(of(b"a\r1,x", "x"), ["1,", "x", ""]);
        assert_eq!(of(b"\xef\xbb\xbfa,b\n", "b"), ["a,", "b", ""]);
        assert_eq!(of(b"1,\"x\ny\",2\n", "\"x\ny\""), ["1,", "\"x", ""]);
        assert_eq!(of(b"\xe9,x,\xff\n", "x"), ["\u{fffd},", "x", ",\u{fffd}"]);
        assert_eq!(
            Excerpt::of(b"1,2\n", 3, 3),
            Excerpt { before: "1,2".into(), marked: "".into(), after: "".into() }
        );
    }

    #[test]
    fn a_long_line_is_cut_around_the_mark() {
        let line = format!("{}|{}|{}", "é".repeat(500), "x".repeat(50), "ü".repeat(500));
        let [before, marked, after] = of(line.as_bytes(), &"x".repeat(50));
        assert_eq!(before, format!("…{}|", "é".repeat(30)));
        assert_eq!(marked, format!("{}…", "x".repeat(39)));
        assert_eq!([&before, &marked, &after].map(|part| part.chars().count()), [BEFORE, MARKED, 4]);
        let fits = format!("{}x{}", "a".repeat(32), "b".repeat(43));
        assert_eq!(of(fits.as_bytes(), "x"), ["a".repeat(32), "x".into(), "b".repeat(43)]);
    }
}
