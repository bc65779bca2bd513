//! Test sources: parsed, in the style of their authors, and near to a method.

pub(in crate::fix) mod imports;
pub(in crate::fix) mod input_change;
pub(in crate::fix) mod layout;
pub(in crate::fix) mod library;
pub(in crate::fix) mod mention;
pub(in crate::fix) mod near_tests;
pub(in crate::fix) mod query;
pub(in crate::fix) mod slice;
pub(in crate::fix) mod style;
pub(in crate::fix) mod test_source;
pub(in crate::fix) mod test_sources;
