//! Kernel densities.

use super::tensors::{Source, Tensors};
use super::within;
use crate::Result;
use crate::density::PsdDensity;
use crate::kernel::{Bounds, Features, Metric, MetricKind, Shape};
use crate::table::{Column, Kind};
use faer::Mat;

pub(super) fn write(at: &str, psd: &PsdDensity, out: &mut Tensors) -> MetricKind {
    let features = psd.features();
    out.matrix(&format!("{at}.q"), psd.q());
    out.matrix(&format!("{at}.anchors"), features.anchors());
    if let Some(bounds) = features.bounds() {
        let ends = Mat::from_fn(2, bounds.len(), |i, j| if i == 0 { bounds[j].0 } else { bounds[j].1 });
        out.matrix(&format!("{at}.box"), ends.as_ref());
    }
    for column in features.discrete() {
        let at = format!("{at}.column.{}", column.column());
        out.vector(&format!("{at}.log_rho"), column.log_rho());
        out.matrix(&format!("{at}.log_theta"), column.log_theta());
    }
    let metric = format!("{at}.metric");
    match features.metric().shape() {
        Shape::Isotropic(eta) => {
            out.vector(&metric, &[*eta]);
            MetricKind::Isotropic
        }
        Shape::Diagonal(eta) => {
            out.vector(&metric, eta);
            MetricKind::Diagonal
        }
        Shape::Full(factor) => {
            out.matrix(&metric, factor.as_ref());
            MetricKind::Full
        }
    }
}

pub(super) fn read(
    at: &str,
    metric: &MetricKind,
    columns: &[Column],
    source: &Source<'_>,
) -> Result<PsdDensity> {
    let discrete = |j: &usize| *columns[*j].kind() != Kind::Continuous;
    let discrete: Vec<usize> = (0..columns.len()).filter(discrete).collect();
    let g = columns.len() - discrete.len();
    let l = source.len(&format!("{at}.q"))?;
    let q = source.matrix(&format!("{at}.q"), (l, l))?;
    let anchors = source.matrix(&format!("{at}.anchors"), (g, l))?;
    let table = |&j: &usize| {
        let atoms = columns[j].kind().atoms().len();
        let at = format!("{at}.column.{j}");
        Ok((
            source.vector(&format!("{at}.log_rho"), Some(atoms))?,
            source.matrix(&format!("{at}.log_theta"), (atoms, l))?,
        ))
    };
    let tables = discrete.iter().map(table).collect::<Result<_>>()?;
    let metric = read_metric(&format!("{at}.metric"), metric, g, source)?;
    let features = Features::from_parts(columns, anchors, metric, read_box(at, g, source)?, tables);
    PsdDensity::from_parts(features.map_err(within(at))?, q).map_err(within(at))
}

fn read_metric(at: &str, layout: &MetricKind, g: usize, source: &Source<'_>) -> Result<Metric> {
    let metric = match layout {
        MetricKind::Isotropic => Metric::isotropic(source.number(at)?),
        MetricKind::Diagonal => Metric::diagonal(source.vector(at, Some(g))?),
        MetricKind::Full => Metric::from_factor(source.matrix(at, (g, g))?),
    };
    metric.map_err(within(at))
}

fn read_box(at: &str, g: usize, source: &Source<'_>) -> Result<Option<Vec<Bounds>>> {
    let name = format!("{at}.box");
    if !source.has(&name) {
        return Ok(None);
    }
    let ends = source.matrix(&name, (2, g))?;
    Ok(Some((0..g).map(|j| (ends[(0, j)], ends[(1, j)])).collect()))
}
