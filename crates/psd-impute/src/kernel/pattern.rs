//! The features restricted to the rows of one pattern.

use super::continuous::ContinuousPattern;
use super::discrete::DiscreteColumn;
use super::features::Features;
use crate::Result;
use crate::table::{Pattern, Table};
use faer::{Mat, MatRef};

/// For rows with observed columns `S`: `A_i = exp(2 s_i) (f_i f_i') ∘ E`, with one matrix `E` per pattern (unit diagonal), and one
/// vector `f_i` (largest entry 1) and one scale `s_i` per row. As `E` is a correlation matrix and `f` has a 1, whatever underflows in
/// the product is below the last bit of `A_i`.
#[derive(Debug, Clone)]
pub struct PatternFeatures<'a> {
    continuous: ContinuousPattern,
    seen: Vec<&'a DiscreteColumn>,
    unseen: Vec<&'a DiscreteColumn>,
    /// `½ log` of the diagonal removed from `E`, minus the features' log-norm.
    offset: Vec<f64>,
}

impl<'a> PatternFeatures<'a> {
    pub(super) fn new(features: &'a Features, pattern: &Pattern) -> Result<Self> {
        let missing = |j: usize| pattern.missing().binary_search(&j).is_ok();
        let columns = features.continuous_columns();
        let (gaps, present): (Vec<usize>, Vec<usize>) =
            (0..columns.len()).partition(|&k| missing(columns[k]));
        let continuous = features.continuous.pattern(&present, &gaps)?;
        let (unseen, seen) = features.discrete().iter().partition(|c| missing(c.column()));
        let mut out = Self { continuous, seen, unseen, offset: Vec::new() };
        out.offset = (0..features.len()).map(|a| 0.5 * out.log_pair(a, a) - features.log_norm()[a]).collect();
        Ok(out)
    }

    /// The number of anchors.
    pub fn len(&self) -> usize {
        self.offset.len()
    }

    /// Never true: there is at least one anchor.
    pub fn is_empty(&self) -> bool {
        self.offset.is_empty()
    }

    /// The continuous block.
    pub fn continuous(&self) -> &ContinuousPattern {
        &self.continuous
    }

    /// The observed discrete columns.
    pub fn seen(&self) -> &[&'a DiscreteColumn] {
        &self.seen
    }

    /// The missing discrete columns.
    pub fn unseen(&self) -> &[&'a DiscreteColumn] {
        &self.unseen
    }

    /// `log ∫ φ_a φ_b` over the missing columns, before normalisation.
    pub(super) fn log_pair(&self, a: usize, b: usize) -> f64 {
        self.continuous.log_pair(a, b) + self.unseen.iter().map(|c| c.log_pair(a, b)).sum::<f64>()
    }

    /// `E`; cost `l² |N| / 2`.
    pub fn e(&self) -> Mat<f64> {
        let half: Vec<f64> = (0..self.len()).map(|a| 0.5 * self.log_pair(a, a)).collect();
        let mut e = self.scaled_pairs(|a, b| self.log_pair(a, b) - half[a] - half[b]);
        for a in 0..self.len() {
            e[(a, a)] = 1.0;
        }
        e
    }

    /// The symmetric matrix with entries `exp(log(a, b))`.
    pub(super) fn scaled_pairs(&self, log: impl Fn(usize, usize) -> f64) -> Mat<f64> {
        let mut out = Mat::zeros(self.len(), self.len());
        for b in 0..self.len() {
            for a in b..self.len() {
                let value = log(a, b).exp();
                out[(a, b)] = value;
                out[(b, a)] = value;
            }
        }
        out
    }

    /// Writes `f` for one row of the table and returns its scale `s`. For a row of density zero (a cell outside the box, or a value
    /// that is not an atom) `f` is zero and `s` minus infinity.
    pub fn scaled_features(&self, row: &[f64], f: &mut [f64]) -> f64 {
        self.whitened_features(row, &mut vec![0.0; self.continuous.observed().len()], f)
    }

    /// [`scaled_features`](Self::scaled_features) that also writes the row's coordinates `z`.
    pub(crate) fn whitened_features(&self, row: &[f64], z: &mut [f64], f: &mut [f64]) -> f64 {
        let mut possible = self.continuous.whiten(row, z);
        f.copy_from_slice(&self.offset);
        self.continuous.add_log_features(z, f);
        for column in &self.seen {
            possible &= column.add_log_features(row[column.column()], f);
        }
        let top = f.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if !possible || top == f64::NEG_INFINITY {
            f.fill(0.0);
            return f64::NEG_INFINITY;
        }
        for x in f.iter_mut() {
            *x = (*x - top).exp();
        }
        top
    }

    /// `f` for several rows, one column per row of the `l × n` result, and their scales.
    pub fn scaled_features_of(&self, table: &Table, rows: &[usize]) -> (Mat<f64>, Vec<f64>) {
        let mut f = Mat::zeros(self.len(), rows.len());
        let mut buffer = vec![0.0; self.len()];
        let scales = rows
            .iter()
            .enumerate()
            .map(|(i, &row)| {
                let scale = self.scaled_features(table.row(row), &mut buffer);
                f.col_mut(i).iter_mut().zip(&buffer).for_each(|(to, from)| *to = *from);
                scale
            })
            .collect();
        (f, scales)
    }

    /// `A` of one row without its scale: `(f f') ∘ E`.
    pub fn matrix(f: &[f64], e: MatRef<'_, f64>) -> Mat<f64> {
        Mat::from_fn(f.len(), f.len(), |a, b| f[a] * f[b] * e[(a, b)])
    }
}
