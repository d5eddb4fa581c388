//! A density of few-valued columns as atoms, seen as one of numbers.
//!
//! With a probability `P(v)` for each atom, a cell `x` outside has a density that is uniform on an interval around each of them ([`Atoms`]), and an
//! observed cell counts by the probability of its atom, as repeated values do in all densities. Inside, densities are with respect to base weights `ρ`:
//!
//! ```text
//! log p(x_S) = log q(v_S) + Σ log ρ_j(v_j)        over the observed columns with atoms
//! ```

use super::{Conditional, Density, Given, Piece, Weighed};
use crate::Result;
use crate::table::{Atoms, Line, Pattern, Table, position};
use faer::Mat;
use rand::{Rng, RngExt};
use std::sync::Arc;

/// A density of atoms, seen as one of the original columns.
pub(crate) struct Atomic<D> {
    inner: D,
    atoms: Arc<Atoms>,
    /// `log ρ` of each column with atoms; empty for others.
    log_rho: Vec<Vec<f64>>,
}

impl<D: Density> Atomic<D> {
    /// `inner` is a density of the columns of `table`, which [`Atoms::apply_table`] gave, with base weights by these row weights.
    pub(crate) fn new(inner: D, atoms: Arc<Atoms>, table: &Table, base: &[f64]) -> Result<Self> {
        inner.check_columns(atoms.columns())?;
        let logs = |j: usize| match atoms.values(j).is_empty() {
            true => Vec::new(),
            false => table.shares(j, Some(base)).iter().map(|share| share.ln()).collect(),
        };
        let log_rho = (0..atoms.columns()).map(logs).collect();
        Ok(Self { inner, atoms, log_rho })
    }

    /// `Σ log ρ_j(v_j)`.
    fn log_base(&self, row: &[f64]) -> f64 {
        let log = |j: usize| position(self.atoms.values(j), row[j]).map_or(0.0, |v| self.log_rho[j][v]);
        (0..row.len()).map(log).sum()
    }
}

impl<D: Density> Density for Atomic<D> {
    fn columns(&self) -> usize {
        self.inner.columns()
    }

    fn given<'a>(&'a self, pattern: &Pattern) -> Result<Box<dyn Given<'a> + 'a>> {
        Ok(Box::new(AtomicGiven { inner: self.inner.given(pattern)?, of: self }))
    }
}

struct AtomicGiven<'a, D> {
    inner: Box<dyn Given<'a> + 'a>,
    of: &'a Atomic<D>,
}

impl<'a, D: Density> Given<'a> for AtomicGiven<'a, D> {
    fn log_marginal(&self, row: &[f64]) -> f64 {
        let row = self.of.atoms.apply_row(row);
        self.inner.log_marginal(&row) + self.of.log_base(&row)
    }

    fn weigh(&self, row: &[f64]) -> Weighed<'a> {
        let row = self.of.atoms.apply_row(row);
        let inner = self.inner.weigh(&row);
        let atoms = &self.of.atoms;
        let conditional = move || -> Result<Box<dyn Conditional + 'a>> {
            Ok(Box::new(AtomicConditional { inner: (inner.conditional)()?, atoms }))
        };
        Weighed {
            log_marginal: inner.log_marginal + self.of.log_base(&row),
            conditional: Box::new(conditional),
        }
    }
}

struct AtomicConditional<'a> {
    inner: Box<dyn Conditional + 'a>,
    atoms: &'a Atoms,
}

/// The interval of an atom, and its probability.
struct Interval {
    from: f64,
    to: f64,
    probability: f64,
}

impl Interval {
    fn piece(&self, (lo, hi): (f64, f64)) -> Piece {
        let (a, b) = (lo.max(self.from), hi.min(self.to));
        let mass = (b - a) / (self.to - self.from);
        if mass.is_nan() || mass <= 0.0 {
            return Piece::NONE;
        }
        Piece { mass, mean: 0.5 * (a + b), variance: (b - a).powi(2) / 12.0 }
    }
}

impl AtomicConditional<'_> {
    /// The intervals of a column; `None` if it has no atoms.
    fn intervals(&self, column: usize) -> Result<Option<Vec<Interval>>> {
        if self.atoms.values(column).is_empty() {
            return Ok(None);
        }
        let interval = |(place, (x, probability)): (usize, (f64, f64))| {
            let reach = self.atoms.reach(column, place);
            Interval { from: x - reach, to: x + reach, probability }
        };
        let atoms = self.inner.probabilities(column)?;
        Ok(atoms.map(|atoms| atoms.into_iter().enumerate().map(interval).collect()))
    }

    fn spread(&self, column: usize) -> f64 {
        let Ok(Some(intervals)) = self.intervals(column) else { return 0.0 };
        intervals.iter().map(|i| i.probability * (i.to - i.from).powi(2) / 12.0).sum()
    }
}

impl Conditional for AtomicConditional<'_> {
    fn missing(&self) -> &[usize] {
        self.inner.missing()
    }

    fn has_labels(&self, column: usize) -> bool {
        self.inner.has_labels(column)
    }

    fn mean(&self) -> Vec<f64> {
        self.inner.mean()
    }

    fn covariance(&self) -> Mat<f64> {
        let mut out = self.inner.covariance();
        self.missing().iter().enumerate().for_each(|(place, &j)| out[(place, place)] += self.spread(j));
        out
    }

    fn cdf(&self, column: usize, x: f64) -> Result<f64> {
        match self.intervals(column)? {
            None => self.inner.cdf(column, x),
            Some(all) => {
                let below = |i: &Interval| i.probability * i.piece((f64::NEG_INFINITY, x)).mass;
                Ok(all.iter().map(below).sum::<f64>().clamp(0.0, 1.0))
            }
        }
    }

    fn density(&self, column: usize, x: f64) -> Result<f64> {
        match self.intervals(column)? {
            None => self.inner.density(column, x),
            Some(all) => {
                let here = all.iter().filter(|i| (i.from..i.to).contains(&x));
                Ok(here.map(|i| i.probability / (i.to - i.from)).sum())
            }
        }
    }

    fn probabilities(&self, column: usize) -> Result<Option<Vec<(f64, f64)>>> {
        let inner = self.inner.probabilities(column)?;
        Ok(if self.atoms.values(column).is_empty() { inner } else { None })
    }

    fn support(&self, column: usize) -> Result<(f64, f64)> {
        match self.intervals(column)?.as_deref() {
            Some([first, .., last]) => Ok((first.from, last.to)),
            _ => self.inner.support(column),
        }
    }

    fn within(&self, column: usize, limits: (f64, f64)) -> Result<Piece> {
        match self.intervals(column)? {
            None => self.inner.within(column, limits),
            Some(all) => Ok(Piece::sum(all.iter().map(|i| (i.probability, i.piece(limits))))),
        }
    }

    fn mapped(&self, column: usize, lines: &[Line]) -> Result<Piece> {
        match self.intervals(column)? {
            None => self.inner.mapped(column, lines),
            Some(all) => {
                let within = |limits| Piece::sum(all.iter().map(|i| (i.probability, i.piece(limits))));
                Ok(Piece::on_lines(lines, within))
            }
        }
    }

    fn draw(&self, rng: &mut dyn Rng) -> Vec<f64> {
        let mut out = self.inner.draw(rng);
        for (x, &j) in out.iter_mut().zip(self.inner.missing()) {
            if let Some(place) = position(self.atoms.values(j), *x) {
                *x += self.atoms.reach(j, place) * (2.0 * rng.random::<f64>() - 1.0);
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::density::PsdDensity;
    use crate::kernel::{Anchors, BaseMeasure, Features, Metric};
    use crate::table::Resolution;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    const NA: f64 = f64::NAN;

    /// A column with three values, and a continuous one.
    fn setting() -> (Table, Atomic<PsdDensity>) {
        let row = |i: usize| [[0.0, 1.0, 5.0][i % 3], (i as f64 * 0.7).sin()];
        let table = Table::continuous(&["few", "many"], &(0..60).map(row).collect::<Vec<_>>()).unwrap();
        let atoms = Arc::new(Atoms::of(&table, &Resolution::of(&table)).unwrap());
        let inside = atoms.apply_table(&table).unwrap();
        let anchors = Anchors::new(Mat::from_fn(2, 2, |j, a| [[0.0, -0.5], [5.0, 0.4]][a][j])).unwrap();
        let metric = Metric::isotropic(0.8).unwrap();
        let features = Features::new(&inside, None, &anchors, metric, BaseMeasure::WholeSpace, 0.2).unwrap();
        let q = Mat::from_fn(2, 2, |a, b| if a == b { 1.0 } else { 0.3 });
        let inner = PsdDensity::new(features, q).unwrap();
        (table.clone(), Atomic::new(inner, atoms, &inside, &[1.0; 60]).unwrap())
    }

    #[test]
    fn an_observed_cell_counts_by_the_probability_of_its_atom() {
        let (_, density) = setting();
        let blank = density.inner.conditional(&[NA, NA]).unwrap();
        let atoms = blank.probabilities(0).unwrap().unwrap();
        let total: f64 = atoms.iter().map(|atom| density.log_marginal(&[atom.0, NA]).unwrap().exp()).sum();
        assert!((total - 1.0).abs() < 1e-12, "{total}");
        for (value, probability) in atoms {
            let log = density.log_marginal(&[value, NA]).unwrap();
            assert!((log.exp() - probability).abs() < 1e-12, "{value}");
        }
    }

    #[test]
    fn outside_cells_are_uniform_around_their_atoms() {
        let (_, density) = setting();
        let row = [NA, 0.2];
        let atoms = density.inner.conditional(&row).unwrap().probabilities(0).unwrap().unwrap();
        let cell = density.conditional(&row).unwrap();
        assert_eq!(cell.probabilities(0).unwrap(), None);
        // Half the way to the nearer neighbour on either side.
        let ends = [(-0.5, 0.5), (0.5, 1.5), (3.0, 7.0)];
        for ((_, probability), (lo, hi)) in atoms.iter().zip(ends) {
            assert!((cell.cdf(0, hi).unwrap() - cell.cdf(0, lo).unwrap() - probability).abs() < 1e-12);
            let inside = cell.density(0, 0.5 * (lo + hi)).unwrap();
            assert!((inside * (hi - lo) - probability).abs() < 1e-12);
        }
        let mean: f64 = atoms.iter().map(|(value, p)| value * p).sum();
        let whole = cell.within(0, (f64::NEG_INFINITY, f64::INFINITY)).unwrap();
        assert!((whole.mass - 1.0).abs() < 1e-12 && (whole.mean - mean).abs() < 1e-12);
        assert!((whole.variance - cell.covariance()[(0, 0)]).abs() < 1e-12);
        let (middle, p) = (cell.quantile(0, 0.5).unwrap(), 0.5);
        assert!((cell.cdf(0, middle).unwrap() - p).abs() < 1e-9);
    }

    #[test]
    fn draws_have_the_shares_of_the_atoms() {
        let (_, density) = setting();
        let row = [NA, -0.3];
        let cell = density.conditional(&row).unwrap();
        let rng = &mut ChaCha8Rng::seed_from_u64(1);
        let draws: Vec<f64> = (0..4000).map(|_| cell.draw(rng)[0]).collect();
        for x in [0.5, 1.0, 4.0] {
            let share = draws.iter().filter(|&&draw| draw <= x).count() as f64 / 4000.0;
            // Four standard deviations of a share.
            assert!((share - cell.cdf(0, x).unwrap()).abs() < 0.032, "{x}: {share}");
        }
    }
}
