//! Categories with more labels than a density distinguishes.

use crate::common::*;
use crate::model::written;
use psd_impute::impute::Limits;
use psd_impute::model::Model;
use psd_impute::stack::Member;
use psd_impute::table::{Column, TOLD_APART, Table};

/// Labels that occur once, all with small `x`. The others occur twice, one of them 300 times more and then with large `x`. There are as many as
/// are distinguished, of which one is the pool: the last of them is in it too.
const ONCE: usize = 400;
const LABELS: usize = TOLD_APART + ONCE;
const COMMON: f64 = 6.0;

fn is_once(label: usize) -> bool {
    label % 2 == 1 && label < 2 * ONCE
}

fn table() -> Table {
    let rng = &mut rng(4);
    let mut cells: Vec<[f64; 2]> = Vec::new();
    let mut add = |label: f64, low: f64| cells.push([low + normal(rng), label]);
    for label in 0..LABELS {
        (0..if is_once(label) { 1 } else { 2 })
            .for_each(|_| add(label as f64, if is_once(label) { -4.0 } else { 0.0 }));
    }
    (0..300).for_each(|_| add(COMMON, 4.0));
    cells.extend((0..400).map(|i| [f64::from(i % 3) * 4.0 - 4.0, NA]));
    let labels = (0..LABELS).map(|k| format!("label {k}")).collect();
    let columns = vec![Column::continuous("x"), Column::category("label", labels).unwrap()];
    Table::new(columns, faer::Mat::from_fn(2, cells.len(), |j, i| cells[i][j])).unwrap()
}

fn model(table: &Table) -> Model {
    let members = vec![Member::Normal, Member::Mixture { components: 4 }, Member::Donors];
    Model::fit(table, &stack_of(members, 1)).unwrap()
}

#[test]
fn rare_labels_are_drawn_by_their_frequency() {
    let table = table();
    let model = model(&table);
    let (columns, limits) = (table.columns(), Limits::none(2));
    let (seen, scaler) = table.standardise();
    assert_eq!(seen.columns()[1].kind().atoms().len(), TOLD_APART);
    let pool = (TOLD_APART - 1) as f64;
    let pooled: Vec<usize> = (0..LABELS).filter(|&k| scaler.apply(1, k as f64) == pool).collect();
    assert_eq!(pooled.len(), ONCE + 1);
    assert!(pooled.iter().filter(|&&k| is_once(k)).count() == ONCE);

    let new = model.imputer(limits).unwrap().new_rows(columns, 20_000, 5).unwrap();
    let mut counts = vec![0.0; LABELS];
    new.observed(1).for_each(|label| counts[label as usize] += 1.0);
    let once: f64 = (0..LABELS).filter(|&k| is_once(k)).map(|k| counts[k]).sum();
    let observed = table.observed(1).count() as f64;
    let each = new.len() as f64 / observed;
    let share = once / new.len() as f64;
    assert!((share - ONCE as f64 / observed).abs() < 0.03, "{share}");
    let off = |k: usize| (counts[k] - each).abs() > 4.5 * each.sqrt();
    let odd = (0..LABELS).filter(|&k| is_once(k) && off(k)).count();
    assert!(odd <= 3, "{odd} of {ONCE}");
    // They come with small x, the others do not.
    let mean = |once: bool| {
        let x: Vec<f64> =
            new.rows().filter(|row| is_once(row[1] as usize) == once).map(|row| row[0]).collect();
        x.iter().sum::<f64>() / x.len() as f64
    };
    assert!(mean(true) < -2.5 && mean(false) > 0.0, "{} {}", mean(true), mean(false));
}

#[test]
fn single_labels_are_compared_and_counted() {
    let table = table();
    let model = model(&table);
    let imputer = model.imputer(Limits::none(2)).unwrap();
    let done = imputer.mean(&table).unwrap();
    let cells = imputer.summaries(&table, &[]).unwrap();
    assert_eq!(cells.len(), 400);
    let (_, scaler) = table.standardise();
    for cell in &cells {
        let values = cell.values.as_ref().unwrap();
        assert_eq!(values.probabilities.len(), LABELS);
        let total: f64 = values.probabilities.iter().map(|(_, p)| p).sum();
        assert!((total - 1.0).abs() < 1e-9, "{total}");
        let most = values.probabilities.iter().map(|(_, p)| *p).fold(0.0, f64::max);
        assert_eq!(values.probabilities[values.mode as usize].1, most);
        assert_eq!(done.row(cell.row)[1], values.mode);
        // Each occurs once, and nothing else distinguishes them.
        let rare = [values.probabilities[1].1, values.probabilities[3].1];
        assert!(rare[0] > 0.0 && rare[0] == rare[1], "{rare:?}");
        // The probability of the pool is that of its labels.
        let pool: f64 = values
            .probabilities
            .iter()
            .filter(|(k, _)| scaler.apply(1, *k) == (TOLD_APART - 1) as f64)
            .map(|(_, p)| p)
            .sum();
        let row = scaler.standardise(&table.select(&[cell.row]).unwrap());
        let whole = model.density().conditional(row.row(0)).unwrap().probabilities(1).unwrap().unwrap();
        close(pool, whole[TOLD_APART - 1].1, 1e-12);
    }
    // The pool is by far the likeliest where x is low, but no single label of it is.
    let low = cells.iter().find(|cell| table.row(cell.row)[0] == -4.0).unwrap();
    let mode = low.values.as_ref().unwrap().mode;
    assert!(scaler.apply(1, mode) != (TOLD_APART - 1) as f64 || !is_once(mode as usize), "{mode}");
    assert!(done.rows().filter(|row| row[0] == 4.0).all(|row| row[1] == COMMON));
}

#[test]
fn files_keep_all_labels() {
    let table = table();
    let model = model(&table);
    let (read, _) = Model::read(&written(&model, "")).unwrap();
    let draw = |model: &Model, rows: &[usize]| {
        let imputer = model.imputer(Limits::none(2)).unwrap();
        imputer.independent_draws(&table.select(rows).unwrap(), 3, 1).unwrap()
    };
    let all: Vec<usize> = (0..table.len()).collect();
    let (before, after) = (draw(&model, &all), draw(&read, &all));
    assert_eq!(before.cells(), after.cells());
    let mut counter = psd_impute::table::RowCounter::default();
    let balanced = model.imputations(1, 3).unwrap();
    let done = balanced.nth(1).unwrap().complete(&table, &mut counter).unwrap();
    assert!(done.observed(1).count() == table.len());
    assert!((0..table.len()).all(|i| table.row(i)[1].is_nan() || table.row(i) == done.row(i)));
    // A label of the pool predicts as the pool does, and its density is that of the pool.
    let rows = faer::Mat::from_fn(2, 3, |j, i| if j == 0 { NA } else { [1.0, 3.0, COMMON][i] });
    let rows = Table::new(table.columns().to_vec(), rows).unwrap();
    let means = read.imputer(Limits::none(2)).unwrap().mean(&rows).unwrap();
    assert_eq!(means.row(0)[0], means.row(1)[0]);
    assert!(means.row(0)[0] < -3.0 && means.row(2)[0] > 3.0, "{} {}", means.row(0)[0], means.row(2)[0]);
    let logs = read.imputer(Limits::none(2)).unwrap().log_densities(&rows).unwrap();
    assert_eq!(logs[0], logs[1]);
}
