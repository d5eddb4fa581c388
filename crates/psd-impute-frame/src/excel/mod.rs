//! Excel workbooks; one sheet is read or written.
//!
//! A sheet is held in memory while it is read, because the types of its columns are known only after the last cell.

mod archive;
mod book;
mod cell;
mod sheet;
mod xml;

pub(crate) use book::{SheetCells, read_book};
pub(crate) use sheet::{Sheet, sheets};
pub(crate) use xml::{SheetFile, check_size};

/// The most rows and columns of a sheet.
const MOST_ROWS: u32 = 1 << 20;
const MOST_COLUMNS: u32 = 1 << 14;
/// The most characters of a cell, in UTF-16 units.
const MOST_CHARACTERS: usize = 32_767;

/// The name of a cell, such as `C5`; row and column count from zero.
fn cell_name(row: u32, column: u32) -> String {
    format!("{}{}", column_name(column), row + 1)
}

/// The letters of a column: A, ..., Z, AA, ...
fn column_name(column: u32) -> String {
    let (mut letters, mut rest) = (Vec::new(), column + 1);
    while rest > 0 {
        rest -= 1;
        letters.push(char::from(b'A' + (rest % 26) as u8));
        rest /= 26;
    }
    letters.iter().rev().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_have_the_names_that_people_see() {
        let names = [(0, 0), (4, 2), (0, 25), (9, 26), (MOST_ROWS - 1, MOST_COLUMNS - 1)];
        let names = names.map(|(row, column)| cell_name(row, column));
        assert_eq!(names, ["A1", "C5", "Z1", "AA10", "XFD1048576"]);
    }
}
