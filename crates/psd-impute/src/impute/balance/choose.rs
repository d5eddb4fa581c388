//! One of the candidates of each row, so that together they are near to where they should be.
//!
//! With `x_i` how far the waves of row `i`'s candidate are from their average over its candidates, and `e_i` the average of `|x_i|²`,
//!
//! ```text
//! minimise |Σ_i x_i - t|² + (Σ_i |x_i|² - e_i)²/e        over the candidates of each row
//! ```
//!
//! row after row, some rounds. The first term alone has `Σ |x_i|²` in it: candidates near to the average would be taken more often than others,
//! and draws would be less spread than their distributions. The second keeps their spread. With `e` the average of all `e_i` it outweighs
//! that as soon as about half a row's spread is lost.

use std::iter::zip;

/// Rounds over all rows, at most.
const ROUNDS: usize = 5;

/// The candidates of a row.
pub(super) struct Candidates {
    /// `x`, one candidate after the other. There are many of them: half the digits will do.
    waves: Vec<f32>,
    /// `|x|² - e_i` of each, and `e_i`.
    excess: Vec<f64>,
    spread: f64,
}

impl Candidates {
    /// From how far the waves of each candidate, `size` numbers, are from their average.
    pub(super) fn new(deviations: &[f64], size: usize) -> Self {
        let waves: Vec<f32> = deviations.iter().map(|&x| x as f32).collect();
        let squares: Vec<f64> = waves.chunks(size).map(|x| dot(x, x)).collect();
        let spread = squares.iter().sum::<f64>() / squares.len() as f64;
        Self { waves, excess: squares.iter().map(|square| square - spread).collect(), spread }
    }

    fn waves(&self, k: usize, size: usize) -> &[f32] {
        &self.waves[k * size..(k + 1) * size]
    }
}

/// What the candidates that were taken add up to.
struct Sums {
    /// `Σ x_i - t`.
    off: Vec<f64>,
    /// `Σ |x_i|² - e_i`.
    excess: f64,
}

impl Sums {
    fn add(&mut self, sign: f64, row: &Candidates, k: usize) {
        let waves = row.waves(k, self.off.len());
        zip(&mut self.off, waves).for_each(|(sum, &x)| *sum += sign * f64::from(x));
        self.excess += sign * row.excess[k];
    }
}

/// For each row the number of the candidate that is taken; `t` is the offset.
pub(super) fn nearest(rows: &[Candidates], offset: &[f64]) -> Vec<usize> {
    let typical = rows.iter().map(|row| row.spread).sum::<f64>() / rows.len() as f64;
    // Where all candidates are the same there is nothing to choose.
    if typical.is_nan() || typical <= 0.0 {
        return vec![0; rows.len()];
    }
    let mut taken = vec![0; rows.len()];
    let mut sums = Sums { off: offset.iter().map(|x| -x).collect(), excess: 0.0 };
    rows.iter().for_each(|row| sums.add(1.0, row, 0));
    for _ in 0..ROUNDS {
        let before = taken.clone();
        for (row, taken) in zip(rows, &mut taken) {
            sums.add(-1.0, row, *taken);
            let off: Vec<f32> = sums.off.iter().map(|&x| x as f32).collect();
            // What the candidate adds to the two terms, but for e_i in the first.
            let cost = |k: usize| {
                let excess = row.excess[k];
                2.0 * dot(row.waves(k, off.len()), &off)
                    + excess
                    + excess * (2.0 * sums.excess + excess) / typical
            };
            let costs = (0..row.excess.len()).map(|k| (k, cost(k)));
            *taken = costs.fold((*taken, f64::INFINITY), |best, at| if at.1 < best.1 { at } else { best }).0;
            sums.add(1.0, row, *taken);
        }
        if taken == before {
            break;
        }
    }
    taken
}

/// The inner product, in strands so that the compiler can use vector registers.
fn dot(a: &[f32], b: &[f32]) -> f64 {
    const STRANDS: usize = 16;
    let mut strands = [0.0f32; STRANDS];
    let (a, b) = (a.chunks(STRANDS), b.chunks(STRANDS));
    for (x, y) in zip(a, b) {
        zip(&mut strands, zip(x, y)).for_each(|(sum, (x, y))| *sum += x * y);
    }
    strands.iter().map(|&x| f64::from(x)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: usize = 40;

    fn wave(i: usize, k: usize) -> f64 {
        ((i * 37 + k * 11) as f64 * 0.61).sin()
    }

    /// Both terms of what is minimised, from their definition.
    fn cost(rows: &[Candidates], taken: &[usize], offset: &[f64]) -> f64 {
        let e = rows.iter().map(|row| row.spread).sum::<f64>() / rows.len() as f64;
        let x = |i: usize, k: usize| f64::from(rows[i].waves[taken[i] * SIZE + k]);
        let square = |i: usize| (0..SIZE).map(|k| x(i, k).powi(2)).sum::<f64>();
        let all = || 0..rows.len();
        let off = |k: usize| all().map(|i| x(i, k)).sum::<f64>() - offset[k];
        (0..SIZE).map(|k| off(k).powi(2)).sum::<f64>()
            + all().map(|i| square(i) - rows[i].spread).sum::<f64>().powi(2) / e
    }

    #[test]
    fn no_other_candidate_of_a_single_row_is_nearer() {
        let row = |i: usize| {
            let reach = 0.5 + (i % 3) as f64;
            Candidates::new(&(0..4 * SIZE).map(|k| reach * wave(i, k)).collect::<Vec<_>>(), SIZE)
        };
        let rows: Vec<Candidates> = (0..40).map(row).collect();
        let offset: Vec<f64> = (0..SIZE).map(|k| 3.0 * wave(99, k)).collect();
        let taken = nearest(&rows, &offset);
        let (reached, first) = (cost(&rows, &taken, &offset), cost(&rows, &[0; 40], &offset));
        assert!(reached < 0.5 * first, "{reached} {first}");
        for i in 0..40 {
            for k in 0..4 {
                let mut other = taken.clone();
                other[i] = k;
                let there = cost(&rows, &other, &offset);
                assert!(there >= reached - 1e-4 * reached, "row {i}, candidate {k}: {there} {reached}");
            }
        }
    }

    #[test]
    fn wide_candidates_are_taken_as_often_as_narrow_ones() {
        // Of every four candidates two are three times as far away as the others.
        let reach = |k: usize| [1.0, 3.0][k / SIZE % 2];
        let row = |i: usize| {
            Candidates::new(&(0..4 * SIZE).map(|k| reach(k) * wave(i, k)).collect::<Vec<_>>(), SIZE)
        };
        let rows: Vec<Candidates> = (0..200).map(row).collect();
        let taken = nearest(&rows, &[0.0; SIZE]);
        let spread: f64 = zip(&rows, &taken).map(|(row, &k)| row.excess[k] + row.spread).sum();
        let expected: f64 = rows.iter().map(|row| row.spread).sum();
        assert!((spread / expected - 1.0).abs() < 0.02, "{spread} {expected}");
    }
}
