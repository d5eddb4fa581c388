//! Evidence from a whole file about its decimal sign and the order of its dates.
//!
//! A column decides for itself where it can: `1,5` is not a number with a decimal point, and `31/12/2020` has no month 31. Where it cannot,
//! the other columns of the file decide.

use super::column::{ColumnSurvey, Storage};
use super::forms::Numbers;
use super::times::TimeSurvey;
use crate::batch::Hints;
use crate::text::{DateOrder, TimeText};

/// Columns with more different texts than this are not labels that contain numbers.
const FEW: u64 = 20;

/// Evidence from all columns of a file.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::plan) struct Evidence {
    hints: Hints,
    /// Whether cells are separated by semicolons.
    semicolons: bool,
    comma: Option<bool>,
    order: Option<DateOrder>,
    /// Whether columns differ in their decimal signs.
    pub(in crate::plan) mixed: bool,
}

/// A column as read by the file's evidence.
pub(in crate::plan) struct Reading<'a> {
    pub(in crate::plan) numbers: Numbers,
    /// Whether the numbers would differ under the other decimal sign.
    pub(in crate::plan) doubtful: bool,
    pub(in crate::plan) dates: &'a TimeSurvey<TimeText>,
    /// Whether the dates would differ in the other order.
    pub(in crate::plan) doubtful_dates: bool,
}

impl<'a> Reading<'a> {
    /// The dates of the column in one form: in digits alone, or not.
    pub(in crate::plan) fn dates_like(
        &self,
        seen: &'a ColumnSurvey,
        text: TimeText,
    ) -> &'a TimeSurvey<TimeText> {
        seen.in_digits().find(|(digits, _)| *digits == text).map_or(self.dates, |(_, dates)| dates)
    }
}

impl Evidence {
    pub(super) fn of(columns: &[ColumnSurvey], hints: Hints, semicolons: bool) -> Self {
        let commas = columns.iter().filter_map(comma_of);
        let (comma, point): (Vec<bool>, Vec<bool>) = commas.partition(|comma| *comma);
        let orders = columns.iter().filter_map(order_of);
        let (day, month): (Vec<DateOrder>, Vec<DateOrder>) =
            orders.partition(|order| *order == DateOrder::Dmy);
        let majority = |a: usize, b: usize| if a == b { None } else { Some(a > b) };
        let comma_first = majority(comma.len(), point.len()).or((!comma.is_empty()).then_some(semicolons));
        let day_first = majority(day.len(), month.len());
        let order = day_first.map(|day| if day { DateOrder::Dmy } else { DateOrder::Mdy });
        let mixed = !comma.is_empty() && !point.is_empty() && hints.decimal.is_none();
        Self { hints, semicolons, comma: comma_first, order, mixed }
    }

    /// Reads a column.
    pub(in crate::plan) fn read<'a>(&self, seen: &'a ColumnSurvey) -> Reading<'a> {
        let said = self.hints.decimal.map(|sign| sign == ',').or(comma_of(seen)).or(self.comma);
        let by_comma = seen.forms.doubtful.as_ref().is_some_and(|text| text.contains(','));
        let comma = said.unwrap_or(by_comma && self.semicolons);
        let doubtful = said.is_none() && seen.forms.doubtful.is_some() && (by_comma || self.semicolons);
        let numbers = seen.forms.numbers(comma, seen.texts.len() > FEW);
        let said = self.hints.dates.or(order_of(seen)).or(self.order);
        let order = said.filter(|_| is_text(seen));
        let dates = &seen.dates[usize::from(order == Some(DateOrder::Mdy))];
        Reading { numbers, doubtful, dates, doubtful_dates: order.is_none() && seen.doubtful_date.is_some() }
    }
}

/// Whether `count` cells are nearly all observed ones.
pub(in crate::plan) fn nearly_all(seen: &ColumnSurvey, count: u64) -> bool {
    count > 0 && 10 * count >= 9 * seen.observed
}

/// The decimal sign that a column of numbers needs.
pub(in crate::plan) fn comma_of(seen: &ColumnSurvey) -> Option<bool> {
    let [point, comma] = seen.forms.only;
    let numbers = nearly_all(seen, seen.forms.count(comma > point));
    (numbers && point != comma && seen.storage != Storage::Dictionary).then_some(comma > point)
}

/// Whether a column is text; other types tell their dates themselves.
fn is_text(seen: &ColumnSurvey) -> bool {
    matches!(seen.storage, Storage::File | Storage::Text)
}

/// The order that a column of dates needs.
fn order_of(seen: &ColumnSurvey) -> Option<DateOrder> {
    let [day, month] = seen.dates.each_ref().map(|dates| dates.count);
    let order = if day > month { DateOrder::Dmy } else { DateOrder::Mdy };
    (is_text(seen) && day != month && nearly_all(seen, day.max(month))).then_some(order)
}
