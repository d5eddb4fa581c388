//! Counts of a column over all rows.

use crate::plan::survey::{Codes, Spread};
use crate::plan::{ColumnPlan, Kind, unit_of_codes};

/// The number of smallest and of largest observed cells kept.
pub(super) const ENDS: usize = 4;

/// Counts of a column's cells.
pub(super) struct Tally {
    pub(super) observed: u64,
    pub(super) imputed: u64,
    /// The observed and imputed counts of each label; empty for numbers.
    pub(super) labels: Vec<[u64; 2]>,
    /// The smallest observed cells with their row indices, ascending.
    pub(super) lowest: Vec<(f64, u64)>,
    /// The largest, descending.
    pub(super) highest: Vec<(f64, u64)>,
    /// Whether all observed cells are integers.
    pub(super) whole: bool,
    /// The range of observed cells, in units in which there are codes for missing cells; `None` if there are no codes.
    pub(super) spread: Option<Spread>,
    unit: f64,
}

impl Tally {
    pub(super) fn new(column: &ColumnPlan) -> Self {
        let kind = column.kind();
        let codes = if matches!(kind, Kind::Time { .. }) { Codes::Days } else { Codes::Numbers };
        let unit = unit_of_codes(kind);
        Self {
            observed: 0,
            imputed: 0,
            labels: vec![[0; 2]; kind.labels().len()],
            lowest: Vec::new(),
            highest: Vec::new(),
            whole: true,
            spread: unit.map(|_| Spread::new(codes)),
            unit: unit.unwrap_or(1.0),
        }
    }

    pub(super) fn add(&mut self, before: f64, after: f64, row: u64) {
        let imputed = before.is_nan();
        let x = if imputed { after } else { before };
        if x.is_nan() {
            return;
        }
        if imputed {
            self.imputed += 1;
        } else {
            self.observed += 1;
        }
        if !self.labels.is_empty() {
            if let Some(label) = self.labels.get_mut(x.round() as usize) {
                label[usize::from(imputed)] += 1;
            }
        } else if !imputed {
            self.whole &= x.fract() == 0.0;
            keep(&mut self.lowest, (x, row), |a, b| a < b);
            keep(&mut self.highest, (x, row), |a, b| a > b);
            if let Some(spread) = &mut self.spread {
                spread.add(row, x / self.unit);
            }
        }
    }

    /// The least and the largest observed number.
    pub(super) fn range(&self) -> Option<(f64, f64)> {
        Some((self.lowest.first()?.0, self.highest.first()?.0))
    }
}

/// Keeps the first few of all cells in an order.
fn keep(ends: &mut Vec<(f64, u64)>, cell: (f64, u64), before: impl Fn(f64, f64) -> bool) {
    if ends.len() == ENDS && ends.last().is_some_and(|last| !before(cell.0, last.0)) {
        return;
    }
    let at = ends.iter().position(|end| before(cell.0, end.0)).unwrap_or(ends.len());
    ends.insert(at, cell);
    ends.truncate(ENDS);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Role;
    use crate::text::NumberText;

    #[test]
    fn ends_are_kept_in_order() {
        let kind = Kind::Number { decimals: None, text: NumberText::PLAIN };
        let number = ColumnPlan::new("x", kind, Role::Modelled);
        let mut tally = Tally::new(&number);
        for (row, x) in [5.0, 1.0, 7.0, 3.0, 3.0, 9.0, 2.0].into_iter().enumerate() {
            tally.add(x, x, row as u64);
        }
        tally.add(f64::NAN, -4.5, 7);
        tally.add(f64::NAN, f64::NAN, 8);
        assert_eq!(tally.lowest, [(1.0, 1), (2.0, 6), (3.0, 3), (3.0, 4)]);
        assert_eq!(tally.highest, [(9.0, 5), (7.0, 2), (5.0, 0), (3.0, 3)]);
        assert_eq!(
            (tally.observed, tally.imputed, tally.range(), tally.whole),
            (7, 1, Some((1.0, 9.0)), true)
        );
    }
}
