//! Trial runs: candidates are compiled and run on the original and on the transformed code.

pub(in crate::fix) mod bench;
pub(in crate::fix) mod chance;
pub(in crate::fix) mod compile;
pub(in crate::fix) mod expectation;
pub(in crate::fix) mod explore;
pub(in crate::fix) mod workshop;
