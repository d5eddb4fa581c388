//! The paper's two recipes on small incomplete tables.

use crate::common::*;
use crate::learn::bent;
use psd_impute::density::Density;
use psd_impute::learn::psd::{Fitted, PaperPreset, TheoryPreset};
use psd_impute::solver::Status;
use psd_impute::table::Table;

/// The integral over each column with the other missing, and over both, of a density on two columns. The learned kernels may be narrow: the
/// rule has twenty nodes per unit.
fn masses(density: &dyn Density, lo: f64, hi: f64) -> [f64; 3] {
    let line = gauss(lo, hi, (hi - lo) as usize);
    let integral = |nodes: Vec<(f64, [f64; 2])>| {
        let table = Table::continuous(&["x", "y"], &nodes.iter().map(|n| n.1).collect::<Vec<_>>()).unwrap();
        let logs = density.log_marginals(&table).unwrap();
        nodes.iter().zip(logs).map(|((w, _), log)| w * log.exp()).sum::<f64>()
    };
    let both = line.iter().flat_map(|(x, w)| line.iter().map(move |(y, v)| (w * v, [*x, *y])));
    [
        integral(line.iter().map(|(x, w)| (*w, [*x, NA])).collect()),
        integral(line.iter().map(|(y, w)| (*w, [NA, *y])).collect()),
        integral(both.collect()),
    ]
}

#[test]
fn the_papers_chooses_among_its_grid_and_learns_a_density() {
    let (table, _) = bent(150, &mut rng(7)).standardise();
    let preset = PaperPreset { anchors: 15, folds: 3, ..Default::default() };
    let (density, report) = preset.fit(&table, 4).unwrap();
    assert_eq!(report.tried.len(), 12);
    assert!(report.tried.iter().all(|(.., score)| score.is_finite()));
    let best = report.tried.iter().map(|t| t.2).fold(f64::NEG_INFINITY, f64::max);
    assert!(report.tried.contains(&(report.mu, report.eta, best)));
    assert!(report.mu < 1.0, "an arch wants less than the heaviest barrier: {report:?}");
    assert_eq!((report.bandwidths.len(), report.status), (2, Status::Converged));
    for mass in masses(&density, -7.0, 7.0) {
        close(mass, 1.0, 1e-9);
    }
    let average = density.log_marginals(&table).unwrap().iter().sum::<f64>() / 150.0;
    assert!(average > -1.9, "{average}"); // the normal model reaches about -2.3
    let (again, same) = preset.fit(&table, 4).unwrap();
    assert_eq!(report, same);
    assert_eq!(again.log_marginals(&table).unwrap(), density.log_marginals(&table).unwrap());
}

#[test]
fn the_papers_takes_mixed_columns_and_few_rows() {
    let (table, _) = mixed(3, 12, 2, 1, 0.3, Shape::Full);
    let preset = PaperPreset { anchors: 4, folds: 2, newton_steps: 30, ..Default::default() };
    let (density, report) = preset.fit(&table, 1).unwrap();
    assert!(density.log_marginals(&table).unwrap().iter().all(|log| log.is_finite()));
    assert!(report.rounds[0].held_out.is_none(), "twelve rows are too few to hold any out");
    assert!(PaperPreset { mus: vec![], ..preset }.fit(&table, 1).is_err());
}

#[test]
fn the_theorys_is_a_density_on_its_box() {
    let (table, _) = bent(150, &mut rng(7)).standardise();
    let (Fitted { density, .. }, report) = TheoryPreset::default().fit(&table, 4).unwrap();
    assert_eq!((report.status, report.smoothness), (Status::Converged, 2.0));
    assert_eq!(report.schedule.nu, (-1f64).exp());
    for j in 0..2 {
        assert!(table.observed(j).all(|x| (report.bounds[j].0..report.bounds[j].1).contains(&x)));
    }
    // The box is not the same in both columns, and the density ends at its edges.
    let (x, y) =
        (gauss(report.bounds[0].0, report.bounds[0].1, 4), gauss(report.bounds[1].0, report.bounds[1].1, 4));
    let log = |row: &[f64]| density.log_marginal(row).unwrap().exp();
    close(x.iter().map(|(x, w)| w * log(&[*x, NA])).sum(), 1.0, 1e-9);
    let both: f64 = x.iter().map(|(x, w)| y.iter().map(|(y, v)| w * v * log(&[*x, *y])).sum::<f64>()).sum();
    close(both, 1.0, 1e-9);
    assert_eq!(log(&[report.bounds[0].1 + 0.01, 0.0]), 0.0);

    let one =
        Table::continuous(&["x"], &(0..200).map(|i| [normal(&mut rng(i))]).collect::<Vec<_>>()).unwrap();
    let (Fitted { density, .. }, report) =
        TheoryPreset { smoothness: Some(1.0), ..Default::default() }.fit(&one, 1).unwrap();
    let line = gauss(report.bounds[0].0, report.bounds[0].1, 10);
    close(line.iter().map(|(x, w)| w * density.log_marginal(&[*x]).unwrap().exp()).sum(), 1.0, 1e-9);
    let (mixed, _) = mixed(3, 12, 2, 1, 0.3, Shape::Full);
    assert!(TheoryPreset::default().fit(&mixed, 1).is_err());
}
