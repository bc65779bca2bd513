//! Distinguishes losses of a JVM that a test causes from those that the machine causes.
//!
//! A test that ends or blocks its JVM does so again in a new one. The machine (memory runs out,
//! somebody kills or stops the process) interrupts a different test the next time, or none.

use super::job::End;
use crate::base::error::{Error, ExitCode, Result};
use crate::base::id::TestId;
use crate::jvm::client::{self, Cause, Loss};

/// A run that lost its JVM at this many places, each time at a different one, cannot be repaired.
const MOST_PLACES: usize = 3;

/// The losses of one job so far.
#[derive(Debug, Default)]
pub(super) struct Losses {
    /// Running test and number of finished tests.
    places: Vec<(Option<TestId>, usize)>,
    /// The JVM was gone before it received the job.
    was_gone: bool,
    /// The job before this one hung twice between two tests: if this one hangs before its first test, its set-up hangs.
    is_suspect: bool,
}

impl Losses {
    /// No losses yet. `is_suspect` says that the job before this one hung between two tests.
    pub(super) fn of(is_suspect: bool) -> Self {
        Self { is_suspect, ..Self::default() }
    }

    /// The end of the job; `None` if it has to be repeated in a new JVM. `was_used` says that the
    /// JVM had carried out other requests before.
    ///
    /// # Errors
    /// If the machine ends one JVM after the other.
    pub(super) fn end(&mut self, ran: &client::Ran, was_used: bool) -> Result<Option<End>> {
        let loss = match &ran.end {
            client::End::Complete => return Ok(Some(End::Complete)),
            client::End::Late(test) => return Ok(Some(End::Late(*test))),
            client::End::Hung(test) => return Ok(Some(End::Hung(Some(*test)))),
            client::End::Broken(reason) => return Ok(Some(End::Broken(reason.clone()))),
            client::End::Lost(loss) => *loss,
        };
        // The JVM ended before this job began: an earlier job left something behind, or the machine
        // ended it. One that is silent has not ended.
        if !ran.has_answered && was_used && !self.was_gone && loss.cause != Cause::Silent {
            self.was_gone = true;
            return Ok(None);
        }
        let place = (loss.test, ran.reported.finished.len());
        let is_repeated = self.places.contains(&place);
        self.places.push(place);
        match loss.cause {
            Cause::Ended(exit) if exit.is_asked_for() => Ok(Some(died(loss))),
            Cause::Silent if is_repeated || (self.is_suspect && place == (None, 0)) => Ok(Some(End::Hung(loss.test))),
            Cause::Ended(_) | Cause::Unknown if is_repeated => Ok(Some(died(loss))),
            _ if self.places.len() < MOST_PLACES => Ok(None),
            // The JVM or the code in it causes a crash, even if the place of the crash varies.
            Cause::Ended(exit) if exit.is_crash() => Ok(Some(died(loss))),
            cause => Err(given_up(cause)),
        }
    }
}

fn died(loss: Loss) -> End {
    End::Died { test: loss.test, exit: loss.cause.text() }
}

/// The error that ends the run.
pub(super) fn given_up(cause: Cause) -> Error {
    let how = match cause {
        Cause::Ended(exit) => format!("ended ({})", exit.text()),
        Cause::Silent => "stopped answering".to_owned(),
        Cause::Unknown => "broke off the connection".to_owned(),
    };
    Error::new(
        ExitCode::Machine,
        format!("The JVM of the tests {how}, {MOST_PLACES} times in a row and each time at another place."),
        "The machine does that, not a test: free memory or use `--jobs 1`, and start again.",
    )
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::jvm::process::Exit;

    const KILLED: Cause = Cause::Ended(Exit::Signal(libc::SIGKILL));
    const EXITED: Cause = Cause::Ended(Exit::Code(3));
    const CRASHED: Cause = Cause::Ended(Exit::Signal(libc::SIGSEGV));

    fn lost(test: u32, cause: Cause) -> client::Ran {
        let end = client::End::Lost(Loss { test: Some(TestId(test)), cause });
        client::Ran { end, has_answered: true, ..client::Ran::default() }
    }

    fn end_of(losses: &[client::Ran]) -> Option<End> {
        let (mut all, mut end) = (Losses::default(), None);
        for ran in losses {
            end = all.end(ran, true).unwrap();
        }
        end
    }

    #[test]
    fn an_exit_that_code_asks_for_is_believed_at_once() {
        assert!(matches!(end_of(&[lost(1, EXITED)]), Some(End::Died { test: Some(TestId(1)), .. })));
    }

    #[test]
    fn a_kill_is_repeated_and_believed_if_the_same_test_is_hit_again() {
        assert_eq!(end_of(&[lost(1, KILLED)]), None);
        assert_eq!(end_of(&[lost(1, KILLED), lost(2, KILLED)]), None);
        assert!(matches!(end_of(&[lost(1, KILLED), lost(1, KILLED)]), Some(End::Died { test: Some(TestId(1)), .. })));
        assert_eq!(end_of(&[lost(1, Cause::Silent), lost(1, Cause::Silent)]), Some(End::Hung(Some(TestId(1)))));
    }

    #[test]
    fn a_set_up_that_hung_before_is_believed_at_once() {
        let silent = |test| client::Ran {
            end: client::End::Lost(Loss { test, cause: Cause::Silent }),
            has_answered: true,
            ..client::Ran::default()
        };
        assert_eq!(Losses::of(true).end(&silent(None), false).unwrap(), Some(End::Hung(None)));
        assert_eq!(Losses::of(true).end(&silent(Some(TestId(1))), false).unwrap(), None);
        assert_eq!(Losses::default().end(&silent(None), false).unwrap(), None);
    }

    #[test]
    fn kills_at_three_places_end_the_run_and_crashes_are_the_code_s() {
        let mut all = Losses::default();
        assert_eq!(all.end(&lost(1, KILLED), true).unwrap(), None);
        assert_eq!(all.end(&lost(2, Cause::Silent), true).unwrap(), None);
        let error = all.end(&lost(3, KILLED), true).unwrap_err();
        assert_eq!(error.exit_code, ExitCode::Machine);
        let crashes = [lost(1, CRASHED), lost(2, CRASHED), lost(3, CRASHED)];
        assert!(matches!(end_of(&crashes), Some(End::Died { test: Some(TestId(3)), .. })));
    }

    #[test]
    fn a_jvm_that_was_gone_before_says_nothing_of_the_job() {
        let gone = client::Ran { has_answered: false, ..lost(1, EXITED) };
        assert_eq!(end_of(std::slice::from_ref(&gone)), None);
        assert!(
            matches!(end_of(&[gone.clone(), gone]), Some(End::Died { .. })),
            "the new JVM was used for nothing else"
        );
    }
}
