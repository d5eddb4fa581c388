//! Simulated incomplete tables, and the starting points of learning.

use faer::{Mat, Scale};
use psd_impute::Result;
use psd_impute::density::Density;
use psd_impute::internals::kernel::{BaseMeasure, Features, Metric};
use psd_impute::learn::mixture::{EmParams, fit_normal};
use psd_impute::learn::psd::{AnchorChoice, MetricPrior};
use psd_impute::table::Table;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Training rows, rows for early stopping, and test rows.
pub(crate) struct Data {
    pub(crate) train: Table,
    pub(crate) stop: Table,
    pub(crate) test: Table,
    /// The normal model's covariance.
    pub(crate) covariance: Mat<f64>,
}

impl Data {
    /// Two interlocking half circles with noise; a fifth of the cells missing.
    pub(crate) fn moons(rows: usize, seed: u64) -> Result<Self> {
        Self::new(rows, seed, &["x", "y"], |rng| {
            let (t, upper) = (std::f64::consts::PI * rng.random::<f64>(), rng.random::<bool>());
            let (x, y) = if upper { (t.cos(), t.sin()) } else { (1.0 - t.cos(), 0.5 - t.sin()) };
            vec![x + 0.08 * normal(rng), y + 0.08 * normal(rng)]
        })
    }

    /// Five columns that depend on two factors, one of them curved; a fifth of the cells missing.
    pub(crate) fn correlated(rows: usize, seed: u64) -> Result<Self> {
        Self::new(rows, seed, &["a", "b", "c", "d", "e"], |rng| {
            let (u, v) = (normal(rng), normal(rng));
            let factors = [u + 0.3 * v, u - 0.4 * v, 0.8 * u + v, u * u - v, v];
            factors.iter().map(|x| x + 0.3 * normal(rng)).collect()
        })
    }

    /// 60 % of the rows for training, and 20 % each for early stopping and testing; a fifth of the cells missing.
    fn new(
        rows: usize,
        seed: u64,
        columns: &[&str],
        mut draw: impl FnMut(&mut ChaCha8Rng) -> Vec<f64>,
    ) -> Result<Self> {
        let rng = &mut ChaCha8Rng::seed_from_u64(seed);
        let total = rows * 10 / 6;
        let mut cells: Vec<Vec<f64>> = (0..total).map(|_| draw(rng)).collect();
        for row in &mut cells {
            let kept = rng.random_range(0..row.len());
            for (j, cell) in row.iter_mut().enumerate() {
                if j != kept && rng.random::<f64>() < 0.2 {
                    *cell = f64::NAN;
                }
            }
        }
        let (table, _) = Table::continuous(columns, &cells)?.standardise();
        let part = |from: usize, to: usize| table.select(&(from..to).collect::<Vec<_>>());
        let rest = (total - rows) / 2;
        let (train, stop, test) = (part(0, rows)?, part(rows, rows + rest)?, part(rows + rest, total)?);
        let covariance = fit_normal(&train, None, 1e-2, EmParams::default())?.0.covariance().to_owned();
        Ok(Self { train, stop, test, covariance })
    }

    /// k-means anchors and a metric that is a multiple of the normal model's.
    pub(crate) fn start(&self, anchors: usize, full: bool) -> Result<Features> {
        let mut rng = ChaCha8Rng::seed_from_u64(anchors as u64);
        let anchors = AnchorChoice::KMeans { count: anchors, steps: 20 }.pick(&self.train, &mut rng)?;
        let sigma = &self.covariance * Scale(0.09);
        let metric = if full {
            Metric::full(sigma.as_ref())?
        } else {
            Metric::diagonal((0..sigma.nrows()).map(|j| 0.25 / sigma[(j, j)]).collect())?
        };
        Features::new(&self.train, None, &anchors, metric, BaseMeasure::WholeSpace, 1.0)
    }

    /// A prior on the metric, its scale in covariances of the normal model.
    pub(crate) fn prior(&self, strength: f64, scale: f64) -> MetricPrior {
        MetricPrior { strength, scale: &self.covariance * Scale(scale) }
    }

    /// The log-likelihood of the test rows, in nats per row.
    pub(crate) fn score(&self, density: &dyn Density) -> Result<f64> {
        Ok(density.log_marginals(&self.test)?.iter().sum::<f64>() / self.test.len() as f64)
    }
}

/// A standard normal number by Box and Muller's formula.
fn normal(rng: &mut ChaCha8Rng) -> f64 {
    let (u, v) = (1.0 - rng.random::<f64>(), rng.random::<f64>());
    (-2.0 * u.ln()).sqrt() * (std::f64::consts::TAU * v).cos()
}
