//! Numeric columns with repeated values: draws are moved to observed values.
//!
//! The model's numbers are real, but those of such a column are recorded: each recorded value stands for an interval. By default a number
//! is recorded as the nearest observed value. [`Ties::calibrated`] places the ends of the intervals so that recorded values occur as often
//! as they were observed. With `F` the model's distribution function of the column, `n F(b)` of the `n` rows should have numbers below `b`;
//! of these, the rows where the cell is missing account for `Σ P(x ≤ b | row)`; the rest must be the cells observed up to the value whose
//! interval ends at `b`:
//!
//! ```text
//! n F(b_k) - Σ_{missing} P(x ≤ b_k | row) = #{observed ≤ v_k}
//! ```
//!
//! As rows with the cell missing are counted separately, this holds wherever the model does, also if missingness depends on observed
//! values. Without it a normal component spreads an atom over its neighbours, and makes a rare value common.
//!
//! A column in which only some values are repeated, such as an amount that is often zero, is recorded on its observed values too: zero then
//! occurs as often as it should, nothing lies below it if nothing was observed there, and the mass that the component lacks above it moves
//! up.

use super::imputer::Imputer;
use super::limits::Limits;
use crate::density::Density;
use crate::error::bad;
use crate::table::{Resolution, RowKeys, Scaler, Table};
use crate::{Error, Result};
use rayon::prelude::*;

/// Numbers of the calibration of ties.
struct TieSettings {
    /// Rows with missing cells from which `Σ P(x ≤ b | row)` is estimated; the observed cells are all counted. Arbitrary.
    rows: usize,
    /// Draws of each of these rows. Arbitrary.
    draws: u64,
    /// Number of evenly spaced points at which `F` is evaluated. Arbitrary.
    points: usize,
    /// Standard deviations by which a count may be off by chance. Arbitrary.
    chance: f64,
    /// Values that are not repeated are thinned evenly to about this many. Arbitrary.
    values: usize,
}

const SETTINGS: TieSettings = TieSettings { rows: 2000, draws: 4, points: 400, chance: 2.0, values: 1000 };

/// The observed values of continuous columns with repeated values: most of them, or only some, such as the zeros of an amount.
#[derive(Debug, Clone)]
pub struct Ties {
    columns: Vec<Recorded>,
}

/// Values of one column and the ends of their intervals, both increasing; empty for a column without repeated values.
#[derive(Debug, Clone, Default)]
struct Recorded {
    values: Vec<f64>,
    /// `ends[k]` lies between value `k` and the next.
    ends: Vec<f64>,
}

impl Ties {
    /// Finds the columns with repeated values.
    pub fn of(table: &Table) -> Self {
        let resolution = Resolution::of(table);
        let column = |j: usize| match resolution.concerns(&[j]) {
            true => Recorded::halfway(values(table, &resolution, j)),
            false => Recorded::default(),
        };
        Self { columns: (0..table.columns().len()).map(column).collect() }
    }

    /// The same values with intervals such that each value occurs as often as it was observed, under a density on the table standardised by
    /// `scaler`.
    ///
    /// # Errors
    ///
    /// [`Error::ImpossibleRow`](crate::Error::ImpossibleRow) for a row with density zero, and as for
    /// [`Density::given`](crate::density::Density::given).
    pub fn calibrated(&self, density: &dyn Density, table: &Table, scaler: &Scaler) -> Result<Self> {
        if self.columns.iter().all(|column| column.ends.is_empty()) {
            return Ok(self.clone());
        }
        let d = self.columns.len();
        let free = Imputer::new(density, scaler, &Self::none(d), Limits::none(d))?;
        let guesses = free.guesses(table)?;
        let whole = density.conditional(&vec![f64::NAN; d])?;
        let calibrated = |(j, (column, guesses)): (usize, (&Recorded, Vec<f64>))| {
            if column.ends.is_empty() {
                return Ok(column.clone());
            }
            let mut observed: Vec<f64> = table.observed(j).collect();
            observed.sort_by(f64::total_cmp);
            let missing = Missing { rows: table.len() - observed.len(), guesses };
            column.calibrated(&observed, &missing, |x| whole.cdf(j, scaler.apply(j, x)))
        };
        let columns = self.columns.par_iter().zip(guesses).enumerate().map(calibrated);
        Ok(Self { columns: columns.collect::<Result<_>>()? })
    }

    /// Ties from each column's values and the ends of their intervals, both increasing.
    pub(crate) fn from_parts(columns: Vec<(Vec<f64>, Vec<f64>)>) -> Result<Self> {
        let column = |(values, ends): (Vec<f64>, Vec<f64>)| {
            if ends.len() != values.len().saturating_sub(1) {
                let (found, expected) = (ends.len(), values.len().saturating_sub(1));
                return Err(Error::Shape { what: "ends of ties", found, expected });
            }
            if values.iter().chain(&ends).any(|x| !x.is_finite()) {
                return Err(Error::NotFinite { what: "a value with ties" });
            }
            if !values.is_sorted_by(|a, b| a < b) || !ends.is_sorted() {
                return Err(bad("order of the values with ties", "another", "increasing"));
            }
            Ok(Recorded { values, ends })
        };
        Ok(Self { columns: columns.into_iter().map(column).collect::<Result<_>>()? })
    }

    /// Values of each column and the ends of their intervals.
    pub(crate) fn parts(&self) -> impl Iterator<Item = (&[f64], &[f64])> {
        self.columns.iter().map(|column| (column.values.as_slice(), column.ends.as_slice()))
    }

    /// No repeated values, for this number of columns.
    pub fn none(columns: usize) -> Self {
        Self { columns: vec![Recorded::default(); columns] }
    }

    /// The number of columns.
    pub fn columns(&self) -> usize {
        self.columns.len()
    }

    /// Only the values within bounds. A column with none left has no ties.
    pub(super) fn between(&self, limits: &Limits) -> Self {
        let kept = |(j, column): (usize, &Recorded)| column.only(|v| limits.hold(j, v));
        Self { columns: self.columns.iter().enumerate().map(kept).collect() }
    }

    /// Whether column `j` has repeated values.
    pub(super) fn bind(&self, j: usize) -> bool {
        !self.columns[j].values.is_empty()
    }

    /// Whether column `j` has repeated values, all within bounds.
    fn are_within(&self, j: usize, limits: &Limits) -> bool {
        let values = &self.columns[j].values;
        !values.is_empty() && values.iter().all(|&value| limits.hold(j, value))
    }

    /// The bounds to which draws must be truncated before they are recorded. A column whose recorded values all lie within its bounds needs
    /// none: truncated draws would be recorded at the ends less often than these values were observed.
    pub(super) fn cuts(&self, limits: Limits) -> Limits {
        let recorded: Vec<bool> = (0..self.columns()).map(|j| self.are_within(j, &limits)).collect();
        limits.freed(|j| recorded[j])
    }

    /// `x` clamped to the range of the recorded values of column `j`; `x` itself in a column without repeated values.
    pub(super) fn clamp(&self, j: usize, x: f64) -> f64 {
        match self.columns[j].values.as_slice() {
            [] => x,
            [low, .., high] => x.clamp(*low, *high),
            [only] => *only,
        }
    }

    /// A standard deviation, but at most the largest that values of column `j` with this mean can have, `√((m - low)(high - m))` (Bhatia and Davis 2000).
    pub(super) fn possible_deviation(&self, j: usize, mean: f64, deviation: f64) -> f64 {
        match self.columns[j].values.as_slice() {
            [] => deviation,
            [low, .., high] => deviation.min(((mean - low) * (high - mean)).max(0.0).sqrt()),
            [_] => 0.0,
        }
    }

    /// The number up to which everything is recorded below `x` in column `j`; infinite if that is nothing or everything. `x` itself in a column
    /// without repeated values.
    pub(super) fn recorded_below(&self, j: usize, x: f64) -> f64 {
        let Recorded { values, ends } = &self.columns[j];
        match values.partition_point(|&value| value < x) {
            _ if values.is_empty() => x,
            0 => f64::NEG_INFINITY,
            k => ends.get(k - 1).copied().unwrap_or(f64::INFINITY),
        }
    }

    /// The value as which `x` is recorded in column `j`; `x` itself in a column without repeated values.
    pub fn recorded(&self, j: usize, x: f64) -> f64 {
        let Recorded { values, ends } = &self.columns[j];
        values.get(ends.partition_point(|&end| end < x)).copied().unwrap_or(x)
    }
}

impl Imputer<'_> {
    /// For each column, [`draws`] draws of its missing cells in some of the rows that have any, sorted.
    fn guesses(&self, table: &Table) -> Result<Vec<Vec<f64>>> {
        let gaps: Vec<usize> =
            (0..table.len()).filter(|&i| table.row(i).iter().any(|x| x.is_nan())).collect();
        if gaps.is_empty() {
            return Ok(vec![Vec::new(); table.columns().len()]);
        }
        let table = table.select(&gaps)?;
        let table = &table.select(&table.sample(SETTINGS.rows))?;
        let standardised = self.standardise(table)?;
        let keys = RowKeys::of(&standardised);
        let rows = self.map(&standardised, |i, conditional| {
            let draw = |k| {
                let rng = &mut keys.generator(i, 0, k);
                self.draw(table.columns(), standardised.row(i), conditional, rng)
            };
            let draws = (0..SETTINGS.draws).map(draw).collect::<Result<Vec<_>>>()?;
            Ok((conditional.missing().to_vec(), draws))
        })?;
        let mut out = vec![Vec::new(); table.columns().len()];
        for (_, (missing, draws)) in &rows {
            for draw in draws {
                missing.iter().zip(draw).for_each(|(&j, &x)| out[j].push(x));
            }
        }
        out.iter_mut().for_each(|guesses| guesses.sort_by(f64::total_cmp));
        Ok(out)
    }
}

/// The missing cells of a column.
struct Missing {
    /// Their number.
    rows: usize,
    /// Sorted draws of them, or of some of them.
    guesses: Vec<f64>,
}

impl Missing {
    /// `Σ P(x ≤ b | row)` over the rows that miss the cell.
    fn up_to(&self, b: f64) -> f64 {
        match self.guesses.len() {
            0 => 0.0,
            all => self.guesses.partition_point(|&g| g <= b) as f64 * (self.rows as f64 / all as f64),
        }
    }
}

/// The observed values of a column, increasing: all repeated ones, and about [`values`](TieSettings::values) of the others.
fn values(table: &Table, resolution: &Resolution, j: usize) -> Vec<f64> {
    let mut values: Vec<f64> = table.observed(j).collect();
    values.sort_by(f64::total_cmp);
    values.dedup();
    let (stride, last) = (values.len().div_ceil(SETTINGS.values), values.len() - 1);
    let kept =
        |(k, x): (usize, f64)| (k % stride == 0 || k == last || resolution.cell(j, x).is_some()).then_some(x);
    values.into_iter().enumerate().filter_map(kept).collect()
}

impl Recorded {
    /// Intervals that meet halfway between the values.
    fn halfway(values: Vec<f64>) -> Self {
        let ends = values.windows(2).map(|pair| pair[0] + 0.5 * (pair[1] - pair[0])).collect();
        Self { values, ends }
    }

    /// Keeps the values for which `keep` holds; the intervals of the others go to their neighbours.
    fn only(&self, keep: impl Fn(f64) -> bool) -> Self {
        let kept: Vec<usize> = (0..self.values.len()).filter(|&k| keep(self.values[k])).collect();
        let meet = |pair: &[usize]| 0.5 * (self.ends[pair[0]] + self.ends[pair[1] - 1]);
        Self {
            values: kept.iter().map(|&k| self.values[k]).collect(),
            ends: kept.windows(2).map(meet).collect(),
        }
    }

    /// Moves those ends at which the counts are off by more than chance, given the sorted observed cells, the missing ones and `F`.
    fn calibrated(
        &self,
        observed: &[f64],
        missing: &Missing,
        cdf: impl Fn(f64) -> Result<f64> + Sync,
    ) -> Result<Self> {
        let points = self.points();
        let shares = points.par_iter().map(|&x| cdf(x)).collect::<Result<Vec<f64>>>()?;
        let cells = observed.len() as f64;
        // Rows that nothing is known of are left out.
        let n = cells + missing.up_to(f64::INFINITY);
        let mut top = f64::NEG_INFINITY;
        // Number of observed rows below each point according to the model, made monotone.
        let count = |(&x, share): (&f64, f64)| {
            top = (n * share - missing.up_to(x)).max(top);
            top
        };
        let counts: Vec<f64> = points.iter().zip(shares).map(count).collect();
        let mut out = self.clone();
        let mut last = f64::NEG_INFINITY;
        for (k, end) in out.ends.iter_mut().enumerate() {
            let wanted = observed.partition_point(|&x| x <= self.values[k]) as f64;
            let chance = SETTINGS.chance * (wanted * (cells - wanted) / cells).sqrt();
            let here = counts[points.partition_point(|&x| x < *end).min(points.len() - 1)];
            if (here - wanted).abs() > chance {
                *end = points[counts.partition_point(|&c| c < wanted).min(points.len() - 1)];
            }
            *end = end.max(last);
            last = *end;
        }
        Ok(out)
    }

    /// Points at which `F` is evaluated: evenly spaced over twice the range of the values, and finer between neighbours.
    fn points(&self) -> Vec<f64> {
        let (least, most) = (self.values[0], self.values[self.values.len() - 1]);
        let even = (0..=SETTINGS.points)
            .map(|p| least + (most - least) * (2.0 * p as f64 / SETTINGS.points as f64 - 0.5));
        let fine =
            |pair: &[f64]| [0.125, 0.25, 0.5, 0.75, 0.875].map(|share| pair[0] + share * (pair[1] - pair[0]));
        let mut points: Vec<f64> = even.chain(self.values.windows(2).flat_map(fine)).collect();
        points.sort_by(f64::total_cmp);
        points
    }
}
