//! The kinds that the rules give columns.

use crate::common::plan_of;
use psd_impute::table::TOLD_APART;
use psd_impute_frame::{ColumnOverride, ColumnOverrides, Error, Kind, MOST_LABELS, Plan, Reason, Role};

/// A file with one column of these cells, and another of numbers.
fn text(cells: &[&str]) -> String {
    let rows = cells.iter().enumerate().map(|(i, cell)| format!("{cell};{}\n", (i * i) % 7));
    std::iter::once("x;other\n".to_string()).chain(rows).collect()
}

fn kind(cells: &[&str]) -> (String, Role) {
    let plan = plan_of(&text(cells), &ColumnOverrides::new()).unwrap();
    let column = &plan.columns()[0];
    (column.kind().name().to_string(), column.role().clone())
}

fn overridden(cells: &[&str], wanted: ColumnOverride) -> Result<Plan, Error> {
    plan_of(&text(cells), &ColumnOverrides::from([("x".to_string(), wanted)]))
}

/// `f(0)`, `f(1)` and so on as cells.
fn column(count: usize, f: impl Fn(usize) -> String) -> Vec<String> {
    (0..count).map(f).collect()
}

fn strs(cells: &[String]) -> Vec<&str> {
    cells.iter().map(String::as_str).collect()
}

#[test]
fn cells_say_the_kind() {
    for (cells, expected) in [
        (vec!["1.5", "2", "NA"], "continuous"),
        (vec!["1,5", "2", "NA"], "continuous"),
        (vec!["1", "2", "5"], "integer"),
        (vec!["41.0", "36.0", ""], "integer"),
        (vec!["0", "1", "1", ""], "boolean"),
        (vec!["0.0", "1.0", "1.0"], "boolean"),
        (vec!["true", "false", "?"], "boolean"),
        (vec!["TRUE", "FALSE", "TRUE"], "boolean"),
        (vec!["yes", "no", "no", "yes"], "boolean"),
        (vec!["a", "b", "a", "b"], "category"),
        (vec!["01", "02", "01", "02"], "category"),
        (vec!["2020-01-01", "2020-02-01"], "date"),
        (vec!["2020-01-01 10:00", "2020-02-01 11:30"], "time"),
    ] {
        assert_eq!(kind(&cells), (expected.to_string(), Role::Modelled), "{cells:?}");
    }
}

#[test]
fn some_columns_are_left_alone() {
    let words = column(30, |i| format!("word{i}"));
    let lines = column(30, |i| format!("a longer text {i}"));
    let tickets = column(30, |i| format!("ticket{}", i * 2 / 3));
    let numbers = column(30, |i| (i + 1).to_string());
    for (cells, reason) in [
        (strs(&words), Reason::Identifier),
        (strs(&lines), Reason::FreeText),
        (strs(&tickets), Reason::ManyLabels { labels: 20, cells: 30 }),
        (strs(&numbers), Reason::Identifier),
        (vec!["NA", "", "?"], Reason::NeverObserved),
    ] {
        assert_eq!(kind(&cells).1, Role::Left(reason));
    }
    let codes = column(30, |i| format!("{}", 20_000_000_000_000_000_000u128 + i as u128 * 17));
    assert_eq!(kind(&strs(&codes)).1, Role::Left(Reason::Identifier), "too long to count with");
    let random = column(30, |i| (i * i * 37 + 5).to_string());
    assert_eq!(kind(&strs(&random)).0, "integer");
    let named = text(&strs(&random)).replace("x;", "PassengerId;");
    let plan = plan_of(&named, &ColumnOverrides::new()).unwrap();
    assert_eq!(*plan.columns()[0].role(), Role::Left(Reason::Identifier), "all different, and named so");
}

#[test]
fn constants_are_known() {
    for (cells, shown) in [
        (["5", "NA", "5"], "5"),
        (["a", "", "a"], "a"),
        (["2020-01-31", "", "2020-01-31"], "2020-01-31"),
        (["TRUE", "", "TRUE"], "TRUE"),
        (["false", "", "false"], "false"),
    ] {
        let plan = plan_of(&text(&cells), &ColumnOverrides::new()).unwrap();
        let column = &plan.columns()[0];
        let Role::Constant(cell) = column.role() else { panic!("{:?}", column.role()) };
        assert_eq!(column.kind().show(*cell), shown);
        assert_eq!(
            column.note(0).unwrap(),
            format!("column `x` is always {shown}, which is also put into its missing cells")
        );
    }
}

#[test]
fn a_category_has_at_most_a_hundred_labels() {
    let labels = |count: usize| column(400, |i| format!("label{}", i % count));
    assert_eq!(kind(&strs(&labels(100))).1, Role::Modelled);
    assert_eq!(kind(&strs(&labels(101))).1, Role::Left(Reason::ManyLabels { labels: 101, cells: 400 }));
}

#[test]
fn a_few_odd_cells_do_not_change_the_kind() {
    let mut cells = column(20, |i| format!("{}", i * i));
    cells[7] = "abc".to_string();
    cells[9] = "abc".to_string();
    let plan = plan_of(&text(&strs(&cells)), &ColumnOverrides::new()).unwrap();
    assert_eq!(
        (plan.columns()[0].kind().name(), plan.columns()[0].odd()),
        ("integer", &["abc".to_string()][..])
    );
    cells[11] = "abc".to_string();
    assert_eq!(kind(&strs(&cells)).0, "text", "three in twenty are no mistake");
    cells[11] = "121".to_string();
    let plan = overridden(&strs(&cells), ColumnOverride::Category).unwrap();
    assert_eq!(plan.columns()[0].kind().labels().len(), 19);
    assert!(matches!(
        overridden(&strs(&cells), ColumnOverride::Ignore).unwrap().columns()[0].role(),
        Role::Left(Reason::Ignored)
    ));
    let mut dates = column(20, |i| format!("2020-01-{:02}", i + 1));
    dates[3] = "soon".to_string();
    assert_eq!(kind(&strs(&dates)).0, "date");
}

#[test]
fn infinite_numbers_are_an_error() {
    let error = plan_of(&text(&["1.5", "-inf", "2.5"]), &ColumnOverrides::new()).unwrap_err();
    assert_eq!(error.to_string(), "the table, line 3, column `x`: `-inf` is infinite");
    assert!(overridden(&["1.5", "-inf", "2.5"], ColumnOverride::Ignore).is_ok());
}

#[test]
fn wishes_come_before_rules() {
    let column = |cells: &[&str], wanted| overridden(cells, wanted).unwrap().columns()[0].clone();
    let category = column(&["3", "1", "2", "1"], ColumnOverride::Category);
    assert_eq!(category.kind().labels(), ["1", "2", "3"]);
    assert_eq!(*category.role(), Role::Modelled);
    let continuous = column(&["0", "1", "1"], ColumnOverride::Continuous);
    assert!(matches!(continuous.kind(), Kind::Number { decimals: None, .. }));
    assert_eq!(*column(&["1.5", "2.5"], ColumnOverride::Ignore).role(), Role::Left(Reason::Ignored));
    let error = overridden(&["a", "b", "a"], ColumnOverride::Continuous).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the table, line 2, column `x`: `a` is not a number (nor are 2 other cells)"
    );
    let many: Vec<String> = (0..=MOST_LABELS).map(|i| format!("label{i}")).collect();
    let error = overridden(&strs(&many), ColumnOverride::Category).unwrap_err();
    assert_eq!(error.to_string(), "column `x` cannot be taken as a category: it has more than 100000 labels");
    let error =
        plan_of("a,b\n1,2\n3,4\n", &ColumnOverrides::from([("c".to_string(), ColumnOverride::Ignore)]))
            .unwrap_err();
    assert_eq!(error.hint().unwrap(), "the columns are a, b");
}

#[test]
fn labels_that_are_not_told_apart_are_counted() {
    for shown in [|i: usize| format!("label{i}"), |i: usize| (10_000 + 3 * i).to_string()] {
        let plan = |labels: usize| {
            overridden(&strs(&column(labels, |i| shown(i * 7 % labels))), ColumnOverride::Category).unwrap()
        };
        assert_eq!(plan(TOLD_APART).columns()[0].note(0), None);
        let plan = plan(8_000);
        let column = &plan.columns()[0];
        assert_eq!((column.kind().labels().len(), column.kind().name()), (8_000, "category"));
        assert_eq!(
            column.note(0).unwrap(),
            format!(
                "column `x` has 8000 labels; the {} rarest are told apart only by their frequency",
                8_001 - TOLD_APART
            )
        );
        let again: Plan = serde_json::from_str(&serde_json::to_string(&plan).unwrap()).unwrap();
        assert_eq!(again, plan);
    }
}

#[test]
fn thousands_may_be_set_apart() {
    let plan = plan_of("x,y\n\"1,234.5\",1\n999,2\n\"12,345\",5\n", &ColumnOverrides::new()).unwrap();
    assert_eq!(plan.columns()[0].kind().show(9876543.2), "9,876,543.2");
    let plan = plan_of("x;y\n1.234,5;1\n999;2\n12.345;5\n", &ColumnOverrides::new()).unwrap();
    assert_eq!(plan.columns()[0].kind().show(9876543.2), "9.876.543,2");
    let plan = plan_of("x;y\n1.234;1\n9.5;2\n", &ColumnOverrides::new()).unwrap();
    assert_eq!(plan.columns()[0].kind().show(2.25), "2.25", "points are points if they can be");
}

#[test]
fn columns_of_the_same_name_are_refused() {
    let error = plan_of("a,b,a\n1,2,3\n", &ColumnOverrides::new()).unwrap_err();
    assert_eq!(error.to_string(), "the table has two columns named `a`");
}

/// Well-known tables, if they are available.
#[test]
fn known_tables_are_understood() {
    let folder = std::path::Path::new("/work/shared/datasets/mixed");
    if !folder.is_dir() {
        eprintln!("skipped: there is no {}", folder.display());
        return;
    }
    let kinds = |name: &str| {
        let plan = crate::common::plan(&folder.join(name), &ColumnOverrides::new()).unwrap();
        let kind = |column: &psd_impute_frame::ColumnPlan| match column.role() {
            Role::Modelled => column.kind().name(),
            _ => "-",
        };
        plan.columns().iter().map(kind).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(kinds("penguins.csv"), "category category continuous continuous integer integer category");
    assert_eq!(
        kinds("titanic.csv"),
        "- boolean integer - category continuous integer integer - continuous - category"
    );
    assert_eq!(
        kinds("adult.csv"),
        "integer category integer category integer category category category category category integer integer \
         integer category category"
    );
    assert_eq!(kinds("airquality.csv"), "integer integer continuous integer integer integer");
}
