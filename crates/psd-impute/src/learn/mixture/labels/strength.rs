//! How much a table of frequencies is to be trusted, by the likelihood of its counts.
//!
//! If probabilities have a Dirichlet distribution with mean `m` and the weight of `a` rows, counts `n` of `N` rows in a given order have the probability
//!
//! ```text
//! Γ(a)/Γ(a + N) Π_v Γ(a m_v + n_v)/Γ(a m_v)
//! ```
//!
//! It is highest at an `a` that is small where rows of a table differ, and large where they are alike.

use libm::lgamma;

/// The weights tried, in rows. Arbitrary.
pub(super) const WEIGHTS: [f64; 7] = [1e-3, 1e-2, 0.1, 1.0, 5.0, 25.0, 125.0];

/// The logarithm of the probability above.
pub(super) fn log_likelihood(counts: &[f64], mean: &[f64], weight: f64) -> f64 {
    let total: f64 = counts.iter().sum();
    if total <= 0.0 {
        return 0.0;
    }
    let seen = counts.iter().zip(mean).filter(|(n, _)| **n > 0.0);
    let term = |(n, m): (&f64, &f64)| {
        let prior = (weight * m).max(f64::MIN_POSITIVE);
        lgamma(prior + n) - lgamma(prior)
    };
    lgamma(weight) - lgamma(weight + total) + seen.map(term).sum::<f64>()
}

/// The best of some weights, and its log-likelihood. Of equally good ones the first.
pub(super) fn best(weights: &[f64], log_likelihood: impl Fn(f64) -> f64) -> (f64, f64) {
    let scored = weights.iter().map(|&weight| (weight, log_likelihood(weight)));
    scored.fold((weights[0], f64::NEG_INFINITY), |best, here| if here.1 > best.1 { here } else { best })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_likelihood_is_a_product_of_predictions() {
        let mean = [0.2, 0.5, 0.3];
        let (mut counts, mut log) = ([0.0; 3], 0.0);
        for (n, v) in [1usize, 1, 0, 2, 1, 1].into_iter().enumerate() {
            log += ((counts[v] + 2.5 * mean[v]) / (n as f64 + 2.5)).ln();
            counts[v] += 1.0;
        }
        assert!((log_likelihood(&counts, &mean, 2.5) - log).abs() < 1e-12);
        assert_eq!(log_likelihood(&[0.0; 3], &mean, 2.5), 0.0);
    }

    #[test]
    fn rows_that_differ_are_trusted_and_rows_that_are_alike_are_not() {
        let weight = |rows: [[f64; 2]; 2]| {
            best(&WEIGHTS, |weight| rows.iter().map(|row| log_likelihood(row, &[0.5; 2], weight)).sum()).0
        };
        assert!(weight([[9.0, 0.0], [0.0, 9.0]]) < 0.01);
        assert!(weight([[5.0, 5.0], [5.0, 5.0]]) > 100.0);
    }
}
