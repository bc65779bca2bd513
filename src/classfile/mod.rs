//! Reads class files (JVMS §4), and weaves probes and guards into them according to a plan. Knows no stage.
//!
//! Weaving and digests use `reader`, which keeps attributes as bytes: what is not woven stays byte for byte as it was. What only
//! reads, as [`outline`] and [`compiled_classes`], uses [`decoded`], in which attributes have their form.
//!
//! Class files are untrusted input: whatever their bytes are, the answer is a result or an error, never a panic.
#![cfg_attr(not(test), deny(clippy::indexing_slicing))]

mod assembler;
mod code;
pub mod compiled_classes;
mod constant;
pub mod decoded;
mod descriptor;
pub mod digest;
mod error;
mod frames;
mod instructions;
pub mod names;
pub mod outline;
pub mod outlines;
pub mod outside;
pub mod plan;
mod pool;
mod reader;
mod relocation;
mod snippets;
mod tables;
#[cfg(test)]
pub(crate) mod test_javac;
mod type_annotations;
pub mod weave;

pub use constant::Constant;
pub use error::{ClassFileError, Fault};
