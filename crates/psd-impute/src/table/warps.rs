//! Increasing, piecewise linear maps of columns.

use super::{Kind, Resolution, Table};
use crate::error::bad;
use crate::{Error, Result};
use faer::Mat;

/// An increasing, piecewise linear map of the real line onto itself; the first and last pieces extend to infinity.
#[derive(Debug, Clone, PartialEq)]
pub struct Warp {
    /// Points `(x, image of x)`, both coordinates increasing; at least two.
    knots: Vec<(f64, f64)>,
}

/// The piece of a [`Warp`] on an interval of the image: there `x = shift + slope · z`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Line {
    /// Start of the interval.
    pub from: f64,
    /// End of the interval.
    pub to: f64,
    /// `x` at `z = 0`.
    pub shift: f64,
    /// `dx/dz`.
    pub slope: f64,
}

impl Warp {
    /// The map through points `(x, z)`, both coordinates finite and increasing.
    ///
    /// # Errors
    ///
    /// [`Error::BadParameter`] if there are fewer than two points, or they are not finite, not increasing, or so close that a slope overflows.
    pub fn new(knots: Vec<(f64, f64)>) -> Result<Self> {
        let increasing = knots.windows(2).all(|pair| {
            let (dx, dz) = (pair[1].0 - pair[0].0, pair[1].1 - pair[0].1);
            dx > 0.0 && dz > 0.0 && (dx / dz).is_normal() && (dz / dx).is_normal()
        });
        if knots.len() < 2 || !increasing || knots.iter().any(|knot| !(knot.0 + knot.1).is_finite()) {
            return Err(bad("knots of a warp", format!("{knots:?}"), "two or more, finite and increasing"));
        }
        Ok(Self { knots })
    }

    /// The points that define the map.
    pub fn knots(&self) -> &[(f64, f64)] {
        &self.knots
    }

    /// The two knots around a coordinate; `key` selects which coordinate, `x` or `z`.
    fn piece(&self, at: f64, key: impl Fn(&(f64, f64)) -> f64) -> [(f64, f64); 2] {
        let k = self.knots.partition_point(|knot| key(knot) <= at).clamp(1, self.knots.len() - 1);
        [self.knots[k - 1], self.knots[k]]
    }

    fn apply(&self, x: f64) -> f64 {
        let [a, b] = self.piece(x, |knot| knot.0);
        a.1 + (x - a.0) * ((b.1 - a.1) / (b.0 - a.0))
    }

    fn undo(&self, z: f64) -> f64 {
        let [a, b] = self.piece(z, |knot| knot.1);
        a.0 + (z - a.1) * ((b.0 - a.0) / (b.1 - a.1))
    }

    fn slope(&self, x: f64) -> f64 {
        let [a, b] = self.piece(x, |knot| knot.0);
        (b.1 - a.1) / (b.0 - a.0)
    }

    fn lines(&self) -> impl Iterator<Item = Line> {
        let last = self.knots.len() - 2;
        self.knots.windows(2).enumerate().map(move |(k, pair)| {
            let slope = (pair[1].0 - pair[0].0) / (pair[1].1 - pair[0].1);
            Line {
                from: if k == 0 { f64::NEG_INFINITY } else { pair[0].1 },
                to: if k == last { f64::INFINITY } else { pair[1].1 },
                shift: pair[0].0 - slope * pair[0].1,
                slope,
            }
        })
    }
}

/// One map per column; `None` leaves the column unchanged, as for all discrete ones.
#[derive(Debug, Clone, PartialEq)]
pub struct Warps {
    columns: Vec<Option<Warp>>,
}

impl Warps {
    /// One optional map per column of a table; discrete columns must have `None`.
    ///
    /// # Errors
    ///
    /// [`Error::Shape`] unless there is one entry per column, [`Error::BadParameter`] for a map of a discrete column.
    pub fn new(table: &Table, columns: Vec<Option<Warp>>) -> Result<Self> {
        let (found, expected) = (columns.len(), table.columns().len());
        if found != expected {
            return Err(Error::Shape { what: "warps", found, expected });
        }
        let mapped = table
            .columns()
            .iter()
            .zip(&columns)
            .find(|(column, warp)| *column.kind() != Kind::Continuous && warp.is_some());
        match mapped {
            Some((column, _)) => Err(bad("warped column", column.name(), "continuous")),
            None => Ok(Self { columns }),
        }
    }

    /// Maps a cell of column `j`; a missing cell stays missing.
    pub fn apply(&self, j: usize, x: f64) -> f64 {
        self.columns[j].as_ref().map_or(x, |warp| warp.apply(x))
    }

    /// Maps `z` back to a cell of column `j`.
    pub fn undo(&self, j: usize, z: f64) -> f64 {
        self.columns[j].as_ref().map_or(z, |warp| warp.undo(z))
    }

    /// The derivative of the map of column `j`.
    pub fn slope(&self, j: usize, x: f64) -> f64 {
        self.columns[j].as_ref().map_or(1.0, |warp| warp.slope(x))
    }

    /// The map of column `j`.
    pub fn warp(&self, j: usize) -> Option<&Warp> {
        self.columns[j].as_ref()
    }

    /// The number of columns.
    pub fn columns(&self) -> usize {
        self.columns.len()
    }

    /// The linear pieces of the inverse map of column `j` on `[lo, hi]`, from left to right.
    pub fn lines(&self, j: usize, (lo, hi): (f64, f64)) -> Vec<Line> {
        let all = Line { from: f64::NEG_INFINITY, to: f64::INFINITY, shift: 0.0, slope: 1.0 };
        let lines = self.columns[j].as_ref().map_or(vec![all], |warp| warp.lines().collect());
        let cut = |line: Line| Line { from: line.from.max(lo), to: line.to.min(hi), ..line };
        lines.into_iter().map(cut).filter(|line| line.from <= line.to).collect()
    }

    /// Maps a row.
    pub fn apply_row(&self, row: &[f64]) -> Vec<f64> {
        row.iter().enumerate().map(|(j, &x)| self.apply(j, x)).collect()
    }

    /// Maps every row of a table.
    ///
    /// # Errors
    ///
    /// [`Error::BadCell`] if a mapped cell is infinite.
    pub fn apply_table(&self, table: &Table) -> Result<Table> {
        let (d, n) = (table.columns().len(), table.len());
        table.with_cells(Mat::from_fn(d, n, |j, i| self.apply(j, table.cells()[(j, i)])))
    }

    /// Maps repeated values and their bins.
    pub fn apply_resolution(&self, resolution: &Resolution) -> Resolution {
        resolution.map(|j, x| self.apply(j, x))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn goes_through_its_knots_and_back() {
        let table = Table::continuous(&["a", "b"], &[[0.0, 0.0]]).unwrap();
        let warp = Warp::new(vec![(0.0, -1.0), (1.0, 0.0), (4.0, 1.0)]).unwrap();
        let warps = Warps::new(&table, vec![Some(warp), None]).unwrap();
        for (x, z, slope) in
            [(-2.0, -3.0, 1.0), (0.5, -0.5, 1.0), (2.5, 0.5, 1.0 / 3.0), (7.0, 2.0, 1.0 / 3.0)]
        {
            assert!((warps.apply(0, x) - z).abs() < 1e-15);
            assert!((warps.undo(0, z) - x).abs() < 1e-15);
            assert!((warps.slope(0, x) - slope).abs() < 1e-15);
            let line = *warps
                .lines(0, (f64::NEG_INFINITY, f64::INFINITY))
                .iter()
                .find(|line| line.from <= z && z <= line.to)
                .unwrap();
            assert!((line.shift + line.slope * z - x).abs() < 1e-15);
            assert_eq!(warps.apply(1, x), x);
        }
        assert!(warps.apply(0, f64::NAN).is_nan());
        assert_eq!(warps.apply(0, f64::NEG_INFINITY), f64::NEG_INFINITY);
    }

    #[test]
    fn refuses_what_does_not_increase() {
        for knots in [vec![(0.0, 0.0)], vec![(0.0, 0.0), (1.0, 0.0)], vec![(0.0, 0.0), (f64::INFINITY, 1.0)]]
        {
            assert!(Warp::new(knots).is_err());
        }
    }
}
