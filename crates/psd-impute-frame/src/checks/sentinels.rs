//! Do observed values look like codes for missing cells, such as -999?
//!
//! Such a value is learned, and imputed, like any other. [`Sentinel`] defines which values are codes and how far off they must be.

use super::{Evidence, Warning, WarningKind};
use crate::plan::Sentinel;

/// A code distorts the fit as a far-off cell does.
const SEVERITY: f64 = 2.0;

pub(super) fn check(evidence: &Evidence) -> Vec<Warning> {
    let columns = evidence.columns.iter().zip(&evidence.tallies);
    let sentinels = columns.filter_map(|(column, tally)| Some(Sentinel::all(column, tally.spread.as_ref()?)));
    let warn = |sentinel: Sentinel| {
        let remark = sentinel.remark();
        let numbers = [("cells", sentinel.cells as f64)];
        Warning::new(WarningKind::Sentinel, &[&sentinel.column], SEVERITY, numbers, remark.text)
            .with_option(remark.option)
    };
    sentinels.flatten().map(warn).collect()
}
