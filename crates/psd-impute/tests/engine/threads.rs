//! The same bits for any number of threads.

use crate::common::*;
use faer::Mat;
use psd_impute::internals::objective::{Problem, ProblemOptions, Storage};
use psd_impute::learn::mixture::{EmParams, Mixture, MixturePrior};
use psd_impute::learn::psd::{AnchorChoice, PsdFit};
use psd_impute::solver::{SolverOptions, SystemKind};

pub(crate) fn on_threads<R: Send>(threads: usize, work: impl FnOnce() -> R + Send) -> R {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work)
}

#[test]
fn fits_are_identical_on_one_two_and_five_threads() {
    let (table, _) = continuous(6, 700, 3, 1, 0.3, Shape::Full);
    for storage in [Storage::Stored, Storage::Grouped] {
        for system in [SystemKind::Woodbury, SystemKind::Hessian, SystemKind::Pcg] {
            let run = || {
                let anchors =
                    AnchorChoice::KMeans { count: 24, steps: 20 }.pick(&table, &mut rng(1)).unwrap();
                let setup = PsdFit {
                    problem: ProblemOptions { storage, ..Default::default() },
                    solver: SolverOptions { system, max_iterations: 6, ..Default::default() },
                    ..Default::default()
                };
                let fitted = setup.run(&table, &anchors, &mut ()).unwrap();
                (fitted.solution.q.clone(), fitted.density.log_marginals(&table).unwrap())
            };
            let one = on_threads(1, run);
            assert!(one == on_threads(2, run), "{storage:?} {system:?} on 2");
            assert!(one == on_threads(5, run), "{storage:?} {system:?} on 5");
        }
    }
}

#[test]
fn gradients_are_identical_on_one_and_two_threads() {
    let (table, features) = mixed(6, 300, 3, 8, 0.4, Shape::Full);
    let q = feasible(&features, 2);
    let run = || {
        let problem = Problem::new(&features, &table, None, None, ProblemOptions::default()).unwrap();
        let gradient = problem.parameter_gradient(q.as_ref(), 1.0).unwrap();
        (gradient.features.anchors, gradient.features.sigma)
    };
    assert!(on_threads(1, run) == on_threads(2, run));
}

#[test]
fn mixtures_are_identical_on_one_two_and_five_threads() {
    let (table, _) = mixed(8, 400, 6, 1, 0.3, Shape::Full);
    let labels: Vec<usize> = (0..table.len()).map(|i| i % 5).collect();
    let mut copy = table.cells().to_owned();
    for (j, column) in table.columns().iter().enumerate() {
        let fill = column.kind().atoms().first().copied().unwrap_or(0.0);
        copy.row_mut(j).iter_mut().filter(|x| x.is_nan()).for_each(|x| *x = fill);
    }
    let prior = MixturePrior { scale: Mat::identity(6, 6), strength: 4.0 };
    let run = || {
        let params = EmParams { tolerance: 0.0, max_iterations: 15 };
        let (mixture, report) = Mixture::fit(&table, None, copy.as_ref(), &labels, &prior, params).unwrap();
        (mixture.covariance().to_owned(), report)
    };
    let one = on_threads(1, run);
    assert!(one == on_threads(2, run) && one == on_threads(5, run));
}
