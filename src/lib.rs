//! The stages of reneri, in the order in which data flows through them (see `DESIGN.md`), above the foundations that know no stage.
//!
//! project → recipe → transform → cover → change → detect → observe → propagate → diagnose → suggest → fix → report

// What the user is told goes through `terminal` and `report`: anything else was left behind by somebody who looked for a bug.
#![cfg_attr(not(test), warn(clippy::print_stderr, clippy::print_stdout, clippy::dbg_macro))]

// Foundations: they know no stage.
pub mod classfile;
pub mod error;
pub mod inputs;
pub mod interrupt;
pub mod java;
pub mod jobs;
pub mod jvm;
pub mod nearest;
pub mod observation;
pub mod timings;

// Stages, in order. A stage imports the data of earlier stages only.
pub mod change;
pub mod cover;
pub mod detect;
pub mod diagnose;
pub mod fix;
pub mod observe;
pub mod project;
pub mod propagate;
pub mod recipe;
pub mod report;
pub mod suggest;
pub mod transform;

// What stands around the stages.
pub mod apply;
pub mod cli;
pub mod doctor;
pub mod explain;
pub mod history;
pub mod listing;
pub mod pipeline;
pub mod reproduce;
pub mod show;
pub mod terminal;
pub mod turn;
pub mod verify;
