//! The identities of the model, its objective and its solver, over random problems and hard corners.

#![allow(clippy::unwrap_used)]

mod common;
mod conditional;
mod corners;
mod derivatives;
mod donors;
mod errors;
mod impute;
mod learn;
mod marginals;
mod mixture;
mod newton;
mod optimum;
mod pieces;
mod threads;
