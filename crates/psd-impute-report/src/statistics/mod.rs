//! Statistics behind the findings.

pub(crate) mod association;
pub(crate) mod normal;

use libm::erfc;
use statrs::function::gamma::gamma_ur;

/// The upper tail probability of a chi-squared distribution at `x`.
pub(crate) fn chi_squared_above(x: f64, freedom: f64) -> f64 {
    if x <= 0.0 { 1.0 } else { gamma_ur(freedom / 2.0, x / 2.0) }
}

/// The two-sided tail probability of a standard normal variable at `z`.
pub(crate) fn normal_beyond(z: f64) -> f64 {
    erfc(z.abs() / std::f64::consts::SQRT_2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chi_squared_tails_are_the_closed_forms() {
        // With 2m degrees of freedom the tail is that of a Poisson count below m.
        for x in [0.3, 4.0, 35.1, 200.0] {
            let poisson = |m: i32| {
                let term = |k: i32| (1..=k).fold((-x / 2.0f64).exp(), |t, i| t * x / 2.0 / f64::from(i));
                (0..m).map(term).sum::<f64>()
            };
            for m in [1, 3, 7] {
                let tail = chi_squared_above(x, 2.0 * f64::from(m));
                assert!((tail / poisson(m) - 1.0).abs() < 1e-10, "{x} {m}: {tail} {}", poisson(m));
            }
            assert!((chi_squared_above(x, 1.0) - normal_beyond(x.sqrt())).abs() < 1e-10);
        }
        assert!((normal_beyond(1.959963984540054) - 0.05).abs() < 1e-12);
    }
}
