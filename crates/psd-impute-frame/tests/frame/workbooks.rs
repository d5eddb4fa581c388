//! Excel workbooks, as other programs and as we write them.

use crate::common::{complete, open, plan};
use arrow_array::{Array, RecordBatch};
use psd_impute_frame::{
    Batch, ColumnOverride, ColumnOverrides, Error, Format, Kind, Plan, ReadOptions, Source, Writer,
};
use std::io::Write;
use std::path::Path;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

const RELATIONS: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const MAIN: &str = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";

/// A workbook with these sheets: their names and XML.
fn workbook(sheets: &[(&str, String)]) -> Vec<u8> {
    let sheet = |k: usize, name: &str| format!("<sheet name=\"{name}\" sheetId=\"{k}\" r:id=\"r{k}\"/>");
    let relation = |k: usize| {
        format!(
            "<Relationship Id=\"r{k}\" Type=\"{RELATIONS}/worksheet\" Target=\"worksheets/sheet{k}.xml\"/>"
        )
    };
    let list: String = sheets.iter().enumerate().map(|(k, (name, _))| sheet(k + 1, name)).collect();
    let relations: String = (1..=sheets.len()).map(relation).collect();
    let package = "http://schemas.openxmlformats.org/package/2006/relationships";
    let mut parts = vec![
        (
            "_rels/.rels".to_string(),
            format!(
                "<Relationships xmlns=\"{package}\"><Relationship Id=\"r\" Type=\"{RELATIONS}/officeDocument\" Target=\"xl/workbook.xml\"/></Relationships>"
            ),
        ),
        (
            "xl/workbook.xml".into(),
            format!("<workbook xmlns=\"{MAIN}\" xmlns:r=\"{RELATIONS}\"><sheets>{list}</sheets></workbook>"),
        ),
        (
            "xl/_rels/workbook.xml.rels".into(),
            format!("<Relationships xmlns=\"{package}\">{relations}</Relationships>"),
        ),
    ];
    for (k, (_, xml)) in sheets.iter().enumerate() {
        parts.push((
            format!("xl/worksheets/sheet{}.xml", k + 1),
            format!("<worksheet xmlns=\"{MAIN}\">{xml}</worksheet>"),
        ));
    }
    archive(&parts)
}

fn archive(parts: &[(String, String)]) -> Vec<u8> {
    let mut file = ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, text) in parts {
        file.start_file(name, SimpleFileOptions::default()).unwrap();
        file.write_all(text.as_bytes()).unwrap();
    }
    file.finish().unwrap().into_inner()
}

/// Rows of cells: a text in quotes, `#` errors, `=` formulas, or numbers; empty cells are left out.
fn rows(first: u32, rows: &[&[&str]]) -> String {
    let cell = |row: u32, (j, cell): (usize, &&str)| {
        let place = format!("{}{row}", char::from(b'A' + j as u8));
        match cell.chars().next() {
            None => String::new(),
            Some('\'') => format!("<c r=\"{place}\" t=\"inlineStr\"><is><t>{}</t></is></c>", &cell[1..]),
            Some('#') => format!("<c r=\"{place}\" t=\"e\"><v>{cell}</v></c>"),
            Some('=') => format!("<c r=\"{place}\"><f>{}</f><v></v></c>", &cell[1..]),
            Some('T' | 'F') => format!("<c r=\"{place}\" t=\"b\"><v>{}</v></c>", u8::from(*cell == "T")),
            Some(_) => format!("<c r=\"{place}\"><v>{cell}</v></c>"),
        }
    };
    let row = |(i, cells): (usize, &&[&str])| {
        let row = first + i as u32;
        format!(
            "<row r=\"{row}\">{}</row>",
            cells.iter().enumerate().map(|c| cell(row, c)).collect::<String>()
        )
    };
    format!("<sheetData>{}</sheetData>", rows.iter().enumerate().map(row).collect::<String>())
}

fn source(bytes: &[u8], options: &ReadOptions) -> psd_impute_frame::Result<Source> {
    Source::spool(bytes, options)
}

/// The whole table, as it is.
fn records(source: &Source) -> RecordBatch {
    let batches: Vec<Batch> = source.batches().unwrap().map(|batch| batch.unwrap()).collect();
    assert_eq!(batches.len(), 1);
    let plan = Plan::infer([Ok(batches[0].clone())], &ColumnOverrides::new()).unwrap();
    let table = plan.encode(&batches[0]).unwrap().0;
    plan.decode(&batches[0], &table).unwrap().records().unwrap()
}

fn shown(records: &RecordBatch) -> Vec<String> {
    let cell = |column: &arrow_array::ArrayRef, i: usize| {
        arrow_cast::display::array_value_to_string(column, i).unwrap()
    };
    (0..records.num_rows())
        .map(|i| records.columns().iter().map(|column| cell(column, i)).collect::<Vec<_>>().join("|"))
        .collect()
}

#[test]
fn cells_are_read_as_what_they_are() {
    let sheet = rows(
        3,
        &[
            &["", "'x", "'town", "2019", "", "'yes"],
            &["", "1.5", "'Bonn", "#N/A", "", "T"],
            &[],
            &["", "", "' ", "7", "", "#DIV/0!"],
            &["", "3", "'Köln &amp; Bonn", "8", "", "F"],
        ],
    );
    let source = source(&workbook(&[("first", sheet)]), &ReadOptions::default()).unwrap();
    assert_eq!(source.format(), Format::Excel);
    let records = records(&source);
    let names: Vec<&str> = records.schema_ref().fields().iter().map(|field| field.name().as_str()).collect();
    assert_eq!(names, ["x", "town", "2019", "yes"]);
    assert_eq!(shown(&records), ["1.5|Bonn||true", "||7.0|", "3.0|Köln & Bonn|8.0|false"]);
    assert_eq!(source.notes(), ["1 empty row of the table is left out"]);
    let batch = source.batches().unwrap().next().unwrap().unwrap();
    assert_eq!(batch.place(1, 0).to_string(), "the table, row 6");
}

#[test]
fn a_sheet_is_chosen() {
    let sheet = |x: &str| rows(1, &[&["'x"], &[x], &["2"]]);
    let bytes = workbook(&[("one", sheet("1")), ("two", sheet("5"))]);
    let first = source(&bytes, &ReadOptions::default()).unwrap();
    assert_eq!(shown(&records(&first)), ["1.0", "2.0"]);
    assert_eq!(
        first.notes(),
        ["only the sheet `one` of the table is read, not `two`; `--sheet NAME` reads another"]
    );
    let named = |name: &str| ReadOptions { sheet: Some(name.to_string()), ..ReadOptions::default() };
    let second = source(&bytes, &named("two")).unwrap();
    assert_eq!((shown(&records(&second)), second.notes().len()), (vec!["5.0".to_string(), "2.0".into()], 0));
    assert!(
        matches!(source(&bytes, &named("three")), Err(Error::NoSheet { known, .. }) if known == ["one", "two"])
    );
    let all = ReadOptions { no_header: true, ..named("two") };
    let bare = workbook(&[("two", rows(1, &[&["1", "2"], &["3", "4"]]))]);
    assert_eq!(shown(&records(&source(&bare, &all).unwrap())), ["1.0|2.0", "3.0|4.0"]);
}

#[test]
fn what_is_no_table_is_refused() {
    let merge = format!(
        "{}<mergeCells count=\"1\"><mergeCell ref=\"A2:A3\"/></mergeCells>",
        rows(1, &[&["'x"], &["1"], &[]])
    );
    let title = rows(1, &[&["'Report of 2020"], &[], &["'x", "'y", "'z"], &["1", "2", "3"]]);
    for (sheet, problem) in [
        (merge, "cell A2: it is merged with others"),
        (title, "cell B1: no name is there"),
        (rows(1, &[&["'x"], &["=1+1"]]), "cell A2: the result of its formula is not in the file"),
        (rows(1, &[&["'x", "'y"]]), "has no rows"),
        (rows(1, &[]), "is empty"),
    ] {
        let error = source(&workbook(&[("a", sheet)]), &ReadOptions::default()).unwrap_err();
        assert!(error.to_string().contains(problem), "{error}");
        assert!(error.hint().is_some());
    }
    for (bytes, problem) in [
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 and so on".to_vec(), "(.xls) or one with a password"),
        (archive(&[("a.csv".into(), "x\n1\n".into())]), "an archive (.zip)"),
        (archive(&[("content.xml".into(), "<x/>".into())]), "an OpenDocument file (.ods)"),
    ] {
        let error = source(&bytes, &ReadOptions::default()).unwrap_err();
        assert!(matches!(error, Error::NoWorkbook { .. }) && error.to_string().contains(problem), "{error}");
    }
}

#[test]
fn bombs_do_not_go_off() {
    let huge = format!("<sst xmlns=\"{MAIN}\" uniqueCount=\"9000000000000\"><si><t>a</t></si></sst>");
    let mut parts =
        vec![("xl/workbook.xml".to_string(), "<x/>".to_string()), ("xl/sharedStrings.xml".into(), huge)];
    let error = source(&archive(&parts), &ReadOptions::default()).unwrap_err();
    assert!(error.to_string().contains("cannot be true"), "{error}");
    parts[1] = ("xl/media/a.xml".into(), " ".repeat((1 << 30) + 1));
    let error = source(&archive(&parts), &ReadOptions::default()).unwrap_err();
    assert!(matches!(error, Error::TooLarge { .. }), "{error}");
}

#[test]
fn mixed_types_come_back_as_they_were() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let sheet =
        rows(1, &[&["'x", "'m"], &["1", "5"], &["", "'5"], &["2", "T"], &["3", "'&lt;0.5"], &["1", ""]]);
    std::fs::write(path("a.xlsx"), workbook(&[("a", sheet)])).unwrap();
    let plan = complete(&path("a.xlsx"), &path("b.xlsx"), &ColumnOverrides::new(), 1.0).unwrap();
    assert_eq!(plan.column("m").unwrap().kind(), &Kind::Text);
    let again = open(&path("b.xlsx")).unwrap();
    assert_eq!(shown(&records(&again)), ["1.0|5.0", "1.0|\"5\"", "2.0|true", "3.0|\"<0.5\"", "1.0|"]);
}

#[test]
fn text_becomes_a_workbook_and_comes_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let text = "n,x,label,yes,day,time,clock,span,code,note\n\
                1,1.25,=1+1,true,2020-01-31,2020-01-31T10:30:00.250,10:30:00,PT1H30M,00123,a <b>\n\
                2,-3e-7,ä & b,false,1900-02-28,1999-12-31T23:59:59,00:00:00,P1DT0.5S,00456,_x000D_\n\
                1,4,=1+1,true,2020-03-01,2020-01-31T10:30:00,23:59:59,PT0S,00789,\"two\nlines\"\n\
                3,2,ä & b,false,9999-12-31,2020-01-31T10:30:00,12:00:00,PT5M,00111,x\n";
    std::fs::write(path("a.csv"), text).unwrap();
    complete(&path("a.csv"), &path("b.xlsx"), &ColumnOverrides::new(), 1.0).unwrap();
    complete(&path("b.xlsx"), &path("c.xlsx"), &ColumnOverrides::new(), 1.0).unwrap();
    let found = shown(&records(&open(&path("c.xlsx")).unwrap()));
    assert_eq!(
        found,
        [
            "1.0|1.25|=1+1|true|2020-01-31|2020-01-31T10:30:00.250|10:30:00|PT5400S|00123|a <b>",
            "2.0|-3e-7|ä & b|false|1900-02-28|1999-12-31T23:59:59|00:00:00|PT86400.5S|00456|_x000D_",
            "1.0|4.0|=1+1|true|2020-03-01|2020-01-31T10:30:00|23:59:59|P0D|00789|two\nlines",
            "3.0|2.0|ä & b|false|9999-12-31|2020-01-31T10:30:00|12:00:00|PT300S|00111|x",
        ]
    );
}

#[test]
fn whole_numbers_of_a_workbook_are_written_to_text_without_a_point() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let sheet = rows(
        1,
        &[&["'n", "'x", "'code"], &["1", "2", "'1.0"], &["", "2.5", "'7.0"], &["-3", "1e16", "'1.0"]],
    );
    std::fs::write(path("a.xlsx"), workbook(&[("a", sheet)])).unwrap();
    complete(&path("a.xlsx"), &path("b.csv"), &ColumnOverrides::new(), 2.0).unwrap();
    let text = std::fs::read_to_string(path("b.csv")).unwrap();
    assert_eq!(text, "n,x,code\n1,2,1.0\n2,2.5,7.0\n-3,1e16,1.0\n");
    // Its numbers are no integers otherwise: a column that is to be continuous may get 2.5.
    let overrides = ColumnOverrides::from([("n".to_string(), ColumnOverride::Continuous)]);
    complete(&path("a.xlsx"), &path("c.csv"), &overrides, 2.5).unwrap();
    let text = std::fs::read_to_string(path("c.csv")).unwrap();
    assert_eq!(text, "n,x,code\n1,2,1.0\n2.5,2.5,7.0\n-3,1e16,1.0\n");
    complete(&path("a.xlsx"), &path("d.tsv"), &ColumnOverrides::new(), 2.0).unwrap();
    assert!(std::fs::read_to_string(path("d.tsv")).unwrap().starts_with("n\tx\tcode\n1\t2\t1.0\n"));
}

#[test]
fn excels_limits_are_errors() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("a.csv"), format!("x,note\n1,{}\n2,b\n", "é".repeat(32_768))).unwrap();
    let error = complete(&path("a.csv"), &path("b.xlsx"), &ColumnOverrides::new(), 1.0).unwrap_err();
    assert!(error.to_string().contains("column `note` has a cell of 32768 characters (B2)"), "{error}");
    assert!(!path("b.xlsx").exists());
    assert!(
        Format::Excel.check_size(1 << 20, 2).is_err() && Format::Excel.check_size((1 << 20) - 1, 2).is_ok()
    );
    assert!(Writer::create(&path("b.xlsx"), Format::Excel).unwrap().finish().is_err(), "nothing was written");
}

/// Integers that Excel would round are texts.
#[test]
fn long_integers_keep_their_digits() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let lines =
        "{\"x\":1,\"n\":12345678901234567}\n{\"x\":2,\"n\":5}\n{\"x\":null,\"n\":-9007199254740993}\n";
    std::fs::write(path("a.jsonl"), lines).unwrap();
    complete(&path("a.jsonl"), &path("b.xlsx"), &ColumnOverrides::new(), 1.0).unwrap();
    let found = records(&open(&path("b.xlsx")).unwrap());
    assert_eq!(shown(&found), ["1.0|\"12345678901234567\"", "2.0|5.0", "1.0|\"-9007199254740993\""]);
    assert_eq!(found.column(1).null_count(), 0);
    assert!(plan(Path::new(&path("b.xlsx")), &ColumnOverrides::new()).is_ok());
}
