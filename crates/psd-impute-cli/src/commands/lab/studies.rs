//! Studies: files, and those built into the command.

use crate::commands::Failure;
use psd_impute_eval::lab::Study;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// The most imputations of a trial: all are kept until they are scored.
const MOST_IMPUTATIONS: u64 = 1000;

/// The built-in studies, by the names of their files.
const KNOWN: [(&str, &str); 3] = [
    ("paper.toml", include_str!("../../../studies/paper.toml")),
    ("in-sample.toml", include_str!("../../../studies/in-sample.toml")),
    ("minute.toml", include_str!("../../../studies/minute.toml")),
];

/// Reads a study from a file, or a built-in one if there is no such file.
pub(super) fn read(path: &Path) -> Result<Study, Failure> {
    let known = KNOWN.iter().find(|(name, _)| path == Path::new(name)).map(|(_, text)| text.to_string());
    let text = match known {
        Some(text) if !path.exists() => text,
        _ => std::fs::read_to_string(path).map_err(|error| absent(path, error))?,
    };
    let study: Study = toml::from_str(&text).map_err(|error| no_study(path, &text, &error))?;
    check(path, &study)?;
    Ok(study)
}

fn absent(path: &Path, error: std::io::Error) -> Failure {
    if error.kind() != std::io::ErrorKind::NotFound {
        return Failure::of_file(path)(error);
    }
    let known = KNOWN.map(|(name, _)| name).join(", ");
    Failure::NoStudy { path: path.to_owned(), known }
}

/// An error at a place of the file.
fn no_study(path: &Path, text: &str, error: &toml::de::Error) -> Failure {
    let before = &text[..error.span().map_or(0, |span| span.start.min(text.len()))];
    let line = before.matches('\n').count() + 1;
    Failure::Study { path: path.to_owned(), line, what: error.message().to_string() }
}

/// Refuses a study that would yield nothing, or fail only after hours.
fn check(path: &Path, study: &Study) -> Result<(), Failure> {
    let bad =
        |what: &'static str, found: String| Err(Failure::BadStudy { path: PathBuf::from(path), what, found });
    if let Some(rate) = study.rates.iter().find(|rate| !(**rate > 0.0 && **rate < 1.0)) {
        return bad("a rate must be above zero and below one", rate.to_string());
    }
    if !(1..=MOST_IMPUTATIONS).contains(&study.imputations) {
        return bad("imputations must be between 1 and 1000", study.imputations.to_string());
    }
    if let Some(twice) = twice(study) {
        return bad("is named twice", twice);
    }
    if study.toy_rows < 10 {
        return bad("toy_rows must be ten or more", study.toy_rows.to_string());
    }
    let empty = [
        ("mechanisms", study.mechanisms.is_empty()),
        ("rates", study.rates.is_empty()),
        ("seeds", study.seeds.is_empty()),
        ("methods", study.methods.is_empty()),
        ("toys and tables", study.toys.is_empty() && study.tables.is_empty()),
    ];
    match empty.into_iter().find(|(_, empty)| *empty) {
        Some((what, _)) => bad("a study needs at least one of each list, and has none in", what.to_string()),
        None => Ok(()),
    }
}

/// An entry that would be run twice into the same records, if any.
fn twice(study: &Study) -> Option<String> {
    let lists = [
        study.methods.iter().map(|method| method.name().to_string()).collect::<Vec<_>>(),
        study.mechanisms.iter().map(|mechanism| format!("{mechanism:?}")).collect(),
        study.rates.iter().map(f64::to_string).collect(),
        study.seeds.iter().map(u64::to_string).collect(),
        study
            .toys
            .iter()
            .map(|toy| toy.name().to_string())
            .chain(study.tables.iter().map(|t| t.name.clone()))
            .collect(),
    ];
    let mut seen = HashSet::new();
    lists.into_iter().find_map(|list| {
        seen.clear();
        list.into_iter().find(|name| !seen.insert(name.clone()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_studies_that_come_with_the_command_are_read() {
        for (name, _) in KNOWN {
            let study = read(Path::new(name)).unwrap();
            assert!(!study.title.is_empty());
        }
        assert_eq!(read(Path::new("paper.toml")).unwrap().tables.len(), 17);
    }
}
