//! Observed rows that are comparable with imputed rows.
//!
//! Cells missing at random differ from observed ones as far as the rest of the row explains. If `e(x)` is the probability that a row with
//! the other cells `x` misses the column, observed rows weighted by the odds `e / (1 - e)` have the other cells of the rows that miss it; a
//! remaining difference is not explained by them (Bondarenko and Raghunathan 2016 check imputations by the same propensity). Imputed rows
//! unlike any observed one have no counterpart and are left out.

use super::propensity::log_odds;
use super::{Evidence, Row};

/// The most rows of either kind that are used.
const ROWS: usize = 2_000;
/// The most features of the regression, those first in which the two kinds differ most.
const FEATURES: usize = 16;
/// The most labels of a column that become features.
const LABELS: usize = 8;
/// The fewest imputed rows, and the least effective number of observed rows, for a comparison. Arbitrary.
const FEWEST: (usize, f64) = (20, 60.0);
/// Imputed rows with larger odds than this share of the observed rows are left out.
const TRIMMED: f64 = 0.995;
/// Standardised cells are clipped at this.
const FARTHEST: f64 = 5.0;

/// Comparable rows of a column with gaps.
pub(super) struct Compared<'a> {
    pub(super) column: usize,
    /// Rows in which it was observed, with weights that are one on average.
    pub(super) observed: Vec<(&'a Row, f64)>,
    /// Rows in which it was imputed and that have comparable observed rows.
    pub(super) imputed: Vec<&'a Row>,
    /// The number of imputed rows examined, and of those among them without a comparable observed row.
    pub(super) looked_at: usize,
    pub(super) unlike: usize,
    /// The effective number of observed rows.
    worth: f64,
}

/// Centre and scale of a column's observed cells.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scale {
    centre: f64,
    /// One deviation.
    pub(super) unit: f64,
}

impl Scale {
    /// Median, and the deviation of a normal distribution with the same quartiles; the standard deviation where those are equal.
    pub(super) fn of(values: impl Iterator<Item = f64>) -> Option<Self> {
        let mut values: Vec<f64> = values.collect();
        values.sort_by(f64::total_cmp);
        let n = values.len();
        if n < 2 {
            return None;
        }
        let centre = values[n / 2];
        let quartiles = (values[3 * n / 4] - values[n / 4]) / 1.349;
        let deviation = (values.iter().map(|x| (x - centre).powi(2)).sum::<f64>() / n as f64).sqrt();
        let unit = if quartiles > 0.0 { quartiles } else { deviation };
        (unit > 0.0 && unit.is_finite()).then_some(Self { centre, unit })
    }

    /// The cell `z` deviations from the centre.
    pub(super) fn undo(&self, z: f64) -> f64 {
        self.centre + self.unit * z
    }

    /// A cell in deviations from the centre, clipped.
    pub(super) fn apply(&self, x: f64) -> f64 {
        ((x - self.centre) / self.unit).clamp(-FARTHEST, FARTHEST)
    }
}

/// One input of the regression.
enum Feature {
    Cell(usize, Scale),
    Square(usize, Scale),
    Label(usize, f64),
}

impl Feature {
    fn of(&self, row: &Row) -> f64 {
        match self {
            // A cell that stays missing contributes nothing.
            Self::Cell(k, scale) => Some(scale.apply(row.after[*k])).filter(|x| !x.is_nan()).unwrap_or(0.0),
            Self::Square(k, scale) => {
                Some(scale.apply(row.after[*k])).filter(|x| !x.is_nan()).map_or(0.0, |x| x * x / 2.0)
            }
            Self::Label(k, label) => f64::from(row.after[*k] == *label),
        }
    }
}

impl<'a> Compared<'a> {
    /// The rows of column `j`; `None` if they are too few.
    pub(super) fn of(evidence: &'a Evidence, j: usize) -> Option<Self> {
        let observed: Vec<&Row> = evidence.observed(j).take(ROWS).collect();
        let imputed: Vec<&Row> = evidence.imputed(j).take(ROWS).collect();
        if imputed.len() < FEWEST.0 || observed.len() < FEWEST.0 {
            return None;
        }
        let (eta_observed, eta_imputed) = odds(evidence, j, &observed, &imputed);
        let mut sorted = eta_observed.clone();
        sorted.sort_by(f64::total_cmp);
        let most = sorted[((TRIMMED * sorted.len() as f64) as usize).min(sorted.len() - 1)];
        let weights: Vec<f64> = eta_observed.iter().map(|eta| (eta.min(most) - most).exp()).collect();
        let sum: f64 = weights.iter().sum();
        let worth = sum * sum / weights.iter().map(|w| w * w).sum::<f64>();
        let of = weights.len() as f64;
        let looked_at = imputed.len();
        let imputed: Vec<&Row> = imputed
            .into_iter()
            .zip(eta_imputed)
            .filter(|(_, eta)| *eta <= most + 1e-9)
            .map(|(row, _)| row)
            .collect();
        let unlike = looked_at - imputed.len();
        let observed = observed.into_iter().zip(weights).map(|(row, w)| (row, w * of / sum)).collect();
        Some(Self { column: j, observed, imputed, looked_at, unlike, worth })
    }

    /// Whether there are enough rows to compare.
    pub(super) fn is_enough(&self) -> bool {
        self.imputed.len() >= FEWEST.0 && self.worth >= FEWEST.1
    }
}

/// The log odds of missing column `j`, of the observed and of the imputed rows; all equal if nothing separates them.
fn odds(evidence: &Evidence, j: usize, observed: &[&Row], imputed: &[&Row]) -> (Vec<f64>, Vec<f64>) {
    let mut features: Vec<(f64, Feature)> = candidates(evidence, j)
        .into_iter()
        .map(|feature| (difference(&feature, observed, imputed), feature))
        .collect();
    features.sort_by(|a, b| b.0.total_cmp(&a.0));
    features.truncate(FEATURES);
    let rows: Vec<Vec<f64>> = observed
        .iter()
        .chain(imputed)
        .map(|row| features.iter().map(|(_, feature)| feature.of(row)).collect())
        .collect();
    let missing: Vec<bool> = (0..rows.len()).map(|i| i >= observed.len()).collect();
    let mut eta = log_odds(&rows, &missing).unwrap_or_else(|| vec![0.0; rows.len()]);
    let last = eta.split_off(observed.len());
    (eta, last)
}

fn candidates(evidence: &Evidence, j: usize) -> Vec<Feature> {
    let mut out = Vec::new();
    for k in (0..evidence.columns.len()).filter(|&k| k != j) {
        if evidence.is_number(k) {
            if let Some(scale) = Scale::of(evidence.observed(k).map(|row| row.before[k])) {
                out.extend([Feature::Cell(k, scale), Feature::Square(k, scale)]);
            }
            continue;
        }
        let labels = &evidence.tallies[k].labels;
        let mut order: Vec<usize> = (0..labels.len()).collect();
        order.sort_by_key(|&label| std::cmp::Reverse(labels[label][0]));
        out.extend(order.into_iter().take(LABELS).map(|label| Feature::Label(k, label as f64)));
    }
    out
}

/// The difference of a feature's means, in standard errors.
fn difference(feature: &Feature, observed: &[&Row], imputed: &[&Row]) -> f64 {
    let [a, b] = [observed, imputed].map(|rows| Mean::of(rows.iter().map(|row| (feature.of(row), 1.0))));
    let error = a.error.hypot(b.error);
    if error > 0.0 { (a.mean - b.mean).abs() / error } else { 0.0 }
}

/// A weighted mean with its standard error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Mean {
    pub(super) mean: f64,
    pub(super) error: f64,
    /// The number of cells.
    pub(super) count: usize,
    /// The effective number of equally weighted cells.
    pub(super) worth: f64,
}

impl Mean {
    /// The mean of weighted values.
    pub(super) fn of(cells: impl Iterator<Item = (f64, f64)> + Clone) -> Self {
        let (mut sum, mut weights, mut squares, mut count) = (0.0, 0.0, 0.0, 0);
        for (x, w) in cells.clone() {
            (sum, weights, squares, count) = (sum + w * x, weights + w, squares + w * w, count + 1);
        }
        if weights == 0.0 {
            return Self { mean: 0.0, error: f64::INFINITY, count: 0, worth: 0.0 };
        }
        let mean = sum / weights;
        let scatter: f64 = cells.map(|(x, w)| (w * (x - mean)).powi(2)).sum();
        let worth = weights * weights / squares;
        // An unbiased variance, for `worth` rows.
        let error = (scatter * worth / (worth - 1.0).max(0.5)).sqrt() / weights;
        Self { mean, error, count, worth }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mean_has_its_standard_error() {
        let found = Mean::of([1.0, 2.0, 3.0, 4.0].into_iter().map(|x| (x, 1.0)));
        // The variance is 5/3.
        assert!((found.mean - 2.5).abs() < 1e-15 && (found.error - (5.0f64 / 12.0).sqrt()).abs() < 1e-15);
        let weighted = Mean::of([(1.0, 3.0), (5.0, 1.0)].into_iter());
        assert_eq!((weighted.mean, weighted.worth, weighted.count), (2.0, 1.6, 2));
    }

    #[test]
    fn far_cells_do_not_stretch_a_scale() {
        let scale = Scale::of((0..101).map(f64::from).chain([1e9])).unwrap();
        assert_eq!(scale.apply(1e9), FARTHEST);
        assert!((scale.apply(88.0) - 1.0).abs() < 0.05);
        assert!(Scale::of([1.0; 5].into_iter()).is_none());
        assert!(Scale::of([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0].into_iter()).is_some());
    }
}
