//! Tables that are drawn, not read.

use crate::common::{open, plan, plan_of};
use faer::Mat;
use psd_impute::table::Table;
use psd_impute_frame::{ColumnOverrides, Compression, Error, Format, Plan, Writer};
use std::path::Path;

const CSV: Format = Format::Csv(Compression::None);

/// A table of every kind; its numbers begin with `number`.
fn text(delimiter: char, number: &str) -> String {
    let names = ["count", "size", "colour", "good", "flag", "day", "time", "same", "note"].map(String::from);
    let row = |i: usize| {
        [
            ["-4", "11", "23", "1200"][i * 5 % 4].to_string(),
            format!("{number}{}0", i * 5 % 9),
            ["red", "\"light; blue,\t\"\"sky\"\"\""][i % 2].to_string(),
            ["True", "False"][i / 2 % 2].to_string(),
            ["0", "1", "0"][i % 3].to_string(),
            format!("2020-02-{:02}", 1 + i * 5 % 12),
            format!("2020-02-01 {:02}:30:00Z", i * 7 % 12),
            "always".to_string(),
            format!("note {i}"),
        ]
    };
    let rows = std::iter::once(names).chain((0..50).map(row));
    rows.map(|row| row.join(&delimiter.to_string()) + "\n").collect()
}

/// The engine's table of the first rows of a text, over and over.
fn drawn(plan: &Plan, text: &str, rows: usize) -> Table {
    let batch = crate::common::batches_of(text).remove(0);
    let table = plan.encode(&batch).unwrap().0;
    let cells = Mat::from_fn(table.columns().len(), rows, |j, i| table.row(i % table.len())[j]);
    Table::new(table.columns().to_vec(), cells).unwrap()
}

fn write(plan: &Plan, table: &Table, path: &Path) {
    let mut writer = Writer::create(path, CSV).unwrap();
    for batch in plan.blank_batches(table.len() as u64, writer.format()).unwrap() {
        let first = batch.first_row() as usize;
        let part = table.select(&(first..first + batch.len()).collect::<Vec<_>>()).unwrap();
        writer.write(&plan.decode(&batch, &part).unwrap()).unwrap();
    }
    writer.finish().unwrap();
}

#[test]
fn what_is_drawn_has_the_same_kinds_when_it_is_read() {
    let folder = tempfile::tempdir().unwrap();
    for (delimiter, number) in [(',', "1."), (';', "1,"), (';', "1.234,5"), ('\t', "3.2")] {
        let text = text(delimiter, number);
        let before = plan_of(&text, &ColumnOverrides::new()).unwrap();
        let kinds: Vec<&str> = before.columns().iter().map(|column| column.kind().name()).collect();
        assert_eq!(kinds[..5], ["integer", "continuous", "category", "boolean", "boolean"]);
        assert_eq!(kinds[5..], ["date", "time", "category", "text"]);
        let table = drawn(&before, &text, 20_000);
        for name in ["a.csv", "a.tsv", "a.parquet", "a.arrow", "a.arrows"] {
            let path = folder.path().join(name);
            write(&before, &table, &path);
            let after = plan(&path, &ColumnOverrides::new()).unwrap();
            assert_eq!(after.columns().len(), 8, "the note is left out");
            for (after, before) in after.columns().iter().zip(before.columns()) {
                assert_eq!((after.name(), after.role()), (before.name(), before.role()), "{name}");
                assert_eq!(after.kind().name(), before.kind().name(), "{name}, {}", after.name());
                if name.ends_with("sv") {
                    assert_eq!(after.kind(), before.kind(), "{name}, {number}");
                }
            }
            let mut rows = Vec::new();
            for batch in open(&path).unwrap().batches().unwrap() {
                rows.extend(after.encode(&batch.unwrap()).unwrap().0.rows().map(<[f64]>::to_vec));
            }
            assert_eq!(rows, table.rows().map(<[f64]>::to_vec).collect::<Vec<_>>(), "{name}");
        }
    }
}

#[test]
fn drawn_text_looks_like_the_columns() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.csv");
    let text = text(',', "1.");
    let plan = plan_of(&text, &ColumnOverrides::new()).unwrap();
    write(&plan, &drawn(&plan, &text, 12), &path);
    let expected = text.lines().take(13).map(|line| line.rsplit_once(',').unwrap().0.to_string() + "\n");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), expected.collect::<String>());
}

#[test]
fn a_single_column_is_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.csv");
    let text = "x\n1,5\n2,25\n3\n";
    let plan = plan_of(text, &ColumnOverrides::new()).unwrap();
    write(&plan, &drawn(&plan, text, 3), &path);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
}

#[test]
fn nothing_is_drawn_from_nothing() {
    let plan = plan_of("same\na\na\n", &ColumnOverrides::new()).unwrap();
    assert!(matches!(plan.blank_batches(3, CSV).err(), Some(Error::NothingToModel { .. })));
}
