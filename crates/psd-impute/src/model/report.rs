//! How a fit went.

use super::{FittedDensity, Model, Recipe};
use crate::learn::psd::TheorySchedule;
use crate::stack::{Member, Tried};

/// How a fit went.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// How many rows the table had, and how many were used for what.
    pub rows: RowsUsed,
    /// The seed of everything random.
    pub seed: u64,
    /// Whether the fit converged.
    pub converged: bool,
    /// The density that was fitted.
    pub density: DensityReport,
}

/// How many rows of a table were used for what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RowsUsed {
    /// The rows of the table.
    pub table: usize,
    /// Those that the model was fitted to.
    pub fitted: usize,
    /// Those that the members of a stack were compared on. They are the donors, too.
    pub compared: usize,
}

impl RowsUsed {
    /// What there is to say, if not all rows were used for everything.
    pub fn note(&self) -> Option<String> {
        let &Self { table, fitted, compared } = self;
        let all =
            if fitted == table { format!("all {table} rows") } else { format!("{fitted} of {table} rows") };
        (compared < table).then(|| {
            format!("members are fitted to {all} and compared on {compared}, which are the donors too; these are chosen at random, and draws of so long a table are not in balance")
        })
    }
}

/// The density that was fitted.
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
        /// The round that was kept, from zero.
        kept: usize,
    },
    /// With the sizes of the paper's theorem.
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

/// How a stack did. Likelihoods are held-out log-likelihoods in nats a row.
#[derive(Debug, Clone, PartialEq)]
pub struct StackReport {
    /// Each member tried.
    pub members: Vec<Tried>,
    /// The stack's likelihood.
    pub held_out: f64,
    /// The normal model's, if it was tried.
    pub normal: Option<f64>,
    /// The ridge of the normal model.
    pub ridge: f64,
    /// How many distinct rows the members were fitted to.
    pub rows: usize,
}

impl Model {
    /// How the fit went.
    pub fn report(&self) -> Report {
        let mut rows = RowsUsed { table: self.rows, fitted: self.rows, compared: self.rows };
        let (converged, density) = match &self.fitted {
            FittedDensity::Stack(stack) => {
                (rows.fitted, rows.compared) = stack.rows_used();
                let normal = stack.members.iter().find(|tried| tried.member == Member::Normal);
                let report = StackReport {
                    members: stack.members.clone(),
                    held_out: stack.held_out,
                    normal: normal.map(|tried| tried.held_out),
                    ridge: stack.ridge,
                    rows: stack.rows(),
                };
                (stack.converged, DensityReport::Stack(report))
            }
            FittedDensity::Kernel { report, converged, .. } => (*converged, DensityReport::Kernel(*report)),
        };
        Report { rows, seed: self.seed, converged, density }
    }
}
