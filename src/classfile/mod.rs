//! Class files (JVMS §4): from their bytes to what the stages ask of them, and from a plan to woven bytes. Knows no stage.

mod assembler;
mod code;
#[cfg(test)]
pub(crate) mod compiled;
mod constant;
mod descriptor;
pub mod digest;
mod error;
pub mod folders;
mod frames;
mod instructions;
pub mod names;
mod opaque;
pub mod outline;
pub mod outlines;
mod pool;
mod relocate;
mod snippets;
mod tables;
mod type_annotations;
pub mod weave;

pub use constant::Constant;
pub use error::{ClassFileError, Fault};
