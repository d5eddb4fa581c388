//! What missingness goes with, as a heat map and a table.

use super::html::Heading::{Number, Text};
use super::html::{self, Html, folded, grid, number, row, row_heading, td};
use crate::findings::dependence::{Dependence, Pair};
use crate::numbers::{p_value, rounded, short};

/// Pairs in the table.
const PAIRS: usize = 200;

/// A row for each column with gaps, a column for each other.
pub(super) fn map(dependence: &Dependence, names: &[&str]) -> Html {
    let [gaps, mut others] = dependence.sides();
    if gaps.is_empty() {
        return Html::default();
    }
    others.sort_unstable();
    let slanted = |&j: &usize| {
        let name = Html::element("span", &[("title", names[j])], [Html::text(names[j])]);
        Html::element("th", &[("scope", "col"), ("class", "slanted")], [name])
    };
    let corner = Html::element("th", &[("scope", "col")], [Html::text("Where this is missing")]);
    let head = row([corner].into_iter().chain(others.iter().map(slanted)));
    let lines = gaps.iter().map(|&a| {
        let cell = |&b: &usize| {
            let pair = dependence.pairs.iter().find(|pair| (pair.gaps, pair.other) == (a, b));
            square(pair, a == b)
        };
        row([row_heading(names[a])].into_iter().chain(others.iter().map(cell)))
    });
    let caption = "How other columns differ where one is missing, from −1 to 1; * beyond chance";
    grid(caption, "chart heat", head, lines)
}

fn square(pair: Option<&Pair>, same: bool) -> Html {
    let Some(pair) = pair else {
        let text = if same { "" } else { "–" };
        return Html::element("td", &[("class", "heat-none")], [Html::text(text)]);
    };
    let strength = match pair.effect.abs() {
        size if size < 0.05 => "heat-0",
        size if size < 0.15 => "heat-1",
        size if size < 0.3 => "heat-2",
        size if size < 0.5 => "heat-3",
        _ => "heat-4",
    };
    let star = if pair.adjusted < 0.05 { "*" } else { "" };
    let text = format!("{:.2}{star}", pair.effect).replacen('-', "−", 1);
    Html::element("td", &[("class", strength)], [Html::text(text)])
}

/// Every pair, the largest difference first.
pub(super) fn table(dependence: &Dependence, names: &[&str]) -> Html {
    if dependence.pairs.is_empty() {
        return Html::default();
    }
    let line = |pair: &Pair| {
        row([
            row_heading(names[pair.gaps]),
            td(names[pair.other]),
            td(if pair.means.is_some() { "2 AUC − 1" } else { "Cramér’s V" }),
            number(short(rounded(pair.effect, 2))),
            number(pair.means.map_or("–".to_string(), |x| short(rounded(x, 2)))),
            number(p_value(pair.p)),
            number(p_value(pair.adjusted)),
        ])
    };
    let headings = [
        Text("Missing"),
        Text("Compared"),
        Text("Measure"),
        Number("Difference"),
        Number("Deviations"),
        Number("By chance"),
        Number("All together"),
    ];
    let lines = dependence.pairs.iter().take(PAIRS).map(line);
    folded(
        "The pairs as a table",
        html::table("How columns differ where another is missing", "", &headings, lines),
    )
}
