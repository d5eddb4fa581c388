//! A summary of the run, for the terminal or as JSON.

use super::Failure;
use crate::diagnostic::printable;
use psd_impute::model::{DensityReport, KernelReport, Model};
use psd_impute::stack::Tried;
use psd_impute_frame::{
    Bounds, BoundsOptions, ColumnPlan, Drift, LeftColumn, Plan, Report, Warning, in_words,
};
use serde::Serialize;
use std::fmt;
use std::io::Write;

/// The summary of a completed table.
#[derive(Serialize)]
pub(crate) struct Summary {
    pub(crate) input: String,
    pub(crate) outputs: Vec<String>,
    pub(crate) rows: u64,
    /// Missing cells, and how they were treated.
    #[serde(flatten)]
    pub(crate) cells: Cells,
    pub(crate) columns: Vec<ColumnSummary>,
    pub(crate) method: &'static str,
    pub(crate) seed: u64,
    /// Whether draws are in balance; `None` where nothing is drawn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) balanced: Option<bool>,
    /// `None` where nothing was fitted because no cell is missing.
    pub(crate) fit: Option<FitSummary>,
    /// Differences between the table and the one that the model was fitted to.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) drift: Vec<Drift>,
    pub(crate) notes: Vec<String>,
    /// The findings of the checks on the completed table, the worst first.
    pub(crate) warnings: Vec<Warning>,
    pub(crate) seconds: f64,
}

/// Missing cells, and how they were treated.
#[derive(Serialize, Default, Clone, Copy)]
pub(crate) struct Cells {
    pub(crate) missing: u64,
    pub(crate) filled: u64,
    pub(crate) left_empty: u64,
}

/// A column of the table.
#[derive(Serialize)]
pub(crate) struct ColumnSummary {
    pub(crate) name: String,
    pub(crate) kind: &'static str,
    #[serde(flatten)]
    pub(crate) cells: Cells,
    /// The ends that imputed cells respect: the given ones, else those that all observed cells respect.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) ends: Option<[Option<String>; 2]>,
    #[serde(skip)]
    pub(crate) ends_in_words: Option<String>,
    /// The reason why it is left unchanged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reason: Option<String>,
}

/// The summary of a fit. Likelihoods are held-out log-likelihoods in nats per row.
#[derive(Serialize)]
pub(crate) struct FitSummary {
    pub(crate) recipe: String,
    /// The rows used in all, those that members were fitted to, those that they were compared on, and those that are donors.
    pub(crate) rows: usize,
    pub(crate) rows_fitted: usize,
    pub(crate) rows_compared: usize,
    pub(crate) rows_donors: usize,
    #[serde(skip)]
    rows_note: Option<String>,
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

/// The message for a fit that did not converge.
pub(crate) const NOT_CONVERGED: &str =
    "warning: the fit did not converge; its result was written all the same";

/// The most findings of the checks that are printed.
const WARNINGS: usize = 5;
/// The least weight of a member that is printed.
const LIGHTEST: f64 = 0.005;

impl FitSummary {
    pub(crate) fn of(model: &Model) -> Self {
        let psd_impute::model::Report { rows, seed, converged, density } = model.report();
        let blank = |recipe: String| Self {
            recipe,
            rows: rows.table,
            rows_fitted: rows.fitted,
            rows_compared: rows.compared,
            rows_donors: rows.donors,
            rows_note: rows.note(),
            seed,
            converged,
            held_out: None,
            normal_held_out: None,
            members: Vec::new(),
        };
        match density {
            DensityReport::Kernel(KernelReport::Paper { mu, eta, rounds, kept }) => {
                blank(format!("the paper's: mu {mu}, eta {eta}; round {} of {rounds} kept", kept + 1))
            }
            DensityReport::Kernel(KernelReport::Theory(sizes)) => blank(format!(
                "the theorem's: {} anchors, nu {:.3}, lambda {:.2e}, eta {:.3}",
                sizes.anchors, sizes.nu, sizes.lambda, sizes.eta
            )),
            DensityReport::Stack(stack) => {
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

    /// Prints the fit for a reader.
    pub(crate) fn print(&self, out: &mut dyn Write) -> Result<(), Failure> {
        match (self.held_out, self.normal_held_out) {
            (Some(stack), Some(normal)) => writeln!(
                out,
                "held-out log-likelihood {stack:.3} nats per row (normal model {normal:.3}), of which:"
            )?,
            (Some(stack), None) => {
                writeln!(out, "held-out log-likelihood {stack:.3} nats per row, of which:")?
            }
            _ => writeln!(out, "fitted by {}", self.recipe)?,
        }
        for MemberSummary { member, space, weight, held_out } in &self.members {
            writeln!(out, "  {:3.0} %  {member}, {space} ({held_out:.3} alone)", 100.0 * weight)?;
        }
        if let Some(note) = &self.rows_note {
            writeln!(out, "note: {note}")?;
        }
        Ok(())
    }
}

impl Summary {
    /// Whether the fit converged, if there was one.
    pub(crate) fn converged(&self) -> bool {
        self.fit.as_ref().is_none_or(|fit| fit.converged)
    }

    /// Prints the findings to review before the table is used, in a few lines.
    pub(crate) fn print_warnings(&self, out: &mut dyn Write) -> Result<(), Failure> {
        if !self.converged() {
            writeln!(out, "{NOT_CONVERGED}")?;
        }
        for warning in self.warnings.iter().take(WARNINGS) {
            writeln!(out, "warning: {}", printable(&warning.to_string()))?;
        }
        match self.warnings.len().saturating_sub(WARNINGS) {
            0 => {}
            more => writeln!(out, "note: {}; --json lists all", count(more as u64, "more warning"))?,
        }
        Ok(())
    }

    /// Prints the filled columns, the fit, the notes, and the files.
    pub(crate) fn print(&self, out: &mut dyn Write) -> Result<(), Failure> {
        let (rows, columns) = (count(self.rows, "row"), count(self.columns.len() as u64, "column"));
        writeln!(out, "{}: {rows}, {columns}, {}", self.input, self.cells)?;
        let with_gaps: Vec<&ColumnSummary> = self.columns.iter().filter(|c| c.cells.missing > 0).collect();
        let width = with_gaps.iter().map(|column| printable(&column.name).chars().count()).max().unwrap_or(0);
        for ColumnSummary { name, kind, cells, ends_in_words, .. } in with_gaps {
            let name = printable(name);
            let ends =
                ends_in_words.as_ref().map(|ends| format!(", {}", printable(ends))).unwrap_or_default();
            match cells.left_empty {
                0 => writeln!(out, "  {name:width$}  {kind:10}  {:>9} filled{ends}", cells.filled)?,
                left => writeln!(out, "  {name:width$}  {kind:10}  {left:>9} left empty")?,
            }
        }
        if let Some(fit) = self.fit.as_ref().filter(|_| self.cells.filled > 0) {
            fit.print(out)?;
        }
        for note in &self.notes {
            writeln!(out, "note: {}", printable(note))?;
        }
        self.print_warnings(out)?;
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

impl Cells {
    /// Counts missing cells of a completed column.
    fn filled(missing: u64) -> Self {
        Self { missing, filled: missing, left_empty: 0 }
    }

    /// Counts missing cells of a column that is left unchanged.
    fn left_empty(missing: u64) -> Self {
        Self { missing, filled: 0, left_empty: missing }
    }

    /// Sums the cells of a table's columns.
    pub(crate) fn of(columns: &[ColumnSummary]) -> Self {
        columns.iter().fold(Self::default(), |sum, column| Self {
            missing: sum.missing + column.cells.missing,
            filled: sum.filled + column.cells.filled,
            left_empty: sum.left_empty + column.cells.left_empty,
        })
    }
}

impl fmt::Display for Cells {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { missing, filled, left_empty } = self;
        f.write_str(&count(*missing, "missing cell"))?;
        match left_empty {
            0 if *missing == 0 => Ok(()),
            0 => f.write_str(", all filled"),
            _ => write!(f, ", {filled} filled, {left_empty} left empty"),
        }
    }
}

/// The columns of a table, in its order: their kinds, how their missing cells were treated, and the ends that these respect by default, if
/// any.
pub(crate) fn columns(plan: &Plan, report: &Report, bounds: &BoundsOptions) -> Vec<ColumnSummary> {
    let completed = |column: &ColumnPlan| {
        let found = report.columns.iter().find(|found| found.name == column.name() && !found.absent)?;
        let (name, kind) = (found.name.clone(), column.kind().name());
        let given = bounds.asked.iter().find(|given| given.column == column.name()).map(Bounds::shown);
        let ends = given.unwrap_or_else(|| if bounds.auto { column.shown_ends() } else { [None, None] });
        let (ends_in_words, ends) = (in_words(&ends), Some(ends).filter(|ends| *ends != [None, None]));
        let cells = Cells::filled(found.missing);
        Some(ColumnSummary { name, kind, cells, ends, ends_in_words, reason: None })
    };
    let left = |name: &str| {
        let LeftColumn { name, kind, missing, reason } = report.left.iter().find(|left| left.name == name)?;
        let (name, reason) = (name.clone(), Some(reason.to_string()));
        let cells = Cells::left_empty(*missing);
        Some(ColumnSummary { name, kind, cells, ends: None, ends_in_words: None, reason })
    };
    let known = plan.columns().iter().filter_map(|column| completed(column).or_else(|| left(column.name())));
    known.chain(report.extra.iter().filter_map(|name| left(name))).collect()
}

pub(crate) fn count(n: u64, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}
