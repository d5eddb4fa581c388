//! The bodies of the fuzz targets, and the tables that they start from.
//!
//! Model files are fuzzed inside their envelope, whose checksum would stop everything else.

use psd_impute::stack::Member;
use psd_impute::table::{Column, RowCounter};
use psd_impute::{FitOptions, Limits, Model, Recipe, StackOptions, Table};
use std::sync::OnceLock;

#[path = "../../crates/psd-impute-frame/tests/frame/any_text/property.rs"]
mod property;

/// Reads any bytes as a table. They come back as they were, or are refused.
pub fn any_text(bytes: &[u8]) {
    property::check(bytes, None);
}

/// Reads a model file. If it is not refused, it completes small tables or says why not.
pub fn model_file(payload: &[u8]) {
    let Ok((model, _)) = Model::read(&sealed(payload)) else { return };
    let _ = model.report();
    for table in [mixed(), numbers()] {
        if model.columns() != table.columns() {
            continue;
        }
        if let Ok(imputer) = model.imputer(Limits::none(table.columns().len())) {
            let _ = imputer.independent_draws(&table, 1, 1);
            let _ = imputer.mean(&table);
        }
        if let Ok(all) = model.imputations(2, 1) {
            let _ = all.nth(1).map(|draws| draws.complete(&table, &mut RowCounter::default()));
        }
    }
}

/// Magic and version.
const MAGIC: usize = 12;
/// They are followed by the length.
const HEAD: usize = MAGIC + 8;
const TAIL: usize = 4;

/// The start of the files that are written now.
fn magic() -> &'static [u8] {
    static MODEL: OnceLock<Vec<u8>> = OnceLock::new();
    let model = MODEL.get_or_init(|| {
        let mut file = Vec::new();
        let members = Some(vec![Member::Normal]);
        let recipe = Recipe::Stack(StackOptions { members, ..Default::default() });
        let model = Model::fit(&numbers(), &FitOptions { recipe, ..Default::default() });
        model.expect("a model").write("", &mut file).expect("a file");
        file
    });
    &model[..MAGIC]
}

/// A file whose length and checksum are right.
pub fn sealed(payload: &[u8]) -> Vec<u8> {
    let mut file = magic().to_vec();
    file.extend((payload.len() as u64).to_le_bytes());
    file.extend(payload);
    file.extend(crc32fast::hash(&file).to_le_bytes());
    file
}

/// The bytes of a file between head and checksum.
pub fn payload(file: &[u8]) -> &[u8] {
    &file[HEAD..file.len() - TAIL]
}

/// Twelve rows with every kind of column and some gaps.
pub fn mixed() -> Table {
    let labels = ["a", "b", "c"].map(String::from).to_vec();
    let columns = [
        Ok(Column::continuous("x")),
        Column::category("label", labels),
        Column::ordered("grade", vec![1.0, 2.0, 5.0]),
    ];
    let columns = columns.into_iter().collect::<Result<Vec<_>, _>>();
    let cell = |j: usize, i: usize| match j {
        _ if (i + j).is_multiple_of(5) => f64::NAN,
        0 => (i as f64 * 1.3).sin() + 0.3 * (i % 3) as f64,
        1 => (i % 3) as f64,
        _ => [1.0, 2.0, 5.0][(i * i) % 3],
    };
    let cells = faer::Mat::from_fn(3, 12, cell);
    columns.and_then(|columns| Table::new(columns, cells)).expect("a table")
}

/// Twelve rows of two numbers.
pub fn numbers() -> Table {
    let row = |i: usize| {
        let x = (i as f64 * 0.9).sin();
        [x, if i.is_multiple_of(4) { f64::NAN } else { x * x }]
    };
    Table::continuous(&["x", "y"], &(0..12).map(row).collect::<Vec<_>>()).expect("a table")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sealed_payload_is_read() {
        let mut file = Vec::new();
        Model::fit(&numbers(), &FitOptions::default()).unwrap().write("", &mut file).unwrap();
        assert!(Model::read(&sealed(payload(&file))).is_ok());
    }
}
