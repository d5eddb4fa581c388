//! The part of a cell's distribution on an interval.

use crate::kernel::truncated::{cdf, cut_moments, log_mass, pdf};
use crate::table::Line;

/// The real line.
pub(super) const UNCUT: (f64, f64) = (f64::NEG_INFINITY, f64::INFINITY);
/// Standard deviations beyond which a normal density does not change the last bit of its moments.
const REACH: f64 = 9.0;
/// Differences of distribution functions below this have lost too many digits. Arbitrary.
const LITTLE: f64 = 1e-3;

/// Mass, mean and variance of a cell's distribution on an interval: `P(X ∈ I)`, `E[X | X ∈ I]`, `Var[X | X ∈ I]`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Piece {
    /// Probability of the interval.
    pub mass: f64,
    /// Mean within the interval; NaN if the mass is zero, and for labels.
    pub mean: f64,
    /// Variance within the interval; NaN if the mass is zero, and for labels.
    pub variance: f64,
}

impl Piece {
    /// An interval without mass.
    pub(super) const NONE: Self = Self { mass: 0.0, mean: f64::NAN, variance: f64::NAN };

    /// Combines the pieces of a mixture. Weights may be negative; a mass or variance that rounding leaves below zero becomes zero.
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

    /// The piece of a normal cell with this mean and standard deviation, truncated to `cut`, which is in units of the normal.
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

    /// Applies a line's linear map to a piece that lies on it.
    pub(super) fn along(self, line: &Line) -> Self {
        let mean = line.shift + line.slope * self.mean;
        Self { mass: self.mass, mean, variance: line.slope.powi(2) * self.variance }
    }

    /// Sums the pieces on adjoining lines, each after its linear map.
    pub(super) fn on_lines(lines: &[Line], within: impl Fn((f64, f64)) -> Self) -> Self {
        Self::sum(lines.iter().map(|line| (1.0, within((line.from, line.to)).along(line))))
    }

    /// The piece of a normal cell as in [`of_normal`](Self::of_normal), mapped by adjoining lines.
    ///
    /// With `u = (z - μ)/σ` the cell is `x_0 + c + s u` on a line, where `x_0` is its value at `μ`. The distribution function `F` and the
    /// density `f` of `u` are evaluated once per knot, and the moments about `x_0` are sums over the lines:
    ///
    /// ```text
    /// ∫ f = ΔF = e_0     ∫ u f = -Δf = e_1     ∫ u² f = e_0 - Δ(u f) = e_2
    /// E[x - x_0] = Σ c e_0 + s e_1     E[(x - x_0)²] = Σ c² e_0 + 2 c s e_1 + s² e_2
    /// ```
    ///
    /// Lines beyond nine deviations are skipped: they change no bit. A truncated cell, or one with little mass on the lines, is computed
    /// line by line instead.
    pub(super) fn of_normal_mapped((mean, deviation): (f64, f64), cut: (f64, f64), lines: &[Line]) -> Self {
        let (Some(first), Some(last)) = (lines.first(), lines.last()) else { return Self::NONE };
        let one_by_one = || Self::on_lines(lines, |limits| Self::of_normal((mean, deviation), cut, limits));
        if !(first.from..=last.to).contains(&mean) || cut != UNCUT {
            return one_by_one();
        }
        let near = lines.partition_point(|line| line.to < mean - REACH * deviation);
        let far = lines.partition_point(|line| line.from <= mean + REACH * deviation);
        let home = &lines[lines.partition_point(|line| line.to < mean).min(lines.len() - 1)];
        let origin = home.shift + home.slope * mean;
        // `F`, `f` and `u f` at a knot.
        let knot = |z: f64| {
            let u = (z - mean) / deviation;
            if u.is_infinite() { [cdf(u), 0.0, 0.0] } else { [cdf(u), pdf(u), u * pdf(u)] }
        };
        let mut left = knot(lines[near].from);
        let mut moments = [0.0; 3];
        for line in &lines[near..far] {
            let right = knot(line.to);
            let [e0, e1] = [right[0] - left[0], left[1] - right[1]];
            let e2 = e0 + left[2] - right[2];
            let (c, s) = (line.shift + line.slope * mean - origin, line.slope * deviation);
            moments[0] += e0;
            moments[1] += c * e0 + s * e1;
            moments[2] += c * c * e0 + 2.0 * c * s * e1 + s * s * e2;
            left = right;
        }
        let [mass, first, second] = moments;
        if mass < LITTLE {
            return one_by_one();
        }
        let off = first / mass;
        Self { mass, mean: origin + off, variance: (second / mass - off * off).max(0.0) }
    }

    /// The piece of a discrete cell.
    pub(super) fn of_atoms(atoms: &[(f64, f64)], labels: bool, (lo, hi): (f64, f64)) -> Self {
        let inside = atoms.iter().filter(|(value, _)| (lo..=hi).contains(value));
        let value = |v: f64| if labels { f64::NAN } else { v };
        Self::sum(inside.map(|&(v, p)| (p, Self { mass: 1.0, mean: value(v), variance: 0.0 })))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Narrow and wide cells, at a knot and far from all knots, on all lines and on some.
    #[test]
    fn moments_on_lines_are_those_of_the_pieces_one_by_one() {
        let knots = [f64::NEG_INFINITY, -1.0, -0.2, 0.5, 2.0, f64::INFINITY];
        let slopes = [1.0, 0.3, 2.0, 0.7, 5.0];
        let mut at = 0.0;
        let line = |k: usize| {
            let shift = at - slopes[k] * knots[k].max(-3.0);
            at = shift + slopes[k] * knots[k + 1].min(3.0);
            Line { from: knots[k], to: knots[k + 1], shift, slope: slopes[k] }
        };
        let all: Vec<Line> = (0..5).map(line).collect();
        for (first, last) in [(0, 5), (1, 4), (2, 3)] {
            let lines = &all[first..last];
            for (mean, deviation) in [(0.1, 0.4), (-0.2, 1e-4), (0.4, 3.0), (-30.0, 0.5), (0.3, 1e5)] {
                let fast = Piece::of_normal_mapped((mean, deviation), UNCUT, lines);
                let slow =
                    Piece::on_lines(lines, |limits| Piece::of_normal((mean, deviation), UNCUT, limits));
                if slow.mass == 0.0 {
                    assert_eq!(fast.mass, 0.0);
                    continue;
                }
                let close =
                    |a: f64, b: f64, tolerance: f64| assert!((a - b).abs() <= tolerance * b.abs(), "{a} {b}");
                close(fast.mass, slow.mass, 1e-11);
                close(fast.mean - slow.mean + slow.variance.sqrt(), slow.variance.sqrt(), 1e-9);
                close(fast.variance, slow.variance, 1e-9);
            }
        }
    }
}
