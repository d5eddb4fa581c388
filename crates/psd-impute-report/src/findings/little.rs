//! Little's test of whether cells are missing completely at random.
//!
//! If they are, the rows of every pattern have the same mean. With `ȳ_p` the mean of the `n_p` rows of pattern `p` over its observed columns
//! `p`, and `μ`, `Σ` those of the maximum likelihood normal distribution,
//!
//! ```text
//! d² = Σ_p n_p (ȳ_p - μ_p)' Σ_pp⁻¹ (ȳ_p - μ_p)
//! ```
//!
//! is then about chi-squared with `Σ_p |p| - d` degrees of freedom, `d` being the number of columns (Little 1988). The test uses numeric
//! columns only.
//!
//! **Patterns of one row.** The likelihood of `μ, c Σ` over all `c` is greatest at `c = 1`, where its derivative is zero:
//!
//! ```text
//! Σ_i (x_i - μ)' Σ_ii⁻¹ (x_i - μ) = the number of observed cells
//! ```
//!
//! with each row's observed columns. If every row has a pattern of its own the left side is `d²`, whatever the mechanism: the test then has no
//! power. So it needs several rows per pattern.

use super::dependence::Dependence;
use crate::numbers::{count, p_value, short};
use crate::statistics::chi_squared_above;
use crate::statistics::normal::{Unlikely, most_likely, part};
use faer::linalg::solvers::Solve;
use faer::{Mat, Side};
use psd_impute::table::{Column, Kind, Table};
use serde::Serialize;

/// Maximum number of columns; more take too long.
const MOST_COLUMNS: usize = 60;
/// Minimum average number of rows per pattern.
const ROWS_OF_PATTERN: usize = 5;
/// Number of rows below which the test has little power.
const FEW: usize = 200;
/// The significance level.
const LEVEL: f64 = 0.05;

const SINGULAR: &str = "columns of numbers depend on each other, so that they have no normal distribution";
const UNSETTLED: &str = "the normal distribution of greatest likelihood was not reached";

/// Little's test.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "state", rename_all = "lowercase")]
pub enum Little {
    /// The test was done.
    Done {
        /// `d²`.
        statistic: f64,
        /// The degrees of freedom.
        freedom: usize,
        /// The probability of a larger `d²` if missingness is completely at random.
        p: f64,
        /// Number of patterns compared.
        patterns: usize,
        /// Number of rows.
        rows: usize,
    },
    /// The test was not done.
    Not {
        /// The reason.
        why: &'static str,
    },
}

impl Little {
    pub(crate) fn of(table: &Table) -> Self {
        let numeric = |j: &usize| *table.columns()[*j].kind() == Kind::Continuous;
        let columns: Vec<usize> = (0..table.columns().len()).filter(numeric).collect();
        match test(table, &columns) {
            Ok(done) => done,
            Err(why) => Self::Not { why },
        }
    }

    /// One or two sentences, the first of which is consistent with the findings of pairs of columns.
    pub fn answer(&self, dependence: &Dependence) -> String {
        let own = match self {
            Self::Not { why } => format!("Little’s test says nothing here: {why}."),
            &Self::Done { statistic, freedom, p, rows, .. } => {
                let verdict = match (p < LEVEL, dependence.beyond) {
                    (true, _) => {
                        "Probably not completely at random: rows with different gaps differ in what is observed of them"
                    }
                    (false, 0) if rows < FEW => {
                        "Little’s test sees nothing against completely at random, but so few rows show large differences only"
                    }
                    (false, 0) => "Little’s test sees nothing against completely at random",
                    (false, _) => "Little’s test, which compares whole patterns, does not see it",
                };
                format!(
                    "{verdict} (Little’s test on {} rows: d² = {}, {freedom} degrees of freedom, {}).",
                    count(rows as u64),
                    short(statistic),
                    p_value(p)
                )
            }
        };
        let silent = !matches!(self, Self::Done { p, .. } if *p < LEVEL);
        if silent && dependence.beyond > 0 {
            return format!("Probably not completely at random: {}. {own}", dependence.how_many());
        }
        own
    }
}

fn test(table: &Table, columns: &[usize]) -> Result<Little, &'static str> {
    let d = columns.len();
    if d < 2 {
        return Err("it needs at least two columns of numbers");
    }
    if d > MOST_COLUMNS {
        return Err("the table has more than 60 columns of numbers");
    }
    let numbers = numbers(table, columns).ok_or("no row has a number")?;
    let numbers = numbers.standardise().0;
    let groups = numbers.groups();
    let freedom = groups.iter().map(|group| group.pattern.observed().len()).sum::<usize>().saturating_sub(d);
    if groups.len() < 2 || freedom == 0 {
        return Err("the columns of numbers are missing in a single pattern");
    }
    if numbers.len() < ROWS_OF_PATTERN * groups.len() {
        return Err("most rows have a pattern of their own, or share it with few others");
    }
    let normal = most_likely(&numbers).map_err(|why| match why {
        Unlikely::Singular => SINGULAR,
        Unlikely::Unsettled => UNSETTLED,
    })?;
    let mut statistic = 0.0;
    for group in &groups {
        let seen = group.pattern.observed();
        let mean =
            |&j: &usize| group.rows.iter().map(|&i| numbers.row(i)[j]).sum::<f64>() / group.rows.len() as f64;
        let off = Mat::from_fn(seen.len(), 1, |k, _| mean(&seen[k]) - normal.mean[seen[k]]);
        let factor = part(normal.covariance.as_ref(), seen, seen).llt(Side::Lower).map_err(|_| SINGULAR)?;
        statistic += group.rows.len() as f64 * (off.transpose() * factor.solve(&off))[(0, 0)];
    }
    let p = chi_squared_above(statistic, freedom as f64);
    Ok(Little::Done { statistic, freedom, p, patterns: groups.len(), rows: numbers.len() })
}

/// The given columns, of the rows in which one of them is observed.
fn numbers(table: &Table, columns: &[usize]) -> Option<Table> {
    let rows: Vec<usize> =
        (0..table.len()).filter(|&i| columns.iter().any(|&j| !table.row(i)[j].is_nan())).collect();
    let cells = Mat::from_fn(columns.len(), rows.len(), |j, i| table.row(rows[i])[columns[j]]);
    let columns = columns.iter().map(|&j| Column::continuous(table.columns()[j].name()));
    Table::new(columns.collect(), cells).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn done(rows: &[[f64; 2]]) -> (f64, usize, f64) {
        match Little::of(&Table::continuous(&["x", "y"], rows).unwrap()) {
            Little::Done { statistic, freedom, p, .. } => (statistic, freedom, p),
            Little::Not { why } => panic!("{why}"),
        }
    }

    /// `x` is complete and `y` missing in some rows: the test reduces to whether `x` has the same mean in both groups. With
    /// Anderson's estimates the `y` of complete rows add nothing, because their residuals have mean zero.
    #[test]
    fn with_one_column_of_gaps_it_compares_the_means_of_the_other() {
        let rows: Vec<[f64; 2]> = (0..30)
            .map(|i| {
                let x = (f64::from(i) * 0.9).sin() + 0.05 * f64::from(i);
                [x, if i > 18 { f64::NAN } else { x + (f64::from(i) * 2.3).cos() }]
            })
            .collect();
        let mean = |rows: &[[f64; 2]]| rows.iter().map(|row| row[0]).sum::<f64>() / rows.len() as f64;
        let (all, seen, gone) = (mean(&rows), mean(&rows[..19]), mean(&rows[19..]));
        let variance = rows.iter().map(|row| (row[0] - all).powi(2)).sum::<f64>() / 30.0;
        let expected = (19.0 * (seen - all).powi(2) + 11.0 * (gone - all).powi(2)) / variance;
        let (statistic, freedom, p) = done(&rows);
        assert!((statistic - expected).abs() < 1e-6, "{statistic} {expected}");
        assert_eq!(freedom, 1);
        assert!((p - chi_squared_above(expected, 1.0)).abs() < 1e-6);
    }

    #[test]
    fn it_says_when_it_cannot() {
        let of = |rows: &[[f64; 2]]| match Little::of(&Table::continuous(&["x", "y"], rows).unwrap()) {
            Little::Done { p, .. } => panic!("{p}"),
            Little::Not { why } => why,
        };
        assert!(of(&[[1.0, 2.0], [2.0, 5.0], [3.0, 1.0]]).contains("single pattern"));
        let line = |i: u32| [f64::from(i), if i == 3 { f64::NAN } else { 2.0 * f64::from(i) }];
        assert_eq!(of(&(0..12).map(line).collect::<Vec<_>>()), SINGULAR);
    }

    /// The largest of eight numbers are missing in each row, and nearly every row has its own pattern: `d²` is the number of observed cells.
    #[test]
    fn it_says_nothing_of_rows_with_a_pattern_of_their_own() {
        let row = |i: u32| {
            let cell = |j: u32| ((f64::from(i * 8 + j) + 1.0) * 12.9898).sin() * 43_758.545_3 % 1.0;
            [0, 1, 2, 3, 4, 5, 6, 7].map(|j| if cell(j) > 0.2 { f64::NAN } else { cell(j) })
        };
        let rows: Vec<[f64; 8]> = (0..80).map(row).collect();
        let table = Table::continuous(&["a", "b", "c", "d", "e", "f", "g", "h"], &rows).unwrap();
        let Little::Not { why } = Little::of(&table) else { panic!("it was done") };
        assert!(why.starts_with("most rows have a pattern of their own"), "{why}");
    }

    #[test]
    fn it_does_not_contradict_what_pairs_show() {
        let blind = Little::Done { statistic: 1.0, freedom: 1, p: 0.4, patterns: 2, rows: 50 };
        let dependence = |beyond: usize| Dependence { pairs: Vec::new(), compared: 6, beyond };
        assert!(blind.answer(&dependence(0)).starts_with("Little’s test sees nothing against"));
        let silent = Little::Not { why: SINGULAR };
        for little in [blind, silent] {
            let answer = little.answer(&dependence(2));
            let first =
                "Probably not completely at random: 2 of 6 pairs of columns differ by more than chance. ";
            assert!(answer.starts_with(first), "{answer}");
            assert!(!answer.contains("nothing against"), "{answer}");
        }
    }
}
