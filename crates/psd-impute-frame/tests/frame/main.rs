//! Tables of every kind, in and out of every format.

#![allow(clippy::unwrap_used)]

mod any_text;
mod arrow;
mod blank;
mod common;
mod damaged;
mod indicators;
mod kinds;
mod plans;
mod targets;
mod text;
