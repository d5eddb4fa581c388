//! Iterative conditional expectation: scikit-learn's `IterativeImputer` with its defaults.
//!
//! Missing cells start at their column's mean. A round goes through all columns, those with the fewest missing cells first, and fills each by
//! a [Bayesian ridge regression](ridge) on the current values of all the others. Columns without missing cells have regressions too, because
//! other tables may miss them. There are ten rounds, or fewer if conditional means converge: when the cells of no row moved by more than a
//! thousandth of the largest observed cell in total. Other tables go through the same regressions in the same order.

mod eigen;
mod ridge;

use super::cells::only_numbers;
use super::cells::same_cells;
use super::chain::{Chain, Shifts, generator, place};
use super::{Fitted, Imputer};
use crate::Result;
use psd_impute::table::{RowKeys, Table};
use rand::{Rng, RngExt};
use rand_distr::StandardNormal;
use ridge::{Line, Ridge};

const ROUNDS: usize = 10;
const TOLERANCE: f64 = 1e-3;

/// Each missing cell gets its mean given the rest of its row.
#[derive(Debug, Clone, Copy, Default)]
pub struct Ice;

/// Each missing cell gets a draw given the rest of its row (`sample_posterior=True`). Each imputation is a separate chain of regressions and
/// draws, determined by the seed and its number.
#[derive(Debug, Clone, Copy, Default)]
pub struct IceMultiple;

struct FittedIce {
    shifts: Shifts,
    lines: Vec<Line>,
}

struct FittedIceMultiple {
    table: Table,
    seed: u64,
}

impl Imputer for Ice {
    fn fit(&self, table: &Table, _: u64) -> Result<Box<dyn Fitted>> {
        only_numbers(table)?;
        let mut chain = Chain::new(table);
        let order = fewest_gaps_first(&chain);
        let largest = table.rows().flatten().map(|x| x.abs()).fold(0.0, f64::max);
        let mut lines = Vec::new();
        for _ in 0..rounds(&chain) {
            let before = chain.rows().to_owned();
            chain.refresh();
            for &j in &order {
                let line = Ridge::fit(&chain, j).line;
                let means: Vec<f64> = chain.missing(j).iter().map(|&i| line.mean(chain.row(i))).collect();
                chain.set(j, &means);
                lines.push(line);
            }
            let moved = (chain.rows() - before).col_iter().map(|row| row.norm_l1()).fold(0.0, f64::max);
            if moved < TOLERANCE * largest {
                break;
            }
        }
        Ok(Box::new(FittedIce { shifts: chain.shifts, lines }))
    }
}

impl Fitted for FittedIce {
    fn complete(&self, table: &Table, _: u64) -> Result<Table> {
        self.shifts.complete(table, |_, cells, row| {
            for line in self.lines.iter().filter(|line| cells[line.target].is_nan()) {
                row[place(line.target)] = line.mean(row);
            }
        })
    }
}

impl Imputer for IceMultiple {
    fn fit(&self, table: &Table, seed: u64) -> Result<Box<dyn Fitted>> {
        only_numbers(table)?;
        Ok(Box::new(FittedIceMultiple { table: table.clone(), seed }))
    }
}

impl Fitted for FittedIceMultiple {
    fn complete(&self, table: &Table, imputation: u64) -> Result<Table> {
        let mut chain = Chain::new(&self.table);
        let ridges = draw_chain(&mut chain, &mut generator(self.seed, imputation));
        if same_cells(table, &self.table) {
            return chain.completed(table);
        }
        let keys = RowKeys::of(table);
        chain.shifts.complete(table, |i, cells, row| {
            let rng = &mut keys.generator(i, self.seed, imputation);
            for ridge in ridges.iter().filter(|ridge| cells[ridge.line.target].is_nan()) {
                row[place(ridge.line.target)] = draw(ridge, row, rng);
            }
        })
    }
}

/// Goes through all rounds with draws, and returns the regressions that were drawn from.
fn draw_chain(chain: &mut Chain, rng: &mut impl Rng) -> Vec<Ridge> {
    let order = fewest_gaps_first(chain);
    let mut ridges = Vec::new();
    for _ in 0..rounds(chain) {
        chain.refresh();
        for &j in &order {
            let ridge = Ridge::fit(chain, j);
            let draws: Vec<f64> = chain.missing(j).iter().map(|&i| draw(&ridge, chain.row(i), rng)).collect();
            chain.set(j, &draws);
            ridges.push(ridge);
        }
    }
    ridges
}

fn draw(ridge: &Ridge, row: &[f64], rng: &mut impl Rng) -> f64 {
    ridge.line.mean(row) + ridge.deviation(row) * rng.sample::<f64, _>(StandardNormal)
}

/// A single column has no others to learn from.
fn rounds(chain: &Chain) -> usize {
    if chain.columns() == 1 { 0 } else { ROUNDS }
}

fn fewest_gaps_first(chain: &Chain) -> Vec<usize> {
    let mut order: Vec<usize> = (0..chain.columns()).collect();
    order.sort_by_key(|&j| chain.missing(j).len());
    order
}
