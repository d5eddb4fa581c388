//! Observed and imputed values, and unusual rows, as tables.

use super::html::Heading::{Number, Text};
use super::html::{Heading, Html, folded, number, row, row_heading, table, td};
use crate::findings::Findings;
use crate::findings::belong::{Belong, Compared, Shares, Summary};
use crate::findings::outliers::{Outliers, Unusual};
use crate::findings::settings::Settings;
use crate::numbers::{count, counted, percent, rounded, short};

/// The source of the imputed values.
pub(super) fn source(belong: &Belong, settings: &Settings) -> String {
    let some_of = |what: &str, [some, all]: [u64; 2], rows: &str| match some < all {
        true => format!(
            " The {what} values shown are from {} of {} {rows}, chosen at random.",
            count(some),
            count(all)
        ),
        false => String::new(),
    };
    let from = match (belong.tables, settings.completed.is_empty()) {
        (0, _) => return String::new(),
        (_, true) => {
            "Imputed values are the draws that `impute` writes with this model, seed 0 and one table."
                .to_string()
        }
        (n, false) => format!("Imputed values are those of {}.", counted(n as u64, "completed table")),
    };
    let observed = some_of("observed", belong.observed_rows, "rows");
    let imputed = some_of("imputed", belong.imputed_rows, "rows with gaps");
    format!("{from}{observed}{imputed}")
}

/// Observed and imputed values: numbers first, then labels.
pub(super) fn belong(belong: &Belong, findings: &Findings) -> Html {
    let name = |compared: &Compared| row_heading(&findings.columns[compared.column].name);
    let (labels, numbers): (Vec<&Compared>, Vec<&Compared>) =
        belong.columns.iter().partition(|compared| matches!(compared.shares, Shares::Labels { .. }));
    let pair = |compared: &Compared| {
        let line = |first: Option<Html>, what: &str, summary: &Summary, last: [String; 2]| {
            let cells = [td(what), number(count(summary.count as u64))];
            let shown = summary.shown.iter().map(number);
            row(first.into_iter().chain(cells).chain(shown).chain(last.map(number)))
        };
        let distance = short(rounded(compared.distance, 2));
        let outside = count(compared.outside as u64);
        // One heading spans both rows.
        let both = [("scope", "row"), ("rowspan", "2")];
        let column = &findings.columns[compared.column].name;
        [
            line(
                Some(Html::element("th", &both, [Html::text(column)])),
                "observed",
                &compared.observed,
                Default::default(),
            ),
            line(None, "imputed", &compared.imputed, [distance, outside]),
        ]
    };
    let guess = |compared: &&Compared| {
        let cells = [&compared.observed, &compared.imputed].into_iter().flat_map(|summary| {
            [number(count(summary.count as u64)), td(&summary.shown[0]), number(&summary.shown[1])]
        });
        row([name(compared)].into_iter().chain(cells).chain([number(short(rounded(compared.distance, 2)))]))
    };
    let mut out = Vec::new();
    if !numbers.is_empty() {
        let headings = [
            Text("Column"),
            Text("Values"),
            Number("Cells"),
            Number("Mean"),
            Number("Deviation"),
            Number("5 %"),
            Number("Median"),
            Number("95 %"),
            Number("Distance"),
            Number("Outside"),
        ];
        let lines = numbers.into_iter().flat_map(pair);
        out.push(folded(
            "Numbers and dates as a table",
            table("Observed and imputed numbers", "", &headings, lines),
        ));
    }
    if !labels.is_empty() {
        let headings = [
            Text("Column"),
            Number("Observed"),
            Text("Commonest"),
            Number("Share"),
            Number("Imputed"),
            Text("Commonest"),
            Number("Share"),
            Number("Distance"),
        ];
        let lines = labels.iter().map(guess);
        out.push(folded("Categories as a table", table("Observed and imputed labels", "", &headings, lines)));
    }
    Html::all(out)
}

/// The unusual rows with all their cells.
pub(super) fn outliers(outliers: &Outliers, names: &[&str]) -> Html {
    let line = |unusual: &Unusual| {
        let cells = unusual.cells.iter().map(|cell| match cell {
            Some(text) => td(text),
            None => Html::element("td", &[("class", "missing")], [Html::text("missing")]),
        });
        let first = [
            row_heading(count(unusual.row)),
            number(percent(unusual.share)),
            number(short(unusual.log_density)),
        ];
        row(first.into_iter().chain(cells))
    };
    let names = names.iter().map(|name| Text(name));
    let headings: Vec<Heading<'_>> =
        [Text("Row"), Number("Share"), Number("Log-density")].into_iter().chain(names).collect();
    let caption = "The most unusual rows: the share of the model’s own rows that are no more probable";
    folded("The most unusual rows", table(caption, "", &headings, outliers.rows.iter().map(line)))
}
