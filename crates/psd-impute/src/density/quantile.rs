//! Inverting distribution functions.

use crate::Result;
use crate::error::bad;
use crate::kernel::truncated::{cdf, pdf};

/// Refuses a probability outside `(0, 1)`.
pub(super) fn check(p: f64) -> Result<()> {
    if p > 0.0 && p < 1.0 { Ok(()) } else { Err(bad("probability", p, "above 0 and below 1")) }
}

/// Solves `F(x) = p` on a bracket by Newton's method, halving the bracket whenever a step leaves it or does not shrink.
///
/// The equation solved is `Φ⁻¹(F(x)) = Φ⁻¹(p)`. Its left side is linear if `F` is normal and nearly so for a mixture of normals, so few
/// steps are needed from any start where `F` is neither zero nor one.
pub(super) fn invert(p: f64, bracket: (f64, f64), both: impl Fn(f64) -> Result<(f64, f64)>) -> Result<f64> {
    invert_from(|_| 0.5 * (bracket.0 + bracket.1), p, bracket, both)
}

/// [`invert`] from a guess inside the bracket; `guess` receives `Φ⁻¹(p)`.
pub(super) fn invert_from(
    guess: impl Fn(f64) -> f64,
    p: f64,
    bracket: (f64, f64),
    both: impl Fn(f64) -> Result<(f64, f64)>,
) -> Result<f64> {
    let (mut lo, mut hi) = bracket;
    let score = normal_quantile(p);
    let (mut x, mut last) = (guess(score).max(lo).min(hi), hi - lo);
    for _ in 0..200 {
        let (cdf, density) = both(x)?;
        if cdf < p {
            lo = x;
        } else {
            hi = x;
        }
        let here = normal_quantile(cdf);
        let newton = x - (here - score) * pdf(here) / density;
        // A Newton step squares the error: after one as short as this, no error is left.
        let still = 1e-9 * x.abs().max(1e-3 * (bracket.1 - bracket.0));
        // Far out in a tail a step can be short only because the density of a score there is zero.
        if (newton - x).abs() <= still && (here - score).abs() < 1e-3 {
            return Ok(newton.clamp(lo, hi));
        }
        let inside = newton > lo && newton < hi && (newton - x).abs() < 0.5 * last;
        let next = if inside { newton } else { 0.5 * (lo + hi) };
        (x, last) = (next, (next - x).abs());
        if last == 0.0 {
            break;
        }
    }
    Ok(x)
}

/// The first value at which the cumulative probability reaches `p`; the last value with positive probability if rounding prevents it.
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

/// The value with the largest probability; the first if there are ties.
pub(crate) fn most_probable(atoms: &[(f64, f64)]) -> f64 {
    atoms.iter().fold((f64::NAN, -1.0), |best, &atom| if atom.1 > best.1 { atom } else { best }).0
}

/// `Φ⁻¹(p)`; infinite for `p` outside `(0, 1)`.
///
/// A rational function of `t = √(-2 log p)` (Hastings, *Approximations for digital computers*, 1955, sheet 68) has an error below 5e-4;
/// two of Halley's steps, `x - e/(1 + x e/2)` with `e = (Φ(x) - p)/φ(x)`, each of which cubes the error, remove it.
pub(crate) fn normal_quantile(p: f64) -> f64 {
    if p > 0.5 {
        return if p < 1.0 { -normal_quantile(1.0 - p) } else { f64::INFINITY };
    }
    if p <= 0.0 {
        return f64::NEG_INFINITY;
    }
    let t = (-2.0 * p.ln()).sqrt();
    let above = 2.515_517 + t * (0.802_853 + t * 0.010_328);
    let below = 1.0 + t * (1.432_788 + t * (0.189_269 + t * 0.001_308));
    let mut x = above / below - t;
    for _ in 0..2 {
        let e = (cdf(x) - p) / pdf(x);
        x -= e / (1.0 + 0.5 * x * e);
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_of_the_normal_are_what_its_distribution_function_says() {
        for k in -370..=80 {
            let x = f64::from(k) / 10.0;
            // In the upper half, digits lost in `1 - Φ(x)` cannot be recovered.
            let lost = f64::EPSILON / pdf(x);
            let found = normal_quantile(cdf(x));
            assert!(
                (found - x).abs() <= 1e-14 * x.abs().max(1.0) + if x > 0.0 { lost } else { 0.0 },
                "{x}: {found}"
            );
        }
        assert_eq!((normal_quantile(0.0), normal_quantile(1.0)), (f64::NEG_INFINITY, f64::INFINITY));
        // Reference values from Wichura (1988).
        assert!((normal_quantile(0.25) + 0.674_489_750_196_081_7).abs() < 1e-15);
        assert!((normal_quantile(1e-3) + 3.090_232_306_167_813_5).abs() < 1e-15);
        assert!((normal_quantile(1e-20) + 9.262_340_089_798_408).abs() < 1e-14);
    }

    #[test]
    fn a_few_steps_invert_a_mixture() {
        let parts = [(0.7, -3.0, 1.0), (0.25, 2.0, 0.1), (0.05, 8.0, 2.0)];
        let both = |x: f64| {
            let of = |f: fn(f64) -> f64, (w, m, s): (f64, f64, f64), scale: f64| w * f((x - m) / s) / scale;
            let cdf = parts.iter().map(|&part| of(cdf, part, 1.0)).sum::<f64>();
            (cdf, parts.iter().map(|&part| of(pdf, part, part.2)).sum::<f64>())
        };
        let (mut steps, mut worst) = (0, 0.0f64);
        for k in 1..100 {
            let p = f64::from(k) / 100.0;
            let count = std::cell::Cell::new(0);
            let counted = |x| {
                count.set(count.get() + 1);
                Ok(both(x))
            };
            worst = worst.max((both(invert(p, (-80.0, 90.0), counted).unwrap()).0 - p).abs());
            steps += count.get();
        }
        assert!(worst < 1e-13, "{worst}");
        assert!(steps < 99 * 11, "{steps}");
    }
}
