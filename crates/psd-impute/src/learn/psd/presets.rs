//! The paper's two recipes, that of its experiments and that of its theorem: from a standardised table and a seed to a density.

use super::alternating::{Alternating, Round};
use super::anchors::{AnchorChoice, box_of, uniform_on};
use super::fit::{Fitted, PsdFit, Reference};
use super::held_out::HeldOut;
use crate::Result;
use crate::density::{Density, PsdDensity};
use crate::error::{bad, positive};
use crate::kernel::{Anchors, BaseMeasure, Features, Metric};
use crate::objective::{Problem, ProblemOptions, Regularizer};
use crate::solver::{SolverOptions, Status, solve};
use crate::table::{Kind, Table};
use faer::Mat;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// The recipe of the paper's experiments. First comes a self-masking cross-validation over `μ` and `η`: observed cells are dealt into
/// folds, and a model fitted without the cells of a fold is scored by their log-density given the other cells of their rows. Then,
/// starting from the chosen values, alternating learning with one bandwidth per column, stopped early on a tenth of the rows, and a final
/// solve for `Q` on all rows.
#[derive(Debug, Clone, PartialEq)]
pub struct PaperPreset {
    /// Values of `μ` to try, decreasing.
    pub mus: Vec<f64>,
    /// Values of `η` to try.
    pub etas: Vec<f64>,
    /// Number of folds of the cross-validation.
    pub folds: usize,
    /// Largest number of anchors.
    pub anchors: usize,
    /// Largest number of Newton steps in the alternating learning.
    pub newton_steps: usize,
}

impl Default for PaperPreset {
    /// The paper's grid, 65 anchors and 60 Newton steps. The paper does not state its number of folds; five is arbitrary.
    fn default() -> Self {
        Self {
            mus: vec![1.0, 0.1, 0.01, 0.001],
            etas: vec![2.0, 1.6, 1.2],
            folds: 5,
            anchors: 65,
            newton_steps: 60,
        }
    }
}

/// Choices made by the paper's recipe.
#[derive(Debug, Clone, PartialEq)]
pub struct PaperReport {
    /// Every `(μ, η)` with the log-density of the masked cells, in nats per cell.
    pub tried: Vec<(f64, f64, f64)>,
    /// The chosen `μ`.
    pub mu: f64,
    /// The chosen `η`, from which the bandwidths start.
    pub eta: f64,
    /// The learned bandwidths, one per continuous column.
    pub bandwidths: Vec<f64>,
    /// The rounds of the alternating learning.
    pub rounds: Vec<Round>,
    /// Number of the round that was kept, counted from zero.
    pub kept: usize,
    /// Outcome of the final solve.
    pub status: Status,
}

/// With fewer rows than this none are held out. Arbitrary.
const FEW: usize = 20;
/// One row in `TENTH` is held out, at random. Arbitrary.
const TENTH: usize = 10;

impl PaperPreset {
    /// Fits a standardised table.
    ///
    /// # Errors
    ///
    /// [`Error::BadParameter`](crate::Error::BadParameter) for an empty grid or a value that is not positive, and as for [`Features::new`],
    /// [`Problem::objective`] and [`solve`].
    pub fn fit(&self, table: &Table, seed: u64) -> Result<(PsdDensity, PaperReport)> {
        if self.mus.is_empty() || self.etas.is_empty() {
            return Err(bad("grid of mu and eta", "empty", "at least one of each"));
        }
        let rng = &mut ChaCha8Rng::seed_from_u64(seed);
        let tried = self.cross_validate(table, rng)?;
        let better =
            |best: (f64, f64, f64), next: &(f64, f64, f64)| if next.2 > best.2 { *next } else { best };
        let (mu, eta, _) = tried.iter().fold((self.mus[0], self.etas[0], f64::NEG_INFINITY), better);
        let held_out = table.sample(if table.len() < FEW { 0 } else { table.len() / TENTH });
        let train: Vec<usize> = (0..table.len()).filter(|i| held_out.binary_search(i).is_err()).collect();
        let train = table.select(&train)?;
        let validation = if held_out.is_empty() { None } else { Some(table.select(&held_out)?) };
        let solver = SolverOptions { mu_final: mu, tolerance: 1e-6, ..SolverOptions::default() };
        let setup = Alternating {
            solver,
            newton_steps: self.newton_steps,
            held_out: validation.as_ref().map(|table| HeldOut { table, every: 1, patience: 3 }),
            ..Alternating::default()
        };
        let start = self.features(&train, eta, rng)?;
        let learned = setup.run(&train, &start, rng, &mut ())?;
        let features = learned.psd.features();
        let objective = Problem::new(features, table, None, None, setup.problem)?.objective()?;
        let solution = solve(&objective, &solver, Some(learned.psd.q()), &mut ())?;
        let report = PaperReport {
            tried,
            mu,
            eta,
            bandwidths: features.metric().parameters().iter().map(|t| t.exp()).collect(),
            rounds: learned.rounds,
            kept: learned.kept,
            status: solution.status,
        };
        Ok((PsdDensity::new(features.clone(), solution.q)?, report))
    }

    /// Features with one bandwidth per column and anchors among the rows of an imputed copy, chosen by k-means++ seeding.
    fn features(&self, table: &Table, eta: f64, rng: &mut ChaCha8Rng) -> Result<Features> {
        let anchors = AnchorChoice::KMeans { count: self.anchors, steps: 0 }.pick(table, rng)?;
        let g = table.columns().iter().filter(|c| *c.kind() == Kind::Continuous).count();
        Features::new(table, None, &anchors, Metric::diagonal(vec![eta; g])?, BaseMeasure::WholeSpace, 1.0)
    }

    /// Every `(μ, η)` with its score. For each `η` the values of `μ` are solved in order, each warm-started from the one before.
    fn cross_validate(&self, table: &Table, rng: &mut ChaCha8Rng) -> Result<Vec<(f64, f64, f64)>> {
        let folds = self.folds.max(2);
        let mut scores = vec![0.0; self.mus.len() * self.etas.len()];
        let deal = Mat::from_fn(table.columns().len(), table.len(), |_, _| rng.random_range(0..folds));
        for fold in 0..folds {
            let cells = table.cells();
            let keep = |j: usize, i: usize| if deal[(j, i)] == fold { f64::NAN } else { cells[(j, i)] };
            let masked = table.with_cells(Mat::from_fn(cells.nrows(), cells.ncols(), keep))?;
            let anchors = ChaCha8Rng::seed_from_u64(rng.random());
            for (e, &eta) in self.etas.iter().enumerate() {
                let features = self.features(&masked, eta, &mut anchors.clone())?;
                let objective =
                    Problem::new(&features, &masked, None, None, ProblemOptions::default())?.objective()?;
                let mut warm: Option<Mat<f64>> = None;
                for (m, &mu) in self.mus.iter().enumerate() {
                    let options = SolverOptions { mu_final: mu, tolerance: 1e-5, ..SolverOptions::default() };
                    let q = solve(&objective, &options, warm.as_ref().map(|q| q.as_ref()), &mut ())?.q;
                    let density = PsdDensity::new(features.clone(), q.clone())?;
                    scores[e * self.mus.len() + m] += masked_score(&density, table, &masked)?;
                    warm = Some(q);
                }
            }
        }
        let cells: usize = (0..table.columns().len()).map(|j| table.observed(j).count()).sum();
        let grid = self.etas.iter().flat_map(|&eta| self.mus.iter().map(move |&mu| (mu, eta)));
        Ok(grid.zip(scores).map(|((mu, eta), score)| (mu, eta, score / cells.max(1) as f64)).collect())
    }
}

/// Sum of the log-densities of the cells missing from `masked`, given its observed cells.
fn masked_score(density: &dyn Density, table: &Table, masked: &Table) -> Result<f64> {
    let (with, without) = (density.log_marginals(table)?, density.log_marginals(masked)?);
    Ok(with.iter().zip(&without).map(|(with, without)| with - without).sum())
}

/// `ν`, `λ`, `l` and `η` of the paper's Theorem 5.4 for `[-1, 1]^d`, with constants and the logarithms hidden in `Õ` set to one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TheorySchedule {
    /// `N^{-s/(6s+2d)}`, at most `1/e` as the generalisation bound requires.
    pub nu: f64,
    /// `N^{-(s+d)/(6s+2d)}`.
    pub lambda: f64,
    /// `l = N^{d/(6s+2d)} (log N/δ)^{d/2}`, rounded up.
    pub anchors: usize,
    /// `l^{2/d}`.
    pub eta: f64,
}

impl TheorySchedule {
    /// The schedule for `rows` rows of `columns` columns, a smoothness `s > d/2`, a probability `δ` of failure, and at most `limit` anchors.
    ///
    /// # Errors
    ///
    /// [`Error::EmptyTable`](crate::Error::EmptyTable) for no rows or columns, [`Error::BadParameter`](crate::Error::BadParameter) for
    /// `smoothness` or `delta` out of range.
    pub(crate) fn new(
        rows: usize,
        columns: usize,
        smoothness: f64,
        delta: f64,
        limit: usize,
    ) -> Result<Self> {
        let (n, d, s) = (rows as f64, columns as f64, positive("smoothness", smoothness)?);
        if columns == 0 || rows == 0 {
            return Err(crate::Error::EmptyTable(if rows == 0 { "rows" } else { "columns" }));
        }
        if s <= 0.5 * d {
            return Err(bad("smoothness", s, "above half the number of columns"));
        }
        if !(delta > 0.0 && delta < 1.0) {
            return Err(bad("delta", delta, "above 0 and below 1"));
        }
        let power = |p: f64| n.powf(p / (6.0 * s + 2.0 * d));
        let anchors = (power(d) * (n / delta).ln().powf(0.5 * d)).ceil().min(limit.max(1) as f64);
        Ok(Self {
            nu: power(-s).min((-1f64).exp()),
            lambda: power(-(s + d)),
            anchors: anchors as usize,
            eta: anchors.powf(2.0 / d),
        })
    }
}

/// The recipe of the paper's theory: uniform anchors on a box, the uniform density on the box as reference, `A_0 = K`, and the
/// [schedule](TheorySchedule) of its theorem. Continuous columns only.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TheoryPreset {
    /// `s`; `None` for half the number of columns plus one.
    pub smoothness: Option<f64>,
    /// `δ`. The default is arbitrary.
    pub delta: f64,
    /// Largest number of anchors; the theorem's number grows fast with the columns. The default is arbitrary.
    pub max_anchors: usize,
    /// The last barrier weight, which does not occur in the theory; it only has to be small.
    pub mu: f64,
}

impl Default for TheoryPreset {
    fn default() -> Self {
        Self { smoothness: None, delta: 0.05, max_anchors: 200, mu: 1e-5 }
    }
}

/// Choices made by the theory's recipe.
#[derive(Debug, Clone, PartialEq)]
pub struct TheoryReport {
    /// The theorem's numbers.
    pub schedule: TheorySchedule,
    /// `s`.
    pub smoothness: f64,
    /// The box, which takes the place of `[-1, 1]^d`.
    pub bounds: Vec<(f64, f64)>,
    /// Outcome of the solve.
    pub status: Status,
}

impl TheoryPreset {
    /// Fits a standardised table. The box is that of the observed cells, extended by a tenth of its length in total (arbitrary).
    ///
    /// In a column whose interval has half-length `r` the kernel's bandwidth is `η/r²`, and with normalised features `λ` becomes `λ/h`,
    /// `h = (π/2η)^{d/2}`.
    ///
    /// # Errors
    ///
    /// [`Error::BadParameter`](crate::Error::BadParameter) for a discrete column or sizes out of range, and as for [`PsdFit::run`].
    pub fn fit(&self, table: &Table, seed: u64) -> Result<(Fitted, TheoryReport)> {
        if let Some(column) = table.columns().iter().find(|c| *c.kind() != Kind::Continuous) {
            return Err(bad("column for the theory's preset", column.name(), "continuous"));
        }
        let d = table.columns().len();
        let smoothness = self.smoothness.unwrap_or(0.5 * d as f64 + 1.0);
        let schedule = TheorySchedule::new(table.len(), d, smoothness, self.delta, self.max_anchors)?;
        let bounds = box_of(table, 0.05);
        let halves = bounds.iter().map(|(lo, hi)| 0.5 * (hi - lo));
        let rng = &mut ChaCha8Rng::seed_from_u64(seed);
        let anchors = Anchors::new(uniform_on(&bounds, schedule.anchors, rng))?;
        let h = (std::f64::consts::FRAC_PI_2 / schedule.eta).powf(0.5 * d as f64);
        let fit = PsdFit {
            metric: Metric::diagonal(halves.map(|r| schedule.eta / (r * r)).collect())?,
            measure: BaseMeasure::Box(bounds.clone()),
            reference: Reference::Uniform(bounds.clone()),
            problem: ProblemOptions {
                lambda: schedule.lambda / h,
                regularizer: Regularizer::Kernel,
                nu: schedule.nu,
                ..ProblemOptions::default()
            },
            solver: SolverOptions { mu_final: self.mu, ..SolverOptions::default() },
            ..PsdFit::default()
        };
        let fitted = fit.run(table, &anchors, &mut ())?;
        let status = fitted.solution.status;
        Ok((fitted, TheoryReport { schedule, smoothness, bounds, status }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers computed by hand from the theorem's formulas.
    #[test]
    fn the_schedule_is_the_theorems() {
        let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-6, "{a} {b}");
        // 6s + 2d = 8, N = 10^6, log(N/δ) = log(2·10^7) = 16.811243.
        let one = TheorySchedule::new(1_000_000, 1, 1.0, 0.05, 500).unwrap();
        near(one.nu, 0.177_827_94);
        near(one.lambda, 0.031_622_777);
        assert_eq!(one.anchors, 24); // 5.623413 · 4.100151 = 23.06
        near(one.eta, 576.0);
        // 6s + 2d = 16, N = 1000: ν = 10^-0.375 = 0.42 is above 1/e.
        let two = TheorySchedule::new(1000, 2, 2.0, 0.05, 500).unwrap();
        near(two.nu, 0.367_879_44);
        near(two.lambda, 0.177_827_94);
        assert_eq!(two.anchors, 24); // 2.371374 · 9.903488 = 23.48
        near(two.eta, 24.0);
        let few = TheorySchedule::new(1000, 2, 2.0, 0.05, 10).unwrap();
        assert_eq!((few.anchors, few.eta), (10, 10.0));
        assert!(TheorySchedule::new(1000, 2, 1.0, 0.05, 10).is_err(), "too rough");
        assert!(TheorySchedule::new(1000, 2, 2.0, 0.0, 10).is_err());
        assert!(TheorySchedule::new(0, 2, 2.0, 0.1, 10).is_err());
    }
}
