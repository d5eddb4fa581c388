//! Scores against their definitions, computed directly.

#![allow(clippy::unwrap_used)]

use faer::Mat;
use psd_impute::table::{Column, Table};
use psd_impute_eval::Error;
use psd_impute_eval::metrics::{Evaluation, Intervals, Scores, WASSERSTEIN_ROWS};
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const NA: f64 = f64::NAN;

fn scores(truth: &Table, masked: &Table, completed: &Table) -> Scores {
    Evaluation::new(truth, masked).unwrap().score(0, completed).unwrap()
}

#[test]
fn a_table_of_two_rows_by_hand() {
    let table = |rows: &[[f64; 1]]| Table::continuous(&["a"], rows).unwrap();
    // Standardised: the truth is -1, 1; completed it is -1, -1. Mean distances: 1 between, 1 and 0 within.
    let found = scores(&table(&[[0.0], [2.0]]), &table(&[[0.0], [NA]]), &table(&[[0.0], [0.0]]));
    assert_eq!(
        found,
        Scores { ed: 1.0, w2: Some(2.0), sw2: None, rmse: Some(2.0), mae: Some(2.0), category_error: None }
    );
    let nothing = scores(&table(&[[0.0], [2.0]]), &table(&[[0.0], [2.0]]), &table(&[[0.0], [2.0]]));
    assert_eq!(nothing, Scores { ed: 0.0, w2: None, sw2: None, rmse: None, mae: None, category_error: None });
}

/// A number, a number of few values, a constant and two categories.
fn columns() -> Vec<Column> {
    let labels = |names: &[&str]| names.iter().map(|name| name.to_string()).collect();
    vec![
        Column::continuous("number"),
        Column::category("letter", labels(&["a", "b", "c"])).unwrap(),
        Column::ordered("count", vec![0.0, 1.0, 4.0]).unwrap(),
        Column::continuous("constant"),
        Column::category("sign", labels(&["plus", "minus"])).unwrap(),
    ]
}

fn cell(j: usize, rng: &mut impl Rng) -> f64 {
    match j {
        0 => 100.0 + 5.0 * rng.random::<f64>(),
        1 => f64::from(rng.random_range(0..3)),
        2 => [0.0, 1.0, 4.0][rng.random_range(0..3)],
        3 => 3.0,
        _ => f64::from(rng.random_range(0..2)),
    }
}

/// A truth, a table with some of its cells, and one with others in their place.
fn three(n: usize, rng: &mut impl Rng) -> [Table; 3] {
    let truth = Mat::from_fn(5, n, |j, _| cell(j, rng));
    let masked = Mat::from_fn(5, n, |j, i| if rng.random::<f64>() < 0.3 { NA } else { truth[(j, i)] });
    let completed = Mat::from_fn(5, n, |j, i| {
        let other = cell(j, rng);
        if masked[(j, i)].is_nan() { other } else { truth[(j, i)] }
    });
    [truth, masked, completed].map(|cells| Table::new(columns(), cells).unwrap())
}

/// The rows of a table by the definition: standardised numbers, indicators over the root of two, no constant.
fn encoded(table: &Table, truth: &Table) -> Vec<Vec<f64>> {
    let standardised = |j: usize, x: f64| {
        let values: Vec<f64> = truth.observed(j).collect();
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / values.len() as f64;
        (x - mean) / variance.sqrt()
    };
    let indicator = |x: f64, k: i32| if x == f64::from(k) { 0.5f64.sqrt() } else { 0.0 };
    let row = |row: &[f64]| {
        let mut point = vec![standardised(0, row[0]), standardised(2, row[2])];
        point.extend((0..3).map(|k| indicator(row[1], k)).chain((0..2).map(|k| indicator(row[4], k))));
        point
    };
    table.rows().map(row).collect()
}

fn square(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| (x - y).powi(2)).sum()
}

fn mean(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    let values: Vec<f64> = values.into_iter().collect();
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// The least total of `cost(i, order[i])` over all orders of the columns.
fn over_permutations(n: usize, cost: &dyn Fn(usize, usize) -> f64, order: &mut Vec<usize>) -> f64 {
    if order.len() == n {
        return order.iter().enumerate().map(|(i, &j)| cost(i, j)).sum();
    }
    let mut least = f64::INFINITY;
    for j in 0..n {
        if !order.contains(&j) {
            order.push(j);
            least = least.min(over_permutations(n, cost, order));
            order.pop();
        }
    }
    least
}

fn by_definition([truth, masked, completed]: &[Table; 3]) -> Scores {
    let complete: Vec<usize> =
        (0..truth.len()).filter(|&i| !truth.row(i).iter().any(|x| x.is_nan())).collect();
    let [points, masked, completed] =
        [truth, masked, completed].map(|table| table.select(&complete).unwrap());
    let (x, y) = (encoded(&points, truth), encoded(&completed, truth));
    let distance = |a: &[Vec<f64>], b: &[Vec<f64>]| {
        mean(a.iter().flat_map(|p| b.iter().map(|q| square(p, q).sqrt()))).unwrap()
    };
    let missing = |i: usize, j: usize| masked.row(i)[j].is_nan();
    let rows: Vec<usize> = (0..x.len()).filter(|&i| [0, 1, 2, 4].iter().any(|&j| missing(i, j))).collect();
    let cost = |i: usize, j: usize| square(&y[rows[i]], &x[rows[j]]) / 2.0;
    let total = over_permutations(rows.len(), &cost, &mut Vec::new());
    // Columns 0 and 2 of the table are 0 and 1 of a point.
    let cells = (0..x.len()).flat_map(|i| [(i, 0, 0), (i, 2, 1)]).filter(|&(i, j, _)| missing(i, j));
    let errors: Vec<f64> = cells.map(|(i, _, k)| y[i][k] - x[i][k]).collect();
    let labels = (0..x.len()).flat_map(|i| [(i, 1), (i, 4)]).filter(|&(i, j)| missing(i, j));
    let wrong = labels.map(|(i, j)| if completed.row(i)[j] == points.row(i)[j] { 0.0 } else { 1.0 });
    Scores {
        ed: 2.0 * distance(&x, &y) - distance(&x, &x) - distance(&y, &y),
        w2: (!rows.is_empty()).then(|| total / rows.len() as f64),
        sw2: None,
        rmse: mean(errors.iter().map(|e| e * e)).map(f64::sqrt),
        mae: mean(errors.iter().map(|e| e.abs())),
        category_error: mean(wrong),
    }
}

fn assert_close(found: &Scores, expected: &Scores) {
    let all = |s: &Scores| [Some(s.ed), s.w2, s.sw2, s.rmse, s.mae, s.category_error];
    for (f, e) in all(found).iter().zip(all(expected)) {
        let close = match (f, e) {
            (Some(f), Some(e)) => (f - e).abs() < 1e-12,
            (f, e) => *f == e,
        };
        assert!(close, "{found:?}\n{expected:?}");
    }
}

#[test]
fn small_tables_by_the_definitions() {
    let rng = &mut ChaCha8Rng::seed_from_u64(5);
    for n in (4..=7).cycle().take(40) {
        let tables = three(n, rng);
        let constant = [0, 2].iter().any(|&j| tables[0].observed(j).all(|x| x == tables[0].row(0)[j]));
        if !constant {
            assert_close(&scores(&tables[0], &tables[1], &tables[2]), &by_definition(&tables));
        }
    }
}

#[test]
fn the_truth_itself_is_at_no_distance() {
    let [truth, masked, _] = three(200, &mut ChaCha8Rng::seed_from_u64(1));
    let zero = Some(0.0);
    let found = scores(&truth, &masked, &truth);
    assert!(found.ed.abs() < 1e-14);
    assert_eq!([found.w2, found.rmse, found.mae, found.category_error], [zero; 4]);
}

#[test]
fn rows_whose_truth_has_gaps_are_not_scored() {
    let rng = &mut ChaCha8Rng::seed_from_u64(2);
    for _ in 0..20 {
        let [truth, masked, completed] = three(9, rng);
        let without = |table: &Table| {
            let gone = [(1, 0), (0, 4), (4, 5)];
            let cells = Mat::from_fn(5, 9, |j, i| if gone.contains(&(j, i)) { NA } else { table.row(i)[j] });
            table.with_cells(cells).unwrap()
        };
        let tables = [without(&truth), without(&masked), completed];
        assert_eq!(Evaluation::new(&tables[0], &tables[1]).unwrap().rows(), 6);
        assert_close(&scores(&tables[0], &tables[1], &tables[2]), &by_definition(&tables));
    }
    let nothing = Table::continuous(&["a", "b"], &[[1.0, NA], [NA, 2.0]]).unwrap();
    assert_eq!(Evaluation::new(&nothing, &nothing).err(), Some(Error::NoCompleteRow));
}

#[test]
fn labels_are_compared_by_name() {
    let table = |labels: &[&str], cells: [f64; 4]| {
        let column = Column::category("c", labels.iter().map(|l| l.to_string()).collect()).unwrap();
        Table::new(vec![column], Mat::from_fn(1, 4, |_, i| cells[i])).unwrap()
    };
    let truth = table(&["a", "b"], [0.0, 0.0, 1.0, 1.0]);
    let masked = table(&["b"], [NA, NA, 0.0, NA]);
    let evaluation = Evaluation::new(&truth, &masked).unwrap();
    let right = evaluation.score(0, &table(&["b", "a"], [1.0, 1.0, 0.0, 0.0])).unwrap();
    assert_eq!((right.ed, right.w2, right.category_error), (0.0, Some(0.0), Some(0.0)));
    // a, new, b, a against a, a, b, b. In the three rows with missing cells both a's pair with an a, and only the new label with a b.
    let wrong = evaluation.score(0, &table(&["b", "new", "a"], [2.0, 1.0, 0.0, 2.0])).unwrap();
    assert_eq!((wrong.w2, wrong.category_error), (Some(0.5 * 1.0 / 3.0), Some(2.0 / 3.0)));
    // Pairs at distance one: 10 of 16 between, 10 of 16 and 8 of 16 within.
    assert_eq!(wrong.ed, (2.0 * 10.0 - 10.0 - 8.0) / 16.0);
}

#[test]
fn only_the_first_two_tables_have_a_wasserstein_distance() {
    let [truth, masked, completed] = three(30, &mut ChaCha8Rng::seed_from_u64(3));
    let evaluation = Evaluation::new(&truth, &masked).unwrap();
    let all: Vec<Scores> = [&truth, &completed, &completed]
        .iter()
        .enumerate()
        .map(|(k, table)| evaluation.score(k, table).unwrap())
        .collect();
    assert_eq!(all[2], Scores { w2: None, ..all[1] });
    let average = Scores::average(&all).unwrap();
    assert_eq!(average.w2, all[1].w2.map(|w| w / 2.0));
    assert!((average.rmse.unwrap() - all[1].rmse.unwrap() * 2.0 / 3.0).abs() < 1e-15);
    assert_eq!(Scores::average(&[]), None);
}

#[test]
fn too_many_rows_have_a_lower_bound_of_the_wasserstein_distance() {
    let rows: Vec<[f64; 1]> = (0..=WASSERSTEIN_ROWS).map(|i| [i as f64]).collect();
    let truth = Table::continuous(&["a"], &rows).unwrap();
    let masked = truth.with_cells(Mat::full(1, rows.len(), NA)).unwrap();
    let found = scores(&truth, &masked, &truth);
    assert_eq!((found.w2, found.sw2), (None, Some(0.0)));
    // Of numbers in one column it is the distance itself: here all are moved by three.
    let moved = truth.with_cells(Mat::from_fn(1, rows.len(), |_, i| i as f64 + 3.0)).unwrap();
    let n = rows.len() as f64;
    let expected = 9.0 / 2.0 / ((n * n - 1.0) / 12.0);
    let found = scores(&truth, &masked, &moved).sw2.unwrap();
    assert!((found - expected).abs() < 1e-12 * expected, "{found} {expected}");
}

#[test]
fn a_shift_of_all_rows_is_measured_along_any_basis() {
    let n = WASSERSTEIN_ROWS + 1;
    let rng = &mut ChaCha8Rng::seed_from_u64(8);
    let cells = Mat::from_fn(5, n, |j, _| cell(j, rng));
    let truth = Table::new(columns(), cells.clone()).unwrap();
    let masked = truth.with_cells(Mat::full(5, n, NA)).unwrap();
    let free = |j: usize| if j == 0 { Column::continuous("number") } else { columns()[j].clone() };
    let moved = Mat::from_fn(5, n, |j, i| cells[(j, i)] + if j == 0 { 2.0 } else { 0.0 });
    let moved = Table::new((0..5).map(free).collect(), moved).unwrap();
    let found = scores(&truth, &masked, &moved);
    // Every row is as far from its truth as the mean is, and no pairing is better. Half the numbers are wrong.
    let expected = found.rmse.unwrap().powi(2);
    assert!((found.sw2.unwrap() - expected).abs() < 1e-9 * expected, "{found:?}");
}

#[test]
fn intervals_by_hand() {
    let table = |rows: &[[f64; 2]]| Table::continuous(&["a", "b"], rows).unwrap();
    // The deviations are 1 and 10.
    let truth = table(&[[0.0, 0.0], [2.0, 20.0]]);
    let evaluation = Evaluation::new(&truth, &table(&[[NA, 0.0], [NA, NA]])).unwrap();
    let found = evaluation.intervals(&table(&[[0.0, NA], [2.5, 5.0]]), &table(&[[1.0, NA], [4.5, 45.0]]));
    let expected = Intervals { cells: 3, coverage: 2.0 / 3.0, width: (1.0 + 2.0 + 4.0) / 3.0 };
    assert_eq!(found, Ok(Some(expected)));
    let crossed = evaluation.intervals(&table(&[[0.0, 0.0], [2.5, 5.0]]), &table(&[[1.0, 0.0], [2.0, 9.0]]));
    assert_eq!(crossed.unwrap_err().to_string(), "row 2, column `a`: the interval from 2.5 to 2 is empty");
    let gap = evaluation.intervals(&truth, &table(&[[1.0, 0.0], [NA, 9.0]]));
    assert_eq!(gap, Err(Error::NoInterval { row: 1, column: "a".to_string() }));
    assert_eq!(Evaluation::new(&truth, &truth).unwrap().intervals(&truth, &truth), Ok(None));
}

#[test]
fn the_same_bits_on_any_number_of_threads() {
    let [truth, masked, completed] = three(300, &mut ChaCha8Rng::seed_from_u64(4));
    let with = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| scores(&truth, &masked, &completed))
    };
    assert_eq!(with(1), with(3));
}

#[test]
fn what_cannot_be_compared_is_named() {
    let table = |names: &[&str], rows: &[[f64; 2]]| Table::continuous(names, rows).unwrap();
    let (ab, truth) = (["a", "b"], [[1.0, 2.0], [3.0, 5.0], [4.0, 1.0]]);
    let masked = [[1.0, NA], [3.0, 5.0], [NA, 1.0]];
    let evaluation = Evaluation::new(&table(&ab, &truth), &table(&ab, &masked)).unwrap();
    let refused = |completed: Table| evaluation.score(0, &completed).unwrap_err();

    assert_eq!(refused(table(&ab, &truth[..2])), Error::Rows { found: 2, expected: 3 });
    let one = Table::continuous(&["a"], &[[1.0], [2.0], [3.0]]).unwrap();
    assert_eq!(refused(one), Error::Columns { found: 1, expected: 2 });
    let other = refused(table(&["a", "c"], &truth));
    assert_eq!(other.to_string(), "column 2 is `c`, but `b` in the truth");
    let half = [[1.0, 2.0], [3.0, 5.0], [NA, 1.0]];
    for (left, cells, row, column) in [(masked, 2, 0, "b"), (half, 1, 2, "a")] {
        let column = column.to_string();
        assert_eq!(refused(table(&ab, &left)), Error::LeftEmpty { cells, missing: 2, row, column });
    }
    let emptied = refused(table(&ab, &[[1.0, 2.0], [NA, 5.0], [4.0, 1.0]]));
    assert_eq!(emptied.to_string(), "row 2, column `a` is missing, but 3 in the truth");
    let changed = refused(table(&ab, &[[1.0, 2.0], [3.0, 5.5], [4.0, 1.0]]));
    assert_eq!(changed.to_string(), "row 2, column `b` is 5.5, but 5 in the truth");
    // Other programs print fewer digits.
    assert!(evaluation.score(0, &table(&ab, &[[1.0, 2.0], [3.0, 5.0 + 1e-10], [4.0, 1.0]])).is_ok());

    let labels = Column::category("b", vec!["x".to_string()]).unwrap();
    let cells = Mat::from_fn(2, 3, |j, i| if j == 0 { truth[i][0] } else { 0.0 });
    let kinds = refused(Table::new(vec![Column::continuous("a"), labels], cells).unwrap());
    assert_eq!(kinds.to_string(), "column `b` has labels, but numbers in the truth");

    let stranger = Evaluation::new(&table(&ab, &masked), &table(&ab, &truth)).err().unwrap();
    assert_eq!(stranger.to_string(), "row 1, column `b` is 2, but missing in the truth");
}
