//! Numbers in the forms that people write.

use crate::common::{completed, plan_of, remarks_of, source_with};
use psd_impute_frame::{ColumnOverrides, Plan, ReadOptions, Reason, Role};

/// Completes the only missing cell, written `NA`, with a number.
fn filled(cells: &[&str], x: f64) -> String {
    let rows: String = cells.iter().map(|cell| format!("{cell}\t1\n")).collect();
    let text = format!("x\ty\n{rows}NA\t2\n");
    let output = completed(&text, &ReadOptions::default(), x);
    let (before, last) = output.trim_end().rsplit_once('\n').unwrap();
    assert_eq!(before, text.trim_end().rsplit_once('\n').unwrap().0, "observed cells change");
    last.split_once('\t').unwrap().0.to_string()
}

#[test]
fn cells_are_filled_in_the_columns_style() {
    for (cells, x, expected) in [
        (vec!["$1,234.50", "$99.00", "$12.25"], 1500.5, "$1,500.50"),
        (vec!["1 234,5", "99,25", "12 345"], 1500.5, "1 500,5"),
        (vec!["1\u{202f}234,5", "99,25", "12"], 1500.5, "1\u{202f}500,5"),
        (vec!["1'234.5", "99.25", "12"], 1500.5, "1'500.5"),
        (vec!["12%", "7%", "99%"], 50.0, "50%"),
        (vec!["12 kg", "5.3 kg", "7.1kg"], 6.25, "6.2 kg"),
        (vec!["5 EUR", "7 EUR", "12 EUR"], 6.0, "6 EUR"),
        (vec!["€5", "€ 7", "€12"], 6.0, "€6"),
        (vec!["\u{2212}3", "5", "\u{2212}12"], -6.0, "\u{2212}6"),
        (vec!["(1,234)", "5,000", "(12)"], -6000.0, "(6,000)"),
        (vec!["+3", "-5", "+12"], 6.0, "6"),
        (vec!["1.234,50", "9,75", "12,00"], 1500.5, "1.500,50"),
    ] {
        assert_eq!(filled(&cells, x), expected, "{cells:?}");
    }
}

fn kind(text: &str) -> (&'static str, Role) {
    let plan = plan_of(text, &ColumnOverrides::new()).unwrap();
    (plan.columns()[0].kind().name(), plan.columns()[0].role().clone())
}

#[test]
fn the_decimal_sign_is_the_files() {
    let value = |text: &str, cell: &str| {
        let plan = plan_of(text, &ColumnOverrides::new()).unwrap();
        plan.columns()[0].kind().read(cell).unwrap()
    };
    assert_eq!(
        value("a;b\n1.234;1,5\n2.345;2,25\n7.001;3,5\n", "1.234"),
        1234.0,
        "the other column has commas"
    );
    assert_eq!(
        value("a;b\n1.234;1.5\n2.345;2.25\n7.001;3.5\n", "1.234"),
        1.234,
        "the other column has points"
    );
    assert_eq!(value("a\tb\n1,234\t1.5\n2,345\t2.5\n7,001\t3.5\n", "1,234"), 1234.0);
    assert_eq!(value("a\tb\n1,234\t1,5\n2,345\t2,5\n7,001\t3,5\n", "1,234"), 1.234);
    assert_eq!(
        value("a\tb\n0,234\t1\n2,345\t2\n7,001\t3\n", "2,345"),
        2.345,
        "nothing is set apart from a zero"
    );
}

#[test]
fn doubtful_decimal_signs_are_said_and_can_be_set() {
    let text = "a\tb\n1,234\t1\n2,345\t3\n7,001\t7\n";
    assert_eq!(
        remarks_of(text, &ReadOptions::default()),
        [
            "column `a`: `1,234` is read as 1234, which nothing else in the file tells; `--decimal ,` reads it otherwise"
        ]
    );
    let options = ReadOptions { decimal: Some(','), ..ReadOptions::default() };
    assert_eq!(remarks_of(text, &options), [""; 0]);
    let plan = Plan::infer(source_with(text, &options).batches().unwrap(), &ColumnOverrides::new()).unwrap();
    assert_eq!(plan.columns()[0].kind().read("1,234"), Some(1.234));
    let mixed = remarks_of("a\tb\n1,5\t1.5\n2,25\t2.25\n3,5\t7.5\n", &ReadOptions::default());
    assert_eq!(
        mixed,
        [
            "`a` have a decimal comma, but `b` a decimal point; `--decimal ,` or `--decimal .` says which is meant"
        ]
    );
}

#[test]
fn long_integers_and_leading_zeros_are_no_numbers() {
    let rows = |f: &dyn Fn(usize) -> String| (0..20).map(|i| format!("{},{i}.5\n", f(i))).collect::<String>();
    let long = rows(&|i| format!("{}", 12_345_678_901_234_567u64 + 7 * i as u64));
    assert_eq!(kind(&format!("x,y\n{long}")).1, Role::Left(Reason::Identifier));
    let zips = rows(&|i| format!("0{}", 2134 + i % 3));
    assert_eq!(kind(&format!("x,y\n{zips}")), ("category", Role::Modelled));
}

#[test]
fn units_are_one_for_the_column() {
    let kinds = ["12 kg", "5 lb", "7 kg", "9 lb", "12 kg", "5 lb"];
    let rows: String = kinds.iter().map(|cell| format!("{cell},1\n")).collect();
    assert_eq!(kind(&format!("x,y\n{rows}{rows}")).0, "category");
    let labels: String = ["2D", "3D", "2D", "3D"].iter().map(|cell| format!("{cell},1\n")).collect();
    assert_eq!(kind(&format!("x,y\n{labels}")).0, "category", "few labels, and no unit");
    let ordinals: String =
        ["1st", "2nd", "3rd", "1st", "2nd", "3rd"].iter().map(|cell| format!("{cell},1\n")).collect();
    assert_eq!(kind(&format!("x,y\n{ordinals}")).0, "category");
    let bare = "x,y\n12 kg,1\n5,2\n7 kg,3\n9 kg,4\n";
    assert_eq!(
        remarks_of(bare, &ReadOptions::default()),
        ["column `x`: 1 cell without `kg` are taken to have it, too"]
    );
}
