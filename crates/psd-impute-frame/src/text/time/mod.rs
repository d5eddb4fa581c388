//! Dates, times of day and durations as text and as counts of units.

mod clock;
mod date;
mod date_time;
mod duration;
mod unit;

pub(crate) use clock::within_day;
pub use clock::{ClockText, Meridiem};
pub(crate) use date::month_of_year;
pub use date::{DateOrder, DateText, MonthText};
pub use date_time::{Clock, Hours, TimeText, Zone};
pub use duration::DurationText;
pub(crate) use unit::DAY;
pub use unit::TimeUnit;
