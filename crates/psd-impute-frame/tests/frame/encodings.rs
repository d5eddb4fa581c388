//! Text that is not UTF-8.

use crate::common::filled;
use psd_impute_frame::{ColumnOverrides, Encoding, Plan, ReadOptions, Source, Writer};

/// The bytes completed with zeros.
fn completed(bytes: &[u8], encoding: Option<&str>) -> Vec<u8> {
    let options = ReadOptions { encoding: encoding.and_then(Encoding::named), ..ReadOptions::default() };
    let source = Source::spool(bytes, &options).unwrap();
    let plan = Plan::infer(source.batches().unwrap(), &ColumnOverrides::new()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("out.csv");
    let mut writer = Writer::create(&output, source.format()).unwrap();
    for batch in source.batches().unwrap() {
        let batch = batch.unwrap();
        let table = plan.encode(&batch).unwrap().0;
        writer.write(&plan.decode(&batch, &filled(&table, 0.0)).unwrap()).unwrap();
    }
    writer.finish().unwrap();
    std::fs::read(output).unwrap()
}

const TEXT: &str = "größe,ort\r\n1.5,Köln\r\n2.5,Tübingen\r\n,Köln\r\n3.5,\r\n4.5,Tübingen\r\n";

#[test]
fn the_encoding_is_kept() {
    let expected = TEXT.replace("\r\n,K", "\r\n0.0,K").replace("3.5,\r", "3.5,Köln\r");
    let latin = |text: &str| text.chars().map(|c| c as u8).collect::<Vec<u8>>();
    assert_eq!(completed(&latin(TEXT), Some("windows-1252")), latin(&expected));
    let utf16 =
        |text: &str| format!("\u{feff}{text}").encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    assert_eq!(completed(&utf16(TEXT), None), utf16(&expected), "its mark says what it is");
}

#[test]
fn other_encodings_are_refused_with_a_hint() {
    let latin: Vec<u8> = TEXT.replace("größe", "a").chars().map(|c| c as u8).collect();
    let source = Source::spool(latin.as_slice(), &ReadOptions::default()).unwrap();
    let error = source.batches().unwrap().next().unwrap().unwrap_err();
    assert_eq!(error.to_string(), "the table, line 2, column `ort`: not UTF-8 text");
    assert!(error.hint().unwrap().contains("encoding"));
}
