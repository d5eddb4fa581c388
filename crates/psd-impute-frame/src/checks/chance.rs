//! Tail probabilities for the tests.

use libm::{erfc, lgamma};

/// The level that a p-value, times the number of comparisons, must be below.
pub(super) const LEVEL: f64 = 0.01;

/// The probability of a standard normal number further from zero than `z`.
pub(super) fn normal_beyond(z: f64) -> f64 {
    erfc(z.abs() / std::f64::consts::SQRT_2)
}

/// The probability of at most `k` successes in `n` trials of probability `p`.
///
/// Terms are summed on the log scale from the largest down, until they no longer count.
pub(super) fn binomial_at_most(k: u64, n: u64, p: f64) -> f64 {
    if k >= n || p <= 0.0 {
        return 1.0;
    }
    if p >= 1.0 {
        return 0.0;
    }
    let (k, n) = (k as f64, n as f64);
    if k > n * p {
        return 1.0 - binomial_at_most((n - k - 1.0) as u64, n as u64, 1.0 - p);
    }
    let mut term =
        (lgamma(n + 1.0) - lgamma(k + 1.0) - lgamma(n - k + 1.0) + k * p.ln() + (n - k) * (-p).ln_1p()).exp();
    let (mut sum, mut i) = (0.0, k);
    while term > sum * 1e-16 {
        sum += term;
        term *= i / (n - i + 1.0) * (1.0 - p) / p;
        i -= 1.0;
    }
    sum.min(1.0)
}

/// The probability of at least `k` successes in `n` trials of probability `p`.
pub(super) fn binomial_at_least(k: u64, n: u64, p: f64) -> f64 {
    if k == 0 { 1.0 } else { binomial_at_most(n - k.min(n), n, 1.0 - p) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn binomial_tails_are_sums() {
        // scipy.stats.binom.cdf(3, 10, 0.3), .sf(11, 40, 0.1), .cdf(0, 50, 0.2)
        let near = |found: f64, expected: f64| {
            assert!((found / expected - 1.0).abs() < 1e-9, "{found} {expected}");
        };
        near(binomial_at_most(3, 10, 0.3), 0.649_610_717_9);
        near(binomial_at_most(0, 50, 0.2), 0.8f64.powi(50));
        near(binomial_at_least(50, 50, 0.2), 0.2f64.powi(50));
        near(binomial_at_least(3, 10, 0.3) + binomial_at_most(2, 10, 0.3), 1.0);
        assert_eq!(binomial_at_least(0, 10, 0.3), 1.0);
        assert_eq!(binomial_at_most(10, 10, 0.3), 1.0);
    }
}
