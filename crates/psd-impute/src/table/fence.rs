//! Wild cells: one to three cells of a column that are many times further from its middle than all others.
//!
//! A single cell at a million among standard normal ones would decide the scale of its column, and with it everything that is learned. A wild
//! cell counts as if it were twice as far from the middle as the furthest of the others: it still is the largest, but its influence is
//! bounded. Nothing else is changed, and a wild cell of a completed table stays as it was observed.

use crate::Result;
use crate::error::bad;

/// The most wild cells on one side: more are a part of the column.
const MOST: usize = 3;
/// A column with fewer cells has no wild ones. Arbitrary.
const FEWEST: usize = 20;
/// The least ratio of the distances of a wild cell and of the furthest other cell. Arbitrary: of a thousand Cauchy draws, the furthest two reach it in
/// one of twenty tables.
const TIMES: f64 = 20.0;
/// The distance at which a wild cell counts, as a multiple of that of the furthest other cell. Arbitrary.
const COUNTS_AS: f64 = 2.0;
/// The interquartile range of a normal distribution in deviations.
const QUARTILES: f64 = 1.349;

/// The bounds of what is not wild, and the values at which wild cells count.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Fence {
    /// Wild cells are below the first or above the second.
    pub(crate) bounds: (f64, f64),
    /// The values that they count as.
    pub(crate) values: (f64, f64),
}

impl Fence {
    /// The fence of a column, if it has wild cells.
    pub(crate) fn of(mut cells: Vec<f64>) -> Option<Self> {
        if cells.len() < FEWEST {
            return None;
        }
        cells.sort_by(f64::total_cmp);
        let n = cells.len();
        let middle = cells[n / 2];
        let unit = (cells[3 * n / 4] - cells[n / 4]) / QUARTILES;
        let side = |from_end: &dyn Fn(usize) -> f64| {
            let far = |k: usize| (from_end(k) - middle).abs();
            let last =
                (0..MOST).rev().find(|&k| far(k) >= TIMES * far(k + 1).max(unit) && far(k + 1) > 0.0)?;
            Some(from_end(last + 1) - middle)
        };
        let (below, above) = (side(&|k| cells[k]), side(&|k| cells[n - 1 - k]));
        (below.is_some() || above.is_some()).then(|| {
            let at = |off: Option<f64>, times: f64, none: f64| off.map_or(none, |off| middle + times * off);
            let (least, most) = (f64::NEG_INFINITY, f64::INFINITY);
            Self {
                bounds: (at(below, TIMES, least), at(above, TIMES, most)),
                values: (at(below, COUNTS_AS, least), at(above, COUNTS_AS, most)),
            }
        })
    }

    /// A fence from its four numbers, of which those of a side without wild cells are infinite.
    pub(crate) fn from_numbers(numbers: [f64; 4]) -> Result<Self> {
        let [a, b, c, d] = numbers;
        let ordered = a <= b && b < c && c <= d && (a == f64::NEG_INFINITY) == (b == f64::NEG_INFINITY);
        if ordered && (c == f64::INFINITY) == (d == f64::INFINITY) {
            Ok(Self { bounds: (a, d), values: (b, c) })
        } else {
            Err(bad("fence of a column", format!("{numbers:?}"), "increasing"))
        }
    }

    /// Its four numbers, increasing.
    pub(crate) fn numbers(&self) -> [f64; 4] {
        [self.bounds.0, self.values.0, self.values.1, self.bounds.1]
    }

    /// The value that a cell counts as.
    pub(crate) fn apply(&self, x: f64) -> f64 {
        if x < self.bounds.0 {
            self.values.0
        } else if x > self.bounds.1 {
            self.values.1
        } else {
            x
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(wild: &[f64]) -> Vec<f64> {
        (0..210).map(|i| f64::from(i % 21) - 10.0).chain(wild.iter().copied()).collect()
    }

    #[test]
    fn one_to_three_cells_far_out_are_wild_on_either_side() {
        for wild in [&[1e6][..], &[1e6, 3e4], &[1e6, 3e4, 1e3], &[-1e6, 1e6], &[-300.0]] {
            let fence = Fence::of(column(wild)).unwrap();
            for &x in wild {
                assert_eq!(fence.apply(x), 20.0 * x.signum(), "{x} of {wild:?}");
            }
            assert!(column(&[]).iter().all(|&x| fence.apply(x) == x));
        }
    }

    #[test]
    fn what_is_rare_or_skewed_is_not_wild() {
        assert_eq!(Fence::of(column(&[])), None);
        assert_eq!(Fence::of(column(&[150.0])), None);
        assert_eq!(Fence::of(column(&[1e6; 4])), None);
        // Logarithms of normal draws, and an amount that is mostly zero.
        let skewed = (1..1000).map(|i| (3.0 * crate::density::normal_quantile(f64::from(i) / 1000.0)).exp());
        assert_eq!(Fence::of(skewed.collect()), None);
        assert_eq!(Fence::of((0..100).map(|i| f64::from(u8::from(i == 7)) * 5e4).collect()), None);
        assert_eq!(Fence::of(vec![1.0, 2.0, 1e9]), None);
    }

    #[test]
    fn a_fence_comes_back_from_its_numbers() {
        let fence = Fence::of(column(&[1e6])).unwrap();
        assert_eq!(Fence::from_numbers(fence.numbers()), Ok(fence));
        assert!(Fence::from_numbers([0.0, 1.0, f64::NAN, 2.0]).is_err());
        assert!(Fence::from_numbers([f64::NEG_INFINITY, 0.0, 1.0, 2.0]).is_err());
    }
}
