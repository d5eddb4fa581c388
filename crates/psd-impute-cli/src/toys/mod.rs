//! The paper's toys: shapes with noise, of which cells are taken away.

mod figure;
mod learn;

use crate::commands::Failure;
use crate::plot::{Frame, Scene};
use figure::Figure;
use learn::{Learned, Settings, held_out, learn};
use psd_impute::impute::{Imputer, Limits, Ties};
use psd_impute::table::Table;
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::f64::consts::{PI, TAU};

/// Rows of a toy, and of the fresh ones that its density is tried on.
pub(crate) const ROWS: usize = 2000;

/// The paper's three.
pub(crate) const TOYS: [Toy; 3] = [
    Toy {
        name: "two-moons",
        title: "Two moons",
        shape: Shape::TwoMoons,
        gaps: Gaps::Cells(0.4),
        settings: Settings { anchors: 32, variance: 0.04, lambda: 0.1, steps: 100 },
    },
    Toy {
        name: "rings",
        title: "Concentric rings",
        shape: Shape::Rings,
        gaps: Gaps::Cells(0.4),
        settings: Settings { anchors: 48, variance: 0.04, lambda: 0.1, steps: 100 },
    },
    Toy {
        name: "cylinder",
        title: "Cylinder without a complete row",
        shape: Shape::Cylinder,
        gaps: Gaps::EveryRow(0.2),
        settings: Settings { anchors: 48, variance: 0.12, lambda: 1.0, steps: 30 },
    },
];

/// A shape, how cells are taken away, and how its density is learned.
pub(crate) struct Toy {
    /// Of its files.
    pub(crate) name: &'static str,
    title: &'static str,
    shape: Shape,
    gaps: Gaps,
    settings: Settings,
}

/// Mean log-densities of fresh complete rows.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Numbers {
    /// Learned from the table with gaps.
    pub(crate) with_gaps: f64,
    /// Learned in the same way from the rows without gaps.
    pub(crate) complete: f64,
    /// The shape's own.
    pub(crate) truth: f64,
}

impl Toy {
    /// Makes the table, learns from it with and without its gaps, and draws the figure.
    pub(crate) fn run(&self, seed: u64) -> Result<(Numbers, Scene), Failure> {
        let rng = &mut ChaCha8Rng::seed_from_u64(seed);
        let truth = self.shape.rows(ROWS, rng)?;
        let table = self.gaps.cut(&truth, rng)?;
        let fresh = self.shape.rows(ROWS, rng)?;
        let learned = learn(&table, &self.settings, rng)?;
        let numbers = Numbers {
            with_gaps: held_out(&learned, &fresh)?,
            complete: held_out(&learn(&truth, &self.settings, rng)?, &fresh)?,
            truth: self.shape.log_likelihood(&fresh),
        };
        let limits = Limits::none(table.columns().len());
        let imputer = Imputer::new(&learned.density, &learned.scaler, &Ties::of(&table), limits)?;
        let completed = imputer.complete_with_draws(&table, seed, 1)?;
        let drawn = imputer.new_rows(table.columns(), table.len(), seed)?;
        let figure = Figure {
            toy: self,
            truth: &truth,
            table: &table,
            learned: &learned,
            completed: &completed,
            drawn: &drawn,
            numbers,
        };
        Ok((numbers, figure.draw()?))
    }
}

/// A curve or surface in two or three dimensions; rows are points on it, uniform along it, with normal noise in every coordinate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// Two half circles, each the other's mirror image and reaching into it.
    TwoMoons,
    /// A circle of radius one and one of radius two, with as many rows each.
    Rings,
    /// The side of a cylinder.
    Cylinder,
}

impl Shape {
    /// The names of the columns.
    pub(crate) fn columns(self) -> &'static [&'static str] {
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

    /// What a panel of two columns shows.
    fn frame(self, a: usize, b: usize) -> Frame {
        let interval = |j: usize| match self {
            Self::TwoMoons if j == 0 => (-1.4, 2.4),
            Self::TwoMoons => (-0.95, 1.45),
            Self::Rings => (-2.6, 2.6),
            Self::Cylinder => (-1.5, 1.5),
        };
        Frame { x: interval(a), y: interval(b), names: (self.columns()[a], self.columns()[b]) }
    }

    /// The point of row `i` at the angle `u` and the height `v`, both between 0 and 1. Rows take turns between the parts of a shape.
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

    /// Rows without gaps.
    pub(crate) fn rows(self, count: usize, rng: &mut dyn Rng) -> Result<Table, Failure> {
        let d = self.columns().len();
        let row = |i| {
            let u = rng.random();
            let v = if d > 2 { rng.random() } else { 0.0 };
            let point = self.point(i, u, v);
            point[..d].iter().map(|x| x + self.noise() * normal(rng)).collect::<Vec<f64>>()
        };
        Ok(Table::continuous(self.columns(), &(0..count).map(row).collect::<Vec<_>>())?)
    }

    /// The mean log-density of a table's rows under the shape itself, by the rectangle rule along it.
    pub(crate) fn log_likelihood(self, table: &Table) -> f64 {
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

/// How cells are taken away, always completely at random.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Gaps {
    /// Each with this probability.
    Cells(f64),
    /// One cell of a row, with this probability.
    One(f64),
    /// One cell of every row, and another with this probability.
    EveryRow(f64),
}

impl Gaps {
    /// The table without the cells.
    pub(crate) fn cut(self, truth: &Table, rng: &mut dyn Rng) -> Result<Table, Failure> {
        let mut cells = truth.cells().to_owned();
        let d = cells.nrows();
        for mut row in cells.col_iter_mut() {
            match self {
                Self::Cells(share) => {
                    row.iter_mut().filter(|_| rng.random::<f64>() < share).for_each(|x| *x = f64::NAN);
                }
                Self::One(share) => {
                    if rng.random::<f64>() < share {
                        row[rng.random_range(0..d)] = f64::NAN;
                    }
                }
                Self::EveryRow(share) => {
                    let first = rng.random_range(0..d);
                    row[first] = f64::NAN;
                    if rng.random::<f64>() < share {
                        row[(first + rng.random_range(1..d)) % d] = f64::NAN;
                    }
                }
            }
        }
        Ok(truth.with_cells(cells)?)
    }
}

/// How many cells of a table are missing.
pub(crate) fn missing(table: &Table) -> usize {
    table.rows().flatten().filter(|x| x.is_nan()).count()
}

fn normal(rng: &mut dyn Rng) -> f64 {
    let (u, v): (f64, f64) = (rng.random(), rng.random());
    (-2.0 * (1.0 - u).ln()).sqrt() * (TAU * v).cos()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_cells_in_five_are_missing_and_no_row_of_the_cylinder_is_complete() {
        for toy in &TOYS {
            let rng = &mut ChaCha8Rng::seed_from_u64(3);
            let truth = toy.shape.rows(ROWS, rng).unwrap();
            let table = toy.gaps.cut(&truth, rng).unwrap();
            let share = missing(&table) as f64 / (ROWS * table.columns().len()) as f64;
            assert!((share - 0.4).abs() < 0.02, "{}: {share}", toy.name);
            if toy.shape == Shape::Cylinder {
                let gaps = |row: &[f64]| row.iter().filter(|x| x.is_nan()).count();
                assert!(table.rows().all(|row| (1..3).contains(&gaps(row))));
            }
        }
    }

    #[test]
    fn the_true_density_has_mass_one() {
        for shape in [Shape::TwoMoons, Shape::Rings] {
            let fine = 60;
            let Frame { x, y, .. } = shape.frame(0, 1);
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
