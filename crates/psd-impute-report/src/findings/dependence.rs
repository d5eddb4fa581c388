//! Associations of missingness with other columns.
//!
//! For each column with missing cells, rows that miss it are compared with rows that have it, in every other column. Missing values cannot be
//! compared, so this does not show whether a cell is missing because of its own value.

use crate::numbers::{count, counted, p_value, rounded, short};
use crate::statistics::association::{Difference, holm, of_labels, of_numbers};
use psd_impute::table::{Kind, Table};
use serde::Serialize;

/// Minimum number of rows in each group.
const FEWEST: usize = 5;
/// The significance level of adjusted p-values.
const LEVEL: f64 = 0.05;
/// Maximum number of columns with missing cells that are compared, those with the most first.
const COLUMNS: usize = 40;
/// Maximum number of pairs kept, besides those of the map.
const PAIRS: usize = 300;
/// Maximum number of columns on either side of the map.
const SIDE: usize = 16;

/// Differences between the rows without a cell and those with it.
#[derive(Debug, Clone, Serialize)]
pub struct Dependence {
    /// The pairs that differ most, the largest difference first.
    pub pairs: Vec<Pair>,
    /// Number of pairs that could be compared.
    pub compared: usize,
    /// Number of them that differ by more than chance.
    pub beyond: usize,
}

/// A column with missing cells and another one.
#[derive(Debug, Clone, Serialize)]
pub struct Pair {
    /// The position of the column with missing cells.
    pub gaps: usize,
    /// The position of the other column.
    pub other: usize,
    /// From -1 to 1 for numbers (twice the AUC less one: positive if the other column is larger in rows with the missing cell), from 0 to 1
    /// for labels (Cramér's V).
    pub effect: f64,
    /// For numbers: the difference of the means in standard deviations.
    pub means: Option<f64>,
    /// The p-value.
    pub p: f64,
    /// The p-value adjusted for all pairs by Holm's method.
    pub adjusted: f64,
}

impl Dependence {
    pub(crate) fn of(table: &Table) -> Self {
        let d = table.columns().len();
        let gaps = |j: &usize| table.len() - table.observed(*j).count();
        let mut with_gaps: Vec<usize> = (0..d).filter(|j| gaps(j) > 0).collect();
        with_gaps.sort_by_key(|j| std::cmp::Reverse(gaps(j)));
        let pairs = with_gaps.into_iter().take(COLUMNS).flat_map(|a| (0..d).map(move |b| (a, b)));
        let found = pairs.filter(|(a, b)| a != b).filter_map(|(a, b)| Some((a, b, compare(table, a, b)?)));
        let found: Vec<(usize, usize, Difference)> = found.collect();
        let adjusted = holm(&found.iter().map(|pair| pair.2.p).collect::<Vec<_>>());
        let pair = |((gaps, other, difference), adjusted): ((usize, usize, Difference), f64)| Pair {
            gaps,
            other,
            effect: rounded(difference.effect, 4),
            means: difference.means.map(|x| rounded(x, 4)),
            p: rounded(difference.p, 4),
            adjusted: rounded(adjusted, 4),
        };
        let mut pairs: Vec<Pair> = found.into_iter().zip(adjusted).map(pair).collect();
        pairs.sort_by(|a, b| b.effect.abs().total_cmp(&a.effect.abs()));
        let beyond = pairs.iter().filter(|pair| pair.adjusted < LEVEL).count();
        let compared = pairs.len();
        let (gaps, others) = (first(&pairs, |pair| pair.gaps), first(&pairs, |pair| pair.other));
        let mut kept = 0;
        pairs.retain(|pair| {
            kept += 1;
            kept <= PAIRS || gaps.contains(&pair.gaps) && others.contains(&pair.other)
        });
        Self { pairs, compared, beyond }
    }

    /// The sides of the map: the columns whose missing cells have the largest differences, and the columns in which they show.
    pub fn sides(&self) -> [Vec<usize>; 2] {
        [first(&self.pairs, |pair| pair.gaps), first(&self.pairs, |pair| pair.other)]
    }

    /// One sentence.
    pub fn answer(&self, names: &[&str]) -> String {
        if self.pairs.is_empty() {
            return "No column has both enough gaps and enough observed cells to compare.".to_string();
        }
        let Some(first) = self.pairs.iter().find(|pair| pair.adjusted < LEVEL) else {
            return format!("{} (Holm’s rule at 5 %).", self.how_many());
        };
        let (gaps, other) = (names[first.gaps], names[first.other]);
        let (size, p) = (short(rounded(first.effect, 2)), p_value(first.p));
        let how = match (first.means, first.effect > 0.0) {
            (Some(_), true) => {
                format!("“{other}” is larger where “{gaps}” is missing (2 AUC − 1 = {size}, {p})")
            }
            (Some(_), false) => {
                format!("“{other}” is smaller where “{gaps}” is missing (2 AUC − 1 = {size}, {p})")
            }
            (None, _) => {
                format!("the labels of “{other}” differ where “{gaps}” is missing (Cramér’s V = {size}, {p})")
            }
        };
        format!("{}; most of all, {how}.", self.how_many())
    }

    /// The number of pairs that differ by more than chance, in words.
    pub(super) fn how_many(&self) -> String {
        let beyond = match self.beyond {
            0 => "None".to_string(),
            n => count(n as u64),
        };
        let differ = if self.beyond <= 1 { "differs" } else { "differ" };
        format!(
            "{beyond} of {} of columns {differ} by more than chance",
            counted(self.compared as u64, "pair")
        )
    }
}

/// The first few columns of the pairs, in order.
fn first(pairs: &[Pair], of: impl Fn(&Pair) -> usize) -> Vec<usize> {
    let mut out = Vec::new();
    for column in pairs.iter().map(of) {
        if out.len() < SIDE && !out.contains(&column) {
            out.push(column);
        }
    }
    out
}

/// The difference of `b` between rows with and without `a`; None if either group is too small, or the labels of `b` are too rare.
fn compare(table: &Table, a: usize, b: usize) -> Option<Difference> {
    let seen = table.rows().filter(|row| !row[b].is_nan());
    let (gone, there): (Vec<&[f64]>, Vec<&[f64]>) = seen.partition(|row| row[a].is_nan());
    if gone.len() < FEWEST || there.len() < FEWEST {
        return None;
    }
    let cells = |rows: &[&[f64]]| rows.iter().map(|row| row[b]).collect::<Vec<f64>>();
    let kind = table.columns()[b].kind();
    if *kind == Kind::Continuous {
        return Some(of_numbers(&cells(&gone), &cells(&there)));
    }
    let atoms = kind.atoms();
    let counts = |rows: &[&[f64]]| {
        let mut counts = vec![0.0; atoms.len()];
        for cell in cells(rows) {
            let k = atoms.partition_point(|&atom| atom < cell);
            counts[k] += 1.0;
        }
        counts
    };
    of_labels(&counts(&gone), &counts(&there))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_decides_over_gaps_is_found() {
        let row = |i: u32| {
            let (x, noise) = (f64::from(i % 50), f64::from((i * 37) % 101));
            [x, noise, if x > 35.0 { f64::NAN } else { noise }]
        };
        let rows: Vec<[f64; 3]> = (0..200).map(row).collect();
        let found = Dependence::of(&Table::continuous(&["x", "noise", "y"], &rows).unwrap());
        let first = &found.pairs[0];
        assert_eq!((first.gaps, first.other, first.effect), (2, 0, 1.0));
        assert!(first.adjusted < 1e-10 && found.pairs[1].adjusted > 0.05, "{:?}", found.pairs);
        let answer = found.answer(&["x", "noise", "y"]);
        assert!(
            answer.starts_with(
                "1 of 2 pairs of columns differs by more than chance; most of all, “x” is larger"
            ),
            "{answer}"
        );
    }

    #[test]
    fn direction_and_size_are_those_of_the_map() {
        // One huge value makes the mean of `x` larger where `y` is missing, although nearly all its values are smaller.
        let row = |i: u32| {
            let x = if i == 0 { 1e6 } else { f64::from(i) };
            [x, if i < 40 { f64::NAN } else { f64::from((i * 37) % 101) }]
        };
        let rows: Vec<[f64; 2]> = (0..200).map(row).collect();
        let found = Dependence::of(&Table::continuous(&["x", "y"], &rows).unwrap());
        let answer = found.answer(&["x", "y"]);
        assert!(found.pairs[0].means > Some(0.0) && found.pairs[0].effect < 0.0);
        assert!(
            answer.starts_with(
                "1 of 1 pair of columns differs by more than chance; most of all, “x” is smaller where “y” is missing (2 AUC − 1 = −0.95"
            ),
            "{answer}"
        );
    }
}
