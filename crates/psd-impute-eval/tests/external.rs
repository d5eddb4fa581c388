//! Adapters of other programs, if these are installed. A program that leaves cells empty is tested by a fake one in the command's
//! tests of `lab`.

#![allow(clippy::unwrap_used)]

use psd_impute::table::Table;
use psd_impute_eval::imputers::{External, Imputer};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Three columns, the third a multiple of the first plus noise; a fifth of the cells missing.
fn table(noise: f64) -> Table {
    let rng = &mut ChaCha8Rng::seed_from_u64(4);
    let mut row = || {
        let (a, b, c): (f64, f64, f64) = (rng.random(), rng.random(), rng.random());
        [a, a + b, 250.0 * a + noise * c].map(|x| if rng.random::<f64>() < 0.2 { f64::NAN } else { x })
    };
    let rows: Vec<[f64; 3]> = (0..120).map(|_| row()).collect();
    Table::continuous(&["a", "b", "c"], &rows).unwrap()
}

#[test]
fn mice_runs_again_only_where_its_defaults_leave_cells_empty() {
    if !External::MicePmm.is_installed() {
        eprintln!("skipped: R's mice is not installed");
        return;
    }
    for (noise, again) in [(200.0, false), (0.0, true)] {
        let table = table(noise);
        let fitted = External::MicePmm.fit(&table, 1).unwrap();
        let completed = fitted.complete(&table, 1).unwrap();
        assert!(completed.rows().flatten().all(|x| x.is_finite()));
        let note = fitted.note();
        let said = |note: &String| {
            note.starts_with("mice's defaults leave ")
                && note.contains("run with remove.collinear = FALSE, eps = 0")
        };
        assert_eq!(note.is_some(), again, "{note:?}");
        assert!(note.as_ref().is_none_or(said), "{note:?}");
    }
}
