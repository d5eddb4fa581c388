//! Comparison of imputed with observed values.

use super::look::Look;
use crate::columns::{show, show_fine};
use crate::completed::Imputed;
use crate::numbers::{count, counted, percent, quantile, rounded, short, sorted};
use crate::rows::Rows;
use psd_impute_frame::{ColumnPlan, Kind};
use serde::Serialize;

/// Maximum number of intervals of a column's axis. Arbitrary: as many as a small figure shows.
const MOST_INTERVALS: f64 = 40.0;
/// Minimum number of intervals if the values allow more. Arbitrary.
const FEWEST_INTERVALS: f64 = 8.0;
/// Number of labels shown separately.
const LABELS: usize = 20;
/// Minimum number of imputed values of a column for its distance to be meaningful.
const ENOUGH: usize = 10;

/// Observed and imputed values, column by column.
#[derive(Debug, Clone, Serialize)]
pub struct Belong {
    /// The columns with missing cells.
    pub columns: Vec<Compared>,
    /// Number of completed tables compared, where draws of the model count as one; zero if there are no missing cells.
    pub tables: usize,
    /// The number of rows that observed values are from, and of all rows.
    pub observed_rows: [u64; 2],
    /// The number of rows that imputed values are from, and of all rows with missing cells.
    pub imputed_rows: [u64; 2],
}

/// A column's observed and imputed values.
#[derive(Debug, Clone, Serialize)]
pub struct Compared {
    /// The column, by its place.
    pub column: usize,
    /// The distance of the two: the largest difference of the distribution functions (Kolmogorov and Smirnov) for numbers, half the sum
    /// of the differences of the shares (total variation) for labels.
    pub distance: f64,
    /// Number of imputed values outside the range of the observed ones of all rows.
    pub outside: usize,
    /// The observed values.
    pub observed: Summary,
    /// The imputed values.
    pub imputed: Summary,
    /// The shares of intervals or labels.
    pub shares: Shares,
}

/// Summary statistics.
#[derive(Debug, Clone, Serialize)]
pub struct Summary {
    /// Number of values.
    pub count: usize,
    /// Mean, standard deviation, and the quantiles at 5, 50 and 95 %, as text; for labels the most common one and its share.
    pub shown: Vec<String>,
}

/// The shares that the chart shows.
#[derive(Debug, Clone, Serialize)]
#[serde(tag = "of", rename_all = "lowercase")]
pub enum Shares {
    /// Shares of intervals of equal width.
    Intervals {
        /// The lower end of the first interval.
        from: f64,
        /// The width.
        width: f64,
        /// Shares of observed values; those beyond the ends are left out.
        observed: Vec<f64>,
        /// Imputed ones.
        imputed: Vec<f64>,
    },
    /// Shares of labels, the most common first.
    Labels {
        /// The positions of the labels; the last entry stands for all others if there are more.
        labels: Vec<Option<usize>>,
        /// Shares of observed labels.
        observed: Vec<f64>,
        /// Imputed ones.
        imputed: Vec<f64>,
    },
}

impl Belong {
    pub(crate) fn of(rows: &Rows, imputed: Option<&Imputed>, plans: &[&ColumnPlan]) -> Self {
        let sample = &rows.sample.table;
        let observed_rows = [sample.len() as u64, rows.report.rows];
        let Some(imputed) = imputed else {
            return Self { columns: Vec::new(), tables: 0, observed_rows, imputed_rows: [0; 2] };
        };
        let column = |j: usize| {
            let values = imputed.values(j);
            let observed: Vec<f64> = sample.observed(j).collect();
            let some = !values.is_empty() && !observed.is_empty();
            some.then(|| compare(j, plans[j], rows.ranges[j], sorted(observed), sorted(values)))
        };
        Self {
            columns: (0..plans.len()).filter_map(column).collect(),
            tables: imputed.completed.len(),
            observed_rows,
            imputed_rows: [imputed.gaps.table.len() as u64, rows.with_gaps()],
        }
    }

    /// A few sentences, the last of which states the findings of the checks.
    pub fn answer(&self, names: &[&str], look: &Look) -> String {
        if self.columns.is_empty() {
            return "There is nothing to compare: no cell was imputed.".to_string();
        }
        let outside: usize = self.columns.iter().map(|column| column.outside).sum();
        let imputed: usize = self.columns.iter().map(|column| column.imputed.count).sum();
        let range = match outside {
            0 => "No imputed number lies outside the range that was observed in its column".to_string(),
            _ => format!(
                "{} of {} lie outside the range that was observed in their column",
                count(outside as u64),
                counted(imputed as u64, "imputed value"),
            ),
        };
        let checks = match look.warnings.len() {
            0 => "The checks against comparable observed rows found nothing".to_string(),
            1 => "The checks against comparable observed rows found one thing to look at".to_string(),
            n => format!("The checks against comparable observed rows found {n} things to look at"),
        };
        let enough = self.columns.iter().filter(|column| column.imputed.count >= ENOUGH);
        match enough.max_by(|a, b| a.distance.total_cmp(&b.distance)) {
            Some(far) => format!(
                "{range}. Observed and imputed values are furthest apart in “{}” (distance {}, where 0 is the same and 1 nothing in common). {checks}.",
                names[far.column],
                short(rounded(far.distance, 2))
            ),
            None => format!(
                "{range}. No column has enough imputed values to compare their distribution. {checks}."
            ),
        }
    }
}

/// Compares the values of a column; `range` is that of all observed cells, of which `observed` may be a sample.
fn compare(
    j: usize,
    plan: &ColumnPlan,
    range: (f64, f64),
    observed: Vec<f64>,
    imputed: Vec<f64>,
) -> Compared {
    let labels = plan.kind().labels().len();
    if labels > 0 {
        let shares = [&observed, &imputed].map(|values| label_shares(values, labels));
        let distance = 0.5 * shares[0].iter().zip(&shares[1]).map(|(a, b)| (a - b).abs()).sum::<f64>();
        let summary = |values: &[f64], shares: &[f64]| {
            let most =
                (0..labels).max_by(|&a, &b| shares[a].total_cmp(&shares[b]).then(b.cmp(&a))).unwrap_or(0);
            let shown = vec![show(plan, most as f64), percent(shares[most])];
            Summary { count: values.len(), shown }
        };
        return Compared {
            column: j,
            distance: rounded(distance, 4),
            outside: 0,
            observed: summary(&observed, &shares[0]),
            imputed: summary(&imputed, &shares[1]),
            shares: commonest(&shares),
        };
    }
    Compared {
        column: j,
        distance: rounded(largest_gap(&observed, &imputed), 4),
        outside: imputed.iter().filter(|x| !(range.0..=range.1).contains(*x)).count(),
        observed: summary(plan, &observed),
        imputed: summary(plan, &imputed),
        shares: intervals(plan.kind(), &observed, &imputed),
    }
}

fn summary(plan: &ColumnPlan, values: &[f64]) -> Summary {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let deviation = (values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n).sqrt();
    let mut shown = vec![show_fine(plan, mean), short(deviation)];
    shown.extend([0.05, 0.5, 0.95].map(|p| show(plan, quantile(values, p))));
    Summary { count: values.len(), shown }
}

fn label_shares(values: &[f64], labels: usize) -> Vec<f64> {
    let mut shares = vec![0.0; labels];
    values.iter().for_each(|&x| shares[x as usize] += 1.0 / values.len() as f64);
    shares
}

fn commonest(shares: &[Vec<f64>; 2]) -> Shares {
    let mut order: Vec<usize> = (0..shares[0].len()).collect();
    order.sort_by(|&a, &b| shares[0][b].total_cmp(&shares[0][a]).then(a.cmp(&b)));
    let shown = if order.len() > LABELS { LABELS - 1 } else { order.len() };
    let (first, rest) = order.split_at(shown);
    let of = |shares: &[f64]| {
        let each = first.iter().map(|&k| shares[k]);
        let others = (!rest.is_empty()).then(|| rest.iter().map(|&k| shares[k]).sum());
        each.chain(others).map(|x| rounded(x, 4)).collect()
    };
    let others = (!rest.is_empty()).then_some(None);
    let labels = first.iter().map(|&k| Some(k)).chain(others).collect();
    Shares::Labels { labels, observed: of(&shares[0]), imputed: of(&shares[1]) }
}

/// The largest difference of two distribution functions.
fn largest_gap(a: &[f64], b: &[f64]) -> f64 {
    let below = |values: &[f64], x: f64| values.partition_point(|&v| v <= x) as f64 / values.len() as f64;
    a.iter().chain(b).map(|&x| (below(a, x) - below(b, x)).abs()).fold(0.0, f64::max)
}

/// Shares of both on the same intervals: single values if a column has few, otherwise of a width for their number (Freedman and Diaconis).
/// Ends far from nearly all values are cut off.
fn intervals(kind: &Kind, observed: &[f64], imputed: &[f64]) -> Shares {
    let all = sorted([observed, imputed].concat());
    let (q1, q99) = (quantile(&all, 0.01), quantile(&all, 0.99));
    let far = q99 - q1;
    let (low, high) = (all[0].max(q1 - far), all[all.len() - 1].min(q99 + far));
    let unit = match kind {
        Kind::Number { decimals: Some(decimals), .. } => Some(10f64.powi(-i32::from(*decimals))),
        kind => kind.time_unit().map(|_| 1.0),
    };
    let range = (high - low).max(f64::MIN_POSITIVE);
    let middle = quantile(observed, 0.75) - quantile(observed, 0.25);
    let natural = 2.0 * middle / (observed.len() as f64).cbrt();
    let width = natural.clamp(range / MOST_INTERVALS, range / FEWEST_INTERVALS);
    let (from, width) = match unit {
        _ if high <= low => (low - 0.5, 1.0),
        Some(unit) => {
            let width = if range / unit <= MOST_INTERVALS { unit } else { unit * (width / unit).ceil() };
            (low - unit / 2.0, width)
        }
        None => (low, width),
    };
    // The last value is in the last interval in spite of rounding.
    let bins = (((high - from) / width - 1e-9).ceil() as usize).clamp(1, 2 * MOST_INTERVALS as usize);
    let shares = |values: &[f64]| {
        let mut shares = vec![0.0; bins];
        for &x in values.iter().filter(|x| (low..=high).contains(*x)) {
            shares[(((x - from) / width) as usize).min(bins - 1)] += 1.0 / values.len() as f64;
        }
        shares.iter().map(|&x| rounded(x, 4)).collect()
    };
    Shares::Intervals { from, width, observed: shares(observed), imputed: shares(imputed) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use psd_impute_frame::{NumberText, Role};

    fn plan(kind: Kind) -> ColumnPlan {
        ColumnPlan::new("c", kind, Role::Modelled)
    }

    #[test]
    fn whole_numbers_have_an_interval_each() {
        let integers = plan(Kind::Number { decimals: Some(0), text: NumberText::PLAIN });
        let found = compare(0, &integers, (1.0, 4.0), vec![1.0, 1.0, 2.0, 4.0], vec![1.0, 4.0, 4.0, 5.0]);
        let Shares::Intervals { from, width, observed, imputed } = found.shares else { panic!("numbers") };
        assert_eq!((from, width), (0.5, 1.0));
        assert_eq!(observed, [0.5, 0.25, 0.0, 0.25, 0.0]);
        assert_eq!(imputed, [0.25, 0.0, 0.0, 0.5, 0.25]);
        // The largest difference, at 2, is between 3/4 and 1/4.
        assert_eq!((found.distance, found.outside), (0.5, 1));
        // A row that is not in the sample has a 5.
        assert_eq!(compare(0, &integers, (1.0, 5.0), vec![1.0, 4.0], vec![1.0, 5.0]).outside, 0);
    }

    #[test]
    fn shares_add_up_and_far_values_do_not_stretch_the_axis() {
        let free = plan(Kind::Number { decimals: None, text: NumberText::PLAIN });
        let mut values: Vec<f64> = (0..1000).map(|i| f64::from(i).sin()).collect();
        let together = |shares: Shares| match shares {
            Shares::Intervals { observed, .. } => (observed.iter().sum::<f64>(), observed.len()),
            Shares::Labels { .. } => panic!("numbers"),
        };
        let (sum, bins) = together(compare(0, &free, (-1.0, 1e9), sorted(values.clone()), vec![0.0]).shares);
        assert!((sum - 1.0).abs() < 2e-3 && (8..=41).contains(&bins), "{sum} {bins}");
        values[0] = 1e9;
        let (sum, bins) = together(compare(0, &free, (-1.0, 1e9), sorted(values), vec![0.0]).shares);
        assert!((sum - 0.999).abs() < 2e-3 && bins >= 8, "{sum} {bins}");
    }

    #[test]
    fn labels_are_compared_by_their_shares() {
        let labels = plan(Kind::Labels { labels: vec!["a".into(), "b".into(), "c".into()], ordered: false });
        let found = compare(0, &labels, (0.0, 2.0), vec![0.0, 1.0, 1.0, 1.0], vec![1.0, 2.0]);
        assert_eq!(found.distance, 0.5);
        assert_eq!(found.observed.shown, ["b", "75 %"]);
        let Shares::Labels { labels, observed, imputed } = found.shares else { panic!("labels") };
        assert_eq!(labels, [Some(1), Some(0), Some(2)]);
        assert_eq!((observed, imputed), (vec![0.75, 0.25, 0.0], vec![0.5, 0.0, 0.5]));
    }
}
