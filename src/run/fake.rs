//! JVMs that exist only in tests. They communicate like a worker, run a made-up project, and fail
//! wherever a test wants it.

#![allow(clippy::unwrap_used)]

use crate::base::error::Result;
use crate::base::id::{GuardId, TestId};
use crate::base::timings::{Timings, Usage};
use crate::jvm::client::{Launch, Worker};
use crate::jvm::process::{Connected, Exit, Patience, Process, Processes};
use crate::jvm::protocol::{Event, Finished, FoundTest, Outcome, Request, RunRequest, Start, receive};
use crate::observation::Recording;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// How long the coordinator waits for a fake JVM.
const PATIENCE: Duration = Duration::from_millis(800);
/// A pause in the middle of a message; longer than the coordinator waits at a time.
const PAUSE: Duration = Duration::from_millis(250);

/// Scenarios that run at the same time: each has a few threads and sockets.
const AT_ONCE: usize = 50;

/// The behaviour of a test of the made-up project.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Act {
    Pass,
    Fail,
    /// Fails by an assertion.
    FailsAssertion,
    /// Fails with these seeds only (the numbers of [`World::seeds`](crate::jvm::protocol::World)).
    FailsWith(&'static [u32]),
    /// Does not start, because the set-up of its class calls `System.exit`.
    SetUpExits(i32),
    /// Calls `System.exit`.
    Exit(i32),
    /// Is killed by the system each time, because it takes too much memory.
    IsKilled,
    /// Ends as soon as the transformation is switched off.
    Loops,
    /// Does not end, even if the transformation is switched off.
    Hangs,
}

/// The fault at one event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// SIGKILL.
    Kill,
    /// SIGSTOP.
    Stop,
    /// SIGKILL in the middle of the message.
    KillHalf,
    /// SIGSTOP in the middle of the message.
    StopHalf,
    /// A pause in the middle of the message.
    Late,
}

impl Fault {
    pub(crate) const ALL: [Self; 5] = [Self::Kill, Self::Stop, Self::KillHalf, Self::StopHalf, Self::Late];
}

/// The made-up project.
pub(crate) trait Project: Send + Sync {
    /// The behaviour of the test with this identifier. `is_first` says that no test ran before it
    /// in this class loader.
    fn act(&self, transformation: Option<GuardId>, test: &str, is_first: bool) -> Act;

    /// The number of invocations of a parameterised test, which run in its place; 0 for other tests.
    fn invocations(&self, _test: &str) -> usize {
        0
    }

    /// The recording of a run.
    fn recording(&self, _request: &RunRequest) -> Recording {
        Recording::default()
    }
}

impl<F: Fn(Option<GuardId>, &str, bool) -> Act + Send + Sync> Project for F {
    fn act(&self, transformation: Option<GuardId>, test: &str, is_first: bool) -> Act {
        self(transformation, test, is_first)
    }
}

/// Starts fake JVMs. Clones share all they have.
#[derive(Clone)]
pub(crate) struct FakeJvms {
    inner: Arc<Inner>,
}

struct Inner {
    project: Box<dyn Project>,
    /// By the number of the event among those of all JVMs.
    faults: Mutex<BTreeMap<usize, Fault>>,
    events: AtomicUsize,
    starts: AtomicUsize,
    runs: Mutex<Vec<RunRequest>>,
}

impl std::fmt::Debug for FakeJvms {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "FakeJvms")
    }
}

impl FakeJvms {
    pub(crate) fn new(project: impl Project + 'static, faults: &[(usize, Fault)]) -> Self {
        let inner = Inner {
            project: Box::new(project),
            faults: Mutex::new(faults.iter().copied().collect()),
            events: AtomicUsize::new(0),
            starts: AtomicUsize::new(0),
            runs: Mutex::default(),
        };
        Self { inner: Arc::new(inner) }
    }

    pub(crate) fn launch(&self) -> Launch {
        Launch {
            recipe: "fake".into(),
            executable: "fake".into(),
            working_directory: ".".into(),
            environment: BTreeMap::new(),
            environment_removed: Vec::new(),
            output: None,
            timings: Timings::default(),
            temporary: None,
            start: Start::default(),
            processes: Arc::new(self.clone()),
        }
    }

    /// Events of all JVMs so far.
    pub(crate) fn events(&self) -> usize {
        self.inner.events.load(Ordering::SeqCst)
    }

    /// JVMs that were started so far.
    pub(crate) fn starts(&self) -> usize {
        self.inner.starts.load(Ordering::SeqCst)
    }

    /// Requests to run tests so far.
    pub(crate) fn runs(&self) -> Vec<RunRequest> {
        self.inner.runs.lock().clone()
    }
}

/// Calls `scenario` with JVMs that have one of these faults at one of their events, for each fault
/// and each event, and compares its result with that of undisturbed JVMs.
pub(crate) fn disturb_everywhere<P: Project + Clone + 'static, T: PartialEq + std::fmt::Debug + Send + Sync>(
    project: &P,
    faults: &[Fault],
    scenario: impl Fn(&FakeJvms) -> Result<T> + Sync,
) {
    let undisturbed = FakeJvms::new(project.clone(), &[]);
    let expected = scenario(&undisturbed).unwrap();
    let disturb = |event: usize, fault: Fault| {
        let jvms = FakeJvms::new(project.clone(), &[(event, fault)]);
        let result = scenario(&jvms).unwrap();
        assert!(jvms.inner.faults.lock().is_empty(), "{fault:?} at event {event} did not happen");
        assert_eq!(result, expected, "{fault:?} at event {event}");
    };
    let events = 0..undisturbed.events();
    let all: Vec<_> = events.flat_map(|event| faults.iter().map(move |fault| (event, *fault))).collect();
    for some in all.chunks(AT_ONCE) {
        std::thread::scope(|scope| {
            let disturb = &disturb;
            some.iter().for_each(|(event, fault)| drop(scope.spawn(move || disturb(*event, *fault))));
        });
    }
}

#[derive(Debug)]
struct FakeProcess {
    stream: UnixStream,
    exit: Arc<Mutex<Option<Exit>>>,
}

impl Processes for FakeJvms {
    fn start(&self, _: &Launch) -> Result<std::result::Result<Connected, Option<Exit>>> {
        self.inner.starts.fetch_add(1, Ordering::SeqCst);
        let (stream, own) = UnixStream::pair().unwrap();
        let exit = Arc::new(Mutex::new(None));
        let process = FakeProcess { stream: own.try_clone().unwrap(), exit: Arc::clone(&exit) };
        let jvm = FakeJvm { inner: Arc::clone(&self.inner), stream: own, exit, has_run: false };
        std::thread::spawn(move || jvm.serve());
        Ok(Ok(Connected { stream, process: Box::new(process) }))
    }

    fn patience(&self) -> Patience {
        Patience {
            start: PATIENCE,
            grace: PATIENCE / 4,
            silence: PATIENCE,
            idle: PATIENCE,
            idle_again: PATIENCE,
            test: |_| PATIENCE,
        }
    }
}

impl Process for FakeProcess {
    fn exit(&mut self, _: Duration) -> Option<Exit> {
        *self.exit.lock()
    }

    fn kill(&mut self) {
        let _ = self.stream.shutdown(Shutdown::Both);
    }

    fn count(&mut self) {}
}

struct FakeJvm {
    inner: Arc<Inner>,
    stream: UnixStream,
    exit: Arc<Mutex<Option<Exit>>>,
    /// Tests have run in the current class loader.
    has_run: bool,
}

/// The JVM is gone.
struct Gone;

impl FakeJvm {
    fn serve(mut self) {
        while let Ok(request) = receive::<Request>(&mut self.stream) {
            let served = match request {
                Request::Start(_) => self.say(&Event::Ready),
                Request::Replace(_) => {
                    self.has_run = false;
                    self.say(&Event::Ready)
                }
                Request::Discover { classes, .. } => {
                    let found =
                        |class: &String| FoundTest { id: class.clone(), name: class.clone(), class: class.clone() };
                    self.say(&Event::Discovered(classes.iter().map(found).collect()))
                }
                Request::Run(request) => self.run(request),
            };
            if served.is_err() {
                return;
            }
        }
    }

    fn run(&mut self, request: RunRequest) -> std::result::Result<(), Gone> {
        self.inner.runs.lock().push(request.clone());
        self.has_run &= !request.fresh;
        let mut late = false;
        for (number, id) in self.expanded(&request)? {
            let act = self.inner.project.act(request.active, &id, !self.has_run);
            if let Act::SetUpExits(code) = act {
                return self.die(Exit::Code(code));
            }
            self.say(&Event::Started(number))?;
            self.has_run = true;
            let outcome = match act {
                Act::Pass => Outcome::Passed,
                Act::FailsWith(seeds) if request.world.seeds.is_none_or(|seed| !seeds.contains(&seed)) => {
                    Outcome::Passed
                }
                Act::Fail | Act::FailsAssertion | Act::FailsWith(_) => Outcome::Failed,
                Act::Exit(code) | Act::SetUpExits(code) => return self.die(Exit::Code(code)),
                Act::IsKilled => return self.die(Exit::Signal(libc::SIGKILL)),
                Act::Loops => {
                    late = true;
                    self.say(&Event::Entered(Vec::new()))?;
                    self.say(&Event::Late(number))?;
                    Outcome::Failed
                }
                Act::Hangs => {
                    self.say(&Event::Late(number))?;
                    return self.stop();
                }
            };
            let exception = if act == Act::FailsAssertion { "java.lang.AssertionError" } else { "" }.to_owned();
            self.say(&Event::Finished(Finished { outcome, exception, ..Finished::passed(number.0, &[]) }))?;
            if late || outcome == Outcome::Failed && request.stop_at_first_failure {
                break;
            }
        }
        let recording = Some(Box::new(self.inner.project.recording(&request)));
        self.say(&Event::Ended { recording, littered: false, is_stained: false, usage: Usage::default() })
    }

    /// Numbers and identifiers of the tests that run, with invocations in place of parameterised
    /// tests.
    fn expanded(&mut self, request: &RunRequest) -> std::result::Result<Vec<(TestId, String)>, Gone> {
        let known: BTreeMap<&str, TestId> = request.tests.iter().map(|test| (test.id.as_str(), test.number)).collect();
        let mut next = request.next_number;
        let mut expanded = Vec::new();
        for test in &request.tests {
            let count = self.inner.project.invocations(&test.id);
            if count == 0 {
                expanded.push((test.number, test.id.clone()));
            }
            for invocation in 1..=count {
                let id = format!("{}/{invocation}", test.id);
                let number = known.get(id.as_str()).copied().unwrap_or(next);
                if number == next {
                    next = TestId(next.0 + 1);
                    let found = FoundTest { id: id.clone(), name: id.clone(), class: test.id.clone() };
                    self.say(&Event::Unexpected { number, test: found })?;
                }
                expanded.push((number, id));
            }
        }
        Ok(expanded)
    }

    fn say(&mut self, event: &Event) -> std::result::Result<(), Gone> {
        let number = self.inner.events.fetch_add(1, Ordering::SeqCst);
        let fault = self.inner.faults.lock().remove(&number);
        let mut bytes = Vec::new();
        crate::jvm::protocol::send(&mut bytes, event).unwrap();
        let (half, rest) = bytes.split_at(bytes.len() / 2);
        let killed = Exit::Signal(libc::SIGKILL);
        match fault {
            None => self.write(&bytes),
            Some(Fault::Kill) => self.die(killed),
            Some(Fault::Stop) => self.stop(),
            Some(Fault::KillHalf) => self.write(half).and_then(|()| self.die(killed)),
            Some(Fault::StopHalf) => self.write(half).and_then(|()| self.stop()),
            Some(Fault::Late) => {
                self.write(half)?;
                std::thread::sleep(PAUSE);
                self.write(rest)
            }
        }
    }

    fn write(&mut self, bytes: &[u8]) -> std::result::Result<(), Gone> {
        self.stream.write_all(bytes).map_err(|_| Gone)
    }

    fn die(&mut self, exit: Exit) -> std::result::Result<(), Gone> {
        *self.exit.lock() = Some(exit);
        let _ = self.stream.shutdown(Shutdown::Both);
        Err(Gone)
    }

    /// Does nothing until the process is ended.
    fn stop(&mut self) -> std::result::Result<(), Gone> {
        while self.stream.read(&mut [0; 64]).is_ok_and(|count| count > 0) {}
        Err(Gone)
    }
}

#[test]
fn a_fake_jvm_runs_its_project() {
    let jvms = FakeJvms::new(|_: Option<GuardId>, _: &str, _: bool| Act::Pass, &[]);
    let mut worker = Worker::start(&jvms.launch()).unwrap();
    let found = worker.discover(&["ATest".to_owned()], None, None).unwrap().unwrap();
    assert_eq!(found.len(), 1);
    assert_eq!(jvms.starts(), 1);
    assert_eq!(jvms.events(), 2);
}
