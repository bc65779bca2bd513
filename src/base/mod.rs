//! The ground that every room stands on: errors, interrupts, fingerprints of inputs, timings. Knows no stage.

pub mod did_you_mean;
pub mod embedded_java;
pub mod error;
pub mod fingerprint;
pub mod id;
pub mod interrupt;
pub mod jobs;
pub mod project_lock;
pub mod timings;
