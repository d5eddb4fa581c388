//! Numbers and times as text.

mod number;
mod time;

pub use number::{MOST_DECIMALS, NumberText};
pub(crate) use number::{Parsed, decimals_of, round_to};
pub use time::{Clock, TimeText, TimeUnit, Zone};
