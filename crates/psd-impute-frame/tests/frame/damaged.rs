//! Damaged files are read or refused, and never end the program.

use crate::common::open;
use arrow_array::types::Int8Type;
use arrow_array::*;
use arrow_ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};
use arrow_ipc::{CompressionType, MetadataVersion};
use parquet::arrow::ArrowWriter;
use psd_impute_frame::{Batch, ColumnOverrides, Format, Plan, Result, Writer};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::io::{Cursor, Read, Write};
use std::path::Path;
use std::sync::Arc;

const MUTATIONS: usize = 300;

/// A table with missing cells in columns of several types.
fn records() -> RecordBatch {
    let gap = |i: usize| !i.is_multiple_of(5);
    let label = |i: usize| gap(i).then(|| ["a", "bc", "def"][i % 3]);
    let columns: [(&str, ArrayRef); 6] = [
        ("number", Arc::new((0..50).map(|i| gap(i).then_some(i as f64 * 0.3)).collect::<Float64Array>())),
        ("count", Arc::new((0..50).map(|i| gap(i + 1).then_some(i as i64 % 7)).collect::<Int64Array>())),
        ("label", Arc::new((0..50).map(label).collect::<StringArray>())),
        ("key", Arc::new((0..50).map(label).collect::<DictionaryArray<Int8Type>>())),
        ("yes", Arc::new((0..50).map(|i| gap(i + 2).then_some(i % 2 == 0)).collect::<BooleanArray>())),
        (
            "list",
            Arc::new(ListArray::from_iter_primitive::<types::Int32Type, _, _>(
                (0..50).map(|i| gap(i).then(|| vec![Some(i as i32); i % 3])),
            )),
        ),
    ];
    RecordBatch::try_from_iter(columns).unwrap()
}

/// The table in every format, with the file's name.
fn files() -> Vec<(&'static str, Vec<u8>)> {
    let records = records();
    let schema = records.schema();
    let options = |compression| {
        let options = IpcWriteOptions::try_new(8, false, MetadataVersion::V5).unwrap();
        options.try_with_compression(compression).unwrap()
    };
    let file = |compression| {
        let mut file = FileWriter::try_new_with_options(Vec::new(), &schema, options(compression)).unwrap();
        file.write(&records).unwrap();
        file.into_inner().unwrap()
    };
    let stream = |compression| {
        let mut stream =
            StreamWriter::try_new_with_options(Vec::new(), &schema, options(compression)).unwrap();
        stream.write(&records).unwrap();
        stream.write(&records).unwrap();
        stream.into_inner().unwrap()
    };
    let mut parquet = ArrowWriter::try_new(Vec::new(), schema.clone(), None).unwrap();
    parquet.write(&records).unwrap();
    vec![
        ("a.parquet", parquet.into_inner().unwrap()),
        ("plain.arrow", file(None)),
        ("lz4.arrow", file(Some(CompressionType::LZ4_FRAME))),
        ("plain.arrows", stream(None)),
        ("zstd.arrows", stream(Some(CompressionType::ZSTD))),
    ]
}

/// Changes a few bytes, or cuts some away.
fn damage(bytes: &mut Vec<u8>, rng: &mut ChaCha8Rng) {
    for _ in 0..rng.random_range(1..4) {
        let at = rng.random_range(0..bytes.len());
        match rng.random_range(0..8) {
            0 => bytes[at] = 0xff,
            1 => bytes[at] = 0x7f,
            2 => bytes[at] = 0,
            3 => bytes[at] ^= 1 << rng.random_range(0..8),
            4 => bytes[at] = bytes[at].wrapping_add(1),
            5 => drop(bytes.drain(at..(at + rng.random_range(1..9)).min(bytes.len() - 1).max(at))),
            6 => bytes.insert(at, rng.random()),
            _ => bytes[at] = rng.random(),
        }
    }
}

/// All that is done with a file.
fn go_through(path: &Path) -> Result<()> {
    let source = open(path)?;
    let plan = Plan::infer(source.batches()?, &ColumnOverrides::new())?;
    for batch in source.batches()? {
        let batch = batch?;
        let table = plan.encode(&batch)?.0;
        plan.decode(&batch, &table)?.records()?;
    }
    Ok(())
}

#[test]
fn damaged_files_are_read_or_refused() {
    let folder = tempfile::tempdir().unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(0);
    for (name, whole) in files() {
        let path = folder.path().join(name);
        std::fs::write(&path, &whole).unwrap();
        go_through(&path).unwrap();
        let (mut read, mut refused) = (0, 0);
        for _ in 0..MUTATIONS {
            let mut bytes = whole.clone();
            damage(&mut bytes, &mut rng);
            std::fs::write(&path, &bytes).unwrap();
            match go_through(&path) {
                Ok(()) => read += 1,
                Err(_) => refused += 1,
            }
        }
        assert!(read > 0 && refused > 0, "{name}: {read} were read, {refused} refused");
    }
}

/// The table as a program writes it whose files have neither types nor lengths of their own.
fn written(name: &str) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    let batch = Batch::from(records());
    let plan = Plan::infer([Ok(batch.clone())], &ColumnOverrides::new()).unwrap();
    let table = plan.encode(&batch).unwrap().0;
    let mut writer = Writer::create(&path, Format::ArrowStream).unwrap();
    writer.write(&plan.decode(&batch, &table).unwrap()).unwrap();
    writer.finish().unwrap();
    std::fs::read(path).unwrap()
}

/// A workbook is damaged as an archive and, where no checksum tells, within its parts.
#[test]
fn damaged_workbooks_and_lines_are_read_or_refused() {
    let folder = tempfile::tempdir().unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(0);
    let (book, lines) = (written("a.xlsx"), written("a.jsonl"));
    for name in ["archive.xlsx", "parts.xlsx", "a.jsonl"] {
        let path = folder.path().join(name);
        let (mut read, mut refused) = (0, 0);
        for _ in 0..MUTATIONS {
            let mut bytes = if name == "a.jsonl" { lines.clone() } else { book.clone() };
            match name {
                "parts.xlsx" => {
                    let damaged = rng.random_range(0..6);
                    bytes = repacked(&bytes, |k, part| {
                        if k == damaged {
                            damage(part, &mut rng)
                        }
                    });
                }
                _ => damage(&mut bytes, &mut rng),
            }
            std::fs::write(&path, &bytes).unwrap();
            match go_through(&path) {
                Ok(()) => read += 1,
                Err(_) => refused += 1,
            }
        }
        assert!(read > 0 && refused > 0, "{name}: {read} were read, {refused} refused");
    }
}

/// An archive whose parts are changed.
fn repacked(bytes: &[u8], mut change: impl FnMut(usize, &mut Vec<u8>)) -> Vec<u8> {
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
    let mut file = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for k in 0..archive.len() {
        let mut entry = archive.by_index(k).unwrap();
        let name = entry.name().unwrap().to_string();
        let mut part = Vec::new();
        entry.read_to_end(&mut part).unwrap();
        change(k, &mut part);
        file.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
        file.write_all(&part).unwrap();
    }
    file.finish().unwrap().into_inner()
}

#[test]
fn no_memory_is_reserved_for_impossible_lengths() {
    let folder = tempfile::tempdir().unwrap();
    for (name, whole) in files().into_iter().skip(1) {
        let path = folder.path().join(name);
        for at in (0..whole.len() - 8).step_by(8) {
            let mut bytes = whole.clone();
            bytes[at..at + 8].copy_from_slice(&(1u64 << 46).to_le_bytes());
            std::fs::write(&path, &bytes).unwrap();
            // To reserve so much would end the program.
            let _ = go_through(&path);
        }
    }
}
