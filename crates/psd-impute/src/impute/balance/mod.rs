//! Draws in balance: of several draws of every row, those which together keep the distribution of the table.
//!
//! Draws that know nothing of each other scatter around what the model says of the table as a whole: with `n` rows, a table completed so is
//! about as far from the model as one table of `n` rows is from another. Nothing is gained by that. Here every row of the fitted table has
//! [`CANDIDATES`] draws, each exact, and of each row the one is taken that leaves the table nearest to the average over all of them, in
//! energy distance; see [`waves`]. With `φ` a row's waves and `φ̄` their average over its candidates,
//!
//! ```text
//! minimise |Σ_i (φ(y_i) - φ̄_i) - t|²        over the candidates y_i of each row i
//! ```
//!
//! as far as draws stay as spread as they are; see [`choose`]. `t` is zero if one table is asked for.
//!
//! **Several tables.** What the draws scatter by is part of the variance between tables that Rubin's rules need, so it may not vanish. As
//! with the weights of refits (see [`row_weights`](crate::learn)) the tables are kept in balance instead. `t` is made of `m` plain draws of each
//! row, `z_1 … z_m`, one for each table:
//!
//! ```text
//! t_k = κ Σ_i (φ(z_ik) - avg_k φ(z_ik))        κ² = (m + ¼)/(m + 1)
//! ```
//!
//! These add up to zero over the tables, so that the average over them hardly scatters. Followed exactly, a table scatters by `κ² (m - 1)/m` of
//! what plain draws do, and tables against each other by `κ²`. Rubin's rules count that `1 + 1/m` times, which has to be one, for what the
//! draws stand for: `κ² = m/(m + 1)`. But a few candidates follow products of columns, and so slopes, not quite; a quarter of the way to one
//! keeps the variance from falling short of what is needed. What changes from row to row faster than the waves can see is left to chance, as it is
//! in plain draws, and right as well.

mod choose;
mod waves;

use super::imputer::{Imputer, fill_gaps};
use crate::Result;
use crate::density::map_gaps;
use crate::learn::OneOf;
use crate::table::{RowKeys, Table};
use choose::{Candidates, nearest};
use rayon::prelude::*;
use std::collections::{HashMap, HashSet};
use waves::Waves;

/// Draws of a row that one is taken of.
const CANDIDATES: u64 = 16;
/// Rows whose waves are added up together.
const CHUNK: usize = 64;

/// The draws of rows, by the rows' keys.
#[derive(Debug, Default)]
pub(crate) struct Drawn(HashMap<u64, Vec<f64>>);

impl Drawn {
    /// The table with the rows completed that have a draw here.
    pub(super) fn fill(&self, table: &Table, keys: &RowKeys) -> Result<Table> {
        let mut cells = table.cells().to_owned();
        for i in 0..table.len() {
            if let Some(draw) = self.0.get(&keys.key(i)) {
                fill_gaps(cells.as_mut(), i, draw);
            }
        }
        table.with_cells(cells)
    }
}

/// The rows of a fitted table whose draws are to be in balance.
pub(crate) struct Balance {
    /// Standardised; equal rows are there as often as they were.
    rows: Table,
    keys: RowKeys,
    known: HashSet<u64>,
    waves: Waves,
}

impl Balance {
    /// From all standardised rows.
    pub(crate) fn new(rows: Table, seed: u64) -> Self {
        let drawn = rows.rows().filter(|row| row.iter().any(|x| x.is_nan())).count();
        let (keys, waves) = (RowKeys::of(&rows), Waves::new(&rows, drawn, seed));
        Self { known: (0..rows.len()).map(|i| keys.key(i)).collect(), rows, keys, waves }
    }

    /// Whether it knows one of the rows with these keys.
    pub(crate) fn knows(&self, keys: &RowKeys, rows: usize) -> bool {
        (0..rows).any(|i| self.known.contains(&keys.key(i)))
    }

    /// How the waves of each of the tables are to be off from the average, apart from the factor `κ`: nothing for a single one.
    pub(crate) fn offsets(&self, imputer: &Imputer<'_>, seed: u64, of: u64) -> Result<Vec<Vec<f64>>> {
        if of == 1 {
            return Ok(vec![vec![0.0; self.waves.size()]]);
        }
        // None of the candidates, which must know nothing of the offsets.
        let plain: Vec<(u64, u64)> = (1..=of).map(|number| (number, CANDIDATES)).collect();
        let size = plain.len() * self.waves.size();
        let parts: Vec<Vec<f64>> = self
            .draws(imputer, seed, &plain)?
            .par_chunks(CHUNK)
            .map(|rows| {
                let mut sum = vec![0.0; size];
                for (i, draws) in rows {
                    sum.iter_mut().zip(self.deviations(imputer, *i, draws)).for_each(|(s, x)| *s += x);
                }
                sum
            })
            .collect();
        let mut all = vec![0.0; size];
        parts.iter().for_each(|part| all.iter_mut().zip(part).for_each(|(sum, x)| *sum += x));
        Ok(all.chunks(self.waves.size()).map(<[f64]>::to_vec).collect())
    }

    /// The draw that each row gets in one of several tables, with the offset of that table.
    pub(crate) fn drawn(
        &self,
        imputer: &Imputer<'_>,
        seed: u64,
        OneOf { number, of }: OneOf,
        offset: &[f64],
    ) -> Result<Drawn> {
        let streams: Vec<(u64, u64)> = (0..CANDIDATES).map(|stream| (number, stream)).collect();
        let draws = self.draws(imputer, seed, &streams)?;
        let candidates = |(i, draws): &(usize, Vec<Vec<f64>>)| {
            Candidates::new(&self.deviations(imputer, *i, draws), self.waves.size())
        };
        let rows: Vec<Candidates> = draws.par_iter().map(candidates).collect();
        let kappa = ((of as f64 + 0.25) / (of as f64 + 1.0)).sqrt();
        let taken = nearest(&rows, &offset.iter().map(|x| kappa * x).collect::<Vec<_>>());
        let one =
            |((i, mut draws), k): ((usize, Vec<Vec<f64>>), usize)| (self.keys.key(i), draws.swap_remove(k));
        Ok(Drawn(draws.into_iter().zip(taken).map(one).collect()))
    }

    /// Draws of every row that has gaps, for imputations and streams.
    fn draws(
        &self,
        imputer: &Imputer<'_>,
        seed: u64,
        which: &[(u64, u64)],
    ) -> Result<Vec<(usize, Vec<Vec<f64>>)>> {
        let draws = map_gaps(imputer.density, &self.rows, |i, conditional| {
            let draw = |&(imputation, stream): &(u64, u64)| {
                let rng = &mut self.keys.stream(i, seed, imputation, stream);
                imputer.draw(self.rows.columns(), self.rows.row(i), conditional, rng)
            };
            which.iter().map(draw).collect::<Result<Vec<_>>>()
        })?;
        draws.into_iter().map(|(i, draws)| Ok((i, draws?))).collect()
    }

    /// For each draw of a row, how far the waves of the row are from their average over the draws.
    fn deviations(&self, imputer: &Imputer<'_>, i: usize, draws: &[Vec<f64>]) -> Vec<f64> {
        let row = self.rows.row(i);
        let size = self.waves.size();
        let mut observed = vec![0.0; self.waves.count()];
        let (seen, missing): (Vec<usize>, Vec<usize>) = (0..row.len()).partition(|&j| !row[j].is_nan());
        seen.iter().for_each(|&j| self.waves.advance(&mut observed, j, row[j]));
        let mut out = vec![0.0; draws.len() * size];
        let mut mean = vec![0.0; size];
        for (draw, out) in draws.iter().zip(out.chunks_mut(size)) {
            let mut phases = observed.clone();
            for (&j, &x) in missing.iter().zip(draw) {
                self.waves.advance(&mut phases, j, imputer.scaler.apply(j, x));
            }
            self.waves.at(&phases, out);
            mean.iter_mut().zip(&*out).for_each(|(sum, x)| *sum += x / draws.len() as f64);
        }
        out.chunks_mut(size).for_each(|out| out.iter_mut().zip(&mean).for_each(|(x, mean)| *x -= mean));
        out
    }
}
