//! Distributions of missing cells, as a table.

use super::html::Heading::{Number, Text};
use super::html::{self, Html, folded, number, row, row_heading, td};
use crate::findings::cells::{Cell, CellRow, Cells, Known};
use crate::numbers::{count, percent};

/// A line for each missing cell.
pub(super) fn table(cells: &Cells, names: &[&str]) -> Html {
    if cells.rows.is_empty() {
        return Html::default();
    }
    let known = |line: &CellRow| -> Vec<(u64, usize, Known)> {
        let missing = line.cells.iter().enumerate().filter_map(|(j, cell)| match cell {
            Cell::Missing(known) => Some((line.row, j, (**known).clone())),
            Cell::Observed(_) => None,
        });
        missing.collect()
    };
    let line = |(number_of_row, j, known): (u64, usize, Known)| {
        let [mean, low, high] = known.number.unwrap_or_else(|| ["–"; 3].map(String::from));
        row([
            row_heading(count(number_of_row)),
            td(names[j]),
            number(known.typical),
            number(mean),
            number(low),
            number(high),
            number(known.width.map_or("–".to_string(), percent)),
        ])
    };
    let headings = [
        Text("Row"),
        Text("Column"),
        Number("Median or label"),
        Number("Mean"),
        Number("5 %"),
        Number("95 %"),
        Number("Relative width"),
    ];
    let lines = cells.rows.iter().flat_map(known).map(line);
    let table = html::table("Missing cells, and what the model knows of them", "", &headings, lines);
    folded("These missing cells as a table", table)
}
