//! The shape of the distribution of each missing number.
//!
//! A density may have peaks narrower than the distance between any points at which it could be evaluated, so a curve through points would
//! miss them. The masses of adjoining intervals miss nothing.
//!
//! In a column with repeated values numbers are recorded as observed values, and the masses are those of the recorded values in each
//! interval. So the shape has the same median and quantiles as the draws and the [`summaries`](Imputer::summaries).

use super::cell::Cell;
use super::imputer::Imputer;
use crate::table::Table;
use crate::{Error, Result};

/// Probability outside the shape at either end. Arbitrary.
const TAIL: f64 = 0.002;

/// The distribution of a missing number as masses of intervals of equal width, in the table's units.
#[derive(Debug, Clone, PartialEq)]
pub struct CellShape {
    /// The row, counted from zero.
    pub row: usize,
    /// The column, counted from zero.
    pub column: usize,
    /// Start of the first interval and end of the last; equal if the cell is known for certain, and then all mass is in the middle interval. In
    /// a column with repeated values, the smallest and the largest value lie half an interval inside.
    pub ends: (f64, f64),
    /// Probabilities of the intervals. They sum to one minus the probability outside.
    pub masses: Vec<f64>,
}

impl Imputer<'_> {
    /// Shapes of all missing numbers, by row, then by column, with this number of intervals. Labels have probabilities instead: see
    /// [`summaries`](Self::summaries).
    ///
    /// # Errors
    ///
    /// As for [`independent_draws`](Self::independent_draws).
    pub fn shapes(&self, table: &Table, intervals: usize) -> Result<Vec<CellShape>> {
        let mut rows = self.map(&self.standardise(table)?, |row, conditional| {
            self.each(table, conditional, |column, cell| {
                if conditional.has_labels(column) {
                    return Ok(None);
                }
                let (ends, masses) = self.shape(column, &cell, intervals)?;
                Ok(Some(CellShape { row, column, ends, masses }))
            })
        })?;
        rows.sort_by_key(|(i, _)| *i);
        Ok(rows.into_iter().flat_map(|(_, cells)| cells).flatten().collect())
    }

    fn shape(&self, j: usize, cell: &Cell<'_>, intervals: usize) -> Result<((f64, f64), Vec<f64>)> {
        let end = |p: f64| Ok::<_, Error>(self.ties.recorded(j, cell.quantile(p)?));
        let (low, high) = (end(TAIL)?, end(1.0 - TAIL)?);
        if low >= high || intervals < 2 {
            let mut masses = vec![0.0; intervals];
            masses.iter_mut().skip(intervals / 2).take(1).for_each(|mass| *mass = 1.0);
            return Ok(((low, high), masses));
        }
        let half = if self.ties.bind(j) { (high - low) / (2 * (intervals - 1)) as f64 } else { 0.0 };
        let (from, to) = (low - half, high + half);
        let below =
            |k: usize| match self.ties.recorded_below(j, from + (to - from) * k as f64 / intervals as f64) {
                f64::NEG_INFINITY => Ok(0.0),
                f64::INFINITY => Ok(1.0),
                x => cell.below(x),
            };
        let below = (0..=intervals).map(below).collect::<Result<Vec<_>>>()?;
        Ok(((from, to), below.windows(2).map(|pair| (pair[1] - pair[0]).max(0.0)).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::density::PsdDensity;
    use crate::impute::{Limits, Ties};
    use faer::Mat;

    fn shape_of(limits: Limits) -> CellShape {
        shape_with(limits, &Ties::none(2)).0
    }

    /// Shape and median of the only cell.
    fn shape_with(limits: Limits, ties: &Ties) -> (CellShape, f64) {
        let rows = [[10.0, f64::NAN], [12.0, 5.0], [14.0, 9.0]];
        let table = Table::continuous(&["a", "b"], &rows).unwrap();
        let (_, scaler) = table.standardise();
        let covariance = Mat::from_fn(2, 2, |i, j| if i == j { 1.0 } else { 0.6 });
        let normal = PsdDensity::normal(&table, &[0.0, 0.0], covariance.as_ref()).unwrap();
        let imputer = Imputer::new(&normal, &scaler, ties, limits).unwrap();
        let median = imputer.summaries(&table, &[]).unwrap()[0].numbers.as_ref().unwrap().median;
        (imputer.shapes(&table, 40).unwrap().remove(0), median)
    }

    #[test]
    fn masses_are_those_of_the_normal_conditional() {
        let shape = shape_of(Limits::none(2));
        assert_eq!((shape.row, shape.column), (0, 1));
        assert!((shape.masses.iter().sum::<f64>() - (1.0 - 2.0 * TAIL)).abs() < 1e-9);
        // b given a: mean 7 - 2·0.6·√1.5, deviation 2·0.8; symmetric around its mean.
        let mean = 7.0 - 2.0 * 0.6 * 1.5f64.sqrt();
        assert!(((shape.ends.0 + shape.ends.1) / 2.0 - mean).abs() < 1e-6);
        let width = (shape.ends.1 - shape.ends.0) / 40.0;
        let middle = (-(width / 2.0 / 1.6).powi(2) / 2.0).exp() / (1.6 * (2.0 * std::f64::consts::PI).sqrt());
        assert!((shape.masses[20] / (middle * width) - 1.0).abs() < 1e-3);
        assert!((shape.masses[3] - shape.masses[36]).abs() < 1e-9);
    }

    #[test]
    fn ties_hold_all_the_mass() {
        let ties = |values: Vec<f64>, ends: Vec<f64>| {
            Ties::from_parts(vec![(Vec::new(), Vec::new()), (values, ends)]).unwrap()
        };
        let (shape, median) = shape_with(Limits::none(2), &ties(vec![2.0, 5.0, 11.0], vec![4.0, 6.0]));
        // The values are at the midpoints of intervals of width 9/39: 5 is thirteen intervals above 2.
        let (mean, deviation) = (7.0 - 2.0 * 0.6 * 1.5f64.sqrt(), 1.6);
        let below = |x: f64| 0.5 * libm::erfc((mean - x) / deviation / std::f64::consts::SQRT_2);
        let expected = [(0, below(4.0)), (13, below(6.0) - below(4.0)), (39, 1.0 - below(6.0))];
        for (k, &mass) in shape.masses.iter().enumerate() {
            let expected = expected.iter().find(|at| at.0 == k).map_or(0.0, |at| at.1);
            assert!((mass - expected).abs() < 1e-9, "{k}: {mass} {expected}");
        }
        assert_eq!(median, 5.0);
        let (shape, median) = shape_with(Limits::none(2), &ties(vec![0.0, 50.0], vec![40.0]));
        assert_eq!((shape.ends, median), ((0.0, 0.0), 0.0));
        assert_eq!((shape.masses[20], shape.masses.iter().sum::<f64>()), (1.0, 1.0));
    }

    #[test]
    fn bounds_cut_it() {
        let columns = [crate::table::Column::continuous("a"), crate::table::Column::continuous("b")];
        let shape = shape_of(Limits::new(&columns, &[(None, None), (Some(5.0), None)]).unwrap());
        assert!(shape.ends.0 >= 5.0 && (shape.masses.iter().sum::<f64>() - (1.0 - 2.0 * TAIL)).abs() < 1e-9);
    }
}
