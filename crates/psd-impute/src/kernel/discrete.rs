//! A discrete column: atoms `v_k` with base weights `ρ_k`, and a positive table `θ_a(v_k)` per anchor.
//!
//! An observed atom contributes `θ_a(v) θ_b(v)` to `A[a,b]`, a missing one `H[a,b] = Σ_k ρ_k θ_a(v_k) θ_b(v_k)`. Densities
//! are with respect to `ρ`, so `ρ_k` times a density is a probability.

use crate::error::{bad, positive};
use crate::linalg::{is_finite, log_sum_exp};
use crate::table::{Kind, mean_and_deviation, position};
use crate::{Error, Result};
use faer::{Mat, MatRef};

/// A discrete column of the features.
#[derive(Debug, Clone)]
pub struct DiscreteColumn {
    pub(super) column: usize,
    kind: Kind,
    atoms: Vec<f64>,
    log_rho: Vec<f64>,
    /// `K × l`, one anchor per column.
    pub(super) log_theta: Mat<f64>,
}

impl DiscreteColumn {
    /// A column with any table of features: `log_theta` is `K × l`, one anchor per column.
    ///
    /// # Errors
    ///
    /// [`Error::BadParameter`] if base weights are negative or all zero, or the table is not finite; [`Error::Shape`] unless both have one
    /// entry per atom.
    pub fn new(column: usize, kind: Kind, rho: &[f64], log_theta: Mat<f64>) -> Result<Self> {
        let total: f64 = rho.iter().sum();
        if rho.iter().any(|&r| !(r >= 0.0 && r.is_finite())) || total <= 0.0 {
            return Err(bad("base weights", format!("{rho:?}"), "not below zero, and not all zero"));
        }
        Self::from_logs(column, kind, rho.iter().map(|r| (r / total).ln()).collect(), log_theta)
    }

    /// A column from `log ρ`, whose exponentials sum to one, and `log θ`.
    pub(crate) fn from_logs(
        column: usize,
        kind: Kind,
        log_rho: Vec<f64>,
        log_theta: Mat<f64>,
    ) -> Result<Self> {
        let atoms = kind.atoms();
        if log_rho.len() != atoms.len() {
            return Err(Error::Shape {
                what: "base weights of a discrete column",
                found: log_rho.len(),
                expected: atoms.len(),
            });
        }
        if log_theta.nrows() != atoms.len() {
            let (found, expected) = (log_theta.nrows(), atoms.len());
            return Err(Error::Shape { what: "rows of a discrete column's table", found, expected });
        }
        let total: f64 = log_rho.iter().map(|r| r.exp()).sum();
        if total.is_nan() || (total - 1.0).abs() > 1e-9 {
            return Err(bad("sum of the base weights", total, "one"));
        }
        if !is_finite(log_theta.as_ref()) {
            return Err(bad("discrete features", "a table with infinite or missing entries", "finite"));
        }
        Ok(Self { column, kind, atoms, log_rho, log_theta })
    }

    /// The kernel for the column's kind around each anchor's value `w_a`: `exp(-η (v - w_a)²)` for ordered atoms, with
    /// values in units of the atoms' standard deviation, and `exp(-η [v ≠ w_a])` for categories.
    ///
    /// # Errors
    ///
    /// [`Error::BadParameter`] if `eta` is not positive or an anchor's value is not an atom, and as for [`new`](Self::new).
    pub fn kernel(column: usize, kind: &Kind, rho: &[f64], anchors: &[f64], eta: f64) -> Result<Self> {
        positive("discrete bandwidth eta", eta)?;
        let atoms = kind.atoms();
        let unit = mean_and_deviation(&atoms).1;
        if let Some(stranger) = anchors.iter().find(|w| !atoms.contains(w)) {
            return Err(bad("anchor in a discrete column", stranger, "one of the column's values"));
        }
        let log_theta = Mat::from_fn(atoms.len(), anchors.len(), |k, a| match kind {
            Kind::Ordered(_) => -eta * ((atoms[k] - anchors[a]) / unit).powi(2),
            _ => {
                if atoms[k] == anchors[a] {
                    0.0
                } else {
                    -eta
                }
            }
        });
        Self::new(column, kind.clone(), rho, log_theta)
    }

    /// The same column with one anchor whose squared feature gives the atoms these probabilities: `θ² = p/ρ`.
    ///
    /// # Errors
    ///
    /// As for [`new`](Self::new), so also for a probability of zero.
    pub fn with_probabilities(&self, probabilities: &[f64]) -> Result<Self> {
        let rho: Vec<f64> = self.log_rho.iter().map(|r| r.exp()).collect();
        let log_theta = Mat::from_fn(rho.len(), 1, |k, _| {
            if rho[k] > 0.0 { 0.5 * (probabilities[k] / rho[k]).ln() } else { 0.0 }
        });
        Self::new(self.column, self.kind.clone(), &rho, log_theta)
    }

    /// The same column with another table of features, `K × l`.
    ///
    /// # Errors
    ///
    /// As for [`new`](Self::new).
    pub fn with_table(&self, log_theta: Mat<f64>) -> Result<Self> {
        let rho: Vec<f64> = self.log_rho.iter().map(|r| r.exp()).collect();
        Self::new(self.column, self.kind.clone(), &rho, log_theta)
    }

    /// Whether the values are labels, which cannot be averaged.
    pub fn has_labels(&self) -> bool {
        matches!(self.kind, Kind::Category(_))
    }

    /// The column's position in the table.
    pub fn column(&self) -> usize {
        self.column
    }

    /// The values a cell may take.
    pub fn atoms(&self) -> &[f64] {
        &self.atoms
    }

    /// `log ρ`.
    pub fn log_rho(&self) -> &[f64] {
        &self.log_rho
    }

    /// `log θ`, `K × l`.
    pub fn log_theta(&self) -> MatRef<'_, f64> {
        self.log_theta.as_ref()
    }

    /// The position of a value among the atoms; `None` for other values.
    pub fn position(&self, value: f64) -> Option<usize> {
        position(&self.atoms, value)
    }

    /// Adds `log θ_a(value)` to `out`; returns false if the value is not an atom or has base weight zero.
    pub(super) fn add_log_features(&self, value: f64, out: &mut [f64]) -> bool {
        let Some(k) = self.position(value) else { return false };
        for (a, out) in out.iter_mut().enumerate() {
            *out += self.log_theta[(k, a)];
        }
        self.log_rho[k] > f64::NEG_INFINITY
    }

    /// `log ρ_k θ_a(v_k) θ_b(v_k)` for every atom.
    pub fn log_masses(&self, a: usize, b: usize) -> Vec<f64> {
        self.log_rho
            .iter()
            .enumerate()
            .map(|(k, r)| r + self.log_theta[(k, a)] + self.log_theta[(k, b)])
            .collect()
    }

    /// `log H[a,b]`.
    pub(super) fn log_pair(&self, a: usize, b: usize) -> f64 {
        log_sum_exp(&self.log_masses(a, b))
    }

    /// `log Σ_k θ_a(v_k) θ_b(v_k)`: the kernel of the features themselves, an upper bound of both contributions above.
    pub(super) fn log_kernel(&self, a: usize, b: usize) -> f64 {
        log_sum_exp(
            &(0..self.atoms.len())
                .map(|k| self.log_theta[(k, a)] + self.log_theta[(k, b)])
                .collect::<Vec<_>>(),
        )
    }
}
