//! From the time that a test takes on the original code to the time that it may take under a transformation.

/// How much longer than on the original code a test may take.
pub(super) struct Patience {
    /// So many times its time there, and this much more (milliseconds of CPU time).
    times: u64,
    slack: u64,
    /// A long test, where that is less. Loops in long tests are what takes longest to find.
    times_if_long: u64,
    slack_if_long: u64,
}

/// Beyond this a test is late, which is a suspicion only.
pub(super) const SUSPICION: Patience = Patience { times: 10, slack: 300, times_if_long: 2, slack_if_long: 1500 };
/// Beyond this it has timed out: alone, from a clean start, measured against the original code alone from a clean start.
pub(super) const CONFIRMATION: Patience = Patience { times: 10, slack: 1200, times_if_long: 4, slack_if_long: 4000 };
/// For the original code alone from a clean start: longer than ever needed, because nothing is known of it yet.
pub(super) const CLEAN_START: Patience = Patience { times: 60, slack: 3000, times_if_long: 18, slack_if_long: 30_000 };

impl Patience {
    /// Milliseconds of CPU time, for a test that took so many.
    pub(super) fn limit(&self, time: u64) -> u64 {
        (time * self.times + self.slack).min(time * self.times_if_long + self.slack_if_long)
    }
}
