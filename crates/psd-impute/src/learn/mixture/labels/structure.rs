//! The forest over the discrete columns of a table, after Chow and Liu.
//!
//! Of all trees the likelihood is highest for the one with the greatest sum of mutual information over its edges. Mutual information of
//! independent columns is never zero, so an edge's score here is what it gains by the likelihood of [`strength`](super::strength): the rows of
//! the table of one column given the other are drawn around the column's frequencies, against rows that are equal to them. It is negative
//! for independent columns, and nearly `N` times the mutual information for one-to-one columns, however many their labels. Each edge's score is the mean over
//! both directions. Edges are taken in the order of their scores if they close no cycle.

use super::strength::{WEIGHTS, best, log_likelihood};
use crate::density::LabelForest;

/// Least score of an edge, in nats. Arbitrary.
const LEAST: f64 = 3.0;
/// Most entries of the table of an edge, and of all edges together, which each component has. Arbitrary.
const ENTRIES: usize = 4_096;
const ALL_ENTRIES: usize = 32_768;

/// The weighted combinations of labels.
pub(super) struct Pairs<'a> {
    pub(super) combinations: &'a [Vec<Option<usize>>],
    pub(super) weights: &'a [f64],
    /// Frequencies of each column's labels.
    pub(super) rho: &'a [Vec<f64>],
}

impl Pairs<'_> {
    /// The number of rows with each pair of values of two columns; values of the second side by side.
    fn counts(&self, a: usize, b: usize) -> Vec<f64> {
        let size = self.rho[b].len();
        let mut out = vec![0.0; self.rho[a].len() * size];
        for (seen, weight) in self.combinations.iter().zip(self.weights) {
            if let (Some(u), Some(v)) = (seen[a], seen[b]) {
                out[u * size + v] += weight;
            }
        }
        out
    }

    /// The forest.
    pub(super) fn forest(&self) -> LabelForest {
        let sizes: Vec<usize> = self.rho.iter().map(Vec::len).collect();
        let entries = |a: usize, b: usize| sizes[a].saturating_mul(sizes[b]);
        let mut edges = Vec::new();
        for (a, b) in (0..sizes.len()).flat_map(|b| (0..b).map(move |a| (a, b))) {
            if sizes[a] > 1 && sizes[b] > 1 && entries(a, b) <= ENTRIES {
                let score = score(&self.counts(a, b), sizes[b]);
                edges.extend((score > LEAST).then_some((score, a, b)));
            }
        }
        edges.sort_by(|x, y| y.0.total_cmp(&x.0).then((x.1, x.2).cmp(&(y.1, y.2))));
        let (mut tree, mut left) = ((0..sizes.len()).collect::<Vec<_>>(), ALL_ENTRIES);
        let mut kept = Vec::new();
        for (_, a, b) in edges {
            let (one, other) = (tree[a], tree[b]);
            if one != other && entries(a, b) <= left {
                left -= entries(a, b);
                tree.iter_mut().filter(|t| **t == other).for_each(|t| *t = one);
                kept.push((a, b));
            }
        }
        let parents = self.rooted(&kept);
        LabelForest::new(sizes.clone(), parents).unwrap_or_else(|_| LabelForest::apart(sizes))
    }

    /// The parent of each column, if each tree has its root at the column that is observed most: that leaves the least to be summed out.
    fn rooted(&self, edges: &[(usize, usize)]) -> Vec<Option<usize>> {
        let count = self.rho.len();
        let mut observed = vec![0.0; count];
        for (seen, weight) in self.combinations.iter().zip(self.weights) {
            seen.iter().zip(&mut observed).filter(|(seen, _)| seen.is_some()).for_each(|(_, n)| *n += weight);
        }
        let mut by_rows: Vec<usize> = (0..count).collect();
        by_rows.sort_by(|&a, &b| observed[b].total_cmp(&observed[a]).then(a.cmp(&b)));
        let (mut parents, mut reached) = (vec![None; count], vec![false; count]);
        for root in by_rows {
            let mut waiting = if reached[root] { Vec::new() } else { vec![root] };
            reached[root] = true;
            while let Some(p) = waiting.pop() {
                for &(a, b) in edges.iter().filter(|&&(a, b)| a == p || b == p) {
                    let c = if a == p { b } else { a };
                    if !reached[c] {
                        (reached[c], parents[c]) = (true, Some(p));
                        waiting.push(c);
                    }
                }
            }
        }
        parents
    }

    /// The tables of all rows together: the rows of an edge's table are shrunk towards the child's frequencies, with the weight that is most likely.
    pub(super) fn overall(&self, forest: &LabelForest) -> Vec<Vec<f64>> {
        let table = |c: usize| {
            let Some(p) = forest.parent(c) else { return self.rho[c].clone() };
            let (rho, counts) = (&self.rho[c], self.counts(p, c));
            let rows = || counts.chunks(rho.len());
            let (weight, _) = best(&WEIGHTS, |w| rows().map(|row| log_likelihood(row, rho, w)).sum());
            let shrunk = |row: &[f64]| {
                let total: f64 = row.iter().sum::<f64>() + weight;
                row.iter().zip(rho).map(|(n, rho)| (n + weight * rho) / total).collect::<Vec<_>>()
            };
            rows().flat_map(shrunk).collect()
        };
        (0..forest.len()).map(table).collect()
    }
}

/// The score of an edge, from the counts of pairs.
fn score(counts: &[f64], size: usize) -> f64 {
    let other = counts.len() / size;
    let turned: Vec<f64> = (0..size).flat_map(|v| (0..other).map(move |u| counts[u * size + v])).collect();
    0.5 * (gain(counts, size) + gain(&turned, other))
}

/// The gain in likelihood, in nats, of the rows of a table around their sum over equal rows.
fn gain(counts: &[f64], size: usize) -> f64 {
    let mut sums = vec![0.0; size];
    counts.chunks(size).for_each(|row| sums.iter_mut().zip(row).for_each(|(sum, n)| *sum += n));
    let total: f64 = sums.iter().sum();
    if total <= 0.0 {
        return 0.0;
    }
    let equal: f64 = sums.iter().filter(|n| **n > 0.0).map(|n| n * (n / total).ln()).sum();
    let mean: Vec<f64> = sums.iter().map(|n| n / total).collect();
    best(&WEIGHTS, |w| counts.chunks(size).map(|row| log_likelihood(row, &mean, w)).sum()).1 - equal
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    fn pairs_of(rows: &[Vec<Option<usize>>], sizes: &[usize]) -> (Vec<Vec<f64>>, Vec<f64>) {
        let share = |c: usize, v: usize| rows.iter().filter(|row| row[c] == Some(v)).count() as f64;
        let rho = (0..sizes.len()).map(|c| {
            let counts: Vec<f64> = (0..sizes[c]).map(|v| share(c, v) + 1e-9).collect();
            let total: f64 = counts.iter().sum();
            counts.iter().map(|n| n / total).collect()
        });
        (rho.collect(), vec![1.0; rows.len()])
    }

    #[test]
    fn copies_are_joined_and_strangers_are_not() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        // Sixteen labels with a copy, each seen five times; two strangers, one of many labels; one value; never observed.
        let sizes = [16, 16, 3, 40, 1, 2];
        let row = |i: usize, rng: &mut ChaCha8Rng| {
            let free = |k: usize, rng: &mut ChaCha8Rng| Some(rng.random_range(0..k));
            vec![Some(i % 16), Some(15 - i % 16), free(3, rng), free(40, rng), Some(0), None]
        };
        let rows: Vec<_> = (0..80).map(|i| row(i, &mut rng)).collect();
        let (rho, weights) = pairs_of(&rows, &sizes);
        let pairs = Pairs { combinations: &rows, weights: &weights, rho: &rho };
        let forest = pairs.forest();
        assert_eq!(forest.parents(), [None, Some(0), None, None, None, None]);
        let overall = pairs.overall(&forest);
        assert!((0..16).all(|u| overall[1][u * 16 + 15 - u] > 0.999), "{:?}", overall[1]);
    }

    #[test]
    fn a_chain_is_found_and_rooted_where_most_is_observed() {
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        let mut noisy = |v: usize| if rng.random::<f64>() < 0.8 { v } else { rng.random_range(0..4) };
        let row = |i: usize| {
            let a = i % 4;
            let b = noisy(a);
            let c = noisy(b);
            vec![(!i.is_multiple_of(3)).then_some(a), Some(b), (!i.is_multiple_of(5)).then_some(c)]
        };
        let rows: Vec<_> = (0..600).map(row).collect();
        let (rho, weights) = pairs_of(&rows, &[4, 4, 4]);
        let forest = Pairs { combinations: &rows, weights: &weights, rho: &rho }.forest();
        assert_eq!(forest.parents(), [Some(1), None, Some(1)]);
    }
}
