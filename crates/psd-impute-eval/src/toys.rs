//! The paper's toys: shapes with noise.

use crate::ampute::normal;
use psd_impute::Result;
use psd_impute::table::Table;
use rand::{Rng, RngExt};
use serde::Deserialize;
use std::f64::consts::{PI, TAU};

/// A curve or surface in two or three dimensions; rows are points on it, uniform along it, with normal noise in every coordinate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shape {
    /// Two interlocking half circles, mirror images of each other.
    TwoMoons,
    /// A circle of radius one and one of radius two, with equal numbers of rows.
    Rings,
    /// The side of a cylinder.
    Cylinder,
}

impl Shape {
    /// Its name in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::TwoMoons => "two-moons",
            Self::Rings => "rings",
            Self::Cylinder => "cylinder",
        }
    }

    /// The names of the columns.
    pub fn columns(self) -> &'static [&'static str] {
        match self {
            Self::TwoMoons | Self::Rings => &["x", "y"],
            Self::Cylinder => &["x", "y", "z"],
        }
    }

    /// The standard deviation of the noise.
    fn noise(self) -> f64 {
        match self {
            Self::TwoMoons => 0.08,
            Self::Rings | Self::Cylinder => 0.12,
        }
    }

    /// The point of row `i` at the angle `u` and the height `v`, both between 0 and 1. Rows alternate between the parts of a shape.
    fn point(self, i: usize, u: f64, v: f64) -> [f64; 3] {
        let even = i.is_multiple_of(2);
        match self {
            Self::TwoMoons => {
                let (y, x) = (PI * u).sin_cos();
                if even { [x, y, 0.0] } else { [1.0 - x, 0.5 - y, 0.0] }
            }
            Self::Rings => {
                let (y, x) = (TAU * u).sin_cos();
                let radius = if even { 1.0 } else { 2.0 };
                [radius * x, radius * y, 0.0]
            }
            Self::Cylinder => {
                let (y, x) = (TAU * u).sin_cos();
                [x, y, 2.0 * v - 1.0]
            }
        }
    }

    /// Draws complete rows.
    ///
    /// # Errors
    ///
    /// Those of the engine for a table without rows.
    pub fn rows(self, count: usize, rng: &mut dyn Rng) -> Result<Table> {
        let d = self.columns().len();
        let row = |i| {
            let u = rng.random();
            let v = if d > 2 { rng.random() } else { 0.0 };
            let point = self.point(i, u, v);
            point[..d].iter().map(|x| x + self.noise() * normal(rng)).collect::<Vec<f64>>()
        };
        Table::continuous(self.columns(), &(0..count).map(row).collect::<Vec<_>>())
    }

    /// The mean log-density of a table's rows under the shape itself, by the rectangle rule along it.
    pub fn log_likelihood(self, table: &Table) -> f64 {
        let (turns, heights) = if self == Self::Cylinder { (96, 64) } else { (256, 1) };
        let d = self.columns().len();
        let middle = |k: usize, n: usize| (k as f64 + 0.5) / n as f64;
        let points: Vec<[f64; 3]> = (0..2 * turns * heights)
            .map(|k| (k % 2, k / 2 % turns, k / 2 / turns))
            .map(|(part, a, b)| self.point(part, middle(a, turns), middle(b, heights)))
            .collect();
        let precision = 1.0 / self.noise().powi(2);
        let constant = -(points.len() as f64).ln() + 0.5 * d as f64 * (precision / TAU).ln();
        let log_density = |row: &[f64]| {
            let square = |p: &[f64; 3]| row.iter().zip(p).map(|(x, m)| (x - m).powi(2)).sum::<f64>();
            points.iter().map(|p| (-0.5 * precision * square(p)).exp()).sum::<f64>().ln() + constant
        };
        table.rows().map(log_density).sum::<f64>() / table.len() as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_true_density_has_mass_one() {
        for shape in [Shape::TwoMoons, Shape::Rings] {
            let fine = 100;
            let (x, y) = ((-2.8, 2.8), (-2.8, 2.8));
            let along = |k: usize, (lo, hi): (f64, f64)| lo + (hi - lo) * (k as f64 + 0.5) / fine as f64;
            let density = |k: usize| {
                let row = [along(k % fine, x), along(k / fine, y)];
                shape.log_likelihood(&Table::continuous(&["x", "y"], &[row]).unwrap()).exp()
            };
            let cell = (x.1 - x.0) * (y.1 - y.0) / (fine * fine) as f64;
            let mass = cell * (0..fine * fine).map(density).sum::<f64>();
            assert!((mass - 1.0).abs() < 1e-3, "{shape:?}: {mass}");
        }
    }
}
