//! The files of a table.

use crate::error::{Error, Result};
use crate::place::Origin;
use std::fs::DirEntry;
use std::path::{Path, PathBuf};

/// The deepest nesting of folders searched.
const DEEPEST: usize = 20;
/// The folder name that some programs use for missing values.
const NO_VALUE: &str = "__HIVE_DEFAULT_PARTITION__";

/// A Parquet file within a folder.
#[derive(Debug, PartialEq)]
pub(crate) struct PartFile {
    pub(crate) path: PathBuf,
    /// The values given by folders named `key=value`.
    pub(crate) keys: Vec<(String, Option<String>)>,
}

/// The Parquet files of a folder and its subfolders, ordered by name. Hidden ones, and those whose names begin with `_`, are left out. Also
/// returns the number of other files.
pub(crate) fn parquet_files(folder: &Path) -> Result<(Vec<PartFile>, u64)> {
    let mut found = (Vec::new(), 0);
    visit(folder, &[], 0, &mut found)?;
    if found.0.is_empty() {
        return Err(Error::NoParquet { origin: Origin::file(folder) });
    }
    Ok(found)
}

fn visit(
    folder: &Path,
    keys: &[(String, Option<String>)],
    depth: usize,
    found: &mut (Vec<PartFile>, u64),
) -> Result<()> {
    let io = |error| Error::Io { path: folder.to_owned(), error };
    let mut entries =
        folder.read_dir().map_err(io)?.collect::<std::io::Result<Vec<DirEntry>>>().map_err(io)?;
    entries.sort_by_key(DirEntry::file_name);
    for entry in entries {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with(['.', '_']) {
            continue;
        }
        // A link to a folder may lead back, so that rows would be read twice.
        if entry.file_type().map_err(io)?.is_dir() {
            let key = name.split_once('=').map(|(key, value)| (decoded(key), value_of(value)));
            let keys: Vec<_> = keys.iter().cloned().chain(key).collect();
            if depth == DEEPEST {
                let what = format!("{} is more than {DEEPEST} folders deep", entry.path().display());
                return Err(Error::TooLarge { origin: Origin::file(folder), what });
            }
            visit(&entry.path(), &keys, depth + 1, found)?;
        } else if name.ends_with(".parquet") || name.ends_with(".pq") {
            found.0.push(PartFile { path: entry.path(), keys: keys.to_vec() });
        } else {
            found.1 += 1;
        }
    }
    Ok(())
}

fn value_of(text: &str) -> Option<String> {
    Some(decoded(text)).filter(|value| value != NO_VALUE)
}

/// Decodes a name with bytes written as `%20`.
fn decoded(text: &str) -> String {
    let (mut bytes, mut rest) = (Vec::new(), text.as_bytes());
    while let [first, tail @ ..] = rest {
        let code = tail.get(..2).filter(|_| *first == b'%').and_then(|code| std::str::from_utf8(code).ok());
        match code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &tail[2..];
            }
            None => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_name_values() {
        assert_eq!(decoded("a%20b%C3%A9%zz%"), "a bé%zz%");
        assert_eq!(value_of("__HIVE_DEFAULT_PARTITION__"), None);
        let folder = tempfile::tempdir().unwrap();
        let files = [
            "b.parquet",
            "y=2/_x/c.parquet",
            "y=2/k=a/c.parquet",
            "y=10/c.parquet",
            ".h.parquet",
            "_SUCCESS",
            "n.txt",
        ];
        for file in files {
            let path = folder.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        }
        let (found, others) = parquet_files(folder.path()).unwrap();
        let text = |keys: &[(String, Option<String>)]| -> Vec<String> {
            keys.iter().map(|(key, value)| format!("{key}={}", value.as_deref().unwrap_or("-"))).collect()
        };
        let found: Vec<_> = found.iter().map(|part| text(&part.keys).join("/")).collect();
        assert_eq!((found, others), (vec!["".to_string(), "y=10".into(), "y=2/k=a".into()], 1));
    }
}
