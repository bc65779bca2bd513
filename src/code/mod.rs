//! The project's code as suggestions, patches and reports see it: signatures, calls between
//! methods, and source files.

pub mod java_text;
mod outlines;
pub mod signature;
pub mod sources;
pub mod structure;

pub use signature::Signature;
pub use sources::Sources;
pub use structure::Structure;
