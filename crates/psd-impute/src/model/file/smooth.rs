//! The smooth members of a stack.

use super::layout::SmoothLayout;
use super::tensors::{Source, Tensors};
use super::{forest, psd, within};
use crate::Result;
use crate::density::LabelForest;
use crate::error::{bad, non_negative, positive};
use crate::kernel::Metric;
use crate::learn::mixture::{Component, Mixture, MixturePrior};
use crate::learn::psd::MetricPrior;
use crate::stack::{FittedMixture, Smooth};
use crate::table::{Column, Kind};
use faer::{Mat, MatRef};

pub(super) fn write(at: &str, member: &Smooth, out: &mut Tensors) -> SmoothLayout {
    match member {
        Smooth::Mixture(FittedMixture { mixture, prior }) => {
            write_forest(at, mixture.forest(), out);
            write_mixture(at, mixture.components(), out);
            write_prior(at, prior.strength, prior.scale.as_ref(), out);
            SmoothLayout::Mixture
        }
        Smooth::Psd { psd, prior } => {
            write_prior(at, prior.strength, prior.scale.as_ref(), out);
            SmoothLayout::Psd(psd::write(at, psd, out))
        }
        Smooth::Forest(forest) => {
            forest::write(at, forest, out);
            SmoothLayout::Forest
        }
    }
}

pub(super) fn read(
    at: &str,
    layout: &SmoothLayout,
    columns: &[Column],
    source: &Source<'_>,
) -> Result<Smooth> {
    let g = columns.iter().filter(|column| *column.kind() == Kind::Continuous).count();
    let prior = || read_prior(at, g, source);
    Ok(match layout {
        SmoothLayout::Forest => Smooth::Forest(forest::read(at, columns, source)?),
        SmoothLayout::Mixture => {
            let (strength, scale) = prior()?;
            positive("strength of the prior", strength).map_err(within(at))?;
            let forest = read_forest(at, columns, source)?;
            let components = read_components(at, g, &forest, source)?;
            let mixture = Mixture::from_parts(components, forest).map_err(within(at))?;
            Smooth::Mixture(FittedMixture { mixture, prior: MixturePrior { scale, strength } })
        }
        SmoothLayout::Psd(metric) => {
            let (strength, scale) = prior()?;
            non_negative("strength of the prior", strength).map_err(within(at))?;
            let psd = Box::new(psd::read(at, metric, columns, source)?);
            Smooth::Psd { psd, prior: MetricPrior { strength, scale } }
        }
    })
}

fn write_prior(at: &str, strength: f64, scale: MatRef<'_, f64>, out: &mut Tensors) {
    out.vector(&format!("{at}.prior.strength"), &[strength]);
    out.matrix(&format!("{at}.prior.scale"), scale);
}

fn read_prior(at: &str, g: usize, source: &Source<'_>) -> Result<(f64, Mat<f64>)> {
    let scale = source.matrix(&format!("{at}.prior.scale"), (g, g))?;
    // Checks that the scale is positive definite.
    Metric::full(scale.as_ref()).map_err(within(at))?;
    Ok((source.number(&format!("{at}.prior.strength"))?, scale))
}

fn write_mixture(at: &str, components: &[Component], out: &mut Tensors) {
    let weights: Vec<f64> = components.iter().map(|component| component.weight).collect();
    out.vector(&format!("{at}.weights"), &weights);
    for (k, component) in components.iter().enumerate() {
        let at = format!("{at}.component.{k}");
        out.vector(&format!("{at}.mean"), &component.mean);
        out.matrix(&format!("{at}.covariance"), component.covariance.as_ref());
        for (c, table) in component.tables.iter().enumerate() {
            out.vector(&format!("{at}.table.{c}"), table);
        }
    }
}

/// The number of each discrete column's parent, counted from one; zero for a root.
fn write_forest(at: &str, forest: &LabelForest, out: &mut Tensors) {
    let parents: Vec<f64> = forest.parents().iter().map(|p| p.map_or(0.0, |p| p as f64 + 1.0)).collect();
    out.vector(&format!("{at}.parents"), &parents);
}

fn read_forest(at: &str, columns: &[Column], source: &Source<'_>) -> Result<LabelForest> {
    let atoms = columns.iter().map(|column| column.kind().atoms().len());
    let sizes: Vec<usize> = atoms.filter(|&atoms| atoms > 0).collect();
    let parent = |number: f64| match number {
        0.0 => Ok(None),
        n if n >= 1.0 && n <= sizes.len() as f64 && n.fract() == 0.0 => Ok(Some(n as usize - 1)),
        n => Err(bad("parent of a column", n, "zero, or the number of a discrete column")),
    };
    let parents = source.vector(&format!("{at}.parents"), Some(sizes.len()))?;
    let parents = parents.into_iter().map(parent).collect::<Result<_>>();
    parents.and_then(|parents| LabelForest::new(sizes.clone(), parents)).map_err(within(at))
}

fn read_components(at: &str, g: usize, forest: &LabelForest, source: &Source<'_>) -> Result<Vec<Component>> {
    let weights = source.vector(&format!("{at}.weights"), None)?;
    let component = |(k, weight): (usize, f64)| {
        let at = format!("{at}.component.{k}");
        let table = |c: usize| source.vector(&format!("{at}.table.{c}"), Some(forest.entries(c)));
        Ok(Component {
            weight,
            mean: source.vector(&format!("{at}.mean"), Some(g))?,
            covariance: source.matrix(&format!("{at}.covariance"), (g, g))?,
            tables: (0..forest.len()).map(table).collect::<Result<_>>()?,
        })
    };
    weights.into_iter().enumerate().map(component).collect()
}
