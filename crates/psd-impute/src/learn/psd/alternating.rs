//! Alternating minimisation, the paper's method for anchors and metric: Newton's method on `Q`, then gradient steps on the rest.
//!
//! At an optimal `Q` with its dual `ω` the gradient of the Lagrangian `F + ω (tr(QH) - 1)` with respect to anchors and metric is the
//! gradient of the optimal value (the paper's (57)). A round consists of
//!
//! 1. the convex problem in `Q`, warm-started from the last round;
//! 2. `U` steps of Adam along that gradient, with `Q` and `ω` fixed;
//! 3. optionally, redrawing anchors of negligible weight among the fully observed rows.
//!
//! Adam does not improve at every step. So the best round is kept, judged by the held-out rows if there are any and by the objective
//! otherwise, and a round that is worse than the one before halves the learning rate.

use super::fit::{average_log_likelihood, with_reference};
use super::held_out::{Best, HeldOut};
use super::joint::entries;
use crate::Result;
use crate::density::{Density, PsdDensity};
use crate::error::{bad, positive};
use crate::kernel::{DiscreteColumn, Features};
use crate::linalg::trace;
use crate::objective::{Problem, ProblemOptions};
use crate::solver::{Observer, Solution, SolverOptions, solve};
use crate::table::Table;
use faer::{Mat, MatRef};
use rand::{Rng, RngExt};
use std::sync::Arc;

/// Settings of the steps between two Newton solves. The defaults of the rates of decay are those of Adam's authors; the others are
/// arbitrary.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AdamParams {
    /// `U`, the number of steps per round.
    pub steps: usize,
    /// Initial length of a step in each coordinate, in the table's units for anchors and in `log η` for the metric.
    pub rate: f64,
    /// Decay of the running mean of the gradient.
    pub beta1: f64,
    /// Decay of the running mean of its square.
    pub beta2: f64,
}

impl Default for AdamParams {
    fn default() -> Self {
        Self { steps: 10, rate: 0.03, beta1: 0.9, beta2: 0.999 }
    }
}

/// Settings of alternating learning. The table should be standardised.
#[derive(Clone)]
pub struct Alternating<'a> {
    /// Settings of the objective; `ν` is held fixed.
    pub problem: ProblemOptions,
    /// Settings of the solver in each round.
    pub solver: SolverOptions,
    /// Settings of the steps between solves.
    pub adam: AdamParams,
    /// Largest number of rounds.
    pub rounds: usize,
    /// Largest number of Newton steps, over all rounds; 60 in the paper.
    pub newton_steps: usize,
    /// Stop when a round changes the objective by less than this.
    pub tolerance: f64,
    /// Redraw anchors whose `Q_aa` is below this fraction of the average one; `None` for never.
    pub redraw: Option<f64>,
    /// Row weights.
    pub weights: Option<&'a [f64]>,
    /// The reference density, with weight `ν`.
    pub reference: Option<Arc<dyn Density>>,
    /// Held-out rows for early stopping; scored after every round, whatever [`HeldOut::every`] is.
    pub held_out: Option<HeldOut<'a>>,
}

impl Default for Alternating<'_> {
    /// The paper's 60 Newton steps, no reference and no held-out rows. The other defaults are arbitrary.
    fn default() -> Self {
        Self {
            problem: ProblemOptions::default(),
            solver: SolverOptions { tolerance: 1e-6, ..SolverOptions::default() },
            adam: AdamParams::default(),
            rounds: 30,
            newton_steps: 60,
            tolerance: 1e-4,
            redraw: None,
            weights: None,
            reference: None,
            held_out: None,
        }
    }
}

/// Report of one round.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Round {
    /// The objective after Newton's method, barrier included.
    pub objective: f64,
    /// The held-out log-likelihood in nats per row.
    pub held_out: Option<f64>,
    /// Number of Newton steps taken.
    pub newton_steps: usize,
    /// Number of anchors redrawn after the round.
    pub redrawn: usize,
}

/// Result of alternating learning.
pub struct AlternatingFitted {
    /// The model: the PSD density, stacked with the reference if there is one.
    pub density: Box<dyn Density>,
    /// The PSD density alone.
    pub psd: PsdDensity,
    /// The solution in `Q` of the round that was kept.
    pub solution: Solution,
    /// Reports of all rounds.
    pub rounds: Vec<Round>,
    /// Number of the round that was kept, counted from zero.
    pub kept: usize,
    /// Whether the last round met the tolerance.
    pub converged: bool,
}

impl Alternating<'_> {
    /// Learns, starting from the anchors and metric of `features`. Randomness is used only for redrawing anchors.
    ///
    /// # Errors
    ///
    /// [`Error::BadParameter`](crate::Error::BadParameter) for a rate that is not positive, and as for [`Problem::new`],
    /// [`Problem::objective`] and [`solve`].
    pub fn run(
        &self,
        table: &Table,
        features: &Features,
        rng: &mut dyn Rng,
        observer: &mut dyn Observer,
    ) -> Result<AlternatingFitted> {
        positive("rate of Adam", self.adam.rate)?;
        let complete: Vec<usize> =
            (0..table.len()).filter(|&i| table.row(i).iter().all(|x| !x.is_nan())).collect();
        let mut features = features.clone();
        let mut adam = Adam::new(self.adam);
        let mut warm: Option<Mat<f64>> = None;
        let mut rounds: Vec<Round> = Vec::new();
        let mut best = Best::new(self.held_out.map_or(usize::MAX, |rows| rows.patience));
        let converged = loop {
            let spent: usize = rounds.iter().map(|round| round.newton_steps).sum();
            let solution =
                self.solve(table, &features, warm.as_ref(), self.newton_steps - spent, observer)?;
            let held_out = self.score(&features, &solution)?;
            let score = held_out.unwrap_or(-solution.objective);
            let found = || (features.clone(), solution.clone());
            let stop = best.offer(rounds.len(), score, found).is_break();
            let gain = rounds.last().map(|last| last.objective - solution.objective);
            rounds.push(Round {
                objective: solution.objective,
                held_out,
                newton_steps: solution.iterations,
                redrawn: 0,
            });
            let converged = gain.is_some_and(|gain| gain.abs() < self.tolerance);
            let exhausted = rounds.len() >= self.rounds || spent + solution.iterations >= self.newton_steps;
            if stop || converged || exhausted {
                break converged;
            }
            if gain.is_some_and(|gain| gain < 0.0) {
                adam.rate *= 0.5;
            }
            features = self.move_features(table, features, &solution, &mut adam)?;
            let (moved, q, redrawn) = self.redraw(table, &complete, features, solution.q, rng)?;
            if let (true, Some(round)) = (redrawn > 0, rounds.last_mut()) {
                round.redrawn = redrawn;
                adam.forget();
            }
            (features, warm) = (moved, Some(q));
        };
        let Some((_, kept, (features, solution))) = best.take() else {
            return Err(bad("rounds", 0, "at least one"));
        };
        let psd = PsdDensity::new(features, solution.q.clone())?;
        let density = with_reference(&psd, self.problem.nu, self.reference.clone())?;
        Ok(AlternatingFitted { density, psd, solution, rounds, kept, converged })
    }

    fn problem<'p>(&self, table: &'p Table, features: &'p Features) -> Result<Problem<'p>> {
        Problem::new(features, table, self.weights, self.reference.as_deref(), self.problem)
    }

    /// The optimal `Q`, or the best after at most `steps` Newton steps.
    fn solve(
        &self,
        table: &Table,
        features: &Features,
        warm: Option<&Mat<f64>>,
        steps: usize,
        observer: &mut dyn Observer,
    ) -> Result<Solution> {
        let solver = SolverOptions { max_iterations: steps.min(self.solver.max_iterations), ..self.solver };
        let objective = self.problem(table, features)?.objective()?;
        solve(&objective, &solver, warm.map(|q| q.as_ref()), observer)
    }

    fn score(&self, features: &Features, solution: &Solution) -> Result<Option<f64>> {
        let Some(rows) = self.held_out else { return Ok(None) };
        let psd = PsdDensity::new(features.clone(), solution.q.clone())?;
        let density = with_reference(&psd, self.problem.nu, self.reference.clone())?;
        average_log_likelihood(density.as_ref(), rows.table).map(Some)
    }

    /// Takes `U` steps of Adam on anchors and metric.
    fn move_features(
        &self,
        table: &Table,
        mut features: Features,
        solution: &Solution,
        adam: &mut Adam,
    ) -> Result<Features> {
        let (g, l) = (features.anchors().nrows(), features.len());
        for _ in 0..self.adam.steps {
            let gradient =
                self.problem(table, &features)?.parameter_gradient(solution.q.as_ref(), solution.omega)?;
            let mut slopes = entries(gradient.features.anchors.as_ref());
            slopes.extend(gradient.features.metric(features.metric()));
            let mut t = entries(features.anchors());
            t.extend(features.metric().parameters());
            adam.step(&mut t, &slopes);
            let (anchors, metric) = t.split_at(g * l);
            let anchors = MatRef::from_column_major_slice(anchors, g, l).to_owned();
            features = features.moved(anchors, features.metric().with_parameters(metric)?)?;
        }
        Ok(features)
    }

    /// Moves anchors of negligible weight to fully observed rows and zeroes them in `Q`; also returns their number.
    fn redraw(
        &self,
        table: &Table,
        complete: &[usize],
        features: Features,
        mut q: Mat<f64>,
        rng: &mut dyn Rng,
    ) -> Result<(Features, Mat<f64>, usize)> {
        let (Some(share), false) = (self.redraw, complete.is_empty()) else { return Ok((features, q, 0)) };
        let least = share * trace(q.as_ref()) / features.len() as f64;
        let light: Vec<usize> = (0..features.len()).filter(|&a| q[(a, a)] < least).collect();
        let mut anchors = features.anchors().to_owned();
        let mut tables: Vec<Mat<f64>> =
            features.discrete().iter().map(|c| c.log_theta().to_owned()).collect();
        for &a in &light {
            let row = table.row(complete[rng.random_range(0..complete.len())]);
            for (k, &j) in features.continuous_columns().iter().enumerate() {
                anchors[(k, a)] = row[j];
            }
            for (column, table) in features.discrete().iter().zip(&mut tables) {
                let like = most_likely(column, row[column.column()]);
                table.col_mut(a).copy_from(column.log_theta().col(like));
            }
            q.row_mut(a).fill(0.0);
            q.col_mut(a).fill(0.0);
        }
        let mut moved = features.moved(anchors, features.metric().clone())?;
        for (column, table) in features.discrete().iter().zip(tables) {
            moved = moved.with_discrete(column.with_table(table)?)?;
        }
        Ok((moved, q, light.len()))
    }
}

/// The anchor whose table is largest at a value.
fn most_likely(column: &DiscreteColumn, value: f64) -> usize {
    let theta = column.log_theta();
    let Some(k) = column.position(value) else { return 0 };
    (0..theta.ncols()).max_by(|&a, &b| theta[(k, a)].total_cmp(&theta[(k, b)])).unwrap_or(0)
}

/// Adam (Kingma and Ba 2015): steps of the mean gradient over the root of its mean square, both corrected for starting at zero.
struct Adam {
    params: AdamParams,
    rate: f64,
    steps: i32,
    mean: Vec<f64>,
    square: Vec<f64>,
}

impl Adam {
    fn new(params: AdamParams) -> Self {
        Self { params, rate: params.rate, steps: 0, mean: Vec::new(), square: Vec::new() }
    }

    /// Starts again, at the current rate.
    fn forget(&mut self) {
        *self = Self { rate: self.rate, ..Self::new(self.params) };
    }

    fn step(&mut self, x: &mut [f64], gradient: &[f64]) {
        let AdamParams { beta1, beta2, .. } = self.params;
        self.mean.resize(x.len(), 0.0);
        self.square.resize(x.len(), 0.0);
        self.steps += 1;
        let (grown1, grown2) = (1.0 - beta1.powi(self.steps), 1.0 - beta2.powi(self.steps));
        for (k, x) in x.iter_mut().enumerate() {
            self.mean[k] += (1.0 - beta1) * (gradient[k] - self.mean[k]);
            self.square[k] += (1.0 - beta2) * (gradient[k].powi(2) - self.square[k]);
            *x -= self.rate * (self.mean[k] / grown1) / ((self.square[k] / grown2).sqrt() + 1e-8);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adam_steps_by_its_rate_and_finds_the_bottom_of_a_bowl() {
        let mut adam = Adam::new(AdamParams { rate: 0.1, ..Default::default() });
        let mut x = vec![1.0, -200.0];
        adam.step(&mut x, &[3.0, -0.002]);
        assert!((x[0] - 0.9).abs() < 1e-6 && (x[1] + 199.9).abs() < 1e-5);
        let mut x = vec![1.0, -2.0];
        adam.forget();
        for _ in 0..500 {
            let gradient = [2.0 * x[0], 20.0 * x[1]];
            adam.step(&mut x, &gradient);
        }
        assert!(x.iter().all(|x| x.abs() < 1e-3), "{x:?}");
    }
}
