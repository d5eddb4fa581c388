//! Are labels imputed together that were observed apart?
//!
//! Of columns `j` and `k`, label `a` of the one and `b` of the other are together in `O` of the rows in which both were observed, and in
//! `I` of those in which one or both were imputed. The pair is reported if its rate among the rows with `a`, and also among those with `b`,
//! is far larger where it was imputed, and if it was observed never or much more rarely than independent labels would be: a pair that the
//! table avoids, such as husbands who are women.
//!
//! If a pair has the same rate everywhere, each of its `O + I` rows is imputed with probability `n_I / (n_I + n_O)`, where `n` counts the
//! rows with `a` (or with `b`).

use super::chance::{LEVEL, binomial_at_least};
use super::{Evidence, Warning, WarningKind};

/// The most counts kept in all.
const COUNTS: usize = 2_000_000;
/// The fewest imputed rows of a pair.
const ROWS: u32 = 5;
/// The least ratio of the imputed to the observed rate of a pair.
const TIMES: f64 = 10.0;
/// A pair is avoided if it was observed at most this share of the count expected for independent labels, which must be at least this many. Arbitrary.
const AVOIDED: (f64, f64) = (0.1, 8.0);

/// Counts of the label pairs of two columns.
pub(super) struct LabelPairs {
    tables: Vec<Pairs>,
}

struct Pairs {
    columns: [usize; 2],
    /// The number of labels of the second column.
    width: usize,
    /// Observed and imputed rows of each pair of labels.
    counts: Vec<[u32; 2]>,
}

impl LabelPairs {
    /// Makes counts for pairs of columns with these numbers of labels, the smallest tables first where not all can be kept.
    pub(super) fn new(labels: &[usize]) -> Self {
        let pairs = (0..labels.len()).flat_map(|j| (j + 1..labels.len()).map(move |k| [j, k]));
        let mut sizes: Vec<(usize, [usize; 2])> =
            pairs.map(|[j, k]| (labels[j] * labels[k], [j, k])).filter(|(size, _)| *size > 0).collect();
        sizes.sort();
        let mut left = COUNTS;
        let kept = sizes.into_iter().map_while(|(size, columns)| {
            left = left.checked_sub(size)?;
            Some(Pairs { columns, width: labels[columns[1]], counts: vec![[0; 2]; size] })
        });
        Self { tables: kept.collect() }
    }

    pub(super) fn add(&mut self, before: &[f64], after: &[f64]) {
        for Pairs { columns: [j, k], width, counts } in &mut self.tables {
            let imputed = before[*j].is_nan() || before[*k].is_nan();
            if after[*j].is_nan() || after[*k].is_nan() {
                continue;
            }
            let at = after[*j].round() as usize * *width + after[*k].round() as usize;
            if let Some(count) = counts.get_mut(at) {
                count[usize::from(imputed)] += 1;
            }
        }
    }
}

pub(super) fn check(evidence: &Evidence) -> Vec<Warning> {
    let tables = &evidence.pairs.tables;
    let tests: usize = tables.iter().map(|table| table.counts.len()).sum();
    tables.iter().filter_map(|table| table.check(evidence, tests as f64)).collect()
}

impl Pairs {
    /// One warning for all label pairs of two columns, naming the pair imputed most often.
    fn check(&self, evidence: &Evidence, tests: f64) -> Option<Warning> {
        let height = self.counts.len() / self.width;
        let sum = |cells: &mut dyn Iterator<Item = usize>| {
            cells.fold([0; 2], |[o, i], at| [o + self.counts[at][0], i + self.counts[at][1]])
        };
        let row = |a: usize| sum(&mut (0..self.width).map(|b| a * self.width + b));
        let column = |b: usize| sum(&mut (0..height).map(|a| a * self.width + b));
        let rows: Vec<[u32; 2]> = (0..height).map(row).collect();
        let columns: Vec<[u32; 2]> = (0..self.width).map(column).collect();
        let all = sum(&mut (0..self.counts.len()));
        let is_odd = |&at: &usize| {
            is_odd(self.counts[at], [rows[at / self.width], columns[at % self.width]], all, tests)
        };
        let mut odd: Vec<usize> = (0..self.counts.len()).filter(is_odd).collect();
        odd.sort_by_key(|&at| std::cmp::Reverse(self.counts[at][1]));
        let others: u32 = odd.iter().skip(1).map(|&at| self.counts[at][1]).sum();
        Some(self.warn(evidence, *odd.first()?, [odd.len() as u32 - 1, others], all))
    }

    /// `others` counts the further label pairs and their imputed rows.
    fn warn(&self, evidence: &Evidence, at: usize, others: [u32; 2], all: [u32; 2]) -> Warning {
        let [j, k] = self.columns;
        let shown = |column: usize, label: usize| {
            format!("`{}` = {}", evidence.name(column), evidence.show(column, label as f64))
        };
        let [observed, imputed] = self.counts[at];
        let often = match observed {
            0 => "never".to_string(),
            1 => "once".to_string(),
            n => format!("{n} times"),
        };
        let more = match others {
            [0, _] => String::new(),
            [1, rows] => format!("; another such pair in {rows} rows"),
            [pairs, rows] => format!("; {pairs} more such pairs in {rows} rows"),
        };
        let text = format!(
            "{} meets {} in {imputed} imputed rows, but {often} in {} observed ones{more}",
            shown(j, at / self.width),
            shown(k, at % self.width),
            all[0]
        );
        let share = f64::from(imputed + others[1]) / f64::from(all[1]);
        let numbers = [
            ("imputed", f64::from(imputed)),
            ("imputed_of", f64::from(all[1])),
            ("observed", f64::from(observed)),
            ("observed_of", f64::from(all[0])),
            ("other_pairs", f64::from(others[0])),
            ("other_imputed", f64::from(others[1])),
        ];
        // Impossible rows are worse than rows that are too many.
        let severity = 0.4 + 0.6 * share;
        Warning::new(WarningKind::LabelPair, &[evidence.name(j), evidence.name(k)], severity, numbers, text)
    }
}

/// Whether a pair of labels is imputed too often. `rows` are those with the one and with the other label.
fn is_odd([observed, imputed]: [u32; 2], rows: [[u32; 2]; 2], all: [u32; 2], tests: f64) -> bool {
    if imputed < ROWS || all[0] == 0 {
        return false;
    }
    let independent = f64::from(rows[0][0]) * f64::from(rows[1][0]) / f64::from(all[0]);
    let avoided = independent >= AVOIDED.1 && f64::from(observed) <= AVOIDED.0 * independent;
    let more_often = |[seen, put]: &[u32; 2]| {
        let rate = (f64::from(observed) + 0.5) / (f64::from(*seen) + 1.0);
        let chance = f64::from(*put) / (f64::from(*put) + f64::from(*seen));
        let (imputed, total) = (u64::from(imputed), u64::from(imputed) + u64::from(observed));
        imputed as f64 >= TIMES * rate * f64::from(*put)
            && tests * binomial_at_least(imputed, total, chance) < LEVEL
    };
    (avoided || observed == 0) && rows.iter().all(more_often)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_that_a_table_avoids_are_odd() {
        // Wife and male: 24 000 rows with both observed, of which 1 100 wives and 16 000 men.
        let (rows, all) = ([[1_100, 900], [16_000, 14_000]], [24_000, 21_000]);
        assert!(is_odd([1, 200], rows, all, 1e4));
        assert!(is_odd([0, 40], rows, all, 1e4));
        assert!(!is_odd([1, 4], rows, all, 1e4));
        // As often as observed.
        assert!(!is_odd([240, 200], rows, all, 1e4));
        // Two rare labels that happened not to occur together: 8 and 6 of 200 rows.
        assert!(!is_odd([0, 5], [[8, 8], [6, 7]], [200, 190], 100.0));
    }

    #[test]
    fn the_smallest_tables_are_kept() {
        let pairs = LabelPairs::new(&[1_000, 0, 1_900, 2, 3]);
        let columns: Vec<[usize; 2]> = pairs.tables.iter().map(|table| table.columns).collect();
        assert_eq!(columns, [[3, 4], [0, 3], [0, 4], [2, 3], [2, 4], [0, 2]]);
        assert_eq!(LabelPairs::new(&[1_000, 2_001, 3]).tables.len(), 2);
    }
}
