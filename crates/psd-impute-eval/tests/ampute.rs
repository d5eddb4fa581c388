//! The inputs of each mechanism, the columns that it leaves complete, and its rate.

#![allow(clippy::unwrap_used)]

use faer::Mat;
use psd_impute::table::{Column, Table};
use psd_impute_eval::Error;
use psd_impute_eval::ampute::{Mechanism, Tail};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const ALL: [Mechanism; 5] = [
    Mechanism::Mcar,
    Mechanism::MAR,
    Mechanism::MNAR_LOGISTIC,
    Mechanism::MnarSelf,
    Mechanism::MNAR_QUANTILE,
];

/// Skewed numbers of very different scales, with a common factor.
fn numbers(n: usize, d: usize) -> Table {
    let rng = &mut ChaCha8Rng::seed_from_u64(17);
    let names: Vec<String> = (0..d).map(|j| format!("x{j}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let row = |rng: &mut ChaCha8Rng| {
        let common: f64 = rng.random();
        (0..d).map(|j| 10f64.powi(j as i32 - 3) * (common + rng.random::<f64>().powi(2))).collect()
    };
    let rows: Vec<Vec<f64>> = (0..n).map(|_| row(rng)).collect();
    Table::continuous(&names, &rows).unwrap()
}

/// The missing cells, by column.
fn gaps(table: &Table) -> Vec<Vec<bool>> {
    (0..table.columns().len()).map(|j| table.rows().map(|row| row[j].is_nan()).collect()).collect()
}

fn share(gaps: &[bool]) -> f64 {
    gaps.iter().filter(|&&gone| gone).count() as f64 / gaps.len() as f64
}

/// Four standard errors of a share of `n` cells.
fn four_errors(rate: f64, n: usize) -> f64 {
    4.0 * (rate * (1.0 - rate) / n as f64).sqrt()
}

#[test]
fn the_rate_holds_in_the_columns_that_lose_cells() {
    let table = numbers(3000, 10);
    for mechanism in ALL {
        for rate in [0.05, 0.3, 0.5] {
            let gaps = gaps(&mechanism.ampute(&table, rate, 5).unwrap());
            let losing: Vec<f64> = gaps.iter().map(|g| share(g)).filter(|&s| s > 0.0).collect();
            let stays = if matches!(mechanism, Mechanism::Mar { .. } | Mechanism::MnarQuantile { .. }) {
                3
            } else {
                0
            };
            assert_eq!(losing.len(), 10 - stays, "{mechanism:?}");
            for share in losing {
                assert!((share - rate).abs() < four_errors(rate, 3000), "{mechanism:?}: {share} for {rate}");
            }
        }
    }
}

/// `influence[j][k]`: whether other values of column `j` change which cells of column `k` go missing, all else equal.
fn influence(mechanism: Mechanism, table: &Table) -> Vec<Vec<bool>> {
    let before = gaps(&mechanism.ampute(table, 0.2, 8).unwrap());
    let n = table.len();
    let change = |j: usize| {
        let cells =
            Mat::from_fn(table.columns().len(), n, |k, i| table.row(if k == j { n - 1 - i } else { i })[k]);
        let after = gaps(&mechanism.ampute(&table.with_cells(cells).unwrap(), 0.2, 8).unwrap());
        (0..before.len()).map(|k| before[k] != after[k]).collect()
    };
    (0..before.len()).map(change).collect()
}

#[test]
fn missingness_depends_on_what_it_should_and_on_nothing_else() {
    let table = numbers(1000, 10);
    for mechanism in ALL {
        let influence = influence(mechanism, &table);
        let gaps = gaps(&mechanism.ampute(&table, 0.2, 8).unwrap());
        let looked_at: Vec<usize> = (0..10).filter(|&j| influence[j].contains(&true)).collect();
        match mechanism {
            Mechanism::Mcar => assert!(looked_at.is_empty()),
            Mechanism::Mar { .. } | Mechanism::MnarLogistic { .. } => {
                assert_eq!(looked_at.len(), 3);
                for (&j, k) in looked_at.iter().flat_map(|j| (0..10).map(move |k| (j, k))) {
                    assert_eq!(influence[j][k], !looked_at.contains(&k), "{mechanism:?}: {j} on {k}");
                }
                let complete = matches!(mechanism, Mechanism::Mar { .. });
                assert!(looked_at.iter().all(|&j| (share(&gaps[j]) == 0.0) == complete));
            }
            Mechanism::MnarSelf | Mechanism::MnarQuantile { .. } => {
                for (j, k) in (0..10).flat_map(|j| (0..10).map(move |k| (j, k))) {
                    assert_eq!(influence[j][k], j == k && share(&gaps[j]) > 0.0, "{mechanism:?}: {j} on {k}");
                }
            }
        }
    }
}

#[test]
fn self_masked_cells_lie_to_one_side() {
    let table = numbers(3000, 6);
    let gaps = gaps(&Mechanism::MnarSelf.ampute(&table, 0.3, 2).unwrap());
    for (j, gaps) in gaps.iter().enumerate() {
        let values: Vec<f64> = table.observed(j).collect();
        let mean_of = |gone: bool| {
            let part: Vec<f64> = (0..3000).filter(|&i| gaps[i] == gone).map(|i| values[i]).collect();
            part.iter().sum::<f64>() / part.len() as f64
        };
        let (mean, n) = (values.iter().sum::<f64>() / 3000.0, 3000.0f64);
        let deviation = (values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n).sqrt();
        // The slope is one standard deviation: cells that go are further out by most of one.
        let apart = (mean_of(true) - mean_of(false)).abs() / deviation;
        assert!((0.5..1.5).contains(&apart), "column {j}: {apart}");
    }
}

#[test]
fn cells_beyond_quantiles_go_and_others_stay() {
    let table = numbers(400, 5);
    for (tail, rate) in [(Tail::Lower, 0.2), (Tail::Upper, 0.25), (Tail::Both, 0.5)] {
        let mechanism = Mechanism::MnarQuantile { columns: 1.0, quantile: 0.25, tail };
        let masked = mechanism.ampute(&table, rate, 1).unwrap();
        for j in 0..5 {
            let mut sorted: Vec<f64> = table.observed(j).collect();
            sorted.sort_by(f64::total_cmp);
            let (low, high) = (sorted[99], sorted[300]);
            for (row, before) in masked.rows().zip(table.rows()) {
                let beyond = match tail {
                    Tail::Lower => before[j] <= low,
                    Tail::Upper => before[j] >= high,
                    Tail::Both => before[j] <= low || before[j] >= high,
                };
                assert!(beyond || !row[j].is_nan());
                // At the highest rate everything in the tail goes, unless the row would be empty.
                let kept = row.iter().filter(|x| !x.is_nan()).count();
                assert!(rate < 0.25 || !beyond || row[j].is_nan() || kept == 1);
            }
        }
    }
}

/// Numbers beside a category of three labels, of which the first has half of the rows.
fn mixed(n: usize) -> Table {
    let labels = ["a", "b", "c"].map(String::from).to_vec();
    let columns = vec![Column::category("label", labels).unwrap(), Column::continuous("x")];
    let rng = &mut ChaCha8Rng::seed_from_u64(4);
    let cells =
        Mat::from_fn(
            2,
            n,
            |j, _| {
                if j == 0 { [0.0, 0.0, 1.0, 2.0][rng.random_range(0..4)] } else { rng.random() }
            },
        );
    Table::new(columns, cells).unwrap()
}

#[test]
fn labels_are_inputs_too() {
    let table = mixed(4000);
    let by_label = |gaps: &[bool]| {
        [0.0, 1.0, 2.0].map(|k| {
            let rows = (0..4000).filter(|&i| table.row(i)[0] == k);
            share(&rows.map(|i| gaps[i]).collect::<Vec<_>>())
        })
    };
    let apart = |shares: [f64; 3]| {
        shares.iter().copied().fold(0.0, f64::max) - shares.iter().copied().fold(1.0, f64::min)
    };
    let own = by_label(&gaps(&Mechanism::MnarSelf.ampute(&table, 0.3, 0).unwrap())[0]);
    assert!(apart(own) > 0.2, "{own:?}");
    // Of two columns one stays under MAR; with some seeds it is the label, which then decides over the number.
    let seed = (0..20).find(|&s| share(&gaps(&Mechanism::MAR.ampute(&table, 0.3, s).unwrap())[0]) == 0.0);
    let of_number = by_label(&gaps(&Mechanism::MAR.ampute(&table, 0.3, seed.unwrap()).unwrap())[1]);
    assert!(apart(of_number) > 0.2, "{of_number:?}");
    let none = by_label(&gaps(&Mechanism::Mcar.ampute(&table, 0.3, 0).unwrap())[1]);
    assert!(apart(none) < 2.0 * four_errors(0.3, 1000), "{none:?}");
}

#[test]
fn gaps_stay_and_the_rate_is_of_the_cells_there_were() {
    let complete = numbers(3000, 10);
    let cells = Mat::from_fn(10, 3000, |j, i| if (i + j) % 3 == 0 { f64::NAN } else { complete.row(i)[j] });
    let table = complete.with_cells(cells).unwrap();
    for mechanism in ALL {
        let masked = mechanism.ampute(&table, 0.3, 6).unwrap();
        for j in 0..10 {
            let had: Vec<usize> = (0..3000).filter(|&i| !table.row(i)[j].is_nan()).collect();
            let share = had.iter().filter(|&&i| masked.row(i)[j].is_nan()).count() as f64 / had.len() as f64;
            assert!(
                share == 0.0 || (share - 0.3).abs() < four_errors(0.3, had.len()),
                "{mechanism:?}: {share}"
            );
        }
        for (before, after) in table.rows().zip(masked.rows()) {
            assert!(before.iter().zip(after).all(|(b, a)| a.is_nan() || a == b));
        }
    }
}

#[test]
fn no_row_loses_everything() {
    let table = numbers(500, 2);
    for mechanism in [Mechanism::Mcar, Mechanism::MNAR_LOGISTIC, Mechanism::MnarSelf] {
        let masked = mechanism.ampute(&table, 0.9, 3).unwrap();
        let kept: Vec<usize> = masked.rows().map(|row| row.iter().filter(|x| !x.is_nan()).count()).collect();
        assert!(kept.iter().all(|&k| k > 0), "{mechanism:?}");
        // Either of the two comes back with equal probability.
        let first = masked.observed(0).count();
        assert!((150..350).contains(&first), "{mechanism:?}: {first}");
    }
    let nothing = Table::continuous(&["a", "b"], &[[f64::NAN; 2], [1.0, 2.0]]).unwrap();
    assert!(Mechanism::Mcar.ampute(&nothing, 0.5, 0).unwrap().row(0).iter().all(|x| x.is_nan()));
}

#[test]
fn the_seed_decides() {
    let table = numbers(200, 6);
    for mechanism in ALL {
        let with = |seed| gaps(&mechanism.ampute(&table, 0.3, seed).unwrap());
        assert_eq!(with(1), with(1));
        assert_ne!(with(1), with(2), "{mechanism:?}");
    }
}

#[test]
fn constant_columns_do_no_harm() {
    let table = Table::continuous(&["a", "b", "c", "d", "e"], &[[0.1, 0.3, 7.0, 0.0, 1e9]; 2000]).unwrap();
    for mechanism in ALL {
        let gaps = gaps(&mechanism.ampute(&table, 0.1, 1).unwrap());
        let shares: Vec<f64> = gaps.iter().map(|g| share(g)).collect();
        assert!(shares.iter().all(|&s| s == 0.0 || (s - 0.1).abs() < four_errors(0.1, 2000)), "{shares:?}");
        assert!(shares.iter().filter(|&&s| s > 0.0).count() >= 3, "{mechanism:?}");
    }
}

#[test]
fn what_cannot_be_done_is_refused() {
    let table = numbers(40, 3);
    for rate in [0.0, 1.0, -0.1, f64::NAN] {
        let error = Mechanism::Mcar.ampute(&table, rate, 0).unwrap_err();
        assert!(matches!(error, Error::BadParameter { name: "the rate", .. }), "{error}");
    }
    for share in [0.0, 1.0, f64::NAN] {
        let error = Mechanism::Mar { observed: share }.ampute(&table, 0.2, 0).unwrap_err();
        assert!(matches!(error, Error::BadParameter { name: "the share of columns", .. }), "{error}");
    }
    let one = Mechanism::MAR.ampute(&numbers(40, 1), 0.2, 0).unwrap_err();
    assert_eq!(one, Error::TooFewColumns { what: "columns", needed: 2, found: 1 });
    let labels = Column::category("label", vec!["a".to_string()]).unwrap();
    let labels = Table::new(vec![labels], Mat::zeros(1, 4)).unwrap();
    let none = Mechanism::MNAR_QUANTILE.ampute(&labels, 0.2, 0).unwrap_err();
    assert_eq!(none, Error::TooFewColumns { what: "columns of numbers", needed: 1, found: 0 });
    let thin = Mechanism::MNAR_QUANTILE.ampute(&table, 0.6, 0).unwrap_err();
    assert!(matches!(thin, Error::ThinTails { share: 0.5, rate: 0.6, .. }), "{thin}");
}
