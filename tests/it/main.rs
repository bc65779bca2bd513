//! What a user sees of the product, held against the test projects: one program, since each would be linked with
//! all of reneri, and its last test would leave processors idle.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod analyze;
mod bad_input;
mod baseline;
mod browser;
mod ci_files;
mod commands;
#[path = "../common/mod.rs"]
mod common;
mod config;
mod containers;
mod contended;
mod doctor;
mod documentation;
mod drivers;
mod fix;
mod formats;
mod frameworks;
mod history;
mod maven_plugin;
mod noise;
mod pull_request;
mod recipe;
mod recipe_file;
mod rude;
mod shards;
mod state;
