//! Densities on rows.
//!
//! A [`Density`] is evaluated in two steps, because everything that depends only on *which* columns are observed is shared by
//! the rows of a pattern: [`Density::given`] a pattern, then the log marginal density or the [`Conditional`] of a row. The
//! trait's methods for one row do both.
//!
//! Log-densities are with respect to Lebesgue measure on the continuous columns (on their box, if there is one) and the
//! base weights `ρ` on the discrete ones. In a density that knows the table's [`Resolution`](crate::table::Resolution), a
//! repeated value counts by the probability of its bin.

mod atomic;
mod combined;
mod donors;
mod forest;
mod labels;
mod pairs;
mod piece;
mod psd;
mod quantile;
mod stack;
mod uniform;
pub(crate) mod warped;

pub(crate) use atomic::Atomic;
pub use donors::Donors;
pub(crate) use donors::{
    DiscreteColumn, DiscreteParts, DonorColumn, Fold, Held, LeftOut, SmoothColumn, SmoothKernel, SmoothParts,
};
pub(crate) use forest::{Forest, LeafCells, LeafColumn};
pub(crate) use labels::{Beliefs, LabelForest, Labelled, Node};
pub use piece::Piece;
pub use psd::PsdDensity;
pub(crate) use quantile::{most_probable, normal_quantile};
pub use stack::Stack;
pub use uniform::Uniform;
pub(crate) use warped::{Warped, log_slopes};

use crate::table::{Line, Pattern, Table};
use crate::{Error, Result};
use faer::Mat;
use rand::Rng;
use rayon::prelude::*;
use std::sync::Arc;

/// A probability density on rows, with closed-form marginals and conditionals.
pub trait Density: Send + Sync {
    /// The number of columns.
    fn columns(&self) -> usize;

    /// Restricts the density to rows with this pattern.
    ///
    /// # Errors
    ///
    /// [`Error::Shape`] for another number of columns, [`Error::NotPositiveDefinite`] if a covariance cannot be factored.
    fn given<'a>(&'a self, pattern: &Pattern) -> Result<Box<dyn Given<'a> + 'a>>;

    /// `log p(x_S)`, where `S` are the observed columns of the row; `log p(x)` when the row is complete.
    ///
    /// # Errors
    ///
    /// As for [`given`](Self::given), and [`Error::BadParameter`] for an infinite cell.
    fn log_marginal(&self, row: &[f64]) -> Result<f64> {
        self.check_row(row)?;
        Ok(self.given(&Pattern::of(row))?.log_marginal(row))
    }

    /// The distribution of a row's missing cells given its observed ones.
    ///
    /// # Errors
    ///
    /// As for [`log_marginal`](Self::log_marginal), and [`Error::ZeroDensity`] if the observed cells have density zero.
    fn conditional<'a>(&'a self, row: &[f64]) -> Result<Box<dyn Conditional + 'a>> {
        self.check_row(row)?;
        self.given(&Pattern::of(row))?.conditional(row)
    }

    /// Draws a new row.
    ///
    /// # Errors
    ///
    /// As for [`given`](Self::given).
    fn sample(&self, rng: &mut dyn Rng) -> Result<Vec<f64>> {
        Ok(self.conditional(&vec![f64::NAN; self.columns()])?.draw(rng))
    }

    /// Mean and covariance over all columns.
    ///
    /// # Errors
    ///
    /// As for [`given`](Self::given).
    fn moments(&self) -> Result<(Vec<f64>, Mat<f64>)> {
        let whole = self.conditional(&vec![f64::NAN; self.columns()])?;
        Ok((whole.mean(), whole.covariance()))
    }

    /// `log p(x_S)` of every row of a table, in parallel over its patterns.
    ///
    /// # Errors
    ///
    /// As for [`given`](Self::given).
    fn log_marginals(&self, table: &Table) -> Result<Vec<f64>> {
        self.check_columns(table.columns().len())?;
        let groups = table.groups();
        let parts: Vec<Vec<f64>> = groups
            .par_iter()
            .map(|group| {
                let given = self.given(&group.pattern)?;
                Ok(group.rows.par_iter().map(|&i| given.log_marginal(table.row(i))).collect())
            })
            .collect::<Result<_>>()?;
        let mut out = vec![0.0; table.len()];
        for (group, part) in groups.iter().zip(parts) {
            group.rows.iter().zip(part).for_each(|(&i, value)| out[i] = value);
        }
        Ok(out)
    }

    /// Refuses another number of columns.
    ///
    /// # Errors
    ///
    /// [`Error::Shape`] if `found` is not the density's.
    fn check_columns(&self, found: usize) -> Result<()> {
        let expected = self.columns();
        if found == expected { Ok(()) } else { Err(Error::Shape { what: "columns", found, expected }) }
    }

    /// Refuses a row that the density cannot score.
    ///
    /// # Errors
    ///
    /// [`Error::Shape`] for a wrong length, [`Error::BadParameter`] for an infinite cell.
    fn check_row(&self, row: &[f64]) -> Result<()> {
        self.check_columns(row.len())?;
        match row.iter().find(|x| x.is_infinite()) {
            Some(x) => Err(crate::error::bad("cell", x, "finite, or NaN where it is missing")),
            None => Ok(()),
        }
    }
}

/// Applies `f` to the number and the conditional of every row with a missing cell, in parallel. Results are in the order of the rows'
/// patterns.
///
/// # Errors
///
/// [`Error::ImpossibleRow`] for a row whose observed cells have density zero, and as for [`Density::given`].
pub(crate) fn map_gaps<R: Send>(
    density: &dyn Density,
    table: &Table,
    f: impl Fn(usize, &dyn Conditional) -> R + Sync,
) -> Result<Vec<(usize, R)>> {
    density.check_columns(table.columns().len())?;
    let groups = table.groups();
    let parts = groups
        .par_iter()
        .filter(|group| !group.pattern.missing().is_empty())
        .map(|group| {
            let given = density.given(&group.pattern)?;
            let one = |&i: &usize| match given.conditional(table.row(i)) {
                Ok(conditional) => Ok((i, f(i, conditional.as_ref()))),
                Err(Error::ZeroDensity) => Err(Error::ImpossibleRow { row: i }),
                Err(other) => Err(other),
            };
            group.rows.par_iter().map(one).collect::<Result<Vec<_>>>()
        })
        .collect::<Result<Vec<_>>>()?;
    Ok(parts.into_iter().flatten().collect())
}

/// A borrowed density is a density.
impl<D: Density + ?Sized> Density for &D {
    fn columns(&self) -> usize {
        (**self).columns()
    }

    fn given<'a>(&'a self, pattern: &Pattern) -> Result<Box<dyn Given<'a> + 'a>> {
        (**self).given(pattern)
    }
}

/// A shared density is a density.
impl Density for Arc<dyn Density> {
    fn columns(&self) -> usize {
        self.as_ref().columns()
    }

    fn given<'a>(&'a self, pattern: &Pattern) -> Result<Box<dyn Given<'a> + 'a>> {
        self.as_ref().given(pattern)
    }
}

/// A density restricted to the rows of one pattern. Rows are passed whole; only their observed cells are read.
pub trait Given<'a>: Send + Sync {
    /// `log p(x_S)`.
    fn log_marginal(&self, row: &[f64]) -> f64;

    /// `log p(x_S)`, together with a closure that makes the distribution of the missing cells.
    fn weigh(&self, row: &[f64]) -> Weighed<'a>;

    /// The distribution of the missing cells.
    ///
    /// # Errors
    ///
    /// [`Error::ZeroDensity`] if the observed cells have density zero.
    fn conditional(&self, row: &[f64]) -> Result<Box<dyn Conditional + 'a>> {
        (self.weigh(row).conditional)()
    }
}

/// A row whose observed cells have been evaluated: the work done for their likelihood is reused for the conditional of the missing
/// cells.
pub struct Weighed<'a> {
    /// `log p(x_S)`.
    pub log_marginal: f64,
    /// Makes the distribution of the missing cells; fails with [`Error::ZeroDensity`] if the observed cells have density zero.
    pub conditional: Box<dyn FnOnce() -> Result<Box<dyn Conditional + 'a>> + 'a>,
}

/// The distribution of a row's missing cells.
///
/// Columns are named by their position in the table and must be among [`missing`](Self::missing); methods that take a column return
/// [`Error::BadParameter`] for any other.
pub trait Conditional: Send + Sync {
    /// The missing columns, increasing.
    fn missing(&self) -> &[usize];

    /// Whether a missing column holds labels, which cannot be averaged.
    fn has_labels(&self, column: usize) -> bool;

    /// Means of the missing cells; for a category the most probable label.
    fn mean(&self) -> Vec<f64>;

    /// Covariance of the missing cells. Rows and columns of categories are NaN.
    fn covariance(&self) -> Mat<f64>;

    /// Variance of one missing cell.
    ///
    /// # Errors
    ///
    /// [`Error::BadParameter`] for a column that is not missing.
    fn variance(&self, column: usize) -> Result<f64> {
        Ok(self.within(column, (f64::NEG_INFINITY, f64::INFINITY))?.variance)
    }

    /// `P(x_column ≤ x)`; labels of a category are ordered by position.
    ///
    /// # Errors
    ///
    /// [`Error::BadParameter`] for a column that is not missing.
    fn cdf(&self, column: usize, x: f64) -> Result<f64>;

    /// The density of a continuous cell at `x`, or the probability of a discrete one.
    ///
    /// # Errors
    ///
    /// [`Error::BadParameter`] for a column that is not missing.
    fn density(&self, column: usize, x: f64) -> Result<f64>;

    /// The values of a discrete cell with their probabilities; `None` for a continuous one.
    ///
    /// # Errors
    ///
    /// [`Error::BadParameter`] for a column that is not missing.
    fn probabilities(&self, column: usize) -> Result<Option<Vec<(f64, f64)>>>;

    /// An interval that holds all of a cell's probability up to rounding.
    ///
    /// # Errors
    ///
    /// [`Error::BadParameter`] for a column that is not missing.
    fn support(&self, column: usize) -> Result<(f64, f64)>;

    /// Mass, mean and variance of a cell's distribution on `[lo, hi]`, either end of which may be infinite. In closed form, and accurate
    /// in both tails.
    ///
    /// # Errors
    ///
    /// [`Error::BadParameter`] for a column that is not missing.
    fn within(&self, column: usize, limits: (f64, f64)) -> Result<Piece>;

    /// Mass, mean and variance of a cell's distribution on adjoining intervals, after the linear map of each.
    ///
    /// # Errors
    ///
    /// [`Error::BadParameter`] for a column that is not missing.
    fn mapped(&self, column: usize, lines: &[Line]) -> Result<Piece> {
        let piece = |line: &Line| Ok((1.0, self.within(column, (line.from, line.to))?.along(line)));
        Ok(Piece::sum(lines.iter().map(piece).collect::<Result<Vec<_>>>()?.into_iter()))
    }

    /// One draw of all missing cells, in the order of [`missing`](Self::missing).
    fn draw(&self, rng: &mut dyn Rng) -> Vec<f64>;

    /// The smallest `x` with `P(x_column ≤ x) ≥ p`, for `0 < p < 1`.
    ///
    /// # Errors
    ///
    /// [`Error::BadParameter`] for another `p` or a column that is not missing.
    fn quantile(&self, column: usize, p: f64) -> Result<f64> {
        quantile::check(p)?;
        if let Some(atoms) = self.probabilities(column)? {
            return Ok(quantile::among(&atoms, p));
        }
        let both = |x| Ok((self.cdf(column, x)?, self.density(column, x)?));
        quantile::invert(p, self.support(column)?, both)
    }

    /// The quantile of a cell given that it lies in `[lo, hi]`.
    ///
    /// # Errors
    ///
    /// [`Error::ZeroDensity`] if the cell cannot lie there, and as for [`quantile`](Self::quantile).
    fn quantile_within(&self, column: usize, p: f64, limits: (f64, f64)) -> Result<f64> {
        quantile::check(p)?;
        let (lo, hi) = limits;
        let mass = self.within(column, limits)?.mass;
        if mass <= 0.0 {
            return Err(Error::ZeroDensity);
        }
        if let Some(mut atoms) = self.probabilities(column)? {
            atoms.retain(|(value, _)| (lo..=hi).contains(value));
            return Ok(quantile::among(&atoms, p * mass));
        }
        let (least, most) = self.support(column)?;
        let both = |x| Ok((self.within(column, (lo, x))?.mass / mass, self.density(column, x)? / mass));
        quantile::invert(p, (least.max(lo), most.min(hi)), both)
    }

    /// The position of a column among the missing ones.
    ///
    /// # Errors
    ///
    /// [`Error::BadParameter`] for a column that is not missing.
    fn place(&self, column: usize) -> Result<usize> {
        let found = self.missing().binary_search(&column);
        found.map_err(|_| crate::error::bad("column", column, "one of the missing columns"))
    }
}
