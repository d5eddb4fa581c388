//! The distance of two cells by which rows are near each other: for anchors by k-means, and for complete copies.

use crate::table::{Kind, Table};

/// For each column, whether its cells are compared as labels. Those of ordered columns are: only numbers are standardised, so differences
/// of levels have no scale to compare with.
pub(crate) fn labels(table: &Table) -> Vec<bool> {
    table.columns().iter().map(|column| *column.kind() != Kind::Continuous).collect()
}

/// The squared difference of two numbers; one for labels that differ.
pub(crate) fn squared_difference(label: bool, x: f64, y: f64) -> f64 {
    if label { f64::from(x != y) } else { (x - y).powi(2) }
}
