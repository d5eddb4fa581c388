//! Is a column distributed where it was imputed as it was in comparable rows where it was observed?
//!
//! Compares the shares of labels, the share of a repeated value (usually zero), the mean, and the standard deviation.

use super::compared::{Compared, Mean, Scale};
use super::difference::{Difference, error};
use super::warning::{percent, short};
use super::{Evidence, WarningKind};

/// The least difference in the share of a label: this much, or this ratio with at least a smaller difference. Arbitrary.
const SHARES: (f64, f64, f64) = (0.15, 3.0, 0.02);
/// The least share of a repeated value that is examined by itself, and the least difference: this much, or this ratio between the shares of
/// all other cells. Arbitrary.
const SPIKE: (f64, f64, f64) = (0.1, 0.1, 1.5);
/// The least difference of means, in deviations, and of standard deviations, on the log scale. Arbitrary.
const MEANS: f64 = 0.35;
const SPREADS: f64 = 0.35;

/// Compares all that applies to a column.
pub(super) fn compare(evidence: &Evidence, compared: &Compared<'_>) -> Vec<Difference> {
    let j = compared.column;
    if !evidence.is_number(j) {
        let labels = 0..evidence.tallies[j].labels.len();
        return labels.filter_map(|label| share_of_label(evidence, compared, label)).collect();
    }
    let observed = compared.observed.iter().map(|(row, _)| row.before[j]);
    if let Some(value) = spike(observed.collect()) {
        // Mean and standard deviation would repeat the same finding.
        return vec![share_of_value(evidence, compared, value)];
    }
    // A repeated value that only imputed cells have.
    let new = spike(compared.imputed.iter().map(|row| row.after[j]).collect());
    let mut out: Vec<Difference> = new.map(|x| share_of_value(evidence, compared, x)).into_iter().collect();
    if let Some(scale) = Scale::of(evidence.observed(j).map(|row| row.before[j])) {
        out.extend(mean(evidence, compared, scale));
        out.extend(spread(evidence, compared, scale));
    }
    out
}

/// The means of a measure of the column's cells: where observed, and where imputed.
fn means(compared: &Compared<'_>, measure: impl Fn(f64) -> f64 + Copy) -> [Mean; 2] {
    let j = compared.column;
    [
        Mean::of(compared.observed.iter().map(|(row, w)| (measure(row.before[j]), *w))),
        Mean::of(compared.imputed.iter().map(|row| (measure(row.after[j]), 1.0))),
    ]
}

/// The means of shares. Shares of zero or one also get an error: that of half a cell more.
fn shares(compared: &Compared<'_>, is: impl Fn(f64) -> bool + Copy) -> [Mean; 2] {
    means(compared, |x| f64::from(is(x))).map(|mut mean| {
        let share = (mean.mean * mean.worth + 0.5) / (mean.worth + 1.0);
        mean.error = mean.error.max((share * (1.0 - share) / mean.worth).sqrt());
        mean
    })
}

fn share_of_label(evidence: &Evidence, compared: &Compared<'_>, label: usize) -> Option<Difference> {
    let j = compared.column;
    let [observed, imputed] = shares(compared, |x| x == label as f64);
    let (least, most) = (observed.mean.min(imputed.mean), observed.mean.max(imputed.mean));
    if most == 0.0 {
        return None;
    }
    let gap = most - least;
    let text = format!(
        "`{}` = {} in {} of imputed cells, in {} of comparable observed ones",
        evidence.name(j),
        evidence.show(j, label as f64),
        percent(imputed.mean),
        percent(observed.mean)
    );
    Some(Difference {
        kind: WarningKind::LabelShare,
        columns: [j; 2],
        observed: observed.mean,
        imputed: imputed.mean,
        error: error(observed, imputed),
        worth: observed.worth.min(imputed.worth),
        matters: gap >= SHARES.0 || most >= SHARES.1 * least && gap >= SHARES.2,
        severity: gap,
        text,
    })
}

/// The most repeated number, if it is frequent.
fn spike(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let (count, value) = values
        .chunk_by(|a, b| a == b)
        .map(|same| (same.len(), same[0]))
        .fold((0, 0.0), |most, next| if next.0 > most.0 { next } else { most });
    (count > 0 && count as f64 >= SPIKE.0 * values.len() as f64).then_some(value)
}

/// Compares the share of a repeated value.
fn share_of_value(evidence: &Evidence, compared: &Compared<'_>, value: f64) -> Difference {
    let j = compared.column;
    let [observed, imputed] = shares(compared, |x| x == value);
    let gap = (imputed.mean - observed.mean).abs();
    let others = (1.0 - imputed.mean, 1.0 - observed.mean);
    let text = format!(
        "`{}` is {} in {} of imputed cells, in {} of comparable observed ones",
        evidence.name(j),
        evidence.show(j, value),
        percent(imputed.mean),
        percent(observed.mean)
    );
    Difference {
        kind: if value == 0.0 { WarningKind::ZeroShare } else { WarningKind::ValueShare },
        columns: [j; 2],
        observed: observed.mean,
        imputed: imputed.mean,
        error: error(observed, imputed),
        worth: observed.worth.min(imputed.worth),
        matters: gap >= SPIKE.1 || others.0.max(others.1) >= SPIKE.2 * others.0.min(others.1),
        severity: gap,
        text,
    }
}

fn mean(evidence: &Evidence, compared: &Compared<'_>, scale: Scale) -> Option<Difference> {
    let j = compared.column;
    let [observed, imputed] = means(compared, |x| scale.apply(x));
    let gap = (imputed.mean - observed.mean).abs();
    // The mean of times is not a whole number of their unit.
    let shown = |x: f64| match evidence.columns[j].kind().time_unit() {
        Some(_) => evidence.show(j, scale.undo(x).round()),
        None => short(scale.undo(x)),
    };
    let text = format!(
        "`{}` is {} on average where it is imputed, {} in comparable rows where it was observed ({} deviations apart)",
        evidence.name(j),
        shown(imputed.mean),
        shown(observed.mean),
        short(gap)
    );
    Some(Difference {
        kind: WarningKind::Mean,
        columns: [j; 2],
        observed: scale.undo(observed.mean),
        imputed: scale.undo(imputed.mean),
        // In the column's units, as the means are.
        error: scale.unit * error(observed, imputed),
        worth: observed.worth.min(imputed.worth),
        matters: gap >= MEANS,
        severity: (gap / 2.0).min(1.0),
        text,
    })
}

fn spread(evidence: &Evidence, compared: &Compared<'_>, scale: Scale) -> Option<Difference> {
    let j = compared.column;
    let [at_observed, at_imputed] = means(compared, |x| scale.apply(x)).map(|mean| mean.mean);
    let observed = means(compared, |x| (scale.apply(x) - at_observed).abs())[0];
    let imputed = means(compared, |x| (scale.apply(x) - at_imputed).abs())[1];
    if observed.mean <= 0.0 {
        return None;
    }
    let ratio = imputed.mean.max(1e-3 * observed.mean) / observed.mean;
    let text = format!(
        "`{}` is spread by {} where it is imputed, by {} in comparable rows where it was observed (mean absolute deviations)",
        evidence.name(j),
        short(scale.unit * imputed.mean),
        short(scale.unit * observed.mean)
    );
    Some(Difference {
        kind: WarningKind::Spread,
        columns: [j; 2],
        observed: scale.unit * observed.mean,
        imputed: scale.unit * imputed.mean,
        error: scale.unit * error(observed, imputed),
        worth: observed.worth.min(imputed.worth),
        matters: ratio.ln().abs() >= SPREADS,
        severity: (ratio.ln().abs() / 3.0).min(1.0),
        text,
    })
}
