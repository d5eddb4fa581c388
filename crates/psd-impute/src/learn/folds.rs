//! Folds of cross-validation.

use crate::table::Table;

/// Above this many rows three folds are used: two thirds of the rows tell as much as four fifths, at half the cost. Arbitrary.
const MANY: usize = 2_000;
/// Up to this many cells ten folds are used: nine tenths of the rows tell more than four fifths, and the cost is small. Arbitrary.
const SMALL: usize = 2_500;

/// Number of folds for cross-validating a table.
pub(crate) fn folds(table: &Table) -> usize {
    let rows = table.len();
    match rows * table.columns().len() {
        _ if rows > MANY => 3,
        cells if cells > SMALL => rows.min(5),
        _ => rows.min(10),
    }
}

/// Rows held out in a fold, and the rows used for training. A single row is used for both.
pub(crate) fn split(rows: usize, fold: usize, folds: usize) -> (Vec<usize>, Vec<usize>) {
    let (test, train): (Vec<usize>, Vec<usize>) = (0..rows).partition(|i| i % folds == fold);
    if train.is_empty() { (test.clone(), test) } else { (test, train) }
}
