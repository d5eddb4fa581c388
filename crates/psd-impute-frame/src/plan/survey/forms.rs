//! The numbers of a column, by currency or unit and by the decimal sign under which they are numbers.

use super::numbers::NumberSurvey;
use super::texts::Sort;
use crate::place::Place;
use crate::text::{NumberCell, NumberStyle, NumberText, Parsed, is_known_unit};

/// Columns with more different currencies or units than this are not numeric.
const MOST: usize = 4;

/// Summary of a column's numbers by form.
#[derive(Debug, Default)]
pub(in crate::plan) struct Forms {
    forms: Vec<Form>,
    /// Whether negative numbers were in parentheses, or had the minus sign U+2212.
    accounting: bool,
    wide_minus: bool,
    /// Cells that are numbers only with a decimal point, and only with a decimal comma.
    pub(in crate::plan) only: [u64; 2],
    /// The first cell that is a different number under the other decimal sign.
    pub(in crate::plan) doubtful: Option<String>,
}

/// The numbers with the same currency or unit.
#[derive(Debug, Default)]
struct Form {
    prefix: String,
    suffix: String,
    /// Numbers that are the same with either decimal sign.
    either: NumberSurvey,
    /// The other numbers, read with a point and with a comma.
    with: [NumberSurvey; 2],
}

/// The numbers of a column under one decimal sign.
#[derive(Debug, Clone)]
pub(in crate::plan) struct Numbers {
    /// How they are written.
    pub(in crate::plan) text: NumberText,
    pub(in crate::plan) survey: NumberSurvey,
    /// The number of cells without currency or unit, if others have one.
    pub(in crate::plan) bare: u64,
}

impl Form {
    fn is_bare(&self) -> bool {
        self.prefix.is_empty() && self.suffix.is_empty()
    }

    fn count(&self, comma: bool) -> u64 {
        self.either.count + self.with[usize::from(comma)].count
    }

    fn survey(&self, comma: bool) -> NumberSurvey {
        self.either.merged(&self.with[usize::from(comma)])
    }

    /// Whether the text behind the number is surely a unit: it is known, or the column cannot be a few labels.
    fn is_sure(&self, comma: bool, many: bool) -> bool {
        let suffix = self.suffix.trim_start();
        suffix.is_empty() || is_known_unit(suffix) || many || self.survey(comma).decimals != Some(0)
    }
}

impl Forms {
    /// Adds a number that was not stored as text.
    pub(super) fn add_plain(
        &mut self,
        row: u64,
        number: Parsed,
        single: bool,
        found: impl FnOnce() -> (Place, String),
    ) {
        if let Some(form) = self.form("", "") {
            form.either.add(row, number, single, found);
        }
    }

    /// Adds a number that was stored as text. Returns how it can be read.
    pub(super) fn add(
        &mut self,
        row: u64,
        cell: &NumberCell<'_>,
        text: &str,
        found: impl Fn() -> (Place, String),
    ) -> Sort {
        let (prefix, suffix) = cell.written.map_or(("", ""), |written| (written.prefix, written.suffix));
        let Some(form) = self.form(prefix, suffix) else { return Sort::Other };
        let affixed = !form.is_bare();
        let sort = match cell.readings {
            [Some(a), Some(b)] if a == b => {
                form.either.add(row, a, false, &found);
                Sort::Number
            }
            readings => {
                for (survey, parsed) in form.with.iter_mut().zip(readings) {
                    if let Some(parsed) = parsed {
                        survey.add(row, parsed, false, &found);
                    }
                }
                match readings {
                    [Some(_), None] => Sort::Point,
                    [None, _] => Sort::Comma,
                    _ => Sort::Number,
                }
            }
        };
        if let Some(written) = cell.written {
            self.accounting |= written.accounting;
            self.wide_minus |= written.wide_minus;
        }
        match sort {
            Sort::Point => self.only[0] += 1,
            Sort::Comma => self.only[1] += 1,
            _ if cell.is_ambiguous() => drop(self.doubtful.get_or_insert_with(|| text.to_string())),
            _ => {}
        }
        if affixed { Sort::Affixed } else { sort }
    }

    /// The numbers with a currency or unit; `None` if there are too many different ones.
    fn form(&mut self, prefix: &str, suffix: &str) -> Option<&mut Form> {
        let same = |form: &Form| {
            form.prefix.trim_end() == prefix.trim_end() && form.suffix.trim_start() == suffix.trim_start()
        };
        let at = match self.forms.iter().position(same) {
            Some(at) => at,
            None if self.forms.len() < MOST => {
                let (prefix, suffix) = (prefix.to_string(), suffix.to_string());
                self.forms.push(Form { prefix, suffix, ..Form::default() });
                self.forms.len() - 1
            }
            None => return None,
        };
        self.forms.get_mut(at)
    }

    /// The number of cells that are numbers under a decimal sign.
    pub(in crate::plan) fn count(&self, comma: bool) -> u64 {
        self.forms.iter().map(|form| form.count(comma)).sum()
    }

    /// The currencies and units of the numbers under a decimal sign, with their counts. `None` where one is not surely a number.
    pub(in crate::plan) fn units(&self, comma: bool) -> Option<Vec<(String, u64)>> {
        let units = self.forms.iter().filter(|form| !form.is_bare() && form.count(comma) > 0);
        let one = |form: &Form| {
            let unit = format!("{}{}", form.prefix, form.suffix);
            form.is_sure(comma, false).then(|| (unit.trim().to_string(), form.count(comma)))
        };
        units.map(one).collect()
    }

    /// The numbers under a decimal sign: those with the most frequent currency or unit, and those without any where that is allowed. `many`
    /// tells whether there are too many different texts for labels.
    pub(in crate::plan) fn numbers(&self, comma: bool, many: bool) -> Numbers {
        let sure = self.forms.iter().filter(|form| form.is_sure(comma, many));
        let Some(main) = sure.max_by_key(|form| (form.count(comma), !form.is_bare())) else {
            return Numbers { text: NumberText::PLAIN, survey: NumberSurvey::default(), bare: 0 };
        };
        let mut style = NumberStyle {
            prefix: main.prefix.clone(),
            suffix: main.suffix.clone(),
            accounting: self.accounting,
            wide_minus: self.wide_minus,
            ..NumberStyle::default()
        };
        let (mut survey, mut bare) = (main.survey(comma), 0);
        let others =
            self.forms.iter().find(|form| form.is_bare()).filter(|_| !main.is_bare() && style.may_be_bare());
        if let Some(others) = others {
            bare = others.count(comma);
            survey = survey.merged(&others.survey(comma));
        }
        style.separator = survey.group.filter(|group| !matches!(group, ',' | '.'));
        let padding = if survey.decimals.is_some() { survey.padding } else { 0 };
        let text = NumberText { comma, grouped: survey.group.is_some(), padding, style };
        Numbers { text, survey, bare }
    }
}
