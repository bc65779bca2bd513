//! The project's code as suggestions, patches and reports look at it: signatures, calls between methods, source files.

pub mod sources;
pub mod structure;

pub use sources::Sources;
pub use structure::{Signature, Structure};
