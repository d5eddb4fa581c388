//! The forest of a stack: its trees' nodes, and the parameters of their leaves.

use super::tensors::{Source, Tensors};
use super::within;
use crate::Result;
use crate::density::LeafCells;
use crate::error::ModelFileError;
use crate::learn::forest::{FittedForest, ForestParts};
use crate::table::{Column, Kind};

pub(super) fn write(at: &str, forest: &FittedForest, out: &mut Tensors) {
    let ForestParts { nodes, parents, weights, columns } = forest.parts();
    let numbers = |counts: &[usize]| counts.iter().map(|&n| n as f64).collect::<Vec<f64>>();
    out.vector(&format!("{at}.nodes"), &numbers(&nodes));
    out.vector(&format!("{at}.parents"), &numbers(&parents));
    out.vector(&format!("{at}.weights"), &weights);
    for (j, column) in columns.iter().enumerate() {
        let at = format!("{at}.column.{j}");
        match column {
            LeafCells::Normals { means, variances } => {
                out.vector(&format!("{at}.means"), means);
                out.vector(&format!("{at}.variances"), variances);
            }
            LeafCells::Tables { probabilities, .. } => {
                out.vector(&format!("{at}.probabilities"), probabilities);
            }
        }
    }
}

pub(super) fn read(at: &str, columns: &[Column], source: &Source<'_>) -> Result<FittedForest> {
    let weights = source.vector(&format!("{at}.weights"), None)?;
    let leaves = weights.len();
    let column = |(j, column): (usize, &Column)| {
        let at = format!("{at}.column.{j}");
        let vector = |name: &str, len: usize| source.vector(&format!("{at}.{name}"), Some(len));
        Ok(match column.kind() {
            Kind::Continuous => LeafCells::Normals {
                means: vector("means", leaves)?,
                variances: vector("variances", leaves)?,
            },
            kind => {
                let probabilities = vector("probabilities", leaves * kind.atoms().len())?;
                LeafCells::Tables { leaves, probabilities }
            }
        })
    };
    let parts = ForestParts {
        nodes: counts(&format!("{at}.nodes"), source)?,
        parents: counts(&format!("{at}.parents"), source)?,
        weights,
        columns: columns.iter().enumerate().map(column).collect::<Result<_>>()?,
    };
    let kinds: Vec<&Kind> = columns.iter().map(Column::kind).collect();
    FittedForest::from_parts(&parts, &kinds).map_err(within(at))
}

fn counts(name: &str, source: &Source<'_>) -> Result<Vec<usize>> {
    let count = |x: f64| {
        let n = x as usize;
        let problem = || format!("holds {x}, which is no count");
        if n as f64 == x {
            Ok(n)
        } else {
            Err(ModelFileError::Tensor { name: name.to_string(), problem: problem() }.into())
        }
    };
    source.vector(name, None)?.into_iter().map(count).collect()
}
