//! Choosing the simplest of several settings that the data cannot tell from the best.

/// Standard errors by which a setting's loss must exceed the best to count as worse: the usual one-standard-error rule.
const TELLING: f64 = 1.0;

/// The first setting, in order from the simplest, whose total loss cannot be told from the smallest. `loss(setting, row)` is compared per
/// row, so that rows that are hard for all settings cancel.
pub(crate) fn plainest(settings: usize, rows: usize, loss: impl Fn(usize, usize) -> f64) -> usize {
    let total = |s: usize| (0..rows).map(|i| loss(s, i)).sum::<f64>();
    let totals: Vec<f64> = (0..settings).map(total).collect();
    let best = (0..settings).min_by(|&a, &b| totals[a].total_cmp(&totals[b])).unwrap_or(0);
    let equal = |&s: &usize| {
        let gaps = (0..rows).map(|i| loss(s, i) - loss(best, i));
        let (sum, squares) = gaps.fold((0.0, 0.0), |(sum, squares), gap| (sum + gap, squares + gap * gap));
        sum <= TELLING * squares.sqrt()
    };
    (0..settings).find(equal).unwrap_or(best)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plainer_setting_wins_unless_it_is_worse_row_after_row() {
        let noisy = |s: usize, i: usize| if s == 0 { (i as f64 * 1.7).sin() } else { -0.01 };
        assert_eq!(plainest(2, 100, noisy), 0);
        let worse = |s: usize, i: usize| if s == 0 { 0.5 + (i as f64 * 1.7).sin() } else { -0.01 };
        assert_eq!(plainest(2, 100, worse), 1);
        assert_eq!(plainest(3, 0, noisy), 0);
    }
}
