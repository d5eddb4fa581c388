//! The entropic coupling of two clouds of points with equal weights, by its dual potentials.
//!
//! For a cost `C` and a temperature `ε`, a symmetric Sinkhorn step replaces both potentials at once, `f_i` by
//! `-ε log mean_j exp((g_j - C_ij) / ε)` and `g_j` by the same with `f`. Both are in the row and column means of one matrix, the
//! **masses** `P_ij = exp((f_i + g_j - C_ij) / ε)`:
//!
//! ```text
//! f_i  <-  f_i - ε log mean_j P_ij,      g_j  <-  g_j - ε log mean_i P_ij
//! ```
//!
//! so that a step takes one exponential for each pair of points, or for every second pair for a cloud with itself, where `f = g`.
//! Near the optimal potentials, the means are near one: nothing overflows.

use super::cloud::{Cloud, LANES};
use super::exponential::exp2;
use pulp::NullaryFnOnce;
use std::f64::consts::LOG2_E;

/// A coupling of the points `x` with the points `y`.
pub(super) struct Coupling<'a> {
    x: &'a Cloud,
    y: &'a Cloud,
    /// Whether this couples a cloud with itself: both potentials are then the same.
    within: bool,
    /// Half the squared distances, one row per point of `x`, as wide as the cloud `y`.
    cost: Vec<f64>,
    f: Vec<f64>,
    g: Vec<f64>,
}

/// The results of a coupling.
pub(super) struct Outcome {
    /// The means of both potentials.
    pub(super) means: [f64; 2],
    /// For each point of `x`, the mean of the `y` that its mass goes to; and the reverse, except for a cloud with itself.
    pub(super) targets: [Cloud; 2],
}

impl<'a> Coupling<'a> {
    pub(super) fn between(x: &'a Cloud, y: &'a Cloud) -> Self {
        Self::new(x, y, false)
    }

    pub(super) fn within(x: &'a Cloud) -> Self {
        Self::new(x, x, true)
    }

    fn new(x: &'a Cloud, y: &'a Cloud, within: bool) -> Self {
        let potential = |cloud: &Cloud| {
            let mut values = vec![0.0; cloud.len()];
            // No mass goes to the padding of the last lanes.
            values.resize(cloud.width(), f64::NEG_INFINITY);
            values
        };
        Self { x, y, within, cost: x.half_squared_distances(y), f: potential(x), g: potential(y) }
    }

    /// Moves the potentials by the given share towards those of the next step.
    pub(super) fn step(&mut self, epsilon: f64, share: f64) {
        let mut rows = vec![0.0; self.x.len()];
        let mut columns = vec![0.0; self.y.width()];
        let masses = Masses::new(self, epsilon);
        pulp::Arch::new().dispatch(Sums { masses: &masses, rows: &mut rows, columns: &mut columns });
        let (n, m) = (self.x.len(), self.y.len());
        advance(&mut self.f[..n], &rows, m, share * epsilon);
        match self.within {
            true => self.g.copy_from_slice(&self.f),
            false => advance(&mut self.g[..m], &columns, n, share * epsilon),
        }
    }

    /// The last step, and the means of the masses before it.
    pub(super) fn finish(mut self, epsilon: f64) -> Outcome {
        let mut targets = [Cloud::zero(self.x), Cloud::zero(self.y)];
        let masses = Masses::new(&self, epsilon);
        pulp::Arch::new().dispatch(Targets { masses: &masses, targets: &mut targets });
        self.step(epsilon, 1.0);
        let mean = |values: &[f64], n: usize| values[..n].iter().sum::<f64>() / n as f64;
        Outcome { means: [mean(&self.f, self.x.len()), mean(&self.g, self.y.len())], targets }
    }
}

/// Subtracts `amount · log(sum / count)` from each potential.
fn advance(potential: &mut [f64], sums: &[f64], count: usize, amount: f64) {
    let count = count as f64;
    potential.iter_mut().zip(sums).for_each(|(value, sum)| *value -= amount * (sum / count).ln());
}

/// The masses at given potentials, computed on demand. Potentials are in units of `ε log 2`, so that powers of two are computed.
struct Masses<'a> {
    coupling: &'a Coupling<'a>,
    f: Vec<f64>,
    g: Vec<f64>,
    scale: f64,
}

impl<'a> Masses<'a> {
    fn new(coupling: &'a Coupling<'a>, epsilon: f64) -> Self {
        let scale = LOG2_E / epsilon;
        let scaled = |values: &[f64]| values.iter().map(|value| value * scale).collect();
        Self { coupling, f: scaled(&coupling.f), g: scaled(&coupling.g), scale }
    }

    /// The costs of a row and the potentials of its columns, `LANES` at a time.
    #[inline(always)]
    fn row(&self, i: usize) -> (&[[f64; LANES]], &[[f64; LANES]]) {
        let width = self.g.len();
        (self.coupling.cost[i * width..(i + 1) * width].as_chunks().0, self.g.as_chunks().0)
    }

    #[inline(always)]
    fn lanes(&self, i: usize, cost: &[f64; LANES], g: &[f64; LANES]) -> [f64; LANES] {
        let mut out = [0.0; LANES];
        for lane in 0..LANES {
            out[lane] = exp2(cost[lane].mul_add(-self.scale, self.f[i] + g[lane]));
        }
        out
    }
}

/// Sums the masses of rows and of columns; for a cloud with itself only of rows, which are the same.
struct Sums<'a> {
    masses: &'a Masses<'a>,
    rows: &'a mut [f64],
    columns: &'a mut [f64],
}

impl NullaryFnOnce for Sums<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        if self.masses.coupling.within { self.within() } else { self.between() }
    }
}

impl Sums<'_> {
    #[inline(always)]
    fn between(self) {
        let columns = self.columns.as_chunks_mut().0;
        for (i, sum) in self.rows.iter_mut().enumerate() {
            let (cost, g) = self.masses.row(i);
            let mut total = [0.0; LANES];
            for ((cost, g), column) in cost.iter().zip(g).zip(columns.iter_mut()) {
                let masses = self.masses.lanes(i, cost, g);
                add(&mut total, &masses);
                add(column, &masses);
            }
            *sum = total.iter().sum();
        }
    }

    /// Masses right of a row's own lanes count in its sum and, in place of those below, in the sums of their columns.
    #[inline(always)]
    fn within(self) {
        let columns = self.columns.as_chunks_mut().0;
        for (i, sum) in self.rows.iter_mut().enumerate() {
            let (cost, g) = self.masses.row(i);
            let own = i / LANES;
            let mut total = self.masses.lanes(i, &cost[own], &g[own]);
            for k in own + 1..cost.len() {
                let masses = self.masses.lanes(i, &cost[k], &g[k]);
                add(&mut total, &masses);
                add(&mut columns[k], &masses);
            }
            *sum = total.iter().sum::<f64>() + columns[own][i % LANES];
        }
    }
}

/// Finds the means of the other cloud's points under the masses of each row and of each column.
struct Targets<'a> {
    masses: &'a Masses<'a>,
    targets: &'a mut [Cloud; 2],
}

impl NullaryFnOnce for Targets<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Coupling { x, y, within, .. } = *self.masses.coupling;
        let [of_x, of_y] = self.targets;
        let mut masses = vec![[0.0; LANES]; y.width() / LANES];
        let mut columns = masses.clone();
        for i in 0..x.len() {
            let (cost, g) = self.masses.row(i);
            let mut total = [0.0; LANES];
            for (k, masses) in masses.iter_mut().enumerate() {
                *masses = self.masses.lanes(i, &cost[k], &g[k]);
                add(&mut total, masses);
            }
            let sum: f64 = total.iter().sum();
            for j in 0..x.columns() {
                of_x.coordinate_mut(j)[i] = dot(&masses, y.coordinate(j)) / sum;
            }
            if !within {
                for (column, masses) in columns.iter_mut().zip(&masses) {
                    add(column, masses);
                }
                for j in 0..x.columns() {
                    add_multiple(of_y.coordinate_mut(j), x.coordinate(j)[i], &masses);
                }
            }
        }
        for j in 0..y.columns() {
            let sums = columns.as_flattened()[..y.len()].iter();
            of_y.coordinate_mut(j).iter_mut().zip(sums).for_each(|(mean, sum)| *mean /= sum);
        }
    }
}

#[inline(always)]
fn add(to: &mut [f64; LANES], what: &[f64; LANES]) {
    for lane in 0..LANES {
        to[lane] += what[lane];
    }
}

#[inline(always)]
fn dot(a: &[[f64; LANES]], b: &[f64]) -> f64 {
    let mut total = [0.0; LANES];
    for (a, b) in a.iter().zip(b.as_chunks::<LANES>().0) {
        for lane in 0..LANES {
            total[lane] = a[lane].mul_add(b[lane], total[lane]);
        }
    }
    total.iter().sum()
}

#[inline(always)]
fn add_multiple(to: &mut [f64], factor: f64, what: &[[f64; LANES]]) {
    for (to, what) in to.as_chunks_mut::<LANES>().0.iter_mut().zip(what) {
        for lane in 0..LANES {
            to[lane] = what[lane].mul_add(factor, to[lane]);
        }
    }
}
