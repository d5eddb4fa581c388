//! Inverting distribution functions.

use crate::Result;
use crate::error::bad;
use crate::kernel::truncated::{cdf, pdf};

/// Refuses what is no probability inside `(0, 1)`.
pub(super) fn check(p: f64) -> Result<()> {
    if p > 0.0 && p < 1.0 { Ok(()) } else { Err(bad("probability", p, "above 0 and below 1")) }
}

/// Solves `F(x) = p` on a bracket by Newton's method, halving the bracket whenever a step leaves it or does not shrink.
pub(super) fn invert(p: f64, bracket: (f64, f64), both: impl Fn(f64) -> Result<(f64, f64)>) -> Result<f64> {
    let (mut lo, mut hi) = bracket;
    let (mut x, mut last) = (0.5 * (lo + hi), hi - lo);
    for _ in 0..200 {
        let (cdf, density) = both(x)?;
        if cdf < p {
            lo = x;
        } else {
            hi = x;
        }
        let newton = x - (cdf - p) / density;
        let next = if newton > lo && newton < hi && (newton - x).abs() < 0.5 * last {
            newton
        } else {
            0.5 * (lo + hi)
        };
        last = (next - x).abs();
        x = next;
        if last <= 2.0 * f64::EPSILON * x.abs().max(1e-3 * (bracket.1 - bracket.0)) || hi <= lo {
            break;
        }
    }
    Ok(x)
}

/// The first value at which the running probability reaches `p`; the last possible value if rounding hides it.
pub(super) fn among(atoms: &[(f64, f64)], p: f64) -> f64 {
    let mut total = 0.0;
    let mut last = f64::NAN;
    for &(value, probability) in atoms.iter().filter(|atom| atom.1 > 0.0) {
        total += probability;
        last = value;
        if total >= p {
            break;
        }
    }
    last
}

/// The value with the largest probability, the first of equals.
pub(crate) fn most_probable(atoms: &[(f64, f64)]) -> f64 {
    atoms.iter().fold((f64::NAN, -1.0), |best, &atom| if atom.1 > best.1 { atom } else { best }).0
}

/// The standard normal's, for `1e-300 ≤ p < 1`.
pub(crate) fn normal_quantile(p: f64) -> f64 {
    invert(p, (-39.0, 39.0), |x| Ok((cdf(x), pdf(x)))).unwrap_or(0.0)
}
