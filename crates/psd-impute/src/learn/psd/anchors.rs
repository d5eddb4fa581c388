//! Initial anchors.

use crate::error::bad;
use crate::kernel::{Anchors, Bounds};
use crate::learn::imputed_copy;
use crate::learn::kmeans;
use crate::table::{Kind, Table};
use crate::{Error, Result};
use faer::Mat;
use rand::seq::index;
use rand::{Rng, RngExt};

/// Largest memory for anchors in bytes; more than 1 GiB is taken to be a mistake. Arbitrary.
const LARGEST: u64 = 1 << 30;

/// Method for placing anchors. Continuous columns should be standardised first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnchorChoice {
    /// A regular grid over the bounding box of the observed cells; every value of a discrete column is a grid line.
    Grid {
        /// Points along each continuous column.
        per_column: usize,
    },
    /// Independent points, uniform over the bounding box; values of discrete columns are drawn by their observed frequency.
    Uniform {
        /// Number of anchors.
        count: usize,
    },
    /// The centres of k-means on an imputed copy, seeded by k-means++.
    KMeans {
        /// Number of anchors; at most that of the rows.
        count: usize,
        /// Largest number of Lloyd's iterations; with zero the k-means++ seeds are the anchors.
        steps: usize,
    },
    /// Rows of an imputed copy, drawn without replacement.
    Rows {
        /// Number of anchors; at most that of the rows.
        count: usize,
    },
}

impl AnchorChoice {
    /// Places anchors for a table. The same generator state gives the same anchors.
    ///
    /// # Errors
    ///
    /// [`Error::BadParameter`] for no anchors, [`Error::TooLarge`] for more than 1 GiB of them.
    pub fn pick(&self, table: &Table, rng: &mut dyn Rng) -> Result<Anchors> {
        let d = table.columns().len();
        let points = match *self {
            Self::Grid { per_column } => grid(table, per_column)?,
            Self::Uniform { count } => {
                check(count, d)?;
                uniform(table, count, rng)
            }
            Self::KMeans { count, steps } => {
                check(count, d)?;
                kmeans::cluster(table, &imputed_copy(table, rng), count.min(table.len()), steps, rng).0
            }
            Self::Rows { count } => {
                check(count, d)?;
                let copy = imputed_copy(table, rng);
                let rows = index::sample(rng, table.len(), count.min(table.len()));
                Mat::from_fn(d, rows.len(), |j, a| copy[(j, rows.index(a))])
            }
        };
        Anchors::new(points)
    }
}

fn check(count: usize, columns: usize) -> Result<()> {
    if count == 0 {
        return Err(bad("number of anchors", 0, "at least one"));
    }
    let needed = (count as u64).saturating_mul(8 * columns as u64);
    if needed > LARGEST {
        return Err(Error::TooLarge { what: "the anchors", needed: needed >> 20, ceiling: LARGEST >> 20 });
    }
    Ok(())
}

/// The smallest and largest observed value; a unit interval if the column has none.
fn range(table: &Table, j: usize) -> (f64, f64) {
    let (lo, hi) =
        table.observed(j).fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), x| (lo.min(x), hi.max(x)));
    if lo <= hi { (lo, hi) } else { (-0.5, 0.5) }
}

/// The bounding box of the observed cells, extended by `margin` of its length at each end; by 0.5 where all cells are equal.
pub(super) fn box_of(table: &Table, margin: f64) -> Vec<Bounds> {
    let widened = |(lo, hi): (f64, f64)| {
        let by = if hi > lo { margin * (hi - lo) } else { 0.5 };
        (lo - by, hi + by)
    };
    (0..table.columns().len()).map(|j| widened(range(table, j))).collect()
}

/// `d × count` points, independently uniform on a box.
pub(super) fn uniform_on(bounds: &[Bounds], count: usize, rng: &mut dyn Rng) -> Mat<f64> {
    Mat::from_fn(bounds.len(), count, |j, _| bounds[j].0 + (bounds[j].1 - bounds[j].0) * rng.random::<f64>())
}

fn grid(table: &Table, per_column: usize) -> Result<Mat<f64>> {
    if per_column == 0 {
        return Err(bad("grid points along a column", 0, "at least one"));
    }
    let lines = |j: usize| match table.columns()[j].kind() {
        Kind::Continuous => per_column,
        discrete => discrete.atoms().len(),
    };
    let count = (0..table.columns().len()).fold(1usize, |n, j| n.saturating_mul(lines(j)));
    check(count, table.columns().len())?;
    let axes: Vec<Vec<f64>> = (0..table.columns().len())
        .map(|j| match table.columns()[j].kind() {
            Kind::Continuous => {
                let (lo, hi) = range(table, j);
                (0..per_column).map(|k| lo + (hi - lo) * (k as f64 + 0.5) / per_column as f64).collect()
            }
            discrete => discrete.atoms(),
        })
        .collect();
    let mut out = Mat::zeros(axes.len(), count);
    for a in 0..count {
        let mut rest = a;
        for (j, axis) in axes.iter().enumerate() {
            out[(j, a)] = axis[rest % axis.len()];
            rest /= axis.len();
        }
    }
    Ok(out)
}

fn uniform(table: &Table, count: usize, rng: &mut dyn Rng) -> Mat<f64> {
    let d = table.columns().len();
    let mut out = Mat::zeros(d, count);
    for j in 0..d {
        let kind = table.columns()[j].kind();
        let (lo, hi) = range(table, j);
        let seen: Vec<f64> = table.observed(j).collect();
        let choices = if seen.is_empty() { kind.atoms() } else { seen };
        for a in 0..count {
            out[(j, a)] = match kind {
                Kind::Continuous => lo + (hi - lo) * rng.random::<f64>(),
                _ => choices[rng.random_range(0..choices.len())],
            };
        }
    }
    out
}
