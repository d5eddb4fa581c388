//! Reports of a fit.

use super::{FittedDensity, Model, Recipe};
use crate::learn::psd::TheorySchedule;
use crate::stack::{Member, Tried};

/// Report of a fit.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// Number of rows of the table, and numbers of rows used.
    pub rows: RowsUsed,
    /// Seed of all randomness.
    pub seed: u64,
    /// Whether the fit converged.
    pub converged: bool,
    /// The fitted density.
    pub density: DensityReport,
}

/// Numbers of rows used in a fit, by purpose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RowsUsed {
    /// Rows of the table.
    pub table: usize,
    /// Rows to which the model was fitted.
    pub fitted: usize,
    /// Rows on which members of a stack were compared. They are also the donors.
    pub compared: usize,
    /// Rows that are donors; none if donors have no weight.
    pub donors: usize,
}

impl RowsUsed {
    /// A sentence for the user if not all rows were used for everything; `None` otherwise.
    pub fn note(&self) -> Option<String> {
        let &Self { table, fitted, compared, .. } = self;
        let all =
            if fitted == table { format!("all {table} rows") } else { format!("{fitted} of {table} rows") };
        (compared < table).then(|| {
            format!("members are fitted to {all} and compared on {compared}, which are the donors too; these are chosen at random, and draws of so long a table are not in balance")
        })
    }
}

/// Report of the fitted density, by recipe.
#[derive(Debug, Clone, PartialEq)]
pub enum DensityReport {
    /// A stack of members.
    Stack(StackReport),
    /// One kernel density.
    Kernel(KernelReport),
}

/// A kernel density fitted by one of the paper's recipes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum KernelReport {
    /// As in the paper's experiments.
    Paper {
        /// The chosen `μ`.
        mu: f64,
        /// The chosen `η`.
        eta: f64,
        /// The rounds of the alternating learning.
        rounds: usize,
        /// Number of the round that was kept, counted from zero.
        kept: usize,
    },
    /// With the sizes given by the paper's theorem.
    Theory(TheorySchedule),
}

impl DensityReport {
    /// The name of the recipe, one of [`Recipe::NAMES`].
    pub fn recipe(&self) -> &'static str {
        let [default, paper, theory] = Recipe::NAMES;
        match self {
            Self::Stack(_) => default,
            Self::Kernel(KernelReport::Paper { .. }) => paper,
            Self::Kernel(KernelReport::Theory(_)) => theory,
        }
    }
}

/// Report of a stack. Likelihoods are held-out log-likelihoods in nats per row.
#[derive(Debug, Clone, PartialEq)]
pub struct StackReport {
    /// Every member tried.
    pub members: Vec<Tried>,
    /// Likelihood of the stack.
    pub held_out: f64,
    /// Likelihood of the normal model, if it was tried.
    pub normal: Option<f64>,
    /// Ridge of the normal model.
    pub ridge: f64,
    /// Number of distinct rows to which the members were fitted.
    pub rows: usize,
    /// The member after which the time budget ended, so that no finer ones were tried; unknown for a model read from a file.
    pub budget_ended_after: Option<Member>,
}

impl Model {
    /// Report of the fit.
    pub fn report(&self) -> Report {
        let mut rows = RowsUsed { table: self.rows, fitted: self.rows, compared: self.rows, donors: 0 };
        let (converged, density) = match &self.fitted {
            FittedDensity::Stack(stack) => {
                (rows.fitted, rows.compared) = stack.rows_used();
                let donors = stack.members.iter().filter(|tried| tried.member == Member::Donors);
                rows.donors =
                    if donors.map(|tried| tried.weight).sum::<f64>() > 0.0 { rows.compared } else { 0 };
                let normal = stack.members.iter().find(|tried| tried.member == Member::Normal);
                let report = StackReport {
                    members: stack.members.clone(),
                    held_out: stack.held_out,
                    normal: normal.map(|tried| tried.held_out),
                    ridge: stack.ridge,
                    rows: stack.rows(),
                    budget_ended_after: self.budget_ended_after,
                };
                (stack.converged, DensityReport::Stack(report))
            }
            FittedDensity::Kernel { report, converged, .. } => (*converged, DensityReport::Kernel(*report)),
        };
        Report { rows, seed: self.seed, converged, density }
    }
}
