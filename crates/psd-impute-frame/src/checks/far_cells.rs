//! Is an observed cell so far from all others that it may be an error and distort the fit?
//!
//! Detected by the gap: the farthest one to three cells on one side of the median are many times further from it than the next.

use super::compared::Scale;
use super::tally::ENDS;
use super::{Evidence, Warning, WarningKind};

/// A cell is far if it is this many times further than the next cell, and this many deviations away: the engine takes such cells to be nearer.
const TIMES: f64 = 20.0;
/// No cell that is nearer is named where the whole fit is doubtful.
const UNUSUAL: f64 = 10.0;

pub(super) fn check(evidence: &Evidence) -> Vec<Warning> {
    let columns = (0..evidence.columns.len()).filter(|&j| evidence.is_number(j));
    columns.flat_map(|j| ends(evidence, j)).collect()
}

/// The observed cell that is farthest from the middle of its column, if it is far, in words.
pub(super) fn farthest(evidence: &Evidence) -> Option<String> {
    let columns = (0..evidence.columns.len()).filter(|&j| evidence.is_number(j));
    let cells = columns.flat_map(|j| {
        let scale = Scale::of(evidence.observed(j).map(|row| row.before[j]));
        let tally = &evidence.tallies[j];
        let ends = [tally.lowest.first(), tally.highest.first()].into_iter().flatten();
        ends.filter_map(move |&(x, row)| Some((deviations(x, scale?), j, x, row)))
    });
    let (deviations, j, x, row) = cells.max_by(|a, b| a.0.total_cmp(&b.0)).filter(|far| far.0 >= UNUSUAL)?;
    let (name, shown) = (evidence.name(j), evidence.show(j, x));
    Some(format!("`{name}` = {shown} in row {} ({deviations:.0} deviations from the middle)", row + 1))
}

/// The distance of a cell from the middle of its column.
fn deviations(x: f64, scale: Scale) -> f64 {
    (x - scale.undo(0.0)).abs() / scale.unit
}

fn ends(evidence: &Evidence, j: usize) -> Vec<Warning> {
    let Some(scale) = Scale::of(evidence.observed(j).map(|row| row.before[j])) else { return Vec::new() };
    let tally = &evidence.tallies[j];
    let of = |ends: &[(f64, u64)]| {
        let off = |at: usize| ends.get(at).map(|end| deviations(end.0, scale));
        let far = (1..ENDS).find(|&k| match (off(k - 1), off(k)) {
            (Some(far), Some(next)) => far >= TIMES * next.max(1.0),
            _ => false,
        })?;
        let (x, row) = ends[0];
        let deviations = off(0)?;
        let others = match far {
            1 => String::new(),
            2 => " and one cell like it".to_string(),
            n => format!(" and {} cells like it", n - 1),
        };
        let text = format!(
            "row {} has `{}` = {}{others}, {:.0} deviations from the middle of the column: if it is an error, make it missing; the fit takes it to be much nearer",
            row + 1,
            evidence.name(j),
            evidence.show(j, x),
            deviations
        );
        let numbers =
            [("row", (row + 1) as f64), ("value", x), ("deviations", deviations), ("cells", far as f64)];
        let option =
            format!("`--missing {}={}` makes it so", evidence.name(j), evidence.columns[j].kind().show(x));
        let warning = Warning::new(WarningKind::FarCell, &[evidence.name(j)], 2.0, numbers, text);
        Some(warning.with_option(Some(option)))
    };
    [&tally.lowest, &tally.highest].into_iter().filter_map(|ends| of(ends)).collect()
}
