//! Are numbers imputed that no observed number resembles?
//!
//! A number is negative where none was, far outside the observed range, or not an integer where all were. The next observation may by
//! chance lie beyond the smallest observed cell, too: each of `c` cells beyond is imputed with probability `r`, the imputed share, so that
//! all of them are with `r^c`. Far beyond it, one is enough.

use super::chance::LEVEL;
use super::{Evidence, Row, Warning, WarningKind};
use crate::plan::Kind;

/// The fewest observed cells of a column.
const OBSERVED: u64 = 30;
/// A number is far outside the range beyond this many widths of it; if positive also beyond this many on the log scale; for amounts that may
/// be zero, which have long tails, beyond this many times the largest. Arbitrary.
const FAR: (f64, f64) = (1.0, 0.5);
const TIMES: f64 = 10.0;

pub(super) fn check(evidence: &Evidence) -> Vec<Warning> {
    let columns = (0..evidence.columns.len()).filter(|&j| evidence.is_number(j));
    let columns: Vec<usize> = columns.filter(|&j| evidence.tallies[j].observed >= OBSERVED).collect();
    let found = |&j: &usize| {
        let mut found = Vec::from_iter(fraction(evidence, j));
        found.extend(beyond(evidence, j, columns.len() as f64));
        found
    };
    columns.iter().flat_map(found).collect()
}

/// Negative values, and values far outside the range.
fn beyond(evidence: &Evidence, j: usize, tests: f64) -> Option<Warning> {
    let tally = &evidence.tallies[j];
    let (low, high) = tally.range()?;
    let values: Vec<f64> = evidence.imputed(j).map(|row| row.after[j]).collect();
    let count = |is: &dyn Fn(f64) -> bool| values.iter().filter(|&&x| is(x)).count();
    let room = FAR.0 * (high - low);
    let is_high = |x: f64| {
        x > high + room
            && match low {
                low if low > 0.0 => (x / high).ln() > FAR.1 * (high / low).ln(),
                0.0 => x > TIMES * high,
                _ => true,
            }
    };
    let is_low = |x: f64| x < low - room;
    let negative = if low >= 0.0 { count(&|x| x < 0.0) } else { 0 };
    let share = tally.imputed as f64 / (tally.imputed + tally.observed) as f64;
    let unlikely = negative > 2 && tests * share.powf(negative as f64) < LEVEL;
    let (cells, what, seen) = if unlikely || negative > 0 && count(&is_low) > 0 {
        (negative, "is negative", format!("{} or more", evidence.show(j, low)))
    } else if count(&is_low) > 0 {
        (count(&is_low), "is far too low", format!("{} or more", evidence.show(j, low)))
    } else if count(&is_high) > 0 {
        (count(&is_high), "is far too high", format!("{} or less", evidence.show(j, high)))
    } else {
        return None;
    };
    let [least, most] =
        [values.iter().copied().fold(low, f64::min), values.iter().copied().fold(high, f64::max)];
    let end = if what == "is far too high" {
        format!("up to {}", evidence.show(j, most))
    } else {
        format!("down to {}", evidence.show(j, least))
    };
    let (rows, in_words) = evidence.in_words(j, cells, "imputed cell");
    let of = cells as f64 / values.len() as f64;
    let text = format!(
        "`{}` {what} in {in_words}, {end}; all {} observed ones are {seen}",
        evidence.name(j),
        tally.observed
    );
    let numbers = [
        ("rows", rows as f64),
        ("share", of),
        ("least", least),
        ("most", most),
        ("observed_least", low),
        ("observed_most", high),
    ];
    Some(Warning::new(WarningKind::ImpossibleValue, &[evidence.name(j)], 0.5 + of / 2.0, numbers, text))
}

/// Fractions where all observed cells are integers.
fn fraction(evidence: &Evidence, j: usize) -> Option<Warning> {
    let fractional = |row: &&Row| row.after[j].fract() != 0.0;
    let cells = evidence.imputed(j).filter(fractional).count();
    // Numbers declared to take any value are not rounded.
    let any = matches!(evidence.columns[j].kind(), Kind::Number { decimals: None, .. });
    if any || !evidence.tallies[j].whole || cells == 0 {
        return None;
    }
    let first = evidence.imputed(j).find(fractional).map_or(0.0, |row| row.after[j]);
    let (rows, in_words) = evidence.in_words(j, cells, "imputed cell");
    let share = cells as f64 / evidence.imputed(j).count() as f64;
    let text = format!(
        "`{}` is no integer in {in_words}, such as {}; all {} observed ones are",
        evidence.name(j),
        evidence.show(j, first),
        evidence.tallies[j].observed
    );
    let numbers = [("rows", rows as f64), ("share", share)];
    Some(Warning::new(WarningKind::ImpossibleValue, &[evidence.name(j)], share, numbers, text))
}
