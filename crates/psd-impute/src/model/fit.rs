//! From a table to a model.

use super::kernel_density::KernelDensity;
use super::{Fitted, Model};
use crate::Result;
use crate::impute::Ties;
use crate::learn::{Member, PaperPreset, StackFit, StackObserver, TheoryPreset};
use crate::solver::Status;
use crate::table::Table;

/// How to fit.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FitOptions {
    /// What.
    pub preset: Preset,
    /// The seed of everything random.
    pub seed: u64,
}

/// What to fit.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum Preset {
    /// A stack of members, weighted by how well they predict what they have not seen: those of
    /// [`StackFit::for_table`].
    #[default]
    Stack,
    /// A stack of these members.
    StackOf(Vec<Member>),
    /// One kernel density as in the paper's experiments.
    Paper(PaperPreset),
    /// One kernel density with the sizes of the paper's theorem.
    Theory(TheoryPreset),
}

impl Model {
    /// Fits a table, in each column of which a cell is observed. The observer hears of a stack's members.
    pub fn fit(table: &Table, options: &FitOptions, observer: &mut dyn StackObserver) -> Result<Self> {
        let (standardised, scaler) = table.standardise();
        let fitted = options.preset.fit(&standardised, options.seed, observer)?;
        let mut model = Self {
            columns: table.columns().to_vec(),
            scaler,
            ties: Ties::of(table),
            seed: options.seed,
            rows: table.len(),
            fitted,
        };
        model.ties = model.ties.calibrated(model.density(), table, &model.scaler)?;
        Ok(model)
    }
}

impl Preset {
    fn fit(&self, table: &Table, seed: u64, observer: &mut dyn StackObserver) -> Result<Fitted> {
        Ok(match self {
            Self::Stack => Fitted::Stack(StackFit::for_table(table, seed).run(table, observer)?),
            Self::StackOf(members) => {
                Fitted::Stack(StackFit { members: members.clone(), starts: 1, seed }.run(table, observer)?)
            }
            Self::Paper(preset) => {
                let (psd, report) = preset.fit(table, seed)?;
                Fitted::Paper {
                    density: KernelDensity::new(psd, 0.0)?,
                    mu: report.mu,
                    eta: report.eta,
                    rounds: report.rounds.len(),
                    kept: report.kept,
                    converged: report.status == Status::Converged,
                }
            }
            Self::Theory(preset) => {
                let (fitted, report) = preset.fit(table, seed)?;
                Fitted::Theory {
                    density: KernelDensity::new(fitted.psd, report.schedule.nu)?,
                    schedule: report.schedule,
                    converged: report.status == Status::Converged,
                }
            }
        })
    }
}
