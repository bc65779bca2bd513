//! Trial runs: candidates are compiled and run on the original and on the transformed code.

pub(in crate::fix) mod bench;
pub(in crate::fix) mod chance;
pub(in crate::fix) mod compile;
pub(in crate::fix) mod entered;
pub(in crate::fix) mod expectation;
pub(in crate::fix) mod exploration;
pub(in crate::fix) mod explore;
pub(in crate::fix) mod mock_calls;
pub(in crate::fix) mod run_result;
pub(in crate::fix) mod surroundings;
pub(in crate::fix) mod test_name;
pub(in crate::fix) mod trial_test;
pub(in crate::fix) mod witnesses;
pub(in crate::fix) mod workshop;
