//! Numbers and times as text.

mod number;
mod time;

pub use number::{MOST_DECIMALS, NumberStyle, NumberText};
pub(crate) use number::{NumberCell, Parsed, decimals_of, is_known_unit, round_to};
pub use time::{
    Clock, ClockText, DateOrder, DateText, DurationText, Hours, Meridiem, MonthText, TimeText, TimeUnit, Zone,
};
pub(crate) use time::{DAY, is_stamp, is_stamp_number, month_of_year, short_date, within_day};
