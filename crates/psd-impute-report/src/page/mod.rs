//! A self-contained HTML file.
//!
//! `page.html` is the document with `{{places}}` that are filled here: answers and tables, which need no script, the style, the script,
//! and the findings as JSON, which the script draws. Nothing is loaded: the page's policy forbids it, and allows only this script and this
//! style, by their digests.

mod calibration;
mod cells;
mod dependence;
mod fit;
mod gaps;
mod html;
mod json;
mod look;
mod settings;
mod values;

use crate::error::Result;
use crate::findings::Findings;
use crate::numbers::{counted, percent};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use html::Html;
use sha2::{Digest, Sha256};
use std::path::Path;

const DOCUMENT: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
/// The script; each part uses those before it.
const SCRIPT: &str = concat!(
    include_str!("script/dom.js"),
    include_str!("script/axes.js"),
    include_str!("script/values.js"),
    include_str!("script/pairs.js"),
    include_str!("script/cells.js"),
    include_str!("script/calibration.js"),
    include_str!("script/start.js"),
);

/// Renders the page of some findings.
///
/// # Errors
///
/// If the findings cannot be written as JSON.
pub fn page(findings: &Findings) -> Result<String> {
    let names: Vec<&str> = findings.columns.iter().map(|column| column.name.as_str()).collect();
    // No line break between a number and its percent sign.
    let answer = |text: String| Html::text(text.replace(" %", "\u{a0}%"));
    let policy = format!(
        "default-src 'none'; style-src '{}'; script-src '{}'; base-uri 'none'; form-action 'none'",
        digest(STYLE),
        digest(SCRIPT)
    );
    let Findings {
        look,
        missing,
        patterns,
        little,
        dependence,
        belong,
        outliers,
        cells,
        fit,
        calibration,
        settings,
        ..
    } = findings;
    let places = [
        ("policy", Html::text(policy)),
        ("name", Html::text(file_name(&settings.table))),
        ("about", answer(about(findings))),
        ("look", answer(look.answer())),
        ("look-list", look::list(look)),
        ("missing", answer(missing.answer())),
        ("missing-table", gaps::columns(missing)),
        ("patterns", answer(patterns.answer())),
        ("patterns-table", gaps::patterns(patterns, missing)),
        ("little", answer(little.answer(dependence))),
        ("dependence", answer(dependence.answer(&names))),
        ("dependence-map", dependence::map(dependence, &names)),
        ("dependence-table", dependence::table(dependence, &names)),
        ("belong", answer(belong.answer(&names, look))),
        ("belong-source", answer(values::source(belong, settings))),
        ("belong-table", values::belong(belong, findings)),
        ("outliers", answer(outliers.answer())),
        ("outliers-table", values::outliers(outliers, &names)),
        ("cells", answer(cells.answer())),
        ("cells-table", cells::table(cells, &names)),
        ("fit", answer(fit.answer())),
        ("fit-table", fit::members(fit)),
        ("calibration", answer(calibration.answer(&names))),
        ("calibration-note", answer(calibration::note(calibration))),
        ("calibration-levels", calibration::levels(calibration)),
        ("calibration-table", calibration::columns(calibration, &names)),
        ("settings", settings::table(settings, fit)),
        ("commands", Html::text(settings.commands.join("\n"))),
    ];
    let mut texts = vec![
        ("style", STYLE.to_string()),
        ("script", SCRIPT.to_string()),
        ("findings", json::embedded(findings)?),
    ];
    texts.extend(places.map(|(name, html)| (name, html.into_string())));
    Ok(filled(DOCUMENT, &texts))
}

fn about(findings: &Findings) -> String {
    let missing = &findings.missing;
    format!(
        "{}, {}, {} of the cells missing",
        counted(missing.rows, "row"),
        counted(missing.columns.len() as u64, "modelled column"),
        percent(missing.gaps() as f64 / missing.cells().max(1) as f64)
    )
}

/// The name of a file without its folders.
fn file_name(path: &str) -> &str {
    Path::new(path).file_name().and_then(|name| name.to_str()).unwrap_or(path)
}

fn digest(text: &str) -> String {
    format!("sha256-{}", BASE64_STANDARD.encode(Sha256::digest(text.as_bytes())))
}

/// The document with its places filled. Inserted text is not scanned for places again.
fn filled(document: &str, places: &[(&str, String)]) -> String {
    let mut out = String::new();
    for (k, piece) in document.split("{{").enumerate() {
        match piece.split_once("}}").filter(|_| k > 0) {
            None => out += piece,
            Some((name, rest)) => {
                let found = places.iter().find(|place| place.0 == name);
                out += found.map_or("", |place| place.1.as_str());
                out += rest;
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_filled_in_is_not_filled_again() {
        let places = [("a", "{{b}}".to_string()), ("b", "x".to_string())];
        assert_eq!(filled("1 {{a}} 2 {{b}} 3", &places), "1 {{b}} 2 x 3");
    }

    #[test]
    fn nothing_in_style_and_script_ends_them() {
        for text in [STYLE, SCRIPT] {
            assert!(!text.contains("</") && !text.contains("<!--") && !text.contains("innerHTML"));
        }
    }

    #[test]
    fn digests_are_those_of_the_standard() {
        // Of the empty text, as in the examples of FIPS 180-4.
        assert_eq!(digest(""), "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
    }
}
