//! Models and their files: a model read from a file gives the same results as the written one, to the bit.

use crate::common::*;
use crate::learn::bent;
use faer::Mat;
use psd_impute::density::Density;
use psd_impute::impute::{CellSummary, Imputer, Limits};
use psd_impute::internals::kernel::MetricKind;
use psd_impute::learn::psd::{PaperPreset, TheoryPreset};
use psd_impute::model::{DensityReport, FitOptions, KernelReport, Model, Recipe};
use psd_impute::stack::{FitObserver, ImputationIndex, Member, Stop};
use psd_impute::table::{Column, RowCounter, Table};
use psd_impute::{Error, ModelFileError};
use rand::RngExt;
use std::ops::ControlFlow;

/// A wave, a number in steps, a category, and an ordered column that all go with `x`; a fifth of the cells is missing.
pub(crate) fn table(n: usize) -> Table {
    let rng = &mut rng(8);
    let columns = vec![
        Column::continuous("x"),
        Column::category("side \"left\" or\nright", ["left", "right", "neither"].map(String::from).to_vec())
            .unwrap(),
        Column::continuous("wave"),
        Column::ordered("grade", vec![-1.0, 0.5, 100.0]).unwrap(),
        Column::continuous("steps"),
    ];
    let mut cells = Mat::zeros(5, n);
    for i in 0..n {
        let x = 4.0 * rng.random::<f64>() - 2.0;
        let side = f64::from(u8::from(x > 0.0));
        let grade = [-1.0, 0.5, 100.0][(x + 2.0).min(2.9) as usize];
        let row = [x, side, (3.0 * x).sin() + 0.05 * normal(rng), grade, (3.0 * x).round()];
        for (j, value) in row.into_iter().enumerate() {
            cells[(j, i)] = if rng.random::<f64>() < 0.2 { NA } else { value };
        }
    }
    Table::new(columns, cells).unwrap()
}

pub(crate) const MEMBERS: [Member; 5] = [
    Member::Normal,
    Member::Forest,
    Member::Mixture { components: 2 },
    Member::Psd { metric: MetricKind::Full, anchors: 4, strength: 0.2, scale: 0.4 },
    Member::Donors,
];

pub(crate) fn written(model: &Model, notes: &str) -> Vec<u8> {
    let mut out = Vec::new();
    model.write(notes, &mut out).unwrap();
    out
}

fn bits(table: &Table) -> Vec<u64> {
    table.rows().flatten().map(|x| x.to_bits()).collect()
}

/// All results of an imputer for a table.
fn all(imputer: &Imputer<'_>, table: &Table) -> (Vec<Vec<u64>>, Vec<CellSummary>, Vec<u64>) {
    let done = [
        imputer.independent_draws(table, 3, 1).unwrap(),
        imputer.mean(table).unwrap(),
        imputer.median(table).unwrap(),
        imputer.new_rows(table.columns(), 10, 1).unwrap(),
    ];
    let scores = imputer.outlier_scores(table, &imputer.new_rows(table.columns(), 20, 1).unwrap()).unwrap();
    (
        done.iter().map(bits).collect(),
        imputer.summaries(table, &[0.1, 0.9]).unwrap(),
        scores.iter().map(|score| score.log_density.to_bits()).collect(),
    )
}

/// One of several completed tables.
fn drawn(model: &Model, table: &Table, (number, of): (u64, u64), one_fit: bool) -> Vec<u64> {
    let draws = model.imputations(of, 7).unwrap().one_fit(one_fit);
    bits(&draws.nth(number).unwrap().complete(table, &mut RowCounter::default()).unwrap())
}

/// Writes and reads the model, and compares the results of both for the table it was fitted to and for new rows.
fn check(table: &Table, unseen: &Table, model: &Model) -> Model {
    let file = written(model, "{\"plan\": [1, 2]}");
    assert_eq!(file, written(model, "{\"plan\": [1, 2]}"), "the same bytes twice");
    let (loaded, notes) = Model::read(&file).unwrap();
    assert_eq!(notes, "{\"plan\": [1, 2]}");
    assert_eq!(file, written(&loaded, &notes), "the same bytes again");
    assert_eq!(loaded.report(), model.report());
    assert_eq!(loaded.columns(), model.columns());
    let limits = || Limits::none(table.columns().len());
    for table in [table, unseen] {
        let [ours, theirs] = [model, &loaded].map(|m| all(&m.imputer(limits()).unwrap(), table));
        assert_eq!(ours, theirs);
        for (of, one_fit) in [(1, false), (3, false), (3, true)] {
            let [ours, theirs] = [model, &loaded].map(|m| drawn(m, table, (of, of), one_fit));
            assert_eq!(ours, theirs);
        }
    }
    loaded
}

#[test]
fn a_stack_with_every_kind_of_member_and_column_is_read_as_it_was_written() {
    let table = table(80);
    let options = stack_of(MEMBERS.to_vec(), 3);
    let model = Model::fit(&table, &options).unwrap();
    let DensityReport::Stack(report) = model.report().density else { unreachable!() };
    for kind in &MEMBERS[1..] {
        let weight =
            |of: &Member| report.members.iter().filter(|m| m.member == *of).map(|m| m.weight).sum::<f64>();
        assert!(weight(kind) > 0.0, "{kind} wants a share: {:?}", report.members);
    }
    assert_eq!(report.normal, Some(report.members[0].held_out));
    assert!((66..=80).contains(&report.rows), "{} distinct rows", report.rows);
    let unseen = table.select(&[5, 3, 3, 70]).unwrap();
    let mut cells = unseen.cells().to_owned();
    cells.row_mut(0).iter_mut().for_each(|x| *x += 0.01);
    check(&table, &unseen.with_cells(cells).unwrap(), &model);
}

#[test]
fn the_default_stack_of_numbers_and_one_without_numbers_are_too() {
    let (numbers, _) = continuous(4, 60, 3, 1, 0.2, Shape::Full);
    let model = Model::fit(&numbers, &FitOptions::default()).unwrap();
    check(&numbers, &numbers.select(&[1]).unwrap(), &model);
    let labels = || ["a", "b", "c"].map(String::from).to_vec();
    let columns = (0..2).map(|j| Column::category(format!("c{j}"), labels()).unwrap()).collect();
    let cell = |j: usize, i: usize| if (i + j).is_multiple_of(5) { NA } else { ((i * i + j) % 3) as f64 };
    let letters = Table::new(columns, Mat::from_fn(2, 40, cell)).unwrap();
    let options = stack_of(MEMBERS.to_vec(), 0);
    let model = Model::fit(&letters, &options).unwrap();
    check(&letters, &letters.select(&[1]).unwrap(), &model);
}

#[test]
fn the_papers_presets_are_too() {
    let mixed = table(40);
    let preset = PaperPreset { anchors: 5, folds: 2, newton_steps: 20, ..Default::default() };
    let options = FitOptions { recipe: Recipe::Paper(preset), seed: 1, time_budget: None };
    let model = Model::fit(&mixed, &options).unwrap();
    assert_eq!(
        drawn(&model, &mixed, (1, 3), false),
        drawn(&model, &mixed, (1, 3), true),
        "it is not refitted"
    );
    check(&mixed, &mixed.select(&[1]).unwrap(), &model);

    let arch = bent(80, &mut rng(7));
    let options = FitOptions { recipe: Recipe::Theory(TheoryPreset::default()), seed: 1, time_budget: None };
    let model = Model::fit(&arch, &options).unwrap();
    let DensityReport::Kernel(KernelReport::Theory(schedule)) = model.report().density else {
        unreachable!()
    };
    assert!(schedule.nu > 0.0 && schedule.anchors > 0);
    check(&arch, &arch.select(&[1]).unwrap(), &model);
}

#[test]
fn what_can_be_fitted_can_be_read() {
    let one = Column::category("one", vec!["only".to_string()]).unwrap();
    let few = Column::category("few", (0..9).map(|k| format!("label {k}")).collect()).unwrap();
    let huge = |i: usize| 1e290 * ((i * i) % 7) as f64;
    let cell = |j: usize, i: usize| match j {
        _ if i == 3 => NA,
        _ if (i * 3 + j).is_multiple_of(7) => NA,
        0 => 0.1,
        1 => 0.0,
        2 => (i % 2) as f64,
        _ => huge(i),
    };
    let columns = vec![Column::continuous("constant"), one, few, Column::continuous("huge")];
    for rows in [1, 2, 3, 4, 12, 30] {
        let table = Table::new(columns.clone(), Mat::from_fn(4, rows, cell)).unwrap();
        let options = stack_of(MEMBERS.to_vec(), 1);
        let model = Model::fit(&table, &options).unwrap();
        let (loaded, _) = Model::read(&written(&model, "")).unwrap();
        let [ours, theirs] =
            [&model, &loaded].map(|m| m.imputer(Limits::none(4)).unwrap().mean(&table).unwrap());
        assert_eq!(bits(&ours), bits(&theirs), "{rows} rows");
    }
}

#[test]
fn a_model_is_what_its_parts_are_when_they_are_used_by_hand() {
    use psd_impute::impute::Ties;
    use psd_impute::stack::StackFit;
    let table = table(80);
    let model = Model::fit(&table, &FitOptions { seed: 2, ..FitOptions::default() }).unwrap();
    let (standardised, scaler) = table.standardise();
    let fitted = StackFit::for_table(&standardised, 2).run(&standardised, &mut ()).unwrap();
    let ties = Ties::of(&table).calibrated(&fitted.density, &table, &scaler).unwrap();
    let by_hand = Imputer::new(&fitted.density, &scaler, &ties, Limits::none(5)).unwrap();
    assert_eq!(all(&model.imputer(Limits::none(5)).unwrap(), &table), all(&by_hand, &table));
    // Rows that the fit has not seen are drawn each by itself.
    let mut cells = table.cells().to_owned();
    cells.row_mut(0).iter_mut().for_each(|x| *x += 0.01);
    let unseen = table.with_cells(cells).unwrap();
    let moved = fitted.refitted(7, ImputationIndex { number: 1, of: 3 }).unwrap();
    let by_hand = Imputer::new(&moved, &scaler, &ties, Limits::none(5)).unwrap();
    let gaps: Vec<usize> = (0..unseen.len()).filter(|&i| !unseen.row(i)[0].is_nan()).collect();
    let unseen = unseen.select(&gaps).unwrap();
    let plain = by_hand.independent_draws(&unseen, 7, 1).unwrap();
    assert_eq!(drawn(&model, &unseen, (1, 3), false), bits(&plain));
    let row = standardised.row(0);
    assert_eq!(model.density().log_marginal(row).unwrap(), fitted.density.log_marginal(row).unwrap());
}

#[test]
fn a_stacks_observer_is_heard() {
    struct Count(usize);
    impl FitObserver for Count {
        fn tried(&mut self, _: Member, _: usize, _: usize, _: Option<f64>) -> ControlFlow<Stop> {
            self.0 += 1;
            ControlFlow::Continue(())
        }
    }
    let mut heard = Count(0);
    let options = stack_of(MEMBERS[..2].to_vec(), 0);
    Model::fit_observed(&table(40), &options, &mut heard).unwrap();
    assert_eq!(heard.0, 2);
}

#[test]
fn other_columns_are_told() {
    let table = table(40);
    let options = stack_of(vec![Member::Normal], 0);
    let model = Model::fit(&table, &options).unwrap();
    assert_eq!(model.check(&table), Ok(()));
    let problem = |j: usize, column: Column| {
        let mut columns = table.columns().to_vec();
        columns[j] = column;
        let nothing = Mat::from_fn(5, 1, |_, _| NA);
        model.check(&Table::new(columns, nothing).unwrap()).unwrap_err().to_string()
    };
    let text = problem(0, Column::continuous("y"));
    assert_eq!(text, "column `y` stands in the place of the model's column `x`");
    assert!(problem(0, Column::ordered("x", vec![1.0]).unwrap()).contains("another kind"));
    assert!(problem(3, Column::ordered("grade", vec![1.0]).unwrap()).contains("other values"));
    let (narrow, _) = continuous(1, 3, 2, 1, 0.0, Shape::Full);
    assert_eq!(
        model.check(&narrow).unwrap_err(),
        Error::Shape { what: "columns of the table", found: 2, expected: 5 }
    );
}

#[test]
fn a_file_of_something_else_is_told_from_a_damaged_one() {
    let options = stack_of(vec![Member::Normal], 0);
    let file = written(&Model::fit(&table(40), &options).unwrap(), "");
    let error = |file: &[u8]| match Model::read(file) {
        Err(Error::ModelFile(error)) => error,
        Err(other) => unreachable!("{other}"),
        Ok(_) => unreachable!("it was read"),
    };
    assert_eq!(error(b"a,b\n1,2\n"), ModelFileError::NotAModel);
    assert_eq!(error(&[]), ModelFileError::NotAModel);
    assert!(matches!(error(&file[..file.len() - 1]), ModelFileError::Length { .. }));
    let mut flipped = file.clone();
    flipped[file.len() / 2] ^= 4;
    assert!(matches!(error(&flipped), ModelFileError::Damaged { .. }));
}
