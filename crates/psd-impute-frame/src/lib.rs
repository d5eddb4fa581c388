//! Tables in files: reads them, types their columns, and converts them to the engine's numbers and back.
//!
//! A [`Source`] reads CSV, Parquet and Arrow IPC files one [`Batch`] at a time. A [`Plan`] holds the kind and the role of each column; it
//! is inferred from a table once, can be stored, and is applied to that table and to others. [`Plan::encode`] makes the engine's table of a
//! batch, [`Plan::decode`] puts a completed one back where cells were missing, and a [`Writer`] writes the result. Observed cells are
//! preserved: text byte for byte, Arrow columns with their types.
//!
//! ```
//! use psd_impute_frame::{Plan, ReadOptions, Source, ColumnOverrides, Writer};
//! # let folder = tempfile::tempdir()?;
//! # let (input, output) = (folder.path().join("in.csv"), folder.path().join("out.csv"));
//! std::fs::write(&input, "size;colour\r\n1,5;red\r\nNA;blue\r\n2,5;\"red\"\r\n3,50;blue\r\n")?;
//!
//! let source = Source::open(&input, &ReadOptions::default())?;
//! let plan = Plan::infer(source.batches()?, &ColumnOverrides::new())?;
//! let mut writer = Writer::create(&output, source.format())?;
//! for batch in source.batches()? {
//!     let batch = batch?;
//!     let (table, report) = plan.encode(&batch)?;
//!     assert_eq!(report.columns[0].missing, 1);
//!     let mut cells = table.cells().to_owned();
//!     cells[(0, 1)] = 2.0; // An imputer would find something better.
//!     let completed = table.with_cells(cells)?;
//!     writer.write(&plan.decode(&batch, &completed)?)?;
//! }
//! writer.finish()?;
//! assert_eq!(std::fs::read_to_string(&output)?, "size;colour\r\n1,5;red\r\n2,0;blue\r\n2,5;\"red\"\r\n3,50;blue\r\n");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![deny(clippy::print_stdout, clippy::print_stderr)]

mod arrow_files;
mod arrow_lengths;
mod batch;
mod batches;
mod blank;
mod bounds;
mod checks;
mod class;
mod csv;
mod decode;
mod dictionary;
mod drift;
mod encode;
mod encoding;
mod error;
mod excel;
mod excerpt;
mod fill;
mod format;
mod indicator;
mod json;
mod memory;
mod missing;
mod open;
mod parts;
mod place;
mod plan;
mod report;
mod table_model;
mod temporary;
mod text;
mod type_range;
mod typed;
mod write;

pub use batch::Batch;
pub use batches::Batches;
pub use bounds::{Bounds, BoundsOptions, End, in_words};
pub use checks::{Checks, FilledWith, Warning, WarningKind};
pub use decode::Completed;
pub use drift::Drift;
pub use encoding::Encoding;
pub use error::{Error, Result, io_hint};
pub use excerpt::Excerpt;
pub use format::{Compression, ENDINGS, Format};
pub use memory::affordable_threads;
pub use missing::{DEFAULT_MISSING, Token};
pub use open::{ReadOptions, Source};
pub use place::{At, Origin, Place};
pub use plan::{
    ColumnOverride, ColumnOverrides, ColumnPlan, Kind, Learned, MOST_LABELS, Moments, Plan, Reason, Remark,
    Role, Sentinel, Survey,
};
pub use report::{ColumnReport, LeftColumn, Report};
pub use table_model::{
    Checked, Completion, CompletionOptions, EncodedBatch, Method, Patterns, RowFiller, Surveyed, TableModel,
};
pub use temporary::remove_unfinished;
pub use text::{
    Clock, ClockText, DateOrder, DateText, DurationText, Hours, MOST_DECIMALS, Meridiem, MonthText,
    NumberStyle, NumberText, TimeText, TimeUnit, Zone,
};
pub use write::{Target, Writer, write_file};
