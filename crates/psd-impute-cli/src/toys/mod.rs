//! The paper's toys: shapes with noise, from which cells are removed.

mod figure;
mod learn;

use crate::commands::Failure;
use crate::plot::{Frame, Scene};
use figure::Figure;
use learn::{Learned, Settings, held_out, learn};
use psd_impute::impute::{Imputer, Limits, Ties};
use psd_impute::table::Table;
use psd_impute_eval::toys::Shape;
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// The number of rows of a toy, and of the fresh rows that its density is evaluated on.
pub(crate) const ROWS: usize = 2000;

/// The paper's three toys.
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

/// A shape, how its cells are removed, and how its density is learned.
pub(crate) struct Toy {
    /// The name in file names.
    pub(crate) name: &'static str,
    /// The title for readers.
    pub(crate) title: &'static str,
    shape: Shape,
    gaps: Gaps,
    settings: Settings,
}

/// Mean log-densities of fresh complete rows.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Numbers {
    /// For the density learned from the table with gaps.
    pub(crate) with_gaps: f64,
    /// For the density learned in the same way from the rows without gaps.
    pub(crate) complete: f64,
    /// For the shape's own density.
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
        let completed = imputer.independent_draws(&table, seed, 1)?;
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

/// The region that a panel of two columns shows.
fn frame(shape: Shape, a: usize, b: usize) -> Frame {
    let interval = |j: usize| match shape {
        Shape::TwoMoons if j == 0 => (-1.4, 2.4),
        Shape::TwoMoons => (-0.95, 1.45),
        Shape::Rings => (-2.6, 2.6),
        Shape::Cylinder => (-1.5, 1.5),
    };
    Frame { x: interval(a), y: interval(b), names: (shape.columns()[a], shape.columns()[b]) }
}

/// How cells are removed, always completely at random.
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
    /// The table without the removed cells.
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

/// The number of missing cells of a table.
pub(crate) fn missing(table: &Table) -> usize {
    table.rows().flatten().filter(|x| x.is_nan()).count()
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
}
