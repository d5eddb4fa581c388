//! The discrete columns of the rows that a mixture is fitted to.
//!
//! Rows with the same labels, missing ones included, have the same log-probability of them and the same expected counts under a component. So
//! an E-step passes messages once per distinct **combination** of labels and component, not once per row.

mod nearest;
mod prior;
mod strength;
mod structure;

pub(super) use prior::TablePrior;

use super::Component;
use crate::density::{Beliefs, LabelForest};
use crate::table::{Kind, Table, position};
use rayon::prelude::*;
use std::collections::HashMap;
use std::sync::Arc;
use structure::Pairs;

/// The discrete columns of a table, and the forest over them.
pub(super) struct Labels {
    pub(super) forest: Arc<LabelForest>,
    /// The columns' positions in the table.
    pub(super) columns: Vec<usize>,
    /// Their observed frequencies.
    pub(super) rho: Vec<Vec<f64>>,
    /// The tables of all rows together: frequencies of roots, and of children given their parents.
    pub(super) overall: Vec<Vec<f64>>,
    /// The distinct combinations of labels; `None` where missing.
    pub(super) combinations: Vec<Vec<Option<usize>>>,
    /// The combination of each row.
    pub(super) of_row: Vec<usize>,
}

impl Labels {
    /// The labels of a table, whose row weights say how many rows each stands for; over a given forest, or over the one that its pairs of labels ask for.
    pub(super) fn new(table: &Table, weights: &[f64], forest: Option<Arc<LabelForest>>) -> Self {
        let kind = |j: usize| table.columns()[j].kind();
        let columns: Vec<usize> =
            (0..table.columns().len()).filter(|&j| *kind(j) != Kind::Continuous).collect();
        let atoms: Vec<Vec<f64>> = columns.iter().map(|&j| kind(j).atoms()).collect();
        let rho: Vec<Vec<f64>> = columns.iter().map(|&j| table.shares(j, Some(weights))).collect();
        let (combinations, of_row) = combinations(table, &columns, &atoms);
        let mut totals = vec![0.0; combinations.len()];
        of_row.iter().zip(weights).for_each(|(&at, weight)| totals[at] += weight);
        let pairs = Pairs { combinations: &combinations, weights: &totals, rho: &rho };
        let forest = forest.unwrap_or_else(|| Arc::new(pairs.forest()));
        let overall = pairs.overall(&forest);
        Self { forest, columns, rho, overall, combinations, of_row }
    }

    /// Whether there are any.
    pub(super) fn any(&self) -> bool {
        !self.columns.is_empty()
    }

    /// For each component, the log-density of each combination with respect to the observed frequencies.
    pub(super) fn logs(&self, components: &[Component]) -> Vec<Vec<f64>> {
        let base = |seen: &Vec<Option<usize>>| -> f64 {
            seen.iter().zip(&self.rho).filter_map(|(seen, rho)| seen.map(|v| rho[v].ln())).sum()
        };
        let bases: Vec<f64> = self.combinations.iter().map(base).collect();
        let one = |component: &Component| {
            let mut beliefs = Beliefs::default();
            let logs = self
                .combinations
                .iter()
                .zip(&bases)
                .map(|(seen, base)| self.forest.listen(&component.tables, seen, &mut beliefs) - base);
            logs.collect()
        };
        components.par_iter().map(one).collect()
    }

    /// For each component, the expected counts of its tables, given the share of each combination in it.
    pub(super) fn counts(&self, components: &[Component], shares: &[Vec<f64>]) -> Vec<Vec<Vec<f64>>> {
        let one = |(component, shares): (&Component, &Vec<f64>)| {
            let (mut counts, mut beliefs) = (self.forest.zeros(), Beliefs::default());
            for (seen, &share) in self.combinations.iter().zip(shares).filter(|(_, share)| **share > 0.0) {
                self.forest.listen(&component.tables, seen, &mut beliefs);
                self.forest.count(&component.tables, seen, &beliefs, share, &mut counts);
            }
            counts
        };
        components.par_iter().zip(shares).map(one).collect()
    }
}

/// The distinct combinations of labels in the order of their first rows, and the combination of each row.
fn combinations(
    table: &Table,
    columns: &[usize],
    atoms: &[Vec<f64>],
) -> (Vec<Vec<Option<usize>>>, Vec<usize>) {
    let mut known: HashMap<Vec<Option<usize>>, usize> = HashMap::new();
    let mut all = Vec::new();
    let place = |row: &[f64]| {
        let labels: Vec<Option<usize>> =
            columns.iter().zip(atoms).map(|(&j, atoms)| position(atoms, row[j])).collect();
        *known.entry(labels).or_insert_with_key(|labels| {
            all.push(labels.clone());
            all.len() - 1
        })
    };
    let of_row = table.rows().map(place).collect();
    (all, of_row)
}
