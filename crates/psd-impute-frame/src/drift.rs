//! Differences between the cells of a table and those that its model was fitted to.
//!
//! Four measures are reported per column, each only where it is material and beyond chance:
//!
//! - the share of cells outside the learned range. Of cells like the `n` learned ones, a share of `2/(n+1)` lies outside, give or take
//!   `√2/n` for the range itself and `√(share/m)` for `m` cells;
//! - the shift of the mean, in learned deviations. The difference of two means has the variance `s²/m + t²/n`;
//! - the share of cells whose label was never learned;
//! - the share of cells by which the label shares differ, `½ Σ |p - q|`. Chance gives `Σ √(p(1-p)(1/m+1/n)/(2π))` on average, and hardly
//!   more than `2√(1/m+1/n)` above it.

use crate::plan::{ColumnPlan, Kind, Learned, Moments};
use serde::Serialize;
use std::f64::consts::PI;

/// Fewer cells than this, learned or found, decide nothing, except for numbers most of which lie outside the learned range, as in other
/// units: for these so few are enough.
const FEWEST: u64 = 20;
const FEWEST_OUTSIDE: u64 = 5;
const MOST: f64 = 0.5;
/// Material shares of cells: outside the range, with labels never learned, and differing in their label.
const OUTSIDE: f64 = 0.05;
const UNSEEN: f64 = 0.05;
const RELABELLED: f64 = 0.25;
/// Material shift of the mean, in learned deviations.
const SHIFT: f64 = 1.0;
/// Standard errors beyond chance.
const ERRORS: f64 = 4.0;
/// The most columns that notes name.
const NAMED: usize = 5;

/// The observed cells of a column, counted against its learned statistics.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Tally {
    outside: u64,
    moments: Moments,
    labels: Vec<u64>,
}

impl Tally {
    /// Counts the engine's cells; NaN is missing.
    pub(crate) fn of(learned: Option<&Learned>, cells: &[f64]) -> Self {
        let mut tally = Self::default();
        let observed = cells.iter().filter(|x| !x.is_nan());
        match learned {
            None => {}
            Some(Learned::Numbers { low, high, .. }) => observed.for_each(|x| {
                tally.outside += u64::from(x < low || x > high);
                tally.moments.push(*x);
            }),
            Some(Learned::Labels { cells }) => {
                tally.labels = vec![0; cells.len()];
                observed.for_each(|x| tally.labels[*x as usize] += 1);
            }
        }
        tally
    }

    /// Adds the counts of a further batch.
    pub(crate) fn add(&mut self, other: &Self) {
        self.outside += other.outside;
        self.moments.add(&other.moments);
        self.labels.iter_mut().zip(&other.labels).for_each(|(mine, theirs)| *mine += theirs);
    }
}

/// Differences between the cells of a column and the learned ones. Immaterial ones are left out.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Drift {
    /// The column.
    pub column: String,
    /// Its observed cells.
    pub cells: u64,
    /// The share of cells outside the learned range.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outside: Option<f64>,
    /// The mean minus the learned one, in learned deviations.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shift: Option<f64>,
    /// The share of cells with labels that were never learned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unseen: Option<f64>,
    /// The share of cells by which the label shares differ.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relabelled: Option<f64>,
    /// In words.
    pub note: String,
}

impl Drift {
    /// The drift of a column; `unseen` cells have labels that were never learned. `None` if nothing is material.
    pub(crate) fn of(column: &ColumnPlan, tally: &Tally, unseen: u64) -> Option<Self> {
        let mut drift = Self {
            column: column.name().to_string(),
            cells: unseen,
            outside: None,
            shift: None,
            unseen: None,
            relabelled: None,
            note: String::new(),
        };
        let facts = match column.learned()? {
            Learned::Numbers { low, high, moments } => {
                drift.of_numbers(column.kind(), (*low, *high), moments, tally)
            }
            Learned::Labels { cells } => drift.of_labels(column, cells, tally, unseen),
        };
        if facts.is_empty() {
            return None;
        }
        drift.note = format!("column `{}` is not what was learned: {}", drift.column, facts.join(", and "));
        Some(drift)
    }

    fn of_numbers(
        &mut self,
        kind: &Kind,
        (low, high): (f64, f64),
        learned: &Moments,
        tally: &Tally,
    ) -> Vec<String> {
        let found = &tally.moments;
        self.cells = found.cells;
        let mut facts = Vec::new();
        if learned.cells < FEWEST || found.cells < FEWEST_OUTSIDE {
            return facts;
        }
        let few = found.cells < FEWEST;
        let (m, n) = (found.cells as f64, learned.cells as f64);
        let (outside, usual) = (tally.outside as f64 / m, 2.0 / (n + 1.0));
        let worth = if few { MOST } else { OUTSIDE };
        if outside > worth.max(usual + ERRORS * (2f64.sqrt() / n + (usual / m).sqrt())) {
            self.outside = Some(outside);
            let (low, high) = (show(kind, low), show(kind, high));
            facts.push(format!("{} of its cells lie outside {low} to {high}", percent(outside)));
        }
        let error = (found.variance() / m + learned.variance() / n).sqrt();
        let (difference, deviation) = (found.mean - learned.mean, learned.variance().sqrt());
        if !few && deviation > 0.0 && difference.abs() > (SHIFT * deviation).max(ERRORS * error) {
            let shift = difference / deviation;
            self.shift = Some(shift);
            let side = if shift > 0.0 { "above" } else { "below" };
            let (here, there) = (show(kind, found.mean), show(kind, learned.mean));
            facts.push(format!("its mean {here} is {:.1} deviations {side} {there}", shift.abs()));
        }
        facts
    }

    fn of_labels(&mut self, column: &ColumnPlan, learned: &[u64], tally: &Tally, unseen: u64) -> Vec<String> {
        let (m, n): (u64, u64) = (tally.labels.iter().sum(), learned.iter().sum());
        self.cells = m + unseen;
        let mut facts = Vec::new();
        if self.cells.min(n) < FEWEST {
            return facts;
        }
        let share = unseen as f64 / self.cells as f64;
        if share > UNSEEN {
            self.unseen = Some(share);
            facts.push(format!("{} of its cells have labels that were never learned", percent(share)));
        }
        let (m, n) = (m as f64, n as f64);
        if m < FEWEST as f64 {
            return facts;
        }
        let pairs: Vec<(f64, f64)> =
            learned.iter().zip(&tally.labels).map(|(&p, &q)| (p as f64 / n, q as f64 / m)).collect();
        let noise = 1.0 / m + 1.0 / n;
        let usual: f64 = pairs.iter().map(|(p, _)| (p * (1.0 - p) * noise / (2.0 * PI)).sqrt()).sum();
        let relabelled = pairs.iter().map(|(p, q)| (p - q).abs()).sum::<f64>() / 2.0;
        let apart = |k: &usize| (pairs[*k].0 - pairs[*k].1).abs();
        let most = (0..pairs.len()).reduce(|a, b| if apart(&b) > apart(&a) { b } else { a });
        if let Some(k) = most.filter(|_| relabelled > RELABELLED.max(usual + 2.0 * noise.sqrt())) {
            self.relabelled = Some(relabelled);
            let (label, (before, now)) = (column.kind().show(k as f64), pairs[k]);
            facts.push(format!("`{label}` has {} of its cells instead of {}", percent(now), percent(before)));
        }
        facts
    }

    /// Severity, from zero to one.
    fn size(&self) -> f64 {
        let shift = self.shift.map(|shift| 1.0 - 1.0 / (1.0 + shift.abs()));
        [self.outside, shift, self.unseen, self.relabelled].into_iter().flatten().fold(0.0, f64::max)
    }

    /// Sorts by severity, the worst first.
    pub(crate) fn sort(drifts: &mut [Self]) {
        drifts.sort_by(|a, b| b.size().total_cmp(&a.size()));
    }

    /// Notes for people: the worst few, and the number of the others.
    pub fn notes(drifts: &[Self]) -> Vec<String> {
        let mut notes: Vec<String> = drifts.iter().take(NAMED).map(|drift| drift.note.clone()).collect();
        if let Some(more) = drifts.len().checked_sub(NAMED).filter(|more| *more > 0) {
            let columns = if more == 1 { "column is" } else { "columns are" };
            notes.push(format!("{more} more {columns} not what was learned"));
        }
        notes
    }
}

fn percent(share: f64) -> String {
    format!("{:.0} %", 100.0 * share)
}

/// A number with four digits; a time in its column's format.
fn show(kind: &Kind, x: f64) -> String {
    if !matches!(kind, Kind::Number { .. }) {
        return kind.show(x);
    }
    let digits = 3 - x.abs().log10().floor().clamp(-9.0, 15.0) as i32;
    match x {
        0.0 => "0".to_string(),
        _ if !(1e-6..1e15).contains(&x.abs()) => format!("{x:.3e}"),
        _ => {
            let unit = 10f64.powi(digits);
            format!("{}", (x * unit).round() / unit)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Role;
    use crate::text::NumberText;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng as StdRng;

    /// A column that learned some cells.
    fn column(kind: Kind, cells: &[f64]) -> ColumnPlan {
        let mut column = ColumnPlan::new("c", kind, Role::Modelled);
        column.learn(cells.iter().copied());
        column
    }

    fn number() -> Kind {
        Kind::Number { decimals: None, text: NumberText::PLAIN }
    }

    fn labels() -> Kind {
        Kind::Labels { labels: ["a", "b", "c", "d"].map(String::from).to_vec(), ordered: false }
    }

    fn drift(column: &ColumnPlan, cells: &[f64], unseen: u64) -> Option<Drift> {
        // In two batches, as tables are read.
        let (first, second) = cells.split_at(cells.len() / 3);
        let mut tally = Tally::of(column.learned(), first);
        tally.add(&Tally::of(column.learned(), second));
        Drift::of(column, &tally, unseen)
    }

    /// Cells of a normal, a heavy-tailed and an integer column, and of labels.
    fn cells(rng: &mut StdRng, n: usize) -> [Vec<f64>; 4] {
        let normal = |rng: &mut StdRng| (0..12).map(|_| rng.random::<f64>()).sum::<f64>() - 6.0;
        [
            (0..n).map(|_| normal(rng)).collect(),
            (0..n).map(|_| (2.0 * normal(rng)).exp()).collect(),
            (0..n).map(|_| (3.0 * rng.random::<f64>()).floor()).collect(),
            (0..n).map(|_| (16.0 * rng.random::<f64>()).sqrt().floor()).collect(),
        ]
    }

    #[test]
    fn halves_of_one_table_do_not_differ() {
        let rng = &mut StdRng::seed_from_u64(1);
        for trial in 0..300 {
            let (learned, found) = (cells(rng, 20 + 7 * trial), cells(rng, 20 + 7 * (trial % 40)));
            for (j, (learned, found)) in learned.iter().zip(&found).enumerate() {
                let column = column(if j == 3 { labels() } else { number() }, learned);
                assert_eq!(drift(&column, found, 0), None, "trial {trial}, column {j}");
            }
        }
    }

    #[test]
    fn other_units_are_told() {
        let rng = &mut StdRng::seed_from_u64(2);
        let [z, ..] = cells(rng, 400);
        let centimetres: Vec<f64> = z.iter().map(|z| 170.0 + 8.0 * z).collect();
        let inches: Vec<f64> = centimetres.iter().take(50).map(|x| x / 2.54).collect();
        let found = drift(&column(number(), &centimetres), &inches, 0).unwrap();
        assert_eq!((found.cells, found.outside), (50, Some(1.0)));
        assert!(found.shift.unwrap() < -10.0);
        assert!(
            found.note.starts_with("column `c` is not what was learned: 100 % of its cells lie outside 14")
        );
        assert!(
            found.note.contains(", and its mean 6") && found.note.contains(" deviations below 1"),
            "{}",
            found.note
        );
    }

    #[test]
    fn a_few_rows_in_other_units_are_told() {
        let centimetres: Vec<f64> = (0..300).map(|i| 150.0 + f64::from(i % 50)).collect();
        let metres = [1.71, 1.65, 1.8, 1.77, 1.69];
        let found = drift(&column(number(), &centimetres), &metres, 0).unwrap();
        assert_eq!((found.cells, found.outside, found.shift), (5, Some(1.0), None));
        let note = "column `c` is not what was learned: 100 % of its cells lie outside 150 to 199";
        assert_eq!(found.note, note);
    }

    #[test]
    fn other_labels_are_told() {
        let learned: Vec<f64> = (0..100).map(|i| f64::from(i % 4)).collect();
        let column = column(labels(), &learned);
        let found = drift(&column, &[1.0; 60], 40).unwrap();
        assert_eq!((found.cells, found.unseen, found.relabelled), (100, Some(0.4), Some(0.75)));
        assert_eq!(
            found.note,
            "column `c` is not what was learned: 40 % of its cells have labels that were never learned, and `b` has 100 % of its cells \
             instead of 25 %"
        );
        assert_eq!(drift(&column, &learned, 2), None, "a few new labels");
    }

    #[test]
    fn few_cells_and_older_plans_say_nothing() {
        let learned: Vec<f64> = (0..100).map(f64::from).collect();
        assert_eq!(drift(&column(number(), &learned), &[1e6; 4], 0), None);
        let mostly_inside = [1e6, 1e6, 50.0, 51.0, 52.0];
        assert_eq!(drift(&column(number(), &learned), &mostly_inside, 0), None);
        let few = drift(&column(number(), &learned), &[0.5, 0.4, 0.45, 0.41, 150.0], 0);
        assert_eq!(few, None, "all but one within");
        assert_eq!(drift(&ColumnPlan::new("c", number(), Role::Modelled), &[1e6; 100], 0), None);
    }

    #[test]
    fn notes_name_the_worst_columns() {
        let learned: Vec<f64> = (0..100).map(f64::from).collect();
        let column = column(number(), &learned);
        let of = |by: f64| drift(&column, &learned.iter().map(|x| x + by).collect::<Vec<_>>(), 0).unwrap();
        let mut drifts: Vec<Drift> = [40.0, 90.0, 20.0, 60.0, 30.0, 50.0, 70.0].map(of).to_vec();
        Drift::sort(&mut drifts);
        let notes = Drift::notes(&drifts);
        assert_eq!(notes.len(), 6);
        assert!(notes[0].contains("90 % of its cells"), "{}", notes[0]);
        assert_eq!(notes[5], "2 more columns are not what was learned");
    }
}
