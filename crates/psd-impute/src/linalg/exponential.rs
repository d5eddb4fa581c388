//! Normal densities at many points at once.
//!
//! Calling the system's `exp` for each number leaves the vector registers idle. With `n` the integer nearest to `y / log 2` and
//! `r = y - n log 2`, `exp(y) = 2ⁿ exp(r)` and `|r| ≤ ½ log 2`, where `exp(r) = 1 + r + r c/(2 - c)` with `c = r - r² p(r²)` and the
//! polynomial `p` of FreeBSD's `exp`, whose error is below the last bit. It has no branch and no call, so a loop around it handles as
//! many numbers at a time as the registers hold; and no operation is fused, so the bits are the same on every machine. Each loop must
//! be inlined into the dispatched closure, or it would be compiled for the smallest registers; to achieve that, the closure consumes
//! something: its output.

use std::f64::consts::LOG2_E;
use std::iter::zip;

/// `1.5 · 2⁵²`. Added to a number of moderate size, it leaves the nearest integer in the last bits.
pub(super) const ROUND: f64 = 6_755_399_441_055_744.0;
/// `log 2` in two parts; products of the first with integers up to a thousand are exact.
const LOG_2: [f64; 2] = [0.693_147_180_369_123_8, 1.908_214_929_270_587_7e-10];
/// The coefficients of `p`.
const P: [f64; 5] = [
    1.666_666_666_666_660_2e-1,
    -2.777_777_777_701_559_3e-3,
    6.613_756_321_437_934e-5,
    -1.653_390_220_546_525_2e-6,
    4.138_136_797_057_238e-8,
];

/// `exp(y)` for `y ≤ 0`; values of `y` below -700 count as -700.
#[inline(always)]
fn exp_negative(y: f64) -> f64 {
    let y = y.max(-700.0);
    let shifted = y * LOG2_E + ROUND;
    let n = shifted - ROUND;
    let r = (y - n * LOG_2[0]) - n * LOG_2[1];
    let s = r * r;
    let c = r - s * (P[0] + s * (P[1] + s * (P[2] + s * (P[3] + s * P[4]))));
    // The last bits of `shifted` are those of `n`; shifted into the exponent field, they make `2ⁿ`.
    (1.0 + (r * c / (2.0 - c) + r)) * f64::from_bits(shifted.to_bits().wrapping_add(1023) << 52)
}

/// `out_k += share · N(x; v_k, σ_k²)`, without the factor `1/√2π`; `scales` holds `1/σ_k`.
pub(crate) fn add_normals(x: f64, values: &[f64], scales: &[f64], share: f64, out: &mut [f64]) {
    pulp::Arch::new().dispatch(
        #[inline(always)]
        || {
            for ((out, v), scale) in zip(zip(out, values), scales) {
                let t = (x - v) * scale;
                *out += share * scale * exp_negative(-0.5 * t * t);
            }
        },
    );
}

/// [`add_normals`] with the same `σ` for all values.
pub(crate) fn add_equal_normals(x: f64, values: &[f64], (deviation, share): (f64, f64), out: &mut [f64]) {
    let scale = 1.0 / deviation;
    let top = share * scale;
    pulp::Arch::new().dispatch(
        #[inline(always)]
        || {
            for (out, v) in zip(out, values) {
                let t = (x - v) * scale;
                *out += top * exp_negative(-0.5 * t * t);
            }
        },
    );
}

/// `share · N(x; v_k, h² + s_k²)`, without the factor `1/√2π`, and its derivative with respect to `h`; `variances` holds `s_k²`.
pub(crate) fn normal_slopes(
    x: f64,
    values: &[f64],
    variances: &[f64],
    (h, share): (f64, f64),
) -> Vec<(f64, f64)> {
    let mut out = vec![(0.0, 0.0); values.len()];
    let places = out.as_mut_slice();
    pulp::Arch::new().dispatch(
        #[inline(always)]
        || {
            for ((out, v), s) in zip(zip(places, values), variances) {
                let variance = h * h + s;
                let square = (x - v) * (x - v) / variance;
                let value = share / variance.sqrt() * exp_negative(-0.5 * square);
                *out = (value, value * (square - 1.0) * h / variance);
            }
        },
    );
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponentials_are_those_of_the_system_to_the_last_bits() {
        for k in 0..200_000 {
            let y = -f64::from(k) * 0.003_499_7;
            let (fast, exact) = (exp_negative(y), y.exp());
            assert!((fast - exact).abs() <= 4.0 * f64::EPSILON * exact, "{y}: {fast} {exact}");
        }
        assert_eq!(exp_negative(0.0), 1.0);
        assert_eq!(exp_negative(f64::NEG_INFINITY), exp_negative(-700.0));
    }

    #[test]
    fn normals_add_up() {
        let (values, variances) = ([0.0, 1.5, -2.0, 40.0, 0.3], [0.0, 0.5, 2.0, 0.0, 1e-300]);
        let scales = variances.map(|s: f64| 1.0 / (0.16 + s).sqrt());
        let mut out = [1.0; 5];
        add_normals(0.7, &values, &scales, 0.25, &mut out);
        let slopes = normal_slopes(0.7, &values, &variances, (0.4, 0.25));
        for k in 0..5 {
            let density = |h: f64| {
                let variance: f64 = h * h + variances[k];
                0.25 * (-0.5 * (0.7 - values[k]).powi(2) / variance).exp() / variance.sqrt()
            };
            let slope = (density(0.4 + 1e-5) - density(0.4 - 1e-5)) / 2e-5;
            assert!((out[k] - (1.0 + density(0.4))).abs() < 1e-15, "{k}");
            assert!((slopes[k].0 - density(0.4)).abs() < 1e-15 && (slopes[k].1 - slope).abs() < 1e-8, "{k}");
        }
        let mut alike = [[1.0; 5]; 2];
        add_normals(0.7, &values, &[2.5; 5], 0.25, &mut alike[0]);
        add_equal_normals(0.7, &values, (0.4, 0.25), &mut alike[1]);
        assert!((0..5).all(|k| (alike[0][k] - alike[1][k]).abs() < 1e-15));
    }
}
