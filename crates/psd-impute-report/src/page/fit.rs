//! The report of the fit, as a table with bars.

use super::html::Heading::{Number, Text};
use super::html::{Html, bar, number, row, row_heading, table};
use crate::findings::fit::{Fit, Member};
use crate::numbers::{percent, short};

/// The members with their weights, the heaviest first.
pub(super) fn members(fit: &Fit) -> Html {
    if fit.members.is_empty() {
        return Html::default();
    }
    let line = |member: &Member| {
        row([
            row_heading(format!("{}, {}", member.name, member.space)),
            bar(member.weight, "observed"),
            number(if member.weight > 0.0 { percent(member.weight) } else { "–".to_string() }),
            number(short(member.held_out)),
        ])
    };
    let headings = [Text("Member"), Text("Weight"), Number("Weight"), Number("Alone")];
    let caption = "What the model is made of, and each member alone: the log-likelihood of rows it had not seen, in nats per row";
    table(caption, "chart", &headings, fit.members.iter().map(line))
}
