//! The donors' columns: observed cells, and another model's predictive distribution of the missing ones.

use crate::Result;
use crate::density::{Conditional, Density, DiscreteColumn, DonorColumn, Held, SmoothColumn, map_gaps};
use crate::table::{Kind, Resolution, Table, position};
use std::sync::Arc;

/// Predictive distribution of a missing cell.
enum Expected {
    Number { mean: f64, variance: f64 },
    Probabilities(Vec<f64>),
}

/// The columns of `donors`, which are rows of `table`; the kernels are all background. Only the frequencies of discrete columns are taken
/// from the whole table.
pub(super) fn donor_columns(
    table: &Table,
    weights: Option<&[f64]>,
    donors: &Table,
    smooth: &dyn Density,
    resolution: &Arc<Resolution>,
) -> Result<Vec<DonorColumn>> {
    let column = |(j, gaps): (usize, Vec<(usize, Expected)>)| match donors.columns()[j].kind() {
        Kind::Continuous => Ok(DonorColumn::Smooth(smooth_column(donors, j, gaps, resolution))),
        kind => {
            let (frequencies, observed) = (table.shares(j, weights), count(table, j, weights));
            let held = held(donors, j, gaps);
            Ok(DonorColumn::Discrete(DiscreteColumn::new(kind, held, frequencies, observed)?))
        }
    };
    expected_cells(donors, smooth)?.into_iter().enumerate().map(column).collect()
}

/// For each column, its missing cells in row order.
fn expected_cells(table: &Table, smooth: &dyn Density) -> Result<Vec<Vec<(usize, Expected)>>> {
    let cells = |_: usize, c: &dyn Conditional| -> Result<Vec<(usize, Expected)>> {
        let cell = |&j: &usize| {
            if let Some(atoms) = c.probabilities(j)? {
                return Ok((j, Expected::Probabilities(atoms.into_iter().map(|(_, p)| p).collect())));
            }
            let whole = c.within(j, (f64::NEG_INFINITY, f64::INFINITY))?;
            // A variance of zero marks an observed cell.
            Ok((j, Expected::Number { mean: whole.mean, variance: whole.variance.max(f64::MIN_POSITIVE) }))
        };
        c.missing().iter().map(cell).collect()
    };
    let mut out: Vec<Vec<(usize, Expected)>> = table.columns().iter().map(|_| Vec::new()).collect();
    for (i, cells) in map_gaps(smooth, table, cells)? {
        cells?.into_iter().for_each(|(j, expected)| out[j].push((i, expected)));
    }
    Ok(out)
}

fn smooth_column(
    donors: &Table,
    j: usize,
    gaps: Vec<(usize, Expected)>,
    resolution: &Arc<Resolution>,
) -> SmoothColumn {
    let mut values: Vec<f64> = donors.rows().map(|row| row[j]).collect();
    let mut variances = vec![0.0; values.len()];
    for (i, expected) in gaps {
        if let Expected::Number { mean, variance } = expected {
            (values[i], variances[i]) = (mean, variance);
        }
    }
    SmoothColumn::new(j, values, variances, resolution, half_gap(donors, j))
}

fn held(donors: &Table, j: usize, gaps: Vec<(usize, Expected)>) -> Vec<Held> {
    let atoms = donors.columns()[j].kind().atoms();
    let value = |row: &[f64]| Held::Value(position(&atoms, row[j]).unwrap_or(usize::MAX));
    let mut out: Vec<Held> = donors.rows().map(value).collect();
    for (i, expected) in gaps {
        if let Expected::Probabilities(p) = expected {
            out[i] = Held::Probabilities(p);
        }
    }
    out
}

/// Number of observed cells of a column, with weights scaled to one per row on average.
fn count(table: &Table, j: usize, weights: Option<&[f64]>) -> f64 {
    let Some(weights) = weights else { return table.observed(j).count() as f64 };
    let seen = table.rows().zip(weights).filter(|(row, _)| !row[j].is_nan());
    seen.map(|(_, w)| w).sum::<f64>() * table.len() as f64 / weights.iter().sum::<f64>()
}

/// Half the tenth percentile of the gaps between neighbouring distinct values: narrower kernels would only detect repeated values. The
/// percentile, the minimum 0.002 and the 0.05 for a constant column are arbitrary.
fn half_gap(table: &Table, j: usize) -> f64 {
    let mut seen: Vec<f64> = table.observed(j).collect();
    seen.sort_by(f64::total_cmp);
    seen.dedup();
    let mut gaps: Vec<f64> = seen.windows(2).map(|pair| pair[1] - pair[0]).collect();
    gaps.sort_by(f64::total_cmp);
    gaps.get(gaps.len() / 10).map_or(0.05, |gap| (0.5 * gap).max(2e-3))
}
