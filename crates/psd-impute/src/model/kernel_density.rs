//! One kernel density, with an optional reference: the uniform density on its box.

use crate::Result;
use crate::density::{Density, PsdDensity};
use crate::learn::psd::{Reference, with_reference};

/// `p_Q`, or `(1-ν) p_Q + ν u` with `u` uniform on the box of `p_Q`.
pub(super) struct KernelDensity {
    psd: PsdDensity,
    nu: f64,
    density: Box<dyn Density>,
}

impl KernelDensity {
    /// With `ν > 0` the density must be on a box; without a box, or with `ν = 0`, there is no reference.
    pub(super) fn new(psd: PsdDensity, nu: f64) -> Result<Self> {
        let reference = match psd.features().bounds() {
            Some(bounds) if nu > 0.0 => Reference::Uniform(bounds.to_vec()).density(psd.features())?,
            _ => None,
        };
        let density = with_reference(&psd, nu, reference)?;
        Ok(Self { psd, nu, density })
    }

    pub(super) fn psd(&self) -> &PsdDensity {
        &self.psd
    }

    pub(super) fn nu(&self) -> f64 {
        self.nu
    }

    pub(super) fn density(&self) -> &dyn Density {
        self.density.as_ref()
    }
}
