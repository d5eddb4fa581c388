//! Comparison of observed cells with the nominal coverage of intervals and probabilities of labels.
//!
//! Of `n` cells an interval of level `p` contains `np` on average, with a variance of `np(1 - p)`; most probable labels with the
//! probabilities `p_i` are right `Σ p_i` times, with a variance of `Σ p_i (1 - p_i)`. Calibration fails if the share is off by more
//! than `ERRORS` standard errors and by more than `SLACK`, an allowance for repeated values.

use super::{Calibration, LEVELS, LabelColumn};
use crate::numbers::{count, counted, list, percent};

/// Maximum deviation of the share over all cells, in standard errors.
const ERRORS: f64 = 2.5;
/// The same for one of several columns.
const OF_COLUMN: f64 = 3.5;
const SLACK: f64 = 0.01;
/// No verdict is given if two standard errors exceed this.
const UNSURE: f64 = 0.1;
/// Number of columns that are named.
const NAMED: usize = 3;

/// An observed share of cells and its nominal value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Promise {
    pub(crate) promised: f64,
    pub(crate) found: f64,
    /// The standard error of the observed share.
    pub(crate) error: f64,
    pub(crate) cells: usize,
}

impl Promise {
    /// The share of an interval.
    pub(crate) fn of_level(level: f64, covered: usize, cells: usize) -> Self {
        let n = cells.max(1) as f64;
        Self { promised: level, found: covered as f64 / n, error: (level * (1.0 - level) / n).sqrt(), cells }
    }

    /// The share of most probable labels that are right.
    pub(crate) fn of_labels<'a>(columns: impl Iterator<Item = &'a LabelColumn> + Clone) -> Self {
        let sum = |f: &dyn Fn(&LabelColumn) -> f64| columns.clone().map(f).sum::<f64>();
        let cells = columns.clone().map(|column| column.cells).sum::<usize>();
        let n = cells.max(1) as f64;
        Self {
            promised: sum(&|column| column.expected) / n,
            found: sum(&|column| column.right as f64) / n,
            // Probabilities of one have no variance, so half a cell's is added.
            error: (sum(&|column| column.variance) + 0.25).sqrt() / n,
            cells,
        }
    }

    /// Negative if the observed share is below the nominal one, positive if above, zero if within the tolerance.
    fn broken(&self, errors: f64) -> i8 {
        let (off, slack) = (self.found - self.promised, errors * self.error + SLACK);
        i8::from(off > slack) - i8::from(off < -slack)
    }

    fn is_unsure(&self) -> bool {
        2.0 * self.error > UNSURE
    }
}

impl Calibration {
    /// A few sentences.
    pub fn answer(&self, names: &[&str]) -> String {
        let mut out = Vec::from_iter(self.of_numbers());
        out.extend(self.of_labels());
        if out.is_empty() && !self.numbers.is_empty() {
            return format!(
                "Intervals cannot tell here: every column of numbers has fewer than {} different values, or one that comes back often.",
                super::DIFFERENT
            );
        }
        if out.is_empty() {
            return "Too few cells are observed to tell.".to_string();
        }
        out.extend(self.of_columns(names));
        out.join(" ")
    }

    /// Doubts: shares that are not calibrated.
    pub fn doubts(&self, names: &[&str]) -> Vec<String> {
        let levels = self.levels_together();
        let mut out = Vec::new();
        if levels.iter().any(|promise| promise.broken(ERRORS) != 0) {
            out.extend(self.of_numbers());
        }
        if self.labels_together().broken(ERRORS) != 0 {
            out.extend(self.of_labels());
        }
        out.extend(self.of_columns(names));
        out
    }

    fn levels_together(&self) -> [Promise; 4] {
        let (cells, covered) = self.together();
        [0, 1, 2, 3].map(|k| Promise::of_level(LEVELS[k], covered[k], cells))
    }

    fn labels_together(&self) -> Promise {
        Promise::of_labels(self.labels.iter())
    }

    fn of_numbers(&self) -> Option<String> {
        let levels = self.levels_together();
        let cells = levels[0].cells;
        if cells == 0 {
            return None;
        }
        let broken: Vec<&Promise> = levels.iter().filter(|promise| promise.broken(ERRORS) != 0).collect();
        let narrow = broken.iter().any(|promise| promise.broken(ERRORS) < 0);
        let wide = broken.iter().any(|promise| promise.broken(ERRORS) > 0);
        let verdict = match (narrow, wide) {
            (true, true) => "Some intervals are too narrow, others too wide",
            (true, false) => "Intervals are too narrow",
            (false, true) => "Intervals are too wide",
            (false, false) if levels[0].is_unsure() => {
                "Too few cells to say whether intervals hold what they should"
            }
            (false, false) => "Intervals hold about what they should",
        };
        let shown: Vec<&Promise> = if broken.is_empty() { vec![&levels[0], &levels[2]] } else { broken };
        let holds = |promise: &&Promise| {
            format!("the {} interval holds {}", percent(promise.promised), percent(promise.found))
        };
        let holds: Vec<String> = shown.iter().map(holds).collect();
        Some(format!(
            "{verdict}: of {}, predicted from the rest of their row, {}.",
            counted(cells as u64, "observed number"),
            list(&holds)
        ))
    }

    fn of_labels(&self) -> Option<String> {
        let promise = self.labels_together();
        if promise.cells == 0 {
            return None;
        }
        let verdict = match promise.broken(ERRORS) {
            1 => "Probabilities of labels are too cautious",
            -1 => "Probabilities of labels are too sure",
            _ if promise.is_unsure() => "Too few cells to say whether probabilities of labels are right",
            _ => "Probabilities of labels are about right",
        };
        Some(format!(
            "{verdict}: the most probable label is right in {} of {} cells, where its probabilities promise {} (± {} by chance).",
            percent(promise.found),
            count(promise.cells as u64),
            percent(promise.promised),
            percent(2.0 * promise.error)
        ))
    }

    /// The columns that are not calibrated by themselves, the worst first.
    fn of_columns(&self, names: &[&str]) -> Option<String> {
        let mut found: Vec<(f64, String)> = Vec::new();
        for column in self.numbers.iter().filter(|column| !column.coarse) {
            let cells = column.points.len();
            let levels = [0, 1, 2, 3].map(|k| Promise::of_level(LEVELS[k], column.covered[k], cells));
            let off = |promise: &Promise| (promise.found - promise.promised).abs() / promise.error;
            let broken = levels.iter().filter(|promise| promise.broken(OF_COLUMN) != 0);
            if let Some(worst) = broken.max_by(|a, b| off(a).total_cmp(&off(b))) {
                let text = format!(
                    "in “{}” the {} interval holds {}",
                    names[column.column],
                    percent(worst.promised),
                    percent(worst.found)
                );
                found.push((off(worst), text));
            }
        }
        for column in &self.labels {
            let promise = Promise::of_labels(std::iter::once(column));
            if promise.broken(OF_COLUMN) != 0 {
                let text = format!(
                    "in “{}” the most probable label is right in {}, where {} were promised",
                    names[column.column],
                    percent(promise.found),
                    percent(promise.promised)
                );
                found.push(((promise.found - promise.promised).abs() / promise.error, text));
            }
        }
        found.sort_by(|a, b| b.0.total_cmp(&a.0));
        let more = found.len().saturating_sub(NAMED);
        let mut texts: Vec<String> = found.into_iter().take(NAMED).map(|(_, text)| text).collect();
        if texts.is_empty() {
            return None;
        }
        if more > 0 {
            texts.push(format!("{} more are off as well", counted(more as u64, "column")));
        }
        Some(format!("By columns, {}.", list(&texts)))
    }
}

#[cfg(test)]
mod tests {
    use super::super::{LabelColumn, NumberColumn};
    use super::*;

    fn found(cells: usize, shares: [f64; 4], labels: Option<(usize, f64, f64)>) -> Calibration {
        let covered = shares.map(|share| (share * cells as f64).round() as usize);
        let numbers = vec![NumberColumn { column: 0, coarse: false, covered, points: vec![[0.0; 4]; cells] }];
        let label = |(cells, right, expected): (usize, f64, f64)| LabelColumn {
            column: 1,
            cells,
            right: (right * cells as f64) as usize,
            expected: expected * cells as f64,
            variance: expected * (1.0 - expected) * cells as f64,
        };
        Calibration {
            levels: LEVELS,
            numbers,
            labels: labels.map(label).into_iter().collect(),
            left_out: true,
            columns: [2, 2],
        }
    }

    #[test]
    fn reassurance_needs_numbers() {
        let names = ["x", "y"];
        let good = found(400, [0.52, 0.8, 0.91, 0.95], Some((300, 0.74, 0.75)));
        assert!(
            good.answer(&names).starts_with("Intervals hold about what they should: of 400 observed numbers")
        );
        assert!(good.answer(&names).contains("Probabilities of labels are about right"));
        assert!(good.doubts(&names).is_empty());
        let few = found(20, [0.5, 0.8, 0.9, 0.95], None).answer(&names);
        assert!(few.starts_with("Too few cells to say"), "{few}");
    }

    #[test]
    fn what_is_off_is_said_with_its_size() {
        let names = ["x", "y"];
        let narrow = found(400, [0.38, 0.66, 0.79, 0.86], None);
        let answer = narrow.answer(&names);
        assert!(
            answer.starts_with("Intervals are too narrow") && answer.contains("the 95 % interval holds 86 %"),
            "{answer}"
        );
        assert_eq!(narrow.doubts(&names).len(), 2);
        let wide = found(400, [0.72, 0.93, 0.97, 0.99], None).answer(&names);
        assert!(
            wide.starts_with("Intervals are too wide") && wide.contains("the 50 % interval holds 72 %"),
            "{wide}"
        );
        let mixed = found(400, [0.72, 0.8, 0.85, 0.88], None).answer(&names);
        assert!(mixed.starts_with("Some intervals are too narrow, others too wide"), "{mixed}");
    }

    #[test]
    fn labels_that_are_right_more_often_than_promised_are_not_about_right() {
        let names = ["x", "y"];
        let cautious = found(400, [0.5, 0.8, 0.9, 0.95], Some((240, 0.77, 0.49)));
        let answer = cautious.answer(&names);
        assert!(
            answer.contains("too cautious: the most probable label is right in 77 % of 240 cells"),
            "{answer}"
        );
        assert!(answer.contains("in “y” the most probable label is right in"), "{answer}");
        assert_eq!(cautious.doubts(&names).len(), 2);
        let sure = found(400, [0.5, 0.8, 0.9, 0.95], Some((240, 0.52, 0.72))).answer(&names);
        assert!(sure.contains("too sure"), "{sure}");
    }

    #[test]
    fn columns_that_cancel_are_named() {
        let one = |column: usize, share: f64| NumberColumn {
            column,
            coarse: false,
            covered: [0.5, 0.8, 0.9 + share, 0.95].map(|x| (x * 80.0) as usize),
            points: vec![[0.0; 4]; 80],
        };
        let mut both = found(80, [0.5, 0.8, 0.9, 0.95], None);
        both.numbers = vec![one(0, 0.1), one(1, -0.2), one(0, 0.1)];
        let answer = both.answer(&["x", "y"]);
        assert!(answer.contains("By columns, in “y” the 90 % interval holds 70 %"), "{answer}");
    }
}
