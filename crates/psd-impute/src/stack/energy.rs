//! The weight of the donors, by the energy score of self-masked cells.
//!
//! Some observed cells `y` of a row are masked and predicted from the others, by the members fitted without the row. The **energy
//! score** `E|X - y| - ½ E|X - X'|` of a prediction `X` is proper, as the likelihood is, but it is measured in the cells' own units: a spike in
//! the right place is worth the distance it saves and no more. For a stack of two with posterior weights `1-w` and `w`,
//!
//! ```text
//! (1-w) a_0 + w a_1 - ½ [(1-w)² b_00 + 2 w (1-w) b_01 + w² b_11]        a_c = E|X_c - y|,  b_cd = E|X_c - X_d'|
//! ```
//!
//! so that one set of draws scores every weight. Distances are between standardised rows; different labels are one apart.

use crate::Result;
use crate::density::Density;
use crate::learn::selection::plainest;
use crate::linalg::sigmoid;
use crate::table::{Pattern, RowKeys, Table, Unit};
use rand::{Rng, RngExt};
use rayon::prelude::*;

/// Rows that are scored. Arbitrary: the standard error of the score falls by the root of it.
const ROWS: usize = 600;
/// With fewer scored rows than this, donors get no weight. Arbitrary.
const FEWEST: usize = 20;
/// Draws of each row, with and without donors. Arbitrary.
const DRAWS: usize = 24;
/// The share of a row's observed cells that is masked. Arbitrary.
const MASKED: f64 = 0.3;

/// One row's scores.
struct Scored {
    /// `log p_1(x_S) - log p_0(x_S)` for the cells that stayed.
    log_ratio: f64,
    a: [f64; 2],
    /// `b_00, b_01, b_11`.
    b: [f64; 3],
}

impl Scored {
    fn at(&self, logit: f64) -> f64 {
        let w = sigmoid(logit + self.log_ratio);
        let v = 1.0 - w;
        v * self.a[0] + w * self.a[1]
            - 0.5 * (v * v * self.b[0] + 2.0 * v * w * self.b[1] + w * w * self.b[2])
    }
}

/// The scored rows of a table.
pub(super) struct Scores {
    /// With their positions.
    rows: Vec<(usize, Scored)>,
}

impl Scores {
    /// The least weight of the second density whose weighted average score cannot be distinguished from the best; and the position and score of every
    /// scored row at that weight.
    pub(super) fn best_weight(&self, weights: &[f64]) -> (f64, Vec<(usize, f64)>) {
        let steps = (-24..=24).map(|k| 0.5 * f64::from(k));
        let logits: Vec<f64> = [f64::NEG_INFINITY].into_iter().chain(steps).chain([f64::INFINITY]).collect();
        let loss = |logit: usize, k: usize| {
            let (i, row) = &self.rows[k];
            weights[*i] * row.at(logits[logit])
        };
        let best = if self.rows.len() < FEWEST { 0 } else { plainest(logits.len(), self.rows.len(), loss) };
        let scores = self.rows.iter().enumerate().map(|(k, row)| (row.0, loss(best, k)));
        (sigmoid(logits[best]), scores.collect())
    }
}

/// Scores some rows of a table. `pair(i)` gives both densities, fitted without row `i`.
pub(super) fn score<'a>(
    table: &Table,
    seed: u64,
    pair: impl Fn(usize) -> Result<[Box<dyn Density + 'a>; 2]> + Sync,
) -> Result<Scores> {
    let keys = RowKeys::of(table);
    let units: Vec<Unit> = (0..table.columns().len()).map(|j| Unit::of(table, j)).collect();
    let rows = table.sample(ROWS).into_par_iter().map(|i| {
        let scored = score_row(table.row(i), &units, pair(i)?, &mut keys.generator(i, seed, 0))?;
        Ok(scored.map(|scored| (i, scored)))
    });
    Ok(Scores { rows: rows.collect::<Result<Vec<_>>>()?.into_iter().flatten().collect() })
}

/// Masks some cells of a row and scores both predictions. Returns `None` for a row with fewer than two observed cells.
fn score_row(
    row: &[f64],
    units: &[Unit],
    pair: [Box<dyn Density + '_>; 2],
    rng: &mut dyn Rng,
) -> Result<Option<Scored>> {
    let observed: Vec<usize> = (0..row.len()).filter(|&j| !row[j].is_nan()).collect();
    if observed.len() < 2 {
        return Ok(None);
    }
    let mut masked: Vec<usize> = observed.iter().copied().filter(|_| rng.random::<f64>() < MASKED).collect();
    if masked.is_empty() || masked.len() == observed.len() {
        masked = vec![observed[rng.random_range(0..observed.len())]];
    }
    let mut rest = row.to_vec();
    masked.iter().for_each(|&j| rest[j] = f64::NAN);
    let pattern = Pattern::of(&rest);
    let truth: Vec<f64> = masked.iter().map(|&j| row[j]).collect();
    let mut logs = [0.0; 2];
    let mut draws: [Vec<Vec<f64>>; 2] = [Vec::new(), Vec::new()];
    for c in 0..2 {
        let weighed = pair[c].given(&pattern)?.weigh(&rest);
        // A row that is impossible under one of the two cannot compare them.
        if weighed.log_marginal == f64::NEG_INFINITY {
            return Ok(None);
        }
        logs[c] = weighed.log_marginal;
        let conditional = (weighed.conditional)()?;
        let places = masked.iter().map(|&j| conditional.place(j)).collect::<Result<Vec<_>>>()?;
        for _ in 0..DRAWS {
            let draw = conditional.draw(rng);
            draws[c].push(places.iter().map(|&k| draw[k]).collect());
        }
    }
    let square = |x: &[f64], y: &[f64], k: usize| units[masked[k]].square(x[k], y[k]);
    let distance = |x: &[f64], y: &[f64]| (0..x.len()).map(|k| square(x, y, k)).sum::<f64>().sqrt();
    let to_truth = |c: usize| draws[c].iter().map(|x| distance(x, &truth)).sum::<f64>() / DRAWS as f64;
    let between = |c: usize, d: usize| {
        let pairs =
            (0..DRAWS).flat_map(|i| (0..DRAWS).map(move |k| (i, k))).filter(|(i, k)| c != d || i != k);
        let (sum, n) =
            pairs.fold((0.0, 0), |(sum, n), (i, k)| (sum + distance(&draws[c][i], &draws[d][k]), n + 1));
        sum / f64::from(n)
    };
    Ok(Some(Scored {
        log_ratio: logs[1] - logs[0],
        a: [to_truth(0), to_truth(1)],
        b: [between(0, 0), between(0, 1), between(1, 1)],
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The score of a weighted set of points, from its definition.
    #[test]
    fn a_stack_of_two_scores_as_the_weighted_set_of_their_draws() {
        let (y, sets) = (0.3f64, [[-1.0f64, 0.2, 0.9], [0.1, 0.4, 2.0]]);
        let mean = |c: usize, d: usize| {
            let pairs = sets[c].iter().flat_map(|x| sets[d].iter().map(move |z| (x - z).abs()));
            pairs.sum::<f64>() / 9.0
        };
        let to_truth = |c: usize| sets[c].iter().map(|x: &f64| (x - y).abs()).sum::<f64>() / 3.0;
        let scored =
            Scored { log_ratio: 0.4, a: [to_truth(0), to_truth(1)], b: [mean(0, 0), mean(0, 1), mean(1, 1)] };
        for logit in [f64::NEG_INFINITY, -1.3, 0.0, 2.0, f64::INFINITY] {
            let odds = (logit + 0.4).exp();
            let w = if odds.is_infinite() { 1.0 } else { odds / (1.0 + odds) };
            let points: Vec<(f64, f64)> = sets[0]
                .iter()
                .map(|&x| ((1.0 - w) / 3.0, x))
                .chain(sets[1].iter().map(|&x| (w / 3.0, x)))
                .collect();
            let near: f64 = points.iter().map(|(p, x)| p * (x - y).abs()).sum();
            let apart: f64 =
                points.iter().flat_map(|(p, x)| points.iter().map(move |(q, z)| p * q * (x - z).abs())).sum();
            assert!((scored.at(logit) - (near - 0.5 * apart)).abs() < 1e-14, "{logit}");
        }
    }
}
