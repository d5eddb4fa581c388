//! The uniform density on a box, independent of the discrete columns' values: the paper's reference density.

use super::{Conditional, Density, Given, Piece, Weighed};
use crate::error::bad;
use crate::kernel::{Bounds, DiscreteColumn, Features};
use crate::table::Pattern;
use crate::{Error, Result};
use faer::Mat;
use rand::{Rng, RngExt};

/// One over the box's volume on the continuous columns, times the base weights of the discrete ones.
#[derive(Debug, Clone)]
pub struct Uniform {
    columns: Vec<Cell>,
}

#[derive(Debug, Clone)]
enum Cell {
    Interval(Bounds),
    Atoms { values: Vec<(f64, f64)>, labels: bool },
}

impl Uniform {
    /// The density on a box with one finite interval per continuous column of `features`.
    ///
    /// # Errors
    ///
    /// [`Error::Shape`] for another number of intervals, [`Error::BadParameter`] for one that is empty, infinite or outside the features' box.
    pub fn on_box(features: &Features, bounds: &[Bounds]) -> Result<Self> {
        let continuous = features.continuous_columns();
        if bounds.len() != continuous.len() {
            let (found, expected) = (bounds.len(), continuous.len());
            return Err(Error::Shape { what: "intervals of the box", found, expected });
        }
        let limits = features.bounds().unwrap_or(&[]);
        if let Some(((lo, hi), _)) =
            bounds.iter().zip(limits).find(|((lo, hi), limit)| *lo < limit.0 || *hi > limit.1)
        {
            return Err(bad(
                "interval of the reference",
                format!("[{lo}, {hi}]"),
                "within the box of the features",
            ));
        }
        for (lo, hi) in bounds {
            if !(lo.is_finite() && hi.is_finite() && lo < hi) {
                return Err(bad(
                    "interval of the box",
                    format!("[{lo}, {hi}]"),
                    "finite and of positive length",
                ));
            }
        }
        let mut columns: Vec<Cell> = vec![Cell::Interval((0.0, 1.0)); features.columns()];
        continuous.iter().zip(bounds).for_each(|(&j, &b)| columns[j] = Cell::Interval(b));
        features.discrete().iter().for_each(|c| columns[c.column()] = atoms_of(c));
        Ok(Self { columns })
    }
}

fn atoms_of(column: &DiscreteColumn) -> Cell {
    let values = column.atoms().iter().zip(column.log_rho()).map(|(&v, log)| (v, log.exp())).collect();
    Cell::Atoms { values, labels: column.has_labels() }
}

impl Cell {
    /// The log-density with respect to the base measure.
    fn log_density(&self, x: f64) -> f64 {
        match self {
            Cell::Interval((lo, hi)) if (*lo..=*hi).contains(&x) => -(hi - lo).ln(),
            Cell::Atoms { values, .. } if values.iter().any(|atom| atom.0 == x && atom.1 > 0.0) => 0.0,
            _ => f64::NEG_INFINITY,
        }
    }

    fn mean(&self) -> f64 {
        match self {
            Cell::Interval((lo, hi)) => 0.5 * (lo + hi),
            Cell::Atoms { values, labels: false } => values.iter().map(|(v, p)| v * p).sum(),
            Cell::Atoms { values, labels: true } => super::quantile::most_probable(values),
        }
    }

    fn variance(&self) -> f64 {
        match self {
            Cell::Interval((lo, hi)) => (hi - lo).powi(2) / 12.0,
            Cell::Atoms { labels: true, .. } => f64::NAN,
            Cell::Atoms { values, labels: false } => {
                values.iter().map(|(v, p)| p * (v - self.mean()).powi(2)).sum()
            }
        }
    }
}

impl Density for Uniform {
    fn columns(&self) -> usize {
        self.columns.len()
    }

    fn given<'a>(&'a self, pattern: &Pattern) -> Result<Box<dyn Given<'a> + 'a>> {
        self.check_columns(pattern.columns())?;
        Ok(Box::new(UniformGiven { density: self, pattern: pattern.clone() }))
    }
}

struct UniformGiven<'a> {
    density: &'a Uniform,
    pattern: Pattern,
}

impl<'a> Given<'a> for UniformGiven<'a> {
    fn log_marginal(&self, row: &[f64]) -> f64 {
        self.pattern.observed().iter().map(|&j| self.density.columns[j].log_density(row[j])).sum()
    }

    fn weigh(&self, row: &[f64]) -> Weighed<'a> {
        let log_marginal = self.log_marginal(row);
        let (density, missing) = (self.density, self.pattern.missing().to_vec());
        let conditional = move || -> Result<Box<dyn Conditional + 'a>> {
            if log_marginal == f64::NEG_INFINITY {
                return Err(Error::ZeroDensity);
            }
            Ok(Box::new(UniformConditional { density, missing }))
        };
        Weighed { log_marginal, conditional: Box::new(conditional) }
    }
}

struct UniformConditional<'a> {
    density: &'a Uniform,
    missing: Vec<usize>,
}

impl UniformConditional<'_> {
    fn cell(&self, column: usize) -> Result<&Cell> {
        self.place(column).map(|_| &self.density.columns[column])
    }

    fn cells(&self) -> impl Iterator<Item = &Cell> {
        self.missing.iter().map(|&j| &self.density.columns[j])
    }
}

impl Conditional for UniformConditional<'_> {
    fn missing(&self) -> &[usize] {
        &self.missing
    }

    fn has_labels(&self, column: usize) -> bool {
        matches!(self.density.columns[column], Cell::Atoms { labels: true, .. })
    }

    fn mean(&self) -> Vec<f64> {
        self.cells().map(Cell::mean).collect()
    }

    fn covariance(&self) -> Mat<f64> {
        let variances: Vec<f64> = self.cells().map(Cell::variance).collect();
        let label = |i: usize| variances[i].is_nan();
        Mat::from_fn(variances.len(), variances.len(), |i, j| match (i == j, label(i) || label(j)) {
            (true, _) => variances[i],
            (false, true) => f64::NAN,
            (false, false) => 0.0,
        })
    }

    fn cdf(&self, column: usize, x: f64) -> Result<f64> {
        Ok(match self.cell(column)? {
            Cell::Interval((lo, hi)) => ((x - lo) / (hi - lo)).clamp(0.0, 1.0),
            Cell::Atoms { values, .. } => values.iter().filter(|atom| atom.0 <= x).map(|atom| atom.1).sum(),
        })
    }

    fn density(&self, column: usize, x: f64) -> Result<f64> {
        Ok(match self.cell(column)? {
            Cell::Atoms { values, .. } => values.iter().filter(|atom| atom.0 == x).map(|atom| atom.1).sum(),
            interval => interval.log_density(x).exp(),
        })
    }

    fn probabilities(&self, column: usize) -> Result<Option<Vec<(f64, f64)>>> {
        Ok(match self.cell(column)? {
            Cell::Interval(_) => None,
            Cell::Atoms { values, .. } => Some(values.clone()),
        })
    }

    fn support(&self, column: usize) -> Result<(f64, f64)> {
        Ok(match self.cell(column)? {
            Cell::Interval(bounds) => *bounds,
            Cell::Atoms { values, .. } => (values[0].0, values[values.len() - 1].0),
        })
    }

    fn within(&self, column: usize, limits: (f64, f64)) -> Result<Piece> {
        Ok(match self.cell(column)? {
            Cell::Interval((lo, hi)) => {
                let (a, b) = (limits.0.max(*lo), limits.1.min(*hi));
                if a >= b {
                    return Ok(Piece::NONE);
                }
                Piece { mass: (b - a) / (hi - lo), mean: 0.5 * (a + b), variance: (b - a).powi(2) / 12.0 }
            }
            Cell::Atoms { values, labels } => Piece::of_atoms(values, *labels, limits),
        })
    }

    fn draw(&self, rng: &mut dyn Rng) -> Vec<f64> {
        self.cells()
            .map(|cell| match cell {
                Cell::Interval((lo, hi)) => lo + (hi - lo) * rng.random::<f64>(),
                Cell::Atoms { values, .. } => super::quantile::among(values, rng.random()),
            })
            .collect()
    }
}
