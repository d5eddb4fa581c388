//! Summaries of the missing cells of a table.

use crate::common::source_with;
use psd_impute::FitOptions;
use psd_impute::impute::Limits;
use psd_impute_frame::{ColumnOverrides, ReadOptions, Result, Surveyed, TableModel};
use std::time::Duration;

/// A class from 1 to 3 that goes with a label, and a number; every fifth class and every seventh label is missing.
fn fitted() -> TableModel {
    let mut text = String::from("class,sex,x\n");
    for i in 0..210u32 {
        let class = if i % 5 == 0 { String::new() } else { (1 + (i / 3) % 3).to_string() };
        let sex = if i % 7 == 0 { "" } else { ["male", "female"][(i / 3) as usize % 2] };
        text += &format!("{class},{sex},{:.2}\n", f64::from(i * 37 % 101) / 10.0);
    }
    let source = source_with(&text, &ReadOptions::default());
    let options = FitOptions { time_budget: Some(Duration::from_millis(1)), ..FitOptions::default() };
    Surveyed::new(&source, ColumnOverrides::new()).unwrap().fit(&source, &options, &mut ()).unwrap().0
}

#[test]
fn a_label_that_the_model_does_not_know_is_observed_and_not_summarised() {
    let model = fitted();
    let source = source_with("class,sex,x\n1,other,2\n,male,3\n2,,4\n", &ReadOptions::default());
    let mut found = Vec::new();
    let take = |cells: Vec<psd_impute::impute::CellSummary>, _| -> Result<()> {
        found.extend(cells.iter().map(|cell| (cell.row, cell.column)));
        Ok(())
    };
    model.summaries(&source, &Limits::none(3), &[0.5], take).unwrap();
    assert_eq!(found, [(1, 0), (2, 1)]);
}

#[test]
fn a_deviation_is_one_that_the_values_of_the_column_can_have() {
    let model = fitted();
    let rows: String = (0..60).map(|i| format!(",{},{}\n", ["male", "female"][i % 2], i % 10)).collect();
    let source = source_with(&format!("class,sex,x\n{rows}"), &ReadOptions::default());
    let mut count = 0;
    let take = |cells: Vec<psd_impute::impute::CellSummary>, _| -> Result<()> {
        for numbers in cells.into_iter().filter_map(|cell| cell.numbers) {
            let most = ((numbers.mean - 1.0) * (3.0 - numbers.mean)).sqrt();
            assert!(numbers.deviation <= most + 1e-12, "{} of {most}", numbers.deviation);
            count += 1;
        }
        Ok(())
    };
    model.summaries(&source, &Limits::none(3), &[0.5], take).unwrap();
    assert_eq!(count, 60);
}
