//! The weights of a stack's members, by their out-of-fold likelihoods.
//!
//! They maximise, over row weights `v` and members' likelihoods `p_c`,
//!
//! ```text
//! sum_i v_i log sum_c w_c p_c(x_i)  -  κ log W        W = sum of w_c over all but the plain members
//! ```
//!
//! Without the second term, members with more freedom fit noise: for a hundred normal rows, mixtures would get a sixth of
//! the weight, and intervals from completed tables would cover too seldom. EM counts the rows `n_c = sum_i v_i w_c p_c / sum_b w_b p_b`
//! that each member explains; the next weights maximise `sum_c n_c log w_c - κ log W`, where the others share `W` as they share their rows and
//!
//! ```text
//! W = (n_others - κ)+ / (n_plain + (n_others - κ)+)
//! ```
//!
//! Where only they explain the rows, `W` is near one with or without the term; where they do not explain `κ` rows better than the plain
//! ones, they get no weight.

/// `κ`, in rows. Arbitrary: a gain that two rows alone could bring counts for nothing.
const HANDICAP: f64 = 2.0;
/// Steps of EM. Arbitrary.
const STEPS: usize = 500;

/// The weights of members with these log-likelihoods, one vector per member, of which some are plain. A row that no member can have
/// produced does not count; without plain members there is no second term.
pub(super) fn stacking_weights(logs: &[Vec<f64>], plain: &[bool], row_weights: &[f64]) -> Vec<f64> {
    let relative = |(i, &row_weight): (usize, &f64)| {
        let top = logs.iter().map(|logs| logs[i]).fold(f64::NEG_INFINITY, f64::max);
        let row: Vec<f64> = logs.iter().map(|logs| (logs[i] - top).exp()).collect();
        (top > f64::NEG_INFINITY).then_some((row, row_weight))
    };
    let rows: Vec<(Vec<f64>, f64)> = row_weights.iter().enumerate().filter_map(relative).collect();
    let mut weights = vec![1.0 / logs.len() as f64; logs.len()];
    for _ in 0..if rows.is_empty() { 0 } else { STEPS } {
        weights = shares(explained(&rows, &weights), plain);
    }
    weights
}

/// The number of rows that each member explains. A row that only members without weight can have produced is explained by none.
fn explained(rows: &[(Vec<f64>, f64)], weights: &[f64]) -> Vec<f64> {
    let mut counts = vec![0.0; weights.len()];
    for (row, row_weight) in rows {
        let mixed: f64 = weights.iter().zip(row).map(|(w, p)| w * p).sum();
        if mixed > 0.0 {
            counts.iter_mut().zip(weights).zip(row).for_each(|((n, w), p)| *n += row_weight * w * p / mixed);
        }
    }
    counts
}

/// The weights that these counts of rows give.
fn shares(mut counts: Vec<f64>, plain: &[bool]) -> Vec<f64> {
    let sum = |counts: &[f64], of: bool| -> f64 {
        counts.iter().zip(plain).filter(|(_, plain)| **plain == of).map(|(n, _)| n).sum()
    };
    let (plain_rows, others) = (sum(&counts, true), sum(&counts, false));
    if plain_rows > 0.0 && others > 0.0 {
        let left = (others - HANDICAP).max(0.0) / others;
        counts.iter_mut().zip(plain).filter(|(_, plain)| !**plain).for_each(|(n, _)| *n *= left);
    }
    let total: f64 = counts.iter().sum();
    counts.iter().map(|n| n / total).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The log-likelihoods of a plain member and two others: they swing from row to row, the others are better by `gain` on average.
    fn logs(rows: usize, swing: f64, gain: f64) -> Vec<Vec<f64>> {
        let wave = |frequency: f64, gain: f64| {
            (0..rows).map(|i| gain + swing * (frequency * i as f64).sin()).collect::<Vec<f64>>()
        };
        vec![wave(1.3, 0.0), wave(1.7, gain), wave(2.9, gain)]
    }

    fn objective(logs: &[Vec<f64>], row_weights: &[f64], w: [f64; 3], handicap: f64) -> f64 {
        let mixed = |i: usize| logs.iter().zip(w).map(|(logs, w)| w * logs[i].exp()).sum::<f64>().ln();
        let fit: f64 = row_weights.iter().enumerate().map(|(i, v)| v * mixed(i)).sum();
        fit - handicap * (w[1] + w[2]).ln()
    }

    #[test]
    fn the_weights_are_best_among_their_neighbours() {
        let logs = logs(60, 2.0, 0.2);
        let row_weights: Vec<f64> = (0..60).map(|i| 1.0 + f64::from(i % 3)).collect();
        for (plain, handicap) in [([true, false, false], HANDICAP), ([false; 3], 0.0)] {
            let found = stacking_weights(&logs, &plain, &row_weights);
            let w = [found[0], found[1], found[2]];
            assert!(w.iter().all(|&w| w > 0.01), "{w:?}");
            let best = objective(&logs, &row_weights, w, handicap);
            for (from, to) in [(0, 1), (1, 0), (1, 2), (2, 1), (0, 2), (2, 0)] {
                let mut near = w;
                near[from] -= 1e-3;
                near[to] += 1e-3;
                assert!(objective(&logs, &row_weights, near, handicap) < best, "{from} to {to} of {w:?}");
            }
        }
    }

    #[test]
    fn others_that_explain_no_more_than_the_plain_one_are_dropped() {
        let plain = [true, false, false];
        let chance = logs(60, 0.2, 0.0);
        let free = stacking_weights(&chance, &[false; 3], &[1.0; 60]);
        assert!(free[1] + free[2] > 0.3, "{free:?}");
        assert_eq!(stacking_weights(&chance, &plain, &[1.0; 60]), [1.0, 0.0, 0.0]);
        let all = stacking_weights(&logs(60, 0.2, 9.0), &plain, &[1.0; 60]);
        assert!(all[0] < 1e-3, "{all:?}");
    }

    #[test]
    fn rows_that_nobody_or_only_a_dropped_member_explains_have_no_say() {
        let none = f64::NEG_INFINITY;
        let logs = [vec![-1.0, -1.0, -1.0, -2e3, none], vec![-3.0, -3.0, -3.0, -1.0, none]];
        assert_eq!(stacking_weights(&logs, &[true, false], &[1.0; 5]), [1.0, 0.0]);
        assert_eq!(stacking_weights(&[vec![none; 2], vec![none; 2]], &[true, false], &[1.0; 2]), [0.5; 2]);
    }
}
