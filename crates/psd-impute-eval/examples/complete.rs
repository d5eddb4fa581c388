//! Completes a table by one of the imputers, for checks and comparisons in other languages.
//!
//! ```text
//! complete METHOD TRAIN.csv TEST.csv OUT.csv SEED IMPUTATION
//! ```
//!
//! Methods have the names that they have in studies. Fits `TRAIN.csv`, completes `TEST.csv`, and prints the seconds that both took; files do
//! not count. Of tables that belong together, as ours do, it is the last of so many. Tables have a header and numbers, nothing where a
//! cell is missing.

use psd_impute::table::Table;
use psd_impute_eval::lab::Method;
use std::error::Error;
use std::time::Instant;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [method, train, test, out, seed, imputation] = arguments.as_slice() else {
        return Err("usage: complete METHOD TRAIN.csv TEST.csv OUT.csv SEED IMPUTATION".into());
    };
    let (seed, imputation) = (seed.parse()?, imputation.parse()?);
    let imputer = method.parse::<Method>()?.imputer(imputation).ok_or("the oracle is no imputer")?;
    let (train, test) = (read(train)?, read(test)?);
    let start = Instant::now();
    let completed = imputer.fit(&train, seed)?.complete(&test, imputation)?;
    println!("{}", start.elapsed().as_secs_f64());
    write(out, &completed)
}

/// A table of numbers.
fn read(path: &str) -> Result<Table, Box<dyn Error>> {
    let mut reader = csv::Reader::from_path(path)?;
    let header = reader.headers()?.clone();
    let cell = |text: &str| if text.is_empty() { Ok(f64::NAN) } else { text.parse() };
    let mut rows = Vec::new();
    for record in reader.records() {
        rows.push(record?.iter().map(cell).collect::<Result<Vec<f64>, _>>()?);
    }
    Ok(Table::continuous(&header.iter().collect::<Vec<_>>(), &rows)?)
}

/// Every number with as many digits as it takes to read it back.
fn write(path: &str, table: &Table) -> Result<(), Box<dyn Error>> {
    let mut writer = csv::Writer::from_path(path)?;
    writer.write_record(table.columns().iter().map(|column| column.name()))?;
    for row in table.rows() {
        writer.write_record(row.iter().map(|x| x.to_string()))?;
    }
    Ok(writer.flush()?)
}
