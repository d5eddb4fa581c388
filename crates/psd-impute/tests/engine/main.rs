//! The identities of the model, its objective and its solver, over random problems and hard corners.

#![allow(clippy::unwrap_used)]

mod alternating;
mod balance;
mod calibration;
mod common;
mod conditional;
mod corners;
mod degenerate;
mod derivatives;
mod donors;
mod errors;
mod impute;
mod learn;
mod left_out;
mod limits;
mod marginals;
mod mixed_stack;
mod mixture;
mod model;
mod model_files;
mod newton;
mod optimum;
mod outliers;
mod pieces;
mod presets;
mod proper;
mod rare_labels;
mod resolution;
mod stack;
mod summaries;
mod threads;
mod trust;
mod warped;
