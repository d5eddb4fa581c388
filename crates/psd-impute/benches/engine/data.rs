//! Simulated tables and their objectives.

use faer::Mat;
use psd_impute::Result;
use psd_impute::internals::kernel::{BaseMeasure, Features, Metric};
use psd_impute::internals::objective::{Objective, Problem, ProblemOptions, Storage};
use psd_impute::learn::psd::AnchorChoice;
use psd_impute::table::{Column, Table};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeSet;

/// Bytes that a data term and a Newton system may take each.
pub(crate) const MEMORY: u64 = 2 << 30;
/// The share of cells that are missing.
const MISSING: f64 = 0.3;
/// Gaussians in the mixture.
const PARTS: usize = 4;

/// A simulated problem.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Case {
    /// `N`.
    pub(crate) rows: usize,
    /// `d`.
    pub(crate) columns: usize,
    /// `l`.
    pub(crate) anchors: usize,
    /// Number of patterns, which the rows take in turn; random patterns if `None`.
    pub(crate) patterns: Option<usize>,
    /// The storage of the data term.
    pub(crate) storage: Storage,
}

impl Case {
    /// A standardised table: a mixture of shifted Gaussians with one common factor, 30 % of its cells missing at random.
    pub(crate) fn table(&self) -> Result<Table> {
        let mut rng = ChaCha8Rng::seed_from_u64(self.rows as u64);
        let shifts = Mat::from_fn(self.columns, PARTS, |_, _| 1.5 * normal(&mut rng));
        let masks = self.patterns.map(|count| different_masks(self.columns, count, &mut rng));
        let mut cells = Mat::zeros(self.columns, self.rows);
        for i in 0..self.rows {
            let (part, factor) = (rng.random_range(0..PARTS), normal(&mut rng));
            let missing = match &masks {
                Some(masks) => masks[i % masks.len()].clone(),
                None => mask(self.columns, &mut rng),
            };
            for j in 0..self.columns {
                let value = shifts[(j, part)] + 0.8 * factor + 0.6 * normal(&mut rng);
                cells[(j, i)] = if missing[j] { f64::NAN } else { value };
            }
        }
        let columns = (0..self.columns).map(|j| Column::continuous(format!("x{j}"))).collect();
        Ok(Table::new(columns, cells)?.standardise().0)
    }

    /// The objective of fitting k-means anchors to the [table](Self::table).
    pub(crate) fn objective(&self) -> Result<Objective> {
        let table = self.table()?;
        let mut rng = ChaCha8Rng::seed_from_u64(self.anchors as u64);
        let anchors = AnchorChoice::KMeans { count: self.anchors, steps: 10 }.pick(&table, &mut rng)?;
        let features =
            Features::new(&table, None, &anchors, Metric::isotropic(0.5)?, BaseMeasure::WholeSpace, 1.0)?;
        let options = ProblemOptions { storage: self.storage, memory: MEMORY, ..ProblemOptions::default() };
        Problem::new(&features, &table, None, None, options)?.objective()
    }
}

/// The missing cells of a row; never all of them.
fn mask(columns: usize, rng: &mut ChaCha8Rng) -> Vec<bool> {
    loop {
        let mask: Vec<bool> = (0..columns).map(|_| rng.random::<f64>() < MISSING).collect();
        if mask.contains(&false) {
            return mask;
        }
    }
}

/// Random masks, without repetition.
fn different_masks(columns: usize, count: usize, rng: &mut ChaCha8Rng) -> Vec<Vec<bool>> {
    let (mut masks, mut seen) = (Vec::new(), BTreeSet::new());
    while masks.len() < count {
        let mask = mask(columns, rng);
        if seen.insert(mask.clone()) {
            masks.push(mask);
        }
    }
    masks
}

/// A standard normal number by Box and Muller's formula.
fn normal(rng: &mut ChaCha8Rng) -> f64 {
    let (u, v) = (1.0 - rng.random::<f64>(), rng.random::<f64>());
    (-2.0 * u.ln()).sqrt() * (std::f64::consts::TAU * v).cos()
}
