//! Differences between imputed cells and comparable observed ones, before correction for the number of comparisons.

use super::chance::{LEVEL, normal_beyond};
use super::compared::Mean;
use super::{Warning, WarningKind};

/// A quantity measured on imputed and on observed cells.
pub(super) struct Difference {
    pub(super) kind: WarningKind,
    /// The imputed column, and another if there is one.
    pub(super) columns: [usize; 2],
    pub(super) observed: f64,
    pub(super) imputed: f64,
    /// The standard error of their difference.
    pub(super) error: f64,
    /// The effective number of rows of the smaller side.
    pub(super) worth: f64,
    /// Whether the difference is large enough to matter.
    pub(super) matters: bool,
    /// Severity from 0 to 1.
    pub(super) severity: f64,
    /// The difference as a sentence.
    pub(super) text: String,
}

impl Difference {
    /// The two-sided p-value. With `ν` degrees of freedom, `sign(t) √(ν log(1 + t²/ν))` is about normal.
    fn p(&self) -> f64 {
        let (t, freedom) = ((self.imputed - self.observed) / self.error, (self.worth - 2.0).max(1.0));
        if self.error > 0.0 { normal_beyond((freedom * (t * t / freedom).ln_1p()).sqrt()) } else { 1.0 }
    }
}

/// The standard error of a difference of two means.
pub(super) fn error(a: Mean, b: Mean) -> f64 {
    a.error.hypot(b.error)
}

/// The differences that matter and that chance does not explain; of each kind and pair of columns the worst.
pub(super) fn beyond_chance(found: Vec<Difference>, name: impl Fn(usize) -> String) -> Vec<Warning> {
    let tests = found.len() as f64;
    let mut found: Vec<Difference> =
        found.into_iter().filter(|difference| difference.matters && tests * difference.p() < LEVEL).collect();
    let key = |difference: &Difference| (difference.kind as u8, difference.columns);
    found.sort_by(|a, b| key(a).cmp(&key(b)).then(b.severity.total_cmp(&a.severity)));
    found.dedup_by(|later, first| key(later) == key(first));
    let warning = |difference: Difference| {
        let [j, k] = difference.columns;
        let columns = if j == k { vec![name(j)] } else { vec![name(j), name(k)] };
        Warning {
            kind: difference.kind,
            columns,
            numbers: [
                ("observed", difference.observed),
                ("imputed", difference.imputed),
                ("standard_error", difference.error),
            ]
            .into(),
            text: difference.text,
            option: None,
            severity: difference.severity,
        }
    };
    found.into_iter().map(warning).collect()
}
