//! Large tables have pages of the same size.

use crate::common::*;
use psd_impute_report::{Findings, Subject, page};

#[test]
fn two_hundred_thousand_rows_are_counted_and_some_of_them_shown() {
    let small = source(&wide(400));
    let model = model(&small);
    let large = source(&wide(200_000));
    let found = Findings::of(&Subject::new(&large, &model)).unwrap();
    assert_eq!(found.missing.rows, 200_000);
    // Column k lacks every (k + 4)-th cell.
    let missing: Vec<u64> = found.missing.columns.iter().map(|column| column.missing).collect();
    assert_eq!(missing, [4, 5, 6, 7, 8, 9].map(|every| 200_000u64.div_ceil(every)));
    let patterns: u64 = found.patterns.shown.iter().map(|pattern| pattern.rows).sum();
    assert_eq!(patterns + found.patterns.other_rows, 200_000);
    assert_eq!((found.belong.observed_rows, found.belong.imputed_rows[0]), ([10_000, 200_000], 2_000));
    let page = page(&found).unwrap();
    assert!(page.contains(
        "The observed values shown are from 10\u{202f}000 of 200\u{202f}000 rows, chosen at random."
    ));
    assert!(page.len() < 1_000_000, "{}", page.len());
}

/// Six columns of numbers that depend on each other.
fn wide(rows: u64) -> String {
    let mut out = "a,b,c,d,e,f\n".to_string();
    for i in 0..rows {
        let cell = |k: u64| {
            let x = ((i * 7919) % 1009) as f64 / 100.0 + ((i * (k + 3) * 31) % 97) as f64 / 50.0;
            if i % (k + 4) == 0 { String::new() } else { format!("{x:.2}") }
        };
        out += &(0..6).map(cell).collect::<Vec<_>>().join(",");
        out.push('\n');
    }
    out
}

#[test]
fn long_labels_are_cut() {
    let long = |i: usize| ["a", "b", "c"][i % 3].repeat(5_000);
    let row = |i: usize| format!("{},{}\n", i % 7, if i.is_multiple_of(4) { String::new() } else { long(i) });
    let page = page(&findings(&format!("n,label\n{}", (0..60).map(row).collect::<String>()))).unwrap();
    assert!(page.contains(&format!("{}…", "a".repeat(80))) && !page.contains(&"a".repeat(81)));
}
