//! `--bounds COL=LO:HI`.

use clap::Args;
use psd_impute_frame::{Bounds, BoundsOptions, End};

/// Bounds of the cells of columns.
#[derive(Args)]
pub(crate) struct BoundsArgs {
    /// The bounds of the cells of a column, both ends included; either may be left out, as in `--bounds age=0:`. Imputed cells also respect ends
    /// that all observed ones respect (positive amounts, shares, scales); `--bounds none` lifts these.
    #[arg(long, value_name = "COL=LO:HI", value_parser = parse_any)]
    bounds: Vec<BoundsArg>,
}

#[derive(Clone)]
enum BoundsArg {
    Auto,
    None,
    Column(Bounds),
}

impl BoundsArgs {
    pub(crate) fn options(&self) -> BoundsOptions {
        let asked = self.bounds.iter().filter_map(|given| match given {
            BoundsArg::Column(bounds) => Some(bounds.clone()),
            BoundsArg::Auto | BoundsArg::None => None,
        });
        let lifted = self.bounds.iter().any(|given| matches!(given, BoundsArg::None));
        BoundsOptions { asked: asked.collect(), auto: !lifted }
    }
}

fn parse_any(text: &str) -> Result<BoundsArg, String> {
    match text {
        "auto" => Ok(BoundsArg::Auto),
        "none" => Ok(BoundsArg::None),
        _ => parse(text).map(BoundsArg::Column),
    }
}

/// The last `=` ends the name, so that names may contain one. Times contain colons, so ends with times are separated by `::`.
fn parse(text: &str) -> Result<Bounds, String> {
    let wrong = || "expected COL=LO:HI, where LO or HI may be left out, or none or auto".to_string();
    let (column, range) = text.rsplit_once('=').ok_or_else(wrong)?;
    let parted = range.split_once("::").or_else(|| range.split_once(':'));
    let (lo, hi) = parted.ok_or_else(wrong)?;
    let end = |text: &str| Some(text.trim().to_string()).filter(|text| !text.is_empty()).map(End::Text);
    match [end(lo), end(hi)] {
        [None, None] => Err(wrong()),
        ends => Ok(Bounds { column: column.to_string(), ends }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn either_end_may_be_left_out_and_names_may_hold_anything() {
        let of = |text: &str| {
            parse(text).map(|b| (b.column, b.ends.map(|e| e.map(|e| e.to_string()).unwrap_or_default())))
        };
        let is =
            |column: &str, lo: &str, hi: &str| Ok((column.to_string(), [lo.to_string(), hi.to_string()]));
        assert_eq!(of("age=0:120"), is("age", "0", "120"));
        assert_eq!(of("age= 0 :"), is("age", "0", ""));
        assert_eq!(of("a=b:c=:-1e3"), is("a=b:c", "", "-1e3"));
        assert_eq!(of("at=2020-01-01T10:30:00::"), is("at", "2020-01-01T10:30:00", ""));
        for text in ["age", "age=3", "age=:", "0:3"] {
            assert!(of(text).is_err(), "{text}");
        }
    }
}
