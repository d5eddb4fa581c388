//! Detects the delimiter.

use super::scan::{Found, blank_line, scan_row};

/// The possible delimiters; among equals, the first is chosen.
const DELIMITERS: [u8; 5] = [b',', b';', b'\t', b'|', b' '];

/// The delimiter that splits all rows of the sample into as many cells as the header, and into the most; if there is none, the one that
/// splits the header into the most. A single column gets one that it does not contain.
pub(crate) fn sniff(sample: &[u8]) -> u8 {
    let mut best = (b',', (false, 0, false));
    for delimiter in DELIMITERS {
        let (header, even) = shape(sample, delimiter);
        let score = (even && header > 1, header, even);
        // Spaces occur in any text, so uneven ones prove nothing.
        if score > best.1 && (even || delimiter != b' ') {
            best = (delimiter, score);
        }
    }
    best.0
}

/// The number of cells of the header, and whether every whole row of the sample has as many.
fn shape(sample: &[u8], delimiter: u8) -> (usize, bool) {
    let (mut at, mut header, mut even) = (0, 0, true);
    while at < sample.len() {
        if let Some(next) = blank_line(sample, at, delimiter) {
            at = next;
            continue;
        }
        let mut cells = Vec::new();
        let last = header == 0;
        match scan_row(sample, at, delimiter, last, &mut cells) {
            Found::Row { next } => at = next,
            Found::Cut { .. } => break,
        }
        if header == 0 {
            header = cells.len();
        }
        even &= cells.len() == header;
    }
    (header, even)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sniffs_the_delimiter() {
        for (text, delimiter) in [
            ("a,b\n1,2\n", b','),
            ("a;b\n1,5;2,5\n", b';'),
            ("a\tb c\n1\t2, 3\n", b'\t'),
            ("a|b\n1|2\n", b'|'),
            ("a b\n1 2\n", b' '),
            ("a b\n1\n", b','),
            ("first name,age\n\"Lee, Ann\",3\nBo Jo,4\n", b','),
            ("x\n1\n2\n", b','),
            ("x\n1,5\n2,5\n", b';'),
            ("a;b,c;d\n1;2,5;3\n", b';'),
            ("a,b,c\n1,2\n", b','),
            ("a;b;c\n\n1;2;3", b';'),
            ("", b','),
        ] {
            assert_eq!(sniff(text.as_bytes()) as char, delimiter as char, "{text}");
        }
    }
}
