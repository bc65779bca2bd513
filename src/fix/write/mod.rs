//! Java code of a patch: the assertion, the name of the test, and the place in the source.

pub(in crate::fix) mod assertion;
pub(in crate::fix) mod draft;
pub(in crate::fix) mod exception;
pub(in crate::fix) mod message;
pub(in crate::fix) mod name;
pub(in crate::fix) mod placement;
pub(in crate::fix) mod promise;
pub(in crate::fix) mod repetition;
pub(in crate::fix) mod unique_names;
pub(in crate::fix) mod value_source;
mod verification;
