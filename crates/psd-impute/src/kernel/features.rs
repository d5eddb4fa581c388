//! The features of all anchors over all columns.

use super::continuous::{Bounds, ContinuousBlock};
use super::discrete::DiscreteColumn;
use super::metric::Metric;
use super::pattern::PatternFeatures;
use crate::error::bad;
use crate::linalg::Cholesky;
use crate::table::{Column, Kind, Pattern, Table};
use crate::{Error, Result};
use faer::{Mat, MatRef};

/// Anchor points: `d × l`, one anchor per column; a discrete coordinate is one of the column's values.
#[derive(Debug, Clone)]
pub struct Anchors(Mat<f64>);

impl Anchors {
    /// Anchors from their points.
    ///
    /// # Errors
    ///
    /// [`Error::BadParameter`] if there is no anchor or a coordinate is not finite.
    pub fn new(points: Mat<f64>) -> Result<Self> {
        if points.ncols() == 0 {
            return Err(bad("number of anchors", 0, "at least one"));
        }
        for a in 0..points.ncols() {
            if let Some(j) = (0..points.nrows()).find(|&j| !points[(j, a)].is_finite()) {
                let value = format!("{} (anchor {a}, column {j})", points[(j, a)]);
                return Err(bad("anchor coordinate", value, "finite"));
            }
        }
        Ok(Self(points))
    }

    /// The points, one anchor per column.
    pub fn points(&self) -> MatRef<'_, f64> {
        self.0.as_ref()
    }

    /// The number of anchors, the paper's `ℓ`.
    pub fn len(&self) -> usize {
        self.0.ncols()
    }

    /// Never true: there is at least one anchor.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// The domain over which continuous columns are integrated.
#[derive(Debug, Clone, PartialEq)]
pub enum BaseMeasure {
    /// The whole space.
    WholeSpace,
    /// A box, one interval per continuous column; isotropic and diagonal metrics only.
    Box(Vec<Bounds>),
}

/// The features `φ_1 … φ_l`, normalised to `∫ φ_a² = 1`.
#[derive(Debug, Clone)]
pub struct Features {
    columns: usize,
    pub(super) continuous: ContinuousBlock,
    pub(super) discrete: Vec<DiscreteColumn>,
    /// `½ log ∫ φ_a²` before normalisation; nonzero only with discrete columns or a box.
    log_norm: Vec<f64>,
}

impl Features {
    /// Features around `anchors` for the columns of `table`. Discrete columns take their base weights from the
    /// observed frequencies, weighted by row, and `discrete_eta` as the bandwidth of their kernel.
    ///
    /// # Errors
    ///
    /// [`Error::Shape`] if anchors, weights, metric or box do not match the table; [`Error::BadParameter`] for a full metric on a box, an
    /// empty interval, a bandwidth that is not positive, or an anchor that is not an atom; [`Error::NotPositiveDefinite`] for the metric.
    pub fn new(
        table: &Table,
        weights: Option<&[f64]>,
        anchors: &Anchors,
        metric: Metric,
        measure: BaseMeasure,
        discrete_eta: f64,
    ) -> Result<Self> {
        let points = anchors.points();
        let d = table.columns().len();
        if points.nrows() != d {
            return Err(Error::Shape {
                what: "coordinates of an anchor",
                found: points.nrows(),
                expected: d,
            });
        }
        check_weights(table, weights)?;
        let (continuous, discrete): (Vec<usize>, Vec<usize>) =
            (0..d).partition(|&j| *table.columns()[j].kind() == Kind::Continuous);
        let bounds = match measure {
            BaseMeasure::WholeSpace => None,
            BaseMeasure::Box(bounds) => Some(bounds),
        };
        let coordinates = Mat::from_fn(continuous.len(), anchors.len(), |k, a| points[(continuous[k], a)]);
        let block = ContinuousBlock::new(continuous, coordinates, metric, bounds)?;
        let discrete = discrete
            .into_iter()
            .map(|j| {
                let anchors: Vec<f64> = points.row(j).iter().copied().collect();
                DiscreteColumn::kernel(
                    j,
                    table.columns()[j].kind(),
                    &table.shares(j, weights),
                    &anchors,
                    discrete_eta,
                )
            })
            .collect::<Result<_>>()?;
        Self::assemble(d, block, discrete)
    }

    /// Features over these columns from anchors (`g × l`), metric, box, and `log ρ` and `log θ` (`K × l`) of each discrete column.
    pub(crate) fn from_parts(
        columns: &[Column],
        anchors: Mat<f64>,
        metric: Metric,
        bounds: Option<Vec<Bounds>>,
        tables: Vec<(Vec<f64>, Mat<f64>)>,
    ) -> Result<Self> {
        let (continuous, discrete): (Vec<usize>, Vec<usize>) =
            (0..columns.len()).partition(|&j| *columns[j].kind() == Kind::Continuous);
        for (what, found, expected) in [
            ("coordinates of an anchor", anchors.nrows(), continuous.len()),
            ("tables of discrete columns", tables.len(), discrete.len()),
        ] {
            if found != expected {
                return Err(Error::Shape { what, found, expected });
            }
        }
        let block = ContinuousBlock::new(continuous, Anchors::new(anchors)?.0, metric, bounds)?;
        let table = |(j, (log_rho, log_theta)): (usize, (Vec<f64>, Mat<f64>))| {
            DiscreteColumn::from_logs(j, columns[j].kind().clone(), log_rho, log_theta)
        };
        let discrete = discrete.into_iter().zip(tables).map(table).collect::<Result<_>>()?;
        let features = Self::assemble(columns.len(), block, discrete)?;
        match features.log_norm.iter().all(|norm| norm.is_finite()) {
            true => Ok(features),
            false => Err(Error::NotFinite { what: "norm of a feature" }),
        }
    }

    /// A single Gaussian feature on the continuous columns of `table`, constant on the discrete ones: its square is the
    /// normal density.
    ///
    /// # Errors
    ///
    /// [`Error::Shape`] if mean and covariance do not match the continuous columns, [`Error::BadParameter`] if the mean is not finite or the
    /// covariance not symmetric, [`Error::NotPositiveDefinite`] if it is not positive definite.
    pub fn normal(
        table: &Table,
        weights: Option<&[f64]>,
        mean: &[f64],
        covariance: MatRef<'_, f64>,
    ) -> Result<Self> {
        let d = table.columns().len();
        let kind = |j: usize| table.columns()[j].kind();
        let (continuous, discrete): (Vec<usize>, Vec<usize>) =
            (0..d).partition(|&j| *kind(j) == Kind::Continuous);
        if mean.len() != continuous.len() {
            return Err(Error::Shape {
                what: "length of the mean",
                found: mean.len(),
                expected: continuous.len(),
            });
        }
        let anchors = Anchors::new(Mat::from_fn(mean.len(), 1, |j, _| mean[j]))?;
        let block = ContinuousBlock::new(continuous, anchors.0, Metric::full(covariance)?, None)?;
        let flat = |j: usize| Mat::zeros(kind(j).atoms().len(), 1);
        let discrete = discrete
            .into_iter()
            .map(|j| DiscreteColumn::new(j, kind(j).clone(), &table.shares(j, weights), flat(j)))
            .collect::<Result<_>>()?;
        Self::assemble(d, block, discrete)
    }

    /// A single Gaussian feature over the same columns and base measure, constant on the discrete ones; its square is the normal density,
    /// truncated to the box if there is one.
    ///
    /// # Errors
    ///
    /// As for [`normal`](Self::normal), and [`Error::BadParameter`] on a box unless the covariance is diagonal.
    pub fn normal_like(&self, mean: &[f64], covariance: MatRef<'_, f64>) -> Result<Self> {
        let g = self.continuous.columns.len();
        if mean.len() != g {
            return Err(Error::Shape { what: "length of the mean", found: mean.len(), expected: g });
        }
        let anchors = Anchors::new(Mat::from_fn(g, 1, |j, _| mean[j]))?.0;
        let metric = match &self.continuous.bounds {
            None => Metric::full(covariance)?,
            Some(_) if !is_diagonal(covariance) => {
                return Err(bad("covariance of the reference", "not diagonal", "diagonal on a box"));
            }
            Some(_) => Metric::diagonal((0..g).map(|j| 0.25 / covariance[(j, j)]).collect())?,
        };
        let block = ContinuousBlock::new(
            self.continuous.columns.clone(),
            anchors,
            metric,
            self.continuous.bounds.clone(),
        )?;
        let flat = |c: &DiscreteColumn| {
            c.with_probabilities(&c.log_rho().iter().map(|r| r.exp()).collect::<Vec<_>>())
        };
        Self::assemble(self.columns, block, self.discrete.iter().map(flat).collect::<Result<_>>()?)
    }

    /// The same columns with other continuous anchors (`g × l`) and another metric.
    ///
    /// # Errors
    ///
    /// [`Error::Shape`] if the size of the anchors differs or the metric does not match, [`Error::BadParameter`] for anchors that are not
    /// finite or a full metric on a box, [`Error::NotPositiveDefinite`] for the metric.
    pub fn moved(&self, anchors: Mat<f64>, metric: Metric) -> Result<Self> {
        let old = &self.continuous;
        if (anchors.nrows(), anchors.ncols()) != (old.anchors.nrows(), old.anchors.ncols()) {
            return Err(Error::Shape {
                what: "anchors",
                found: anchors.ncols(),
                expected: old.anchors.ncols(),
            });
        }
        let anchors = Anchors::new(anchors)?.0;
        let block = ContinuousBlock::new(old.columns.clone(), anchors, metric, old.bounds.clone())?;
        Self::assemble(self.columns, block, self.discrete.clone())
    }

    /// The same features with another table for one discrete column.
    ///
    /// # Errors
    ///
    /// [`Error::BadParameter`] if it is not one of the discrete columns, [`Error::Shape`] for another number of anchors.
    pub fn with_discrete(&self, column: DiscreteColumn) -> Result<Self> {
        let mut discrete = self.discrete.clone();
        let Some(slot) = discrete.iter_mut().find(|old| old.column == column.column) else {
            return Err(bad("column", column.column, "one of the discrete columns"));
        };
        *slot = column;
        Self::assemble(self.columns, self.continuous.clone(), discrete)
    }

    fn assemble(columns: usize, continuous: ContinuousBlock, discrete: Vec<DiscreteColumn>) -> Result<Self> {
        let l = continuous.anchors.ncols();
        if let Some(other) = discrete.iter().map(|c| c.log_theta.ncols()).find(|&n| n != l) {
            return Err(Error::Shape {
                what: "anchors of a discrete column's table",
                found: other,
                expected: l,
            });
        }
        let mut features = Self { columns, continuous, discrete, log_norm: vec![0.0; l] };
        let whole = features.pattern(&Pattern::empty(columns))?;
        let log_norm: Vec<f64> = (0..l).map(|a| 0.5 * whole.log_pair(a, a)).collect();
        features.log_norm = log_norm;
        Ok(features)
    }

    /// The number of anchors, `l`.
    pub fn len(&self) -> usize {
        self.continuous.anchors.ncols()
    }

    /// Never true: there is at least one anchor.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of columns, `d`.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Positions of the continuous columns in the table.
    pub fn continuous_columns(&self) -> &[usize] {
        &self.continuous.columns
    }

    /// Continuous coordinates of the anchors, `g × l`.
    pub fn anchors(&self) -> MatRef<'_, f64> {
        self.continuous.anchors.as_ref()
    }

    /// The metric.
    pub fn metric(&self) -> &Metric {
        &self.continuous.metric
    }

    /// `Σ = (4P)⁻¹`, the covariance of a product of two features.
    pub fn sigma(&self) -> MatRef<'_, f64> {
        self.continuous.sigma.as_ref()
    }

    /// The box, if the base measure is one.
    pub fn bounds(&self) -> Option<&[Bounds]> {
        self.continuous.bounds.as_deref()
    }

    /// The discrete columns.
    pub fn discrete(&self) -> &[DiscreteColumn] {
        &self.discrete
    }

    /// `½ log ∫ φ_a²` of the features before normalisation, without the constant [`log_scale`](Self::log_scale).
    pub fn log_norm(&self) -> &[f64] {
        &self.log_norm
    }

    /// `log h`, `h = (2π)^{g/2} |Σ|^{1/2}`, so that `H_paper[a,b] = h H[a,b] exp(log_norm_a + log_norm_b)`.
    ///
    /// # Errors
    ///
    /// [`Error::NotPositiveDefinite`] if `Σ` cannot be factored.
    pub fn log_scale(&self) -> Result<f64> {
        let g = self.continuous.columns.len();
        let sigma = Cholesky::new(self.continuous.sigma.clone(), "metric")?;
        Ok(0.5 * sigma.log_det() + g as f64 * super::truncated::LOG_SQRT_2PI)
    }

    /// The features restricted to rows with this pattern.
    ///
    /// # Errors
    ///
    /// [`Error::NotPositiveDefinite`] if `Σ` cannot be factored.
    pub fn pattern<'a>(&'a self, pattern: &Pattern) -> Result<PatternFeatures<'a>> {
        PatternFeatures::new(self, pattern)
    }

    /// `H = ∫ φφ'`, unit diagonal.
    ///
    /// # Errors
    ///
    /// As for [`pattern`](Self::pattern).
    pub fn h(&self) -> Result<Mat<f64>> {
        let whole = self.pattern(&Pattern::empty(self.columns))?;
        Ok(whole.scaled_pairs(|a, b| whole.log_pair(a, b) - self.log_norm[a] - self.log_norm[b]))
    }

    /// `K`, the kernel between anchors, in normalised features without the common constant `h`:
    /// `K_paper[a,b] = K[a,b] exp(log_norm_a + log_norm_b)`.
    ///
    /// # Errors
    ///
    /// As for [`pattern`](Self::pattern).
    pub fn k(&self) -> Result<Mat<f64>> {
        let whole = self.pattern(&Pattern::empty(self.columns))?;
        Ok(whole.scaled_pairs(|a, b| self.log_kernel(&whole, a, b) - self.log_norm[a] - self.log_norm[b]))
    }

    /// `log k(w_a, w_b)`: `-(w_a-w_b)' P (w_a-w_b) = -¼ |v_a - v_b|²` plus the log-kernels of the discrete columns.
    fn log_kernel(&self, whole: &PatternFeatures<'_>, a: usize, b: usize) -> f64 {
        let v = whole.continuous().v();
        let square: f64 = (0..v.nrows()).map(|k| (v[(k, a)] - v[(k, b)]).powi(2)).sum();
        self.discrete.iter().map(|c| c.log_kernel(a, b)).sum::<f64>() - 0.25 * square
    }

    /// Refuses a table that the features cannot score. Cells outside the box matter only in rows with a nonzero weight.
    ///
    /// # Errors
    ///
    /// [`Error::Shape`] for another number of columns or weights, [`Error::BadCell`] for a cell outside the box.
    pub fn check(&self, table: &Table, weights: Option<&[f64]>) -> Result<()> {
        check_weights(table, weights)?;
        if table.columns().len() != self.columns {
            let (found, expected) = (table.columns().len(), self.columns);
            return Err(Error::Shape { what: "columns of the table", found, expected });
        }
        for (row, cells) in table.rows().enumerate().filter(|(i, _)| weights.is_none_or(|w| w[*i] != 0.0)) {
            for (k, &j) in self.continuous.columns.iter().enumerate() {
                let outside = self.bounds().is_some_and(|b| cells[j] < b[k].0 || cells[j] > b[k].1);
                if outside {
                    let column = table.columns()[j].name().to_string();
                    return Err(Error::BadCell {
                        row,
                        column,
                        value: cells[j],
                        problem: "lies outside the box",
                    });
                }
            }
        }
        Ok(())
    }
}

fn check_weights(table: &Table, weights: Option<&[f64]>) -> Result<()> {
    match weights {
        Some(weights) if weights.len() != table.len() => {
            Err(Error::Shape { what: "row weights", found: weights.len(), expected: table.len() })
        }
        _ => Ok(()),
    }
}

fn is_diagonal(a: MatRef<'_, f64>) -> bool {
    (0..a.ncols()).all(|j| (0..a.nrows()).all(|i| i == j || a[(i, j)] == 0.0))
}
