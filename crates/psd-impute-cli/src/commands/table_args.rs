//! How a table is read, and what its columns are taken for.

use super::Failure;
use super::progress::Progress;
use clap::Args;
use psd_impute::table::Table;
use psd_impute_frame::{Format, Plan, ReadOptions, Source, Surveyed, Target, Wish, Wishes, Writer};
use std::path::{Path, PathBuf};

/// How a CSV file is read.
#[derive(Args)]
pub(crate) struct ReadArgs {
    /// What separates the cells of a CSV file; found from the file unless given. `\t` is a tab.
    #[arg(long, value_name = "CHAR", value_parser = delimiter)]
    delimiter: Option<u8>,
    /// What stands for a missing cell of a CSV file, besides nothing at all [default: NA,NaN,?,null,.,- and the like].
    #[arg(long, value_name = "TOKENS", value_delimiter = ',')]
    missing: Option<Vec<String>>,
}

impl ReadArgs {
    /// The table at a path; `-` is standard input.
    pub(crate) fn open(&self, path: &Path) -> Result<Source, Failure> {
        let options = ReadOptions { delimiter: self.delimiter, missing: self.missing.clone() };
        Ok(if is_standard(path) {
            Source::spool(std::io::stdin().lock(), &options)?
        } else {
            Source::open(path, &options)?
        })
    }
}

/// How a table is read, and what its columns are taken for, whatever they look like.
#[derive(Args)]
pub(crate) struct TableArgs {
    /// Columns that are categories, even if their cells are numbers.
    #[arg(long, value_name = "COLS", value_delimiter = ',')]
    categorical: Vec<String>,
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

    /// Looks at a table's cells and says what its columns are.
    pub(crate) fn survey(&self, source: &Source, progress: &Progress) -> Result<Surveyed, Failure> {
        progress.begin("reading", 1);
        Ok(Surveyed::new(source, self.wishes()?)?)
    }

    /// Refuses a column that is to be two things.
    pub(crate) fn wishes(&self) -> Result<Wishes, Failure> {
        let lists = [
            (&self.categorical, Wish::Category),
            (&self.continuous, Wish::Continuous),
            (&self.ignore, Wish::Ignore),
        ];
        let mut wishes = Wishes::new();
        for (columns, wish) in lists {
            for column in columns {
                if wishes.insert(column.clone(), wish).is_some_and(|other| other != wish) {
                    return Err(Failure::TwoKinds { column: column.clone() });
                }
            }
        }
        Ok(wishes)
    }
}

/// Whether a path means standard input or output.
pub(crate) fn is_standard(path: &Path) -> bool {
    path == Path::new("-")
}

/// All rows of a table, as the engine sees them.
pub(crate) fn whole_table(source: &Source, plan: &Plan) -> Result<Table, Failure> {
    let mut cells: Vec<f64> = Vec::new();
    for batch in source.batches()? {
        let (table, _) = plan.encode(&batch?)?;
        table.rows().for_each(|row| cells.extend(row));
    }
    Ok(plan.table(&cells)?)
}

/// Where a path leads to; `-` is standard output.
pub(crate) fn target(path: &Path) -> Result<Target, Failure> {
    Ok(if is_standard(path) { Target::stream(std::io::stdout()) } else { Target::file(path)? })
}

/// A writer of a table that comes from a file of a format; `-` is standard output.
pub(crate) fn writer(path: &Path, format: Format) -> Result<Writer, Failure> {
    Ok(if is_standard(path) {
        Writer::to(std::io::stdout(), format, format)?
    } else {
        Writer::create(path, format)?
    })
}

/// `out.csv` for the third of several tables is `out.3.csv`, and `out.csv.gz` is `out.3.csv.gz`.
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
}
