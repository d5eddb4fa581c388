//! The standard normal distribution truncated to an interval, accurate in both tails and for very narrow intervals.

use libm::erfc;
use std::f64::consts::{FRAC_1_SQRT_2, PI};
use std::sync::LazyLock;

/// `log √(2π)`.
pub const LOG_SQRT_2PI: f64 = 0.918_938_533_204_672_8;

/// `Φ(x)`, the standard normal distribution function.
pub fn cdf(x: f64) -> f64 {
    0.5 * erfc(-x * FRAC_1_SQRT_2)
}

/// `φ(x)`, the standard normal density.
pub fn pdf(x: f64) -> f64 {
    (-0.5 * x * x - LOG_SQRT_2PI).exp()
}

/// `log Φ(x)`. Where `Φ(x)` may underflow, it comes from Laplace's continued fraction for `(1 - Φ)/φ`.
pub fn log_cdf(x: f64) -> f64 {
    if x > -10.0 {
        return if x < 5.0 { cdf(x).ln() } else { (-cdf(-x)).ln_1p() };
    }
    if x == f64::NEG_INFINITY {
        return x;
    }
    let t = -x;
    let fraction = (1..=40).rev().fold(t, |tail, k| t + k as f64 / tail);
    -0.5 * x * x - LOG_SQRT_2PI - fraction.ln()
}

/// `log(Φ(b) - Φ(a))` for `a ≤ b`.
pub fn log_mass(a: f64, b: f64) -> f64 {
    if a >= b {
        return f64::NEG_INFINITY;
    }
    if is_narrow(a, b) {
        return narrow_log_mass(a, b);
    }
    // Use the left tail, where `Φ` is accurate.
    let (a, b) = if a > 0.0 { (-b, -a) } else { (a, b) };
    if b <= 0.0 {
        let top = log_cdf(b);
        top + (-(log_cdf(a) - top).exp()).ln_1p()
    } else {
        (-(cdf(a) + cdf(-b))).ln_1p()
    }
}

/// Distribution function at `t` of the standard normal truncated to `[a, b]`.
pub fn cut_cdf(a: f64, b: f64, t: f64) -> f64 {
    if a == f64::NEG_INFINITY && b == f64::INFINITY {
        return cdf(t);
    }
    if t <= a {
        0.0
    } else if t >= b {
        1.0
    } else {
        (log_mass(a, t) - log_mass(a, b)).exp().min(1.0)
    }
}

/// Density at `t` of the standard normal truncated to `[a, b]`.
pub fn cut_pdf(a: f64, b: f64, t: f64) -> f64 {
    if a == f64::NEG_INFINITY && b == f64::INFINITY {
        return pdf(t);
    }
    if t < a || t > b { 0.0 } else { (-0.5 * t * t - LOG_SQRT_2PI - log_mass(a, b)).exp() }
}

/// Mean and variance of the standard normal truncated to `[a, b]`:
/// `m = p(a) - p(b)` and `v = 1 + a p(a) - b p(b) - m²`, where `p` is the density of the truncated normal at its ends.
pub fn cut_moments(a: f64, b: f64) -> (f64, f64) {
    if is_narrow(a, b) {
        let cut = narrow(a, b);
        return (cut.mean, cut.variance);
    }
    let (pa, pb) = end_densities(a, b);
    let mean = pa - pb;
    let end = |x: f64, p: f64| if p == 0.0 { 0.0 } else { x * p };
    (mean, (1.0 + end(a, pa) - end(b, pb) - mean * mean).max(0.0))
}

/// Density of the truncated normal at its two ends; zero at an infinite end.
pub fn end_densities(a: f64, b: f64) -> (f64, f64) {
    let mass = log_mass(a, b);
    let at = |x: f64| if x.is_infinite() { 0.0 } else { (-0.5 * x * x - LOG_SQRT_2PI - mass).exp() };
    (at(a), at(b))
}

/// Whether an interval is so narrow that the differences above cancel, while a Gauss rule is exact to rounding.
fn is_narrow(a: f64, b: f64) -> bool {
    let width = b - a;
    width < 0.5 && width * (a + b).abs() < 10.0
}

/// `log(Φ(b) - Φ(a))` on a narrow interval. With Hermite's polynomials, `φ(m + s) = φ(m) Σ_n He_n(m) (-s)ⁿ/n!`; around the midpoint `m`
/// the integrals of odd powers vanish. Each term at the end of the interval follows from the two before it.
fn narrow_log_mass(a: f64, b: f64) -> f64 {
    let (m, half) = (0.5 * (a + b), 0.5 * (b - a));
    let (mut before, mut here, mut n, mut sum) = (0.0f64, 1.0f64, 0.0, 1.0);
    // Two consecutive terms are never both zero.
    while here.abs() + before.abs() > 0.1 * f64::EPSILON {
        before = (m * half * here - half * half * before) / (n + 1.0);
        here = (m * half * before - half * half * here) / (n + 2.0);
        n += 2.0;
        sum += here / (n + 1.0);
    }
    -0.5 * m * m - LOG_SQRT_2PI + (2.0 * half * sum).ln()
}

struct Narrow {
    mean: f64,
    variance: f64,
}

fn narrow(a: f64, b: f64) -> Narrow {
    let (middle, half) = (0.5 * (a + b), 0.5 * (b - a));
    let mut moments = [0.0; 3];
    for &(node, weight) in GAUSS.iter() {
        let s = half * node;
        let w = weight * (-middle * s - 0.5 * s * s).exp();
        moments[0] += w;
        moments[1] += w * s;
        moments[2] += w * s * s;
    }
    let mean = moments[1] / moments[0];
    Narrow { mean: middle + mean, variance: moments[2] / moments[0] - mean * mean }
}

/// Nodes and weights of the 16-point Gauss-Legendre rule on `[-1, 1]`, by Newton's method on the polynomial.
static GAUSS: LazyLock<[(f64, f64); 16]> = LazyLock::new(|| {
    std::array::from_fn(|k| {
        let mut x = (PI * (k as f64 + 0.75) / 16.5).cos();
        let mut slope = 1.0;
        for _ in 0..20 {
            let (mut last, mut value) = (1.0, x);
            for n in 2..=16 {
                let n = n as f64;
                (last, value) = (value, ((2.0 * n - 1.0) * x * value - (n - 1.0) * last) / n);
            }
            slope = 16.0 * (x * value - last) / (x * x - 1.0);
            x -= value / slope;
        }
        (x, 2.0 / ((1.0 - x * x) * slope * slope))
    })
});

#[cfg(test)]
mod tests {
    use super::*;

    /// Simpson's rule on the scaled density: slow and independent.
    fn reference(a: f64, b: f64) -> (f64, f64, f64) {
        let (lo, hi) = (a.max(-45.0), b.min(45.0));
        let peak = 0f64.clamp(lo, hi);
        let (n, mut m) = (400_000, [0.0; 3]);
        let h = (hi - lo) / n as f64;
        for k in 0..=n {
            let t = lo + h * k as f64;
            let w = if k == 0 || k == n {
                1.0
            } else if k % 2 == 1 {
                4.0
            } else {
                2.0
            };
            let w = w * h / 3.0 * (0.5 * (peak * peak - t * t)).exp();
            let s = t - peak;
            m = [m[0] + w, m[1] + w * s, m[2] + w * s * s];
        }
        let mean = m[1] / m[0];
        (m[0].ln() - 0.5 * peak * peak - LOG_SQRT_2PI, peak + mean, m[2] / m[0] - mean * mean)
    }

    #[test]
    fn agrees_with_quadrature_everywhere() {
        let cases = [
            (-1.0, 2.0),
            (-f64::INFINITY, 0.3),
            (0.5, 0.6),
            (0.99, 1.01),
            (5.0, 5.49),
            (-40.05, -39.95),
            (-1e-7, 1e-7),
            (30.0, 31.0),
            (38.0, 45.0),
            (-42.0, -41.9),
            (7.0, 7.4),
            (-0.2, 9.0),
        ];
        for (a, b) in cases {
            let (mass, mean, variance) = reference(a, b);
            assert!((log_mass(a, b) - mass).abs() < 1e-9 * mass.abs().max(1.0), "mass of [{a}, {b}]");
            let (m, v) = cut_moments(a, b);
            assert!((m - mean).abs() < 1e-9 * mean.abs().max(1.0), "mean on [{a}, {b}]: {m} {mean}");
            assert!((v / variance - 1.0).abs() < 1e-5, "variance on [{a}, {b}]: {v} {variance}");
        }
    }

    #[test]
    fn log_cdf_is_smooth_across_its_branches() {
        for x in [-10.0, 5.0] {
            let (left, right) = (log_cdf(x - 1e-9), log_cdf(x + 1e-9));
            let slope = pdf(x) / cdf(x);
            assert!((right - left - 2e-9 * slope).abs() < 1e-12 * left.abs().max(1e-3));
        }
        // log Φ(-40) from the asymptotic series in exact arithmetic.
        assert!((log_cdf(-40.0) + 804.608_442_013_754).abs() < 1e-9);
        assert_eq!(log_mass(1.0, 1.0), f64::NEG_INFINITY);
    }

    #[test]
    fn cut_cdf_runs_from_zero_to_one() {
        assert_eq!(cut_cdf(30.0, 31.0, 30.0), 0.0);
        assert_eq!(cut_cdf(30.0, 31.0, 31.5), 1.0);
        let slope = (cut_cdf(30.0, 31.0, 30.02 + 1e-6) - cut_cdf(30.0, 31.0, 30.02 - 1e-6)) / 2e-6;
        assert!((slope / cut_pdf(30.0, 31.0, 30.02) - 1.0).abs() < 1e-7);
    }
}
