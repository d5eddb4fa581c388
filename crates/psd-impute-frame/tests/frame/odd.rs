//! Cells that do not belong: odd texts among numbers, sentinels, labels that are nearly the same, headers that are data.

use crate::common::{completed, plan_of, remarks_of, source_with};
use arrow_array::{ArrayRef, RecordBatch, StringArray};
use psd_impute_frame::{Batch, ColumnOverrides, Plan, ReadOptions, Survey, Token};
use std::sync::Arc;

fn with(cells: &[(usize, &str)], count: usize, f: impl Fn(usize) -> String) -> String {
    let cell =
        |i: usize| cells.iter().find(|(at, _)| *at == i).map_or_else(|| f(i), |(_, text)| text.to_string());
    let rows: String = (0..count).map(|i| format!("{},{}\n", cell(i), (i * i) % 7)).collect();
    format!("x,y\n{rows}")
}

#[test]
fn odd_texts_stay_and_numbers_are_numbers() {
    let text = with(&[(3, "abc"), (7, "12?"), (9, "abc"), (11, "NA")], 40, |i| format!("{}.5", i * i));
    let plan = plan_of(&text, &ColumnOverrides::new()).unwrap();
    assert_eq!(
        (plan.columns()[0].kind().name(), plan.columns()[0].odd()),
        ("continuous", &["12?".into(), "abc".into()][..])
    );
    assert_eq!(
        remarks_of(&text, &ReadOptions::default()),
        ["column `x`: 3 cells are not numbers (`abc` 2 times, `12?`; first in row 4) and stay as they are; \
          `--missing 'x=abc'` makes such cells missing"]
    );
    let expected = text.replace("NA,", "5.0,");
    assert_eq!(completed(&text, &ReadOptions::default(), 5.0), expected, "odd cells stay byte for byte");

    let options =
        ReadOptions { missing: vec![Token::of("x", "abc"), Token::of("x", "12?")], ..ReadOptions::default() };
    assert_eq!(remarks_of(&text, &options), [""; 0]);
    assert_eq!(completed(&text, &options, 5.0), expected.replace("abc,", "5.0,").replace("12?,", "5.0,"));
}

#[test]
fn texts_that_keep_a_column_from_being_numbers_are_named() {
    let censored = with(&[], 60, |i| if i % 5 == 0 { "<1".to_string() } else { format!("{}.5", i % 30) });
    assert_eq!(plan_of(&censored, &ColumnOverrides::new()).unwrap().columns()[0].kind().name(), "category");
    assert_eq!(
        remarks_of(&censored, &ReadOptions::default()),
        ["column `x`: 48 of 60 cells are numbers, but it is text because of others: `<1` (12); \
          `--missing 'x=<1'` makes such cells missing"]
    );
    let answers = with(&[], 60, |i| ["1", "2", "3", "never", "4"][i % 5].to_string());
    assert_eq!(remarks_of(&answers, &ReadOptions::default()), [""; 0]);
}

#[test]
fn what_keeps_a_column_from_being_dates_or_of_one_unit_is_named() {
    let said = |cell: &dyn Fn(usize) -> String| remarks_of(&with(&[], 60, cell), &ReadOptions::default());
    let dates = said(&|i| match i % 5 {
        0 => "0000-00-00".to_string(),
        _ => format!("2020-{:02}-{:02}", 1 + i % 12, 1 + i % 28),
    });
    assert_eq!(
        dates,
        [
            "column `x`: 48 of 60 cells are dates or times, but it is text because of others: `0000-00-00` (12); \
          `--missing 'x=0000-00-00'` makes such cells missing"
        ]
    );
    let currencies = said(&|i| format!("{}{}.5", ["$", "€"][i % 2], i * i));
    assert_eq!(
        currencies,
        [
            "column `x`: its numbers have different currencies or units: `$` (30), `€` (30); give them the same, so that the column is \
          completed as one of numbers"
        ]
    );
    assert_eq!(said(&|i| ["10 mg", "20 mg", "1 g"][i % 3].to_string()), [""; 0], "doses are labels");
}

#[test]
fn odd_texts_are_counted_and_new_ones_refused() {
    let text = with(&[(3, "abc")], 40, |i| format!("{}.5", i * i));
    let plan = plan_of(&text, &ColumnOverrides::new()).unwrap();
    let source = source_with(&text, &ReadOptions::default());
    let report = plan.encode(&source.batches().unwrap().next().unwrap().unwrap()).unwrap().1;
    assert_eq!((report.columns[0].missing, report.columns[0].odd), (0, 1));
    assert_eq!(report.odd_notes(), ["column `x`: 1 cell is not what the column holds and stays as it is"]);
    let other = source_with("x,y\n1.5,1\nxyz,2\n", &ReadOptions::default());
    let error = plan.encode(&other.batches().unwrap().next().unwrap().unwrap()).unwrap_err();
    assert_eq!(error.to_string(), "the table, line 3, column `x`: `xyz` is not a number");
    let json = serde_json::to_string(&plan).unwrap();
    assert_eq!(serde_json::from_str::<Plan>(&json).unwrap(), plan);
}

#[test]
fn odd_texts_among_dates_stay() {
    let text = with(&[(3, "soon"), (5, "NA")], 40, |i| format!("2020-01-{:02}", i % 28 + 1));
    assert_eq!(plan_of(&text, &ColumnOverrides::new()).unwrap().columns()[0].kind().name(), "date");
    assert_eq!(completed(&text, &ReadOptions::default(), 1.0), text.replace("NA,", "1970-01-02,"));
}

#[test]
fn odd_texts_go_into_typed_files_as_text() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("a.csv"), with(&[(3, "abc"), (5, "NA")], 40, |i| format!("{}.5", i * i))).unwrap();
    crate::common::complete(&path("a.csv"), &path("b.parquet"), &ColumnOverrides::new(), 5.0).unwrap();
    crate::common::complete(&path("b.parquet"), &path("c.csv"), &ColumnOverrides::new(), 5.0).unwrap();
    let expected = std::fs::read_to_string(path("a.csv")).unwrap().replace("NA,", "5.0,");
    assert_eq!(std::fs::read_to_string(path("c.csv")).unwrap(), expected);
}

#[test]
fn sentinels_are_pointed_out() {
    let sentinels_of = |text: &str, options: &ReadOptions| -> Vec<String> {
        let mut survey = Survey::default();
        source_with(text, options).batches().unwrap().for_each(|batch| survey.add(&batch.unwrap()).unwrap());
        let plan = survey.plan(&ColumnOverrides::new()).unwrap();
        survey.sentinels(&plan).iter().map(|sentinel| sentinel.remark().to_string()).collect()
    };
    let text = with(&[(3, "-999"), (7, "-999"), (9, "-999")], 60, |i| (20 + i % 40).to_string());
    assert_eq!(
        sentinels_of(&text, &ReadOptions::default()),
        ["column `x`: -999 in 3 cells is far from all others (20 to 59) and may stand for missing ones; \
          `--missing x=-999` makes it missing"]
    );
    let options = ReadOptions { missing: vec![Token::of("x", "-999")], ..ReadOptions::default() };
    assert_eq!(sentinels_of(&text, &options), [""; 0]);
    let dates = with(&[(3, "1900-01-01"), (7, "1900-01-01")], 60, |i| format!("2020-01-{:02}", i % 28 + 1));
    assert_eq!(
        sentinels_of(&dates, &ReadOptions::default()),
        [
            "column `x`: 1900-01-01 in 2 cells is far from all others (2020-01-01 to 2020-01-28) and may stand for missing \
          ones; `--missing x=1900-01-01` makes it missing"
        ]
    );
}

#[test]
fn labels_that_differ_in_case_are_pointed_out() {
    let labels = ["Male", "male", "female", "Male", "MALE", "female", "Male"];
    let text = with(&[], 35, |i| labels[i % 7].to_string());
    assert_eq!(
        remarks_of(&text, &ReadOptions::default()),
        [
            "column `x`: labels differ only in case or space and are kept apart: `Male` (15), `MALE` (5), `male` (5)"
        ]
    );
}

#[test]
fn spaces_around_labels_are_pointed_out() {
    let text = with(&[], 40, |i| format!("{}{}", ["a", "b"][i % 2], if i % 4 == 0 { " " } else { "" }));
    assert_eq!(
        remarks_of(&text, &ReadOptions::default()),
        ["column `x`: 10 cells have spaces around their labels, which do not tell labels apart"]
    );
    let both = with(&[], 40, |i| ["Ulm", "Ulm ", "ulm", "Bonn"][i % 4].to_string());
    assert_eq!(
        remarks_of(&both, &ReadOptions::default()),
        [
            "column `x`: 10 cells have spaces around their labels, which do not tell labels apart",
            "column `x`: labels differ only in case or space and are kept apart: `Ulm` (20), `ulm` (10)",
        ]
    );
    let aligned = with(&[], 40, |i| format!(" {}", ["a", "b"][i % 2]));
    assert_eq!(remarks_of(&aligned, &ReadOptions::default()), [""; 0]);
}

#[test]
fn a_header_of_data_is_pointed_out() {
    let rows: String =
        (0..30).map(|i| format!("{}.5,{},{}\n", i, i * 3 % 7, ["setosa", "virginica"][i % 2])).collect();
    let remark = "the header (`5.1`, `3`, `setosa`) looks like a row of data; `--no-header` reads it as one";
    assert_eq!(remarks_of(&format!("5.1,3,setosa\n{rows}"), &ReadOptions::default()), [remark]);
    assert_eq!(remarks_of(&format!("a,b,c\n{rows}"), &ReadOptions::default()), [""; 0]);
    let numbered: String = (0..30).map(|i| format!("{}.5,{}.5\n", i, i * 3 % 7)).collect();
    assert_eq!(
        remarks_of(&format!("0,1\n{numbered}"), &ReadOptions::default()),
        [""; 0],
        "columns without names"
    );
}

#[test]
fn a_table_may_have_no_header() {
    let options = ReadOptions { no_header: true, ..ReadOptions::default() };
    let text = "1.5,red\nNA,blue\n2.5,red\n3.5,blue\n";
    let source = source_with(text, &options);
    let plan = Plan::infer(source.batches().unwrap(), &ColumnOverrides::new()).unwrap();
    assert_eq!(plan.columns().iter().map(|column| column.name()).collect::<Vec<_>>(), ["V1", "V2"]);
    assert_eq!(completed(text, &options, 1.0), text.replace("NA", "1.0"));
}

#[test]
fn any_batch_size_gives_the_same_plan() {
    let cells = |f: &dyn Fn(usize) -> String| -> ArrayRef {
        Arc::new((0..60).map(|i| Some(f(i))).collect::<StringArray>())
    };
    let columns: [(&str, ArrayRef); 5] = [
        ("odd", cells(&|i| if i % 25 == 3 { "abc".to_string() } else { format!("{}.5", i * i) })),
        ("money", cells(&|i| format!("${},{:03}.50", i + 1, i))),
        ("day", cells(&|i| format!("{:02}/01/20{:02}", i % 28 + 1, i))),
        ("size", cells(&|i| ["S", "s", "M", "N/A"][i % 4].to_string())),
        ("code", cells(&|i| if i % 9 == 0 { "-999".to_string() } else { (i * 7 % 59).to_string() })),
    ];
    let whole = RecordBatch::try_from_iter(columns).unwrap();
    let survey = |size: usize| {
        let mut survey = Survey::default();
        for first in (0..60).step_by(size) {
            survey.add(&Batch::from(whole.slice(first, size.min(60 - first)))).unwrap();
        }
        let plan = survey.plan(&ColumnOverrides::new()).unwrap();
        let remarks: Vec<String> = survey.remarks(&plan).iter().map(|remark| remark.to_string()).collect();
        let sentinels = survey.sentinels(&plan);
        (plan, remarks, sentinels)
    };
    let all = survey(60);
    assert_eq!((all.1.len(), all.2.len()), (6, 1), "{:#?}", all.1);
    assert!(survey(1) == all && survey(7) == all);
}

#[test]
fn labels_that_may_stand_for_missing_cells_are_named() {
    let said = |labels: &[&str], rare: &str| {
        let cell =
            |i: usize| if i % 9 == 4 { rare.to_string() } else { labels[i % labels.len()].to_string() };
        remarks_of(&with(&[], 90, cell), &ReadOptions::default())
    };
    let remark = |label: &str, option: &str| {
        let text = format!("column `x`: `{label}` (10) may stand for missing cells, but counts as a label");
        [format!("{text}; `--missing {option}` makes such cells missing")]
    };
    for word in ["unknown", "Refused", "Na", "nd", "*", "—", "Prefer not to say", "-999", "99", "-1.0"] {
        assert_eq!(said(&["hi", "lo"], word), remark(word, &format!("'x={word}'")), "{word}");
    }
    for word in ["Don't know", "don\u{2019}t know"] {
        let quote = if word.contains('\'') { '"' } else { '\'' };
        assert_eq!(said(&["hi", "lo"], word), remark(word, &format!("{quote}x={word}{quote}")));
    }
    // Answers, abbreviations among others, chemical elements, numbers among numbers, stars.
    for (labels, rare) in [
        (&["yes", "no"][..], "undecided"),
        (&["yes", "no"], "other"),
        (&["yes", "no"], "not applicable"),
        (&["SD", "NE", "KS", "MN", "IA"], "ND"),
        (&["K", "Ca", "Cl", "Mg", "Li"], "Na"),
        (&["1", "2", "3", "x"], "9"),
        (&["hi", "lo"], "3"),
        (&["unknown"], "unknown"),
    ] {
        assert_eq!(said(labels, rare), [""; 0], "{rare} among {labels:?}");
    }
}

#[test]
fn a_word_among_few_numbers_is_named() {
    let scores = |word: &str| {
        let cell = |i: usize| if i % 8 == 3 { word.to_string() } else { (1 + i % 5).to_string() };
        remarks_of(&with(&[], 80, cell), &ReadOptions::default())
    };
    assert_eq!(
        scores("refused"),
        ["column `x`: 70 of 80 cells are numbers, but it is text because of others: `refused` (10); \
          `--missing 'x=refused'` makes such cells missing"]
    );
    assert_eq!(scores("more"), [""; 0], "more than five is an answer");
}

#[test]
fn numbers_and_dates_that_repeat_are_named_where_they_are_written_in_two_ways() {
    let said = |cell: &dyn Fn(usize) -> String| remarks_of(&with(&[], 90, cell), &ReadOptions::default());
    let same = "give them the same, so that the column is completed as one of numbers";
    assert_eq!(
        said(&|i| format!("{} {}", 60 + i % 11, ["kg", "lb"][i % 2])),
        [format!("column `x`: its numbers have different currencies or units: `kg` (45), `lb` (45); {same}")]
    );
    assert_eq!(
        said(&|i| if i % 2 == 0 { format!("{}%", 5 * (i % 20)) } else { format!("0.{:02}", 5 * (i % 20)) }),
        [format!(
            "column `x`: 45 of its numbers have a sign `%` and 45 have none, which may be shares; {same}"
        )]
    );
    assert_eq!(
        said(&|i| format!("\"{}{}{}\"", 3 + i % 4, ['.', ','][i % 2], 1 + i % 9)),
        [format!("column `x`: 45 of its numbers have a decimal point and 45 a decimal comma; {same}")]
    );
    let dates = |i: usize| match i % 2 {
        0 => format!("{:02}/{:02}/2020", 13 + i % 15, 1 + i % 6),
        _ => format!("{:02}/{:02}/2020", 1 + i % 6, 13 + i % 15),
    };
    assert_eq!(
        said(&dates),
        [
            "column `x`: its cells look like dates that are not all written in one way: `13/01/2020`, `02/14/2020`; \
          write them alike, so that the column is completed as one of dates"
        ]
    );
    for labels in [
        |i: usize| ["10 mg", "20 mg", "1 g"][i % 3].to_string(),
        |i: usize| ["2 years", "5 days"][i % 2].to_string(),
        |i: usize| format!("group {}", i % 12),
        |i: usize| format!("{}-{}", 10 * (i % 12), 10 * (i % 12) + 9),
    ] {
        assert_eq!(said(&labels), [""; 0]);
    }
}
