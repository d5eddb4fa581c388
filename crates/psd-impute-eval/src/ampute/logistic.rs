//! Logistic models of missingness: a cell is missing with probability `1 / (1 + exp(-s - b))`, where the score `s` has unit variance
//! over the rows, and the intercept `b` makes the average probability the rate.

use faer::Mat;
use psd_impute::table::Table;

/// A variance of scores below this is rounding, because scores combine standardised numbers with coefficients of order one.
const NOTHING: f64 = 1e-20;

/// Scales scores to unit variance, or to zero if all are equal.
pub(super) fn unit_variance(scores: &mut [f64]) {
    let n = scores.len() as f64;
    let mean = scores.iter().sum::<f64>() / n;
    let variance = scores.iter().map(|s| (s - mean).powi(2)).sum::<f64>() / n;
    let factor = if variance > NOTHING { 1.0 / variance.sqrt() } else { 0.0 };
    scores.iter_mut().for_each(|s| *s *= factor);
}

/// Sets the probabilities of column `j`. Their average over the observed cells is the rate.
pub(super) fn fill(out: &mut Mat<f64>, table: &Table, j: usize, scores: &[f64], rate: f64) {
    let observed: Vec<f64> =
        table.rows().zip(scores).filter(|(row, _)| !row[j].is_nan()).map(|(_, &s)| s).collect();
    let b = intercept(&observed, rate);
    for (i, s) in scores.iter().enumerate() {
        out[(j, i)] = sigmoid(s + b);
    }
}

/// The intercept, by bisection. If the highest score has the rate as its probability, the average is below it; if the lowest has, above.
fn intercept(scores: &[f64], rate: f64) -> f64 {
    let logit = (rate / (1.0 - rate)).ln();
    let highest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let lowest = scores.iter().copied().fold(f64::INFINITY, f64::min);
    let (mut low, mut high) = (logit - highest, logit - lowest);
    let mut middle = (low + high) / 2.0;
    while low < middle && middle < high {
        let average = scores.iter().map(|s| sigmoid(s + middle)).sum::<f64>() / scores.len() as f64;
        *(if average < rate { &mut low } else { &mut high }) = middle;
        middle = (low + high) / 2.0;
    }
    middle
}

fn sigmoid(t: f64) -> f64 {
    1.0 / (1.0 + (-t).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_average_probability_is_the_rate() {
        let spread: Vec<f64> = (0..101).map(|i| f64::from(i - 50).powi(3) / 1e4).collect();
        for scores in [&spread[..], &[0.0; 5], &[-30.0, 0.0, 900.0], &[2.0]] {
            for rate in [1e-6, 0.1, 0.5, 0.93] {
                let b = intercept(scores, rate);
                let average = scores.iter().map(|s| sigmoid(s + b)).sum::<f64>() / scores.len() as f64;
                assert!((average - rate).abs() < 1e-13, "{average} for {rate}");
            }
        }
    }
}
