//! Answers one request in JSON on standard input with JSON on standard output, for checks and comparisons in other languages.
//!
//! Tables are lists of rows, `null` where a cell is missing. The answer has the seconds it took.

use psd_impute::table::Table;
use psd_impute_eval::imputers::{Blur, Imputer, Mean, Sinkhorn, SoftImpute, sinkhorn_divergence};
use psd_impute_eval::metrics::{Evaluation, energy_i_score, sliced_bases};
use serde::Deserialize;
use serde_json::{Value, json};
use std::error::Error;
use std::time::Instant;

type Rows = Vec<Vec<Option<f64>>>;

/// The quantities that can be asked for.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Request {
    Divergence { x: Rows, y: Rows, blur: f64, scaling: f64 },
    SoftImpute { table: Rows, penalty: Option<f64>, seed: u64 },
    Sinkhorn { table: Rows, iterations: usize, seed: u64 },
    IScore { table: Rows, method: String, draws: u64 },
    Intervals { truth: Rows, masked: Rows, lower: Rows, upper: Rows },
    Sliced { truth: Rows, masked: Rows, completed: Rows },
}

fn main() -> Result<(), Box<dyn Error>> {
    let request = serde_json::from_reader(std::io::stdin())?;
    let start = Instant::now();
    let result = answer(request)?;
    println!("{}", json!({ "seconds": start.elapsed().as_secs_f64(), "result": result }));
    Ok(())
}

fn answer(request: Request) -> Result<Value, Box<dyn Error>> {
    Ok(match request {
        Request::Divergence { x, y, blur, scaling } => {
            let (x, y) = (table(&x)?, table(&y)?);
            let found = sinkhorn_divergence(x.cells(), y.cells(), &Blur { length: blur, scaling });
            let gradients = found.gradients.map(|cells| {
                cells.col_iter().map(|c| c.iter().copied().collect()).collect::<Vec<Vec<f64>>>()
            });
            json!({ "value": found.value, "gradients": gradients })
        }
        Request::SoftImpute { table: rows, penalty, seed } => {
            completed(&SoftImpute { penalty }, &rows, seed)?
        }
        Request::Sinkhorn { table: rows, iterations, seed } => {
            completed(&Sinkhorn { iterations, ..Sinkhorn::default() }, &rows, seed)?
        }
        Request::IScore { table: rows, method, draws } => {
            let imputer: &dyn Imputer = match method.as_str() {
                "mean" => &Mean,
                "soft_impute" => &SoftImpute { penalty: Some(2.0) },
                other => return Err(format!("no method is called `{other}`").into()),
            };
            let found = energy_i_score(imputer, &table(&rows)?, draws, 0)?;
            json!({ "score": found.score, "columns": found.columns.iter().map(|c| c.score).collect::<Vec<_>>() })
        }
        Request::Intervals { truth, masked, lower, upper } => {
            let found = Evaluation::new(&table(&truth)?, &table(&masked)?)?
                .intervals(&table(&lower)?, &table(&upper)?)?;
            json!(found.map(|found| [found.coverage, found.width]))
        }
        Request::Sliced { truth, masked, completed } => {
            let truth = table(&truth)?;
            let scores = Evaluation::new(&truth, &table(&masked)?)?.score(0, &table(&completed)?)?;
            let bases = sliced_bases(truth.columns().len())?;
            let directions: Vec<Vec<f64>> = bases
                .iter()
                .flat_map(|basis| basis.col_iter().map(|c| c.iter().copied().collect()))
                .collect();
            json!({ "value": scores.sw2, "directions": directions })
        }
    })
}

fn completed(imputer: &dyn Imputer, rows: &Rows, seed: u64) -> Result<Value, Box<dyn Error>> {
    let table = table(rows)?;
    let completed = imputer.fit(&table, seed)?.complete(&table, 1)?;
    Ok(json!(completed.rows().collect::<Vec<_>>()))
}

fn table(rows: &Rows) -> Result<Table, psd_impute::Error> {
    let names: Vec<String> = (0..rows.first().map_or(0, Vec::len)).map(|j| format!("x{j}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let rows: Vec<Vec<f64>> =
        rows.iter().map(|row| row.iter().map(|x| x.unwrap_or(f64::NAN)).collect()).collect();
    Table::continuous(&names, &rows)
}
