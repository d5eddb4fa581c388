//! The coordinates that members are fitted in.
//!
//! Normal components are poor at columns that are skewed or bounded, so that members are fitted in two spaces, and a third below: the standardised columns
//! themselves, and their **normal scores**. The score of a value `x` of a column with `n` observed cells is
//!
//! ```text
//! z = Φ⁻¹( [n F(x) + s Φ((x - m)/σ)] / (n + s) )
//! ```
//!
//! with the column's empirical distribution `F` (half the weight of `x` itself counts), its mean `m` and deviation `σ`: a column that is
//! normal keeps its shape, and `s` rows' worth of normal density regularise the tails and columns
//! with few cells. The map is piecewise linear through the scores of some of the values, so far apart that each piece has enough cells to estimate its slope.
//! Likelihoods of both are comparable, see [`Warped`].
//!
//! Where a table has labels, and columns of numbers with few values, there is a third space, in which these are **atoms**: discrete columns that depend on each other and on labels as
//! labels do. The other columns are normal scores there, as these are the better coordinates of most columns with repeated values. Likelihoods are comparable there too, see [`Atomic`].

use super::members::Rows;
use crate::Result;
use crate::density::{Atomic, Density, Warped, log_slopes, normal_quantile};
use crate::kernel::truncated::cdf;
use crate::learn::mixture::EmParams;
use crate::table::{Atoms, Column, Kind, Resolution, Table, Warp, Warps};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::Index;
use std::sync::Arc;

/// `s`. Arbitrary.
const PRIOR: f64 = 10.0;
/// The least distance of two knots: in score, and in cells as a multiple of the root of their number. Arbitrary.
const STEP: f64 = 0.1;
const CELLS: f64 = 0.25;

/// A choice of coordinates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Space {
    /// The standardised columns.
    Plain,
    /// Their normal scores.
    Scores,
    /// The normal scores, with the values of few-valued columns as atoms.
    Atoms,
}

impl fmt::Display for Space {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Plain => "columns as they are",
            Self::Scores => "normal scores",
            Self::Atoms => "few values as atoms",
        })
    }
}

/// One value for each of the spaces. Without few-valued columns there are no atoms, and the plain space is as well that of atoms.
pub(crate) struct PerSpace<T> {
    pub(crate) plain: T,
    pub(crate) scores: T,
    pub(crate) atoms: Option<T>,
}

impl<T> PerSpace<T> {
    /// Applies a function to all, in parallel.
    pub(super) fn try_map<U: Send>(&self, f: impl Fn(&T) -> Result<U> + Sync) -> Result<PerSpace<U>>
    where
        T: Sync,
    {
        let (plain, scores) = rayon::join(|| f(&self.plain), || f(&self.scores));
        let atoms = self.atoms.as_ref().map(f).transpose()?;
        Ok(PerSpace { plain: plain?, scores: scores?, atoms })
    }
}

impl<T> Index<Space> for PerSpace<T> {
    type Output = T;

    fn index(&self, space: Space) -> &T {
        match space {
            Space::Plain => &self.plain,
            Space::Scores => &self.scores,
            Space::Atoms => self.atoms.as_ref().unwrap_or(&self.plain),
        }
    }
}

/// Rows in the coordinates of each space.
pub(crate) type Views = PerSpace<View>;

impl Views {
    /// With maps to normal scores from [`normal_scores`].
    pub(super) fn by(rows: Rows<'_>, warps: Arc<Warps>) -> Result<Self> {
        let scores = View::scores(rows, warps.clone())?;
        // Without labels that they could go with, atoms gained nothing on airfoil and yeast.
        let labels = rows.table.columns().iter().any(|column| *column.kind() != Kind::Continuous);
        let atoms = labels.then(|| Atoms::of(&scores.table, &scores.resolution)).flatten();
        let atoms =
            atoms.map(|atoms| View::atoms(&scores, atoms, warps, rows.resolution.clone())).transpose()?;
        Ok(Self { plain: View::plain(rows), scores, atoms })
    }

    /// With the maps of these rows themselves.
    pub(super) fn of(rows: Rows<'_>) -> Result<Self> {
        Self::by(rows, Arc::new(normal_scores(rows.table, rows.weights)?))
    }
}

/// Rows in the coordinates of a space.
pub(crate) struct View {
    table: Table,
    weights: Vec<f64>,
    base: Vec<f64>,
    resolution: Arc<Resolution>,
    way: Way,
}

/// The way to a space.
enum Way {
    /// It is the space of the columns.
    None,
    /// The maps to normal scores, and the cells of repeated values outside.
    Scores(Arc<Warps>, Arc<Resolution>),
    /// The same, and the few-valued columns of the scores.
    Atoms(Arc<Atoms>, Arc<Warps>, Arc<Resolution>),
}

impl View {
    /// The columns as they are.
    fn plain(rows: Rows<'_>) -> Self {
        let Rows { table, weights, base, resolution, .. } = rows;
        let (table, resolution) = (table.clone(), resolution.clone());
        Self { table, weights: weights.to_vec(), base: base.to_vec(), resolution, way: Way::None }
    }

    /// Their normal scores, by the maps that [`normal_scores`] gives.
    fn scores(rows: Rows<'_>, warps: Arc<Warps>) -> Result<Self> {
        let Rows { weights, base, resolution: outside, .. } = rows;
        let (table, resolution) = (warps.apply_table(rows.table)?, warps.apply_resolution(outside));
        let (weights, base, way) = (weights.to_vec(), base.to_vec(), Way::Scores(warps, outside.clone()));
        Ok(Self { table, weights, base, resolution: Arc::new(resolution), way })
    }

    /// The scores with the values of few-valued columns as atoms.
    fn atoms(scores: &Self, atoms: Atoms, warps: Arc<Warps>, outside: Arc<Resolution>) -> Result<Self> {
        let Self { weights, base, resolution, .. } = scores;
        let (table, resolution) = (atoms.apply_table(&scores.table)?, resolution.clone());
        let way = Way::Atoms(Arc::new(atoms), warps, outside);
        Ok(Self { table, weights: weights.clone(), base: base.clone(), resolution, way })
    }

    /// The columns.
    pub(crate) fn columns(&self) -> &[Column] {
        self.table.columns()
    }

    pub(super) fn rows(&self, em: EmParams) -> Rows<'_> {
        let Self { table, weights, base, resolution, .. } = self;
        Rows { table, weights, base, resolution, em }
    }

    /// The cells of repeated values in these coordinates.
    pub(crate) fn resolution(&self) -> &Arc<Resolution> {
        &self.resolution
    }

    /// A density in these coordinates as one of the columns as they are.
    pub(super) fn outside<'a>(&self, inner: impl Density + 'a) -> Result<Box<dyn Density + 'a>> {
        Ok(match &self.way {
            Way::None => Box::new(inner),
            Way::Scores(warps, outside) => Box::new(Warped::new(inner, warps.clone(), outside.clone())?),
            Way::Atoms(atoms, warps, outside) => {
                let inner = Atomic::new(inner, atoms.clone(), &self.table, &self.base)?;
                Box::new(Warped::new(inner, warps.clone(), outside.clone())?)
            }
        })
    }

    /// The log-Jacobian of each row of a table: the gain of its log-density when it is taken out of these coordinates, for donors, which live in the columns or their scores.
    pub(super) fn log_slopes(&self, table: &Table) -> Vec<f64> {
        let one = |row: &[f64]| match &self.way {
            Way::None => 0.0,
            Way::Scores(warps, outside) | Way::Atoms(_, warps, outside) => {
                let observed: Vec<usize> = (0..row.len()).filter(|&j| !row[j].is_nan()).collect();
                log_slopes(warps, outside, row, &observed)
            }
        };
        table.rows().map(one).collect()
    }
}

/// The maps to the normal scores of a table's continuous columns.
pub(super) fn normal_scores(table: &Table, weights: &[f64]) -> Result<Warps> {
    let warp = |j: usize| match table.columns()[j].kind() {
        Kind::Continuous => scores(table, weights, j),
        _ => None,
    };
    Warps::new(table, (0..table.columns().len()).map(warp).collect())
}

/// The scores of a column. Returns `None` if it has a single value.
fn scores(table: &Table, weights: &[f64], j: usize) -> Option<Warp> {
    let mut cells: Vec<(f64, f64)> = table.rows().map(|row| row[j]).zip(weights.iter().copied()).collect();
    cells.retain(|cell| !cell.0.is_nan() && cell.1 > 0.0);
    cells.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (n, total) = (cells.len() as f64, cells.iter().map(|cell| cell.1).sum::<f64>());
    cells.iter_mut().for_each(|cell| cell.1 *= n / total);
    let mean = cells.iter().map(|(x, w)| w * x).sum::<f64>() / n;
    let deviation = (cells.iter().map(|(x, w)| w * (x - mean).powi(2)).sum::<f64>() / n).sqrt();
    let mut below = 0.0;
    let ranked = cells.chunk_by(|a, b| a.0 == b.0).map(|same| {
        let (x, weight) = (same[0].0, same.iter().map(|cell| cell.1).sum::<f64>());
        let rank = below + 0.5 * weight;
        below += weight;
        let share = (rank + PRIOR * cdf((x - mean) / deviation)) / (n + PRIOR);
        Ranked { x, z: normal_quantile(share.clamp(1e-12, 1.0 - 1e-12)), rank }
    });
    let knots = spaced(&ranked.collect::<Vec<_>>(), CELLS * n.sqrt());
    // Values so close that the map would be too steep to hold are no reason to fail.
    Warp::new(knots.iter().map(|knot| (knot.x, knot.z)).collect()).ok()
}

/// A value, its score, and the number of cells below it, half of its own included.
#[derive(Clone, Copy)]
struct Ranked {
    x: f64,
    z: f64,
    rank: f64,
}

/// The first value, the last, and some between, at least `STEP` and `cells` apart.
fn spaced(values: &[Ranked], cells: f64) -> Vec<Ranked> {
    let far = |a: &Ranked, b: &Ranked| b.rank - a.rank >= cells && b.z - a.z >= STEP;
    let mut knots: Vec<Ranked> = Vec::new();
    for value in values {
        if knots.last().is_none_or(|last| far(last, value)) {
            knots.push(*value);
        }
    }
    let Some(end) = values.last() else { return knots };
    while knots.len() > 1 && knots.last().is_some_and(|last| !far(last, end)) {
        knots.pop();
    }
    if knots.last().is_some_and(|last| last.x < end.x) {
        knots.push(*end);
    }
    knots
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(cells: impl Iterator<Item = f64>) -> Table {
        Table::continuous(&["x"], &cells.map(|x| [x]).collect::<Vec<_>>()).unwrap()
    }

    fn warp(table: &Table) -> Warp {
        scores(table, &vec![1.0; table.len()], 0).unwrap()
    }

    /// The scores of the quantiles of a distribution are normal quantiles.
    #[test]
    fn scores_are_normal_whatever_the_column() {
        let n = 4000;
        let share = |i: usize| (i as f64 + 0.5) / n as f64;
        for quantile in [|p: f64| -(1.0 - p).ln() - 1.0, |p: f64| normal_quantile(p)] {
            let column = table((0..n).map(|i| quantile(share(i))));
            let warps = Warps::new(&column, vec![Some(warp(&column))]).unwrap();
            for p in [0.02, 0.1, 0.35, 0.6, 0.9, 0.98] {
                let (z, expected) = (warps.apply(0, quantile(p)), normal_quantile(p));
                assert!((z - expected).abs() < 0.02, "{p}: {z} {expected}");
            }
        }
    }

    #[test]
    fn a_piece_has_enough_cells() {
        let column = table((0..900).map(|i| (i as f64 * 0.1).exp().ln_1p()));
        let weights = vec![1.0; 900];
        let least = CELLS * 30.0;
        let view = |x: f64| column.observed(0).filter(|&v| v <= x).count() as f64;
        let warp = scores(&column, &weights, 0).unwrap();
        let knots: Vec<f64> = warp.knots().iter().map(|knot| knot.0).collect();
        assert!(knots.len() > 10);
        assert!(knots.windows(2).all(|pair| view(pair[1]) - view(pair[0]) >= least));
    }

    #[test]
    fn a_column_of_one_value_stays_as_it_is() {
        assert!(scores(&table([3.0, 3.0, f64::NAN].into_iter()), &[1.0; 3], 0).is_none());
        assert!(scores(&table([f64::NAN].into_iter()), &[1.0], 0).is_none());
    }
}
