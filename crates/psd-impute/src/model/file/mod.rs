//! The file of a model.
//!
//! An [`envelope`] with a version, a length and a checksum around a payload in the safetensors format: numbers are tensors of 64-bit
//! floats, and the structure is JSON under the key `model` of the metadata (see [`layout`]). The file contains no code. The same model
//! gives the same bytes.
//!
//! Reading trusts nothing: the size of every tensor is known from what was read before it, and everything is built by constructors that
//! check their arguments. Memory and time are bounded by the size of the file.

mod donors;
mod envelope;
mod forest;
mod layout;
mod psd;
mod smooth;
mod stack;
mod tensors;

use super::kernel_density::KernelDensity;
use super::{FittedDensity, KernelReport, Model};
use crate::error::{ModelFileError, positive};
use crate::impute::Ties;
use crate::learn::psd::TheorySchedule;
use crate::table::{Column, Fence, Kind, Scaler, TOLD_APART};
use crate::{Error, Result};
use layout::{FitLayout, KindLayout, Layout, NamedColumn};
use std::io::Write;
use tensors::{Source, Tensors};

impl Model {
    /// Writes the model, together with notes of the caller's own.
    ///
    /// # Errors
    ///
    /// Those of `out`.
    pub fn write(&self, notes: &str, out: &mut dyn Write) -> std::io::Result<()> {
        let mut tensors = Tensors::default();
        tensors.text("notes", notes);
        let layout = self.layout(&mut tensors);
        let layout = serde_json::to_string(&layout)?;
        let payload = tensors.payload(layout).map_err(std::io::Error::other)?;
        envelope::write(&payload, out)
    }

    /// Whether a file starts like a model file.
    pub fn is_file(start: &[u8]) -> bool {
        start.starts_with(&envelope::MAGIC)
    }

    /// Reads a model and the notes from the bytes of its file.
    ///
    /// # Errors
    ///
    /// [`Error::ModelFile`] if the bytes are not a model file of this format, are cut or damaged, or hold numbers that no model has.
    pub fn read(file: &[u8]) -> Result<(Self, String)> {
        let source = Source::of(envelope::open(file)?)?;
        let layout: Layout = serde_json::from_str(source.layout()?)
            .map_err(|error| ModelFileError::Payload { reason: error.to_string() })?;
        Ok((Self::from_layout(&layout, &source)?, source.text("notes")?))
    }

    fn layout(&self, out: &mut Tensors) -> Layout {
        let (shift, scale) = self.scaler.parts();
        out.vector("scaler.shift", shift);
        out.vector("scaler.scale", scale);
        for (j, counts) in (0..shift.len()).filter_map(|j| Some((j, self.scaler.counts(j)?))) {
            out.vector(&format!("column.{j}.counts"), counts);
        }
        for (j, fence) in (0..shift.len()).filter_map(|j| Some((j, self.scaler.fence(j)?))) {
            out.vector(&format!("column.{j}.fence"), &fence.numbers());
        }
        for (j, (values, ends)) in self.ties.parts().enumerate().filter(|(_, ties)| !ties.0.is_empty()) {
            out.vector(&format!("ties.{j}.values"), values);
            out.vector(&format!("ties.{j}.ends"), ends);
        }
        let columns = self.columns.iter().enumerate().map(|(j, column)| write_column(j, column, out));
        let columns = columns.collect();
        let fit = match &self.fitted {
            FittedDensity::Stack(stack) => FitLayout::Stack(stack::write(stack, out)),
            FittedDensity::Kernel { density, report, converged } => {
                write_kernel(density, report, *converged, out)
            }
        };
        Layout { columns, seed: self.seed, rows: self.rows as u64, fit }
    }

    fn from_layout(layout: &Layout, source: &Source<'_>) -> Result<Self> {
        let columns = layout.columns.iter().enumerate().map(|(j, column)| read_column(j, column, source));
        let columns = columns.collect::<Result<Vec<Column>>>()?;
        let d = columns.len();
        if d == 0 {
            return Err(Error::EmptyTable("columns")).map_err(within("columns"));
        }
        let scaler = Scaler::from_parts(
            source.vector("scaler.shift", Some(d))?,
            source.vector("scaler.scale", Some(d))?,
            columns
                .iter()
                .enumerate()
                .map(|(j, column)| read_counts(j, column, source))
                .collect::<Result<_>>()?,
            (0..d).map(|j| read_fence(j, source)).collect::<Result<_>>()?,
        );
        let scaler = scaler.map_err(within("scaler"))?;
        let ties = (0..d).map(|j| match source.has(&format!("ties.{j}.values")) {
            true => Ok((
                source.vector(&format!("ties.{j}.values"), None)?,
                source.vector(&format!("ties.{j}.ends"), None)?,
            )),
            false => Ok((Vec::new(), Vec::new())),
        });
        let ties = Ties::from_parts(ties.collect::<Result<_>>()?).map_err(within("ties"))?;
        Ok(Self {
            ties,
            seed: layout.seed,
            rows: count("rows", layout.rows)?,
            budget_ended_after: None,
            fitted: read_fit(&layout.fit, &scaler.standardised(&columns), source)?,
            scaler,
            columns,
        })
    }
}

fn write_kernel(
    density: &KernelDensity,
    report: &KernelReport,
    converged: bool,
    out: &mut Tensors,
) -> FitLayout {
    match *report {
        KernelReport::Paper { mu, eta, rounds, kept } => {
            out.vector("paper", &[mu, eta]);
            let density = psd::write("density", density.psd(), out);
            FitLayout::Paper { density, rounds: rounds as u64, kept: kept as u64, converged }
        }
        KernelReport::Theory(TheorySchedule { lambda, eta, anchors, .. }) => {
            out.vector("theory", &[density.nu(), lambda, eta]);
            let density = psd::write("density", density.psd(), out);
            FitLayout::Theory { density, anchors: anchors as u64, converged }
        }
    }
}

fn read_fit(layout: &FitLayout, columns: &[Column], source: &Source<'_>) -> Result<FittedDensity> {
    let (density, report, converged) = match layout {
        FitLayout::Stack(layout) => {
            return Ok(FittedDensity::Stack(Box::new(stack::read(layout, columns, source)?)));
        }
        FitLayout::Paper { density, rounds, kept, converged } => {
            let numbers = source.vector("paper", Some(2))?;
            let psd = psd::read("density", density, columns, source)?;
            let (rounds, kept) = (count("rounds", *rounds)?, count("rounds", *kept)?);
            let paper = KernelReport::Paper { mu: numbers[0], eta: numbers[1], rounds, kept };
            (KernelDensity::new(psd, 0.0), paper, *converged)
        }
        FitLayout::Theory { density, anchors, converged } => {
            let numbers = source.vector("theory", Some(3))?;
            let nu = positive("nu", numbers[0]).map_err(within("theory"))?;
            let anchors = count("anchors", *anchors)?;
            let schedule = TheorySchedule { nu, lambda: numbers[1], anchors, eta: numbers[2] };
            let psd = psd::read("density", density, columns, source)?;
            (KernelDensity::new(psd, nu), KernelReport::Theory(schedule), *converged)
        }
    };
    let density = Box::new(density.map_err(within("density"))?);
    Ok(FittedDensity::Kernel { density, report, converged })
}

fn write_column(j: usize, column: &Column, out: &mut Tensors) -> NamedColumn {
    let kind = match column.kind() {
        Kind::Continuous => KindLayout::Continuous,
        Kind::Ordered(values) => {
            out.vector(&format!("column.{j}.values"), values);
            KindLayout::Ordered
        }
        Kind::Category(labels) => KindLayout::Category(labels.clone()),
    };
    NamedColumn { name: column.name().to_string(), kind }
}

fn read_column(j: usize, column: &NamedColumn, source: &Source<'_>) -> Result<Column> {
    let name = column.name.clone();
    let read = match &column.kind {
        KindLayout::Continuous => Ok(Column::continuous(name)),
        KindLayout::Ordered => Column::ordered(name, source.vector(&format!("column.{j}.values"), None)?),
        KindLayout::Category(labels) => Column::category(name, labels.clone()),
    };
    read.map_err(within("columns"))
}

/// The numbers of observations of a category's labels, if some labels are pooled.
fn read_counts(j: usize, column: &Column, source: &Source<'_>) -> Result<Option<Vec<f64>>> {
    match column.kind() {
        Kind::Category(labels) if labels.len() > TOLD_APART => {
            source.vector(&format!("column.{j}.counts"), Some(labels.len())).map(Some)
        }
        _ => Ok(None),
    }
}

/// The fence of a column, if it has wild cells.
fn read_fence(j: usize, source: &Source<'_>) -> Result<Option<Fence>> {
    let name = format!("column.{j}.fence");
    if !source.has(&name) {
        return Ok(None);
    }
    let numbers = source.likelihoods(&name, 4)?;
    Fence::from_numbers([numbers[0], numbers[1], numbers[2], numbers[3]]).map(Some).map_err(within("scaler"))
}

/// Adds to an error the part of the file where it occurred.
fn within(part: &str) -> impl Fn(Error) -> Error {
    move |reason| match reason {
        Error::ModelFile(inner) => Error::ModelFile(inner),
        reason => ModelFileError::Content { part: part.to_string(), reason: Box::new(reason) }.into(),
    }
}

/// Converts a count, which must fit this machine.
fn count(what: &str, n: u64) -> Result<usize> {
    usize::try_from(n).map_err(|_| {
        ModelFileError::Payload { reason: format!("{n} {what} are more than this machine can count") }.into()
    })
}
