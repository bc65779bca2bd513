//! Foundations that every other folder uses: errors, ids, interrupts, fingerprints, timings.
//! Nothing in here knows a stage.

pub mod cache_folder;
pub mod children;
pub mod contents;
pub mod did_you_mean;
pub mod embedded_java;
pub mod error;
pub mod fingerprint;
pub mod id;
pub mod idleness;
pub mod interrupt;
pub mod jobs;
pub mod kept;
pub mod output_folder;
pub mod project_lock;
pub mod read;
pub mod run_folder;
pub mod timings;
