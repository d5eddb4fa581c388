//! The contract of every imputer.

#![allow(clippy::unwrap_used)]

use faer::Mat;
use psd_impute::FitOptions;
use psd_impute::table::{Column, Table};
use psd_impute_eval::Error;
use psd_impute_eval::imputers::{
    Gaussian, Ice, IceMultiple, Imputer, Knn, Mean, Pmm, Psd, Sinkhorn, SoftImpute, Value,
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Every imputer.
fn all() -> Vec<(&'static str, Box<dyn Imputer>)> {
    let psd = |value| Box::new(Psd { options: FitOptions::default(), value, imputations: 2 });
    vec![
        ("mean", Box::new(Mean)),
        ("psd mean", psd(Value::Mean)),
        ("psd draw", psd(Value::Draw)),
        ("knn", Box::new(Knn)),
        ("ice", Box::new(Ice)),
        ("ice multiple", Box::new(IceMultiple)),
        ("gaussian mean", Box::new(Gaussian { value: Value::Mean })),
        ("gaussian draw", Box::new(Gaussian { value: Value::Draw })),
        ("pmm", Box::new(Pmm)),
        ("soft impute", Box::new(SoftImpute::default())),
        ("sinkhorn", Box::new(Sinkhorn { iterations: 50, ..Sinkhorn::default() })),
    ]
}

/// Correlated columns of different scales, with a share of cells missing.
fn table(rows: usize, rate: f64, seed: u64) -> Table {
    let rng = &mut ChaCha8Rng::seed_from_u64(seed);
    let mut row = || {
        let (a, b): (f64, f64) = (rng.random(), rng.random());
        let c: f64 = rng.random();
        let mut row = [a, 100.0 * (a + 0.3 * b) + 7.0, (a - b).round(), 0.01 * (a * b + 0.1 * c)];
        row.iter_mut().for_each(|x| *x = if rng.random::<f64>() < rate { f64::NAN } else { *x });
        row
    };
    let rows: Vec<[f64; 4]> = (0..rows).map(|_| row()).collect();
    Table::continuous(&["a", "b", "c", "d"], &rows).unwrap()
}

fn bits(table: &Table) -> Vec<u64> {
    table.rows().flatten().map(|x| x.to_bits()).collect()
}

#[test]
fn observed_cells_stay_and_gaps_get_finite_numbers() {
    let (train, test) = (table(80, 0.2, 1), table(20, 0.5, 2));
    for (name, imputer) in all() {
        let fitted = imputer.fit(&train, 3).unwrap();
        for rows in [&train, &test] {
            let completed = fitted.complete(rows, 1).unwrap();
            assert_eq!(completed.len(), rows.len(), "{name}");
            for (before, after) in rows.rows().flatten().zip(completed.rows().flatten()) {
                assert!(after.is_finite(), "{name}");
                assert!(before.is_nan() || before.to_bits() == after.to_bits(), "{name}");
            }
        }
    }
}

#[test]
fn rows_without_any_cell_and_columns_seen_once_are_completed() {
    let nan = f64::NAN;
    let mut rows: Vec<[f64; 3]> = (0..12).map(|i| [f64::from(i), f64::from(i * i % 5), nan]).collect();
    rows[4][2] = 1.0;
    rows[7] = [nan; 3];
    let table = Table::continuous(&["a", "b", "c"], &rows).unwrap();
    for (name, imputer) in all() {
        let completed = imputer.fit(&table, 0).unwrap().complete(&table, 1).unwrap();
        assert!(completed.rows().flatten().all(|x| x.is_finite()), "{name}");
    }
}

#[test]
fn the_same_seed_gives_the_same_bits_on_any_number_of_threads() {
    let train = table(60, 0.3, 5);
    for (name, imputer) in all() {
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| bits(&imputer.fit(&train, 9).unwrap().complete(&train, 2).unwrap()))
        };
        assert_eq!(run(1), run(2), "{name}");
    }
}

#[test]
fn imputers_of_numbers_refuse_labels() {
    let labels = Column::category("k", vec!["a".into(), "b".into()]).unwrap();
    let cells = Mat::from_fn(2, 30, |j, i| if j == 0 { (i % 2) as f64 } else { i as f64 });
    let table = Table::new(vec![labels, Column::continuous("x")], cells).unwrap();
    for (name, imputer) in all() {
        let found = imputer.fit(&table, 0).err();
        let takes_them = name == "mean" || name.starts_with("psd");
        let expected = (!takes_them).then(|| Error::Labels { column: "k".into() });
        assert_eq!(found, expected, "{name}");
    }
}
