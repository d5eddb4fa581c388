//! Settings that reproduce the report.

use crate::rows::Rows;
use crate::subject::{Names, Subject};
use psd_impute_frame::{BoundsOptions, ColumnPlan, Drift, Plan};
use serde::Serialize;

/// The version, the files, the commands.
#[derive(Debug, Clone, Serialize)]
pub struct Settings {
    /// The version of psd-impute.
    pub version: &'static str,
    /// The table's file.
    pub table: String,
    /// The model's file.
    pub model: String,
    /// The completed tables' files.
    pub completed: Vec<String>,
    /// Number of rows of the table.
    pub rows: u64,
    /// The number of its modelled columns, and of all columns of the model.
    pub columns: [usize; 2],
    /// Bounds of cells, given or respected by all observed ones.
    pub bounds: Vec<String>,
    /// Notes about the columns.
    pub notes: Vec<String>,
    /// The commands that fit a model with the settings of this one and make the report.
    pub commands: Vec<String>,
}

impl Settings {
    pub(crate) fn of(subject: &Subject<'_>, rows: &Rows) -> Self {
        let Subject { model, bounds, names, .. } = subject;
        let Names { table, model: file, completed, command } = names.clone();
        let plan = &model.plan;
        let left = &rows.report.left;
        let missing = |name: &str| left.iter().find(|column| column.name == name).map_or(0, |c| c.missing);
        let mut notes: Vec<String> =
            plan.columns().iter().filter_map(|column| column.note(missing(column.name()))).collect();
        notes.extend(rows.report.notes());
        notes.extend(Drift::notes(&rows.report.drift(plan)));
        let report = model.model.report();
        let preset = match report.density.recipe() {
            "default" => String::new(),
            other => format!(" --preset {other}"),
        };
        let fit =
            format!("psd-impute fit {} -o {} --seed {}{preset}", quoted(&table), quoted(&file), report.seed);
        Self {
            version: env!("CARGO_PKG_VERSION"),
            table,
            model: file,
            completed,
            rows: rows.report.rows,
            columns: [plan.modelled().count(), plan.columns().len()],
            bounds: bounds_of(bounds, plan),
            notes,
            commands: [fit, command.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")].into(),
        }
    }
}

/// The given bounds, and the ends that imputed cells respect.
fn bounds_of(BoundsOptions { asked, auto }: &BoundsOptions, plan: &Plan) -> Vec<String> {
    let asked = asked.iter().map(|bounds| format!("{}={bounds}", bounds.column));
    let ends = |column: &ColumnPlan| Some(format!("{} {}", column.name(), column.ends_in_words()?));
    asked.chain(plan.modelled().filter(|_| *auto).filter_map(ends)).collect()
}

/// A word quoted for a shell.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,@%+".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_string();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_where_a_shell_needs_it() {
        assert_eq!(quoted("a/b-1.csv"), "a/b-1.csv");
        assert_eq!(quoted("it's; rm"), r"'it'\''s; rm'");
    }
}
