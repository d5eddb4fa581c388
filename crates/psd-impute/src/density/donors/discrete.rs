//! An ordered or a category column of the donors.
//!
//! Donor `i` holds probabilities `p_i` of the column's values: one for its own value if the cell was observed, and another model's
//! predictive distribution if it was missing. With the observed frequencies `m`
//!
//! ```text
//! k(x)/m(x) = c_0 + (1 - c_0) p_i(x)/m(x)
//! ```
//!
//! The frequencies are the base measure of densities on discrete columns, so this is the kernel's density itself.

use super::super::Piece;
use super::super::quantile::{among, most_probable};
use super::column::KernelColumn;
use crate::error::{bad, non_negative};
use crate::table::{Kind, Line, position};
use crate::{Error, Result};
use rand::{Rng, RngExt};
use std::sync::Arc;

/// A donor's cell in a discrete column.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Held {
    /// Position of the observed value.
    Value(usize),
    /// Probabilities of all values, if the cell was missing.
    Probabilities(Vec<f64>),
}

/// A discrete column of the donors. Copies share the cells.
#[derive(Debug, Clone)]
pub(crate) struct DiscreteColumn {
    /// `c_0`.
    pub(crate) background: f64,
    cells: Arc<Cells>,
}

/// The numbers that make up a discrete column, as written to a model file.
pub(crate) struct DiscreteParts {
    pub(crate) held: Vec<Held>,
    /// `m`, and the number of observed cells.
    pub(crate) frequencies: Vec<f64>,
    pub(crate) observed: f64,
    /// `c_0`.
    pub(crate) background: f64,
}

#[derive(Debug)]
struct Cells {
    labels: bool,
    atoms: Vec<f64>,
    /// `m`, which sums to one, and the number of observed cells.
    frequencies: Vec<f64>,
    observed: f64,
    held: Vec<Held>,
}

impl DiscreteColumn {
    /// A column from the donors' cells, and the frequencies of its values among `observed` cells; the kernel is all background.
    pub(crate) fn new(kind: &Kind, held: Vec<Held>, frequencies: Vec<f64>, observed: f64) -> Result<Self> {
        let (atoms, labels) = (kind.atoms(), matches!(kind, Kind::Category(_)));
        if frequencies.len() != atoms.len() {
            let (found, expected) = (frequencies.len(), atoms.len());
            return Err(Error::Shape { what: "frequencies of a discrete column", found, expected });
        }
        let fits = |held: &Held| match held {
            Held::Value(value) => *value < atoms.len(),
            Held::Probabilities(p) => p.len() == atoms.len(),
        };
        if let Some(donor) = held.iter().position(|held| !fits(held)) {
            return Err(bad("donor with a cell outside its column", donor, "one with the column's values"));
        }
        let cells = Cells { labels, atoms, frequencies, observed, held };
        Ok(Self { background: 1.0, cells: Arc::new(cells) })
    }

    /// A column from parts as returned by [`parts`](Self::parts), which are checked.
    pub(crate) fn from_parts(kind: &Kind, parts: DiscreteParts) -> Result<Self> {
        let DiscreteParts { held, frequencies, observed, background } = parts;
        non_negative("observed cells of a discrete column", observed)?;
        check_probabilities("frequencies of a discrete column", &frequencies)?;
        for held in &held {
            if let Held::Probabilities(p) = held {
                check_probabilities("probabilities of a donor", p)?;
            }
        }
        if frequencies.contains(&0.0) || !(0.0..=1.0).contains(&background) {
            let found = format!("{frequencies:?}, {background}");
            return Err(bad("frequencies and background", found, "above zero, and between zero and one"));
        }
        Ok(Self::new(kind, held, frequencies, observed)?.with_background(background))
    }

    /// The numbers that make up the column.
    pub(crate) fn parts(&self) -> DiscreteParts {
        let Cells { held, frequencies, observed, .. } = self.cells.as_ref();
        let (held, frequencies) = (held.clone(), frequencies.clone());
        DiscreteParts { held, frequencies, observed: *observed, background: self.background }
    }

    /// The same cells with another kernel.
    pub(crate) fn with_background(&self, background: f64) -> Self {
        Self { background, cells: self.cells.clone() }
    }

    fn position(&self, x: f64) -> Option<usize> {
        position(&self.cells.atoms, x)
    }

    /// Returns `p_i(x)/m` as a function of the donor.
    pub(crate) fn peaks(&self, x: f64, m: f64) -> impl Fn(usize) -> f64 {
        let k = self.position(x);
        move |donor| match &self.cells.held[donor] {
            Held::Value(value) if Some(*value) == k => 1.0 / m,
            Held::Value(_) => 0.0,
            Held::Probabilities(p) => k.map_or(0.0, |k| p[k] / m),
        }
    }

    /// Adds `weight` times a donor's probabilities.
    fn add(&self, donor: usize, weight: f64, sums: &mut [f64]) {
        match &self.cells.held[donor] {
            Held::Value(value) => sums[*value] += weight,
            Held::Probabilities(p) => sums.iter_mut().zip(p).for_each(|(sum, p)| *sum += weight * p),
        }
    }

    /// `(1-c_0) Σ_i w_i p_i + c_0 m`, with the values.
    fn mixed(&self, weights: &[f64]) -> Vec<(f64, f64)> {
        let mut sums = vec![0.0; self.cells.atoms.len()];
        for (donor, &weight) in weights.iter().enumerate() {
            self.add(donor, weight, &mut sums);
        }
        let c0 = self.background;
        let share = |(m, sum): (&f64, f64)| (1.0 - c0) * sum + c0 * m;
        self.cells.atoms.iter().copied().zip(self.cells.frequencies.iter().zip(sums).map(share)).collect()
    }
}

/// Refuses numbers that are not between zero and one or do not sum to one.
fn check_probabilities(what: &'static str, p: &[f64]) -> Result<()> {
    let fit = p.iter().all(|p| (0.0..=1.0 + 1e-9).contains(p)) && (p.iter().sum::<f64>() - 1.0).abs() < 1e-6;
    if fit { Ok(()) } else { Err(bad(what, format!("{p:?}"), "between zero and one, adding up to one")) }
}

fn mean(atoms: &[(f64, f64)]) -> f64 {
    atoms.iter().map(|(value, p)| value * p).sum()
}

impl KernelColumn for DiscreteColumn {
    fn donors(&self) -> usize {
        self.cells.held.len()
    }

    fn holds(&self, donor: usize, x: f64) -> bool {
        match self.cells.held[donor] {
            Held::Value(value) => self.cells.atoms[value] == x,
            Held::Probabilities(_) => x.is_nan(),
        }
    }

    /// If the cell left out is the only one with its value, the value counts as observed half a time (arbitrary).
    fn height(&self, x: f64, left_out: bool) -> f64 {
        let Cells { frequencies, observed, .. } = self.cells.as_ref();
        let m = self.position(x).map_or(1.0, |k| frequencies[k]);
        if left_out { (m * observed - 1.0).max(0.5) / (observed - 1.0).max(1.0) } else { m }
    }

    fn log_height(&self, _: f64) -> f64 {
        0.0
    }

    fn multiply_each(&self, x: f64, m: f64, products: &mut [f64]) {
        let Some(k) = self.position(x) else { return products.fill(0.0) };
        let c0 = self.background;
        let [other, own] = [0.0, 1.0].map(|p| c0 + (1.0 - c0) * p / m);
        for (product, held) in products.iter_mut().zip(&self.cells.held) {
            *product *= match held {
                Held::Value(value) => {
                    if *value == k {
                        own
                    } else {
                        other
                    }
                }
                Held::Probabilities(p) => c0 + (1.0 - c0) * p[k] / m,
            };
        }
    }

    fn has_labels(&self) -> bool {
        self.cells.labels
    }

    fn mean(&self, weights: &[f64]) -> f64 {
        let atoms = self.mixed(weights);
        if self.cells.labels { most_probable(&atoms) } else { mean(&atoms) }
    }

    fn mean_given(&self, donor: usize) -> f64 {
        if self.cells.labels {
            return f64::NAN;
        }
        let Cells { atoms, frequencies, held, .. } = self.cells.as_ref();
        let weigh = |p: &[f64]| atoms.iter().zip(p).map(|(v, p)| v * p).sum::<f64>();
        let own = match &held[donor] {
            Held::Value(value) => atoms[*value],
            Held::Probabilities(p) => weigh(p),
        };
        (1.0 - self.background) * own + self.background * weigh(frequencies)
    }

    fn variance(&self, weights: &[f64], mean: f64) -> f64 {
        if self.cells.labels {
            return f64::NAN;
        }
        self.mixed(weights).iter().map(|(value, p)| p * (value - mean).powi(2)).sum()
    }

    fn cdf(&self, weights: &[f64], x: f64) -> f64 {
        self.mixed(weights).iter().filter(|atom| atom.0 <= x).map(|atom| atom.1).sum()
    }

    fn density(&self, weights: &[f64], x: f64) -> f64 {
        self.mixed(weights).iter().filter(|atom| atom.0 == x).map(|atom| atom.1).sum()
    }

    fn probabilities(&self, weights: &[f64]) -> Option<Vec<(f64, f64)>> {
        Some(self.mixed(weights))
    }

    fn support(&self) -> (f64, f64) {
        (self.cells.atoms[0], self.cells.atoms[self.cells.atoms.len() - 1])
    }

    fn within(&self, weights: &[f64], limits: (f64, f64)) -> Piece {
        Piece::of_atoms(&self.mixed(weights), self.cells.labels, limits)
    }

    fn mapped(&self, weights: &[f64], lines: &[Line]) -> Piece {
        Piece::on_lines(lines, |limits| self.within(weights, limits))
    }

    fn draw(&self, donor: usize, rng: &mut dyn Rng) -> f64 {
        let Cells { atoms, frequencies, held, .. } = self.cells.as_ref();
        let pick =
            |p: &[f64], u: f64| among(&atoms.iter().copied().zip(p.iter().copied()).collect::<Vec<_>>(), u);
        let u: f64 = rng.random();
        match &held[donor] {
            _ if u < self.background => pick(frequencies, rng.random()),
            Held::Value(value) => atoms[*value],
            Held::Probabilities(p) => pick(p, rng.random()),
        }
    }
}
