//! The lab: comparison of methods over tables, mechanisms, rates and seeds.
//!
//! A [`Study`] lists the comparisons. Each of its [`Trial`]s masks cells of a table; each method completes the masked table, and one
//! [`Record`] has its result. Records are independent of each other and of their order, so a study may be stopped and resumed:
//! [`done`](Record::key) records are not made again.

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
