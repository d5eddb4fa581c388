//! A row's missing cells under a forest: independent given the leaf.

use super::super::piece::UNCUT;
use super::super::quantile::{among, most_probable, normal_quantile};
use super::super::{Conditional, Piece};
use super::column::LeafColumn;
use crate::Result;
use crate::kernel::truncated::{cdf, pdf};
use crate::table::Line;
use faer::Mat;
use rand::{Rng, RngExt};

/// Leaves with a smaller share of the row are left out: thousands of them do not change the tenth digit.
const LIGHTEST: f64 = 1e-14;
/// Standard deviations that hold all of a normal's probability up to rounding.
const REACH: f64 = 9.0;

pub(super) struct ForestConditional<'a> {
    /// All columns of the table.
    columns: &'a [LeafColumn],
    missing: Vec<usize>,
    /// Leaves and their weights given the observed cells, which sum to one.
    leaves: Vec<(usize, f64)>,
}

impl<'a> ForestConditional<'a> {
    /// From `log w_k p_k(x_S)` and the logarithm of their sum.
    pub(super) fn new(columns: &'a [LeafColumn], missing: Vec<usize>, logs: &[f64], total: f64) -> Self {
        let least = total + LIGHTEST.ln();
        let heavy = logs.iter().enumerate().filter(|(_, log)| **log > least);
        let mut leaves: Vec<(usize, f64)> = heavy.map(|(k, log)| (k, (log - total).exp())).collect();
        let sum: f64 = leaves.iter().map(|leaf| leaf.1).sum();
        leaves.iter_mut().for_each(|leaf| leaf.1 /= sum);
        Self { columns, missing, leaves }
    }

    fn column(&self, j: usize) -> Result<&'a LeafColumn> {
        self.place(j).map(|_| &self.columns[j])
    }

    /// Weight, mean and deviation of each normal in a continuous column; none in a discrete one.
    fn normals(&self, column: &'a LeafColumn) -> impl Iterator<Item = (f64, f64, f64)> {
        let smooth = match column {
            LeafColumn::Smooth(smooth) => Some(smooth),
            LeafColumn::Discrete(_) => None,
        };
        smooth
            .into_iter()
            .flat_map(|s| self.leaves.iter().map(move |&(k, w)| (w, s.means[k], s.deviations[k])))
    }

    fn atoms(&self, column: &LeafColumn) -> Vec<(f64, f64)> {
        match column {
            LeafColumn::Smooth(_) => Vec::new(),
            LeafColumn::Discrete(discrete) => discrete.mixed(&self.leaves),
        }
    }

    fn mean_of(&self, j: usize) -> f64 {
        match &self.columns[j] {
            column @ LeafColumn::Smooth(_) => self.normals(column).map(|(w, mean, _)| w * mean).sum(),
            LeafColumn::Discrete(column) if column.labels => most_probable(&column.mixed(&self.leaves)),
            LeafColumn::Discrete(column) => {
                column.mixed(&self.leaves).iter().map(|(value, p)| value * p).sum()
            }
        }
    }

    /// The mean of a column in a leaf; NaN for labels.
    fn mean_in(&self, j: usize, k: usize) -> f64 {
        match &self.columns[j] {
            LeafColumn::Smooth(column) => column.means[k],
            LeafColumn::Discrete(column) => column.mean_in(k),
        }
    }

    fn variance_of(&self, j: usize, mean: f64) -> f64 {
        match &self.columns[j] {
            column @ LeafColumn::Smooth(_) => {
                self.normals(column).map(|(w, m, s)| w * (s * s + (m - mean).powi(2))).sum()
            }
            LeafColumn::Discrete(column) if column.labels => f64::NAN,
            column => self.atoms(column).iter().map(|(value, p)| p * (value - mean).powi(2)).sum(),
        }
    }

    fn draw_from(&self, j: usize, k: usize, rng: &mut dyn Rng) -> f64 {
        let u: f64 = rng.random();
        match &self.columns[j] {
            LeafColumn::Smooth(column) => {
                column.means[k] + column.deviations[k] * normal_quantile(u.clamp(1e-300, 1.0 - f64::EPSILON))
            }
            LeafColumn::Discrete(column) => among(&column.in_leaf(k).collect::<Vec<_>>(), u),
        }
    }
}

impl Conditional for ForestConditional<'_> {
    fn missing(&self) -> &[usize] {
        &self.missing
    }

    fn has_labels(&self, column: usize) -> bool {
        matches!(&self.columns[column], LeafColumn::Discrete(column) if column.labels)
    }

    fn mean(&self) -> Vec<f64> {
        self.missing.iter().map(|&j| self.mean_of(j)).collect()
    }

    fn covariance(&self) -> Mat<f64> {
        let mean = self.mean();
        Mat::from_fn(mean.len(), mean.len(), |a, b| {
            let (one, other) = (self.missing[a], self.missing[b]);
            if a == b {
                return self.variance_of(one, mean[a]);
            }
            let product = |k| (self.mean_in(one, k) - mean[a]) * (self.mean_in(other, k) - mean[b]);
            self.leaves.iter().map(|&(k, weight)| weight * product(k)).sum()
        })
    }

    fn cdf(&self, column: usize, x: f64) -> Result<f64> {
        let column = self.column(column)?;
        let smooth: f64 = self.normals(column).map(|(w, mean, s)| w * cdf((x - mean) / s)).sum();
        let discrete: f64 = self.atoms(column).iter().filter(|atom| atom.0 <= x).map(|atom| atom.1).sum();
        Ok((smooth + discrete).clamp(0.0, 1.0))
    }

    fn density(&self, column: usize, x: f64) -> Result<f64> {
        let column = self.column(column)?;
        let smooth: f64 = self.normals(column).map(|(w, mean, s)| w * pdf((x - mean) / s) / s).sum();
        let discrete: f64 = self.atoms(column).iter().filter(|atom| atom.0 == x).map(|atom| atom.1).sum();
        Ok(smooth + discrete)
    }

    fn probabilities(&self, column: usize) -> Result<Option<Vec<(f64, f64)>>> {
        let column = self.column(column)?;
        Ok((!column.is_smooth()).then(|| self.atoms(column)))
    }

    fn support(&self, column: usize) -> Result<(f64, f64)> {
        let column = self.column(column)?;
        let normals = self.normals(column).map(|(_, mean, s)| (mean - REACH * s, mean + REACH * s));
        let atoms = self.atoms(column).into_iter().map(|(value, _)| (value, value));
        let none = (f64::INFINITY, f64::NEG_INFINITY);
        Ok(normals.chain(atoms).fold(none, |(lo, hi), (a, b)| (lo.min(a), hi.max(b))))
    }

    fn within(&self, column: usize, limits: (f64, f64)) -> Result<Piece> {
        Ok(match self.column(column)? {
            smooth @ LeafColumn::Smooth(_) => {
                let piece = |(w, mean, s)| (w, Piece::of_normal((mean, s), UNCUT, limits));
                Piece::sum(self.normals(smooth).map(piece))
            }
            discrete => Piece::of_atoms(&self.atoms(discrete), self.has_labels(column), limits),
        })
    }

    fn mapped(&self, column: usize, lines: &[Line]) -> Result<Piece> {
        Ok(match self.column(column)? {
            smooth @ LeafColumn::Smooth(_) => {
                let piece = |(w, mean, s)| (w, Piece::of_normal_mapped((mean, s), UNCUT, lines));
                Piece::sum(self.normals(smooth).map(piece))
            }
            discrete => {
                let (atoms, labels) = (self.atoms(discrete), self.has_labels(column));
                Piece::on_lines(lines, |limits| Piece::of_atoms(&atoms, labels, limits))
            }
        })
    }

    fn draw(&self, rng: &mut dyn Rng) -> Vec<f64> {
        let mut u: f64 = rng.random();
        let picked = self.leaves.iter().find(|(_, weight)| {
            u -= weight;
            u < 0.0
        });
        let leaf = picked.or(self.leaves.last()).map_or(0, |leaf| leaf.0);
        self.missing.iter().map(|&j| self.draw_from(j, leaf, rng)).collect()
    }
}
