//! Associations of missingness, as a heat map and a table.

use super::html::Heading::{Number, Text};
use super::html::{self, Html, folded, grid, number, row, row_heading, td};
use crate::findings::dependence::{Dependence, Pair};
use crate::numbers::{p_value, rounded, short};

/// Maximum number of pairs in the table.
const PAIRS: usize = 200;

/// A row for each column with missing cells, a column for each other column.
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
    Html::all([grid(caption, "chart heat", head, lines), legend()])
}

/// Lower ends of the steps of colour.
const STEPS: [f64; 4] = [0.05, 0.15, 0.3, 0.5];

/// The step of a difference, from 0 to 4.
fn step(size: f64) -> usize {
    STEPS.iter().filter(|&&from| size.abs() >= from).count()
}

/// The colour of a difference: one hue where the other column is larger, another where it is smaller, grey for labels, which have no sign.
fn shade(effect: f64, has_sign: bool) -> String {
    match (step(effect), has_sign, effect < 0.0) {
        (0, _, _) => "heat-0".to_string(),
        (step, false, _) => format!("heat-v{step}"),
        (step, true, true) => format!("heat-n{step}"),
        (step, true, false) => format!("heat-p{step}"),
    }
}

/// The legend of the colours.
fn legend() -> Html {
    let swatch = |effect: f64, has_sign: bool| {
        let shown = match has_sign {
            true => format!("{effect:+}").replace('-', "−"),
            false => format!("{effect}"),
        };
        Html::element(
            "span",
            &[("class", &format!("swatch {}", shade(effect, has_sign)))],
            [Html::text(shown)],
        )
    };
    let scale = |text: &str, swatches: Vec<Html>| {
        let swatches = Html::element("span", &[("class", "swatches")], swatches);
        Html::element("li", &[], [swatches, Html::text(text)])
    };
    let of = |sign: f64| STEPS.iter().map(|&from| swatch(sign * from, true)).collect::<Vec<_>>();
    let lists = [
        scale("smaller where the cell is missing, from this on", of(-1.0).into_iter().rev().collect()),
        scale("larger", of(1.0)),
        scale("labels differ, which has no sign", STEPS.iter().map(|&from| swatch(from, false)).collect()),
    ];
    Html::element("ul", &[("class", "legend heat-legend")], lists)
}

fn square(pair: Option<&Pair>, same: bool) -> Html {
    let Some(pair) = pair else {
        let text = if same { "" } else { "–" };
        return Html::element("td", &[("class", "heat-none")], [Html::text(text)]);
    };
    let star = if pair.adjusted < 0.05 { "*" } else { "" };
    // No "-0".
    let effect = if pair.effect.abs() < 0.005 { 0.0 } else { pair.effect };
    let text = format!("{effect:.2}{star}").replacen('-', "−", 1);
    Html::element("td", &[("class", &shade(pair.effect, pair.means.is_some()))], [Html::text(text)])
}

/// Table of the pairs, the largest difference first.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hues_tell_signs_apart_on_one_scale() {
        assert_eq!([-0.7, -0.2, -0.04].map(|x| shade(x, true)), ["heat-n4", "heat-n2", "heat-0"]);
        assert_eq!([0.7, 0.2, 0.04].map(|x| shade(x, true)), ["heat-p4", "heat-p2", "heat-0"]);
        assert_eq!(shade(0.3, false), "heat-v3");
        let legend = legend().into_string();
        assert!(
            legend.contains("heat-n4\">−0.5</span>") && legend.contains("heat-p4\">+0.5</span>"),
            "{legend}"
        );
    }
}
