//! The project's code as suggestions, patches and reports see it: signatures, calls between
//! methods, and source files.

pub mod sources;
pub mod structure;

pub use sources::Sources;
pub use structure::{Signature, Structure};
