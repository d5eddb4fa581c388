//! Densities on rows.
//!
//! A [`Density`] is asked in two steps, because everything that depends only on *which* columns are observed is shared by
//! the rows of a pattern: [`Density::given`] a pattern, then the log marginal density or the [`Conditional`] of a row. The
//! one-row short cuts on the trait do both.
//!
//! Log-densities are with respect to Lebesgue measure on the continuous columns (on their box, if there is one) and the
//! base weights `ρ` on the discrete ones. In a density that knows the table's [`Resolution`](crate::table::Resolution), a value that
//! stands for a cell counts by the cell's probability.

mod combined;
mod donors;
mod pairs;
mod piece;
mod psd;
mod quantile;
mod stack;
mod uniform;
mod warped;

pub use donors::Donors;
pub(crate) use donors::{
    DiscreteColumn, DiscreteParts, DonorColumn, Fold, Held, LeftOut, SmoothColumn, SmoothKernel, SmoothParts,
};
pub use piece::Piece;
pub use psd::PsdDensity;
pub(crate) use quantile::{most_probable, normal_quantile};
pub use stack::Stack;
pub use uniform::Uniform;
pub use warped::Warped;
pub(crate) use warped::log_slopes;

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

    /// The density as rows with this pattern see it.
    fn given<'a>(&'a self, pattern: &Pattern) -> Result<Box<dyn Given<'a> + 'a>>;

    /// `log p(x_S)`, `S` being the observed columns of the row; `log p(x)` when the row is complete.
    fn log_marginal(&self, row: &[f64]) -> Result<f64> {
        self.check_row(row)?;
        Ok(self.given(&Pattern::of(row))?.log_marginal(row))
    }

    /// The distribution of a row's missing cells given its observed ones.
    fn conditional<'a>(&'a self, row: &[f64]) -> Result<Box<dyn Conditional + 'a>> {
        self.check_row(row)?;
        self.given(&Pattern::of(row))?.conditional(row)
    }

    /// A new row.
    fn sample(&self, rng: &mut dyn Rng) -> Result<Vec<f64>> {
        Ok(self.conditional(&vec![f64::NAN; self.columns()])?.draw(rng))
    }

    /// Mean and covariance over all columns.
    fn moments(&self) -> Result<(Vec<f64>, Mat<f64>)> {
        let whole = self.conditional(&vec![f64::NAN; self.columns()])?;
        Ok((whole.mean(), whole.covariance()))
    }

    /// `log p(x_S)` of every row of a table, in parallel over its patterns.
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
    fn check_columns(&self, found: usize) -> Result<()> {
        let expected = self.columns();
        if found == expected { Ok(()) } else { Err(Error::Shape { what: "columns", found, expected }) }
    }

    /// Refuses a row of the wrong length or with an infinite cell.
    fn check_row(&self, row: &[f64]) -> Result<()> {
        self.check_columns(row.len())?;
        match row.iter().find(|x| x.is_infinite()) {
            Some(x) => Err(crate::error::bad("cell", x, "finite, or NaN where it is missing")),
            None => Ok(()),
        }
    }
}

/// What `f` makes of every row that has a gap: its number and the distribution of its missing cells. In parallel; the result is in
/// the order of the rows' patterns.
pub fn map_gaps<R: Send>(
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

/// A density for the rows of one pattern. Rows are whole rows; only their observed cells are read.
pub trait Given<'a>: Send + Sync {
    /// `log p(x_S)`.
    fn log_marginal(&self, row: &[f64]) -> f64;

    /// `log p(x_S)` and the way on to the distribution of the missing cells.
    fn weigh(&self, row: &[f64]) -> Weighed<'a>;

    /// The distribution of the missing cells. [`Error::ZeroDensity`] when the observed cells cannot occur.
    fn conditional(&self, row: &[f64]) -> Result<Box<dyn Conditional + 'a>> {
        (self.weigh(row).conditional)()
    }
}

/// A row whose observed cells have been looked at: what is needed to say how probable they are is not computed again for what they say
/// of the others.
pub struct Weighed<'a> {
    /// `log p(x_S)`.
    pub log_marginal: f64,
    /// Makes the distribution of the missing cells; [`Error::ZeroDensity`] when the observed cells cannot occur.
    pub conditional: Box<dyn FnOnce() -> Result<Box<dyn Conditional + 'a>> + 'a>,
}

/// The distribution of a row's missing cells.
///
/// Columns are named by their position in the table and must be among [`missing`](Self::missing).
pub trait Conditional: Send + Sync {
    /// The missing columns, increasing.
    fn missing(&self) -> &[usize];

    /// Whether a missing column holds labels, which have no mean.
    fn has_labels(&self, column: usize) -> bool;

    /// The mean of each missing cell; for a category the most probable one.
    fn mean(&self) -> Vec<f64>;

    /// The covariance of the missing cells. Categories have none: their rows and columns are NaN.
    fn covariance(&self) -> Mat<f64>;

    /// The variance of one missing cell.
    fn variance(&self, column: usize) -> Result<f64> {
        Ok(self.within(column, (f64::NEG_INFINITY, f64::INFINITY))?.variance)
    }

    /// `P(x_column ≤ x)`; for a category, labels are in the order of their positions.
    fn cdf(&self, column: usize, x: f64) -> Result<f64>;

    /// The density of one continuous cell at `x`; for a discrete one its probability.
    fn density(&self, column: usize, x: f64) -> Result<f64>;

    /// The values of a discrete cell with their probabilities; nothing for a continuous one.
    fn probabilities(&self, column: usize) -> Result<Option<Vec<(f64, f64)>>>;

    /// An interval that holds all of a cell's mass but what rounding hides.
    fn support(&self, column: usize) -> Result<(f64, f64)>;

    /// What a cell's distribution has in `[lo, hi]`, either end of which may be infinite. In closed form, and accurate in both
    /// tails.
    fn within(&self, column: usize, limits: (f64, f64)) -> Result<Piece>;

    /// What a cell's distribution has on lines that follow each other, mapped by them.
    fn mapped(&self, column: usize, lines: &[Line]) -> Result<Piece> {
        let piece = |line: &Line| Ok((1.0, self.within(column, (line.from, line.to))?.along(line)));
        Ok(Piece::sum(lines.iter().map(piece).collect::<Result<Vec<_>>>()?.into_iter()))
    }

    /// One draw of all missing cells, in the order of [`missing`](Self::missing).
    fn draw(&self, rng: &mut dyn Rng) -> Vec<f64>;

    /// The smallest `x` with `P(x_column ≤ x) ≥ p`, for `0 < p < 1`.
    fn quantile(&self, column: usize, p: f64) -> Result<f64> {
        quantile::check(p)?;
        if let Some(atoms) = self.probabilities(column)? {
            return Ok(quantile::among(&atoms, p));
        }
        let both = |x| Ok((self.cdf(column, x)?, self.density(column, x)?));
        quantile::invert(p, self.support(column)?, both)
    }

    /// The quantile of a cell that is known to lie in `[lo, hi]`. [`Error::ZeroDensity`] when it cannot.
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
    fn place(&self, column: usize) -> Result<usize> {
        let found = self.missing().binary_search(&column);
        found.map_err(|_| crate::error::bad("column", column, "one of the missing columns"))
    }
}
