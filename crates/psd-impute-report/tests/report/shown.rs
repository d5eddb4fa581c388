//! Contents of the page.

use crate::common::*;
use psd_impute_report::{Findings, Names, Subject, page};

/// A page of a table with a path and a command that typography must not change.
fn shown() -> String {
    let row = |i: u32| {
        let cell = |every: u32, x: u32| if i.is_multiple_of(every) { String::new() } else { x.to_string() };
        format!("{},{}\n", cell(4, (i * 7) % 23), cell(5, (i * 5) % 31))
    };
    let table = source(&format!("#1,~rate\n{}", (0..60).map(row).collect::<String>()));
    let model = model(&table);
    let names = Names {
        table: "some/folder/growth in %.csv".into(),
        model: "model.psd".into(),
        command: ["psd-impute", "report", "some/folder/growth in %.csv"].map(String::from).into(),
        ..Names::default()
    };
    page(&Findings::of(&Subject { names, ..Subject::new(&table, &model) }).unwrap()).unwrap()
}

#[test]
fn commands_can_be_pasted_and_say_what_they_leave_out() {
    let page = shown();
    assert!(page.contains("psd-impute report &#39;some/folder/growth in %.csv&#39;"));
    assert!(page.contains("kinds that were given, the delimiter or a time budget, are not shown"));
}

#[test]
fn the_title_is_the_file_without_its_folders() {
    let page = shown();
    assert!(page.contains("<h1>growth in %.csv</h1>"));
    assert!(page.contains("<td>some/folder/growth in %.csv</td>"));
}

#[test]
fn names_are_shown_as_they_are() {
    let page = shown();
    let unusual = page.split_once("The most unusual rows</summary>").unwrap().1;
    assert!(unusual.contains("class=\"\">#1</th>") && unusual.contains("class=\"\">~rate</th>"));
}

#[test]
fn every_row_of_a_table_has_a_heading() {
    let page = shown();
    assert!(page.contains("<th scope=\"row\" rowspan=\"2\">#1</th><td>observed</td>"));
    assert!(page.contains("<tr><td>imputed</td>") && !page.contains("<td></td>"));
    assert!(!page.contains("role=\"region\""));
}
