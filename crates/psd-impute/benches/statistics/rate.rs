//! How fast the masked divergence falls with the number of rows.

use psd_impute::Result;

pub(crate) fn run() -> Result<()> {
    Ok(())
}
