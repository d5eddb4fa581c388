//! Small random problems and their solutions as JSON, for `checks/test_conic.py` to solve again with a conic solver.
//!
//! A problem is written down by its definition, never by the matrices that the library makes of it. `null` is a missing
//! cell, an open end of an interval, or what a problem does not have.

use faer::{Mat, MatRef};
use psd_impute::Result;
use psd_impute::internals::kernel::{Anchors, BaseMeasure, Bounds, Features, Metric};
use psd_impute::internals::objective::{Problem, ProblemOptions, Regularizer};
use psd_impute::learn::psd::Reference;
use psd_impute::solver::{Solution, SolverOptions, solve};
use psd_impute::table::{Column, Table};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn main() -> Result<()> {
    let problems =
        cases().iter().zip(0..).map(|(case, seed)| case.solved(seed)).collect::<Result<Vec<_>>>()?;
    println!("{}", list(problems));
    Ok(())
}

/// A problem but for its random numbers: cells, anchors and the entries of `Σ`.
struct Case {
    rows: usize,
    anchors: usize,
    columns: usize,
    shape: Shape,
    measure: BaseMeasure,
    lambda: f64,
    regularizer: Regularizer,
    nu: f64,
    reference: Reference,
    weights: Option<Vec<f64>>,
    mu: f64,
}

enum Shape {
    Isotropic,
    Diagonal,
    Full,
}

/// Cells and anchors lie in `[-1.5, 1.5]`: the boxes hold them all, the first uniform reference does not.
fn cases() -> Vec<Case> {
    use Regularizer::{Identity, Kernel};
    use Shape::{Diagonal, Full, Isotropic};
    let plain = |rows, anchors, columns, shape, mu| Case {
        rows,
        anchors,
        columns,
        shape,
        measure: BaseMeasure::WholeSpace,
        lambda: 0.0,
        regularizer: Identity,
        nu: 0.0,
        reference: Reference::None,
        weights: None,
        mu,
    };
    let covariance = Mat::from_fn(3, 3, |i, j| if i == j { 1.5 } else { 0.4 });
    let normal = Reference::Gaussian { mean: vec![0.2, -0.1, 0.3], covariance };
    let weights = Some(vec![1.0, 0.5, 3.0, 0.0, 2.0, 0.25, 1.0, 1.0]);
    let open = BaseMeasure::Box(vec![(-1.6, 1.5), (-2.0, f64::INFINITY)]);
    let closed = BaseMeasure::Box(vec![(-1.5, 2.0); 3]);
    let inner = Reference::Uniform(vec![(-1.0, 1.0); 2]);
    let outer = Reference::Uniform(vec![(-1.6, 1.5), (-2.0, 2.0)]);
    vec![
        plain(6, 2, 1, Isotropic, 1.0),
        plain(12, 3, 2, Isotropic, 0.1),
        Case { lambda: 0.05, ..plain(10, 4, 2, Diagonal, 0.01) },
        Case { lambda: 0.1, regularizer: Kernel, ..plain(12, 5, 3, Full, 0.1) },
        Case { nu: 0.2, reference: inner, ..plain(9, 4, 2, Full, 0.01) },
        Case { nu: 0.3, reference: normal, lambda: 0.02, ..plain(11, 3, 3, Diagonal, 0.1) },
        Case { weights, ..plain(8, 4, 2, Isotropic, 0.01) },
        Case {
            measure: open,
            nu: 0.1,
            reference: outer,
            lambda: 0.2,
            regularizer: Kernel,
            ..plain(12, 5, 2, Diagonal, 0.1)
        },
        Case { measure: closed, lambda: 0.05, ..plain(5, 4, 3, Isotropic, 0.01) },
    ]
}

impl Case {
    /// Draws the random numbers, solves the problem and writes down both.
    fn solved(&self, seed: u64) -> Result<String> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let table = self.table(&mut rng)?;
        let anchors = Anchors::new(points(self.columns, self.anchors, &mut rng))?;
        let sigma = self.sigma(&mut rng);
        let features = Features::new(
            &table,
            self.weights.as_deref(),
            &anchors,
            self.metric(&sigma)?,
            self.measure.clone(),
            1.0,
        )?;
        let reference = self.reference.density(&features)?;
        let Self { lambda, regularizer, nu, .. } = *self;
        let options = ProblemOptions { lambda, regularizer, nu, ..Default::default() };
        let problem =
            Problem::new(&features, &table, self.weights.as_deref(), reference.as_deref(), options)?;
        let options = SolverOptions { mu_final: self.mu, tolerance: 1e-12, ..Default::default() };
        let solution = solve(&problem.objective()?, &options, None, &mut ())?;
        Ok(object(&[
            ("cells", matrix(table.cells().transpose())),
            ("anchors", matrix(anchors.points().transpose())),
            ("sigma", matrix(sigma.as_ref())),
            ("box", self.bounds()),
            ("lambda", number(self.lambda)),
            ("regularizer", format!("\"{:?}\"", self.regularizer)),
            ("nu", number(self.nu)),
            ("reference", self.reference()),
            ("weights", self.weights.as_ref().map_or("null".into(), |w| numbers(w))),
            ("mu", number(self.mu)),
            ("solution", solution_object(&solution)),
        ]))
    }

    /// The first row has one cell only; other cells are missing at random.
    fn table(&self, rng: &mut ChaCha8Rng) -> Result<Table> {
        let mut cells = points(self.columns, self.rows, rng);
        for i in 0..self.rows {
            for j in 0..self.columns {
                let missing = if i == 0 { j > 0 } else { rng.random::<f64>() < 0.35 };
                if missing {
                    cells[(j, i)] = f64::NAN;
                }
            }
        }
        Table::new((0..self.columns).map(|j| Column::continuous(format!("x{j}"))).collect(), cells)
    }

    /// `Σ` of the case's shape.
    fn sigma(&self, rng: &mut ChaCha8Rng) -> Mat<f64> {
        let factor = points(self.columns, self.columns, rng);
        let full = &factor * factor.transpose();
        Mat::from_fn(self.columns, self.columns, |i, j| match self.shape {
            Shape::Isotropic => f64::from(i == j) * 0.2,
            Shape::Diagonal => f64::from(i == j) * (0.1 + 0.1 * full[(i, i)]),
            Shape::Full => f64::from(i == j) * 0.1 + 0.2 * full[(i, j)],
        })
    }

    /// The metric with this `Σ`: `η = 1/(4 Σ_jj)` where `Σ` is diagonal.
    fn metric(&self, sigma: &Mat<f64>) -> Result<Metric> {
        match self.shape {
            Shape::Isotropic => Metric::isotropic(0.25 / sigma[(0, 0)]),
            Shape::Diagonal => Metric::diagonal((0..self.columns).map(|j| 0.25 / sigma[(j, j)]).collect()),
            Shape::Full => Metric::full(sigma.as_ref()),
        }
    }

    fn bounds(&self) -> String {
        match &self.measure {
            BaseMeasure::WholeSpace => "null".into(),
            BaseMeasure::Box(bounds) => intervals(bounds),
        }
    }

    fn reference(&self) -> String {
        match &self.reference {
            Reference::None => "null".into(),
            Reference::Uniform(bounds) => object(&[("uniform", intervals(bounds))]),
            Reference::Gaussian { mean, covariance } => {
                object(&[("mean", numbers(mean)), ("covariance", matrix(covariance.as_ref()))])
            }
        }
    }
}

/// Uniform in `[-1.5, 1.5]`.
fn points(rows: usize, columns: usize, rng: &mut ChaCha8Rng) -> Mat<f64> {
    Mat::from_fn(rows, columns, |_, _| 3.0 * rng.random::<f64>() - 1.5)
}

fn solution_object(solution: &Solution) -> String {
    object(&[
        ("status", format!("\"{:?}\"", solution.status)),
        ("q", matrix(solution.q.as_ref())),
        ("objective", number(solution.objective)),
        ("omega", number(solution.omega)),
    ])
}

fn number(x: f64) -> String {
    if x.is_finite() { format!("{x:e}") } else { "null".into() }
}

fn numbers(values: &[f64]) -> String {
    list(values.iter().map(|&x| number(x)))
}

fn intervals(bounds: &[Bounds]) -> String {
    list(bounds.iter().map(|&(lo, hi)| numbers(&[lo, hi])))
}

fn matrix(a: MatRef<'_, f64>) -> String {
    list(a.row_iter().map(|row| list(row.iter().map(|&x| number(x)))))
}

fn list(items: impl IntoIterator<Item = String>) -> String {
    format!("[{}]", items.into_iter().collect::<Vec<_>>().join(", "))
}

fn object(fields: &[(&str, String)]) -> String {
    let fields: Vec<String> = fields.iter().map(|(name, value)| format!("\"{name}\": {value}")).collect();
    format!("{{{}}}", fields.join(", "))
}
