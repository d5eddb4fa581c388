//! Random waves whose averages measure the distance between two sets of rows.
//!
//! With the measure `|t|^-(d+1) dt` of frequencies, the energy distance is a squared distance between averages of waves,
//!
//! ```text
//! |x| ∝ ∫ (1 - cos t'x) |t|^-(d+1) dt,        ED(X, Y) ∝ ∫ |avg e^{it'x} - avg e^{it'y}|² |t|^-(d+1) dt
//! ```
//!
//! In polar coordinates `t = r θ` the measure is `r^-2 dr dθ`. Here `θ` is drawn from the sphere, and the `r` are the quantiles of a
//! half-Cauchy distribution of scale `s`, whose density is proportional to `1/(s² + r²)`, so a wave has weight `(s² + r²)/r²`. A step of
//! length one along one of `d` columns changes `θ'x` by about `1/√d`, so `s = √d` resolves such steps.

use super::settings::SETTINGS;
use crate::density::normal_quantile;
use crate::linalg::sines_and_cosines;
use crate::table::{Kind, Table, Unit};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::f64::consts::{FRAC_1_SQRT_2, FRAC_PI_2, TAU};

/// Waves over the rows of a standardised table.
pub(super) struct Waves {
    columns: Vec<Phase>,
    amplitudes: Vec<f64>,
}

/// Change of the phase of every wave due to a cell, in turns.
enum Phase {
    /// Change per unit of a number.
    Number(Vec<f64>),
    /// Change for each of the labels, whose distance is one.
    Label(Vec<Vec<f64>>),
}

impl Waves {
    /// Waves for `drawn` rows that need draws.
    pub(super) fn new(table: &Table, drawn: usize, seed: u64) -> Self {
        let count = (SETTINGS.waves_in_all / drawn.max(1)).max(SETTINGS.fewest_waves);
        let kinds = table.columns().iter().map(|column| column.kind());
        let sizes: Vec<usize> =
            kinds.map(|kind| if let Kind::Category(labels) = kind { labels.len() } else { 1 }).collect();
        let d = sizes.iter().sum::<usize>();
        let scale = (d as f64).sqrt();
        let rng = &mut ChaCha8Rng::seed_from_u64(seed);
        let lengths: Vec<f64> =
            (0..count).map(|k| scale * (FRAC_PI_2 * (k as f64 + 0.5) / count as f64).tan()).collect();
        let frequencies: Vec<Vec<f64>> = lengths.iter().map(|r| frequency(d, *r, rng)).collect();
        let along = |at: usize, unit: f64| frequencies.iter().map(|t| t[at] / (TAU * unit)).collect();
        let mut first = 0;
        let mut columns = Vec::with_capacity(sizes.len());
        for (j, size) in sizes.into_iter().enumerate() {
            columns.push(match Unit::of(table, j) {
                Unit::Number(unit) => Phase::Number(along(first, unit)),
                // Two unit vectors have distance √2, hence the divisor.
                Unit::Label => {
                    Phase::Label((0..size).map(|k| along(first + k, FRAC_1_SQRT_2.recip())).collect())
                }
            });
            first += size;
        }
        let amplitude = |r: &f64| ((1.0 + (scale / r).powi(2)) / count as f64).sqrt();
        Self { columns, amplitudes: lengths.iter().map(amplitude).collect() }
    }

    /// The number of waves.
    pub(super) fn count(&self) -> usize {
        self.amplitudes.len()
    }

    /// Numbers per row: each wave has a cosine and a sine.
    pub(super) fn size(&self) -> usize {
        2 * self.count()
    }

    /// Adds the change due to a cell of column `j` to the phases.
    pub(super) fn advance(&self, phases: &mut [f64], j: usize, x: f64) {
        let (steps, times) = match &self.columns[j] {
            Phase::Number(steps) => (steps, x),
            Phase::Label(steps) => (&steps[x as usize], 1.0),
        };
        phases.iter_mut().zip(steps).for_each(|(phase, step)| *phase += step * times);
    }

    /// Writes the cosines and sines at these phases.
    pub(super) fn at(&self, phases: &[f64], out: &mut [f64]) {
        let (cosines, sines) = out.split_at_mut(self.count());
        sines_and_cosines(phases, &self.amplitudes, sines, cosines);
    }
}

/// A vector of length `r` in a random direction.
fn frequency(d: usize, r: f64, rng: &mut ChaCha8Rng) -> Vec<f64> {
    let draw = |_| normal_quantile(rng.random::<f64>().clamp(f64::EPSILON, 1.0 - f64::EPSILON));
    let direction: Vec<f64> = (0..d).map(draw).collect();
    let length = direction.iter().map(|x| x * x).sum::<f64>().sqrt();
    direction.iter().map(|x| r * x / length).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Column;
    use faer::Mat;

    const LABELS: [&str; 3] = ["a", "b", "c"];

    fn table(n: usize, shift: f64, spread: f64, label: usize) -> Table {
        let columns = vec![
            Column::continuous("x"),
            Column::category("c", LABELS.map(String::from).to_vec()).unwrap(),
            Column::continuous("y"),
        ];
        let rng = &mut ChaCha8Rng::seed_from_u64(7);
        let mut cell = |j: usize, i: usize| match j {
            1 => {
                if i.is_multiple_of(3) {
                    label as f64
                } else {
                    (i % 2) as f64
                }
            }
            _ => shift + spread * normal_quantile(0.001 + 0.998 * rng.random::<f64>()),
        };
        let cells: Vec<f64> =
            (0..n).flat_map(|i| [0, 1, 2].map(|j| (j, i))).map(|(j, i)| cell(j, i)).collect();
        Table::new(columns, Mat::from_fn(3, n, |j, i| cells[3 * i + j])).unwrap()
    }

    /// Twice the average distance between the rows of two tables, minus the average distances within each.
    fn energy(a: &Table, b: &Table) -> f64 {
        let units = [0, 1, 2].map(|j| Unit::of(a, j));
        let distance = |x: &[f64], y: &[f64]| (0..3).map(|j| units[j].square(x[j], y[j])).sum::<f64>().sqrt();
        let mean = |a: &Table, b: &Table| {
            let sum: f64 = a.rows().map(|x| b.rows().map(|y| distance(x, y)).sum::<f64>()).sum();
            sum / (a.len() * b.len()) as f64
        };
        2.0 * mean(a, b) - mean(a, a) - mean(b, b)
    }

    fn by_waves(waves: &Waves, a: &Table, b: &Table) -> f64 {
        let average = |table: &Table| {
            let mut sum = vec![0.0; waves.size()];
            for row in table.rows() {
                let (mut phases, mut at) = (vec![0.0; waves.count()], vec![0.0; waves.size()]);
                row.iter().enumerate().for_each(|(j, &x)| waves.advance(&mut phases, j, x));
                waves.at(&phases, &mut at);
                sum.iter_mut().zip(at).for_each(|(sum, x)| *sum += x / table.len() as f64);
            }
            sum
        };
        average(a).iter().zip(average(b)).map(|(x, y)| (x - y).powi(2)).sum()
    }

    #[test]
    fn distances_of_averages_go_with_the_energy_distance() {
        let a = table(120, 0.0, 1.0, 0);
        let others = [
            table(120, 0.4, 1.0, 0),
            table(120, 0.0, 1.6, 0),
            table(120, 0.0, 1.0, 2),
            table(120, 0.1, 0.7, 1),
        ];
        let ratios: Vec<f64> = others
            .iter()
            .map(|b| {
                let averaged: f64 = (0..20).map(|seed| by_waves(&Waves::new(&a, 1200, seed), &a, b)).sum();
                averaged / 20.0 / energy(&a, b)
            })
            .collect();
        for ratio in &ratios {
            assert!((ratio / ratios[0] - 1.0).abs() < 0.1, "{ratios:?}");
        }
    }
}
