//! Poor imputations are detected.

use super::*;

/// Puberty stages that were observed only from the age of eight on.
#[test]
fn a_column_imputed_where_it_was_never_observed() {
    let rng = &mut rng(1);
    let truth: Vec<Vec<f64>> = (0..600)
        .map(|_| {
            let age = 18.0 * uniform(rng);
            vec![
                (10.0 * age).round() / 10.0,
                80.0 + 5.0 * age + 5.0 * normal(rng),
                (age / 4.0).floor().min(4.0),
            ]
        })
        .collect();
    let columns = || {
        let age = Kind::Number { decimals: Some(1), text: NumberText::PLAIN };
        vec![
            ColumnPlan::new("age", age, Role::Modelled),
            number("height"),
            labels("gen", &["G1", "G2", "G3", "G4", "G5"]),
        ]
    };
    let before = masked(&truth, |row, j| j == 2 && (row[0] < 8.0 || uniform(rng) < 0.3));
    let young = before.iter().filter(|row| row[0] < 8.0).count();
    let warnings = check(columns(), &before, &truth);
    let found = of(&warnings, WarningKind::Extrapolation);
    assert_eq!(found.len(), 1, "{}", texts(&warnings));
    assert!(
        found[0].text.starts_with(&format!("`gen` is imputed in {young} rows with `age` below 8"))
            && found[0].text.ends_with("where it was never observed"),
        "{}",
        found[0].text
    );
    assert_eq!(found[0].columns, ["gen", "age"]);
    assert_eq!(found[0].numbers["rows"], young as f64);
    // With means, too.
    let means = check_filled(columns(), &before, &truth, FilledWith::Typical);
    assert_eq!(of(&means, WarningKind::Extrapolation).len(), 1);
}

/// A question that only one sex was asked, and one that was not asked for years.
#[test]
fn labels_and_stretches_without_observed_cells() {
    let rng = &mut rng(2);
    let truth: Vec<Vec<f64>> =
        (0..800).map(|i| vec![f64::from(i % 2), 1990.0 + f64::from(i % 30), normal(rng)]).collect();
    let columns = || vec![labels("sex", &["f", "m"]), integer("year"), number("answer")];
    let men = masked(&truth, |row, j| j == 2 && (row[0] == 1.0 || uniform(rng) < 0.1));
    let warnings = check(columns(), &men, &truth);
    assert_eq!(
        warnings[0].text,
        "`answer` is imputed in 400 rows with `sex` = m, where it was never observed",
        "{}",
        texts(&warnings)
    );
    let years = masked(&truth, |row, j| j == 2 && ((2000.0..2005.0).contains(&row[1]) || uniform(rng) < 0.1));
    let warnings = check(columns(), &years, &truth);
    assert!(
        warnings[0].text.contains("rows with `year` between 1999 and 2005, where it was never observed"),
        "{}",
        texts(&warnings)
    );
}

/// No column alone tells these rows apart, but two together do.
#[test]
fn rows_unlike_any_in_which_a_column_was_observed() {
    let rng = &mut rng(12);
    let truth: Vec<Vec<f64>> = (0..1_500).map(|_| vec![normal(rng), normal(rng), normal(rng)]).collect();
    let before = masked(&truth, |row, j| j == 2 && row[0] + row[1] > 0.9);
    let warnings = check(vec![number("a"), number("b"), number("c")], &before, &truth);
    assert_eq!(warnings.len(), 1, "{}", texts(&warnings));
    assert!(
        warnings[0].kind == WarningKind::Extrapolation && warnings[0].columns[0] == "c",
        "{}",
        warnings[0].text
    );
    assert!(warnings[0].text.ends_with("rows unlike any in which it was observed"), "{}", warnings[0].text);
}

/// Wives who are men.
#[test]
fn labels_that_were_observed_apart_and_are_imputed_together() {
    let rng = &mut rng(3);
    let truth: Vec<Vec<f64>> = (0..3_000)
        .map(|_| {
            let sex = f64::from(uniform(rng) < 0.6);
            let married = uniform(rng) < 0.5;
            vec![
                sex,
                if !married {
                    1.0
                } else if sex == 1.0 {
                    0.0
                } else {
                    2.0
                },
                normal(rng),
            ]
        })
        .collect();
    let columns = || {
        vec![
            labels("sex", &["Female", "Male"]),
            labels("relation", &["Husband", "None", "Wife"]),
            number("x"),
        ]
    };
    let before = masked(&truth, |_, _| uniform(rng) < 0.15);
    assert!(check(columns(), &before, &truth).is_empty());
    // Three in ten have the relation of anybody.
    let careless =
        put(&truth, &before, 1, |row| if uniform(rng) < 0.3 { (3.0 * uniform(rng)).floor() } else { row[1] });
    let warnings = check(columns(), &before, &careless);
    let found = of(&warnings, WarningKind::LabelPair);
    assert_eq!(found.len(), 1, "{}", texts(&warnings));
    let pairs = ["`sex` = Male meets `relation` = Wife in ", "`sex` = Female meets `relation` = Husband in "];
    assert!(pairs.iter().any(|pair| found[0].text.starts_with(pair)), "{}", found[0].text);
    assert!(
        found[0].text.contains("but never in ") && found[0].text.contains("another such pair"),
        "{}",
        found[0].text
    );
    assert!(found[0].numbers["imputed"] >= 5.0 && found[0].numbers["observed"] == 0.0);
}

#[test]
fn a_label_imputed_far_more_often_than_observed() {
    let rng = &mut rng(4);
    let (columns, truth) = mixed(1_000, rng);
    let before = masked(&truth, |_, _| uniform(rng) < 0.2);
    let after = put(&truth, &before, 7, |row| if uniform(rng) < 0.2 { 3.0 } else { row[7] });
    let warnings = check(columns, &before, &after);
    let found = of(&warnings, WarningKind::LabelShare);
    assert!(!found.is_empty() && found[0].text.starts_with("`port` = d in "), "{}", texts(&warnings));
    assert!(found[0].numbers["imputed"] > 4.0 * found[0].numbers["observed"]);
}

/// The difference between sexes halves, a correlation vanishes, and one label is no longer associated with another.
#[test]
fn associations_that_an_imputation_loses() {
    let rng = &mut rng(5);
    let (columns, truth) = mixed(2_000, rng);
    let before = masked(&truth, |_, _| uniform(rng) < 0.2);
    // Without sex.
    let blind = put(&truth, &before, 1, |row| {
        0.8 * row[0] + 0.6 * normal(rng) + 1.17 * f64::from(uniform(rng) < 0.5)
    });
    let warnings = check(columns.clone(), &before, &blind);
    let found = of(&warnings, WarningKind::Association);
    let gap = found.iter().find(|warning| warning.columns == ["follows", "sex"]);
    let gap = gap.unwrap_or_else(|| panic!("{}", texts(&warnings)));
    assert!(gap.text.starts_with("the gap in `follows` between `sex` = "), "{}", gap.text);
    assert!(gap.numbers["observed"].abs() > 1.0 && gap.numbers["imputed"].abs() < 0.9, "{:?}", gap.numbers);
    // Without x: another row's.
    let other = put(&truth, &before, 1, |_| truth[(2_000.0 * uniform(rng)) as usize][1]);
    let warnings = check(columns, &before, &other);
    let found = of(&warnings, WarningKind::Association);
    let slope = found.iter().find(|warning| warning.columns == ["follows", "x"]).unwrap();
    assert!(slope.text.starts_with("`follows` and `x` correlate by "), "{}", slope.text);
    assert!(slope.numbers["observed"] > 0.6 && slope.numbers["imputed"].abs() < 0.2, "{:?}", slope.numbers);
}

#[test]
fn two_labels_that_no_longer_go_together() {
    let rng = &mut rng(6);
    let truth: Vec<Vec<f64>> = (0..1_500)
        .map(|_| {
            let sex = f64::from(uniform(rng) < 0.5);
            vec![sex, f64::from(uniform(rng) < if sex == 0.0 { 0.74 } else { 0.2 })]
        })
        .collect();
    let columns = vec![labels("sex", &["f", "m"]), labels("survived", &["no", "yes"])];
    let before = masked(&truth, |_, j| j == 1 && uniform(rng) < 0.25);
    let after = put(&truth, &before, 1, |_| f64::from(uniform(rng) < 0.47));
    let warnings = check(columns, &before, &after);
    let found = of(&warnings, WarningKind::Association);
    assert_eq!(found.len(), 1, "{}", texts(&warnings));
    assert!(found[0].text.contains("of imputed cells with `sex` = "), "{}", found[0].text);
}

#[test]
fn zeros_that_are_too_few_and_a_spread_that_is_too_small() {
    let rng = &mut rng(7);
    let (columns, truth) = mixed(2_000, rng);
    let before = masked(&truth, |_, _| uniform(rng) < 0.2);
    let fewer =
        put(
            &truth,
            &before,
            5,
            |row| {
                if row[5] == 0.0 && uniform(rng) < 0.4 { normal(rng).exp() } else { row[5] }
            },
        );
    let warnings = check(columns.clone(), &before, &fewer);
    let found = of(&warnings, WarningKind::ZeroShare);
    assert_eq!(found.len(), 1, "{}", texts(&warnings));
    assert!(found[0].text.starts_with("`amount` is 0 in "), "{}", found[0].text);
    // Zeros where none was observed.
    let new = put(&truth, &before, 3, |row| if uniform(rng) < 0.3 { 0.0 } else { row[3] });
    let warnings = check(columns.clone(), &before, &new);
    let found = of(&warnings, WarningKind::ZeroShare);
    assert_eq!(found.len(), 1, "{}", texts(&warnings));
    assert!(found[0].text.contains("of imputed cells, in 0 % of comparable"), "{}", found[0].text);
    let mean = put(&truth, &before, 0, |_| 0.1);
    let warnings = check(columns.clone(), &before, &mean);
    assert_eq!(of(&warnings, WarningKind::Spread).len(), 1, "{}", texts(&warnings));
    let shifted = put(&truth, &before, 0, |row| row[0] + 0.8);
    let warnings = check(columns, &before, &shifted);
    assert_eq!(of(&warnings, WarningKind::Mean).len(), 1, "{}", texts(&warnings));
}

/// Means vary less than cells, which is no finding; impossible means are one.
#[test]
fn means_are_not_compared_with_cells() {
    let rng = &mut rng(8);
    let (columns, truth) = mixed(1_000, rng);
    let before = masked(&truth, |_, _| uniform(rng) < 0.2);
    let means = put(&truth, &before, 0, |_| 0.0);
    assert!(check_filled(columns.clone(), &before, &means, FilledWith::Typical).is_empty());
    let negative = put(&truth, &before, 4, |_| -9.0);
    let warnings = check_filled(columns, &before, &negative, FilledWith::Typical);
    assert!(warnings[0].text.starts_with("`children` is negative in "), "{}", texts(&warnings));
}

#[test]
fn numbers_that_cannot_be() {
    let rng = &mut rng(9);
    let (columns, truth) = mixed(500, rng);
    let before = masked(&truth, |_, _| uniform(rng) < 0.2);
    let negative = put(&truth, &before, 3, |_| 20_000.0 + 30_000.0 * normal(rng));
    let warnings = check(columns.clone(), &before, &negative);
    let found = of(&warnings, WarningKind::ImpossibleValue);
    assert_eq!(found.len(), 1, "{}", texts(&warnings));
    assert!(
        found[0].text.starts_with("`income` is negative in ") && found[0].text.contains("observed ones are "),
        "{}",
        found[0].text
    );
    let high = put(&truth, &before, 0, |_| 25.0);
    let warnings = check(columns, &before, &high);
    assert!(
        of(&warnings, WarningKind::ImpossibleValue)[0].text.starts_with("`x` is far too high in "),
        "{}",
        texts(&warnings)
    );
    // A column of halves that is observed in whole numbers alone.
    let whole: Vec<Vec<f64>> = (0..100).map(|i| vec![f64::from(i % 7)]).collect();
    let gaps = masked(&whole, |_, _| uniform(rng) < 0.3);
    let halves = put(&whole, &gaps, 0, |row| row[0] + 0.5);
    let tenths = Kind::Number { decimals: Some(1), text: NumberText::PLAIN };
    let warnings = check(vec![ColumnPlan::new("n", tenths, Role::Modelled)], &gaps, &halves);
    assert!(texts(&warnings).contains("`n` is no integer in "), "{}", texts(&warnings));
}

#[test]
fn a_cell_that_is_far_from_all_others() {
    let rng = &mut rng(10);
    let mut truth: Vec<Vec<f64>> = (0..1_000).map(|_| vec![normal(rng), normal(rng)]).collect();
    let columns = || vec![number("a"), number("b")];
    let before = masked(&truth, |_, j| j == 1 && uniform(rng) < 0.1);
    assert!(check(columns(), &before, &truth).is_empty());
    truth[512][0] = 1e6;
    let before = masked(&truth, |_, j| j == 1 && uniform(rng) < 0.1);
    let warnings = check(columns(), &before, &truth);
    assert_eq!(warnings.len(), 1, "{}", texts(&warnings));
    assert!(
        warnings[0].kind == WarningKind::FarCell
            && warnings[0].text.starts_with("row 513 has `a` = 1000000, "),
        "{}",
        warnings[0].text
    );
}

/// The checks report it for numbers and dates, with any model, and do not report the same cells as far too.
#[test]
fn a_value_that_looks_like_a_code_for_missing_cells() {
    let rng = &mut rng(12);
    let day = Kind::Time { unit: TimeUnit::Day, text: TimeText::DATE };
    let columns = || vec![integer("age"), ColumnPlan::new("seen", day.clone(), Role::Modelled), number("x")];
    let row = |rng: &mut ChaCha8Rng| {
        vec![(20.0 + 50.0 * uniform(rng)).round(), (18_000.0 + 99.0 * uniform(rng)).round(), normal(rng)]
    };
    let mut truth: Vec<Vec<f64>> = (0..300).map(|_| row(rng)).collect();
    let mask = |truth: &[Vec<f64>], rng: &mut ChaCha8Rng| masked(truth, |_, j| j == 2 && uniform(rng) < 0.1);
    assert!(check(columns(), &mask(&truth, rng), &truth).is_empty());
    for i in [7, 70, 170] {
        (truth[i][0], truth[i][1]) = (-999_999.0, -25_567.0);
    }
    let warnings = check(columns(), &mask(&truth, rng), &truth);
    let found: Vec<String> = warnings.iter().map(|warning| warning.to_string()).collect();
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found[0].starts_with("column `age`: -999999 in 3 cells is far from all others ("), "{found:?}");
    assert!(found[0].ends_with("and may stand for missing ones; `--missing age=-999999` makes it missing"));
    assert!(found[1].starts_with("column `seen`: 1900-01-01 in 3 cells is far from"), "{found:?}");
    assert_eq!(warnings[0].kind, WarningKind::Sentinel);
    assert_eq!(
        (warnings[0].columns.as_slice(), warnings[0].numbers["cells"]),
        (&["age".to_string()][..], 3.0)
    );
}

/// Findings do not depend on batches, and a long table is sampled.
#[test]
fn a_long_table_is_sampled() {
    let rng = &mut rng(11);
    let truth: Vec<Vec<f64>> = (0..30_000).map(|i| vec![f64::from(i % 100), normal(rng)]).collect();
    let before = masked(&truth, |row, j| j == 1 && (row[0] < 20.0 || uniform(rng) < 0.2));
    let warnings = check(vec![integer("age"), number("x")], &before, &truth);
    assert_eq!(warnings.len(), 1, "{}", texts(&warnings));
    assert!(
        warnings[0].text.contains("with `age` below 20, where it was hardly ever observed"),
        "{}",
        warnings[0].text
    );
    assert!((warnings[0].numbers["rows"] - 6_000.0).abs() < 300.0, "{:?}", warnings[0].numbers);
}
