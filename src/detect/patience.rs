//! Limits for tests that run with a transformation: how long each may take, and how often it may
//! invoke the transformed method. Most loops that no longer end invoke it, and counting finds them
//! sooner than the clock.

use crate::jvm::protocol::{Limit, wall_limit};

/// How much longer than on the original code a test may take.
pub(super) struct Patience {
    /// Factor of its time there, and an addition in milliseconds of CPU time.
    times: u64,
    slack: u64,
    /// The same for long tests, if that is less. Loops in long tests take longest to find.
    times_if_long: u64,
    slack_if_long: u64,
    /// Invocations, and an addition for each millisecond that it takes on the original code.
    invocations: u64,
    invocations_a_millisecond: u64,
}

/// An upper bound of the invocations that fit into a millisecond.
const INVOCATIONS_A_MILLISECOND: u64 = 500_000;

/// Beyond this a test is late. That is only a suspicion, unless the same test timed out with the
/// same transformation in an earlier analysis.
pub(super) const SUSPICION: Patience = Patience {
    times: 10,
    slack: 300,
    times_if_long: 2,
    slack_if_long: 1500,
    invocations: 2_000_000,
    invocations_a_millisecond: INVOCATIONS_A_MILLISECOND / 10,
};
/// Beyond this a test has timed out. It runs alone from a clean start, and its limit is measured
/// against the original code, also alone from a clean start.
pub(super) const CONFIRMATION: Patience = Patience {
    times: 10,
    slack: 1200,
    times_if_long: 4,
    slack_if_long: 4000,
    invocations: 8_000_000,
    invocations_a_millisecond: INVOCATIONS_A_MILLISECOND,
};
/// For the original code alone, from a clean start. It is longer than ever needed, because the time
/// there is not known yet.
pub(super) const CLEAN_START: Patience = Patience {
    times: 60,
    slack: 3000,
    times_if_long: 18,
    slack_if_long: 30_000,
    invocations: u64::MAX,
    invocations_a_millisecond: 0,
};

/// Time of a test on the original code, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Taken {
    pub(super) cpu: u64,
    /// By the clock.
    pub(super) wall: u64,
}

/// A test that waits may wait this many times longer by the clock. Its CPU time has a limit of its
/// own; waiting takes no longer on a busy machine.
const TIMES_WAITING: u64 = 2;

impl Patience {
    pub(super) fn limit(&self, taken: Taken) -> Limit {
        let longest = taken.cpu.max(taken.wall);
        Limit {
            milliseconds: self.milliseconds(longest),
            wall_milliseconds: wall_limit(self.milliseconds(taken.cpu))
                + TIMES_WAITING * taken.wall.saturating_sub(taken.cpu),
            invocations: self.invocations.saturating_add(longest * self.invocations_a_millisecond),
        }
    }

    /// Of CPU time.
    pub(super) fn milliseconds(&self, time: u64) -> u64 {
        (time * self.times + self.slack).min(time * self.times_if_long + self.slack_if_long)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_waiting_test_may_wait_twice_as_long_and_a_working_test_may_be_interrupted() {
        let waits = SUSPICION.limit(Taken { cpu: 50, wall: 15_050 });
        assert_eq!(waits.wall_milliseconds, 3 * (10 * 50 + 300) + 3_000 + 2 * 15_000);
        let works = SUSPICION.limit(Taken { cpu: 15_000, wall: 15_000 });
        assert_eq!(works.milliseconds, 2 * 15_000 + 1_500);
        assert_eq!(works.wall_milliseconds, 3 * works.milliseconds + 3_000);
    }
}
