//! Observed and imputed values, and unusual rows, as tables.

use super::html::{Html, folded, number, row, row_heading, table, td};
use crate::findings::Findings;
use crate::findings::belong::{Belong, Compared, Shares};
use crate::findings::outliers::{Outliers, Unusual};
use crate::findings::settings::Settings;
use crate::numbers::{count, counted, percent, rounded, short};

/// Where the imputed values are from.
pub(super) fn source(belong: &Belong, settings: &Settings) -> String {
    match (belong.tables, settings.completed.is_empty()) {
        (0, _) => String::new(),
        (_, true) => "Imputed values are one draw from the model for each missing cell (seed 0).".to_string(),
        (n, false) => format!("Imputed values are those of {}.", counted(n as u64, "completed table")),
    }
}

/// Numbers first, then labels.
pub(super) fn belong(belong: &Belong, findings: &Findings) -> Html {
    let name = |compared: &Compared| row_heading(&findings.columns[compared.column].name);
    let (labels, numbers): (Vec<&Compared>, Vec<&Compared>) =
        belong.columns.iter().partition(|compared| matches!(compared.shares, Shares::Labels { .. }));
    let pair = |compared: &Compared| {
        let line =
            |what: &str, first: Html, summary: &crate::findings::belong::Summary, last: [String; 2]| {
                let cells = summary.shown.iter().map(number);
                row([first, td(what), number(count(summary.count as u64))]
                    .into_iter()
                    .chain(cells)
                    .chain(last.map(number)))
            };
        let distance = short(rounded(compared.distance, 2));
        let outside = count(compared.outside as u64);
        let blank = Html::element("td", &[], []);
        [
            line("observed", name(compared), &compared.observed, Default::default()),
            line("imputed", blank, &compared.imputed, [distance, outside]),
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
            "Column",
            "Values",
            "#Cells",
            "#Mean",
            "#Deviation",
            "#5 %",
            "#Median",
            "#95 %",
            "#Distance",
            "#Outside",
        ];
        let lines = numbers.into_iter().flat_map(pair);
        out.push(folded(
            "Numbers and dates as a table",
            table("Observed and imputed numbers", "", &headings, lines),
        ));
    }
    if !labels.is_empty() {
        let headings =
            ["Column", "#Observed", "Commonest", "#Share", "#Imputed", "Commonest", "#Share", "#Distance"];
        let lines = labels.iter().map(guess);
        out.push(folded("Categories as a table", table("Observed and imputed labels", "", &headings, lines)));
    }
    Html::all(out)
}

/// The rows with all their cells.
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
    let headings: Vec<&str> =
        ["Row", "#Share", "#Log-density"].into_iter().chain(names.iter().copied()).collect();
    let caption = "The most unusual rows: the share of the model’s own rows that are no more probable";
    folded("The most unusual rows", table(caption, "", &headings, outliers.rows.iter().map(line)))
}
