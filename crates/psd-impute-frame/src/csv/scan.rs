//! Finds the cells of CSV text.
//!
//! A cell that begins with a quote extends to the next quote that is not doubled; any text after that up to the delimiter belongs to it as
//! well. A row ends at a line feed, a carriage return, or the two of them.

/// The bytes of one cell, quotes included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) start: u32,
    pub(crate) end: u32,
}

/// The result of scanning where a row may begin.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// A row, whose cells were added, and where the next one may begin.
    Row { next: usize },
    /// The text ends within the row; gives the position of an open quote.
    Cut { quote: Option<usize> },
}

/// Reads the row that begins at `start`, and adds its cells. `last` tells whether the text ends where the bytes do.
pub(crate) fn scan_row(
    bytes: &[u8],
    start: usize,
    delimiter: u8,
    last: bool,
    cells: &mut Vec<Span>,
) -> Found {
    let mut at = start;
    loop {
        let from = at;
        if bytes.get(at) == Some(&b'"') {
            match closing_quote(bytes, at) {
                Some(close) => at = close + 1,
                None => return Found::Cut { quote: Some(from) },
            }
        }
        let ends = |&b: &u8| b == delimiter || b == b'\n' || b == b'\r';
        let end = bytes[at..].iter().position(ends).map(|k| at + k);
        if end.is_none() && !last {
            return Found::Cut { quote: None };
        }
        let end = end.unwrap_or(bytes.len());
        cells.push(Span { start: from as u32, end: end as u32 });
        match bytes.get(end) {
            Some(&b) if b == delimiter => at = end + 1,
            Some(b'\r') if end + 1 == bytes.len() && !last => return Found::Cut { quote: None },
            Some(b'\r') if bytes.get(end + 1) == Some(&b'\n') => return Found::Row { next: end + 2 },
            Some(_) => return Found::Row { next: end + 1 },
            None => return Found::Row { next: end },
        }
    }
}

/// The position of the quote that closes the one at `open`.
fn closing_quote(bytes: &[u8], open: usize) -> Option<usize> {
    let mut at = open + 1;
    loop {
        let quote = at + bytes[at..].iter().position(|&b| b == b'"')?;
        if bytes.get(quote + 1) != Some(&b'"') {
            return Some(quote);
        }
        at = quote + 2;
    }
}

/// The end of the blank line at `start`, if there is one: a line of only spaces and tabs that are not delimiters.
pub(crate) fn blank_line(bytes: &[u8], start: usize, delimiter: u8) -> Option<usize> {
    let blank = |&b: &u8| (b == b' ' || b == b'\t') && b != delimiter;
    let end = start + bytes[start..].iter().take_while(|b| blank(b)).count();
    match bytes.get(end) {
        Some(b'\n') => Some(end + 1),
        Some(b'\r') if bytes.get(end + 1) == Some(&b'\n') => Some(end + 2),
        Some(b'\r') => Some(end + 1),
        None if end > start => Some(end),
        _ => None,
    }
}

/// The number of line ends among the bytes; a carriage return and a line feed together count once.
pub(crate) fn count_lines(bytes: &[u8]) -> u64 {
    let feeds = bytes.iter().filter(|&&b| b == b'\n').count();
    let returns = bytes.windows(2).filter(|pair| pair[0] == b'\r' && pair[1] != b'\n').count();
    (feeds + returns + usize::from(bytes.last() == Some(&b'\r'))) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(text: &str, last: bool) -> (Vec<&str>, Found) {
        let mut spans = Vec::new();
        let found = scan_row(text.as_bytes(), 0, b',', last, &mut spans);
        (spans.iter().map(|s| &text[s.start as usize..s.end as usize]).collect(), found)
    }

    #[test]
    fn finds_cells() {
        assert_eq!(cells("a,,b\nc", false), (vec!["a", "", "b"], Found::Row { next: 5 }));
        assert_eq!(
            cells("a,\"x,\"\"\ny\"\r\n", false),
            (vec!["a", "\"x,\"\"\ny\""], Found::Row { next: 12 })
        );
        assert_eq!(cells("a,b", true), (vec!["a", "b"], Found::Row { next: 3 }));
        assert_eq!(cells("a,", true), (vec!["a", ""], Found::Row { next: 2 }));
        assert_eq!(cells("a\rb", true), (vec!["a"], Found::Row { next: 2 }));
    }

    #[test]
    fn knows_when_it_needs_more() {
        assert_eq!(cells("a,b", false).1, Found::Cut { quote: None });
        assert_eq!(cells("a,b\r", false).1, Found::Cut { quote: None });
        assert_eq!(cells("a,\"b", true).1, Found::Cut { quote: Some(2) });
    }

    #[test]
    fn counts_lines() {
        assert_eq!(count_lines(b"a\nb\r\nc\rd\r"), 4);
        assert_eq!(count_lines(b""), 0);
    }

    #[test]
    fn knows_blank_lines() {
        assert_eq!(blank_line(b" \t\r\nx", 0, b','), Some(4));
        assert_eq!(blank_line(b"\t\n", 0, b'\t'), None);
        assert_eq!(blank_line(b"", 0, b','), None);
        assert_eq!(blank_line(b"  ", 0, b','), Some(2));
    }
}
