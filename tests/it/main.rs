//! Runs the binary on the test projects and checks what a user sees.
//!
//! This is one program: each further program would be linked with all of reneri, and would leave
//! processors idle while its last test runs.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod analyze;
mod bad_input;
mod baseline;
mod browser;
mod ci_files;
mod commands;
#[path = "../common/mod.rs"]
mod common;
mod competing;
mod config;
mod containers;
mod doctor;
mod documentation;
mod drivers;
mod faults;
mod fix;
mod formats;
mod frameworks;
mod history;
mod left_files;
mod lost_workers;
mod maven_plugin;
mod noise;
mod outside;
mod pull_request;
mod recipe;
mod recipe_file;
mod rude;
mod shards;
mod state;
mod values;
mod whole_classes;
