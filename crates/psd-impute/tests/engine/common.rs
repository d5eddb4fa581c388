//! Random problems, finite differences and quadrature.

use faer::{Mat, MatRef};
use proptest::prelude::ProptestConfig;
use proptest::test_runner::RngSeed;
use psd_impute::density::{Density, PsdDensity, Stack};
use psd_impute::internals::kernel::{Anchors, BaseMeasure, Features, Metric};
use psd_impute::stack::Member;
use psd_impute::table::{Column, Scaler, Table};
use psd_impute::{FitOptions, Recipe, StackOptions};
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Options for a stack of these members.
pub(crate) fn stack_of(members: Vec<Member>, seed: u64) -> FitOptions {
    let options = StackOptions { members: Some(members), ..StackOptions::default() };
    FitOptions { recipe: Recipe::Stack(options), seed, ..FitOptions::default() }
}

/// The given number of random cases, always the same.
pub(crate) fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, rng_seed: RngSeed::Fixed(20_26), failure_persistence: None, ..Default::default() }
}

pub(crate) const NA: f64 = f64::NAN;

pub(crate) fn rng(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

pub(crate) fn normal(rng: &mut dyn Rng) -> f64 {
    let (u, v): (f64, f64) = (rng.random(), rng.random());
    (-2.0 * (1.0 - u).ln()).sqrt() * (std::f64::consts::TAU * v).cos()
}

pub(crate) fn matrix(rows: usize, columns: usize, rng: &mut dyn Rng) -> Mat<f64> {
    let mut out = Mat::zeros(rows, columns);
    for j in 0..columns {
        for i in 0..rows {
            out[(i, j)] = normal(rng);
        }
    }
    out
}

/// A random symmetric matrix.
pub(crate) fn symmetric(n: usize, rng: &mut dyn Rng) -> Mat<f64> {
    let a = matrix(n, n, rng);
    &a + a.transpose()
}

/// A random positive definite matrix with condition number of about ten.
pub(crate) fn definite(n: usize, rng: &mut dyn Rng) -> Mat<f64> {
    let a = matrix(n, n + 2, rng);
    let mut out = &a * a.transpose() * faer::Scale(1.0 / (n + 2) as f64);
    for i in 0..n {
        out[(i, i)] += 0.2;
    }
    out
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Shape {
    Isotropic,
    Diagonal,
    Full,
    /// Diagonal on a box that holds all cells.
    Boxed,
}

pub(crate) const SHAPES: [Shape; 4] = [Shape::Isotropic, Shape::Diagonal, Shape::Full, Shape::Boxed];
pub(crate) const SIDE: f64 = 3.0;

pub(crate) fn metric(shape: Shape, d: usize, rng: &mut dyn Rng) -> Metric {
    match shape {
        Shape::Isotropic => Metric::isotropic(0.3 + rng.random::<f64>()).unwrap(),
        Shape::Full => Metric::full((definite(d, rng) * faer::Scale(0.4)).as_ref()).unwrap(),
        _ => Metric::diagonal((0..d).map(|_| 0.3 + rng.random::<f64>()).collect()).unwrap(),
    }
}

fn measure(shape: Shape, d: usize) -> BaseMeasure {
    match shape {
        Shape::Boxed => BaseMeasure::Box(vec![(-SIDE, SIDE); d]),
        _ => BaseMeasure::WholeSpace,
    }
}

/// An incomplete continuous table, and features around random anchors. Cells lie within `[-SIDE, SIDE]`.
pub(crate) fn continuous(
    seed: u64,
    n: usize,
    d: usize,
    l: usize,
    missing: f64,
    shape: Shape,
) -> (Table, Features) {
    let rng = &mut rng(seed);
    let cells = gaps(matrix(d, n, rng), 0, missing, rng);
    let columns = (0..d).map(|j| Column::continuous(format!("x{j}"))).collect();
    let table = Table::new(columns, cells).unwrap();
    let anchors = Anchors::new(matrix(d, l, rng)).unwrap();
    let features =
        Features::new(&table, None, &anchors, metric(shape, d, rng), measure(shape, d), 1.0).unwrap();
    (table, features)
}

/// The same with an ordered and a category column in front.
pub(crate) fn mixed(
    seed: u64,
    n: usize,
    d: usize,
    l: usize,
    missing: f64,
    shape: Shape,
) -> (Table, Features) {
    let rng = &mut rng(seed);
    let grades = vec![1.0, 2.0, 5.0];
    let labels = ["red", "green", "blue", "black"].map(String::from).to_vec();
    let mut columns =
        vec![Column::ordered("grade", grades.clone()).unwrap(), Column::category("colour", labels).unwrap()];
    columns.extend((0..d).map(|j| Column::continuous(format!("x{j}"))));
    let rows = |count: usize, rng: &mut dyn Rng| {
        let mut out = matrix(d + 2, count, rng);
        for i in 0..count {
            out[(0, i)] = grades[rng.random_range(0..3)];
            out[(1, i)] = rng.random_range(0..4) as f64;
        }
        out
    };
    let table = Table::new(columns, gaps(rows(n, rng), 2, missing, rng)).unwrap();
    let anchors = Anchors::new(rows(l, rng)).unwrap();
    let features =
        Features::new(&table, None, &anchors, metric(shape, d, rng), measure(shape, d), 0.7).unwrap();
    (table, features)
}

/// A mixed problem of any size from the smallest on: one row, one anchor, one continuous column, all rows complete, one cell per row, repeated
/// rows and a constant column all occur.
pub(crate) fn anything(seed: u64, shape: Shape) -> (Table, Features) {
    let rng = &mut rng(seed ^ 0xabc);
    let (n, d, l) = (rng.random_range(1..25), rng.random_range(1..4), rng.random_range(1..6));
    let missing = [0.0, 0.4, 1.0][rng.random_range(0..3)];
    let (table, features) = mixed(seed, n, d, l, missing, shape);
    let mut cells = table.cells().to_owned();
    if rng.random::<f64>() < 0.3 {
        cells.row_mut(2).iter_mut().filter(|x| !x.is_nan()).for_each(|x| *x = 0.5);
    }
    if rng.random::<f64>() < 0.3 {
        let few = 1 + n / 3;
        cells = Mat::from_fn(d + 2, n, |j, i| cells[(j, i % few)]);
    }
    (table.with_cells(cells).unwrap(), features)
}

/// The positions of all rows.
pub(crate) fn every(table: &Table) -> Vec<usize> {
    (0..table.len()).collect()
}

/// Moves continuous cells (from row `first` on) into the box and takes some cells away, leaving each row at least one.
fn gaps(mut cells: Mat<f64>, first: usize, missing: f64, rng: &mut dyn Rng) -> Mat<f64> {
    for i in 0..cells.ncols() {
        let kept = rng.random_range(0..cells.nrows());
        for j in 0..cells.nrows() {
            if j >= first {
                cells[(j, i)] = cells[(j, i)].clamp(-0.99 * SIDE, 0.99 * SIDE);
            }
            if rng.random::<f64>() < missing && j != kept {
                cells[(j, i)] = NA;
            }
        }
    }
    cells
}

/// A density with a random positive definite `Q`, whose off-diagonal entries have both signs.
pub(crate) fn density(features: &Features, seed: u64) -> PsdDensity {
    PsdDensity::new(features.clone(), definite(features.len(), &mut rng(seed))).unwrap()
}

/// A random `Q` with `tr(QH) = 1`.
pub(crate) fn feasible(features: &Features, seed: u64) -> Mat<f64> {
    density(features, seed).q().to_owned()
}

/// The derivative at zero, to order `h⁶`.
pub(crate) fn derivative(f: impl Fn(f64) -> f64, h: f64) -> f64 {
    let across = |k: f64| f(k * h) - f(-k * h);
    (45.0 * across(1.0) - 9.0 * across(2.0) + across(3.0)) / (60.0 * h)
}

/// Nodes and weights of a Gauss-Legendre rule of twenty points in each of `pieces` parts of `[lo, hi]`.
pub(crate) fn gauss(lo: f64, hi: f64, pieces: usize) -> Vec<(f64, f64)> {
    let n = 20;
    let rule: Vec<(f64, f64)> = (0..n)
        .map(|k| {
            let mut x = (std::f64::consts::PI * (k as f64 + 0.75) / (n as f64 + 0.5)).cos();
            let mut slope = 1.0;
            for _ in 0..30 {
                let (mut last, mut value) = (1.0, x);
                for m in 2..=n {
                    let m = m as f64;
                    (last, value) = (value, ((2.0 * m - 1.0) * x * value - (m - 1.0) * last) / m);
                }
                slope = n as f64 * (x * value - last) / (x * x - 1.0);
                x -= value / slope;
            }
            (x, 2.0 / ((1.0 - x * x) * slope * slope))
        })
        .collect();
    let half = 0.5 * (hi - lo) / pieces as f64;
    (0..pieces)
        .flat_map(|piece| {
            let middle = lo + half * (2 * piece + 1) as f64;
            rule.iter().map(move |(x, w)| (middle + half * x, half * w)).collect::<Vec<_>>()
        })
        .collect()
}

/// The interval that holds all mass of a shape's densities in every continuous column.
pub(crate) fn interval(shape: Shape) -> Vec<(f64, f64)> {
    if shape == Shape::Boxed { gauss(-SIDE, SIDE, 4) } else { gauss(-14.0, 14.0, 10) }
}

#[track_caller]
pub(crate) fn close(a: f64, b: f64, tolerance: f64) {
    let size = a.abs().max(b.abs()).max(1.0);
    assert!((a - b).abs() <= tolerance * size, "{a} and {b} differ by {:e}", (a - b).abs() / size);
}

#[track_caller]
pub(crate) fn close_matrices(a: MatRef<'_, f64>, b: MatRef<'_, f64>, tolerance: f64) {
    let size = a.norm_max().max(b.norm_max()).max(1e-300);
    let gap = (a - b).norm_max() / size;
    assert!(gap <= tolerance, "matrices differ by {gap:e} of their size {size:e}");
}

/// A mixture of three normals in three columns, bent and of unequal spread, to be used as the truth itself.
pub(crate) fn truth() -> Stack {
    let filler = Table::continuous(&["a", "b", "c"], &[[0.0; 3]]).unwrap();
    let rng = &mut rng(77);
    let member = |(weight, mean, size): (f64, [f64; 3], f64)| -> (f64, Box<dyn Density>) {
        let covariance = definite(3, rng) * faer::Scale(size);
        (weight, Box::new(PsdDensity::normal(&filler, &mean, covariance.as_ref()).unwrap()))
    };
    let members = [(0.5, [0.0, 0.0, 0.0], 1.0), (0.3, [2.0, -1.0, 1.5], 0.3), (0.2, [-2.0, 1.0, 2.0], 0.1)];
    Stack::new(members.into_iter().map(member).collect()).unwrap()
}

/// Shifts and scales of three columns that are not those of the truth.
pub(crate) fn units() -> Scaler {
    Scaler::of(&Table::continuous(&["a", "b", "c"], &[[45.0, -0.1, 3.0], [55.0, 0.1, 4.0]]).unwrap())
}

/// Rows of the truth in those units, complete and with missing cells.
pub(crate) fn truth_tables(n: usize, missing: f64, seed: u64) -> (Table, Table) {
    let (truth, units, rng) = (truth(), units(), &mut rng(seed));
    let rows: Vec<Vec<f64>> = (0..n)
        .map(|_| truth.sample(rng).unwrap().into_iter().enumerate().map(|(j, z)| units.undo(j, z)).collect())
        .collect();
    let complete = Table::continuous(&["a", "b", "c"], &rows).unwrap();
    let gaps = gaps(complete.cells().to_owned(), 3, missing, rng);
    (complete.with_cells(gaps).unwrap(), complete)
}

/// Kolmogorov's distance of probability-integral transforms from the uniform distribution, times `√n`: above 1.95 once in a
/// thousand times.
pub(crate) fn kolmogorov(mut u: Vec<f64>) -> f64 {
    u.sort_by(f64::total_cmp);
    let n = u.len() as f64;
    let gap = |(k, u): (usize, &f64)| (u - (k as f64 + 0.5) / n).abs();
    u.iter().enumerate().map(gap).fold(0.0, f64::max) * n.sqrt()
}
