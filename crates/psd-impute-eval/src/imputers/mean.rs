//! The mean of each column, or the most frequent label of a category.

use super::cells::{fill, mean};
use super::{Fitted, Imputer};
use crate::Result;
use psd_impute::table::{Kind, Table};

/// Every missing cell gets the mean or the most frequent label of its column.
#[derive(Debug, Clone, Copy, Default)]
pub struct Mean;

/// The value for each column.
struct FittedMean(Vec<f64>);

impl Imputer for Mean {
    fn fit(&self, table: &Table, _: u64) -> Result<Box<dyn Fitted>> {
        let usual = |j: usize| match table.columns()[j].kind() {
            Kind::Category(labels) => most_frequent(table.observed(j), labels.len()),
            _ => mean(table.observed(j)),
        };
        Ok(Box::new(FittedMean((0..table.columns().len()).map(usual).collect())))
    }
}

impl Fitted for FittedMean {
    fn complete(&self, table: &Table, _: u64) -> Result<Table> {
        fill(table, |j, _| self.0[j])
    }
}

/// The most frequent label, or the first of several.
fn most_frequent(values: impl Iterator<Item = f64>, labels: usize) -> f64 {
    let mut counts = vec![0usize; labels];
    values.for_each(|x| counts[x as usize] += 1);
    let best = (0..labels).rev().max_by_key(|&k| counts[k]).unwrap_or(0);
    best as f64
}
