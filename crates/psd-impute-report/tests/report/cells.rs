//! Distributions of missing cells.

use crate::common::*;
use psd_impute_report::findings::cells::{Cell, Known};

#[test]
fn cells_that_the_row_tells_are_surer_than_those_it_does_not() {
    let found = findings(&table(300, 5)).cells;
    let known = |column: usize| -> Vec<&Known> {
        let cells = found.rows.iter().filter_map(|row| match &row.cells[column] {
            Cell::Missing(known) => Some(&**known),
            Cell::Observed(_) => None,
        });
        cells.collect()
    };
    let typical = |column: usize| {
        let mut widths: Vec<f64> = known(column).iter().map(|known| known.width.unwrap()).collect();
        widths.sort_by(f64::total_cmp);
        widths[widths.len() / 2]
    };
    // `y` is `x` plus 0.1 times noise; `noise` is independent.
    assert!(typical(1) < 0.25, "{}", typical(1));
    assert!((0.7..1.3).contains(&typical(2)), "{}", typical(2));
    for known in known(1) {
        let [median, low, high, from, to] = known.at.unwrap();
        assert!(from <= low && low <= median && median <= high && high <= to);
        assert_eq!((known.shape.len(), known.shape.iter().max()), (40, Some(&99)));
    }
    for known in known(3) {
        assert!(known.number.is_none() && known.labels[0].1 >= known.labels[1].1);
        let total: f64 = known.labels.iter().map(|label| label.1).sum();
        assert!((total - 1.0).abs() < 0.01 && (1.0 - known.labels[0].1 - known.width.unwrap()).abs() < 2e-3);
    }
}

#[test]
fn observed_cells_are_shown_as_they_are() {
    let text = "when,n\n2020-01-01,1\n2020-02-01,\n2020-03-01,3\n2020-04-01,2\n2020-05-01,5\n2020-06-01,4\n";
    let found = findings(text).cells;
    assert_eq!(found.rows[0].row, 2);
    assert!(matches!(&found.rows[0].cells[0], Cell::Observed(text) if text == "2020-02-01"));
}
