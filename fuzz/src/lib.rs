//! What the fuzz targets share: model files are fuzzed inside their envelope, whose checksum would stop everything else.

use psd_impute::table::{Column, Table};

/// Magic and version, then the length.
const HEAD: usize = 20;
const TAIL: usize = 4;

/// A file whose length and checksum are right.
pub fn sealed(payload: &[u8]) -> Vec<u8> {
    let mut file = b"psdmodel\x01\0\0\0".to_vec();
    file.extend((payload.len() as u64).to_le_bytes());
    file.extend(payload);
    file.extend(crc32fast::hash(&file).to_le_bytes());
    file
}

/// What a file has between head and checksum.
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
