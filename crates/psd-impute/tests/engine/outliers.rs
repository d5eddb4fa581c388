//! Scores of rows, and new rows.

use crate::common::*;
use psd_impute::density::Density;
use psd_impute::impute::{Imputer, Limits, Ties};
use psd_impute::table::Table;

#[test]
fn scores_of_the_models_own_rows_are_uniform_whatever_the_pattern() {
    let (density, scaler) = (truth(), units());
    let (table, _) = truth_tables(2000, 0.4, 6);
    let imputer = Imputer::new(&density, &scaler, &Ties::none(3), Limits::none(3)).unwrap();
    let scores =
        imputer.outlier_scores(&table, &imputer.new_rows(table.columns(), 2000, 1).unwrap()).unwrap();
    for cells in 1..=3 {
        let rows = (0..table.len()).filter(|&i| table.row(i).iter().filter(|x| !x.is_nan()).count() == cells);
        let shares: Vec<f64> = rows.map(|i| scores[i].share).collect();
        assert!(shares.len() > 250);
        // The reference rows are random as well, whence twice the variance.
        let distance = kolmogorov(shares);
        assert!(distance < 1.95 * 2f64.sqrt(), "{cells} cells: {distance}");
    }
}

#[test]
fn outliers_are_found_by_any_of_their_cells() {
    let (density, scaler) = (truth(), units());
    let far = |j, z| scaler.undo(j, z);
    let rows = [
        [far(0, 0.0), far(1, 0.0), far(2, 0.0)],
        [far(0, 9.0), far(1, 0.0), far(2, 0.0)],
        [NA, far(1, -9.0), NA],
        [NA, NA, NA],
    ];
    let table = Table::continuous(&["a", "b", "c"], &rows).unwrap();
    let imputer = Imputer::new(&density, &scaler, &Ties::none(3), Limits::none(3)).unwrap();
    let scores = imputer.outlier_scores(&table, &imputer.new_rows(table.columns(), 999, 1).unwrap()).unwrap();
    assert!(scores[0].share > 0.1);
    assert_eq!((scores[1].share, scores[2].share), (0.001, 0.001));
    assert_eq!((scores[3].share, scores[3].log_density), (1.0, 0.0));
    let jacobian: f64 = (0..3).map(|j| scaler.scale(j).ln()).sum();
    close(scores[0].log_density, density.log_marginal(&[0.0; 3]).unwrap() - jacobian, 1e-12);
    assert!(imputer.new_rows(table.columns(), 0, 1).is_err());
}

#[test]
fn new_rows_have_the_densitys_moments() {
    let (density, scaler) = (truth(), units());
    let (table, _) = truth_tables(2, 0.0, 1);
    let imputer = Imputer::new(&density, &scaler, &Ties::none(3), Limits::none(3)).unwrap();
    let n = 4000;
    let rows = imputer.new_rows(table.columns(), n, 4).unwrap();
    let (mean, covariance) = density.moments().unwrap();
    for j in 0..3 {
        let z: Vec<f64> = rows.rows().map(|row| scaler.apply(j, row[j])).collect();
        let average = z.iter().sum::<f64>() / n as f64;
        assert!((average - mean[j]).abs() < 4.0 * (covariance[(j, j)] / n as f64).sqrt());
        let whole = density.conditional(&[NA; 3]).unwrap();
        assert!(kolmogorov(z.iter().map(|&z| whole.cdf(j, z).unwrap()).collect()) < 1.95);
    }
}
