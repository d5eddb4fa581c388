//! Findings to look at, as a list.

use super::html::{Html, folded};
use crate::findings::look::Look;

/// Findings shown unfolded.
const SHOWN: usize = 8;

/// One line per finding.
pub(super) fn list(look: &Look) -> Html {
    if look.is_empty() {
        return Html::default();
    }
    let warnings = look.warnings.iter().map(|warning| sentence(&warning.to_string()));
    let doubts = look.doubts.iter().map(|doubt| Html::text(doubt.replace(" %", "\u{a0}%")));
    let item = |text: Html| Html::element("li", &[], [text]);
    let mut items: Vec<Html> = doubts.chain(warnings).map(item).collect();
    let rest = items.split_off(items.len().min(SHOWN));
    let list = |items: Vec<Html>| Html::element("ul", &[("class", "look")], items);
    match rest.len() {
        0 => list(items),
        more => Html::all([list(items), folded(&format!("{more} more"), list(rest))]),
    }
}

/// A sentence whose `names` are set as code.
fn sentence(text: &str) -> Html {
    let mut first = text.chars();
    let capital = first.next().map(|c| c.to_uppercase().to_string() + first.as_str()).unwrap_or_default();
    let text = capital.replace(" %", "\u{a0}%") + ".";
    // An odd number of ticks means that a name contains one: then all is plain text.
    if text.matches('`').count() % 2 == 1 {
        return Html::text(text);
    }
    let piece = |(k, piece): (usize, &str)| match k % 2 {
        0 => Html::text(piece),
        _ => Html::element("code", &[], [Html::text(piece)]),
    };
    Html::all(text.split('`').enumerate().map(piece))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_set_as_code_and_escaped() {
        assert_eq!(
            sentence("`a<b` is 0 in 5 % of cells").into_string(),
            "<code>a&lt;b</code> is 0 in 5\u{a0}% of cells."
        );
        assert_eq!(sentence("the gap in `a`b`").into_string(), "The gap in `a`b`.");
    }
}
