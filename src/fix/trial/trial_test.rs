//! A test of a candidate, as an engine found it.

use crate::base::id::TestId;
use crate::fix::trial::exploration::CandidateKey;

/// A test of a candidate. If subclasses inherit the test, the candidate has several.
pub struct TrialTest<'t> {
    pub number: TestId,
    pub key: CandidateKey,
    /// The engine's id.
    pub id: &'t str,
}
