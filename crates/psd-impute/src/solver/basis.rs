//! The range of `H`, on which `Q` is optimised.

use crate::linalg::eigenvectors;
use crate::{Error, Result};
use faer::{Mat, MatRef};

/// An orthonormal basis `V` (`l × r`) of the directions in which `H` is not negligible; the identity if that is all of them.
pub(super) struct Basis {
    v: Mat<f64>,
}

impl Basis {
    pub(super) fn of(h: MatRef<'_, f64>, tolerance: f64) -> Result<Self> {
        let l = h.nrows();
        let (values, vectors) = eigenvectors(h, "H")?;
        let least = tolerance * values.iter().copied().fold(0.0, f64::max);
        let kept: Vec<usize> = (0..l).filter(|&i| values[i] > least).collect();
        if kept.is_empty() {
            return Err(Error::NotPositiveDefinite { what: "H", pivot: 0 });
        }
        let v = if kept.len() == l {
            Mat::identity(l, l)
        } else {
            Mat::from_fn(l, kept.len(), |i, k| vectors[(i, kept[k])])
        };
        Ok(Self { v })
    }

    pub(super) fn rank(&self) -> usize {
        self.v.ncols()
    }

    pub(super) fn v(&self) -> MatRef<'_, f64> {
        self.v.as_ref()
    }
}
