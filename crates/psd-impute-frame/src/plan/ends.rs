//! Ends that all observed cells of a column respect, so that imputed cells should too: an income is not negative, a share not above one.
//!
//! An end counts only where it is natural or where cells pile up at it:
//!
//! 1. Numbers that are never negative stay so. If they are never zero either, they stay positive: at least one unit of the last decimal
//!    they are written with. The same holds for numbers that are never positive.
//! 2. Numbers with decimals from zero to one are shares; those with a percent sign from zero to a hundred are percentages. Neither matters
//!    where all cells are further from the end than from each other.
//! 3. The least or the largest number is an end if enough cells have it, as at a limit of detection or the ends of a scale.

/// Fewer cells than this determine no end.
const FEWEST: u64 = 10;
/// Cells pile up at an end if there are at least this many, and one in this many.
const PILE: u64 = 5;
const PILE_SHARE: u64 = 100;

/// Summary of a column's numbers.
#[derive(Debug, Clone, Copy)]
pub(super) struct Seen {
    pub(super) cells: u64,
    pub(super) low: f64,
    pub(super) high: f64,
    /// The number of cells at the lowest and at the highest number.
    pub(super) at_ends: [u64; 2],
    /// The most decimals that a number needs, if they are few.
    pub(super) decimals: Option<u8>,
    /// Whether the numbers are written as percentages.
    pub(super) percent: bool,
}

impl Seen {
    /// The lower and the upper end.
    pub(super) fn ends(&self) -> [Option<f64>; 2] {
        let &Self { cells, low, high, at_ends, .. } = self;
        if cells < FEWEST || low >= high {
            return [None, None];
        }
        let pile = |k: usize| at_ends[k] >= PILE && PILE_SHARE * at_ends[k] >= cells;
        let is_near = |end: &f64| low - end <= high - low && end - high <= high - low;
        let low_end = if pile(0) { Some(low) } else { self.lower().filter(is_near) };
        let high_end = if pile(1) { Some(high) } else { self.upper().filter(is_near) };
        [low_end, high_end]
    }

    /// The natural lower end.
    fn lower(&self) -> Option<f64> {
        match self.low {
            0.0 => Some(0.0),
            low if low > 0.0 => Some(self.unit()),
            _ => None,
        }
    }

    /// The natural upper end.
    fn upper(&self) -> Option<f64> {
        let &Self { low, high, decimals, percent, .. } = self;
        match high {
            _ if percent && low >= 0.0 && high <= 100.0 => Some(100.0),
            0.0 => Some(0.0),
            _ if high < 0.0 => Some(-self.unit()),
            _ if low >= 0.0 && high <= 1.0 && decimals != Some(0) => Some(1.0),
            _ => None,
        }
    }

    /// The least positive number that the column can write; zero if unknown.
    fn unit(&self) -> f64 {
        self.decimals.map_or(0.0, |decimals| 10f64.powi(-i32::from(decimals)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ends(low: f64, high: f64, at_ends: [u64; 2], decimals: Option<u8>) -> [Option<f64>; 2] {
        Seen { cells: 200, low, high, at_ends, decimals, percent: false }.ends()
    }

    #[test]
    fn natural_ends_are_respected() {
        assert_eq!(ends(0.0, 8e4, [1, 1], Some(2)), [Some(0.0), None]);
        assert_eq!(ends(3.5, 8e4, [1, 1], None), [Some(0.0), None]);
        assert_eq!(ends(150.0, 195.0, [1, 1], Some(0)), [None, None], "too far away to matter");
        assert_eq!(ends(2.0, 90.0, [1, 1], Some(0)), [Some(1.0), None], "positive integers");
        assert_eq!(ends(0.25, 90.0, [1, 1], Some(2)), [Some(0.01), None]);
        assert_eq!(ends(-5.0, 90.0, [1, 1], Some(1)), [None, None]);
        assert_eq!(ends(-9.0, -0.5, [1, 1], Some(1)), [None, Some(-0.1)]);
        assert_eq!(ends(0.02, 0.97, [1, 1], Some(2)), [Some(0.01), Some(1.0)], "shares");
        let percent =
            Seen { cells: 99, low: 3.0, high: 99.0, at_ends: [1, 1], decimals: Some(0), percent: true };
        assert_eq!(percent.ends(), [Some(1.0), Some(100.0)]);
    }

    #[test]
    fn piles_are_ends_and_few_cells_tell_nothing() {
        assert_eq!(ends(-3.0, 7.0, [4, 30], Some(0)), [None, Some(7.0)]);
        assert_eq!(ends(18.0, 90.0, [5, 4], Some(0)), [Some(18.0), None]);
        let few = Seen { cells: 9, low: 0.0, high: 1.0, at_ends: [5, 4], decimals: Some(1), percent: false };
        assert_eq!(few.ends(), [None, None]);
        let many = Seen { cells: 10_000, at_ends: [50, 50], low: -4.0, high: 4.0, ..few };
        assert_eq!(many.ends(), [None, None], "the tails of a large table");
    }
}
