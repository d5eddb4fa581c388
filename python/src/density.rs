//! One kernel density with everything but `Q` given.

use crate::errors::Failure;
use crate::run::quietly;
use faer::Mat;
use numpy::ndarray::{Array2, ArrayView2};
use numpy::{PyArray1, PyArray2, PyReadonlyArray1, PyReadonlyArray2};
use psd_impute::density::Density;
use psd_impute::learn::psd::{Anchors, BaseMeasure, Metric};
use psd_impute::learn::psd::{ProblemOptions, Regularizer};
use psd_impute::learn::psd::{PsdFit, Reference};
use psd_impute::solver::{SolverOptions, Status, Trace};
use psd_impute::table::{Column, Table};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use std::sync::Arc;

type Vector<'py> = Bound<'py, PyArray1<f64>>;
type Square<'py> = Bound<'py, PyArray2<f64>>;

/// A kernel density on a table of numbers, in the table's own units.
#[pyclass(frozen, module = "psd_impute._engine")]
pub(crate) struct KernelDensity {
    density: Arc<dyn Density>,
    columns: Vec<Column>,
}

/// The parameters fixed by the caller. A dictionary in Python.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Given<'py> {
    anchors: PyReadonlyArray2<'py, f64>,
    /// `η` for all columns, one for each, or the covariance `Σ = P⁻¹/4` of a product of two features.
    metric: MetricGiven<'py>,
    barrier: f64,
    regularization: f64,
    /// Whether the penalty is the kernel between anchors instead of the identity.
    kernel_penalty: bool,
    nu: f64,
    uniform: Option<PyReadonlyArray2<'py, f64>>,
    normal: Option<(PyReadonlyArray1<'py, f64>, PyReadonlyArray2<'py, f64>)>,
    domain: Option<PyReadonlyArray2<'py, f64>>,
    tolerance: f64,
    max_iter: usize,
}

#[derive(FromPyObject)]
pub(crate) enum MetricGiven<'py> {
    One(f64),
    Each(PyReadonlyArray1<'py, f64>),
    Full(PyReadonlyArray2<'py, f64>),
}

impl Given<'_> {
    fn setup(&self) -> Result<(PsdFit, Anchors), Failure> {
        let metric = match &self.metric {
            MetricGiven::One(eta) => Metric::isotropic(*eta)?,
            MetricGiven::Each(eta) => Metric::diagonal(eta.as_array().to_vec())?,
            MetricGiven::Full(sigma) => Metric::full(matrix(sigma.as_array()).as_ref())?,
        };
        let reference = match (&self.uniform, &self.normal) {
            (Some(bounds), _) => Reference::Uniform(intervals(bounds)),
            (None, Some((mean, covariance))) => Reference::Gaussian {
                mean: mean.as_array().to_vec(),
                covariance: matrix(covariance.as_array()),
            },
            (None, None) => Reference::None,
        };
        let regularizer = if self.kernel_penalty { Regularizer::Kernel } else { Regularizer::Identity };
        let fit = PsdFit {
            metric,
            measure: self
                .domain
                .as_ref()
                .map_or(BaseMeasure::WholeSpace, |domain| BaseMeasure::Box(intervals(domain))),
            reference,
            problem: ProblemOptions {
                lambda: self.regularization,
                regularizer,
                nu: self.nu,
                ..Default::default()
            },
            solver: SolverOptions {
                mu_final: self.barrier,
                tolerance: self.tolerance,
                max_iterations: self.max_iter,
                ..Default::default()
            },
            ..Default::default()
        };
        Ok((fit, Anchors::new(transposed(self.anchors.as_array()))?))
    }
}

#[pymethods]
impl KernelDensity {
    /// Fits `Q`. Returns the density, `Q` and a report.
    #[staticmethod]
    fn fit<'py>(
        py: Python<'py>,
        rows: PyReadonlyArray2<'py, f64>,
        names: Vec<String>,
        given: Given<'py>,
        threads: Option<usize>,
    ) -> PyResult<(Self, Square<'py>, Bound<'py, PyDict>)> {
        let (fit, anchors) = given.setup()?;
        let table = table(columns(names), rows.as_array())?;
        let columns = table.columns().to_vec();
        let (fitted, trace) = quietly(py, threads, move |_| {
            let mut trace = Trace::default();
            let fitted = fit.run(&table, &anchors, &mut trace)?;
            Ok((fitted, trace))
        })?;
        let (solution, report) = (&fitted.solution, PyDict::new(py));
        report.set_item("omega", solution.omega)?;
        report.set_item("objective", solution.objective)?;
        report.set_item("kkt_residual", solution.kkt_residual)?;
        report.set_item("status", status(solution.status))?;
        report.set_item("rank", solution.rank)?;
        let step = |field: fn(&psd_impute::solver::Iteration) -> f64| {
            PyArray1::from_iter(py, trace.0.iter().map(field))
        };
        report.set_item(
            "trace",
            [
                ("objective", step(|it| it.objective)),
                ("decrement", step(|it| it.decrement)),
                ("step", step(|it| it.step)),
                ("barrier", step(|it| it.mu)),
            ]
            .into_iter()
            .collect::<std::collections::BTreeMap<_, _>>(),
        )?;
        let q = array(fitted.psd.q().nrows(), fitted.psd.q().ncols(), |i, j| fitted.psd.q()[(i, j)]);
        Ok((Self { density: fitted.density.into(), columns }, PyArray2::from_owned_array(py, q), report))
    }

    /// The density of a known `Q`.
    #[staticmethod]
    fn at(names: Vec<String>, given: Given<'_>, q: PyReadonlyArray2<'_, f64>) -> PyResult<Self> {
        let (fit, anchors) = given.setup()?;
        let columns = columns(names);
        let blank = Table::new(columns.clone(), Mat::zeros(columns.len(), 1)).map_err(Failure::from)?;
        let density = fit.at(&blank, &anchors, matrix(q.as_array())).map_err(Failure::from)?;
        Ok(Self { density: density.into(), columns })
    }

    /// The log-density of each row's observed cells.
    fn log_density<'py>(
        &self,
        py: Python<'py>,
        rows: PyReadonlyArray2<'py, f64>,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let (density, table) = (self.density.clone(), table(self.columns.clone(), rows.as_array())?);
        let logs = quietly(py, threads, move |_| Ok(density.log_marginals(&table)?))?;
        Ok(PyArray1::from_vec(py, logs))
    }

    /// The mean and covariance of a row's missing cells given its observed ones.
    fn moments<'py>(
        &self,
        py: Python<'py>,
        row: PyReadonlyArray1<'py, f64>,
    ) -> PyResult<(Vector<'py>, Square<'py>)> {
        let conditional = self.density.conditional(&cells(&row)).map_err(Failure::from)?;
        let covariance = conditional.covariance();
        let covariance = array(covariance.nrows(), covariance.ncols(), |i, j| covariance[(i, j)]);
        Ok((PyArray1::from_vec(py, conditional.mean()), PyArray2::from_owned_array(py, covariance)))
    }

    /// `P(x_column ≤ x)` of a missing cell.
    fn cdf(&self, row: PyReadonlyArray1<'_, f64>, column: usize, x: f64) -> PyResult<f64> {
        Ok(self
            .density
            .conditional(&cells(&row))
            .and_then(|given| given.cdf(column, x))
            .map_err(Failure::from)?)
    }

    /// A quantile of a missing cell.
    fn quantile(&self, row: PyReadonlyArray1<'_, f64>, column: usize, p: f64) -> PyResult<f64> {
        Ok(self
            .density
            .conditional(&cells(&row))
            .and_then(|given| given.quantile(column, p))
            .map_err(Failure::from)?)
    }

    /// Draws of a row's missing cells, one per row.
    fn draw<'py>(
        &self,
        py: Python<'py>,
        row: PyReadonlyArray1<'py, f64>,
        n: usize,
        seed: u64,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let (density, row) = (self.density.clone(), cells(&row));
        let draws = quietly(py, Some(1), move |_| {
            let conditional = density.conditional(&row)?;
            let rng = &mut ChaCha8Rng::seed_from_u64(seed);
            let missing = conditional.missing().len();
            let drawn: Vec<f64> = (0..n).flat_map(|_| conditional.draw(rng)).collect();
            Ok(array(n, missing, |i, j| drawn[i * missing + j]))
        })?;
        Ok(PyArray2::from_owned_array(py, draws))
    }
}

fn columns(names: Vec<String>) -> Vec<Column> {
    names.into_iter().map(Column::continuous).collect()
}

/// The engine's table of the rows, which are columns of its matrix.
fn table(columns: Vec<Column>, rows: ArrayView2<'_, f64>) -> Result<Table, Failure> {
    Ok(Table::new(columns, transposed(rows))?)
}

fn transposed(rows: ArrayView2<'_, f64>) -> Mat<f64> {
    Mat::from_fn(rows.ncols(), rows.nrows(), |j, i| rows[(i, j)])
}

fn matrix(view: ArrayView2<'_, f64>) -> Mat<f64> {
    Mat::from_fn(view.nrows(), view.ncols(), |i, j| view[(i, j)])
}

fn array(rows: usize, columns: usize, cell: impl Fn(usize, usize) -> f64) -> Array2<f64> {
    Array2::from_shape_fn((rows, columns), |(i, j)| cell(i, j))
}

fn cells(row: &PyReadonlyArray1<'_, f64>) -> Vec<f64> {
    row.as_array().to_vec()
}

fn intervals(bounds: &PyReadonlyArray2<'_, f64>) -> Vec<(f64, f64)> {
    bounds.as_array().rows().into_iter().map(|ends| (ends[0], ends[1])).collect()
}

fn status(status: Status) -> &'static str {
    match status {
        Status::Converged => "converged",
        Status::IterationLimit => "iteration limit",
        Status::Stalled => "stalled",
        Status::Stopped => "stopped",
    }
}
