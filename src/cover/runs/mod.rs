//! Runs the tests of a recipe three times on the original code.

pub(super) mod once;
pub(super) mod repeat;
pub(super) mod suite;
