//! Keeps one JVM alive for the jobs of all stages. Only this module starts workers, and restarts
//! them.

use super::job::{End as JobEnd, Job, Ran, Start};
use super::loss::{Losses, given_up};
use super::unit::count_for_classes;
use crate::base::error::{Error, Result};
use crate::base::id::TestId;
use crate::base::interrupt;
use crate::jvm::client::{Cause, End, Launch, Reported, Started, Worker};
use crate::jvm::protocol::{Finished, FoundTest, Loader, RunTest, Unwoven};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

/// A JVM that the machine ends while it starts, or while it looks for tests, gets this many
/// attempts.
const ATTEMPTS: usize = 3;

/// One JVM of a launch. It is started when it is needed, and again when it is gone.
#[derive(Debug)]
pub struct Session {
    launch: Arc<Launch>,
    worker: Option<Worker>,
    /// The class loader may contain traces of earlier runs.
    is_tainted: bool,
    /// The tests that have run in the class loader since its clean start, without those of warm runs.
    in_loader: Vec<RunTest>,
    unwoven: Vec<Unwoven>,
    /// The longest time for which a JVM did nothing but wait, and then went on.
    longest_wait: Duration,
    /// No test was to blame when the last job hung: the set-up of the next class may hang again.
    has_hung_between_tests: bool,
}

impl Session {
    #[must_use]
    pub fn new(launch: Arc<Launch>) -> Self {
        Self {
            launch,
            worker: None,
            is_tainted: false,
            in_loader: Vec::new(),
            unwoven: Vec::new(),
            longest_wait: Duration::ZERO,
            has_hung_between_tests: false,
        }
    }

    /// Whether there is a JVM that further tests can run in.
    #[must_use]
    pub fn is_alive(&self) -> bool {
        self.worker.as_ref().is_some_and(|worker| !worker.state().is_littered)
    }

    /// Whether the next warm run begins with a clean start.
    #[must_use]
    pub fn is_cold(&self) -> bool {
        self.is_tainted || !self.is_alive()
    }

    /// Makes the next warm run begin with a clean start.
    pub fn taint(&mut self) {
        self.is_tainted = true;
    }

    /// Ends the JVM; the next request starts another one.
    pub fn end(&mut self) {
        self.worker = None;
        self.in_loader.clear();
    }

    /// Ends the stage. The usage of the JVM so far counts for that stage.
    pub fn end_stage(&mut self) {
        self.worker.iter_mut().for_each(Worker::end_stage);
    }

    /// Classes that run as they are, and why, since the last call.
    pub fn take_unwoven(&mut self) -> Vec<Unwoven> {
        std::mem::take(&mut self.unwoven)
    }

    /// Switches to a different launch for the same project. The JVM stays alive if the launches
    /// differ only in what [`Launch::replacement`] allows.
    pub fn switch_to(&mut self, launch: &Arc<Launch>) {
        if Arc::ptr_eq(&self.launch, launch) {
            return;
        }
        let before = std::mem::replace(&mut self.launch, Arc::clone(launch));
        self.is_tainted = true;
        self.has_hung_between_tests = false;
        self.in_loader.clear();
        let Some(worker) = &mut self.worker else { return };
        let state = worker.state();
        let replacement = before.replacement(launch).filter(|_| !state.is_littered && !state.is_stained);
        let lives_on = replacement.is_some_and(|replacement| worker.replace(replacement).unwrap_or(false));
        if !lives_on {
            self.end();
        }
    }

    /// The tests of these classes.
    ///
    /// # Errors
    /// If the test engine fails, or no JVM lives long enough.
    pub fn discover(
        &mut self,
        classes: &[String],
        groups: Option<&str>,
        excluded: Option<&str>,
    ) -> Result<Vec<FoundTest>> {
        let mut has_waited = false;
        for _ in 0..ATTEMPTS {
            let longest_wait = self.longest_wait;
            let worker = self.worker()?;
            worker.allow_waiting(has_waited, longest_wait);
            let found = worker.discover(classes, groups, excluded);
            let unwoven = std::mem::take(&mut worker.unwoven);
            self.unwoven.extend(unwoven);
            match found {
                Ok(Ok(tests)) => return Ok(tests),
                Ok(Err(cause)) => {
                    self.end();
                    interrupt::check()?;
                    let is_asked_for = matches!(cause, Cause::Ended(exit) if exit.is_asked_for());
                    if is_asked_for || has_waited && cause == Cause::Silent {
                        break;
                    }
                    has_waited |= cause == Cause::Silent;
                }
                Err(error) => {
                    self.end();
                    return Err(error);
                }
            }
        }
        Err(Error::cannot_build("The JVM ended, or hung, while looking for tests.", "Check that `mvn test` works."))
    }

    /// Runs the tests of a job, and repeats it in a new JVM if the machine took the JVM away.
    ///
    /// # Errors
    /// If the user interrupts, no JVM can be started, or the machine ends one after the other.
    pub fn run(&mut self, job: &Job) -> Result<Ran> {
        self.run_telling(job, &mut |_| {})
    }

    /// [`Self::run`], which calls `finished` at the end of each test, once for each test.
    ///
    /// # Errors
    /// As [`Self::run`].
    pub fn run_telling(&mut self, job: &Job, finished: &mut dyn FnMut(&Finished)) -> Result<Ran> {
        let is_suspect = std::mem::take(&mut self.has_hung_between_tests);
        let mut losses = Losses::of(is_suspect);
        let mut reported: BTreeSet<(TestId, bool)> = BTreeSet::new();
        let mut is_repeated = false;
        let earlier = if job.start == Start::Again { self.in_loader.clone() } else { Vec::new() };
        loop {
            if is_repeated && !earlier.is_empty() {
                self.run(&Job { tests: earlier.clone(), start: Start::Clean, ..job.clone() })?;
            }
            let is_clean = match job.start {
                Start::Clean => true,
                Start::Warm => self.is_cold(),
                Start::Again => false,
            };
            let was_used = self.prepare(is_clean, job.start);
            if is_clean {
                self.in_loader.clear();
            }
            if job.start != Start::Warm {
                self.add_to_loader(&job.tests);
            }
            let longest_wait = self.longest_wait;
            let worker = self.worker()?;
            worker.allow_waiting(is_repeated || is_suspect, longest_wait);
            let ran = worker.run_telling(&job.request(is_clean), &mut |one| {
                if reported.insert((one.number, one.of_class)) || !is_repeated {
                    finished(one);
                }
            });
            let unwoven = std::mem::take(&mut worker.unwoven);
            self.longest_wait = longest_wait.max(worker.longest_wait());
            self.unwoven.extend(unwoven);
            let mut ran = match ran {
                Ok(ran) => ran,
                Err(error) => {
                    self.end();
                    return Err(error);
                }
            };
            if job.whole_classes {
                let Reported { finished, unexpected, .. } = &mut ran.reported;
                count_for_classes(finished, unexpected, &job.tests);
            }
            self.is_tainted = ran.end != End::Complete;
            if matches!(ran.end, End::Hung(_) | End::Lost(_) | End::Broken(_)) {
                self.end();
            }
            if let Some(end) = losses.end(&ran, was_used)? {
                self.has_hung_between_tests = end == JobEnd::Hung(None);
                return Ok(Ran { reported: ran.reported, end });
            }
            interrupt::check()?;
            is_repeated = true;
        }
    }

    /// Ends a process that cannot start clean by itself: the JVM's own class loader is made only
    /// once, threads that tests left keep running, and the effects of an agent on the JVM stay.
    /// Returns whether the JVM was used before.
    fn prepare(&mut self, is_clean: bool, start: Start) -> bool {
        let Some(worker) = &self.worker else { return false };
        let state = worker.state();
        let is_worn = state.is_littered && start == Start::Warm;
        let needs_process =
            state.is_littered || state.is_stained || (state.is_used && self.launch.start.loader == Loader::Application);
        if is_worn || (is_clean && needs_process) {
            self.end();
            return false;
        }
        state.is_used
    }

    /// Remembers that these tests run in the class loader.
    fn add_to_loader(&mut self, tests: &[RunTest]) {
        let known: BTreeSet<TestId> = self.in_loader.iter().map(|test| test.number).collect();
        self.in_loader.extend(tests.iter().filter(|test| !known.contains(&test.number)).cloned());
    }

    /// The worker of this launch, started if there is none.
    fn worker(&mut self) -> Result<&mut Worker> {
        if self.worker.is_none() {
            self.worker = Some(start(&self.launch)?);
            self.is_tainted = false;
        }
        self.worker.as_mut().ok_or_else(|| Error::bug("A worker that was just started is gone."))
    }
}

fn start(launch: &Launch) -> Result<Worker> {
    let mut last = None;
    for _ in 0..ATTEMPTS {
        let cause = match Worker::try_start(launch)? {
            Started::Ready(worker) => return Ok(*worker),
            Started::Gone(cause) => cause,
        };
        interrupt::check()?;
        if matches!(cause, Cause::Ended(exit) if exit.is_asked_for() || exit.is_crash()) {
            return Err(Worker::does_not_start());
        }
        last = Some(cause);
    }
    Err(last.map_or_else(Worker::does_not_start, given_up))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::fake::{Act, FakeJvms, Fault, disturb_everywhere};
    use super::*;
    use crate::base::error::ExitCode;
    use crate::base::id::{GuardId, TransformationId};
    use crate::jvm::protocol::{Limit, Outcome, Record, RunTest, World};

    fn tests(names: &[&str]) -> Vec<RunTest> {
        let test = |(number, id): (u32, &&str)| RunTest {
            number: TestId(number),
            id: (*id).to_owned(),
            limit: Limit::of_time(1),
        };
        (0..).zip(names).map(test).collect()
    }

    fn job(start: Start) -> Job {
        Job {
            tests: tests(&["a", "b", "c"]),
            transformation: Some(GuardId::of(TransformationId(0))),
            record: Record::Coverage,
            start,
            whole_classes: false,
            stop_at_first_failure: false,
            next_number: TestId(3),
            other_limit: Limit::of_time(1),
            world: World::default(),
        }
    }

    fn session(jvms: &FakeJvms) -> Session {
        Session::new(Arc::new(jvms.launch()))
    }

    fn outcomes(ran: &Ran) -> Vec<(u32, Outcome)> {
        ran.reported.finished.iter().map(|finished| (finished.number.0, finished.outcome)).collect()
    }

    /// `b` fails; `c` fails only if it is the first one in its class loader.
    fn project(_: Option<GuardId>, test: &str, is_first: bool) -> Act {
        if test == "b" || (test == "c" && is_first) { Act::Fail } else { Act::Pass }
    }

    #[test]
    fn what_the_machine_does_to_a_jvm_changes_no_result_wherever_it_happens() {
        disturb_everywhere(&project, &Fault::ALL, |jvms| {
            let mut session = session(jvms);
            let found = session.discover(&["ATest".to_owned()], None, None)?;
            let clean = session.run(&job(Start::Clean))?;
            let warm = session.run(&Job { tests: tests(&["c"]), ..job(Start::Again) })?;
            session.switch_to(&Arc::new(jvms.launch()));
            let last = session.run(&job(Start::Warm))?;
            let ends = [&clean, &warm, &last].map(|ran| ran.end.clone());
            Ok((found, [clean, warm, last].map(|ran| outcomes(&ran)), ends))
        });
    }

    #[test]
    fn what_a_test_does_to_its_jvm_is_told_of_that_test() {
        let end = |act: Act| {
            let jvms = FakeJvms::new(
                move |_: Option<GuardId>, test: &str, _: bool| if test == "b" { act } else { Act::Pass },
                &[],
            );
            let ran = session(&jvms).run(&job(Start::Clean)).unwrap();
            assert_eq!(outcomes(&ran).first(), Some(&(0, Outcome::Passed)));
            (ran.end, jvms.starts())
        };
        let exit = Some("System.exit or Runtime.halt, status 3".to_owned());
        assert_eq!(end(Act::Exit(3)), (JobEnd::Died { test: Some(TestId(1)), exit }, 1));
        let killed = Some("killed from outside, as systems do when memory runs out".to_owned());
        assert_eq!(end(Act::IsKilled), (JobEnd::Died { test: Some(TestId(1)), exit: killed }, 2), "repeated once");
        assert_eq!(end(Act::Loops), (JobEnd::Late(TestId(1)), 1));
        assert_eq!(end(Act::Hangs), (JobEnd::Hung(Some(TestId(1))), 1));
    }

    #[test]
    fn a_machine_that_ends_one_jvm_after_the_other_ends_the_run() {
        // The second event of the first JVM, the fourth event of the second JVM, and the sixth
        // event of the third JVM.
        let faults = [(1, Fault::Kill), (5, Fault::Stop), (11, Fault::KillHalf)];
        let jvms = FakeJvms::new(project, &faults);
        let error = session(&jvms).run(&job(Start::Clean)).unwrap_err();
        assert_eq!(error.exit_code, ExitCode::Machine);
        assert!(error.what.contains("3 times in a row"), "{error}");
    }

    #[test]
    fn each_test_is_reported_once_even_if_it_runs_twice() {
        let jvms = FakeJvms::new(project, &[(5, Fault::Kill)]);
        let mut reported = Vec::new();
        session(&jvms).run_telling(&job(Start::Clean), &mut |finished| reported.push(finished.number.0)).unwrap();
        assert_eq!(reported, [0, 1, 2]);
    }

    #[test]
    fn one_jvm_runs_all_jobs() {
        let jvms = FakeJvms::new(project, &[]);
        let mut session = session(&jvms);
        for start in [Start::Clean, Start::Warm, Start::Clean] {
            session.run(&job(start)).unwrap();
        }
        assert_eq!(jvms.starts(), 1);
        assert_eq!(jvms.runs().iter().map(|run| run.fresh).collect::<Vec<_>>(), [true, false, true]);
    }
}
