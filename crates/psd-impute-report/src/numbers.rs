//! Numbers formatted for readers.

/// A number rounded to the given significant digits.
pub(crate) fn rounded(x: f64, digits: i32) -> f64 {
    if x == 0.0 || !x.is_finite() {
        return x;
    }
    // The nearest decimal with those digits, parsed back.
    format!("{x:.*e}", digits.max(1) as usize - 1).parse().unwrap_or(x)
}

/// A number with four significant digits; long ones with an exponent.
pub(crate) fn short(x: f64) -> String {
    let x = rounded(x, 4);
    match x.abs() {
        _ if !x.is_finite() => "\u{2013}".to_string(),
        size if size != 0.0 && !(1e-4..1e9).contains(&size) => format!("{x:e}"),
        size if size >= 1e4 => grouped(x.round() as i64),
        _ => format!("{x}").replacen('-', "\u{2212}", 1),
    }
}

/// A count with separated thousands.
pub(crate) fn count(n: u64) -> String {
    grouped(i64::try_from(n).unwrap_or(i64::MAX))
}

fn grouped(n: i64) -> String {
    let digits = n.unsigned_abs().to_string();
    let mut out = if n < 0 { "\u{2212}".to_string() } else { String::new() };
    for (k, digit) in digits.chars().enumerate() {
        if k > 0 && (digits.len() - k).is_multiple_of(3) && digits.len() > 4 {
            out.push('\u{202f}');
        }
        out.push(digit);
    }
    out
}

/// A count with its noun.
pub(crate) fn counted(n: u64, what: &str) -> String {
    format!("{} {what}{}", count(n), if n == 1 { "" } else { "s" })
}

/// A share in percent: a whole number from 10 % on, with one decimal below.
pub(crate) fn percent(share: f64) -> String {
    let x = 100.0 * share;
    match x {
        _ if !x.is_finite() => "\u{2013}".to_string(),
        _ if x == 0.0 || x == 100.0 => format!("{x} %"),
        _ if x < 0.1 => "< 0.1 %".to_string(),
        _ if x > 99.9 => "> 99.9 %".to_string(),
        _ if x < 9.95 => format!("{x:.1} %"),
        _ if x > 99.5 => format!("{x:.1} %"),
        _ => format!("{x:.0} %"),
    }
}

/// A p-value with two digits, cut off where it is very small.
pub(crate) fn p_value(p: f64) -> String {
    if p < 1e-3 { "p < 0.001".to_string() } else { format!("p = {}", rounded(p, 2)) }
}

/// Names separated by commas, the last one after `and`.
pub(crate) fn list(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [rest @ .., last] => format!("{} and {last}", rest.join(", ")),
    }
}

/// The quantile of sorted numbers, interpolated between the two nearest.
pub(crate) fn quantile(sorted: &[f64], p: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else { return f64::NAN };
    let at = p * last as f64;
    let (low, share) = (at.floor() as usize, at.fract());
    sorted[low] + share * (sorted[(low + 1).min(last)] - sorted[low])
}

/// In increasing order.
pub(crate) fn sorted(mut values: Vec<f64>) -> Vec<f64> {
    values.sort_by(f64::total_cmp);
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_sensible_digits() {
        let shown: Vec<String> = [0.0, 1.0 / 3.0, -12.3456, 1234567.0, 2.5e-7, f64::NAN].map(short).into();
        assert_eq!(shown, ["0", "0.3333", "\u{2212}12.35", "1\u{202f}235\u{202f}000", "2.5e-7", "\u{2013}"]);
        let shares: Vec<String> = [0.0, 1e-5, 0.0123, 0.5, 0.996, 0.9999, 1.0].map(percent).into();
        assert_eq!(shares, ["0 %", "< 0.1 %", "1.2 %", "50 %", "99.6 %", "> 99.9 %", "100 %"]);
        assert_eq!((p_value(0.012345), p_value(1e-9)), ("p = 0.012".to_string(), "p < 0.001".to_string()));
        assert_eq!(counted(1, "row") + &counted(12345, "row"), "1 row12\u{202f}345 rows");
    }

    #[test]
    fn quantiles_lie_between_neighbours() {
        let values = [1.0, 2.0, 4.0];
        assert_eq!([0.0, 0.25, 0.75, 1.0].map(|p| quantile(&values, p)), [1.0, 1.5, 3.0, 4.0]);
    }

    #[test]
    fn names_are_listed() {
        let names = ["a", "b", "c"].map(String::from);
        assert_eq!((list(&names), list(&names[..1])), ("a, b and c".to_string(), "a".to_string()));
    }
}
