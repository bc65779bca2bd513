//! The coordinator's end of a worker: sends requests and turns events into results.

pub use super::process::Launch;
use super::process::{Connected, Exit, Patience, Process};
use super::protocol::{Event, Finished, FoundTest, Inbox, Limit, Replacement, Request, RunRequest, Unwoven, send};
use super::runtime;
use crate::base::error::{Error, Result};
use crate::base::id::{MethodId, TestId};
use crate::base::idleness::Idleness;
use crate::base::interrupt;
use crate::base::timings::{Timings, Usage};
use crate::observation::Recording;
use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The coordinator looks for Ctrl-C this often while it waits for a worker.
const SLICE: Duration = Duration::from_millis(200);

/// Folder of the compiled class `reneri.rt.Probe`, which instrumented tests are compiled against.
///
/// # Errors
/// When the JDK has no compiler.
pub fn probe_classes(java_home: &Path) -> Result<PathBuf> {
    runtime::classes(java_home)
}

/// A process with a JVM, from its start to its end. [`crate::run::Session`] replaces it when it is
/// gone.
#[derive(Debug)]
pub struct Worker {
    process: Box<dyn Process>,
    stream: UnixStream,
    inbox: Inbox,
    patience: Patience,
    timings: Timings,
    state: JvmState,
    /// When the process was started, or when the stage before this one ended.
    started: Instant,
    usage: Usage,
    /// CPU time that earlier stages used.
    used_before: Duration,
    /// Runs in this stage.
    runs: u32,
    /// The time for which the process may do nothing but wait.
    may_wait: Duration,
    /// The longest time for which it did, and went on.
    longest_wait: Duration,
    /// Classes that run as they are, and why.
    pub unwoven: Vec<Unwoven>,
}

/// The traces that the requests so far have left in a JVM.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JvmState {
    /// Classes of the project may have been loaded.
    pub is_used: bool,
    /// Tests left busy threads, very many threads or a nearly full heap behind, so that a new
    /// process is better.
    pub is_littered: bool,
    /// Tests attached a Java agent that a clean start cannot undo.
    pub is_stained: bool,
}

/// The data that a worker reported during a run.
#[derive(Clone, Debug, Default)]
pub struct Reported {
    /// In the order in which they ended.
    pub finished: Vec<Finished>,
    /// Tests that appeared only while running: number, test.
    pub unexpected: Vec<(TestId, FoundTest)>,
    pub recording: Option<Recording>,
    /// Methods that the test entered that did not come to its end.
    pub entered: Vec<MethodId>,
    /// The worker reported `entered` before it was lost.
    pub is_entered_known: bool,
    /// The tests that have read the clock.
    pub read_clock: BTreeSet<TestId>,
    /// Messages of exceptions that the JDK has made.
    pub messages: BTreeSet<String>,
}

/// A run in a worker.
#[derive(Clone, Debug, Default)]
pub struct Ran {
    pub reported: Reported,
    /// The worker sent an event during this run.
    pub has_answered: bool,
    pub end: End,
}

/// The end of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum End {
    #[default]
    Complete,
    /// The test did not end in time, but ended when the switch was set back. The worker lives, and
    /// needs a clean start.
    Late(TestId),
    /// The test was late, and did not end when the switch was set back. The worker is gone.
    Hung(TestId),
    /// The worker is gone.
    Lost(Loss),
    /// The worker could not carry out the request.
    Broken(String),
}

/// The loss of a worker that had not reported a late test before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loss {
    /// The test that was running.
    pub test: Option<TestId>,
    pub cause: Cause,
}

/// The reason why a worker is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The process ended.
    Ended(Exit),
    /// The process sent nothing, not even that a test was late. It was stopped, or nothing in it
    /// runs.
    Silent,
    /// The process closed its socket, or sent something that is no message.
    Unknown,
}

impl Cause {
    /// The cause in words, after "it ends the JVM"; `None` if there is nothing to say.
    #[must_use]
    pub fn text(self) -> Option<String> {
        match self {
            Self::Ended(exit) => Some(exit.text()),
            Self::Silent | Self::Unknown => None,
        }
    }
}

/// The result of an attempt to start a worker.
#[derive(Debug)]
pub enum Started {
    Ready(Box<Worker>),
    /// The process was lost before it could be used.
    Gone(Cause),
}

impl Worker {
    /// Starts the process and its JVM.
    ///
    /// # Errors
    /// When the process cannot be started, or its JVM refuses its options.
    pub fn start(launch: &Launch) -> Result<Self> {
        match Self::try_start(launch)? {
            Started::Ready(worker) => Ok(*worker),
            Started::Gone(_) => Err(Self::does_not_start()),
        }
    }

    /// The error for a JVM that ends while it starts.
    #[must_use]
    pub fn does_not_start() -> Error {
        Error::cannot_build(
            "The JVM of the tests ended while it was starting.",
            "Check the project's `argLine` and JDK; `mvn test` has to work with them.",
        )
    }

    /// Starts the process and its JVM. It is no error if the process ends meanwhile.
    ///
    /// # Errors
    /// When the process cannot be started, or its JVM refuses its options.
    pub fn try_start(launch: &Launch) -> Result<Started> {
        let started = Instant::now();
        let Connected { stream, process } = match launch.processes.start(launch)? {
            Ok(connected) => connected,
            Err(exit) => return Ok(Started::Gone(exit.map_or(Cause::Silent, Cause::Ended))),
        };
        // A stopped worker reads nothing, and a long request would wait for it.
        let _ = stream.set_write_timeout(Some(launch.processes.patience().start));
        let mut worker = Self {
            process,
            stream,
            inbox: Inbox::default(),
            patience: launch.processes.patience(),
            timings: launch.timings.clone(),
            state: JvmState::default(),
            started,
            usage: Usage::default(),
            used_before: Duration::ZERO,
            runs: 0,
            may_wait: launch.processes.patience().idle,
            longest_wait: Duration::ZERO,
            unwoven: Vec::new(),
        };
        if worker.send(&Request::Start(Box::new(launch.start.clone()))).is_err() {
            return Ok(Started::Gone(worker.lost()));
        }
        match worker.next(worker.patience.start) {
            Next::Event(Event::Ready) => Ok(Started::Ready(Box::new(worker))),
            Next::Event(Event::Broken(reason)) => Err(Error::cannot_build(
                format!("The JVM of the tests cannot be used: {reason}."),
                "Check the project's `argLine` and JDK; `mvn test` has to work with them.",
            )),
            Next::Event(_) => Err(Self::does_not_start()),
            Next::Silence => Ok(Started::Gone(Cause::Silent)),
            Next::Gone => Ok(Started::Gone(worker.lost())),
        }
    }

    #[must_use]
    pub fn state(&self) -> JvmState {
        self.state
    }

    fn send(&mut self, request: &Request) -> std::io::Result<()> {
        send(&mut self.stream, request)
    }

    fn next(&mut self, limit: Duration) -> Next {
        if self.stream.set_read_timeout(Some(limit.max(Duration::from_millis(1)))).is_err() {
            return Next::Gone;
        }
        match self.inbox.receive(&mut self.stream) {
            Ok(event) => Next::Event(event),
            Err(error) if matches!(error.kind(), std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut) => {
                Next::Silence
            }
            Err(_) => Next::Gone,
        }
    }

    /// Sets the time for which the process may do nothing but wait: longer if that has ended an attempt before, and in any case
    /// three times as long as tests of this project have waited.
    pub fn allow_waiting(&mut self, is_repeated: bool, longest_so_far: Duration) {
        let Patience { idle, idle_again, .. } = self.patience;
        self.may_wait = if is_repeated { idle_again } else { idle }.max(3 * longest_so_far);
    }

    /// The longest time for which the process did nothing but wait, and then went on.
    #[must_use]
    pub fn longest_wait(&self) -> Duration {
        self.longest_wait
    }

    /// Waits for the next event, until `limit`, or until the process has done nothing but wait for too long.
    fn wait(&mut self, limit: Duration) -> Result<Next> {
        let since = Instant::now();
        // Most events come at once, and a look at the process takes longer than they do.
        let mut idleness = None;
        let mut idle = Duration::ZERO;
        loop {
            interrupt::check()?;
            let remaining = limit.saturating_sub(since.elapsed());
            let next = self.next(remaining.min(SLICE));
            if let Next::Event(_) = next {
                self.longest_wait = self.longest_wait.max(idle);
            }
            if !matches!(next, Next::Silence) || since.elapsed() >= limit {
                return Ok(next);
            }
            let watched = self.process.id().map(|pid| idleness.get_or_insert_with(|| Idleness::of(pid)));
            idle = watched.map(Idleness::lasts).unwrap_or_default();
            if idle >= self.may_wait {
                return Ok(Next::Silence);
            }
        }
    }

    /// Asks for the tests of these classes. `Ok(Err(…))` is the reason why the worker was lost
    /// meanwhile.
    ///
    /// # Errors
    /// When the test engine fails.
    pub fn discover(
        &mut self,
        classes: &[String],
        groups: Option<&str>,
        excluded: Option<&str>,
    ) -> Result<std::result::Result<Vec<FoundTest>, Cause>> {
        self.state.is_used = true;
        let request = Request::Discover {
            classes: classes.to_vec(),
            groups: groups.map(str::to_owned),
            excluded_groups: excluded.map(str::to_owned),
        };
        if self.send(&request).is_err() {
            return Ok(Err(self.lost()));
        }
        loop {
            match self.wait(self.patience.silence)? {
                Next::Event(Event::Discovered(tests)) => return Ok(Ok(tests)),
                Next::Event(Event::Unwoven(unwoven)) => self.unwoven.push(unwoven),
                Next::Event(Event::Broken(reason)) => {
                    return Err(Error::cannot_build(
                        format!("The tests could not be found: {}.", without_stack(&reason)),
                        "Check that `mvn test` runs them; if it does, please report this as a bug in reneri.",
                    ));
                }
                Next::Event(_) => {}
                Next::Silence => {
                    self.process.kill();
                    return Ok(Err(Cause::Silent));
                }
                Next::Gone => return Ok(Err(self.lost())),
            }
        }
    }

    /// The reason why the process is gone. Its socket closes right before its end.
    fn lost(&mut self) -> Cause {
        let exit = self.process.exit(self.patience.grace);
        self.process.kill();
        exit.map_or(Cause::Unknown, Cause::Ended)
    }

    /// Gives the JVM different classes or a different weave. The next request gets a clean start.
    /// Returns whether the worker still exists.
    ///
    /// # Errors
    /// When the worker cannot do that.
    pub fn replace(&mut self, replacement: Replacement) -> Result<bool> {
        if self.send(&Request::Replace(Box::new(replacement))).is_err() {
            return Ok(false);
        }
        match self.next(self.patience.start) {
            Next::Event(Event::Ready) => Ok(true),
            Next::Event(Event::Broken(reason)) => Err(Error::bug(format!("A worker cannot go on: {reason}."))),
            Next::Event(_) | Next::Silence | Next::Gone => Ok(false),
        }
    }

    /// Runs tests. After [`End::Hung`] and [`End::Lost`] this worker cannot be used again.
    ///
    /// # Errors
    /// When the user interrupts.
    pub fn run(&mut self, request: &RunRequest) -> Result<Ran> {
        self.run_telling(request, &mut |_| {})
    }

    /// [`Self::run`], which calls `finished` at the end of each test.
    ///
    /// # Errors
    /// When the user interrupts.
    pub fn run_telling(&mut self, request: &RunRequest, finished: &mut dyn FnMut(&Finished)) -> Result<Ran> {
        self.state.is_used = true;
        self.runs += 1;
        let mut ran = Ran::default();
        if self.send(&Request::Run(request.clone())).is_err() {
            interrupt::check()?;
            ran.end = End::Lost(Loss { test: None, cause: self.lost() });
            return Ok(ran);
        }
        let limits: BTreeMap<TestId, Limit> = request.tests.iter().map(|test| (test.number, test.limit)).collect();
        let mut running = None;
        let mut late = None;
        let mut limit = self.patience.silence;
        loop {
            let event = match self.wait(limit)? {
                Next::Event(event) => event,
                Next::Silence => {
                    self.process.kill();
                    ran.end = late.map_or(End::Lost(Loss { test: running, cause: Cause::Silent }), End::Hung);
                    return Ok(ran);
                }
                Next::Gone => {
                    interrupt::check()?;
                    let cause = self.lost();
                    ran.end = late.map_or(End::Lost(Loss { test: running, cause }), End::Hung);
                    return Ok(ran);
                }
            };
            ran.has_answered = true;
            match event {
                Event::Started(number) => {
                    running = Some(number);
                    let allowed = limits.get(&number).copied().unwrap_or(request.other_limit);
                    limit = (self.patience.test)(allowed);
                }
                Event::Finished(outcome) => {
                    finished(&outcome);
                    running = None;
                    limit = if late.is_some() { self.patience.grace } else { self.patience.silence };
                    ran.reported.finished.push(outcome);
                }
                Event::Disturbed => {
                    ran.reported.finished.last_mut().into_iter().for_each(|last| last.disturbs = true);
                }
                Event::Messages(messages) => ran.reported.messages.extend(messages),
                Event::ReadClock(number) => {
                    ran.reported.read_clock.insert(number);
                }
                Event::Unexpected { number, test } => ran.reported.unexpected.push((number, test)),
                Event::Unwoven(unwoven) => self.unwoven.push(unwoven),
                Event::Late(number) => {
                    late = Some(number);
                    limit = self.patience.grace;
                }
                Event::Entered(methods) => {
                    ran.reported.is_entered_known = true;
                    ran.reported.entered.extend(methods);
                }
                Event::Ended { recording, littered, is_stained, usage } => {
                    (self.state.is_littered, self.state.is_stained, self.usage) = (littered, is_stained, usage);
                    ran.reported.recording = recording.map(|recording| *recording);
                    ran.end = late.map_or(End::Complete, End::Late);
                    return Ok(ran);
                }
                Event::Broken(reason) => {
                    ran.end = End::Broken(reason);
                    return Ok(ran);
                }
                Event::Ready | Event::Discovered(_) => {}
            }
        }
    }

    /// Ends the stage for this worker. Its usage so far counts for that stage, and the worker stays
    /// for the next one.
    pub fn end_stage(&mut self) {
        self.process.count();
        self.report_usage();
        (self.started, self.used_before, self.runs) = (Instant::now(), self.usage.cpu, 0);
    }

    fn report_usage(&self) {
        let usage = Usage { cpu: self.usage.cpu.saturating_sub(self.used_before), ..self.usage };
        self.timings.worker(self.started, usage, self.runs);
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.process.kill();
        // A worker that did nothing in this stage has no part in it.
        if self.runs > 0 || self.used_before.is_zero() {
            self.report_usage();
        }
    }
}

enum Next {
    Event(Event),
    Silence,
    Gone,
}

/// The text before the first line of a stack trace. Test engines put stack traces into their messages.
fn without_stack(reason: &str) -> &str {
    let end = reason.find("\n\tat ").unwrap_or(reason.len());
    reason.get(..end).unwrap_or(reason).trim_end_matches(['.', ' ', '\n'])
}

#[cfg(test)]
mod tests {
    use super::without_stack;

    #[test]
    fn an_error_of_the_engine_is_shown_without_its_stack_trace() {
        assert_eq!(without_stack("A: no class B\n\tat A.a(A.java:1)\n\tat A.b(A.java:2)"), "A: no class B");
        assert_eq!(without_stack("A: no class B."), "A: no class B");
    }
}
