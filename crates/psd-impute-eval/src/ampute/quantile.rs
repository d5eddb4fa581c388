//! Censoring at quantiles: cells in the tails of a column are missing.

use super::draw::choose;
use crate::error::{Error, Result, share};
use faer::Mat;
use psd_impute::table::{Kind, Table};
use rand::Rng;

/// The cells of a column beyond its quantiles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tail {
    /// Those at or below the lower quantile.
    Lower,
    /// Those at or above the upper quantile.
    Upper,
    /// Both.
    Both,
}

/// In a share of the columns of numbers, the cells of the tails are missing with one probability, which attains the rate in the column.
pub(super) fn probabilities(
    table: &Table,
    rate: f64,
    columns: f64,
    (quantile, tail): (f64, Tail),
    rng: &mut impl Rng,
) -> Result<Mat<f64>> {
    if columns != 1.0 {
        share("the share of columns", columns)?;
    }
    share("the quantile", quantile)?;
    let numbers: Vec<usize> = (0..table.columns().len())
        .filter(|&j| !matches!(table.columns()[j].kind(), Kind::Category(_)))
        .collect();
    if numbers.is_empty() {
        return Err(Error::TooFewColumns { what: "columns of numbers", needed: 1, found: 0 });
    }
    let mut out = Mat::zeros(table.columns().len(), table.len());
    for j in choose(numbers.len(), columns, rng).into_iter().map(|k| numbers[k]) {
        let Some((lower, upper)) = ends(table.observed(j).collect(), quantile) else { continue };
        let beyond = |x: f64| match tail {
            Tail::Lower => x <= lower,
            Tail::Upper => x >= upper,
            Tail::Both => x <= lower || x >= upper,
        };
        let count = table.observed(j).filter(|&x| beyond(x)).count();
        let share = count as f64 / table.observed(j).count() as f64;
        if share < rate {
            let column = table.columns()[j].name().to_string();
            return Err(Error::ThinTails { column, share, rate });
        }
        for (i, _) in table.rows().enumerate().filter(|(_, row)| beyond(row[j])) {
            out[(j, i)] = rate / share;
        }
    }
    Ok(out)
}

/// The values at which the tails end: each tail has at least the share `quantile` of the values, and more only by repeated values or rounding up.
fn ends(mut values: Vec<f64>, quantile: f64) -> Option<(f64, f64)> {
    values.sort_by(f64::total_cmp);
    let count = (quantile * values.len() as f64).ceil() as usize;
    Some((*values.get(count.checked_sub(1)?)?, *values.get(values.len().checked_sub(count)?)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tails_have_their_share() {
        let values: Vec<f64> = [4, 1, 9, 7, 3, 8, 2, 6, 5, 10].map(f64::from).to_vec();
        assert_eq!(ends(values.clone(), 0.2), Some((2.0, 9.0)));
        assert_eq!(ends(values.clone(), 0.25), Some((3.0, 8.0)));
        assert_eq!(ends(values, 1e-9), Some((1.0, 10.0)));
        assert_eq!(ends(vec![5.0], 0.25), Some((5.0, 5.0)));
        assert_eq!(ends(Vec::new(), 0.25), None);
    }
}
