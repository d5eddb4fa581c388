//! Text before or behind a number: currencies, percent signs and units.

/// Currency codes written beside amounts.
const CODES: [&str; 40] = [
    "USD", "EUR", "GBP", "JPY", "CHF", "CAD", "AUD", "NZD", "CNY", "RMB", "HKD", "SGD", "INR", "KRW", "SEK",
    "NOK", "DKK", "ISK", "PLN", "CZK", "HUF", "RON", "BGN", "TRY", "RUB", "UAH", "ILS", "ZAR", "BRL", "MXN",
    "ARS", "CLP", "COP", "THB", "IDR", "MYR", "PHP", "VND", "AED", "SAR",
];

/// Units of measure. Other texts are taken for units only in columns that cannot be labels.
const UNITS: [&str; 96] = [
    "kg", "g", "mg", "µg", "μg", "ug", "mcg", "ng", "lb", "lbs", "oz", "km", "m", "cm", "mm", "µm", "μm",
    "nm", "ft", "in", "inch", "inches", "mi", "mile", "miles", "yd", "l", "ml", "mL", "dl", "dL", "cl",
    "gal", "s", "sec", "secs", "ms", "min", "mins", "h", "hr", "hrs", "hour", "hours", "day", "days", "week",
    "weeks", "month", "months", "year", "years", "yr", "yrs", "°C", "°F", "°", "Pa", "kPa", "hPa", "MPa",
    "bar", "mbar", "mmHg", "kW", "MW", "Wh", "kWh", "MWh", "kJ", "kcal", "cal", "mV", "kV", "mA", "Hz",
    "kHz", "MHz", "GHz", "KB", "kB", "MB", "GB", "TB", "ppm", "ppb", "px", "mph", "kmh", "bpm", "rpm", "dB",
    "mol", "mmol", "ha", "cc",
];

/// The most letters of an unknown unit.
const LONGEST: usize = 8;

/// Whether a text is a currency sign or code.
pub(super) fn is_currency(text: &str) -> bool {
    let mut chars = text.chars();
    let sign = |c: char| matches!(c, '$' | '£' | '¥' | '¢' | '\u{20a0}'..='\u{20cf}');
    match (chars.next(), chars.next()) {
        (Some(c), None) => sign(c),
        (Some(_), Some(_)) => {
            CODES.contains(&text)
                || matches!(text, "US$" | "A$" | "C$" | "NZ$" | "HK$" | "R$" | "kr" | "zł" | "Fr." | "Rs")
        }
        _ => false,
    }
}

/// Whether a text may stand behind a number. Ordinals may not, nor may anything with digits, so that codes remain text.
pub(super) fn is_suffix(text: &str) -> bool {
    let unit =
        |c: char| c.is_alphabetic() || matches!(c, '/' | '°' | '%' | '‰' | '²' | '³' | 'µ' | '\'' | '"');
    let ordinal = matches!(text, "st" | "nd" | "rd" | "th");
    is_known(text) || text.chars().count() <= LONGEST && text.chars().all(unit) && !ordinal
}

/// Whether a suffix is a percent sign, a currency or a well-known unit, or one unit per another: `mg/dL`.
pub(crate) fn is_known(text: &str) -> bool {
    let unit = |text: &str| {
        let text = text.trim_end_matches(['²', '³']);
        UNITS.contains(&text) || text == "L"
    };
    let per = |text: &str| text.split_once('/').is_some_and(|(over, under)| unit(over) && unit(under));
    matches!(text, "%" | "‰") || is_currency(text) || unit(text) || per(text)
}
