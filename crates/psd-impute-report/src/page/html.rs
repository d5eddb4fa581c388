//! Fragments of the page. Data from a table enters as text or as the value of an attribute, and both are escaped.

use std::fmt::Write;

/// A fragment of the page.
#[derive(Debug, Clone, Default)]
pub(super) struct Html(String);

impl Html {
    /// Escaped text.
    pub(super) fn text(text: impl AsRef<str>) -> Self {
        Self(escaped(text.as_ref()))
    }

    /// An element.
    pub(super) fn element(
        tag: &'static str,
        attributes: &[(&'static str, &str)],
        children: impl IntoIterator<Item = Html>,
    ) -> Self {
        let mut out = format!("<{tag}");
        for (name, value) in attributes {
            let _ = write!(out, " {name}=\"{}\"", escaped(value));
        }
        out.push('>');
        children.into_iter().for_each(|child| out += &child.0);
        let _ = write!(out, "</{tag}>");
        Self(out)
    }

    /// Fragments one after another.
    pub(super) fn all(pieces: impl IntoIterator<Item = Html>) -> Self {
        Self(pieces.into_iter().map(|piece| piece.0).collect())
    }

    /// The markup.
    pub(super) fn into_string(self) -> String {
        self.0
    }
}

/// A cell of a table.
pub(super) fn td(text: impl AsRef<str>) -> Html {
    Html::element("td", &[], [Html::text(text)])
}

/// A cell with a number.
pub(super) fn number(text: impl AsRef<str>) -> Html {
    Html::element("td", &[("class", "number")], [Html::text(text)])
}

/// The heading of a row.
pub(super) fn row_heading(text: impl AsRef<str>) -> Html {
    Html::element("th", &[("scope", "row")], [Html::text(text)])
}

/// A cell with a bar whose length is a share. The next cell has the share as text, for readers who cannot see bars.
pub(super) fn bar(share: f64, class: &'static str) -> Html {
    let width = format!("{:.2}%", 100.0 * share.clamp(0.0, 1.0));
    let rect =
        Html::element("rect", &[("class", class), ("width", &width), ("height", "100%"), ("rx", "2")], []);
    let svg = [("class", "bar"), ("aria-hidden", "true"), ("focusable", "false")];
    Html::element("td", &[("class", "bars")], [Html::element("svg", &svg, [rect])])
}

/// A row.
pub(super) fn row(cells: impl IntoIterator<Item = Html>) -> Html {
    Html::element("tr", &[], cells)
}

/// A cell that narrow screens hide.
pub(super) fn aside(text: impl AsRef<str>) -> Html {
    Html::element("td", &[("class", "aside")], [Html::text(text)])
}

/// The heading of a column.
pub(super) enum Heading<'a> {
    /// Over text.
    Text(&'a str),
    /// Over numbers.
    Number(&'a str),
    /// Over cells that narrow screens hide.
    Aside(&'a str),
}

/// A table that scrolls within its own bounds.
pub(super) fn table(
    caption: &str,
    class: &'static str,
    headings: &[Heading<'_>],
    rows: impl IntoIterator<Item = Html>,
) -> Html {
    let heading = |heading: &Heading<'_>| {
        let (class, text) = match heading {
            Heading::Text(text) => ("", text),
            Heading::Number(text) => ("number", text),
            Heading::Aside(text) => ("aside", text),
        };
        Html::element("th", &[("scope", "col"), ("class", class)], [Html::text(text)])
    };
    grid(caption, class, row(headings.iter().map(heading)), rows)
}

/// A table with given headings. Its caption is its accessible name, and the keyboard can scroll it.
pub(super) fn grid(
    caption: &str,
    class: &'static str,
    head: Html,
    rows: impl IntoIterator<Item = Html>,
) -> Html {
    let caption = Html::element("caption", &[], [Html::text(caption)]);
    let parts = [caption, Html::element("thead", &[], [head]), Html::element("tbody", &[], rows)];
    let table = Html::element("table", &[("class", class)], parts);
    Html::element("figure", &[], [Html::element("div", &[("class", "scroll"), ("tabindex", "0")], [table])])
}

/// A table behind a summary.
pub(super) fn folded(summary: &str, table: Html) -> Html {
    Html::element("details", &[], [Html::element("summary", &[], [Html::text(summary)]), table])
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '&' => out += "&amp;",
            '"' => out += "&quot;",
            '\'' => out += "&#39;",
            // Characters that change the direction of the text after them, or that a document must not have.
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => out.push('\u{fffd}'),
            c if c.is_control() && !matches!(c, '\n' | '\t') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_are_shown_as_they_are_and_a_table_has_one_name() {
        let headings = [Heading::Text("#1"), Heading::Number("~x"), Heading::Aside("kind")];
        let shown = table("What it holds", "", &headings, []).into_string();
        assert!(
            shown.contains("class=\"\">#1</th>") && shown.contains("class=\"number\">~x</th>"),
            "{shown}"
        );
        assert!(shown.contains("class=\"aside\">kind</th>"));
        assert_eq!(shown.matches("What it holds").count(), 1);
        assert!(shown.contains("<caption>What it holds</caption>") && !shown.contains("region"));
    }

    #[test]
    fn nothing_gets_out_of_text_and_attributes() {
        let hostile = "</td><script>alert('1')</script>\" onclick=\"x\" & \u{0}\u{202e}";
        let shown = Html::element("td", &[("title", hostile)], [Html::text(hostile)]).into_string();
        assert_eq!(shown.matches('<').count(), 2);
        assert_eq!(shown.matches('"').count(), 2);
        assert!(shown.contains("&lt;script&gt;") && !shown.contains('\u{0}') && !shown.contains('\u{202e}'));
    }
}
