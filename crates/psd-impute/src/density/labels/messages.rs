//! Message passing.
//!
//! Let `b_c(v)` be the probability of everything observed below column `c`, given its value `v`. Children come before their parents:
//!
//! ```text
//! m_c(u) = Σ_v p(v | u) b_c(v)          b_p(u) = Π_{children c of p} m_c(u)
//! ```
//!
//! where an observed column has only its own value in the sum, and one that nothing was observed in or below sends `m = 1`, without any work.
//! The probability of the observed labels is the product of `Σ_v p(v) b(v)` over the roots, and of `m_c(u)` over the children of observed
//! columns. Back from the roots, given the value `u` of its parent, a missing column has
//!
//! ```text
//! P(v | u, observed) = p(v | u) b_c(v) / m_c(u)
//! ```
//!
//! which gives posterior tables, expected counts and joint draws.

use super::LabelForest;
use rand::{Rng, RngExt};

/// The product of factors is moved into a logarithm below this.
const SMALL: f64 = 1e-150;

/// Messages from observed labels to the missing ones above them: `b_c`, up to a factor.
#[derive(Default)]
pub(crate) struct Beliefs {
    /// For each column; empty if nothing was observed below it, or it is observed itself.
    of: Vec<Vec<f64>>,
}

impl Beliefs {
    fn clear(&mut self, columns: usize) {
        self.of.resize(columns, Vec::new());
        self.of.iter_mut().for_each(Vec::clear);
    }
}

impl LabelForest {
    /// The row of a column's table, given the value of its parent.
    fn row<'t>(&self, c: usize, u: Option<usize>, tables: &'t [Vec<f64>]) -> &'t [f64] {
        let size = self.sizes[c];
        &tables[c][u.unwrap_or(0) * size..][..size]
    }

    /// Passes messages up and returns the log-probability of the observed labels.
    pub(crate) fn listen(&self, tables: &[Vec<f64>], seen: &[Option<usize>], beliefs: &mut Beliefs) -> f64 {
        beliefs.clear(self.len());
        let (mut log, mut product) = (0.0, 1.0);
        for &c in self.order.iter().rev() {
            if seen[c].is_none() && beliefs.of[c].is_empty() {
                continue;
            }
            product *= match self.parents[c] {
                Some(p) if seen[p].is_none() => self.tell(c, p, tables, seen, beliefs),
                Some(p) => self.message(c, seen[p], tables, seen, beliefs),
                None => self.message(c, None, tables, seen, beliefs),
            };
            if product < SMALL {
                log += product.ln();
                product = 1.0;
            }
        }
        log + product.ln()
    }

    /// `m_c(u)`; for a root, the probability of what was observed in its tree.
    fn message(
        &self,
        c: usize,
        u: Option<usize>,
        tables: &[Vec<f64>],
        seen: &[Option<usize>],
        beliefs: &Beliefs,
    ) -> f64 {
        let row = self.row(c, u, tables);
        match seen[c] {
            Some(v) => row[v],
            None => row.iter().zip(&beliefs.of[c]).map(|(p, b)| p * b).sum(),
        }
    }

    /// Multiplies the belief of a missing parent by a column's message. Returns the factor that is taken out.
    fn tell(
        &self,
        c: usize,
        p: usize,
        tables: &[Vec<f64>],
        seen: &[Option<usize>],
        beliefs: &mut Beliefs,
    ) -> f64 {
        let mut belief = std::mem::take(&mut beliefs.of[p]);
        belief.resize(self.sizes[p], 1.0);
        for (u, b) in belief.iter_mut().enumerate() {
            *b *= self.message(c, Some(u), tables, seen, beliefs);
        }
        let top = belief.iter().copied().fold(0.0, f64::max);
        if top > 0.0 {
            belief.iter_mut().for_each(|b| *b /= top);
        }
        beliefs.of[p] = belief;
        top
    }

    /// Writes `P(v | u, observed)` of a missing column.
    fn given(&self, c: usize, u: Option<usize>, tables: &[Vec<f64>], beliefs: &Beliefs, out: &mut Vec<f64>) {
        out.clear();
        out.extend_from_slice(self.row(c, u, tables));
        let belief = &beliefs.of[c];
        if belief.is_empty() {
            return;
        }
        out.iter_mut().zip(belief).for_each(|(p, b)| *p *= b);
        let total: f64 = out.iter().sum();
        if total > 0.0 {
            out.iter_mut().for_each(|p| *p /= total);
        }
    }

    /// Adds `share` times the expected counts of the columns that something was observed in or below: the others say nothing about the tables.
    pub(crate) fn count(
        &self,
        tables: &[Vec<f64>],
        seen: &[Option<usize>],
        beliefs: &Beliefs,
        share: f64,
        counts: &mut [Vec<f64>],
    ) {
        let mut posteriors = vec![Vec::new(); self.len()];
        let mut here = Vec::new();
        for &c in &self.order {
            let size = self.sizes[c];
            if seen[c].is_none() && beliefs.of[c].is_empty() {
                continue;
            }
            let mut posterior = if seen[c].is_some() { Vec::new() } else { vec![0.0; size] };
            let mut add = |u: Option<usize>, weight: f64| {
                let to = &mut counts[c][u.unwrap_or(0) * size..][..size];
                if let Some(v) = seen[c] {
                    to[v] += share * weight;
                    return;
                }
                self.given(c, u, tables, beliefs, &mut here);
                for ((to, all), p) in to.iter_mut().zip(&mut posterior).zip(&here) {
                    *to += share * weight * p;
                    *all += weight * p;
                }
            };
            self.parent_values(c, seen, &posteriors, &mut add);
            posteriors[c] = posterior;
        }
    }

    /// The posterior table of each missing column; empty for observed ones.
    pub(crate) fn posteriors(
        &self,
        tables: &[Vec<f64>],
        seen: &[Option<usize>],
        beliefs: &Beliefs,
    ) -> Vec<Vec<f64>> {
        let mut out = vec![Vec::new(); self.len()];
        let mut here = Vec::new();
        for &c in self.order.iter().filter(|&&c| seen[c].is_none()) {
            let mut posterior = vec![0.0; self.sizes[c]];
            self.parent_values(c, seen, &out, &mut |u, weight| {
                self.given(c, u, tables, beliefs, &mut here);
                posterior.iter_mut().zip(&here).for_each(|(all, p)| *all += weight * p);
            });
            out[c] = posterior;
        }
        out
    }

    /// The values that a column's parent may have, with their probabilities; a root has none.
    fn parent_values(
        &self,
        c: usize,
        seen: &[Option<usize>],
        posteriors: &[Vec<f64>],
        with: &mut dyn FnMut(Option<usize>, f64),
    ) {
        match self.parents[c] {
            None => with(None, 1.0),
            Some(p) if seen[p].is_some() => with(seen[p], 1.0),
            Some(p) => {
                let values = posteriors[p].iter().enumerate().filter(|(_, weight)| **weight > 0.0);
                values.for_each(|(u, weight)| with(Some(u), *weight));
            }
        }
    }

    /// Draws the missing labels, given the observed ones.
    pub(crate) fn draw(
        &self,
        tables: &[Vec<f64>],
        seen: &[Option<usize>],
        beliefs: &Beliefs,
        rng: &mut dyn Rng,
    ) -> Vec<usize> {
        let mut out: Vec<usize> = seen.iter().map(|seen| seen.unwrap_or(0)).collect();
        let mut here = Vec::new();
        for &c in self.order.iter().filter(|&&c| seen[c].is_none()) {
            self.given(c, self.parents[c].map(|p| out[p]), tables, beliefs, &mut here);
            let mut left: f64 = rng.random();
            let found = here.iter().position(|p| {
                left -= p;
                left < 0.0
            });
            let last = here.iter().rposition(|p| *p > 0.0);
            out[c] = found.or(last).unwrap_or(0);
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    /// Two trees: 1 <- 0 -> 2 -> 3, and 4 alone; a column with one value.
    fn forest() -> LabelForest {
        LabelForest::new(vec![2, 3, 2, 4, 3, 1], vec![None, Some(0), Some(0), Some(2), None, Some(3)])
            .unwrap()
    }

    fn tables(forest: &LabelForest, rng: &mut ChaCha8Rng) -> Vec<Vec<f64>> {
        let mut out = forest.zeros();
        for (c, table) in out.iter_mut().enumerate() {
            for row in table.chunks_mut(forest.size(c)) {
                row.iter_mut().for_each(|p| *p = rng.random::<f64>().powi(3));
                let total: f64 = row.iter().sum();
                row.iter_mut().for_each(|p| *p /= total);
            }
        }
        out
    }

    /// All complete rows that agree with the observed labels, and their probabilities.
    fn worlds(forest: &LabelForest, tables: &[Vec<f64>], seen: &[Option<usize>]) -> Vec<(Vec<usize>, f64)> {
        let mut rows = vec![Vec::new()];
        for c in 0..forest.len() {
            let values = (0..forest.size(c)).filter(|v| seen[c].is_none_or(|seen| seen == *v));
            let longer = |v: usize| rows.iter().map(move |row| [&row[..], &[v]].concat());
            rows = values.flat_map(longer).collect();
        }
        let p = |row: &Vec<usize>| -> f64 {
            let entry = |c: usize| forest.row(c, forest.parent(c).map(|p| row[p]), tables)[row[c]];
            (0..forest.len()).map(entry).product()
        };
        rows.into_iter().map(|row| (row.clone(), p(&row))).collect()
    }

    #[test]
    fn messages_are_sums_over_all_completed_rows() {
        let forest = forest();
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        for _ in 0..60 {
            let tables = tables(&forest, &mut rng);
            let seen: Vec<Option<usize>> = (0..forest.len())
                .map(|c| (rng.random::<f64>() < 0.5).then(|| rng.random_range(0..forest.size(c))))
                .collect();
            let worlds = worlds(&forest, &tables, &seen);
            let total: f64 = worlds.iter().map(|world| world.1).sum();
            let mut beliefs = Beliefs::default();
            let log = forest.listen(&tables, &seen, &mut beliefs);
            assert!((log - total.ln()).abs() < 1e-12, "{log} {}", total.ln());
            let posteriors = forest.posteriors(&tables, &seen, &beliefs);
            let mut counts = forest.zeros();
            forest.count(&tables, &seen, &beliefs, 2.0, &mut counts);
            for c in 0..forest.len() {
                for v in 0..forest.size(c) {
                    let with = |world: &&(Vec<usize>, f64)| world.0[c] == v;
                    let p: f64 = worlds.iter().filter(with).map(|world| world.1).sum::<f64>() / total;
                    if seen[c].is_none() {
                        assert!((posteriors[c][v] - p).abs() < 1e-12);
                    }
                    for u in 0..forest.parent(c).map_or(1, |p| forest.size(p)) {
                        let count = counts[c][u * forest.size(c) + v];
                        let both = |world: &&(Vec<usize>, f64)| {
                            with(world) && forest.parent(c).is_none_or(|p| world.0[p] == u)
                        };
                        let p: f64 = worlds.iter().filter(both).map(|world| world.1).sum::<f64>() / total;
                        let told = seen[c].is_some() || !beliefs.of[c].is_empty();
                        assert!((count - if told { 2.0 * p } else { 0.0 }).abs() < 1e-12);
                    }
                }
            }
        }
    }

    #[test]
    fn draws_have_the_joint_distribution() {
        let forest = forest();
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        let tables = tables(&forest, &mut rng);
        let seen = [None, Some(1), None, None, Some(0), Some(0)];
        let mut beliefs = Beliefs::default();
        let log = forest.listen(&tables, &seen, &mut beliefs);
        let draws: Vec<Vec<usize>> =
            (0..20_000).map(|_| forest.draw(&tables, &seen, &beliefs, &mut rng)).collect();
        for (row, p) in worlds(&forest, &tables, &seen) {
            let share = draws.iter().filter(|draw| **draw == row).count() as f64 / 20_000.0;
            assert!((share - p / log.exp()).abs() < 0.015, "{row:?}: {share} {}", p / log.exp());
        }
    }
}
