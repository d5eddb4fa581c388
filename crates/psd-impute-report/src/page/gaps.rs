//! Missing cells, as tables with bars and squares.

use super::html::Heading::{Aside, Number, Text};
use super::html::{Html, aside, bar, folded, grid, number, row, row_heading, table};
use crate::findings::missing::{Gaps, Missing};
use crate::findings::patterns::{Pattern, Patterns};
use crate::numbers::{count, percent};

/// Columns shown unfolded, and in the grid of patterns.
const COLUMNS: usize = 25;

/// A bar for each column, the most missing cells first.
pub(super) fn columns(missing: &Missing) -> Html {
    let mut columns: Vec<&Gaps> = missing.columns.iter().collect();
    columns.sort_by_key(|column| std::cmp::Reverse(column.missing));
    let line = |column: &&Gaps| {
        let share = column.missing as f64 / missing.rows.max(1) as f64;
        row([
            row_heading(&column.name),
            aside(column.kind),
            bar(share, "imputed"),
            number(percent(share)),
            number(count(column.missing)),
        ])
    };
    let headings = [Text("Column"), Aside("Kind"), Text("Share missing"), Number("Share"), Number("Cells")];
    let (first, rest) = columns.split_at(columns.len().min(COLUMNS));
    let shown = table("Missing cells of each column", "chart", &headings, first.iter().map(line));
    if rest.is_empty() {
        return shown;
    }
    let others = table("Missing cells of the other columns", "chart", &headings, rest.iter().map(line));
    Html::all([shown, folded(&format!("{} more columns", rest.len()), others)])
}

/// A square for each missing column of each pattern.
pub(super) fn patterns(patterns: &Patterns, missing: &Missing) -> Html {
    let with_gaps = |j: &usize| missing.columns[*j].missing > 0;
    let mut shown: Vec<usize> = (0..missing.columns.len()).filter(with_gaps).collect();
    if shown.is_empty() {
        return Html::default();
    }
    shown.sort_by_key(|&j| std::cmp::Reverse(missing.columns[j].missing));
    shown.truncate(COLUMNS);
    let most = patterns.shown.iter().map(|pattern| pattern.rows).max().unwrap_or(1).max(patterns.other_rows);
    let counts = |rows: u64| {
        let share = percent(rows as f64 / patterns.rows.max(1) as f64);
        [bar(rows as f64 / most as f64, "observed"), number(count(rows)), number(share)]
    };
    let square = |gone: bool| {
        let class = if gone { "square gone" } else { "square" };
        let inner = Html::element(
            "span",
            &[("class", "hidden")],
            [Html::text(if gone { "missing" } else { "observed" })],
        );
        Html::element("td", &[("class", class)], [inner])
    };
    let line = |(k, pattern): (usize, &Pattern)| {
        let cells = shown.iter().map(|j| square(pattern.missing.contains(j)));
        row([row_heading((k + 1).to_string())].into_iter().chain(cells).chain(counts(pattern.rows)))
    };
    let others = (patterns.others > 0).then(|| {
        let span = shown.len().to_string();
        let what = format!("{} others", count(patterns.others));
        let cell = Html::element("td", &[("colspan", &span), ("class", "others")], [Html::text(what)]);
        row([row_heading("…"), cell].into_iter().chain(counts(patterns.other_rows)))
    });
    let slanted = |&j: &usize| {
        let name = &missing.columns[j].name;
        let name = Html::element("span", &[("title", name)], [Html::text(name)]);
        Html::element("th", &[("scope", "col"), ("class", "slanted")], [name])
    };
    let plain = |text: &str| Html::element("th", &[("scope", "col")], [Html::text(text)]);
    let head = [plain("#")]
        .into_iter()
        .chain(shown.iter().map(slanted))
        .chain(["Rows", "Count", "Share"].map(plain));
    let lines = patterns.shown.iter().enumerate().map(line).chain(others);
    let caption = "Patterns of missing columns: a filled square is a missing column";
    grid(caption, "chart patterns", row(head), lines)
}
