//! The stages of reneri, in the order in which data flows through them (see `docs/dev/architecture.md`), above the foundations that know no stage.
//!
//! project → recipe → transform → cover → change → detect → observe → propagate → diagnose → suggest → fix → report

// What the user is told goes through `terminal` and `report`: anything else was left behind by somebody who looked for a bug.
#![cfg_attr(not(test), warn(clippy::print_stderr, clippy::print_stdout, clippy::dbg_macro))]

// The ground.
pub mod base;
pub mod observation;
pub mod text;

// Machinery.
pub mod classfile;
pub mod code;
pub mod jvm;
pub mod run;

// Stages, in order. A stage imports the data of earlier stages only.
pub mod change;
pub mod cover;
pub mod detect;
pub mod diagnose;
pub mod fix;
pub mod instrument;
pub mod observe;
pub mod project;
pub mod recipe;
pub mod report;
mod suggest;
pub mod transform;

// Around the stages.
pub mod cli;
pub mod commands;
pub mod history;
mod pipeline;
pub mod terminal;

// For `fuzz/` and for tests.
#[cfg(any(test, fuzzing))]
pub mod fuzzing;
