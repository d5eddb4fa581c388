//! What a cell's distribution has in an interval.

use crate::kernel::truncated::{cut_moments, log_mass};

/// Mass, mean and variance of a cell's distribution on an interval: `P(X ∈ I)`, `E[X | X ∈ I]`, `Var[X | X ∈ I]`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Piece {
    /// Between zero and one.
    pub mass: f64,
    /// NaN where there is no mass, and for labels.
    pub mean: f64,
    /// NaN where there is no mass, and for labels.
    pub variance: f64,
}

impl Piece {
    /// Nothing.
    pub(super) const NONE: Self = Self { mass: 0.0, mean: f64::NAN, variance: f64::NAN };

    /// The piece of a mixture. Weights may be negative; what rounding leaves below zero is zero.
    pub(super) fn sum(parts: impl Iterator<Item = (f64, Piece)>) -> Self {
        let parts: Vec<(f64, Piece)> =
            parts.filter(|(_, p)| p.mass > 0.0).map(|(w, p)| (w * p.mass, p)).collect();
        let mass: f64 = parts.iter().map(|(w, _)| w).sum();
        if mass.is_nan() || mass <= 0.0 {
            return Self::NONE;
        }
        let mean = parts.iter().map(|(w, p)| w / mass * p.mean).sum::<f64>();
        let spread = |p: &Piece| p.variance + (p.mean - mean).powi(2);
        let variance = parts.iter().map(|(w, p)| w / mass * spread(p)).sum::<f64>();
        Self { mass: mass.min(1.0), mean, variance: if variance < 0.0 { 0.0 } else { variance } }
    }

    /// Of a normal cell with this mean and standard deviation, itself cut to `cut`, which is in units of the normal.
    pub(super) fn of_normal((mean, deviation): (f64, f64), cut: (f64, f64), limits: (f64, f64)) -> Self {
        let a = cut.0.max((limits.0 - mean) / deviation);
        let b = cut.1.min((limits.1 - mean) / deviation);
        let mass = (log_mass(a, b) - log_mass(cut.0, cut.1)).exp();
        if mass.is_nan() || mass <= 0.0 {
            return Self::NONE;
        }
        let (m, v) = cut_moments(a, b);
        Self { mass, mean: mean + deviation * m, variance: deviation * deviation * v }
    }

    /// Of a discrete cell.
    pub(super) fn of_atoms(atoms: &[(f64, f64)], labels: bool, (lo, hi): (f64, f64)) -> Self {
        let inside = atoms.iter().filter(|(value, _)| (lo..=hi).contains(value));
        let value = |v: f64| if labels { f64::NAN } else { v };
        Self::sum(inside.map(|&(v, p)| (p, Self { mass: 1.0, mean: value(v), variance: 0.0 })))
    }
}
