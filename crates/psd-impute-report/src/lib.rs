//! Findings about a table, its missing cells and how they are completed, and the page that shows them.
//!
//! [`Findings::of`] reads a table in batches, together with completed copies of it if given, and applies a fitted model to a
//! bounded number of its rows. [`page`] writes the result as one self-contained HTML file.
//!
//! ```
//! use psd_impute_frame::{ReadOptions, Source, Surveyed, ColumnOverrides};
//! use psd_impute_report::{Findings, Subject, page};
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("sizes.csv");
//! # let row = |i: u32| format!("{},{}\n", i % 7, if i % 3 == 0 { String::new() } else { (i * i % 11).to_string() });
//! # std::fs::write(&path, format!("a,b\n{}", (0..60).map(row).collect::<String>()))?;
//!
//! let source = Source::open(&path, &ReadOptions::default())?;
//! let surveyed = Surveyed::new(&source, ColumnOverrides::new())?;
//! let (model, _) = surveyed.fit(&source, &Default::default(), &mut ())?;
//! let findings = Findings::of(&Subject::new(&source, &model))?;
//! assert!(findings.missing.answer().starts_with("20 of 120 cells (17 %) are missing"));
//! assert!(page(&findings)?.starts_with("<!doctype html>"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![deny(clippy::print_stdout, clippy::print_stderr)]

mod columns;
mod completed;
mod error;
pub mod findings;
mod numbers;
mod page;
mod rows;
mod statistics;
mod subject;

pub use error::{Error, Result};
pub use findings::Findings;
pub use page::page;
pub use subject::{Names, Subject};
