//! Values for new tests: Java expressions of a type.

pub(in crate::fix) mod arguments;
pub(in crate::fix) mod catalog;
pub(in crate::fix) mod constants;
pub(in crate::fix) mod literals;
pub(in crate::fix) mod mocks;
pub(in crate::fix) mod objects;
pub(in crate::fix) mod questions;
pub(in crate::fix) mod stubs;
#[cfg(test)]
mod tests;
pub(in crate::fix) mod usual;
pub(in crate::fix) mod value;
