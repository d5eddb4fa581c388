//! Several files that are one table.

use crate::common::filled;
use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray};
use parquet::arrow::ArrowWriter;
use psd_impute_frame::{Batch, ColumnOverrides, Error, Plan, ReadOptions, Result, Source, Writer};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Files of these names and contents.
fn files(folder: &Path, contents: &[(&str, &str)]) -> Vec<PathBuf> {
    let write = |(name, text): &(&str, &str)| {
        let path = folder.join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    contents.iter().map(write).collect()
}

/// The files completed with the cell 1, as one.
fn complete(paths: &[PathBuf], output: &Path) -> Result<String> {
    let source = Source::open_all(paths, &ReadOptions::default())?;
    let plan = Plan::infer(source.batches()?, &ColumnOverrides::new())?;
    let mut writer = Writer::create(output, source.format())?;
    for batch in source.batches()? {
        let batch = batch?;
        let table = plan.encode(&batch)?.0;
        writer.write(&plan.decode(&batch, &filled(&table, 1.0))?)?;
    }
    writer.finish()?;
    Ok(std::fs::read_to_string(output).unwrap_or_default())
}

/// The error for a second file.
fn refused(first: (&str, &str), second: (&str, &str)) -> String {
    let folder = tempfile::tempdir().unwrap();
    let paths = files(folder.path(), &[first, second]);
    let error = complete(&paths, &folder.path().join("out.csv")).unwrap_err();
    assert!(!folder.path().join("out.csv").exists());
    error.to_string().replace(&format!("{}/", folder.path().display()), "")
}

#[test]
fn texts_follow_each_other_byte_for_byte() {
    let folder = tempfile::tempdir().unwrap();
    let contents = [
        ("a.csv", "\u{feff}x,l\r\n1.50,\"a\"\r\n,b"),
        ("b.csv", "\u{feff}x, l\n\n2.5,\n3.0,b\n"),
        ("c.csv", "x,l\n"),
        ("d.csv", "x,l\n\"4.5\",a\n,a"),
    ];
    let paths = files(folder.path(), &contents);
    let done = complete(&paths, &folder.path().join("out.csv")).unwrap();
    let expected = "\u{feff}x,l\r\n1.50,\"a\"\r\n1.0,b\n2.5,b\n3.0,b\n\"4.5\",a\n1.0,a";
    assert_eq!(done, expected);
}

#[test]
fn rows_are_counted_in_their_file() {
    let folder = tempfile::tempdir().unwrap();
    let paths = files(folder.path(), &[("a.csv", "x,y\n1,1\n2,2"), ("b.csv", "\nx,y\n\n3,3\n4,4\n")]);
    let source = Source::open_all(&paths, &ReadOptions::default()).unwrap();
    let batches: Vec<Batch> = source.batches().unwrap().map(|batch| batch.unwrap()).collect();
    assert_eq!(batches.iter().map(Batch::first_row).collect::<Vec<_>>(), [0, 2]);
    let places: Vec<String> = batches.iter().map(|batch| batch.place(1, 0).to_string()).collect();
    assert!(places[0].ends_with("a.csv:3") && places[1].ends_with("b.csv:5"), "{places:?}");
}

#[test]
fn files_that_differ_are_refused() {
    let a = ("a.csv", "x,y\n1,2\n");
    for (second, problem) in [
        (("b.csv", "x,z\n1,2\n"), "b.csv does not go with a.csv: it has no column `y`"),
        (("b.csv", "x,y,z\n1,2,3\n"), "b.csv does not go with a.csv: it has a column `z` more"),
        (
            ("b.csv", "y,x\n1,2\n"),
            "b.csv does not go with a.csv: its columns are in another order: column 1 is `y`, and not `x`",
        ),
        (
            ("b.csv", "x;y\n1;2\n"),
            "b.csv does not go with a.csv: its cells are separated by `;`, and there by `,`",
        ),
        (
            ("b.jsonl", "{\"x\":1,\"y\":2}\n"),
            "b.jsonl does not go with a.csv: it is JSON lines, and the other CSV",
        ),
    ] {
        assert_eq!(refused(a, second), problem);
    }
    let utf16: Vec<u8> = "\u{feff}x,y\n1,2\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let folder = tempfile::tempdir().unwrap();
    let mut paths = files(folder.path(), &[a]);
    paths.push(folder.path().join("b.csv"));
    std::fs::write(&paths[1], utf16).unwrap();
    let error = complete(&paths, &folder.path().join("out.csv")).unwrap_err();
    assert!(error.to_string().contains("UTF-16LE, and the other UTF-8"), "{error}");
}

#[test]
fn objects_have_the_keys_of_all_files() {
    let folder = tempfile::tempdir().unwrap();
    let paths = files(
        folder.path(),
        &[("a.jsonl", "{\"x\":1}\n{\"x\":2}"), ("b.jsonl", "{\"y\":3,\"x\":0.5}\n{\"y\":4}\n")],
    );
    let done = complete(&paths, &folder.path().join("out.jsonl")).unwrap();
    assert_eq!(done, "{\"x\":1,\"y\":1}\n{\"x\":2,\"y\":1}\n{\"y\":3,\"x\":0.5}\n{\"y\":4,\"x\":1.0}\n");
}

fn parquet(path: &Path, columns: Vec<(&str, ArrayRef)>) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let records = RecordBatch::try_from_iter_with_nullable(
        columns.into_iter().map(|(name, array)| (name, array, true)),
    )
    .unwrap();
    let mut file =
        ArrowWriter::try_new(std::fs::File::create(path).unwrap(), records.schema(), None).unwrap();
    file.write(&records).unwrap();
    file.close().unwrap();
}

fn numbers(cells: Vec<Option<f64>>) -> ArrayRef {
    Arc::new(Float64Array::from(cells))
}

#[test]
fn a_folder_of_parquet_files_is_one_table() {
    let folder = tempfile::tempdir().unwrap();
    let parts = folder.path().join("parts");
    let label = |l: &str| -> ArrayRef { Arc::new(StringArray::from(vec![l, l])) };
    parquet(
        &parts.join("year=2020/place=K%C3%B6ln/b.parquet"),
        vec![("x", numbers(vec![Some(3.0), None])), ("l", label("b"))],
    );
    parquet(
        &parts.join("year=2019/place=Bonn/a.parquet"),
        vec![("l", label("a")), ("x", numbers(vec![Some(1.0), Some(2.0)]))],
    );
    parquet(&parts.join("_old/c.parquet"), vec![("z", numbers(vec![None]))]);
    std::fs::write(parts.join("_SUCCESS"), "").unwrap();
    std::fs::write(parts.join("notes.txt"), "x").unwrap();
    let source = Source::open(&parts, &ReadOptions::default()).unwrap();
    assert_eq!(source.notes().len(), 1);
    let done = complete(std::slice::from_ref(&parts), &folder.path().join("out.csv")).unwrap();
    let expected = "l,x,year,place\na,1.0,2019,Bonn\na,2.0,2019,Bonn\nb,3.0,2020,Köln\nb,1.0,2020,Köln\n";
    assert_eq!(done, expected);
    complete(std::slice::from_ref(&parts), &folder.path().join("out.parquet")).unwrap();
    parquet(
        &parts.join("year=2021/place=x/d.parquet"),
        vec![
            ("x", Arc::new(Int64Array::from(vec![1])) as ArrayRef),
            ("l", Arc::new(StringArray::from(vec!["a"]))),
        ],
    );
    let error = complete(&[parts], &folder.path().join("out.csv")).unwrap_err().to_string();
    assert!(
        error.contains("d.parquet") && error.contains("column `x` is of the type Int64, and there Float64"),
        "{error}"
    );
}

#[test]
fn a_folder_without_parquet_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    files(folder.path(), &[("a.csv", "x\n1\n")]);
    let error = Source::open(folder.path(), &ReadOptions::default()).unwrap_err();
    assert!(matches!(error, Error::NoParquet { .. }) && error.hint().unwrap().contains("name the files"));
}
