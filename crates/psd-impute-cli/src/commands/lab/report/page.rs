//! The page: the setting, figures, and all numbers in tables.

use super::summary::{Average, Dataset, Measure, Section, median};
use crate::diagnostic::printable;
use psd_impute_eval::lab::{Done, Method, Record};
use std::collections::BTreeSet;
use std::fmt::Write;

/// A figure that was written.
pub(super) struct Figure {
    /// Relative to the page.
    pub(super) path: String,
    pub(super) title: String,
}

/// The page in Markdown.
pub(super) fn write(command: &str, records: &[Record], sections: &[Section], figures: &[Figure]) -> String {
    let mut page = String::from("# Results\n\n");
    let of = |what: &dyn Fn(&Record) -> &str| -> String {
        records.iter().map(what).collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>().join(", ")
    };
    let dates: BTreeSet<&str> = records.iter().map(|record| record.setting.date.as_str()).collect();
    let (first, last) = (dates.first().copied().unwrap_or(""), dates.last().copied().unwrap_or(""));
    let when = if first == last { first.to_string() } else { format!("{first} to {last}") };
    // Writing to a string does not fail.
    let _ = writeln!(
        page,
        "This page was written by `{command}` from {} records: {when}, {}, psd-impute {}.\n",
        records.len(),
        of(&|record| &record.setting.machine),
        of(&|record| &record.setting.version),
    );
    page.push_str(
        "Numbers are means over the seeds ± one standard deviation; lower is better, and the best of those that do not know the truth \
         is bold. Tables are in the order of rows per column. Seconds are of one core's work (of the wall clock for other programs, \
         started anew for each imputation): fit and all completed tables, summed over the tables.\n",
    );
    for section in sections {
        let _ = writeln!(page, "\n## {}\n", section.title());
        wins(&mut page, section);
        remarks(&mut page, section);
        for measure in Measure::ALL {
            if section.datasets.iter().any(|dataset| section.best(dataset, measure).is_some()) {
                numbers(&mut page, section, measure);
            }
        }
    }
    page.push_str("\n## Figures\n");
    for Figure { path, title } in figures {
        let _ = writeln!(page, "\n![{title}]({path})");
    }
    page
}

/// How often each method is best, its median ratio to the best, and its time.
fn wins(page: &mut String, section: &Section) {
    page.push_str("| method | ED: best on | median over best | OT: best on | median over best | RMSE: best on | median over best | seconds | left cells empty | failed |\n");
    page.push_str("|---|---|---|---|---|---|---|---|---|---|\n");
    for &method in &section.methods {
        let mut cells = vec![method.label().to_string()];
        for measure in Measure::MAIN {
            let ratios = section.ratios(method, measure);
            let wins = ratios.iter().filter(|ratio| **ratio <= 1.0).count();
            let all = ratios.len();
            cells.push(if method.is_oracle() { "-".into() } else { format!("{wins} of {all}") });
            cells.push(median(ratios).map_or("-".into(), |ratio| format!("{ratio:.2}")));
        }
        cells.push(format!("{:.1}", section.seconds(method).iter().sum::<f64>()));
        cells.push(section.count(method, |done| matches!(done, Done::LeftEmpty { .. })).to_string());
        cells.push(section.count(method, |done| matches!(done, Done::Failed { .. })).to_string());
        let _ = writeln!(page, "| {} |", cells.join(" | "));
    }
}

/// Trials not completed as usual, or not scored: one line for each table, method and reason.
fn remarks(page: &mut String, section: &Section) {
    let mut lines = Vec::new();
    for &method in &section.methods {
        for dataset in &section.datasets {
            lines.extend(remarks_on(dataset, method));
        }
    }
    if lines.is_empty() {
        return;
    }
    page.push_str(
        "\nA method has no numbers for a table of which it left cells empty or failed at any seed.\n\n",
    );
    lines.iter().for_each(|line| {
        let _ = writeln!(page, "- {line}");
    });
}

/// Remarks on one method on one table, with seeds grouped by remark.
fn remarks_on(dataset: &Dataset, method: Method) -> Vec<String> {
    let mut remarks: Vec<(String, Vec<String>)> = Vec::new();
    for record in dataset.of(method) {
        let said = match &record.done {
            Done::Scored { note, .. } => note.clone(),
            Done::LeftEmpty { left_empty, missing, note, .. } => {
                let why = note.as_ref().map_or(String::new(), |note| format!("; {note}"));
                Some(format!("{left_empty} of {missing} cells left empty, not scored{why}"))
            }
            Done::Failed { error } => Some(format!("failed: {error}")),
        };
        let Some(said) = said else { continue };
        let seed = record.trial.seed.to_string();
        match remarks.iter_mut().find(|(other, _)| *other == said) {
            Some((_, seeds)) => seeds.push(seed),
            None => remarks.push((said, vec![seed])),
        }
    }
    let line = |(said, seeds): (String, Vec<String>)| {
        let many = if seeds.len() == 1 { "seed" } else { "seeds" };
        format!("{} on {}, {many} {}: {}", method.label(), dataset.name, seeds.join(", "), printable(&said))
    };
    remarks.into_iter().map(line).collect()
}

/// Every table's numbers.
fn numbers(page: &mut String, section: &Section, measure: Measure) {
    let _ = writeln!(page, "\n### {}\n", measure.title(section));
    let labels: Vec<&str> = section.methods.iter().map(|method| method.label()).collect();
    let _ = writeln!(page, "| table | {} |", labels.join(" | "));
    let _ = writeln!(page, "|---|{}", "---|".repeat(labels.len()));
    for dataset in &section.datasets {
        let best = section.best(dataset, measure);
        let show = |&method: &Method| {
            let Some(average) = dataset.average(method, measure) else { return "-".to_string() };
            let text = written(average);
            if !method.is_oracle() && Some(average.mean) == best { format!("**{text}**") } else { text }
        };
        let cells: Vec<String> = section.methods.iter().map(show).collect();
        let _ = writeln!(
            page,
            "| {} ({} × {}) | {} |",
            dataset.name,
            dataset.rows,
            dataset.columns,
            cells.join(" | ")
        );
    }
}

fn written(Average { mean, deviation }: Average) -> String {
    let digits = if mean.abs() < 0.1 { 4 } else { 3 };
    match deviation {
        Some(deviation) => format!("{mean:.digits$} ± {deviation:.digits$}"),
        None => format!("{mean:.digits$}"),
    }
}
