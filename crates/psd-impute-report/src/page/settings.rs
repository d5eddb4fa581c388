//! The settings that reproduce the report, as a table.

use super::html::Heading::Text;
use super::html::{self, Html, row, row_heading, td};
use crate::findings::fit::Fit;
use crate::findings::settings::Settings;
use crate::numbers::{count, list};

/// A line for each fact.
pub(super) fn table(settings: &Settings, fit: &Fit) -> Html {
    let [modelled, known] = settings.columns;
    let mut facts = vec![
        ("psd-impute", settings.version.to_string()),
        ("Table", settings.table.clone()),
        ("Rows", count(settings.rows)),
        ("Columns", format!("{modelled} modelled of {known}")),
        ("Model", settings.model.clone()),
        ("Fitted to", format!("{} rows, seed {}", count(fit.rows as u64), fit.seed)),
        ("Preset", fit.recipe.clone()),
        ("Converged", if fit.converged { "yes" } else { "no" }.to_string()),
    ];
    if !settings.completed.is_empty() {
        facts.push(("Completed tables", list(&settings.completed)));
    }
    if !settings.bounds.is_empty() {
        facts.push(("Bounds", list(&settings.bounds)));
    }
    facts.extend(settings.notes.iter().map(|note| ("Note", note.clone())));
    let line = |(what, value): (&str, String)| -> Html { row([row_heading(what), td(value)]) };
    html::table("Settings", "facts", &[Text("What"), Text("Value")], facts.into_iter().map(line))
}
