//! Options for reading a table and treating its columns.

use super::Failure;
use super::progress::Progress;
use clap::Args;
use psd_impute_frame::{
    ColumnOverride, ColumnOverrides, DateOrder, Encoding, Format, LeftColumn, ReadOptions, Source, Surveyed,
    Target, Token, Writer,
};
use std::path::{Path, PathBuf};

/// How a CSV file is read.
#[derive(Args)]
pub(crate) struct ReadArgs {
    /// The character between the cells of a CSV file; found from the file unless given. `\t` is a tab.
    #[arg(long, value_name = "CHAR", value_parser = delimiter)]
    delimiter: Option<u8>,
    /// More texts that stand for a missing cell: `-999`, or `age=-999` in one column. NA, N/A, NaN, null, none, ?, - and the like always do.
    #[arg(long, value_name = "TOKENS", value_delimiter = ',', allow_hyphen_values = true, value_parser = token)]
    missing: Vec<Token>,
    /// The texts that stand for a missing cell instead of NA, N/A and the like, everywhere or as `COL=TOKEN` in one column.
    #[arg(long, value_name = "TOKENS", value_delimiter = ',', allow_hyphen_values = true, value_parser = token)]
    missing_only: Vec<Token>,
    /// The decimal sign of a CSV file, `.` or `,`; found from the whole file unless given.
    #[arg(long, value_name = "SIGN", value_parser = decimal)]
    decimal: Option<char>,
    /// The part that comes first in dates such as 01/02/2020: the day (`dmy`) or the month (`mdy`); found from the whole file unless given.
    #[arg(long, value_name = "ORDER", value_parser = dates)]
    dates: Option<DateOrder>,
    /// The encoding of a CSV file, such as `windows-1252` or `latin1`; what is written keeps it [default: utf-8, or utf-16 with its mark].
    #[arg(long, value_name = "NAME", value_parser = encoding)]
    encoding: Option<Encoding>,
    /// The first row of a CSV file or of a sheet is data; its columns are named V1, V2, ...
    #[arg(long)]
    no_header: bool,
    /// The sheet of an Excel workbook; the first that is shown unless given.
    #[arg(long, value_name = "NAME")]
    sheet: Option<String>,
}

impl ReadArgs {
    /// The table at a path; `-` is standard input.
    pub(crate) fn open(&self, path: &Path) -> Result<Source, Failure> {
        self.open_all(&[path.to_owned()])
    }

    /// The table of several files; `-` alone is standard input.
    pub(crate) fn open_all(&self, paths: &[PathBuf]) -> Result<Source, Failure> {
        let options = ReadOptions {
            delimiter: self.delimiter,
            missing: self.missing.clone(),
            missing_only: self.missing_only.clone(),
            decimal: self.decimal,
            dates: self.dates,
            encoding: self.encoding,
            no_header: self.no_header,
            sheet: self.sheet.clone(),
        };
        match paths {
            [path] if is_standard(path) => Ok(Source::spool(std::io::stdin().lock(), &options)?),
            _ if paths.iter().any(|path| is_standard(path)) => Err(Failure::InputsWithStream),
            _ => Ok(Source::open_all(paths, &options)?),
        }
    }
}

/// How a table is read, and what its columns are taken for, whatever they look like.
#[derive(Args)]
pub(crate) struct TableArgs {
    /// Columns that are categories, even if their cells are numbers.
    #[arg(long, value_name = "COLS", value_delimiter = ',')]
    categorical: Vec<String>,
    /// Columns that are ordered levels: few numbers, or labels given from the lowest to the highest, as in `--ordered "grade=G1<G2<G3"`.
    #[arg(long, value_name = "COLS", value_delimiter = ',')]
    ordered: Vec<String>,
    /// Columns that are numbers and may hold any.
    #[arg(long, value_name = "COLS", value_delimiter = ',')]
    continuous: Vec<String>,
    /// Columns that are left as they are, and that nothing is learned from.
    #[arg(long, value_name = "COLS", value_delimiter = ',')]
    ignore: Vec<String>,
    #[command(flatten)]
    read: ReadArgs,
}

impl TableArgs {
    /// The table at a path; `-` is standard input.
    pub(crate) fn open(&self, path: &Path) -> Result<Source, Failure> {
        self.read.open(path)
    }

    /// The table of several files; `-` alone is standard input.
    pub(crate) fn open_all(&self, paths: &[PathBuf]) -> Result<Source, Failure> {
        self.read.open_all(paths)
    }

    /// Reads a table's cells and decides what its columns are.
    pub(crate) fn survey(&self, source: &Source, progress: &Progress) -> Result<Surveyed, Failure> {
        progress.begin("reading", 1);
        Ok(Surveyed::new(source, self.overrides()?)?)
    }

    /// The overrides for columns. Refuses a column with two of them.
    pub(crate) fn overrides(&self) -> Result<ColumnOverrides, Failure> {
        let each = |columns: &[String], wanted: ColumnOverride| {
            columns.iter().map(move |column| (column.clone(), wanted.clone())).collect::<Vec<_>>()
        };
        let wanted = [
            each(&self.categorical, ColumnOverride::Category),
            self.ordered.iter().map(|text| ordered(text)).collect(),
            each(&self.continuous, ColumnOverride::Continuous),
            each(&self.ignore, ColumnOverride::Ignore),
        ];
        let mut overrides = ColumnOverrides::new();
        for (column, wanted) in wanted.into_iter().flatten() {
            if overrides.insert(column.clone(), wanted.clone()).is_some_and(|other| other != wanted) {
                return Err(Failure::TwoKinds { column });
            }
        }
        Ok(overrides)
    }
}

/// `COL` or `COL=LOW<MIDDLE<HIGH`. The last `=` before the first `<` ends the name, so that names may contain one.
fn ordered(text: &str) -> (String, ColumnOverride) {
    let levels = text.find('<').and_then(|end| text[..end].rfind('='));
    match levels {
        None => (text.to_string(), ColumnOverride::Ordered(None)),
        Some(at) => {
            let levels = text[at + 1..].split('<').map(|level| level.trim().to_string()).collect();
            (text[..at].to_string(), ColumnOverride::Ordered(Some(levels)))
        }
    }
}

/// Whether cells may stay empty.
#[derive(Args)]
pub(crate) struct StrictArg {
    /// Refuse a table with missing cells that would stay empty, such as those of free text.
    #[arg(long)]
    strict: bool,
}

impl StrictArg {
    /// Refuses columns with cells that stay empty, with `--strict`.
    pub(crate) fn check(&self, left: &[LeftColumn]) -> Result<(), Failure> {
        if self.strict {
            LeftColumn::refuse_empty(left)?;
        }
        Ok(())
    }
}

/// The files of a table, for messages.
pub(crate) fn names(paths: &[PathBuf]) -> String {
    const FEW: usize = 3;
    let names: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
    match names.len().saturating_sub(FEW) {
        0 => names.join(", "),
        more => format!("{} and {more} more", names[..FEW].join(", ")),
    }
}

/// Whether a path means standard input or output.
pub(crate) fn is_standard(path: &Path) -> bool {
    path == Path::new("-")
}

/// The output at a path; `-` is standard output.
pub(crate) fn target(path: &Path) -> Result<Target, Failure> {
    Ok(if is_standard(path) { Target::stream(std::io::stdout()) } else { Target::file(path)? })
}

/// A writer for a table read from a file of a format; `-` is standard output.
pub(crate) fn writer(path: &Path, format: Format) -> Result<Writer, Failure> {
    Ok(if is_standard(path) {
        Writer::to(std::io::stdout(), format, format)?
    } else {
        Writer::create(path, format)?
    })
}

/// For the third of several tables `out.csv` becomes `out.3.csv`, and `out.csv.gz` becomes `out.3.csv.gz`.
pub(crate) fn numbered(path: &Path, k: u64) -> PathBuf {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let whole = name.strip_suffix(".gz").or_else(|| name.strip_suffix(".zst")).unwrap_or(&name);
    let stem = whole.rfind('.').filter(|&at| at > 0).unwrap_or(whole.len());
    path.with_file_name(format!("{}.{k}{}", &name[..stem], &name[stem..]))
}

fn delimiter(text: &str) -> Result<u8, String> {
    match text.as_bytes() {
        b"\\t" => Ok(b'\t'),
        [byte] if byte.is_ascii() && !b"\"\r\n".contains(byte) => Ok(*byte),
        _ => Err("expected one character, or \\t for a tab".to_string()),
    }
}

fn decimal(text: &str) -> Result<char, String> {
    match text {
        "." => Ok('.'),
        "," => Ok(','),
        _ => Err("expected . or ,".to_string()),
    }
}

fn dates(text: &str) -> Result<DateOrder, String> {
    match text {
        "dmy" => Ok(DateOrder::Dmy),
        "mdy" => Ok(DateOrder::Mdy),
        _ => Err("expected dmy or mdy".to_string()),
    }
}

fn encoding(text: &str) -> Result<Encoding, String> {
    Encoding::named(text).ok_or_else(|| {
        "expected utf-8, utf-16le, utf-16be or an encoding of one byte a character, such as windows-1252"
            .to_string()
    })
}

/// `TOKEN` or `COL=TOKEN`. A text that looks like an option is more likely one after an option whose value was forgotten.
fn token(text: &str) -> Result<Token, String> {
    if text.strip_prefix("--").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphabetic())) {
        return Err("expected a token, but this is an option".to_string());
    }
    Ok(match text.split_once('=') {
        Some((column, token)) if !column.is_empty() => Token::of(column, token),
        _ => Token::everywhere(text),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_go_before_the_extension() {
        let of = |path: &str| numbered(Path::new(path), 3).to_string_lossy().into_owned();
        assert_eq!(of("out.csv"), "out.3.csv");
        assert_eq!(of("a.b/out"), "a.b/out.3");
        assert_eq!(of("out.csv.gz"), "out.3.csv.gz");
        assert_eq!(of(".hidden"), ".hidden.3");
    }

    #[test]
    fn a_delimiter_is_one_character() {
        assert_eq!(delimiter("\\t"), Ok(b'\t'));
        assert_eq!(delimiter(";"), Ok(b';'));
        assert!(["", ";;", "\"", "é"].iter().all(|text| delimiter(text).is_err()));
    }

    #[test]
    fn tokens_may_be_for_one_column() {
        assert_eq!(token("-999"), Ok(Token::everywhere("-999")));
        assert_eq!(token("age=-999"), Ok(Token::of("age", "-999")));
        assert_eq!(token("=x"), Ok(Token::everywhere("=x")));
        assert_eq!(token("--"), Ok(Token::everywhere("--")));
        assert!(token("--json").is_err());
    }
}
