//! Text in, text out.

use crate::common::{batches_of, complete, filled, open};
use psd_impute_frame::{ColumnOverrides, Compression, Format, Plan, ReadOptions, Source, Token, Writer};
use std::io::{Read, Write};

/// The text completed with `cell`.
fn completed(text: &str, cell: f64) -> String {
    let folder = tempfile::tempdir().unwrap();
    let (input, output) = (folder.path().join("in"), folder.path().join("out.csv"));
    std::fs::write(&input, text).unwrap();
    complete(&input, &output, &ColumnOverrides::new(), cell).unwrap();
    std::fs::read_to_string(&output).unwrap()
}

#[test]
fn observed_cells_come_out_byte_for_byte() {
    let text = "\u{feff}\"size\",colour , when\r\n\
                1.50, red ,2020-01-01\r\n\
                \r\n\
                +2.0,\"red\",\"NA\"\r\n\
                ?,blue,2020-01-02\r\n\
                3e0, NA ,2020-01-03\r\n\
                \"4\",blue,";
    let expected = text
        .replace("\"NA\"", "1970-01-02")
        .replace('?', "1")
        .replace(" NA ", " red ")
        .replace("\"4\",blue,", "\"4\",blue,1970-01-02");
    assert_eq!(completed(text, 1.0), expected);
}

#[test]
fn numbers_look_like_the_columns() {
    let text = "a;b;c;d;e\n1,5;7;0,10;1;1e-9\nNA;NA;NA;NA;NA\n2,25;8;0,20;0;2e-9\n3;11;1,30;1;3,5\n";
    assert_eq!(completed(text, 1.0).lines().nth(2), Some("1;1;1,00;1;1"));
    let text = "a\tb\n1.5\t7\nNA\tNA\n2.25\t8\n3\t11\n";
    assert_eq!(completed(text, 0.123456).lines().nth(2), Some("0.12\t0"));
}

#[test]
fn constants_are_filled_and_other_columns_stay() {
    let rows: String =
        (1..=12).map(|i| format!("{i},{},x y {i},,{i}.5\n", if i % 2 == 0 { "NA" } else { "c" })).collect();
    let text = format!("id,same,note,never,size\n{rows}13,NA,NA,,NA\n");
    let expected = text.replace(",NA,x", ",c,x").replace("13,NA,NA,,NA", "13,c,NA,,1.0");
    assert_eq!(completed(&text, 1.0), expected);
}

#[test]
fn labels_are_quoted_when_they_must_be() {
    let text = "a,b\n1,\"x, y\"\n2,\"x, y\"\n3,z\n4,z\n5,\n";
    assert_eq!(completed(text, 0.0).lines().last(), Some("5,\"x, y\""));
}

#[test]
fn tokens_and_delimiter_can_be_set() {
    let missing_only = ["-999", "none"].map(Token::everywhere).to_vec();
    let options = ReadOptions { delimiter: Some(b':'), missing_only, ..ReadOptions::default() };
    let source = Source::spool("a:b\n1:x\n-999:none\n2:NA\n3:x\n4:NA\n".as_bytes(), &options).unwrap();
    let plan = Plan::infer(source.batches().unwrap(), &ColumnOverrides::new()).unwrap();
    assert_eq!(plan.columns()[1].kind().labels(), ["NA", "x"]);
    let report = plan.encode(&source.batches().unwrap().next().unwrap().unwrap()).unwrap().1;
    assert_eq!((report.columns[0].missing, report.columns[1].missing), (1, 1));
}

#[test]
fn compressed_text_is_read_and_written() {
    let text: String =
        std::iter::once("a,b\n".to_string())
            .chain((0..200_000).map(|i| {
                format!("{},{}\n", i % 17, if i % 5 == 0 { String::new() } else { format!("{i}.5") })
            }))
            .collect();
    let expected = text.replace(",\n", ",1.0\n");
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(text.as_bytes()).unwrap();
    std::fs::write(path("named_wrongly.csv"), gzip.finish().unwrap()).unwrap();
    let source = open(&path("named_wrongly.csv")).unwrap();
    assert_eq!(source.format(), Format::Csv(Compression::Gzip));
    assert!(source.batches().unwrap().count() > 1, "the file should take more than one batch");

    complete(&path("named_wrongly.csv"), &path("b.csv.zst"), &ColumnOverrides::new(), 1.0).unwrap();
    let zstd = std::fs::read(path("b.csv.zst")).unwrap();
    assert_eq!(zstd::decode_all(zstd.as_slice()).unwrap(), expected.as_bytes());

    complete(&path("b.csv.zst"), &path("c.csv.gz"), &ColumnOverrides::new(), 1.0).unwrap();
    let mut again = String::new();
    let gzip = std::fs::File::open(path("c.csv.gz")).unwrap();
    flate2::read::GzDecoder::new(gzip).read_to_string(&mut again).unwrap();
    assert_eq!(again, expected);
}

#[test]
fn names_say_what_separates_cells() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("a.csv"), "a,b\n1.5,\"x, y\"\nNA,z\n2.5,z\n3.5,\"x, y\"\n").unwrap();
    complete(&path("a.csv"), &path("b.tsv"), &ColumnOverrides::new(), 1.0).unwrap();
    assert_eq!(
        std::fs::read_to_string(path("b.tsv")).unwrap(),
        "a\tb\n1.5\tx, y\n1.0\tz\n2.5\tz\n3.5\tx, y\n"
    );
    complete(&path("b.tsv"), &path("c.csv"), &ColumnOverrides::new(), 1.0).unwrap();
    assert_eq!(std::fs::read(path("b.tsv")).unwrap(), std::fs::read(path("c.csv")).unwrap());
    std::fs::write(path("one.tsv"), "a b\n1,5\n2,5\nNA\n").unwrap();
    complete(&path("one.tsv"), &path("two.tsv"), &ColumnOverrides::new(), 1.0).unwrap();
    assert_eq!(std::fs::read_to_string(path("two.tsv")).unwrap(), "a b\n1,5\n2,5\n1,0\n");
}

#[test]
fn a_writer_without_finish_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("out.csv");
    std::fs::write(&output, "old").unwrap();
    let batches = batches_of("a,b\n1.5,2\nNA,3\n");
    let plan = Plan::infer(batches.iter().cloned().map(Ok), &ColumnOverrides::new()).unwrap();
    let table = plan.encode(&batches[0]).unwrap().0;
    let done = filled(&table, 1.0);
    let mut writer = Writer::create(&output, Format::Csv(Compression::None)).unwrap();
    writer.write(&plan.decode(&batches[0], &done).unwrap()).unwrap();
    drop(writer);
    assert!(Writer::create(&output, Format::Parquet).unwrap().finish().is_err(), "nothing was written");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    assert_eq!(std::fs::read_to_string(&output).unwrap(), "old");
    assert!(Writer::create(&folder.path().join("no/out.csv"), Format::Parquet).is_err());
}

#[test]
fn streams_are_written_to() {
    #[derive(Clone, Default)]
    struct Shared(std::sync::Arc<std::sync::Mutex<Vec<u8>>>);
    impl Write for Shared {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let batches = batches_of("a,b\n1.5,2\nNA,3\n2.5,4\n");
    let plan = Plan::infer(batches.iter().cloned().map(Ok), &ColumnOverrides::new()).unwrap();
    let table = plan.encode(&batches[0]).unwrap().0;
    let done = filled(&table, 1.0);
    let (output, csv) = (Shared::default(), Format::Csv(Compression::None));
    let mut writer = Writer::to(output.clone(), csv, csv).unwrap();
    writer.write(&plan.decode(&batches[0], &done).unwrap()).unwrap();
    writer.finish().unwrap();
    assert_eq!(output.0.lock().unwrap().as_slice(), b"a,b\n1.5,2\n1.0,3\n2.5,4\n");
}
