//! One column of a forest's leaves, continuous or discrete.

use crate::error::{bad, positive};
use crate::kernel::truncated::{LOG_SQRT_2PI, log_mass};
use crate::table::{Kind, position};
use crate::{Error, Result};
use std::ops::Range;

/// A bin that is at most so many deviations long has the probability density times length, to a hundredth. Arbitrary.
const SHORT: f64 = 0.7;

/// The parameters of one column in all leaves.
#[derive(Debug, Clone)]
pub(crate) enum LeafCells {
    /// A normal density for each leaf.
    Normals { means: Vec<f64>, variances: Vec<f64> },
    /// Probabilities, value by value: that of value `v` in leaf `k` is at `v * leaves + k`.
    Tables { leaves: usize, probabilities: Vec<f64> },
}

impl LeafCells {
    /// The number of leaves.
    pub(crate) fn leaves(&self) -> usize {
        match self {
            Self::Normals { means, .. } => means.len(),
            Self::Tables { leaves, .. } => *leaves,
        }
    }

    /// The parameters of one column in the leaves of several trees, in order.
    pub(crate) fn join(parts: &[Self]) -> Self {
        let (mut means, mut variances) = (Vec::new(), Vec::new());
        let mut tables: Vec<std::slice::ChunksExact<'_, f64>> = Vec::new();
        for part in parts {
            match part {
                Self::Normals { means: m, variances: v } => {
                    means.extend(m);
                    variances.extend(v);
                }
                Self::Tables { leaves, probabilities } => tables.push(probabilities.chunks_exact(*leaves)),
            }
        }
        if tables.is_empty() {
            return Self::Normals { means, variances };
        }
        let mut probabilities = Vec::new();
        while let Some(rows) = tables.iter_mut().map(Iterator::next).collect::<Option<Vec<_>>>() {
            rows.into_iter().for_each(|row| probabilities.extend(row));
        }
        Self::Tables { leaves: parts.iter().map(Self::leaves).sum(), probabilities }
    }

    /// The parameters of some of the leaves, which there must be.
    pub(crate) fn some(&self, range: Range<usize>) -> Self {
        match self {
            Self::Normals { means, variances } => {
                Self::Normals { means: means[range.clone()].to_vec(), variances: variances[range].to_vec() }
            }
            Self::Tables { leaves, probabilities } => {
                let rows = probabilities.chunks_exact(*leaves);
                let probabilities = rows.flat_map(|row| row[range.clone()].to_vec()).collect();
                Self::Tables { leaves: range.len(), probabilities }
            }
        }
    }

    /// Refuses parameters that are no distributions of a column of this kind.
    pub(crate) fn check(&self, kind: &Kind) -> Result<()> {
        match self {
            Self::Normals { means, variances } => {
                if means.len() != variances.len() || *kind != Kind::Continuous {
                    let (found, expected) = (variances.len(), means.len());
                    return Err(Error::Shape { what: "variances of the leaves", found, expected });
                }
                if means.iter().any(|x| !x.is_finite()) {
                    return Err(Error::NotFinite { what: "mean of a leaf" });
                }
                variances.iter().try_for_each(|&v| positive("variance of a leaf", v).map(|_| ()))
            }
            Self::Tables { leaves, probabilities } => {
                let (found, expected) = (probabilities.len(), leaves * kind.atoms().len());
                if found != expected || expected == 0 {
                    return Err(Error::Shape { what: "probabilities of the leaves", found, expected });
                }
                let sum = |k: usize| probabilities[k..].iter().step_by(*leaves).sum::<f64>();
                let least = probabilities.iter().copied().fold(f64::INFINITY, f64::min);
                match (0..*leaves).map(sum).find(|sum| (sum - 1.0).abs() > 1e-6) {
                    None if least > 0.0 => Ok(()),
                    sum => {
                        let found = format!("{least} at least, {} in all", sum.unwrap_or(1.0));
                        Err(bad("probabilities of a leaf", found, "above zero, adding up to one"))
                    }
                }
            }
        }
    }
}

/// A column of the leaves, ready to be evaluated.
#[derive(Debug, Clone)]
pub(crate) enum LeafColumn {
    /// A continuous column.
    Smooth(SmoothLeaves),
    /// An ordered or a category column.
    Discrete(DiscreteLeaves),
}

/// The normal densities of a continuous column.
#[derive(Debug, Clone)]
pub(crate) struct SmoothLeaves {
    pub(super) means: Vec<f64>,
    pub(super) deviations: Vec<f64>,
    /// `1/σ_k`, and `-log(σ_k √2π)`.
    scales: Vec<f64>,
    tops: Vec<f64>,
}

/// The tables of a discrete column.
#[derive(Debug, Clone)]
pub(crate) struct DiscreteLeaves {
    pub(super) labels: bool,
    pub(super) atoms: Vec<f64>,
    leaves: usize,
    /// The probability of value `v` in leaf `k`, at `v * leaves + k`, and its logarithm less that of the base weight of the value.
    probabilities: Vec<f64>,
    log_ratios: Vec<f64>,
}

impl LeafColumn {
    /// A column from its parameters, and the base weights of its values.
    pub(crate) fn new(kind: &Kind, cells: &LeafCells, base: &[f64]) -> Self {
        match cells {
            LeafCells::Normals { means, variances } => {
                let deviations: Vec<f64> = variances.iter().map(|v| v.sqrt()).collect();
                let scales = deviations.iter().map(|s| s.recip()).collect();
                let tops = deviations.iter().map(|s| -s.ln() - LOG_SQRT_2PI).collect();
                Self::Smooth(SmoothLeaves { means: means.clone(), deviations, scales, tops })
            }
            LeafCells::Tables { leaves, probabilities } => {
                let rows = probabilities.chunks_exact(*leaves).zip(base);
                let log_ratios = rows.flat_map(|(row, rho)| row.iter().map(move |p| (p / rho).ln()));
                let (labels, atoms) = (matches!(kind, Kind::Category(_)), kind.atoms());
                let (leaves, log_ratios) = (*leaves, log_ratios.collect());
                Self::Discrete(DiscreteLeaves {
                    labels,
                    atoms,
                    leaves,
                    probabilities: probabilities.clone(),
                    log_ratios,
                })
            }
        }
    }

    /// The number of leaves.
    pub(crate) fn leaves(&self) -> usize {
        match self {
            Self::Smooth(column) => column.means.len(),
            Self::Discrete(column) => column.leaves,
        }
    }

    pub(super) fn is_smooth(&self) -> bool {
        matches!(self, Self::Smooth(_))
    }

    /// Adds `log p_kj(x)` to the logarithm of every leaf.
    pub(crate) fn add_logs(&self, x: f64, logs: &mut [f64]) {
        match self {
            Self::Smooth(column) => column.add_logs(x, logs),
            Self::Discrete(column) => match position(&column.atoms, x) {
                Some(v) => {
                    let ratios = &column.log_ratios[v * column.leaves..][..column.leaves];
                    logs.iter_mut().zip(ratios).for_each(|(log, ratio)| *log += ratio);
                }
                None => logs.fill(f64::NEG_INFINITY),
            },
        }
    }

    /// The logarithm of the probability of a value's bin in a leaf.
    pub(super) fn log_bin(&self, k: usize, x: f64, (lo, hi): (f64, f64)) -> f64 {
        let Self::Smooth(column) = self else { return 0.0 };
        let (mean, scale) = (column.means[k], column.scales[k]);
        if (hi - lo) * scale <= SHORT {
            let t = (x - mean) * scale;
            return column.tops[k] - 0.5 * t * t + (hi - lo).ln();
        }
        log_mass((lo - mean) * scale, (hi - mean) * scale)
    }
}

impl SmoothLeaves {
    fn add_logs(&self, x: f64, logs: &mut [f64]) {
        let leaves = self.means.iter().zip(&self.scales).zip(&self.tops);
        for (log, ((mean, scale), top)) in logs.iter_mut().zip(leaves) {
            let t = (x - mean) * scale;
            *log += top - 0.5 * t * t;
        }
    }
}

impl DiscreteLeaves {
    /// The values with their probabilities in one leaf.
    pub(super) fn in_leaf(&self, k: usize) -> impl Iterator<Item = (f64, f64)> {
        self.atoms.iter().enumerate().map(move |(v, &atom)| (atom, self.probabilities[v * self.leaves + k]))
    }

    /// The values with their probabilities in a mixture of leaves.
    pub(super) fn mixed(&self, leaves: &[(usize, f64)]) -> Vec<(f64, f64)> {
        let sum = |v: usize| {
            let row = &self.probabilities[v * self.leaves..][..self.leaves];
            leaves.iter().map(|&(k, weight)| weight * row[k]).sum()
        };
        self.atoms.iter().enumerate().map(|(v, &atom)| (atom, sum(v))).collect()
    }

    /// The mean in one leaf; NaN for labels.
    pub(super) fn mean_in(&self, k: usize) -> f64 {
        if self.labels { f64::NAN } else { self.in_leaf(k).map(|(value, p)| value * p).sum() }
    }
}
