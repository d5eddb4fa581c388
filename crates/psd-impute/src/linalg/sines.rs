//! Sines and cosines of many phases at once.
//!
//! Phases are measured in turns, so that subtracting the nearest integer leaves the same phase, `r`, `|r| ≤ ½`. With `s = sin πr` and
//! `c = cos πr`, `|πr| ≤ π/2`, the sine of the full phase is `2sc` and its cosine `1 - 2s²`. Taylor's series, cut where the remainder is
//! below `1e-11`, need neither branches nor calls; [`exponential`](super::exponential) says why that matters.

use super::exponential::ROUND;
use std::f64::consts::PI;
use std::iter::zip;

/// Coefficients of `sin x / x` and `cos x` in powers of `x²`, without the leading one.
const SIN: [f64; 7] = [
    -1.0 / 6.0,
    1.0 / 120.0,
    -1.0 / 5_040.0,
    1.0 / 362_880.0,
    -1.0 / 39_916_800.0,
    1.0 / 6_227_020_800.0,
    -1.0 / 1_307_674_368_000.0,
];
const COS: [f64; 8] = [
    -1.0 / 2.0,
    1.0 / 24.0,
    -1.0 / 720.0,
    1.0 / 40_320.0,
    -1.0 / 3_628_800.0,
    1.0 / 479_001_600.0,
    -1.0 / 87_178_291_200.0,
    1.0 / 20_922_789_888_000.0,
];

/// The sine and the cosine of a phase in turns.
#[inline(always)]
fn sine_and_cosine(turns: f64) -> (f64, f64) {
    let x = PI * (turns - ((turns + ROUND) - ROUND));
    let square = x * x;
    let series =
        |coefficients: &[f64]| 1.0 + square * coefficients.iter().rev().fold(0.0, |sum, c| sum * square + c);
    let (s, c) = (x * series(&SIN), series(&COS));
    (2.0 * s * c, 1.0 - 2.0 * s * s)
}

/// Writes `a_k sin 2πp_k` and `a_k cos 2πp_k` for the phases `p` in turns and the amplitudes `a`.
pub(crate) fn sines_and_cosines(turns: &[f64], amplitudes: &[f64], sines: &mut [f64], cosines: &mut [f64]) {
    pulp::Arch::new().dispatch(
        #[inline(always)]
        || {
            for ((sine, cosine), (p, a)) in zip(zip(sines, cosines), zip(turns, amplitudes)) {
                let (s, c) = sine_and_cosine(*p);
                (*sine, *cosine) = (a * s, a * c);
            }
        },
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sines_and_cosines_are_those_of_the_system() {
        let turns: Vec<f64> = (-20_000..20_000).map(|k| f64::from(k) * 0.001_37).collect();
        let (mut sines, mut cosines) = (vec![0.0; turns.len()], vec![0.0; turns.len()]);
        sines_and_cosines(&turns, &vec![2.0; turns.len()], &mut sines, &mut cosines);
        for ((p, sine), cosine) in zip(zip(turns, sines), cosines) {
            let (s, c) = (2.0 * PI * p).sin_cos();
            assert!(
                (sine - 2.0 * s).abs() < 1e-10 && (cosine - 2.0 * c).abs() < 1e-10,
                "{p}: {sine} {cosine}"
            );
        }
    }
}
