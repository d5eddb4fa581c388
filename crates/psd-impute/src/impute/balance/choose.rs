//! Chooses one candidate draw per row, so that all rows together are close to a target.
//!
//! Let `x_i` be the deviation of row `i`'s candidate from the average of its candidates, in a space where squared distances are energy
//! distances, and `e_i` the average of `|x_i|²`.
//!
//! ```text
//! minimise |Σ_i x_i - t|² + (Σ_i |x_i|² - e_i)²/e + e (Σ_i s_i)²/v        over the candidates of each row
//! ```
//!
//! The first term alone contains `Σ |x_i|²`: candidates near the average would be chosen more often than others, and draws would spread less
//! than their distributions. The second term keeps their spread, and the third their variance, which distant candidates could still inflate:
//! `s` is the squared distance of a candidate from the average, in units of the columns, minus its mean over the candidates, and `v` is the
//! average of `s²`. With `e` the average of all `e_i` they outweigh the first term as soon as about half a row's spread is off.
//!
//! Choosing the best candidate for one row after another ends where no single row can improve, which is far from the optimum. So the choice
//! is *annealed*: rows take each candidate with probability `∝ exp(-cost/T)` while `T` falls from `e` to zero.

use super::settings::SETTINGS;
use rand::{Rng, RngExt};
use std::iter::zip;

/// Inner products of the candidates' `x`. All rows have the same number of candidates, and start with their first one chosen.
pub(super) trait Products {
    /// `|x|²` of each candidate of a row.
    fn squares(&self, row: usize) -> Vec<f64>;

    /// The product of each candidate of a row with `Σ x - t` over the other rows, when `taken` is the row's current choice.
    fn with_others(&mut self, row: usize, taken: usize) -> Vec<f64>;

    /// Changes the choice of a row.
    fn take(&mut self, row: usize, from: usize, to: usize);
}

/// One of the two penalties: each candidate's excess spread over its row's average, the sum over rows, and the penalty's weight.
struct Spread {
    excess: Vec<Vec<f64>>,
    /// Sum over the chosen candidates.
    sum: f64,
    weight: f64,
}

impl Spread {
    fn new(mut spread: Vec<Vec<f64>>, weight: impl Fn(&[Vec<f64>]) -> f64) -> Self {
        for row in &mut spread {
            let average = mean(row);
            row.iter_mut().for_each(|x| *x -= average);
        }
        Self { sum: spread.iter().map(|row| row[0]).sum(), weight: weight(&spread), excess: spread }
    }

    /// The penalty of each candidate of a row whose current choice is `taken`, up to a constant.
    fn costs(&self, row: usize, taken: usize) -> impl Iterator<Item = f64> {
        let excess = &self.excess[row];
        let others = self.sum - excess[taken];
        excess.iter().map(move |x| self.weight * x * (2.0 * others + x))
    }

    fn take(&mut self, row: usize, from: usize, to: usize) {
        self.sum += self.excess[row][to] - self.excess[row][from];
    }
}

fn mean(x: &[f64]) -> f64 {
    x.iter().sum::<f64>() / x.len() as f64
}

/// Returns the number of the chosen candidate of each row. `variances` are the squared distances of each row's candidates from their average.
pub(super) fn nearest(
    products: &mut impl Products,
    variances: Vec<Vec<f64>>,
    rng: &mut dyn Rng,
) -> Vec<usize> {
    let mut taken = vec![0; variances.len()];
    let squares: Vec<Vec<f64>> = (0..taken.len()).map(|row| products.squares(row)).collect();
    let e = mean(&squares.iter().map(|row| mean(row)).collect::<Vec<_>>());
    // If all candidates are equal there is nothing to choose.
    if e.is_nan() || e <= 0.0 {
        return taken;
    }
    let square = |excess: &[Vec<f64>]| mean(&excess.iter().flatten().map(|s| s * s).collect::<Vec<_>>());
    let mut spreads = [
        Spread::new(squares.clone(), |_| e.recip()),
        Spread::new(variances, |excess| e / square(excess).max(f64::MIN_POSITIVE)),
    ];
    for sweep in 0..SETTINGS.sweeps + SETTINGS.rounds {
        let heat = e * (1.0 - sweep as f64 / SETTINGS.sweeps as f64).max(0.0).powi(2);
        let before = taken.clone();
        for (row, taken) in taken.iter_mut().enumerate() {
            let from = *taken;
            let mut costs = products.with_others(row, from);
            zip(&mut costs, &squares[row]).for_each(|(cost, square)| *cost = 2.0 * *cost + square);
            for spread in &spreads {
                zip(&mut costs, spread.costs(row, from)).for_each(|(cost, more)| *cost += more);
            }
            if heat > 0.0 {
                costs.iter_mut().for_each(|cost| *cost -= heat * gumbel(rng));
            }
            *taken = least(&costs, from);
            products.take(row, from, *taken);
            spreads.iter_mut().for_each(|spread| spread.take(row, from, *taken));
        }
        if heat == 0.0 && taken == before {
            break;
        }
    }
    taken
}

/// A Gumbel variable. Subtract `T` times an independent one from each cost: the smallest is then cost `k` with probability `∝ exp(-cost_k/T)`.
fn gumbel(rng: &mut dyn Rng) -> f64 {
    -(-rng.random::<f64>().max(f64::MIN_POSITIVE).ln()).ln()
}

/// Position of the smallest cost; `otherwise` if no cost is finite.
fn least(costs: &[f64], otherwise: usize) -> usize {
    let smaller =
        |best: (usize, f64), (k, &cost): (usize, &f64)| if cost < best.1 { (k, cost) } else { best };
    costs.iter().enumerate().fold((otherwise, f64::INFINITY), smaller).0
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    const SIZE: usize = 40;
    const EACH: usize = 8;

    /// Candidates with arbitrary `x`.
    struct Plain {
        x: Vec<Vec<Vec<f64>>>,
        off: Vec<f64>,
    }

    fn dot(a: &[f64], b: &[f64]) -> f64 {
        zip(a, b).map(|(a, b)| a * b).sum()
    }

    impl Plain {
        fn new(x: Vec<Vec<Vec<f64>>>, offset: &[f64]) -> Self {
            let off = (0..SIZE).map(|j| x.iter().map(|row| row[0][j]).sum::<f64>() - offset[j]);
            Self { off: off.collect(), x }
        }

        fn variances(&self) -> Vec<Vec<f64>> {
            (0..self.x.len()).map(|row| self.squares(row).iter().map(|s| s.sqrt()).collect()).collect()
        }
    }

    impl Products for Plain {
        fn squares(&self, row: usize) -> Vec<f64> {
            self.x[row].iter().map(|x| dot(x, x)).collect()
        }

        fn with_others(&mut self, row: usize, taken: usize) -> Vec<f64> {
            let own = &self.x[row][taken];
            self.x[row].iter().map(|x| dot(x, &self.off) - dot(x, own)).collect()
        }

        fn take(&mut self, row: usize, from: usize, to: usize) {
            let (from, to) = (&self.x[row][from], &self.x[row][to]);
            zip(&mut self.off, zip(from, to)).for_each(|(off, (from, to))| *off += to - from);
        }
    }

    fn candidates(rows: usize, reach: impl Fn(usize, usize) -> f64) -> Vec<Vec<Vec<f64>>> {
        let rng = &mut ChaCha8Rng::seed_from_u64(3);
        let mut x = |i, k| (0..SIZE).map(|_| reach(i, k) * (rng.random::<f64>() - 0.5)).collect();
        (0..rows).map(|i| (0..EACH).map(|k| x(i, k)).collect()).collect()
    }

    /// The three terms of the objective, from their definition.
    fn cost(of: &Plain, taken: &[usize], offset: &[f64]) -> f64 {
        let rows = 0..taken.len();
        let excess = |spread: &[f64], k: usize| spread[k] - mean(spread);
        let sum = |spread: &[Vec<f64>]| rows.clone().map(|i| excess(&spread[i], taken[i])).sum::<f64>();
        let squares: Vec<Vec<f64>> = rows.clone().map(|i| of.squares(i)).collect();
        let variances = of.variances();
        let e = mean(&squares.concat());
        let every = || rows.clone().flat_map(|i| (0..EACH).map(move |k| (i, k)));
        let v = mean(&every().map(|(i, k)| excess(&variances[i], k).powi(2)).collect::<Vec<_>>());
        let off = |j: usize| rows.clone().map(|i| of.x[i][taken[i]][j]).sum::<f64>() - offset[j];
        (0..SIZE).map(|j| off(j).powi(2)).sum::<f64>()
            + sum(&squares).powi(2) / e
            + e * sum(&variances).powi(2) / v
    }

    #[test]
    fn no_other_candidate_of_a_single_row_is_nearer_and_annealing_is_worth_it() {
        let offset: Vec<f64> = (0..SIZE).map(|j| (j as f64 * 0.7).sin()).collect();
        let mut of = Plain::new(candidates(60, |i, _| 0.5 + (i % 3) as f64), &offset);
        let variances = of.variances();
        let taken = nearest(&mut of, variances, &mut ChaCha8Rng::seed_from_u64(1));
        let reached = cost(&of, &taken, &offset);
        for i in 0..60 {
            for k in 0..EACH {
                let mut other = taken.clone();
                other[i] = k;
                let there = cost(&of, &other, &offset);
                assert!(there >= reached * (1.0 - 1e-9), "row {i}, candidate {k}: {there} {reached}");
            }
        }
        // Coordinate descent: each row takes its best candidate in turn, until none improves.
        let mut greedy = vec![0; 60];
        for i in (0..60).cycle().take(600) {
            let costs: Vec<f64> = (0..EACH)
                .map(|k| {
                    greedy[i] = k;
                    cost(&of, &greedy, &offset)
                })
                .collect();
            greedy[i] = least(&costs, 0);
        }
        let greedy = cost(&of, &greedy, &offset);
        assert!(reached < 0.9 * greedy, "{reached} {greedy}");
    }

    #[test]
    fn wide_candidates_are_taken_as_often_as_narrow_ones() {
        // Every second candidate is three times as far away as the others.
        let mut of = Plain::new(candidates(200, |_, k| [1.0, 3.0][k % 2]), &[0.0; SIZE]);
        let variances = of.variances();
        let taken = nearest(&mut of, variances, &mut ChaCha8Rng::seed_from_u64(1));
        let spread: f64 = taken.iter().enumerate().map(|(i, &k)| of.squares(i)[k]).sum();
        let expected: f64 = (0..200).map(|i| mean(&of.squares(i))).sum();
        assert!((spread / expected - 1.0).abs() < 0.02, "{spread} {expected}");
    }

    #[test]
    fn candidates_that_are_all_the_same_leave_nothing_to_choose() {
        let mut of = Plain::new(vec![vec![vec![0.0; SIZE]; EACH]; 3], &[0.0; SIZE]);
        assert_eq!(nearest(&mut of, vec![vec![0.0; EACH]; 3], &mut ChaCha8Rng::seed_from_u64(1)), [0; 3]);
    }
}
