//! What was done, for the person at the terminal or as JSON.

use super::Failure;
use crate::diagnostic::printable;
use psd_impute::learn::Tried;
use psd_impute::model::{How, Model, Report};
use psd_impute_frame::Plan;
use serde::Serialize;
use std::io::Write;

/// What was done to a table.
#[derive(Serialize)]
pub(crate) struct Summary {
    pub(crate) input: String,
    pub(crate) outputs: Vec<String>,
    pub(crate) rows: u64,
    pub(crate) columns: Vec<ColumnSummary>,
    pub(crate) method: &'static str,
    pub(crate) seed: u64,
    /// None where nothing was fitted because no cell is missing.
    pub(crate) fit: Option<FitSummary>,
    pub(crate) notes: Vec<String>,
    pub(crate) seconds: f64,
}

/// A column that is completed.
#[derive(Serialize)]
pub(crate) struct ColumnSummary {
    pub(crate) name: String,
    pub(crate) kind: &'static str,
    /// Cells that were filled.
    pub(crate) filled: u64,
}

/// How the model was fitted. Likelihoods are held-out log-likelihoods in nats a row.
#[derive(Serialize)]
pub(crate) struct FitSummary {
    pub(crate) recipe: String,
    pub(crate) rows: usize,
    pub(crate) seed: u64,
    pub(crate) converged: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) held_out: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) normal_held_out: Option<f64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) members: Vec<MemberSummary>,
}

/// A member with weight.
#[derive(Serialize)]
pub(crate) struct MemberSummary {
    pub(crate) member: String,
    pub(crate) space: String,
    pub(crate) weight: f64,
    pub(crate) held_out: f64,
}

/// What is said of a fit that did not converge, whatever else is said.
pub(crate) const NOT_CONVERGED: &str =
    "warning: the fit did not converge; what it gives was written all the same";

/// The lightest member worth a line.
const LIGHTEST: f64 = 0.005;

impl FitSummary {
    pub(crate) fn of(model: &Model) -> Self {
        let Report { rows, seed, converged, how } = model.report();
        let blank = |recipe: String| Self {
            recipe,
            rows,
            seed,
            converged,
            held_out: None,
            normal_held_out: None,
            members: Vec::new(),
        };
        match how {
            How::Paper { mu, eta, rounds, kept } => {
                blank(format!("the paper's: mu {mu}, eta {eta}; round {} of {rounds} kept", kept + 1))
            }
            How::Theory(sizes) => blank(format!(
                "the theorem's: {} anchors, nu {:.3}, lambda {:.2e}, eta {:.3}",
                sizes.anchors, sizes.nu, sizes.lambda, sizes.eta
            )),
            How::Stack(stack) => {
                let member = |tried: &Tried| MemberSummary {
                    member: tried.member.to_string(),
                    space: tried.space.to_string(),
                    weight: tried.weight,
                    held_out: tried.held_out,
                };
                let heavy = stack.members.iter().filter(|tried| tried.weight > LIGHTEST);
                Self {
                    held_out: Some(stack.held_out),
                    normal_held_out: stack.normal,
                    members: heavy.map(member).collect(),
                    ..blank("a stack weighted by cross-validation".to_string())
                }
            }
        }
    }

    /// What a reader wants to know of it.
    pub(crate) fn print(&self, out: &mut dyn Write) -> Result<(), Failure> {
        match (self.held_out, self.normal_held_out) {
            (Some(stack), Some(normal)) => writeln!(
                out,
                "held-out log-likelihood {stack:.3} nats a row (normal model {normal:.3}), of which:"
            )?,
            (Some(stack), None) => writeln!(out, "held-out log-likelihood {stack:.3} nats a row, of which:")?,
            _ => writeln!(out, "fitted by {}", self.recipe)?,
        }
        for MemberSummary { member, space, weight, held_out } in &self.members {
            writeln!(out, "  {:3.0} %  {member}, {space} ({held_out:.3} alone)", 100.0 * weight)?;
        }
        Ok(())
    }
}

impl Summary {
    /// Whether the fit did, if there was one.
    pub(crate) fn converged(&self) -> bool {
        self.fit.as_ref().is_none_or(|fit| fit.converged)
    }

    /// The columns that were filled, the fit, the notes, the files.
    pub(crate) fn print(&self, out: &mut dyn Write) -> Result<(), Failure> {
        let cells: u64 = self.columns.iter().map(|column| column.filled).sum();
        let (rows, columns) = (self.rows, self.columns.len());
        writeln!(
            out,
            "{}: {}, {}, {}",
            self.input,
            count(rows, "row"),
            count(columns as u64, "column"),
            count(cells, "missing cell")
        )?;
        let width =
            self.columns.iter().map(|column| printable(&column.name).chars().count()).max().unwrap_or(0);
        for ColumnSummary { name, kind, filled } in self.columns.iter().filter(|column| column.filled > 0) {
            let name = printable(name);
            writeln!(out, "  {name:width$}  {kind:10}  {filled:>9} filled")?;
        }
        if let Some(fit) = self.fit.as_ref().filter(|_| cells > 0) {
            fit.print(out)?;
        }
        for note in &self.notes {
            writeln!(out, "note: {}", printable(note))?;
        }
        if !self.converged() {
            writeln!(out, "{NOT_CONVERGED}")?;
        }
        for output in &self.outputs {
            writeln!(out, "wrote {output}")?;
        }
        writeln!(out, "{:.1} s", self.seconds)?;
        Ok(())
    }
}

/// One line of JSON.
pub(crate) fn print_json(what: &impl Serialize, out: &mut dyn Write) -> Result<(), Failure> {
    serde_json::to_writer(&mut *out, what).map_err(std::io::Error::from)?;
    writeln!(out)?;
    Ok(())
}

/// The kinds of the columns that are completed and how many cells of each were filled.
pub(crate) fn filled(plan: &Plan, report: &psd_impute_frame::Report) -> Vec<ColumnSummary> {
    let column = |found: &psd_impute_frame::ColumnReport| {
        let kind = plan.column(&found.name)?.kind().name();
        Some(ColumnSummary { name: found.name.clone(), kind, filled: found.missing })
    };
    report.columns.iter().filter_map(column).collect()
}

pub(crate) fn count(n: u64, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}
