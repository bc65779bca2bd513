//! The search for an expression that shows the difference, in rounds.

pub(in crate::fix) mod candidates;
pub(in crate::fix) mod randomness;
pub(in crate::fix) mod rounds;
