//! Dates, times of day and durations as text and as counts of units.

mod clock;
mod date;
mod date_time;
mod duration;
mod unit;

pub(crate) use clock::within_day;
pub use clock::{ClockText, Meridiem};
pub use date::{DateOrder, DateText, MonthText};
pub(crate) use date::{is_stamp, is_stamp_number, month_of_year, short_date};
pub use date_time::{Clock, Hours, TimeText, Zone};
pub use duration::DurationText;
pub(crate) use unit::DAY;
pub use unit::TimeUnit;
