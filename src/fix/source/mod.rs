//! Test sources: parsed, in the style of their authors, and near to a method.

pub(in crate::fix) mod library;
pub(in crate::fix) mod style;
pub(in crate::fix) mod test_source;
