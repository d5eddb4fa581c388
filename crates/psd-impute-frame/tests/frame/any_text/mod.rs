//! Reading of generated and then damaged text.

mod property;

use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const INPUTS: usize = 20_000;

/// Cells that are alike, as columns have them, and some that only seem so.
const THEMES: [&[&str]; 16] = [
    &["1", "2", "-3", "+4", "17", "9007199254740993", "-0", "007", "99999999999999999999"],
    &["0", "1", "1", "0", "0.0", "1.0"],
    &[
        "1.5",
        ".5",
        "5.",
        "-2.25",
        "1e5",
        "1E-7",
        "0.1234567",
        "1e999",
        "inf",
        "-Infinity",
        "1e",
        "+",
        "5e-324",
    ],
    &["1,5", "2,25", "1.234,5", "1,234.5", "1,234", "1.234.567", ",5", "1,2,3", "-1,234,567.25"],
    &["2020-01-01", "2024-02-29", "2023-02-29", "0000-01-01", "9999-12-31", "2020-1-1", "2020-01-01T"],
    &[
        "2020-01-01T12:30",
        "2020-01-01 12:30:59.123456789",
        "2020-01-01T00:00:00Z",
        "0000-01-01T00:00+23:59",
        "9999-12-31 23:59:59.9-23:59",
        "2020-01-01T12:30+1:00",
    ],
    &["true", "false", "True", "FALSE", "t", "yes", "no"],
    &["red", "blue", "red ", "\u{a0}blue", "réd", "\"red\"", "\"re\"\"d\"", "\"blue\"x", "re\"d"],
    &[
        "\"a,b;c\td|e f\"",
        "\"line\nfeed\"",
        "\"carriage\r\nreturn\"",
        "😀",
        "\u{feff}",
        "\u{2003}",
        "a\u{0}b",
    ],
    &["some words here", "other words there", "x y", "z"],
    &[
        "$1,234.50",
        "$5",
        "-$7.25",
        "($3)",
        "$ 1'000",
        "€5",
        "USD 7",
        "$",
        "$-",
        "$1e5",
        "$99999999999999999999",
    ],
    &[
        "12 kg",
        "5.3kg",
        "7 lb",
        "1 234,5 kg",
        "−3 kg",
        "12kg.",
        "3rd",
        "9 %",
        "0.5",
        "1\u{202f}234",
        "12 °C",
        "1.2.3 kg",
    ],
    &[
        "31/01/2020",
        "01/02/2020",
        "1/31/2020",
        "31.12.99",
        "31-Jan-2020",
        "Jan 31, 2020",
        "29/02/2021",
        "1/2/3",
        "//",
    ],
    &["20200131", "20191224", "20200496", "99999999", "00000000", "2020013", "20200131.0"],
    &[
        "13:45",
        "1:45 PM",
        "24:00",
        "36:10",
        "1:02:03",
        "PT1H",
        "-PT5M",
        "P1D",
        "1 days 02:03:04",
        "PT",
        "12:60",
        ":",
        "0:0",
    ],
    &["N/A", "none", "-999", "-999", "9999", "\\N", "--", "<NA>", "#DIV/0!", "1.#QNAN", "unknown"],
];
const MISSING: [&str; 9] = ["", "NA", " NA ", "\"\"", "\"NA\"", "?", "null", "  ", "-"];
const NAMES: [&str; 8] = ["a", "b", "id", "\"c,d\"", " e ", "", "a_missing", "\"f\"\"\""];
const BYTES: &[u8] = b"\"\"\",;\t| \r\n\n\0-.0e\xc3\xa9\xff\xef\xbb\xbf";

fn table(rng: &mut ChaCha8Rng) -> Vec<u8> {
    let (columns, rows) = (rng.random_range(1..5), rng.random_range(0..16));
    let pick = |cells: &[&'static str], rng: &mut ChaCha8Rng| *cells.choose(rng).unwrap();
    let delimiter = pick(&[",", ";", "\t", "|", " "], rng);
    let line_end = pick(&["\n", "\n", "\r\n", "\r", "\n\n", "\r\n \r\n"], rng);
    let themes: Vec<&[&str]> = (0..columns).map(|_| *THEMES.choose(rng).unwrap()).collect();
    let mut lines = vec![(0..columns).map(|_| pick(&NAMES, rng)).collect::<Vec<_>>().join(delimiter)];
    for _ in 0..rows {
        let cell = |theme: &&'static [&'static str]| match rng.random_range(0..10) {
            0 => pick(&MISSING, rng),
            1 => pick(THEMES.choose(rng).unwrap(), rng),
            // A few cells come back, so that there are categories.
            k if k < 6 => pick(&theme[..2], rng),
            _ => pick(theme, rng),
        };
        lines.push(themes.iter().map(cell).collect::<Vec<_>>().join(delimiter));
    }
    let start = if rng.random_bool(0.1) { "\u{feff}" } else { "" };
    let end = if rng.random_bool(0.5) { line_end } else { "" };
    format!("{start}{}{end}", lines.join(line_end)).into_bytes()
}

/// Changes, adds, removes or repeats some bytes.
fn damage(bytes: &mut Vec<u8>, rng: &mut ChaCha8Rng) {
    for _ in 0..rng.random_range(1..5) {
        let at = rng.random_range(0..=bytes.len());
        let end = rng.random_range(at..=bytes.len());
        match rng.random_range(0..4) {
            0 if at < bytes.len() => bytes[at] = rng.random(),
            1 => drop(bytes.drain(at..end.min(at + 4))),
            2 => bytes.extend_from_within(at..end),
            _ => bytes.insert(at, *BYTES.choose(rng).unwrap()),
        }
    }
}

#[test]
fn any_text_is_read_and_comes_back_or_is_refused() {
    let mut rng = ChaCha8Rng::seed_from_u64(0);
    let mut whole = 0;
    for k in 0..INPUTS {
        let mut bytes = table(&mut rng);
        if k % 2 == 0 {
            damage(&mut bytes, &mut rng);
        }
        let delimiter = rng.random_bool(0.1).then(|| rng.random());
        whole += usize::from(property::check(&bytes, delimiter));
    }
    assert!(whole > INPUTS / 10, "only {whole} of {INPUTS} could be read");
}
