//! Compares cells with an independent reader, and splicing with splitting and joining the same text.

use super::{Added, Chunk, ChunkReader, Dialect};
use crate::encoding::Encoding;
use crate::error::{Error, Result};
use crate::missing::Missing;
use crate::place::{At, Origin};
use proptest::prelude::*;

fn dialect(delimiter: Option<u8>) -> Dialect {
    Dialect { delimiter, missing: Missing::default(), encoding: Encoding::default(), no_header: false }
}

fn chunks(text: &[u8], chunk: usize) -> Result<Vec<Chunk>> {
    let input = Box::new(std::io::Cursor::new(text.to_vec()));
    let mut reader = ChunkReader::new(input, Origin::default(), dialect(None)).with_chunk(chunk);
    let mut chunks = Vec::new();
    while let Some(chunk) = reader.next()? {
        chunks.push(chunk);
    }
    Ok(chunks)
}

fn cells(chunks: &[Chunk]) -> Vec<Vec<String>> {
    let row = |chunk: &Chunk, i| (0..chunk.names().len()).map(|j| chunk.content(i, j).to_string()).collect();
    chunks.iter().flat_map(|chunk| (0..chunk.len()).map(move |i| row(chunk, i))).collect()
}

/// A cell as a file may contain it: its text, and whether it is missing.
fn cell() -> impl Strategy<Value = (String, bool)> {
    prop_oneof![
        prop::sample::select(vec!["", "NA", "\"\"", "\"NA\"", " ?", "null ", "  "])
            .prop_map(|t| (t.to_string(), true)),
        "[a-z0-9é ]{0,3}x[a-z0-9é' ]{0,3}".prop_map(|t| (t, false)),
        "[a-z,;\"\r\n é]{0,5}".prop_map(|t| (format!("\"x{}\"", t.replace('"', "\"\"")), false)),
    ]
}

#[derive(Debug, Clone)]
struct File {
    rows: Vec<Vec<(String, bool)>>,
    delimiter: char,
    line_end: &'static str,
    /// Blank lines before each row.
    blanks: Vec<usize>,
    bom: bool,
    last_line_end: bool,
}

impl File {
    /// The file with its missing cells written by `fill`.
    fn text(&self, fill: impl Fn(&str) -> String) -> String {
        let mut text = if self.bom { "\u{feff}".to_string() } else { String::new() };
        let names: Vec<String> = (0..self.rows[0].len()).map(|j| format!("c{j}")).collect();
        text += &names.join(&self.delimiter.to_string());
        for (row, blanks) in self.rows.iter().zip(&self.blanks) {
            text += self.line_end;
            text += &self.line_end.repeat(*blanks);
            let cells = row.iter().map(|(cell, missing)| if *missing { fill(cell) } else { cell.clone() });
            text += &cells.collect::<Vec<_>>().join(&self.delimiter.to_string());
        }
        if self.last_line_end { text + self.line_end } else { text }
    }
}

fn file() -> impl Strategy<Value = File> {
    let rows = (2..4usize, 1..12usize)
        .prop_flat_map(|(columns, rows)| prop::collection::vec(prop::collection::vec(cell(), columns), rows));
    let looks = (prop::sample::select(vec![',', ';', '\t', '|']), prop::sample::select(vec!["\n", "\r\n"]));
    let blanks = prop::collection::vec(0..2usize, 12);
    (rows, looks, blanks, any::<bool>(), any::<bool>()).prop_map(
        |(rows, (delimiter, line_end), blanks, bom, last_line_end)| File {
            rows,
            delimiter,
            line_end,
            blanks,
            bom,
            last_line_end,
        },
    )
}

fn with_delimiter(file: &File, text: &str, chunk: usize) -> Result<Vec<Chunk>> {
    let input = Box::new(std::io::Cursor::new(text.as_bytes().to_vec()));
    let delimiter = Some(file.delimiter as u8);
    let mut reader = ChunkReader::new(input, Origin::default(), dialect(delimiter)).with_chunk(chunk);
    std::iter::from_fn(|| reader.next().transpose()).collect()
}

proptest! {
    #[test]
    fn only_missing_cells_change(file in file(), chunk in 1..200usize) {
        let text = file.text(str::to_string);
        let chunks = with_delimiter(&file, &text, chunk).unwrap();
        let untouched: String = chunks.iter().map(|chunk| chunk.splice(&[], |_, _| None)).collect();
        prop_assert_eq!(&untouched, &text);

        let spliced: String = chunks
            .iter()
            .map(|chunk| {
                chunk.splice(&[], |i, j| chunk.is_missing(j, &chunk.cell(i, j)).then(|| "filled".to_string()))
            })
            .collect();
        // Space around a token is kept.
        let filled = |cell: &str| match cell.trim() {
            "" => "filled".to_string(),
            token => cell.replace(token, "filled"),
        };
        prop_assert_eq!(spliced, file.text(filled));
    }

    #[test]
    fn columns_are_added_to_every_row(file in file(), chunk in 1..200usize) {
        let text = file.text(str::to_string);
        let chunks = with_delimiter(&file, &text, chunk).unwrap();
        let added = |chunk: &Chunk| Added { name: "a;b,c".to_string(), cells: vec!["1"; chunk.len()] };
        let spliced: String = chunks.iter().map(|chunk| chunk.splice(&[added(chunk)], |_, _| None)).collect();
        let wider = with_delimiter(&file, &spliced, 1000).unwrap();
        prop_assert_eq!(wider[0].names().last().map(String::as_str), Some("a;b,c"));
        let mut expected = cells(&chunks);
        expected.iter_mut().for_each(|row| row.push("1".to_string()));
        prop_assert_eq!(cells(&wider), expected);
    }

    #[test]
    fn cells_are_those_of_another_reader(file in file(), chunk in 1..200usize) {
        let text = file.text(str::to_string);
        let chunks = with_delimiter(&file, &text, chunk).unwrap();
        let mut reader = csv::ReaderBuilder::new().delimiter(file.delimiter as u8).from_reader(text.as_bytes());
        let theirs: Vec<Vec<String>> = reader
            .records()
            .map(|record| record.unwrap().iter().map(String::from).collect())
            .collect();
        prop_assert_eq!(cells(&chunks), theirs);
    }

    #[test]
    fn filled_cells_read_back(text in "[a,;\t \"\r\né]{1,6}") {
        let chunk = chunks(b"a,b\n1,NA\n", 100).unwrap().remove(0);
        let spliced = chunk.splice(&[], |_, j| (j == 1).then(|| text.clone()));
        prop_assert_eq!(&cells(&chunks(spliced.as_bytes(), 100).unwrap())[0][1], &text);
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(
        prop::sample::select(b"ab,;\"\r\n \t\xc3\xa9\xff".to_vec()), 0..60), chunk in 1..20usize)
    {
        if let Ok(chunks) = chunks(&bytes, chunk) {
            let again: String = chunks.iter().map(|chunk| chunk.splice(&[], |_, _| None)).collect();
            prop_assert_eq!(again.as_bytes(), bytes);
            prop_assert!(chunks.iter().all(|chunk| chunk.len() > 0));
        }
    }
}

#[test]
fn a_single_column_has_missing_cells_on_blank_lines() {
    let chunks = chunks(b"x\n1\n\n3\n", 3).unwrap();
    assert_eq!(cells(&chunks), [["1"], [""], ["3"]]);
    let filled: String =
        chunks.iter().map(|c| c.splice(&[], |i, _| c.cell(i, 0).is_empty().then(|| "2".into()))).collect();
    assert_eq!(filled, "x\n1\n2\n3\n");
}

#[test]
fn lines_are_counted_through_everything() {
    let text = b"a,b\r\n\r\n\"x\ny\",2\r\n3,4\n5,6\n";
    for chunk in [1, 8, 100] {
        let lines: Vec<At> = chunks(text, chunk)
            .unwrap()
            .iter()
            .flat_map(|c| (0..c.len()).map(|i| c.place(&Origin::default(), i, 1).at).collect::<Vec<_>>())
            .collect();
        assert_eq!(lines, [4, 5, 6].map(At::Line));
    }
}

#[test]
fn errors_say_where() {
    for chunk in [1, 100] {
        let error = |text: &[u8]| chunks(text, chunk).unwrap_err().to_string();
        assert_eq!(error(b"a,b\n1,2\n3\n4,5\n"), "the table, line 3: 1 cell, but the header has 2");
        assert_eq!(
            error(b"a,b\n1,2\n\"3,4\n5,6\n"),
            "the table, line 3: the quote that opens here is never closed"
        );
        assert_eq!(error(b"a,b\n1,2\n\n3,\xff\n5,6\n"), "the table, line 4, column `b`: not UTF-8 text");
        assert_eq!(error(b"a,\xff\n1,2\n"), "the table, line 1: not UTF-8 text");
        assert_eq!(error(b"\xff\xfea\0,\0b\0\n\0"), "the table, line 1: not UTF-8 text");
        assert_eq!(error(b"a,b\n"), "the table has no rows");
        assert_eq!(error(b"a,b"), "the table has no rows");
        assert_eq!(error(b""), "the table is empty");
        assert_eq!(error(b"\xef\xbb\xbf\n \n"), "the table is empty");
    }
}

#[test]
fn errors_show_what_is_there() {
    for chunk in [1, 100] {
        let shown = |text: &[u8]| {
            let error = chunks(text, chunk).unwrap_err();
            let excerpt = error.place().unwrap().excerpt.clone().unwrap();
            format!("{}[{}]{}", excerpt.before, excerpt.marked, excerpt.after)
        };
        assert_eq!(shown(b"a,b\r\n1,2\r\n3\r\n4,5\r\n"), "3[]");
        assert_eq!(shown(b"a,b\n1,2\n3,4,5,6\n"), "3,4,[5,6]");
        assert_eq!(shown(b"a,b\n1,2\n3,\"4\n5,6\n"), "3,[\"]4");
        assert_eq!(shown(b"a,b\n1,2\n\n3,x\xff y\n5,6\n"), "3,x[\u{fffd}] y");
        assert_eq!(shown(b"a,\xff\n1,2\n"), "a,[\u{fffd}]");
    }
}

#[test]
fn an_endless_row_is_refused() {
    let mut text = b"a,b\n1,\"".to_vec();
    text.resize((1 << 26) + 100, b'x');
    text.extend(b"\n2,3\n".repeat(1 << 20));
    assert!(matches!(chunks(&text, 1 << 20), Err(Error::OpenQuote { .. })));
    text[6] = b'1';
    // Doubled six times, this ends shortly beyond the limit and before the row does.
    let Err(Error::LongRow { place, .. }) = chunks(&text, (1 << 20) + 1) else { unreachable!() };
    assert_eq!(place.at, At::Line(2));
    assert!(place.excerpt.unwrap().marked.starts_with("1,1xxx"));
}
