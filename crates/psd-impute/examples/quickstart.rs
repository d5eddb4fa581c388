//! Completes a small table: with a draw, with means, and five times for multiple imputation.
//!
//! `cargo run --release -p psd-impute --example quickstart`

use psd_impute::{Error, FitOptions, Limits, Model, Table};

fn main() -> Result<(), Error> {
    let nan = f64::NAN;
    let rows = [
        [1.62, 61.0],
        [1.75, nan],
        [1.81, 83.0],
        [nan, 72.0],
        [1.70, 69.0],
        [1.66, 58.0],
        [1.78, 77.0],
        [1.69, nan],
    ];
    let table = Table::continuous(&["height", "weight"], &rows)?;
    let model = Model::fit(&table, &FitOptions::default())?;

    show("a draw", &model.draw(&table, 1)?);
    show("means", &model.mean(&table)?);

    let limits = Limits::new(table.columns(), &[(Some(0.0), None), (Some(0.0), None)])?;
    for (k, completed) in model.imputations(5, 1)?.within(limits)?.tables(&table)?.iter().enumerate() {
        let mean = completed.observed(1).sum::<f64>() / completed.len() as f64;
        println!("imputation {}: mean weight {mean:.2}", k + 1);
    }
    Ok(())
}

fn show(title: &str, table: &Table) {
    println!("{title}");
    table.rows().for_each(|row| println!("  {:5.2} {:5.1}", row[0], row[1]));
}
