//! Calibration of intervals and probabilities, as tables with bars.

use super::html::Heading::{Number, Text};
use super::html::{Html, folded, number, row, row_heading, table};
use crate::findings::calibration::{Calibration, DIFFERENT, LabelColumn, NumberColumn};
use crate::numbers::{count, counted, percent};

/// The model that predicted the cells.
pub(super) fn note(calibration: &Calibration) -> String {
    let seen = if calibration.left_out {
        "The rows were left out of the fits that predict them."
    } else {
        "The model has seen these rows, so that this is too favourable: its preset cannot be refitted without them."
    };
    let [some, all] = calibration.columns;
    let seen = match some < all {
        true => format!(
            "{seen} {} of {}, chosen at random, were looked at.",
            count(some as u64),
            counted(all as u64, "column")
        ),
        false => seen.to_string(),
    };
    match calibration.numbers.iter().filter(|column| column.coarse).count() {
        0 => seen,
        coarse => format!(
            "{seen} {} with fewer than {DIFFERENT} different values, or one that comes back often, {} left out: there intervals end at values, and hold more than they should.",
            counted(coarse as u64, "column"),
            if coarse == 1 { "is" } else { "are" }
        ),
    }
}

/// A bar for each level, with a mark at the nominal coverage.
pub(super) fn levels(calibration: &Calibration) -> Html {
    let (cells, covered) = calibration.together();
    if cells == 0 {
        return Html::default();
    }
    let line = |(level, covered): (&f64, usize)| {
        let share = covered as f64 / cells as f64;
        let error = (level * (1.0 - level) / cells as f64).sqrt();
        row([
            row_heading(percent(*level)),
            marked(share, *level),
            number(percent(share)),
            number(format!("± {}", percent(2.0 * error))),
        ])
    };
    let headings = [
        Text("Interval"),
        Text("Holds (the line is where it should end)"),
        Number("Holds"),
        Number("By chance"),
    ];
    let caption = format!("How many of {} observed numbers their intervals hold", count(cells as u64));
    table(&caption, "chart", &headings, calibration.levels.iter().zip(covered).map(line))
}

/// A bar with a mark.
fn marked(share: f64, mark: f64) -> Html {
    let at = |x: f64| format!("{:.2}%", 100.0 * x.clamp(0.0, 1.0));
    let bar = Html::element(
        "rect",
        &[("class", "observed"), ("width", &at(share)), ("height", "100%"), ("rx", "2")],
        [],
    );
    let line = [("class", "mark"), ("x1", &at(mark) as &str), ("x2", &at(mark)), ("y1", "0"), ("y2", "100%")];
    let svg = [("class", "bar"), ("aria-hidden", "true"), ("focusable", "false")];
    let svg = Html::element("svg", &svg, [bar, Html::element("line", &line, [])]);
    Html::element("td", &[("class", "bars")], [svg])
}

/// A line for each column.
pub(super) fn columns(calibration: &Calibration, names: &[&str]) -> Html {
    let mut out = Vec::new();
    if !calibration.numbers.is_empty() {
        let line = |column: &NumberColumn| {
            let cells = column.points.len();
            let shares = column.covered.map(|covered| number(percent(covered as f64 / cells.max(1) as f64)));
            row([row_heading(names[column.column]), number(count(cells as u64))].into_iter().chain(shares))
        };
        let headings = [
            Text("Column"),
            Number("Cells"),
            Number("50 % holds"),
            Number("80 % holds"),
            Number("90 % holds"),
            Number("95 % holds"),
        ];
        let lines = calibration.numbers.iter().map(line);
        out.push(folded(
            "Each column of numbers as a table",
            table("Coverage of each column’s intervals", "", &headings, lines),
        ));
    }
    if !calibration.labels.is_empty() {
        let line = |column: &LabelColumn| {
            let share = |x: f64| number(percent(x / column.cells.max(1) as f64));
            row([
                row_heading(names[column.column]),
                number(count(column.cells as u64)),
                share(column.right as f64),
                share(column.expected),
            ])
        };
        let headings = [Text("Column"), Number("Cells"), Number("Best guess right"), Number("As promised")];
        let lines = calibration.labels.iter().map(line);
        out.push(folded(
            "Each column of labels as a table",
            table("How often the most probable label is right", "", &headings, lines),
        ));
    }
    Html::all(out)
}
