//! The donors of a stack. Their weights are the weights of their rows.

use super::tensors::{Source, Tensors};
use super::within;
use crate::Result;
use crate::density::{
    DiscreteColumn, DiscreteParts, DonorColumn, Donors, Held, SmoothColumn, SmoothKernel, SmoothParts,
};
use crate::error::ModelFileError;
use crate::stack::Data;
use crate::table::{Column, Kind, Resolution};
use faer::Mat;
use std::sync::Arc;

/// Marks a missing cell among the positions of values.
const MISSING: f64 = -1.0;

pub(super) fn write(donors: &Donors, out: &mut Tensors) {
    for (j, column) in donors.parts().iter().enumerate() {
        let at = format!("donors.column.{j}");
        match column {
            DonorColumn::Smooth(column) => write_smooth(&at, column.parts(), out),
            DonorColumn::Discrete(column) => write_discrete(&at, column.parts(), out),
        }
    }
}

pub(super) fn read(
    columns: &[Column],
    data: &Data,
    resolution: &Arc<Resolution>,
    source: &Source<'_>,
) -> Result<Donors> {
    let column = |(j, column): (usize, &Column)| {
        let at = format!("donors.column.{j}");
        Ok(match column.kind() {
            Kind::Continuous => {
                let parts = read_smooth(&at, data.sampled.len(), source)?;
                let column = SmoothColumn::from_parts(j, parts, resolution);
                DonorColumn::Smooth(column.map_err(within(&at))?)
            }
            kind => {
                let parts = read_discrete(&at, data.sampled.len(), kind.atoms().len(), source)?;
                DonorColumn::Discrete(DiscreteColumn::from_parts(kind, parts).map_err(within(&at))?)
            }
        })
    };
    let columns = columns.iter().enumerate().map(column).collect::<Result<_>>()?;
    let weights: Vec<f64> = data.sampled.iter().map(|&i| data.weights[i]).collect();
    Donors::new(columns, &weights).map_err(within("donors"))
}

fn write_smooth(at: &str, parts: SmoothParts, out: &mut Tensors) {
    let SmoothParts { values, variances, floor, kernel: SmoothKernel { widths, shares } } = parts;
    out.vector(&format!("{at}.values"), &values);
    out.vector(&format!("{at}.variances"), &variances);
    out.vector(&format!("{at}.floor"), &[floor]);
    out.vector(&format!("{at}.widths"), &widths);
    out.vector(&format!("{at}.shares"), &shares);
}

fn read_smooth(at: &str, donors: usize, source: &Source<'_>) -> Result<SmoothParts> {
    let widths = source.vector(&format!("{at}.widths"), Some(2))?;
    let shares = source.vector(&format!("{at}.shares"), Some(3))?;
    Ok(SmoothParts {
        values: source.vector(&format!("{at}.values"), Some(donors))?,
        variances: source.vector(&format!("{at}.variances"), Some(donors))?,
        floor: source.number(&format!("{at}.floor"))?,
        kernel: SmoothKernel { widths: [widths[0], widths[1]], shares: [shares[0], shares[1], shares[2]] },
    })
}

fn write_discrete(at: &str, parts: DiscreteParts, out: &mut Tensors) {
    let DiscreteParts { held, frequencies, observed, background } = parts;
    let position = |held: &Held| match held {
        Held::Value(value) => *value as f64,
        Held::Probabilities(_) => MISSING,
    };
    let probabilities: Vec<&Vec<f64>> = held
        .iter()
        .filter_map(|held| match held {
            Held::Value(_) => None,
            Held::Probabilities(p) => Some(p),
        })
        .collect();
    let probabilities = Mat::from_fn(frequencies.len(), probabilities.len(), |k, i| probabilities[i][k]);
    out.vector(&format!("{at}.positions"), &held.iter().map(position).collect::<Vec<_>>());
    out.matrix(&format!("{at}.probabilities"), probabilities.as_ref());
    out.vector(&format!("{at}.frequencies"), &frequencies);
    out.vector(&format!("{at}.observed"), &[observed]);
    out.vector(&format!("{at}.background"), &[background]);
}

fn read_discrete(at: &str, donors: usize, atoms: usize, source: &Source<'_>) -> Result<DiscreteParts> {
    let name = format!("{at}.positions");
    let positions = source.vector(&name, Some(donors))?;
    let missing = positions.iter().filter(|&&position| position == MISSING).count();
    let probabilities = source.matrix(&format!("{at}.probabilities"), (atoms, missing))?;
    let mut expected = probabilities.col_iter();
    let mut held = |&position: &f64| {
        if position == MISSING {
            return Ok(Held::Probabilities(
                expected.next().into_iter().flat_map(|p| p.iter()).copied().collect(),
            ));
        }
        let value = position as usize;
        if value as f64 != position {
            let problem = format!("holds {position}, which is no position");
            return Err(ModelFileError::Tensor { name: name.clone(), problem }.into());
        }
        Ok(Held::Value(value))
    };
    Ok(DiscreteParts {
        held: positions.iter().map(&mut held).collect::<Result<_>>()?,
        frequencies: source.vector(&format!("{at}.frequencies"), Some(atoms))?,
        observed: source.number(&format!("{at}.observed"))?,
        background: source.number(&format!("{at}.background"))?,
    })
}
