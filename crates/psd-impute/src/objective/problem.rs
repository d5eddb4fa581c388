//! Builds the objective from features, table, weights and a reference density.

use super::grouped::{GroupedTerm, PatternRows};
use super::stored::StoredTerm;
use super::{DataTerm, Objective, RowScales};
use crate::density::Density;
use crate::error::{bad, non_negative};
use crate::kernel::{Features, PatternFeatures};
use crate::linalg::{column, packed_len};
use crate::table::{Group, Table};
use crate::{Error, Result};
use faer::{ColMut, Mat};
use rayon::prelude::*;

/// The matrix `A_0` of the penalty `λ tr(Q A_0)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Regularizer {
    /// The identity, as in the paper's experiments.
    #[default]
    Identity,
    /// The kernel between the anchors, as in the paper's theory.
    Kernel,
}

/// Representation of the data term in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Storage {
    /// Grouped if rows share patterns, stored if they do not, within the memory allowed.
    #[default]
    Auto,
    /// One packed matrix per row.
    Stored,
    /// One matrix per pattern and one vector per row.
    Grouped,
}

/// Settings of the objective.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ProblemOptions {
    /// `λ ≥ 0`.
    pub lambda: f64,
    /// `A_0`.
    pub regularizer: Regularizer,
    /// Weight of the reference density, `0 ≤ ν < 1`; must be zero without a reference.
    pub nu: f64,
    /// Representation of the data term.
    pub storage: Storage,
    /// Bytes that the data term may use; the same limit holds for the Newton system. The default of 1 GiB is arbitrary.
    pub memory: u64,
}

impl Default for ProblemOptions {
    fn default() -> Self {
        Self {
            lambda: 0.0,
            regularizer: Regularizer::default(),
            nu: 0.0,
            storage: Storage::default(),
            memory: 1 << 30,
        }
    }
}

/// The maximum-likelihood problem of a table.
pub struct Problem<'a> {
    pub(super) features: &'a Features,
    pub(super) table: &'a Table,
    pub(super) options: ProblemOptions,
    /// Patterns of the rows with positive weight.
    pub(super) groups: Vec<Group>,
    /// Weights of all rows of the table; they sum to one.
    pub(super) weights: Vec<f64>,
    /// `log u_i` for every row of the table, if there is a reference.
    pub(super) log_reference: Option<Vec<f64>>,
}

impl<'a> Problem<'a> {
    /// The problem of fitting `features` to `table`. Weights are scaled to sum to one; rows of weight zero are left out.
    ///
    /// # Errors
    ///
    /// [`Error::BadParameter`] for a negative `λ` or weight, weights without a positive sum, or `ν` out of range; otherwise as for
    /// [`Features::check`] and [`Density::log_marginals`] of the reference.
    pub fn new(
        features: &'a Features,
        table: &'a Table,
        weights: Option<&[f64]>,
        reference: Option<&dyn Density>,
        options: ProblemOptions,
    ) -> Result<Self> {
        features.check(table, weights)?;
        non_negative("lambda", options.lambda)?;
        if !(0.0..1.0).contains(&options.nu) {
            return Err(bad("nu", options.nu, "at least 0 and below 1"));
        }
        if options.nu > 0.0 && reference.is_none() {
            return Err(bad("nu", options.nu, "zero when there is no reference density"));
        }
        let weights = normalised(weights, table.len())?;
        let log_reference = reference.map(|u| u.log_marginals(table)).transpose()?;
        let mut groups = table.groups();
        groups.iter_mut().for_each(|group| group.rows.retain(|&i| weights[i] > 0.0));
        groups.retain(|group| !group.rows.is_empty());
        Ok(Self { features, table, options, groups, weights, log_reference })
    }

    /// Computes the matrices and returns the objective in `Q`.
    ///
    /// # Errors
    ///
    /// [`Error::TooLarge`] above the memory limit, [`Error::FarRow`] for a row whose density is not a number, [`Error::NotPositiveDefinite`]
    /// for the metric, [`Error::NotFinite`] for the kernel of an anchor too far outside the box.
    pub fn objective(&self) -> Result<Objective> {
        let l = self.features.len();
        let (term, scales): (Box<dyn DataTerm>, _) = match self.storage()? {
            Storage::Stored => {
                let (packed, scales) = self.packed_rows()?;
                (Box::new(StoredTerm::new(l, packed)), scales)
            }
            _ => {
                let parts =
                    self.groups.par_iter().map(|group| self.rows_of(group)).collect::<Result<Vec<_>>>()?;
                let (patterns, scales) =
                    parts.into_iter().map(|p| (PatternRows { e: p.e, f: p.f }, p.scales)).unzip();
                (Box::new(GroupedTerm::new(l, patterns)), scales)
            }
        };
        let a0 = match self.options.regularizer {
            Regularizer::Kernel if self.options.lambda > 0.0 => self.features.k()?,
            _ => Mat::identity(l, l),
        };
        Objective::new(term, self.gather(scales), self.features.h()?, a0, &self.options)
    }

    /// The packed matrices of all rows, made pattern by pattern, so that each thread holds at most one pattern besides the result.
    fn packed_rows(&self) -> Result<(Mat<f64>, Vec<Scales>)> {
        let l = self.features.len();
        let mut packed = Mat::zeros(packed_len(l), self.groups.iter().map(|g| g.rows.len()).sum());
        let mut pieces = Vec::with_capacity(self.groups.len());
        let mut rest = packed.as_mut();
        for group in &self.groups {
            let (piece, tail) = rest.split_at_col_mut(group.rows.len());
            pieces.push(piece);
            rest = tail;
        }
        let scales = self
            .groups
            .par_iter()
            .zip(pieces)
            .map(|(group, mut piece)| {
                let rows = self.rows_of(group)?;
                for i in 0..group.rows.len() {
                    pack_row(column(rows.f.as_ref(), i), &rows.e, piece.as_mut().col_mut(i));
                }
                Ok(rows.scales)
            })
            .collect::<Result<Vec<_>>>()?;
        Ok((packed, scales))
    }

    /// Weights, offsets and scales of all rows, in the order of the groups.
    fn gather(&self, scales: Vec<Scales>) -> RowScales {
        let mut out = RowScales { weights: Vec::new(), offsets: Vec::new(), log_scale: 0.0 };
        for (group, scales) in self.groups.iter().zip(scales) {
            let weights = group.rows.iter().map(|&i| self.weights[i]);
            out.log_scale += weights.clone().zip(&scales.logs).map(|(w, s)| w * s).sum::<f64>();
            out.weights.extend(weights);
            out.offsets.extend(scales.offsets);
        }
        out
    }

    /// The features of a group's rows, divided by `exp(ρ_i)`, where `ρ_i` is the larger of the logarithms of the two terms to be summed.
    pub(super) fn rows_of(&self, group: &Group) -> Result<GroupRows> {
        let pattern = self.features.pattern(&group.pattern)?;
        let (f, scales) = self.vectors_of(&pattern, group)?;
        Ok(GroupRows { e: pattern.e(), f, scales })
    }

    /// [`rows_of`](Self::rows_of) for a pattern that is there already, without `E`.
    pub(super) fn vectors_of(
        &self,
        pattern: &PatternFeatures<'_>,
        group: &Group,
    ) -> Result<(Mat<f64>, Scales)> {
        let (mut f, scales) = pattern.scaled_features_of(self.table, &group.rows);
        let mut out = Scales { offsets: Vec::new(), logs: Vec::new() };
        for (i, (&row, scale)) in group.rows.iter().zip(scales).enumerate() {
            let log_offset = match &self.log_reference {
                Some(logs) => logs[row] + self.options.nu.ln(),
                None => f64::NEG_INFINITY,
            };
            let log_scale = (2.0 * scale).max(log_offset);
            if !log_scale.is_finite() {
                return Err(Error::FarRow { row });
            }
            let shrink = (scale - 0.5 * log_scale).exp();
            f.col_mut(i).iter_mut().for_each(|x| *x *= shrink);
            out.offsets.push((log_offset - log_scale).exp());
            out.logs.push(log_scale);
        }
        Ok((f, out))
    }

    /// Chooses the representation of the data term within the memory allowed.
    fn storage(&self) -> Result<Storage> {
        let rows: usize = self.groups.iter().map(|g| g.rows.len()).sum();
        let (l, patterns, ceiling) = (self.features.len(), self.groups.len(), self.options.memory);
        let stored = StoredTerm::bytes(rows, l);
        let grouped = GroupedTerm::bytes(rows, patterns, l);
        let (chosen, needed) = match self.options.storage {
            Storage::Stored => (Storage::Stored, stored),
            Storage::Grouped => (Storage::Grouped, grouped),
            Storage::Auto if rows < 4 * patterns && stored <= ceiling => (Storage::Stored, stored),
            Storage::Auto => (Storage::Grouped, grouped),
        };
        // H, A_0, Q, its factor and other matrices of order l: twelve, arbitrarily.
        let needed = needed + 96 * (l as u64).pow(2);
        if needed > ceiling {
            let (needed, ceiling) = (needed >> 20, ceiling >> 20);
            return Err(Error::TooLarge { what: "the data term", needed, ceiling });
        }
        Ok(chosen)
    }
}

/// The scaled rows of one pattern.
pub(super) struct GroupRows {
    pub(super) e: Mat<f64>,
    pub(super) f: Mat<f64>,
    pub(super) scales: Scales,
}

/// Offsets of a pattern's rows, and logarithms of their scales.
pub(super) struct Scales {
    /// `ν u_i / exp(ρ_i)`.
    pub(super) offsets: Vec<f64>,
    /// `ρ_i`.
    pub(super) logs: Vec<f64>,
}

fn normalised(weights: Option<&[f64]>, rows: usize) -> Result<Vec<f64>> {
    let Some(weights) = weights else { return Ok(vec![1.0 / rows as f64; rows]) };
    if weights.len() != rows {
        return Err(Error::Shape { what: "row weights", found: weights.len(), expected: rows });
    }
    let mut total = 0.0;
    for &weight in weights {
        total += non_negative("row weight", weight)?;
    }
    if !(total > 0.0 && total.is_finite()) {
        return Err(bad("sum of the row weights", total, "finite and above zero"));
    }
    Ok(weights.iter().map(|w| w / total).collect())
}

/// `(f f') ∘ E`, packed.
fn pack_row(f: &[f64], e: &Mat<f64>, out: ColMut<'_, f64>) {
    let mut entries = out.iter_mut();
    for b in 0..f.len() {
        for (a, entry) in (b..f.len()).zip(entries.by_ref()) {
            let twice = if a == b { 1.0 } else { std::f64::consts::SQRT_2 };
            *entry = twice * f[a] * f[b] * e[(a, b)];
        }
    }
}
