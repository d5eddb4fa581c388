//! Bounds on the values of columns.

use crate::table::{Column, Kind, Table};
use crate::{Error, Result};

/// Bounds on the cells of each column, in the table's own units: at least `lo` and at most `hi`, both included.
///
/// Bounds apply to observed cells too; a table with an observed cell outside them is refused. [`imputed_within`](Self::imputed_within) adds
/// bounds for imputed cells only.
///
/// ```
/// use psd_impute::{impute::Limits, table::Column};
///
/// let columns = [Column::continuous("age"), Column::continuous("change")];
/// let limits = Limits::new(&columns, &[(Some(0.0), Some(120.0)), (None, None)])?;
/// assert_eq!(limits.of(0), (0.0, 120.0));
/// assert_eq!(limits.of(1), (f64::NEG_INFINITY, f64::INFINITY));
/// # Ok::<(), psd_impute::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Limits {
    /// Bounds of imputed cells; infinite where there is no bound.
    limits: Vec<(f64, f64)>,
    /// Bounds of observed cells.
    observed: Vec<(f64, f64)>,
}

const FREE: (f64, f64) = (f64::NEG_INFINITY, f64::INFINITY);

impl Limits {
    /// No bounds, for this number of columns.
    pub fn none(columns: usize) -> Self {
        Self { limits: vec![FREE; columns], observed: vec![FREE; columns] }
    }

    /// A lower and an upper bound per column, either of which may be absent.
    ///
    /// # Errors
    ///
    /// [`Error::Shape`] unless there is one pair per column; [`Error::BadBounds`] for a bound that is not finite, a lower bound above the upper
    /// one, bounds on labels, which have no order, and bounds that exclude all values of a discrete column.
    pub fn new(columns: &[Column], bounds: &[(Option<f64>, Option<f64>)]) -> Result<Self> {
        let (found, expected) = (bounds.len(), columns.len());
        if found != expected {
            return Err(Error::Shape { what: "bounds", found, expected });
        }
        let limits = columns.iter().zip(bounds).map(|(column, &bounds)| checked(column, bounds));
        let limits = limits.collect::<Result<Vec<_>>>()?;
        Ok(Self { observed: limits.clone(), limits })
    }

    /// Adds bounds for the imputed cells of each column, either of which may be absent. Observed cells may exceed them.
    ///
    /// # Errors
    ///
    /// As for [`new`](Self::new).
    pub fn imputed_within(self, columns: &[Column], ends: &[(Option<f64>, Option<f64>)]) -> Result<Self> {
        let Self { limits, .. } = Self::new(columns, ends)?;
        let both = |(&(a, b), (c, d)): (&(f64, f64), (f64, f64))| (a.max(c), b.min(d));
        let both: Vec<_> = self.limits.iter().zip(limits).map(both).collect();
        let finite = |end: f64| end.is_finite().then_some(end);
        let ends: Vec<_> = both.into_iter().map(|(lo, hi)| (finite(lo), finite(hi))).collect();
        Ok(Self { observed: self.observed, ..Self::new(columns, &ends)? })
    }

    /// Removes the bounds on imputed cells of the columns for which `free` is true.
    pub(super) fn freed(mut self, free: impl Fn(usize) -> bool) -> Self {
        self.limits.iter_mut().enumerate().filter(|(j, _)| free(*j)).for_each(|(_, ends)| *ends = FREE);
        self
    }

    /// The number of columns.
    pub fn columns(&self) -> usize {
        self.limits.len()
    }

    /// Bounds of imputed cells of column `j`, infinite where there is none.
    pub fn of(&self, j: usize) -> (f64, f64) {
        self.limits[j]
    }

    /// Whether imputed cells of column `j` have a bound.
    pub(crate) fn bind(&self, j: usize) -> bool {
        self.limits[j] != FREE
    }

    /// Whether `x` may be imputed in column `j`.
    pub(crate) fn hold(&self, j: usize, x: f64) -> bool {
        let (lo, hi) = self.limits[j];
        (lo..=hi).contains(&x)
    }

    /// Whether `x` may be observed in column `j`.
    pub fn allow(&self, j: usize, x: f64) -> bool {
        let (lo, hi) = self.observed[j];
        (lo..=hi).contains(&x)
    }

    /// Bounds of observed cells of column `j`, infinite where there is none.
    pub fn of_observed(&self, j: usize) -> (f64, f64) {
        self.observed[j]
    }

    /// The allowed value of column `j` nearest to `x`. Labels have no bounds.
    pub(super) fn nearest(&self, j: usize, kind: &Kind, x: f64) -> f64 {
        if matches!(kind, Kind::Category(_)) {
            return x;
        }
        let distance = |v: &f64| (v - x).abs();
        let atoms = kind.atoms().into_iter().filter(|&v| self.hold(j, v));
        let (lo, hi) = self.limits[j];
        atoms.min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap_or(x.clamp(lo, hi))
    }

    /// Refuses an observed cell outside its column's bounds.
    pub(super) fn check(&self, table: &Table) -> Result<()> {
        for (row, cells) in table.rows().enumerate() {
            let outside = |&j: &usize| !cells[j].is_nan() && !self.allow(j, cells[j]);
            if let Some(j) = (0..cells.len()).find(outside) {
                let column = table.columns()[j].name().to_string();
                let problem = "is outside the column's bounds";
                return Err(Error::BadCell { row, column, value: cells[j], problem });
            }
        }
        Ok(())
    }
}

fn checked(column: &Column, (lo, hi): (Option<f64>, Option<f64>)) -> Result<(f64, f64)> {
    let limits = (lo.unwrap_or(f64::NEG_INFINITY), hi.unwrap_or(f64::INFINITY));
    let atoms = column.kind().atoms();
    let problem = if [lo, hi].into_iter().flatten().any(|bound| !bound.is_finite()) {
        "must be finite; leave a bound out where there is none"
    } else if limits.0 > limits.1 {
        "are the wrong way round"
    } else if matches!(column.kind(), Kind::Category(_)) && (lo, hi) != (None, None) {
        "make no sense for labels, which have no order"
    } else if !atoms.is_empty() && !atoms.iter().any(|v| (limits.0..=limits.1).contains(v)) {
        "leave none of the column's values"
    } else {
        return Ok(limits);
    };
    Err(Error::BadBounds { column: column.name().to_string(), lo: limits.0, hi: limits.1, problem })
}
