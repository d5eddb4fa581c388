//! Tables of text, models of them, and findings.

use psd_impute::stack::FitObserver;
use psd_impute::stack::{Member, Stop};
use psd_impute_frame::{ColumnOverrides, ReadOptions, Source, Surveyed, TableModel};
use psd_impute_report::{Findings, Result, Subject};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::ops::ControlFlow;

/// A table from text, in the format of its first bytes.
pub(crate) fn source(text: &str) -> Source {
    Source::spool(text.as_bytes(), &ReadOptions::default()).unwrap()
}

/// Stops after a few members: the tests need a model, not the best one.
struct Hasty;

impl FitObserver for Hasty {
    fn tried(&mut self, _: Member, done: usize, _: usize, _: Option<f64>) -> ControlFlow<Stop> {
        if done < 2 { ControlFlow::Continue(()) } else { ControlFlow::Break(Stop::Here) }
    }
}

/// A model of a table.
pub(crate) fn model(source: &Source) -> TableModel {
    let surveyed = Surveyed::new(source, ColumnOverrides::new()).unwrap();
    surveyed.fit(source, &Default::default(), &mut Hasty).unwrap().0
}

/// The findings of a table, by a model of itself.
pub(crate) fn findings(text: &str) -> Findings {
    let source = source(text);
    Findings::of(&Subject::new(&source, &model(&source))).unwrap()
}

/// The findings of a table with completed copies.
pub(crate) fn with_completed(text: &str, completed: &[&str]) -> Result<Findings> {
    let table = source(text);
    let model = model(&table);
    let completed: Vec<Source> = completed.iter().map(|text| source(text)).collect();
    Findings::of(&Subject { completed: &completed, ..Subject::new(&table, &model) })
}

/// A standard normal number by Box and Muller's formula.
pub(crate) fn normal(rng: &mut ChaCha8Rng) -> f64 {
    let (u, v) = (1.0 - rng.random::<f64>(), rng.random::<f64>());
    (-2.0 * u.ln()).sqrt() * (std::f64::consts::TAU * v).cos()
}

/// `x` is normal, `y` close to it, `noise` independent, `group` the sign of `x`; all but `x` have missing cells.
pub(crate) fn table(rows: usize, seed: u64) -> String {
    let rng = &mut ChaCha8Rng::seed_from_u64(seed);
    let mut out = "x,y,noise,group\n".to_string();
    for _ in 0..rows {
        let x = normal(rng);
        let (y, noise) = (x + 0.1 * normal(rng), normal(rng));
        let group = if x > 0.0 { "high" } else { "low" };
        let mut gap = |text: String| if rng.random::<f64>() < 0.15 { String::new() } else { text };
        let cells = [gap(format!("{y:.4}")), gap(format!("{noise:.4}")), gap(group.to_string())];
        out += &format!("{x:.4},{}\n", cells.join(","));
    }
    out
}
