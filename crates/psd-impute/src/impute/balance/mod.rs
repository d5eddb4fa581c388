//! Balanced draws: of several draws of each row, those are chosen which together keep the distribution of the table.
//!
//! Independent draws scatter around the model's distribution of the whole table: a table of `n` rows completed in this way is about as far
//! from the model as two tables of `n` rows are from each other. Nothing is gained by this scatter. Here every row of the fitted table has
//! between `least` and `most` candidate draws (see [`settings`]), each exact, and those are chosen that leave the table closest to the average over all candidates,
//! in energy distance. With `φ` the image of a row in a space where squared distances are energy distances, and `φ̄` its average over the
//! row's candidates,
//!
//! ```text
//! minimise |Σ_i (φ(y_i) - φ̄_i) - t|²        over the candidates y_i of each row i
//! ```
//!
//! under the condition that the draws keep their spread; see [`choose`]. `t` is zero for a single table. If rows are few, all [`distances`]
//! between candidates are stored; if they are many, random [`waves`] replace them.
//!
//! **Several tables.** The scatter of the draws is part of the variance between imputations that Rubin's rules need, so it must not vanish.
//! Instead the tables are balanced against each other, as the weights of refits are (`stack/row_weights.rs`). `t` is made of `m` plain draws
//! of each row, `z_1 … z_m`, one per table:
//!
//! ```text
//! t_k = κ Σ_i (φ(z_ik) - avg_k φ(z_ik))        κ² = (m + ρ)/(m + 1)
//! ```
//!
//! These sum to zero over the tables, so their average hardly scatters. Followed exactly, a table has `κ² (m - 1)/m` of the scatter of plain
//! draws, and the variance between tables is `κ²` of theirs. Rubin's rules count it `1 + 1/m` times. For the part due to the draws, this
//! product should be one, which is so for `ρ = 0`; see the tests. But refits of a hundred rows give a variance a few per cent too small for
//! slopes if missingness depends on observed values; a reserve `ρ` of a quarter of a table makes up for that. Whatever varies between rows
//! faster than candidates can follow is left to chance, as in plain draws, and is correct too.

mod choose;
mod distances;
mod points;
mod settings;
mod wave_sums;
mod waves;

use super::imputer::{Imputer, fill_gaps};
use crate::Result;
use crate::density::map_gaps;
use crate::stack::ImputationIndex;
use crate::table::{RowKeys, Scaler, Table};
use choose::nearest;
use distances::Distances;
use points::Points;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use settings::SETTINGS;
use std::collections::{HashMap, HashSet};
use wave_sums::WaveSums;
use waves::Waves;

/// A row with missing cells, and some draws of these cells.
pub(crate) type Draws = (usize, Vec<Vec<f64>>);

/// The chosen draw of each row, by the row's key.
#[derive(Debug, Default)]
pub(crate) struct Drawn(HashMap<u64, Vec<f64>>);

impl Drawn {
    /// Completes the rows that have a draw here; returns the table and its standardised copy.
    pub(super) fn fill(
        &self,
        table: &Table,
        standardised: Table,
        keys: &RowKeys,
        scaler: &Scaler,
    ) -> Result<(Table, Table)> {
        if self.0.is_empty() {
            return Ok((table.clone(), standardised));
        }
        let mut cells = table.cells().to_owned();
        for i in 0..table.len() {
            if let Some(draw) = self.0.get(&keys.key(i)) {
                fill_gaps(cells.as_mut(), i, draw);
            }
        }
        let filled = table.with_cells(cells)?;
        let standardised = scaler.standardise(&filled);
        Ok((filled, standardised))
    }
}

/// The rows of a fitted table that get balanced draws.
pub(crate) struct Balance {
    /// Standardised rows; equal rows occur as often as in the table.
    rows: Table,
    keys: RowKeys,
    known: HashSet<u64>,
    points: Points,
    /// Number of candidates per row.
    each: usize,
    /// Present if there are too many candidates to store the distances between them.
    waves: Option<Waves>,
}

impl Balance {
    /// A balance of all standardised rows.
    pub(crate) fn new(rows: Table, seed: u64) -> Self {
        let drawn = rows.rows().filter(|row| row.iter().any(|x| x.is_nan())).count();
        let each = (SETTINGS.stored / drawn.max(1)).clamp(SETTINGS.least, SETTINGS.most);
        let waves = (drawn * each > SETTINGS.stored).then(|| Waves::new(&rows, drawn, seed));
        let (keys, points) = (RowKeys::of(&rows), Points::new(&rows));
        Self { known: (0..rows.len()).map(|i| keys.key(i)).collect(), rows, keys, points, each, waves }
    }

    /// Whether any of the rows with these keys belongs to the fitted table.
    pub(crate) fn knows(&self, keys: &RowKeys, rows: usize) -> bool {
        (0..rows).any(|i| self.known.contains(&keys.key(i)))
    }

    /// One plain draw of each row per table, which defines the deviations of the tables from their mean; empty for a single table.
    pub(crate) fn plain(&self, imputer: &Imputer<'_>, seed: u64, of: u64) -> Result<Vec<Draws>> {
        // A stream that no candidate uses: the candidates must be independent of these draws.
        let streams: Vec<(u64, u64)> = (1..=of).map(|number| (number, SETTINGS.most as u64)).collect();
        if of == 1 { Ok(Vec::new()) } else { self.draws(imputer, seed, &streams) }
    }

    /// The chosen draw of each row for one of several tables, given the plain draws of all tables.
    pub(crate) fn drawn(
        &self,
        imputer: &Imputer<'_>,
        seed: u64,
        ImputationIndex { number, of }: ImputationIndex,
        plain: &[Draws],
    ) -> Result<Drawn> {
        let draws = self.candidates(imputer, seed, number)?;
        if draws.is_empty() {
            return Ok(Drawn::default());
        }
        let target = Target { plain, table: number as usize - 1, kappa: kappa(of), of };
        let variances = draws.par_iter().map(|row| squares(&self.points_of(imputer, row))).collect();
        let rng = &mut ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(number);
        let chosen = match &self.waves {
            Some(waves) => self.chosen_by_waves(waves, imputer, &draws, &target, variances, rng),
            None => self.chosen_by_distances(imputer, &draws, &target, variances, rng),
        };
        let one = |((i, mut draws), k): (Draws, usize)| (self.keys.key(i), draws.swap_remove(k));
        Ok(Drawn(draws.into_iter().zip(chosen).map(one).collect()))
    }

    /// The candidates of every row for one of several tables.
    fn candidates(&self, imputer: &Imputer<'_>, seed: u64, number: u64) -> Result<Vec<Draws>> {
        let streams: Vec<(u64, u64)> = (0..self.each as u64).map(|stream| (number, stream)).collect();
        self.draws(imputer, seed, &streams)
    }

    /// Chooses a candidate of each row by random waves.
    fn chosen_by_waves(
        &self,
        waves: &Waves,
        imputer: &Imputer<'_>,
        draws: &[Draws],
        target: &Target<'_>,
        variances: Vec<Vec<f64>>,
        rng: &mut ChaCha8Rng,
    ) -> Vec<usize> {
        let t = self.wave_offset(waves, imputer, target);
        let deviations = |(i, draws): &Draws| {
            self.deviations(waves, imputer, *i, draws).iter().map(|&x| x as f32).collect()
        };
        nearest(&mut WaveSums::new(draws.par_iter().map(deviations).collect(), &t), variances, rng)
    }

    /// Chooses a candidate of each row by all distances between candidates.
    fn chosen_by_distances(
        &self,
        imputer: &Imputer<'_>,
        draws: &[Draws],
        target: &Target<'_>,
        variances: Vec<Vec<f64>>,
        rng: &mut ChaCha8Rng,
    ) -> Vec<usize> {
        let weight =
            |k: usize| target.kappa * (f64::from(u8::from(k == target.table)) - (target.of as f64).recip());
        let offset = |(i, draws): &Draws| -> Vec<(f64, Vec<f64>)> {
            let point = |(k, draw): (usize, &Vec<f64>)| (weight(k), self.point(imputer, *i, draw));
            draws.iter().enumerate().map(point).collect()
        };
        let t: Vec<(f64, Vec<f64>)> = target.plain.iter().flat_map(offset).collect();
        let points = |row: &Draws| self.points_of(imputer, row);
        let candidates: Vec<Vec<f64>> = draws.par_iter().flat_map_iter(points).collect();
        nearest(&mut Distances::new(&candidates, self.each, &t), variances, rng)
    }

    /// The points of a row with each of its draws.
    fn points_of(&self, imputer: &Imputer<'_>, (i, draws): &Draws) -> Vec<Vec<f64>> {
        draws.iter().map(|draw| self.point(imputer, *i, draw)).collect()
    }

    /// Draws of every row with missing cells, one per pair (imputation, stream).
    fn draws(&self, imputer: &Imputer<'_>, seed: u64, which: &[(u64, u64)]) -> Result<Vec<Draws>> {
        let draws = map_gaps(imputer.density, &self.rows, |i, conditional| {
            let draw = |&(imputation, stream): &(u64, u64)| {
                let rng = &mut self.keys.stream(i, seed, imputation, stream);
                imputer.draw(self.rows.columns(), self.rows.row(i), conditional, rng)
            };
            which.iter().map(draw).collect::<Result<Vec<_>>>()
        })?;
        draws.into_iter().map(|(i, draws)| Ok((i, draws?))).collect()
    }

    /// The point of a row with a draw in its missing cells.
    fn point(&self, imputer: &Imputer<'_>, i: usize, draw: &[f64]) -> Vec<f64> {
        let mut drawn = draw.iter();
        let cell = |(j, &x): (usize, &f64)| {
            let filled = if x.is_nan() { drawn.next() } else { None };
            (j, filled.map_or(x, |&draw| imputer.scaler.apply(j, draw)))
        };
        self.points.of(self.rows.row(i).iter().enumerate().map(cell))
    }

    /// `t` of one of the tables, in terms of waves.
    fn wave_offset(
        &self,
        waves: &Waves,
        imputer: &Imputer<'_>,
        &Target { plain, table, kappa, .. }: &Target<'_>,
    ) -> Vec<f64> {
        let size = waves.size();
        let of_chunk = |rows: &[Draws]| {
            let mut sum = vec![0.0; size];
            for (i, draws) in rows {
                let own = &self.deviations(waves, imputer, *i, draws)[table * size..(table + 1) * size];
                sum.iter_mut().zip(own).for_each(|(sum, x)| *sum += kappa * x);
            }
            sum
        };
        let parts: Vec<Vec<f64>> = plain.par_chunks(SETTINGS.chunk).map(of_chunk).collect();
        let mut all = vec![0.0; size];
        parts.iter().for_each(|part| all.iter_mut().zip(part).for_each(|(sum, x)| *sum += x));
        all
    }

    /// For each draw of a row, the deviation of the row's waves from their average over the draws.
    fn deviations(&self, waves: &Waves, imputer: &Imputer<'_>, i: usize, draws: &[Vec<f64>]) -> Vec<f64> {
        let row = self.rows.row(i);
        let size = waves.size();
        let mut observed = vec![0.0; waves.count()];
        let (seen, missing): (Vec<usize>, Vec<usize>) = (0..row.len()).partition(|&j| !row[j].is_nan());
        seen.iter().for_each(|&j| waves.advance(&mut observed, j, row[j]));
        let mut out = vec![0.0; draws.len() * size];
        let mut mean = vec![0.0; size];
        for (draw, out) in draws.iter().zip(out.chunks_mut(size)) {
            let mut phases = observed.clone();
            for (&j, &x) in missing.iter().zip(draw) {
                waves.advance(&mut phases, j, imputer.scaler.apply(j, x));
            }
            waves.at(&phases, out);
            mean.iter_mut().zip(&*out).for_each(|(sum, x)| *sum += x / draws.len() as f64);
        }
        out.chunks_mut(size).for_each(|out| out.iter_mut().zip(&mean).for_each(|(x, mean)| *x -= mean));
        out
    }
}

/// The parts of `t`: the plain draws of all tables, and the table to draw, counted from zero.
struct Target<'a> {
    plain: &'a [Draws],
    table: usize,
    kappa: f64,
    /// Number of tables.
    of: u64,
}

/// `κ` for this many tables.
fn kappa(of: u64) -> f64 {
    let m = of as f64;
    ((m + SETTINGS.reserve) / (m + 1.0)).sqrt()
}

/// Squared distances of points from their average.
fn squares(points: &[Vec<f64>]) -> Vec<f64> {
    let axes = points.first().map_or(0, Vec::len);
    let mean = |j: usize| points.iter().map(|point| point[j]).sum::<f64>() / points.len() as f64;
    let centre: Vec<f64> = (0..axes).map(mean).collect();
    points.iter().map(|point| point.iter().zip(&centre).map(|(x, mean)| (x - mean).powi(2)).sum()).collect()
}
