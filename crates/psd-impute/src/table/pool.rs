//! Rare labels of a large category, pooled into one label.
//!
//! A few rows do not show how a label depends on other columns, and a density has parameters for every label that it distinguishes. In a category with
//! many labels it distinguishes only the most frequent; the others are the *pool*, one label to the density. Given the pool, the label is independent of
//! the other columns:
//!
//! ```text
//! P(label | rest) = P(pool | rest) · n(label) / n(pool)        n: observed cells
//! ```
//!
//! Densities of labels are with respect to their frequencies, so that the density at a label of the pool is that at the pool.

use crate::Result;
use crate::error::positive;
use rand::{Rng, RngExt};

/// The most labels of a category that a density distinguishes; in a category with more, one of these is the pool. Arbitrary.
pub const TOLD_APART: usize = 1000;

/// The distinguished labels of a category, and the frequencies of the others.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Pool {
    /// The number of observations of each label, by its position.
    counts: Vec<f64>,
    /// The place of each label in the density.
    places: Vec<usize>,
    /// The distinguished labels, by their places.
    apart: Vec<usize>,
    /// The labels of the pool, each with the cumulative number of observed cells.
    pooled: Vec<(usize, f64)>,
    /// The most frequent label of the pool, the first of equals.
    first: usize,
}

impl Pool {
    /// From the number of observations of each label. Returns `None` if all labels are distinguished. Among equally frequent labels the first are. A label
    /// that was never observed is improbable, not impossible.
    pub(super) fn of(mut counts: Vec<f64>) -> Option<Self> {
        if counts.len() <= TOLD_APART {
            return None;
        }
        counts.iter_mut().for_each(|count| *count = count.max(1e-9));
        let mut order: Vec<usize> = (0..counts.len()).collect();
        order.sort_by(|&a, &b| counts[b].total_cmp(&counts[a]).then(a.cmp(&b)));
        let (apart, pooled) = order.split_at(TOLD_APART - 1);
        let (mut apart, mut pooled, first) = (apart.to_vec(), pooled.to_vec(), pooled[0]);
        apart.sort_unstable();
        pooled.sort_unstable();
        let mut places = vec![apart.len(); counts.len()];
        apart.iter().enumerate().for_each(|(place, &label)| places[label] = place);
        let mut total = 0.0;
        let up_to = |label: usize| {
            total += counts[label];
            (label, total)
        };
        let pooled = pooled.into_iter().map(up_to).collect();
        Some(Self { counts, places, apart, pooled, first })
    }

    /// From counts that [`counts`](Self::counts) gave.
    pub(super) fn from_counts(counts: Vec<f64>) -> Result<Option<Self>> {
        counts.iter().try_for_each(|&count| positive("count of a label", count).map(|_| ()))?;
        Ok(Self::of(counts))
    }

    pub(super) fn counts(&self) -> &[f64] {
        &self.counts
    }

    /// The labels as the density sees them.
    pub(super) fn seen(&self, labels: &[String]) -> Vec<String> {
        let rest = format!("{} others", self.pooled.len());
        self.apart.iter().map(|&label| labels[label].clone()).chain([rest]).collect()
    }

    /// The place of a cell in the density.
    pub(super) fn place(&self, label: f64) -> f64 {
        let known = self.places.get(label as usize).filter(|_| label.is_finite());
        known.map_or(label, |&place| place as f64)
    }

    fn total(&self) -> f64 {
        self.pooled.last().map_or(0.0, |last| last.1)
    }

    /// The most frequent label among those that a place stands for.
    pub(super) fn label(&self, place: f64) -> f64 {
        self.apart.get(place as usize).copied().unwrap_or(self.first) as f64
    }

    /// One of the labels that a place stands for, drawn by their frequencies.
    pub(super) fn draw(&self, place: f64, rng: &mut dyn Rng) -> f64 {
        if let Some(&label) = self.apart.get(place as usize) {
            return label as f64;
        }
        let at = rng.random::<f64>() * self.total();
        let drawn = self.pooled.partition_point(|&(_, up_to)| up_to <= at);
        self.pooled.get(drawn).map_or(self.first, |&(label, _)| label) as f64
    }

    /// The probabilities of all labels, from those of places in their order.
    pub(super) fn spread(&self, places: &[(f64, f64)]) -> Vec<(f64, f64)> {
        let probability = |(label, &place): (usize, &usize)| {
            let share = if place < self.apart.len() { 1.0 } else { self.counts[label] / self.total() };
            (label as f64, share * places.get(place).map_or(0.0, |&(_, p)| p))
        };
        self.places.iter().enumerate().map(probability).collect()
    }
}
