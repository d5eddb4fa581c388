//! The identities of the model, its objective and its solver, over random problems and hard corners.

#![allow(clippy::unwrap_used)]

mod common;
mod conditional;
mod corners;
mod derivatives;
mod errors;
mod learn;
mod marginals;
mod newton;
mod optimum;
mod threads;
