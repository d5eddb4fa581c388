//! What the distribution of each missing number looks like.
//!
//! A density may have peaks narrower than any step between points at which it could be looked at, so that a curve through points would
//! miss them. Masses of intervals that follow each other miss nothing.

use super::cell::Cell;
use super::imputer::Imputer;
use crate::Result;
use crate::table::Table;

/// The probability outside the shape at either end.
const TAIL: f64 = 0.002;

/// The distribution of a missing number as masses of intervals of one width, in the table's units.
#[derive(Debug, Clone, PartialEq)]
pub struct CellShape {
    /// The row, counted from zero.
    pub row: usize,
    /// The column, counted from zero.
    pub column: usize,
    /// Where the first interval begins and the last one ends; the same for a cell that is known for certain.
    pub ends: (f64, f64),
    /// The probability of each interval. They add up to one but for what is outside.
    pub masses: Vec<f64>,
}

impl Imputer<'_> {
    /// The shape of every missing number, by rows, then by columns, in so many intervals. Labels have probabilities instead: see
    /// [`summaries`](Self::summaries).
    pub fn shapes(&self, table: &Table, intervals: usize) -> Result<Vec<CellShape>> {
        let mut rows = self.map(table, |row, conditional| {
            self.each(table, conditional, |column, cell| {
                if conditional.has_labels(column) {
                    return Ok(None);
                }
                let (ends, masses) = shape(&cell, intervals)?;
                Ok(Some(CellShape { row, column, ends, masses }))
            })
        })?;
        rows.sort_by_key(|(i, _)| *i);
        Ok(rows.into_iter().flat_map(|(_, cells)| cells).flatten().collect())
    }
}

fn shape(cell: &Cell<'_>, intervals: usize) -> Result<((f64, f64), Vec<f64>)> {
    let ends = (cell.quantile(TAIL)?, cell.quantile(1.0 - TAIL)?);
    let at = |k: usize| ends.0 + (ends.1 - ends.0) * k as f64 / intervals as f64;
    let below = (0..=intervals).map(|k| cell.below(at(k))).collect::<Result<Vec<_>>>()?;
    Ok((ends, below.windows(2).map(|pair| (pair[1] - pair[0]).max(0.0)).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::density::PsdDensity;
    use crate::impute::{Limits, Ties};
    use faer::Mat;

    fn shape_of(limits: Limits) -> CellShape {
        let rows = [[10.0, f64::NAN], [12.0, 5.0], [14.0, 9.0]];
        let table = Table::continuous(&["a", "b"], &rows).unwrap();
        let (_, scaler) = table.standardise();
        let covariance = Mat::from_fn(2, 2, |i, j| if i == j { 1.0 } else { 0.6 });
        let normal = PsdDensity::normal(&table, &[0.0, 0.0], covariance.as_ref()).unwrap();
        let imputer = Imputer::new(&normal, &scaler, &Ties::none(2), limits).unwrap();
        imputer.shapes(&table, 40).unwrap().remove(0)
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
    fn bounds_cut_it() {
        let columns = [crate::table::Column::continuous("a"), crate::table::Column::continuous("b")];
        let shape = shape_of(Limits::new(&columns, &[(None, None), (Some(5.0), None)]).unwrap());
        assert!(shape.ends.0 >= 5.0 && (shape.masses.iter().sum::<f64>() - (1.0 - 2.0 * TAIL)).abs() < 1e-9);
    }
}
