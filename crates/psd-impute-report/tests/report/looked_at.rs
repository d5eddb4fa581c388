//! Findings that the page lists to look at, and reassurance only where it is justified.

use crate::common::*;
use psd_impute::table::RowCounter;
use psd_impute_report::{Findings, Subject, page};

/// A column that is observed only if another one is large.
fn cut() -> String {
    let rng = &mut rand::SeedableRng::seed_from_u64(7);
    let row = |_| {
        let (x, noise) = (normal(rng), normal(rng));
        let y = if x < 0.0 { String::new() } else { format!("{:.3}", x + noise) };
        format!("{x:.3},{y}\n")
    };
    format!("x,y\n{}", (0..200).map(row).collect::<String>())
}

#[test]
fn the_page_begins_with_what_the_checks_found() {
    let found = findings(&cut());
    let first = &found.look.warnings[0];
    assert!(
        first.text.starts_with("`y` is imputed in ") && first.text.contains("with `x` below "),
        "{}",
        first.text
    );
    let page = page(&found).unwrap();
    let (look, missing) =
        (page.find("What to look at</h2>").unwrap(), page.find("What is missing, and").unwrap());
    assert!(look < missing);
    assert!(page.contains("<li><code>y</code> is imputed in "));
    assert!(!page.contains("found nothing") && !page.contains("nothing was found"));
}

#[test]
fn a_good_table_is_said_to_be_one_with_what_the_checks_cannot_see() {
    let found = findings(&table(400, 5));
    assert!(found.look.warnings.is_empty(), "{:?}", found.look.warnings);
    if found.look.is_empty() {
        let page = page(&found).unwrap();
        assert!(page.contains("400 completed rows were checked, and nothing was found"));
        assert!(page.contains("Checks see large differences only"));
        assert!(!page.contains("<ul class=\"look\">"));
    }
}

#[test]
fn a_code_for_missing_cells_is_named() {
    let mut rows: Vec<String> = table(200, 8).lines().map(str::to_string).collect();
    for i in [5, 50, 150] {
        rows[i] = format!("-999,{}", rows[i].split_once(',').unwrap().1);
    }
    let found = findings(&rows.join("\n"));
    let text = &found.look.warnings[0].text;
    assert!(text.starts_with("column `x`: -999 in 3 cells is far from all others"), "{text}");
    assert!(page(&found).unwrap().contains("<code>--missing x=-999</code> makes it missing."));
}

/// The page describes the cells that `impute` writes.
#[test]
fn draws_are_those_of_impute() {
    let text = table(120, 6);
    let source = source(&text);
    let model = model(&source);
    let found = Findings::of(&Subject::new(&source, &model)).unwrap();
    let (table, _) = model.plan.encode(&source.batches().unwrap().next().unwrap().unwrap()).unwrap();
    let draws = model.model.imputations(1, 0).unwrap();
    let done = draws.nth(1).unwrap().complete(&table, &mut RowCounter::default()).unwrap();
    let with_gaps = table.rows().zip(done.rows()).filter(|(before, _)| before.iter().any(|x| x.is_nan()));
    let expected: Vec<Vec<f64>> = with_gaps.map(|(_, after)| after.to_vec()).collect();
    assert!(expected.len() > 10 && expected.len() == found.pairs.completed.len());
    for (expected, shown) in expected.iter().flatten().zip(found.pairs.completed.iter().flatten()) {
        let shown = shown.unwrap();
        assert!((expected - shown).abs() <= 1e-5 * expected.abs(), "{expected} {shown}");
    }
}
