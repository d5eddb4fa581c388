//! The conditional of a normal density with labels beside it: numbers and labels are independent given the component.

use super::Beliefs;
use super::labelled::{Labelled, Node};
use crate::Result;
use crate::density::quantile::most_probable;
use crate::density::{Conditional, Piece};
use crate::table::Line;
use faer::Mat;
use rand::Rng;

pub(super) struct LabelledConditional<'a> {
    /// Its discrete cells mean nothing.
    inner: Box<dyn Conditional + 'a>,
    of: &'a Labelled,
    seen: Vec<Option<usize>>,
    beliefs: Beliefs,
    posteriors: Vec<Vec<f64>>,
}

impl<'a> LabelledConditional<'a> {
    pub(super) fn boxed(
        inner: Box<dyn Conditional + 'a>,
        of: &'a Labelled,
        seen: Vec<Option<usize>>,
        beliefs: Beliefs,
    ) -> Box<dyn Conditional + 'a> {
        let posteriors = of.forest.posteriors(&of.tables, &seen, &beliefs);
        Box::new(Self { inner, of, seen, beliefs, posteriors })
    }

    /// The number of a missing discrete column.
    fn node(&self, column: usize) -> Option<usize> {
        let found = self.of.nodes.binary_search_by_key(&column, |node| node.column);
        found.ok().filter(|&c| self.seen[c].is_none())
    }

    /// The missing nodes, and their places among the missing columns.
    fn gaps(&self) -> impl Iterator<Item = (usize, &Node, usize)> {
        let gaps = self.of.nodes.iter().enumerate().filter(|(c, _)| self.seen[*c].is_none());
        gaps.map(|(c, node)| (c, node, self.missing().partition_point(|&j| j < node.column)))
    }

    fn atoms(&self, c: usize) -> Vec<(f64, f64)> {
        self.of.nodes[c].atoms.iter().copied().zip(self.posteriors[c].iter().copied()).collect()
    }

    fn average(&self, c: usize, probabilities: &[f64]) -> f64 {
        self.of.nodes[c].atoms.iter().zip(probabilities).map(|(v, p)| v * p).sum()
    }

    /// `E[(x_c - m_c)(x_e - m_e)]` of two missing columns: for each value of the first, the mean of the second given it.
    fn covariance_of(&self, c: usize, e: usize) -> f64 {
        let Labelled { forest, nodes, tables, .. } = self.of;
        let (mean, other) = (self.average(c, &self.posteriors[c]), self.average(e, &self.posteriors[e]));
        let values = nodes[c].atoms.iter().zip(&self.posteriors[c]).enumerate();
        let term = |(v, (atom, p)): (usize, (&f64, &f64))| {
            if c == e {
                return p * (atom - mean).powi(2);
            }
            let mut seen = self.seen.clone();
            seen[c] = Some(v);
            let mut beliefs = Beliefs::default();
            forest.listen(tables, &seen, &mut beliefs);
            let given = forest.posteriors(tables, &seen, &beliefs);
            p * (atom - mean) * (self.average(e, &given[e]) - other)
        };
        values.filter(|(_, (_, p))| **p > 0.0).map(term).sum()
    }
}

impl Conditional for LabelledConditional<'_> {
    fn missing(&self) -> &[usize] {
        self.inner.missing()
    }

    fn has_labels(&self, column: usize) -> bool {
        self.inner.has_labels(column)
    }

    fn mean(&self) -> Vec<f64> {
        let mut out = self.inner.mean();
        for (c, node, place) in self.gaps() {
            out[place] = match node.labels {
                true => most_probable(&self.atoms(c)),
                false => self.average(c, &self.posteriors[c]),
            };
        }
        out
    }

    fn covariance(&self) -> Mat<f64> {
        let mut out = self.inner.covariance();
        let numbers: Vec<_> = self.gaps().filter(|(_, node, _)| !node.labels).collect();
        for &(c, _, place) in &numbers {
            for &(e, _, other) in &numbers {
                out[(place, other)] = self.covariance_of(c, e);
            }
        }
        out
    }

    fn cdf(&self, column: usize, x: f64) -> Result<f64> {
        match self.node(column) {
            None => self.inner.cdf(column, x),
            Some(c) => {
                let below = self.atoms(c).iter().filter(|atom| atom.0 <= x).map(|atom| atom.1).sum::<f64>();
                Ok(below.clamp(0.0, 1.0))
            }
        }
    }

    fn density(&self, column: usize, x: f64) -> Result<f64> {
        match self.node(column) {
            None => self.inner.density(column, x),
            Some(c) => Ok(self.atoms(c).iter().filter(|atom| atom.0 == x).map(|atom| atom.1).sum()),
        }
    }

    fn probabilities(&self, column: usize) -> Result<Option<Vec<(f64, f64)>>> {
        match self.node(column) {
            None => self.inner.probabilities(column),
            Some(c) => Ok(Some(self.atoms(c))),
        }
    }

    fn support(&self, column: usize) -> Result<(f64, f64)> {
        self.inner.support(column)
    }

    fn within(&self, column: usize, limits: (f64, f64)) -> Result<Piece> {
        match self.node(column) {
            None => self.inner.within(column, limits),
            Some(c) => Ok(Piece::of_atoms(&self.atoms(c), self.of.nodes[c].labels, limits)),
        }
    }

    fn mapped(&self, column: usize, lines: &[Line]) -> Result<Piece> {
        match self.node(column) {
            None => self.inner.mapped(column, lines),
            Some(c) => {
                let (atoms, labels) = (self.atoms(c), self.of.nodes[c].labels);
                Ok(Piece::on_lines(lines, |limits| Piece::of_atoms(&atoms, labels, limits)))
            }
        }
    }

    fn draw(&self, rng: &mut dyn Rng) -> Vec<f64> {
        let mut out = self.inner.draw(rng);
        let Labelled { forest, tables, .. } = self.of;
        let drawn = forest.draw(tables, &self.seen, &self.beliefs, rng);
        for (c, node, place) in self.gaps() {
            out[place] = node.atoms[drawn[c]];
        }
        out
    }
}
