//! Tables of every kind, in and out of every format.

#![allow(clippy::unwrap_used)]

mod any_text;
mod arrow;
mod blank;
mod checks;
mod common;
mod damaged;
mod dates;
mod encodings;
mod ends;
mod indicators;
mod json_lines;
mod kinds;
mod left;
mod numbers;
mod odd;
mod ordered;
mod plans;
mod several;
mod summaries;
mod targets;
mod text;
mod times;
mod tokens;
mod type_ranges;
mod workbooks;
