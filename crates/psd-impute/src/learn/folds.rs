//! The folds of cross-validation.

use crate::table::Table;

/// With more rows than this, two thirds of them tell what four fifths do, for half the price.
const MANY: usize = 2_000;
/// With no more cells than this, nine tenths of the rows tell more than four fifths, and cost little.
const SMALL: usize = 2_500;

/// How many folds a table is cross-validated in.
pub(crate) fn folds(table: &Table) -> usize {
    let rows = table.len();
    match rows * table.columns().len() {
        _ if rows > MANY => 3,
        cells if cells > SMALL => rows.min(5),
        _ => rows.min(10),
    }
}

/// The rows of a fold, which leaves them out, and the others. Of a single row there is nothing to leave out.
pub(crate) fn split(rows: usize, fold: usize, folds: usize) -> (Vec<usize>, Vec<usize>) {
    let (test, train): (Vec<usize>, Vec<usize>) = (0..rows).partition(|i| i % folds == fold);
    if train.is_empty() { (test.clone(), test) } else { (test, train) }
}
