//! One anchor per row of a table: a kernel density with a product kernel.
//!
//! In units of a column's marginal `m` (a kernel density of its observed cells, or the observed frequencies of a discrete column) the
//! kernel of donor `i` is `k_i(x)/m(x)`: a background of one and peaks at the donor's own value; see [`SmoothColumn`] and
//! [`DiscreteColumn`]. The density is `Σ_i w_i Π_j k_ij(x_j)`: a diagonal `Q` with one anchor per row. Given the donor the columns are
//! independent, so a marginal leaves columns out, and a draw first picks a donor, then each cell.

mod column;
mod conditional;
mod discrete;
mod marginal;
mod pieces;
mod smooth;

pub(crate) use column::DonorColumn;
pub(crate) use discrete::{DiscreteColumn, DiscreteParts, Held};
pub(crate) use smooth::{SmoothColumn, SmoothKernel, SmoothParts};

use super::{Conditional, Density, Given, Weighed};
use crate::error::bad;
use crate::table::Pattern;
use crate::{Error, Result};
use conditional::DonorsConditional;

/// The density of a table's rows as donors.
#[derive(Debug, Clone)]
pub struct Donors {
    columns: Vec<DonorColumn>,
    /// Sum to one.
    weights: Vec<f64>,
}

impl Donors {
    /// A density from at least one column, all of the same donors, and the donors' weights.
    pub(crate) fn new(columns: Vec<DonorColumn>, weights: &[f64]) -> Result<Self> {
        let Some(expected) = columns.first().map(|column| column.donors()) else {
            return Err(Error::EmptyTable("columns"));
        };
        if let Some(found) = columns.iter().map(|column| column.donors()).find(|&n| n != expected) {
            return Err(Error::Shape { what: "donors of a column", found, expected });
        }
        Self { columns, weights: vec![0.0; expected] }.reweighted(weights)
    }

    /// The columns.
    pub(crate) fn parts(&self) -> &[DonorColumn] {
        &self.columns
    }

    /// The same donors with other weights.
    ///
    /// # Errors
    ///
    /// [`Error::Shape`] unless there is one weight per donor, [`Error::BadParameter`] unless their sum is positive.
    pub(crate) fn reweighted(&self, weights: &[f64]) -> Result<Self> {
        let (found, expected) = (weights.len(), self.weights.len());
        if found != expected {
            return Err(Error::Shape { what: "donor weights", found, expected });
        }
        let total: f64 = weights.iter().sum();
        if total.is_nan() || total <= 0.0 {
            return Err(bad("sum of the donor weights", total, "above zero"));
        }
        let weights = weights.iter().map(|w| w / total).collect();
        Ok(Self { columns: self.columns.clone(), weights })
    }

    /// Returns the logarithm of the product of the marginals and of factors taken out, and the donors' relative kernels
    /// `w_i Π_j k_ij(x_j)/m_j(x_j)` over the observed columns. No row is its own donor; this changes the density only at the donors' own points.
    fn relative(&self, row: &[f64], observed: &[usize], out: Option<Fold>) -> (f64, Vec<f64>) {
        let mut log = 0.0;
        let mut products = self.weights.clone();
        let own: Vec<usize> = match out {
            Some(fold) => (fold.part..products.len()).step_by(fold.folds).collect(),
            None => (0..products.len()).filter(|&i| self.is_donor(i, row)).collect(),
        };
        own.iter().for_each(|&i| products[i] = 0.0);
        for &j in observed {
            let column = &self.columns[j];
            let m = column.height(row[j], !own.is_empty());
            log += column.log_height(m) + column.multiply(row[j], m, &mut products);
        }
        (log, products)
    }

    /// Whether a row equals donor `i` in every cell, missing ones included.
    fn is_donor(&self, i: usize, row: &[f64]) -> bool {
        self.columns.iter().zip(row).all(|(column, &x)| column.holds(i, x))
    }
}

impl Density for Donors {
    fn columns(&self) -> usize {
        self.columns.len()
    }

    fn given<'a>(&'a self, pattern: &Pattern) -> Result<Box<dyn Given<'a> + 'a>> {
        self.check_columns(pattern.columns())?;
        Ok(Box::new(DonorsGiven { donors: self, pattern: pattern.clone(), out: None }))
    }
}

/// Every `folds`-th donor, starting with number `part`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fold {
    pub(crate) part: usize,
    pub(crate) folds: usize,
}

/// The density without one fold of the donors, for rows made of those donors' cells.
pub(crate) struct LeftOut<'a> {
    pub(crate) donors: &'a Donors,
    pub(crate) fold: Fold,
}

impl Density for LeftOut<'_> {
    fn columns(&self) -> usize {
        self.donors.columns()
    }

    fn given<'a>(&'a self, pattern: &Pattern) -> Result<Box<dyn Given<'a> + 'a>> {
        self.check_columns(pattern.columns())?;
        Ok(Box::new(DonorsGiven { donors: self.donors, pattern: pattern.clone(), out: Some(self.fold) }))
    }
}

struct DonorsGiven<'a> {
    donors: &'a Donors,
    pattern: Pattern,
    /// Donors to leave out.
    out: Option<Fold>,
}

/// `log + ln(sum)`; minus infinity if the sum is not positive.
fn log_of(log: f64, sum: f64) -> f64 {
    if sum > 0.0 { log + sum.ln() } else { f64::NEG_INFINITY }
}

impl<'a> Given<'a> for DonorsGiven<'a> {
    fn log_marginal(&self, row: &[f64]) -> f64 {
        let (log, products) = self.donors.relative(row, self.pattern.observed(), self.out);
        log_of(log, products.iter().sum())
    }

    fn weigh(&self, row: &[f64]) -> Weighed<'a> {
        let (log, mut weights) = self.donors.relative(row, self.pattern.observed(), self.out);
        let (columns, missing) = (&self.donors.columns, self.pattern.missing().to_vec());
        let total: f64 = weights.iter().sum();
        let conditional = move || -> Result<Box<dyn Conditional + 'a>> {
            if total.is_nan() || total <= 0.0 {
                return Err(Error::ZeroDensity);
            }
            weights.iter_mut().for_each(|w| *w /= total);
            Ok(Box::new(DonorsConditional { columns, missing, weights }))
        };
        Weighed { log_marginal: log_of(log, total), conditional: Box::new(conditional) }
    }
}
