//! Tests of whether a column differs between two groups of rows.

use super::{chi_squared_above, normal_beyond};

/// Minimum expected count of a label in each group.
const EXPECTED: f64 = 5.0;

/// The difference of two groups, and the probability of at least as large a difference by chance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Difference {
    /// From -1 to 1 for numbers: the probability that a number of the first group exceeds one of the second, less the converse. From 0 to 1
    /// for labels: Cramér's V.
    pub(crate) effect: f64,
    /// The difference of the means in units of the pooled standard deviation; for numbers only.
    pub(crate) means: Option<f64>,
    pub(crate) p: f64,
}

/// The rank-sum test of Mann and Whitney, in its normal approximation with ties. The effect is `2 AUC - 1`.
pub(crate) fn of_numbers(first: &[f64], second: &[f64]) -> Difference {
    let (n, m) = (first.len() as f64, second.len() as f64);
    let mut all: Vec<(f64, bool)> =
        first.iter().map(|&x| (x, true)).chain(second.iter().map(|&x| (x, false))).collect();
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (mut below, mut rank_sum, mut ties) = (0.0, 0.0, 0.0);
    for same in all.chunk_by(|a, b| a.0 == b.0) {
        let size = same.len() as f64;
        rank_sum += same.iter().filter(|x| x.1).count() as f64 * (below + (size + 1.0) / 2.0);
        ties += size.powi(3) - size;
        below += size;
    }
    let wins = rank_sum - n * (n + 1.0) / 2.0;
    let total = n + m;
    let variance = n * m / 12.0 * (total + 1.0 - ties / (total * (total - 1.0)));
    let p = if variance > 0.0 { normal_beyond((wins - n * m / 2.0) / variance.sqrt()) } else { 1.0 };
    Difference { effect: 2.0 * wins / (n * m) - 1.0, means: Some(standardised(first, second)), p }
}

fn standardised(first: &[f64], second: &[f64]) -> f64 {
    let moments = |x: &[f64]| {
        let mean = x.iter().sum::<f64>() / x.len() as f64;
        (mean, x.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (x.len() as f64 - 1.0))
    };
    let ((a, va), (b, vb)) = (moments(first), moments(second));
    let pooled = ((va + vb) / 2.0).sqrt();
    if pooled > 0.0 { (a - b) / pooled } else { 0.0 }
}

/// Pearson's test of independence of label and group, from the counts of each label in each group. The statistic is about chi-squared if the
/// expected counts in either group are at least [`EXPECTED`]; rarer labels are merged. None if fewer than two labels are left.
pub(crate) fn of_labels(first: &[f64], second: &[f64]) -> Option<Difference> {
    let sums = [first.iter().sum::<f64>(), second.iter().sum::<f64>()];
    let total = sums[0] + sums[1];
    let counts = pooled(first, second, EXPECTED * total / sums[0].min(sums[1]));
    if counts.len() < 2 {
        return None;
    }
    let mut chi = 0.0;
    for [a, b] in &counts {
        for (found, sum) in [(a, sums[0]), (b, sums[1])] {
            let expected = (a + b) * sum / total;
            chi += (found - expected).powi(2) / expected;
        }
    }
    let p = chi_squared_above(chi, counts.len() as f64 - 1.0);
    // With two groups V² is χ²/n.
    Some(Difference { effect: (chi / total).sqrt(), means: None, p })
}

/// The counts of labels of which both groups together have at least `fewest`. The others are merged, together with the rarest of these if
/// they have too few.
fn pooled(first: &[f64], second: &[f64], fewest: f64) -> Vec<[f64; 2]> {
    let mut counts: Vec<[f64; 2]> = first.iter().zip(second).map(|(&a, &b)| [a, b]).collect();
    counts.retain(|[a, b]| a + b > 0.0);
    counts.sort_by(|x, y| (x[0] + x[1]).total_cmp(&(y[0] + y[1])));
    let rare = counts.partition_point(|[a, b]| a + b < fewest);
    let mut rest = counts.split_off(rare).into_iter();
    let mut pool = counts.iter().fold([0.0; 2], |sum, x| [sum[0] + x[0], sum[1] + x[1]]);
    while pool[0] + pool[1] > 0.0 && pool[0] + pool[1] < fewest {
        let Some([a, b]) = rest.next() else { break };
        pool = [pool[0] + a, pool[1] + b];
    }
    rest.chain((pool[0] + pool[1] >= fewest).then_some(pool)).collect()
}

/// Holm's adjustment of p-values: the probability that any falls below a level by chance is then at most that level.
pub(crate) fn holm(p: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|&a, &b| p[a].total_cmp(&p[b]));
    let mut adjusted = vec![1.0; p.len()];
    let mut last: f64 = 0.0;
    for (k, &i) in order.iter().enumerate() {
        last = last.max((p[i] * (p.len() - k) as f64).min(1.0));
        adjusted[i] = last;
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_compared() {
        // scipy.stats.mannwhitneyu([1, 2, 3, 5], [2, 4, 6, 7, 8], use_continuity=False, method="asymptotic")
        let found = of_numbers(&[1.0, 2.0, 3.0, 5.0], &[2.0, 4.0, 6.0, 7.0, 8.0]);
        let wins = 0.5 + 1.0 + 2.0; // of twenty pairs: 2 against 2 is half a win, 3 beats 2, 5 beats 2 and 4
        assert!((found.effect - (2.0 * wins / 20.0 - 1.0)).abs() < 1e-15);
        assert!((found.p - 0.109_855_242_885_712).abs() < 1e-12, "{}", found.p);
        let same = of_numbers(&[1.0, 1.0], &[1.0, 1.0]);
        assert_eq!((same.effect, same.p, same.means), (0.0, 1.0, Some(0.0)));
    }

    #[test]
    fn labels_are_counted() {
        // The table 10 20 / 30 40: χ² = n (ad - bc)² / product of the margins.
        let found = of_labels(&[10.0, 0.0, 20.0], &[30.0, 0.0, 40.0]).unwrap();
        let chi: f64 = 100.0 * (10.0 * 40.0 - 20.0 * 30.0f64).powi(2) / (30.0 * 70.0 * 40.0 * 60.0);
        assert!((found.effect - (chi / 100.0).sqrt()).abs() < 1e-14);
        assert!((found.p - normal_beyond(chi.sqrt())).abs() < 1e-10);
        assert_eq!(of_labels(&[30.0, 0.0], &[50.0, 0.0]), None);
    }

    #[test]
    fn rare_labels_are_taken_together() {
        // With 100 rows in each group a label needs ten.
        let found = of_labels(&[60.0, 30.0, 1.0, 0.0, 9.0], &[50.0, 40.0, 2.0, 1.0, 7.0]);
        // The three rare labels have four together, so they are merged with the label of sixteen.
        assert_eq!(found, of_labels(&[60.0, 30.0, 10.0], &[50.0, 40.0, 10.0]));
        // A label of one row is not tested by itself, and five rows are too few for any.
        assert_eq!(of_labels(&[4.0, 1.0], &[100.0, 0.0]), None);
    }

    #[test]
    fn holm_steps_down() {
        let adjusted = holm(&[0.01, 0.04, 0.03, 0.005]);
        let expected = [0.03, 0.06, 0.06, 0.02];
        assert!(adjusted.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-15), "{adjusted:?}");
    }
}
