//! The lab: how ways to complete tables compare, over tables, mechanisms, rates and seeds.
//!
//! A [`Study`] says what is tried. Each of its [`Trial`]s takes cells away from a table; each method completes what is left, and one
//! [`Record`] says how it did. Records are independent of each other and of their order, so a study may be stopped and gone on with: what
//! is [`done`](Record::key) is not done again.

mod clock;
mod dataset;
mod ideal;
mod method;
mod record;
mod run;
mod study;
mod trial;

pub use dataset::Dataset;
pub use method::Method;
pub use record::{Done, Record, Setting};
pub use run::{Job, jobs, run};
pub use study::{MechanismName, Protocol, Study, TableSource};
pub use trial::Trial;
