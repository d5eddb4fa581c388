//! From features, table, weights and a reference density to the objective.

use super::grouped::{GroupedTerm, PatternRows};
use super::stored::StoredTerm;
use super::{DataTerm, Objective};
use crate::density::Density;
use crate::error::{bad, non_negative};
use crate::kernel::Features;
use crate::linalg::{column, is_finite, packed_len};
use crate::table::{Group, Table};
use crate::{Error, Result};
use faer::Mat;
use rayon::prelude::*;

/// The matrix `A_0` of the penalty `λ tr(Q A_0)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Regularizer {
    /// The identity, as in the paper's experiments.
    #[default]
    Identity,
    /// The kernel between the anchors, as in its theory.
    Kernel,
}

/// How the data term is held.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Storage {
    /// Grouped where rows share patterns, stored where they do not, within the memory allowed.
    #[default]
    Auto,
    /// A packed matrix a row.
    Stored,
    /// A matrix a pattern and a vector a row.
    Grouped,
}

/// The objective's settings.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ProblemOptions {
    /// `λ ≥ 0`.
    pub lambda: f64,
    /// `A_0`.
    pub regularizer: Regularizer,
    /// The reference density's weight, `0 ≤ ν < 1`; above zero only with a reference.
    pub nu: f64,
    /// How the data term is held.
    pub storage: Storage,
    /// Bytes that the data term and the Newton system may take each.
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
    /// Patterns of the rows with weight.
    pub(super) groups: Vec<Group>,
    /// Of every row of the table; they add up to one.
    pub(super) weights: Vec<f64>,
    /// `log u_i` of every row of the table, if there is a reference.
    pub(super) log_reference: Option<Vec<f64>>,
}

impl<'a> Problem<'a> {
    /// The problem of fitting `features` to `table`. Weights are scaled to add up to one; rows without weight are left out.
    pub fn new(
        features: &'a Features,
        table: &'a Table,
        weights: Option<&[f64]>,
        reference: Option<&dyn Density>,
        options: ProblemOptions,
    ) -> Result<Self> {
        features.check(table)?;
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

    /// Works out the matrices and returns the objective in `Q`.
    pub fn objective(&self) -> Result<Objective> {
        let term_kind = self.storage()?;
        let parts = self.groups.par_iter().map(|group| self.rows_of(group)).collect::<Result<Vec<_>>>()?;
        let (mut patterns, mut weights, mut offsets, mut log_scale) =
            (Vec::new(), Vec::new(), Vec::new(), 0.0);
        for (group, part) in self.groups.iter().zip(parts) {
            weights.extend(group.rows.iter().map(|&i| self.weights[i]));
            log_scale +=
                group.rows.iter().zip(&part.log_scales).map(|(&i, s)| self.weights[i] * s).sum::<f64>();
            offsets.extend(part.offsets);
            patterns.push(PatternRows { e: part.e, f: part.f });
        }
        let l = self.features.len();
        let term: Box<dyn DataTerm> = match term_kind {
            Storage::Stored => Box::new(StoredTerm::new(l, pack_rows(l, &patterns))),
            _ => Box::new(GroupedTerm::new(l, patterns)),
        };
        let a0 = match self.options.regularizer {
            Regularizer::Kernel if self.options.lambda > 0.0 => self.features.k()?,
            _ => Mat::identity(l, l),
        };
        if !is_finite(a0.as_ref()) {
            return Err(Error::NotFinite { what: "the kernel of an anchor that is too far outside the box" });
        }
        Ok(Objective {
            term,
            weights,
            offsets,
            mass: 1.0 - self.options.nu,
            log_scale,
            h: self.features.h()?,
            a0,
            lambda: self.options.lambda,
            memory: self.options.memory,
        })
    }

    /// The features of a group's rows, divided by `exp(ρ_i)`, `ρ_i` the larger of the two terms that are to be added.
    pub(super) fn rows_of(&self, group: &Group) -> Result<GroupRows> {
        let pattern = self.features.pattern(&group.pattern)?;
        let (mut f, scales) = pattern.scaled_features_of(self.table, &group.rows);
        let (mut offsets, mut log_scales) = (Vec::new(), Vec::new());
        for (i, (&row, scale)) in group.rows.iter().zip(scales).enumerate() {
            let log_offset = match &self.log_reference {
                Some(logs) => logs[row] + self.options.nu.ln(),
                None => f64::NEG_INFINITY,
            };
            let log_scale = (2.0 * scale).max(log_offset);
            if !log_scale.is_finite() {
                return Err(Error::NotFinite {
                    what: "the log-density of a row: its cells are too far from every anchor",
                });
            }
            let shrink = (scale - 0.5 * log_scale).exp();
            f.col_mut(i).iter_mut().for_each(|x| *x *= shrink);
            offsets.push((log_offset - log_scale).exp());
            log_scales.push(log_scale);
        }
        Ok(GroupRows { e: pattern.e(), f, offsets, log_scales })
    }

    /// Which way to hold the data term, within the memory allowed.
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
        if needed > ceiling {
            let (needed, ceiling) = (needed >> 20, ceiling >> 20);
            return Err(Error::TooLarge { what: "the data term", needed, ceiling });
        }
        Ok(chosen)
    }
}

/// One pattern's rows, scaled.
pub(super) struct GroupRows {
    pub(super) e: Mat<f64>,
    pub(super) f: Mat<f64>,
    /// `ν u_i / exp(ρ_i)`.
    pub(super) offsets: Vec<f64>,
    /// `ρ_i`.
    pub(super) log_scales: Vec<f64>,
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

/// Every row's matrix, packed, in the rows' order.
fn pack_rows(l: usize, patterns: &[PatternRows]) -> Mat<f64> {
    let columns: Vec<(usize, usize)> = patterns
        .iter()
        .enumerate()
        .flat_map(|(p, group)| (0..group.f.ncols()).map(move |i| (p, i)))
        .collect();
    let mut out = Mat::zeros(packed_len(l), columns.len());
    out.par_col_iter_mut().zip(columns).for_each(|(out, (p, i))| {
        let (e, f) = (patterns[p].e.as_ref(), column(patterns[p].f.as_ref(), i));
        let mut entries = out.iter_mut();
        for b in 0..l {
            for (a, entry) in (b..l).zip(entries.by_ref()) {
                let twice = if a == b { 1.0 } else { std::f64::consts::SQRT_2 };
                *entry = twice * f[a] * f[b] * e[(a, b)];
            }
        }
    });
    out
}
