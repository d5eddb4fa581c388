//! The conditional of a convex combination: the members' conditionals, weighted by how well each member explains the row.

use super::quantile::most_probable;
use super::{Conditional, Piece};
use crate::Result;
use crate::table::Line;
use faer::Mat;
use rand::{Rng, RngExt};

pub(super) struct Combined<'a> {
    /// Weights that sum to one, and conditionals over the same missing columns; at least one.
    parts: Vec<(f64, Box<dyn Conditional + 'a>)>,
}

impl<'a> Combined<'a> {
    pub(super) fn new(parts: Vec<(f64, Box<dyn Conditional + 'a>)>) -> Self {
        Self { parts }
    }

    fn sum(&self, term: impl Fn(&dyn Conditional) -> Result<f64>) -> Result<f64> {
        self.parts.iter().map(|(weight, part)| Ok(weight * term(part.as_ref())?)).sum()
    }
}

impl Conditional for Combined<'_> {
    fn missing(&self) -> &[usize] {
        self.parts[0].1.missing()
    }

    fn has_labels(&self, column: usize) -> bool {
        self.parts[0].1.has_labels(column)
    }

    fn mean(&self) -> Vec<f64> {
        let means: Vec<Vec<f64>> = self.parts.iter().map(|(_, part)| part.mean()).collect();
        (0..self.missing().len()).map(|i| self.mean_of(i, &means)).collect()
    }

    fn covariance(&self) -> Mat<f64> {
        let means: Vec<Vec<f64>> = self.parts.iter().map(|(_, part)| part.mean()).collect();
        let n = self.missing().len();
        let mean: Vec<f64> =
            (0..n).map(|i| self.parts.iter().zip(&means).map(|((w, _), m)| w * m[i]).sum()).collect();
        let mut out = Mat::zeros(n, n);
        for ((weight, part), m) in self.parts.iter().zip(&means) {
            let within = part.covariance();
            out += Mat::from_fn(n, n, |i, j| weight * (within[(i, j)] + (m[i] - mean[i]) * (m[j] - mean[j])));
        }
        out
    }

    fn cdf(&self, column: usize, x: f64) -> Result<f64> {
        self.sum(|part| part.cdf(column, x))
    }

    fn density(&self, column: usize, x: f64) -> Result<f64> {
        self.sum(|part| part.density(column, x))
    }

    fn probabilities(&self, column: usize) -> Result<Option<Vec<(f64, f64)>>> {
        let mut total: Option<Vec<(f64, f64)>> = None;
        for (weight, part) in &self.parts {
            let Some(atoms) = part.probabilities(column)? else { return Ok(None) };
            let sums = total.get_or_insert_with(|| atoms.iter().map(|&(value, _)| (value, 0.0)).collect());
            sums.iter_mut().zip(&atoms).for_each(|(sum, atom)| sum.1 += weight * atom.1);
        }
        Ok(total)
    }

    fn support(&self, column: usize) -> Result<(f64, f64)> {
        self.parts.iter().try_fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), (_, part)| {
            let (a, b) = part.support(column)?;
            Ok((lo.min(a), hi.max(b)))
        })
    }

    fn within(&self, column: usize, limits: (f64, f64)) -> Result<Piece> {
        let pieces = self.parts.iter().map(|(weight, part)| Ok((*weight, part.within(column, limits)?)));
        Ok(Piece::sum(pieces.collect::<Result<Vec<_>>>()?.into_iter()))
    }

    fn mapped(&self, column: usize, lines: &[Line]) -> Result<Piece> {
        let pieces = self.parts.iter().map(|(weight, part)| Ok((*weight, part.mapped(column, lines)?)));
        Ok(Piece::sum(pieces.collect::<Result<Vec<_>>>()?.into_iter()))
    }

    fn draw(&self, rng: &mut dyn Rng) -> Vec<f64> {
        let mut u: f64 = rng.random();
        let chosen = self.parts.iter().position(|(weight, _)| {
            u -= weight;
            u < 0.0
        });
        self.parts[chosen.unwrap_or(self.parts.len() - 1)].1.draw(rng)
    }
}

impl Combined<'_> {
    /// The mean of a number, or the most probable label of a category.
    fn mean_of(&self, i: usize, means: &[Vec<f64>]) -> f64 {
        let column = self.missing()[i];
        match self.probabilities(column) {
            Ok(Some(atoms)) if self.has_labels(column) => most_probable(&atoms),
            _ => self.parts.iter().zip(means).map(|((weight, _), m)| weight * m[i]).sum(),
        }
    }
}
