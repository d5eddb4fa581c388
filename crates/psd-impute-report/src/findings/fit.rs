//! Convergence of the fit, and its comparison with the normal model.

use crate::numbers::{counted, rounded, short};
use psd_impute::model::{DensityReport, KernelReport, Model, Report};
use serde::Serialize;

/// The report of the fit.
#[derive(Debug, Clone, Serialize)]
pub struct Fit {
    /// The preset that was fitted.
    pub recipe: String,
    /// Number of rows of the table that it was fitted to.
    pub rows: usize,
    /// The rows used by each step of the fit, if not all were used throughout.
    pub rows_note: Option<String>,
    /// The seed of the fit.
    pub seed: u64,
    /// Whether it converged.
    pub converged: bool,
    /// The held-out log-likelihood in nats per row, if it was measured.
    pub held_out: Option<f64>,
    /// The same for the normal model.
    pub normal: Option<f64>,
    /// The members that were tried.
    pub members: Vec<Member>,
}

/// A member that was tried.
#[derive(Debug, Clone, Serialize)]
pub struct Member {
    /// Its name.
    pub name: String,
    /// Its space.
    pub space: String,
    /// Its weight; zero if it was not chosen.
    pub weight: f64,
    /// Its own held-out log-likelihood in nats per row.
    pub held_out: f64,
}

impl Fit {
    pub(crate) fn of(model: &Model) -> Self {
        let Report { rows, seed, converged, density } = model.report();
        let mut out = Self {
            recipe: String::new(),
            rows: rows.fitted,
            rows_note: rows.note(),
            seed,
            converged,
            held_out: None,
            normal: None,
            members: Vec::new(),
        };
        match density {
            DensityReport::Kernel(KernelReport::Paper { mu, eta, rounds, kept }) => {
                out.recipe = format!(
                    "one kernel density as in the paper’s experiments: mu {mu}, eta {eta}; round {} of {rounds} kept",
                    kept + 1
                );
            }
            DensityReport::Kernel(KernelReport::Theory(sizes)) => {
                out.recipe = format!(
                    "one kernel density with the theorem’s sizes: {} anchors, nu {}, lambda {}, eta {}",
                    sizes.anchors,
                    short(sizes.nu),
                    short(sizes.lambda),
                    short(sizes.eta)
                );
            }
            DensityReport::Stack(stack) => {
                out.recipe = "a stack weighted by cross-validation".to_string();
                out.held_out = Some(rounded(stack.held_out, 6));
                out.normal = stack.normal.map(|x| rounded(x, 6));
                out.members = stack
                    .members
                    .iter()
                    .map(|tried| Member {
                        name: tried.member.to_string(),
                        space: tried.space.to_string(),
                        weight: rounded(tried.weight, 4),
                        held_out: rounded(tried.held_out, 6),
                    })
                    .collect();
                out.members
                    .sort_by(|a, b| b.weight.total_cmp(&a.weight).then(b.held_out.total_cmp(&a.held_out)));
            }
        }
        out
    }

    /// Doubts about the fit.
    pub fn doubts(&self) -> Vec<String> {
        let mut out = Vec::new();
        if !self.converged {
            out.push("The fit did not converge.".to_string());
        }
        if let (Some(stack), Some(normal)) = (self.held_out, self.normal)
            && stack < normal - 0.05
        {
            out.push(format!(
                "On rows it had not seen the model is worse than a normal model by {} nats per row.",
                short(rounded(normal - stack, 3))
            ));
        }
        out
    }

    /// One sentence.
    pub fn answer(&self) -> String {
        let converged = if self.converged {
            "The fit converged."
        } else {
            "The fit did not converge: take what follows with care."
        };
        let taken = self.members.iter().filter(|member| member.weight > 0.0).count();
        let against = match (self.held_out, self.normal) {
            (Some(stack), Some(normal)) => {
                let better = stack - normal;
                let verdict = if better > 0.005 {
                    format!(
                        "On rows it had not seen it is better than the normal model by {} nats per row: such rows are {} times as probable under it",
                        short(rounded(better, 3)),
                        short(rounded(better.exp(), 3))
                    )
                } else if better < -0.005 {
                    format!(
                        "On rows it had not seen it is worse than the normal model by {} nats per row",
                        short(rounded(-better, 3))
                    )
                } else {
                    "On rows it had not seen it is about as good as the normal model".to_string()
                };
                format!(" {verdict} ({} against {}).", short(stack), short(normal))
            }
            (Some(stack), None) => {
                format!(" On rows it had not seen its log-likelihood is {} nats per row.", short(stack))
            }
            _ => format!(" It is {}; no likelihood was held out.", self.recipe),
        };
        let members = if taken > 0 {
            format!(" It is made of {}.", counted(taken as u64, "member"))
        } else {
            String::new()
        };
        let rows = self.rows_note.as_ref().map_or(String::new(), |note| format!(" Its {note}."));
        format!("{converged}{against}{members}{rows}")
    }
}
