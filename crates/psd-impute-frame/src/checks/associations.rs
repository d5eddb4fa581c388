//! Does a column relate to another where it was imputed as it does in comparable rows where it was observed?
//!
//! Two numbers are compared by slope, reported as a correlation; a number and a label, by the gap between the means of rows with and
//! without the label; two labels, by how often the one occurs with the other. Rows must have the other column observed.

use super::compared::{Compared, Mean, Scale};
use super::difference::{Difference, error};
use super::warning::{percent, short};
use super::{Evidence, WarningKind};

/// The least rows of each part, in count and effective size.
const ROWS: f64 = 20.0;
/// The most labels examined per column, the commonest first.
const LABELS: usize = 10;
/// The least difference of slopes and of correlations; of gaps, in deviations and as a share of the larger one; and of shares. Arbitrary.
const SLOPES: (f64, f64) = (0.2, 0.15);
const GAPS: (f64, f64) = (0.3, 0.3);
const SHARES: f64 = 0.15;

/// A cell of each of the two columns, and the row's weight.
type Cells = Vec<(f64, f64, f64)>;

/// Compares a column with gaps to another one.
pub(super) fn compare(evidence: &Evidence, compared: &Compared<'_>, k: usize) -> Vec<Difference> {
    let j = compared.column;
    let observed = compared.observed.iter().filter(|(row, _)| !row.before[k].is_nan());
    let imputed = compared.imputed.iter().filter(|row| !row.before[k].is_nan());
    let cells: [Cells; 2] = [
        observed.map(|(row, w)| (row.before[j], row.before[k], *w)).collect(),
        imputed.map(|row| (row.after[j], row.before[k], 1.0)).collect(),
    ];
    match (evidence.is_number(j), evidence.is_number(k)) {
        (true, true) => Vec::from_iter(slopes(evidence, [j, k], &cells)),
        (false, false) => shares(evidence, [j, k], &cells),
        (true, false) => gaps(evidence, [j, k], j, &cells),
        (false, true) => {
            let turned = cells.map(|cells| cells.into_iter().map(|(a, b, w)| (b, a, w)).collect());
            gaps(evidence, [j, k], k, &turned)
        }
    }
}

/// A slope with its standard error, valid under any scatter, and the correlation.
struct Slope {
    slope: f64,
    error: f64,
    correlation: f64,
    worth: f64,
}

impl Slope {
    fn of(cells: &[(f64, f64, f64)]) -> Option<Self> {
        let y = Mean::of(cells.iter().map(|cell| (cell.0, cell.2)));
        let x = Mean::of(cells.iter().map(|cell| (cell.1, cell.2)));
        let sum = |f: &dyn Fn(f64, f64, f64) -> f64| {
            cells.iter().map(|&(b, a, w)| f(b - y.mean, a - x.mean, w)).sum::<f64>()
        };
        let (xx, xy, yy) = (sum(&|_, x, w| w * x * x), sum(&|y, x, w| w * x * y), sum(&|y, _, w| w * y * y));
        if xx <= 0.0 || yy <= 0.0 {
            return None;
        }
        let slope = xy / xx;
        let weights: f64 = cells.iter().map(|cell| cell.2).sum();
        // Each residual as if its own row had not been used in fitting the line (HC3).
        let leverage = |x: f64, w: f64| (w / weights + w * x * x / xx).min(0.9);
        let scatter = sum(&|y, x, w| (w * x * (y - slope * x) / (1.0 - leverage(x, w))).powi(2));
        Some(Self { slope, error: scatter.sqrt() / xx, correlation: xy / (xx * yy).sqrt(), worth: x.worth })
    }
}

fn slopes(evidence: &Evidence, columns: [usize; 2], cells: &[Cells; 2]) -> Option<Difference> {
    let scales =
        [Scale::of(cells[0].iter().map(|cell| cell.0))?, Scale::of(cells[0].iter().map(|cell| cell.1))?];
    let scaled = |cells: &Cells| {
        let cells = cells.iter().map(|&(y, x, w)| (scales[0].apply(y), scales[1].apply(x), w));
        Slope::of(&cells.collect::<Vec<_>>())
    };
    let (observed, imputed) = (scaled(&cells[0])?, scaled(&cells[1])?);
    if observed.worth < ROWS || imputed.worth < ROWS {
        return None;
    }
    let [j, k] = columns;
    let gap = (imputed.correlation - observed.correlation).abs();
    let text = format!(
        "`{}` and `{}` correlate by {} where `{}` is imputed, by {} in comparable rows where it was observed",
        evidence.name(j),
        evidence.name(k),
        two_decimals(imputed.correlation),
        evidence.name(j),
        two_decimals(observed.correlation)
    );
    // The test is of the slopes; sizes are reported as correlations.
    let z = (imputed.slope - observed.slope).abs() / observed.error.hypot(imputed.error);
    Some(Difference {
        kind: WarningKind::Association,
        columns,
        observed: observed.correlation,
        imputed: imputed.correlation,
        error: if z > 0.0 { gap / z } else { 0.0 },
        worth: observed.worth.min(imputed.worth),
        matters: (imputed.slope - observed.slope).abs() >= SLOPES.0 && gap >= SLOPES.1,
        severity: (gap / 2.0).min(1.0),
        text,
    })
}

fn two_decimals(x: f64) -> String {
    format!("{x:.2}")
}

/// `number` selects the column whose means are compared; its cells come first.
fn gaps(evidence: &Evidence, columns: [usize; 2], number: usize, cells: &[Cells; 2]) -> Vec<Difference> {
    let [j, k] = columns;
    let label_column = if number == j { k } else { j };
    let Some(scale) = Scale::of(cells[0].iter().map(|cell| cell.0)) else { return Vec::new() };
    let labels = commonest(evidence, label_column);
    // For two labels, one is enough.
    let two = evidence.tallies[label_column].labels.len() == 2;
    let of = |label: usize| {
        let part = |cells: &Cells, with: bool| {
            let part = cells.iter().filter(|cell| (cell.1 == label as f64) == with);
            Mean::of(part.map(|cell| (scale.apply(cell.0), cell.2)).collect::<Vec<_>>().into_iter())
        };
        let [observed, imputed] = [&cells[0], &cells[1]].map(|cells| [part(cells, true), part(cells, false)]);
        if observed.iter().chain(&imputed).any(|mean| mean.worth < ROWS) {
            return None;
        }
        let [was, is] = [observed, imputed].map(|[with, without]| with.mean - without.mean);
        let gap = (is - was).abs();
        let show = |label: usize| evidence.show(label_column, label as f64);
        let others = if two { show(1 - label) } else { "the others".to_string() };
        let text = format!(
            "the gap in `{}` between `{}` = {} and {others} is {} where `{}` is imputed, {} in comparable rows where it was observed",
            evidence.name(number),
            evidence.name(label_column),
            show(label),
            short(scale.unit * is),
            evidence.name(j),
            short(scale.unit * was)
        );
        Some(Difference {
            kind: WarningKind::Association,
            columns,
            observed: scale.unit * was,
            imputed: scale.unit * is,
            error: scale.unit * error(observed[0], observed[1]).hypot(error(imputed[0], imputed[1])),
            worth: observed.iter().chain(&imputed).map(|mean| mean.worth).fold(f64::INFINITY, f64::min),
            matters: gap >= GAPS.0 && gap >= GAPS.1 * is.abs().max(was.abs()),
            severity: (gap / 3.0).min(1.0),
            text,
        })
    };
    labels.into_iter().take(if two { 1 } else { LABELS }).filter_map(of).collect()
}

fn shares(evidence: &Evidence, columns: [usize; 2], cells: &[Cells; 2]) -> Vec<Difference> {
    let [j, k] = columns;
    let mut out = Vec::new();
    for b in commonest(evidence, k).into_iter().take(LABELS) {
        for a in commonest(evidence, j).into_iter().take(LABELS) {
            let [observed, imputed] = [&cells[0], &cells[1]].map(|cells| {
                let part = cells.iter().filter(|cell| cell.1 == b as f64);
                let mut mean = Mean::of(part.map(|cell| (f64::from(cell.0 == a as f64), cell.2)));
                let share = (mean.mean * mean.worth + 0.5) / (mean.worth + 1.0);
                mean.error = mean.error.max((share * (1.0 - share) / mean.worth).sqrt());
                mean
            });
            if observed.worth < ROWS || imputed.worth < ROWS {
                break;
            }
            let gap = (imputed.mean - observed.mean).abs();
            let text = format!(
                "`{}` = {} in {} of imputed cells with `{}` = {}, in {} of comparable observed ones",
                evidence.name(j),
                evidence.show(j, a as f64),
                percent(imputed.mean),
                evidence.name(k),
                evidence.show(k, b as f64),
                percent(observed.mean)
            );
            out.push(Difference {
                kind: WarningKind::Association,
                columns,
                observed: observed.mean,
                imputed: imputed.mean,
                error: error(observed, imputed),
                worth: observed.worth.min(imputed.worth),
                matters: gap >= SHARES,
                severity: gap / 2.0,
                text,
            });
        }
    }
    out
}

/// The labels of a column, the commonest first.
fn commonest(evidence: &Evidence, column: usize) -> Vec<usize> {
    let labels = &evidence.tallies[column].labels;
    let mut order: Vec<usize> = (0..labels.len()).collect();
    order.sort_by_key(|&label| std::cmp::Reverse(labels[label][0]));
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slope_has_its_correlation() {
        let cells: Vec<(f64, f64, f64)> =
            [(1.0, 0.0), (2.0, 1.0), (2.0, 2.0), (4.0, 3.0)].into_iter().map(|(y, x)| (y, x, 1.0)).collect();
        let found = Slope::of(&cells).unwrap();
        // xx = 5, xy = 4.5, yy = 4.75.
        assert!((found.slope - 0.9).abs() < 1e-12);
        assert!((found.correlation - 4.5 / (5.0f64 * 4.75).sqrt()).abs() < 1e-12);
        assert!(Slope::of(&[(1.0, 1.0, 1.0), (2.0, 1.0, 1.0)]).is_none());
    }
}
