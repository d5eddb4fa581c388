//! Findings match the simulated effects.

use crate::common::*;
use psd_impute_report::findings::little::Little;
use psd_impute_report::{Findings, Subject, page};

#[test]
fn gaps_and_patterns_are_counted() {
    let text = "a,b,c\n1,,x\n2,5,y\n,,x\n4,7,y\n5,,x\n6,9,y\n7,3,x\n8,4,y\n";
    let found = findings(text);
    let missing: Vec<u64> = found.missing.columns.iter().map(|column| column.missing).collect();
    assert_eq!(missing, [1, 3, 0]);
    assert_eq!((found.missing.rows, found.missing.complete, found.missing.gaps()), (8, 5, 4));
    let patterns: Vec<(Vec<usize>, u64)> =
        found.patterns.shown.iter().map(|pattern| (pattern.missing.clone(), pattern.rows)).collect();
    assert_eq!(patterns, [(vec![], 5), (vec![1], 2), (vec![0, 1], 1)]);
    assert!(found.missing.answer().contains("5 of 8 rows"), "{}", found.missing.answer());
}

#[test]
fn a_complete_table_has_little_to_say() {
    let rows: String = (0..40).map(|i| format!("{},{}\n", i % 9, (i * i) % 13)).collect();
    let found = findings(&format!("a,b\n{rows}"));
    assert_eq!(
        found.missing.answer(),
        "Nothing is missing in the modelled columns: all 80 cells are observed."
    );
    assert_eq!(found.cells.answer(), "There is no missing cell.");
    assert!(found.belong.columns.is_empty() && found.dependence.pairs.is_empty());
    assert!(matches!(found.little, Little::Not { .. }));
    assert!(page(&found).unwrap().contains("Nothing is missing"));
}

#[test]
fn gaps_of_columns_that_are_left_alone_are_named() {
    let row = |i: u32| {
        let id = if i % 10 == 3 { String::new() } else { format!("row-{i}") };
        let same = if i.is_multiple_of(8) { "" } else { "7" };
        format!("{id},{},{},{same},\n", i % 9, (i * i) % 13)
    };
    let found = findings(&format!("id,a,b,same,empty\n{}", (0..40).map(row).collect::<String>()));
    assert_eq!(
        found.missing.answer(),
        "Nothing is missing in the modelled columns: all 80 cells are observed. Cells of columns with one value become \
         that value: “same” (5 cells). Cells of columns that are left as they are stay empty: “id” (4 cells) and “empty” (40 cells)."
    );
}

#[test]
fn gaps_that_depend_on_a_column_are_told_from_gaps_that_do_not() {
    let of = |missing: &dyn Fn(usize, f64) -> bool| {
        let rng = &mut rand::SeedableRng::seed_from_u64(4);
        let rows = (0..300).map(|i| {
            let (x, y) = (normal(rng), normal(rng));
            let y = if missing(i, x) { String::new() } else { format!("{y:.3}") };
            format!("{x:.3},{y}\n")
        });
        findings(&format!("x,y\n{}", rows.collect::<String>()))
    };
    let p = |little: &Little| match little {
        Little::Done { p, .. } => *p,
        Little::Not { why } => panic!("{why}"),
    };
    let (random, not) = (of(&|i, _| i % 4 == 0), of(&|_, x| x > 0.7));
    assert!(p(&random.little) > 0.05 && p(&not.little) < 1e-6);
    assert!(random.dependence.pairs[0].adjusted > 0.05 && not.dependence.pairs[0].adjusted < 1e-6);
    assert_eq!((not.dependence.pairs[0].gaps, not.dependence.pairs[0].other), (1, 0));
}

#[test]
fn a_row_that_fits_nothing_is_the_most_unusual() {
    let found = findings(&(table(200, 1) + "-2.5,2.6,0,low\n"));
    assert_eq!(found.outliers.rows[0].row, 201);
    assert_eq!(found.outliers.rows[0].cells[3].as_deref(), Some("low"));
}

#[test]
fn intervals_of_cells_that_were_left_out_hold_what_they_should() {
    let found = findings(&table(600, 2)).calibration;
    assert!(found.left_out);
    let (cells, covered) = found.together();
    assert_eq!(cells, 240);
    for (level, covered) in found.levels.iter().zip(covered) {
        let (share, error) = (covered as f64 / 240.0, (level * (1.0 - level) / 240.0f64).sqrt());
        assert!((share - level).abs() < 4.0 * error, "{level}: {share}");
    }
}

#[test]
fn settings_say_how_to_make_it_again() {
    let found = findings(&table(60, 3)).settings;
    assert_eq!((found.rows, found.columns, found.version), (60, [4, 4], env!("CARGO_PKG_VERSION")));
    assert!(found.commands[0].starts_with("psd-impute fit 'the table' -o "), "{}", found.commands[0]);
}

#[test]
fn tables_with_hardly_anything_in_them_have_a_page() {
    let one: String =
        (0..30).map(|i| if i % 4 == 0 { "NA\n".into() } else { format!("{}\n", (i * 7) % 13) }).collect();
    let rare: String =
        (0..40).map(|i| format!("{},{},\n", i % 11, if i % 19 == 0 { "3.5" } else { "" })).collect();
    let gone: String =
        (0..40).map(|i| if i % 3 == 0 { ",\n".into() } else { format!("{i},{}\n", i % 5) }).collect();
    for text in [format!("a\n{one}"), format!("a,b,c\n{rare}"), format!("a,b\n{gone}")] {
        let found = findings(&text);
        assert!(page(&found).unwrap().ends_with("</html>\n"));
    }
}

#[test]
fn what_cannot_be_refitted_says_so() {
    let rows: String = (0..50)
        .map(|i| if i % 6 == 0 { format!("{},\n", i % 7) } else { format!("{},{}\n", i % 7, (i * 3) % 11) })
        .collect();
    let table = source(&format!("a,b\n{rows}"));
    let recipe = psd_impute::Recipe::named("theory", Default::default()).unwrap();
    let theory = psd_impute::FitOptions { recipe, seed: 3, ..Default::default() };
    let surveyed = psd_impute_frame::Surveyed::new(&table, Default::default()).unwrap();
    let (model, _) = surveyed.fit(&table, &theory, &mut ()).unwrap();
    let found = Findings::of(&Subject::new(&table, &model)).unwrap();
    assert!(!found.calibration.left_out && found.fit.held_out.is_none());
    assert!(page(&found).unwrap().contains("The model has seen these rows"));
    assert!(found.settings.commands[0].ends_with("--seed 3 --preset theory"));
}
