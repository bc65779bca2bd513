//! The coordinator's end of a worker: starts the process, sends requests, turns events into results, and never leaves it running.

use super::protocol::{
    Event, Finished, FoundTest, Limit, Loader, Replacement, Request, RunRequest, Start, Unwoven, receive, send,
};
use super::runtime;
use super::temporary::TemporaryFolder;
use crate::base::error::{Error, Result};
use crate::base::timings::{Living, Timings, Usage};
use crate::observation::Recording;
use std::collections::BTreeMap;
use std::fs::File;
use std::os::unix::net::{UnixListener, UnixStream};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long a JVM may take to start, and how long a late test may take to end once the switch is set back.
const START_LIMIT: Duration = Duration::from_secs(60);
const GRACE: Duration = Duration::from_millis(1500);
/// Between tests: class-level set-up, loading of classes, the search for tests.
const SILENCE_LIMIT: Duration = Duration::from_secs(120);

/// How the process around the JVM is started.
#[derive(Clone, Debug)]
pub struct Launch {
    /// This binary.
    pub executable: PathBuf,
    pub working_directory: PathBuf,
    pub environment: BTreeMap<String, String>,
    /// Variables of our own environment that the tests must not see.
    pub environment_removed: Vec<String>,
    /// Standard output and error of the tests.
    pub output: Option<PathBuf>,
    /// Is told what each worker took.
    pub timings: Timings,
    /// Where the tests make temporary files; gone with the last launch that names it.
    pub temporary: Option<Arc<TemporaryFolder>>,
    pub start: Start,
}

impl Launch {
    /// Completes `start` with what every worker needs of the JDK: its JVM and the classes `reneri.rt`.
    ///
    /// # Errors
    /// When the JDK has no compiler or no JVM library.
    pub fn for_jdk(java_home: &Path, mut start: Start) -> Result<Start> {
        start.libjvm = runtime::libjvm(java_home)?;
        start.runtime = runtime::classes(java_home)?;
        Ok(start)
    }
}

/// Folder of the compiled class `reneri.rt.Probe`, which instrumented tests are compiled against.
///
/// # Errors
/// When the JDK has no compiler.
pub fn probe_classes(java_home: &Path) -> Result<PathBuf> {
    runtime::classes(java_home)
}

/// A running worker.
#[derive(Debug)]
pub struct Worker {
    process: Child,
    stream: UnixStream,
    /// Holds the socket's path.
    _folder: tempfile::TempDir,
    /// How to start it again, for a clean start that only a new JVM can give.
    launch: Box<Launch>,
    /// Classes of the project may have been loaded.
    used: bool,
    littered: bool,
    is_stained: bool,
    /// When it was started, or the stage before this one has ended.
    started: Instant,
    usage: Usage,
    /// CPU time that stages before this one have taken.
    taken_before: Duration,
    runs: u32,
    /// Ends behind the process, for which `drop` waits.
    living: Living,
    /// Classes that run as they are, and why.
    pub unwoven: Vec<Unwoven>,
}

/// What became of a run.
#[derive(Clone, Debug, Default)]
pub struct Ran {
    pub finished: Vec<Finished>,
    /// Tests that appeared only while running: number, test.
    pub unexpected: Vec<(u32, FoundTest)>,
    pub recording: Option<Recording>,
    /// Methods that the test entered that did not come to its end.
    pub entered: Vec<u32>,
    /// The worker has said what that is: where it is gone later, for a test that was late, no more counts.
    pub is_told: bool,
    /// How the process ended, where it did so by itself: words for people.
    pub exit: Option<String>,
    pub end: End,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum End {
    #[default]
    Complete,
    /// The test did not end in time, but ended when the switch was set back: the worker can go on with a clean start.
    Late(u32),
    /// The test did not end; the worker is gone.
    Hung(Option<u32>),
    /// The process ended by itself (`System.exit`, a crash) while this test was running; the worker is gone.
    Died(Option<u32>),
    /// The worker could not carry out the request.
    Broken(String),
}

impl Worker {
    /// Starts the process and its JVM.
    ///
    /// # Errors
    /// When the process cannot be started, or its JVM refuses its options.
    pub fn start(launch: &Launch) -> Result<Self> {
        let broken =
            |what: &str, error: std::io::Error| Error::bug(format!("A worker could not be started: {what}: {error}."));
        let folder =
            tempfile::Builder::new().prefix("reneri-").tempdir().map_err(|error| broken("temporary folder", error))?;
        let socket = folder.path().join("s");
        let listener = UnixListener::bind(&socket).map_err(|error| broken("socket", error))?;
        listener.set_nonblocking(true).map_err(|error| broken("socket", error))?;
        let output = || {
            launch
                .output
                .as_ref()
                .and_then(|path| File::options().create(true).append(true).open(path).ok())
                .map_or_else(Stdio::null, Stdio::from)
        };
        let mut command = Command::new(&launch.executable);
        for variable in &launch.environment_removed {
            command.env_remove(variable);
        }
        let mut process = command
            .args(["worker", "--socket"])
            .arg(&socket)
            .current_dir(&launch.working_directory)
            .envs(&launch.environment)
            .stdin(Stdio::null())
            .stdout(output())
            .stderr(output())
            .spawn()
            .map_err(|error| broken(&launch.executable.display().to_string(), error))?;
        crate::base::interrupt::register(process.id());
        let (started, living) = (Instant::now(), Living::new(process.id()));
        let accepted = loop {
            match listener.accept() {
                Ok((stream, _)) => break Ok(stream),
                Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {
                    if process.try_wait().ok().flatten().is_some() || started.elapsed() > START_LIMIT {
                        break Err(Error::bug("A worker ended before it could be used."));
                    }
                    std::thread::sleep(Duration::from_millis(1));
                }
                Err(error) => break Err(broken("socket", error)),
            }
        };
        let stream = match accepted.and_then(|stream| {
            stream.set_nonblocking(false).map_err(|error| broken("socket", error))?;
            Ok(stream)
        }) {
            Ok(stream) => stream,
            Err(error) => {
                end(&mut process);
                return Err(error);
            }
        };
        let mut worker = Self {
            process,
            stream,
            _folder: folder,
            launch: Box::new(launch.clone()),
            used: false,
            littered: false,
            is_stained: false,
            started,
            usage: Usage::default(),
            taken_before: Duration::ZERO,
            runs: 0,
            living,
            unwoven: Vec::new(),
        };
        worker.send(&Request::Start(Box::new(launch.start.clone())))?;
        match worker.next(START_LIMIT) {
            Next::Event(Event::Ready) => Ok(worker),
            Next::Event(Event::Broken(reason)) => Err(Error::cannot_build(
                format!("The JVM of the tests cannot be used: {reason}."),
                "Check the project's `argLine` and JDK; `mvn test` has to work with them.",
            )),
            _ => Err(Error::cannot_build(
                "The JVM of the tests ended while it was starting.",
                "Check the project's `argLine` and JDK; `mvn test` has to work with them.",
            )),
        }
    }

    fn send(&mut self, request: &Request) -> Result<()> {
        send(&mut self.stream, request).map_err(|error| Error::bug(format!("A worker does not listen: {error}.")))
    }

    fn next(&mut self, limit: Duration) -> Next {
        if self.stream.set_read_timeout(Some(limit.max(Duration::from_millis(1)))).is_err() {
            return Next::Gone;
        }
        match receive(&mut self.stream) {
            Ok(event) => Next::Event(event),
            Err(error) if matches!(error.kind(), std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut) => {
                Next::Silence
            }
            Err(_) => Next::Gone,
        }
    }

    /// Asks for the tests of these classes.
    ///
    /// # Errors
    /// When the test engine fails, or the worker is gone.
    pub fn discover(
        &mut self,
        classes: &[String],
        groups: Option<&str>,
        excluded: Option<&str>,
    ) -> Result<Vec<FoundTest>> {
        self.used = true;
        self.send(&Request::Discover {
            classes: classes.to_vec(),
            groups: groups.map(str::to_owned),
            excluded_groups: excluded.map(str::to_owned),
        })?;
        loop {
            match self.next(SILENCE_LIMIT) {
                Next::Event(Event::Discovered(tests)) => return Ok(tests),
                Next::Event(Event::Unwoven(unwoven)) => self.unwoven.push(unwoven),
                Next::Event(Event::Broken(reason)) => {
                    return Err(Error::cannot_build(
                        format!("The tests could not be found: {reason}."),
                        "Check that `mvn test` runs them; if it does, please report this as a bug in reneri.",
                    ));
                }
                Next::Event(_) => {}
                Next::Silence | Next::Gone => {
                    return Err(Error::cannot_build(
                        "The JVM ended, or hung, while looking for tests.",
                        "Check that `mvn test` works.",
                    ));
                }
            }
        }
    }

    /// Whether tests left threads behind that keep the process busy, or very many, or a heap that is nearly full: better to start another one.
    #[must_use]
    pub fn is_littered(&self) -> bool {
        self.littered
    }

    /// Replaces a process that cannot start clean by itself: the JVM's own class loader is made once, left threads run on, and what an agent has
    /// done to the JVM stays.
    fn start_clean(&mut self) -> Result<()> {
        if self.littered || self.is_stained || (self.used && self.launch.start.loader == Loader::Application) {
            self.start_again()?;
        }
        Ok(())
    }

    fn start_again(&mut self) -> Result<()> {
        // The old one first: it may hold what the new one needs (a port, a lock, memory).
        self.kill();
        let mut started = Self::start(&self.launch)?;
        started.unwoven = std::mem::take(&mut self.unwoven);
        *self = started;
        Ok(())
    }

    /// Goes over to another launch for the same project; what is asked next gets a clean start. A JVM lives on where the launches differ in nothing but what
    /// is woven in, which classes take the place of the project's own (and so the class path), and the number of their probes.
    ///
    /// # Errors
    /// When the process is gone, or another one cannot be started where one is needed.
    pub fn replace(&mut self, launch: &Launch) -> Result<()> {
        let Start { class_path, weave, replace, expressions, loader, .. } = &launch.start;
        let lives_on = self.launch.start.is_same_jvm(&launch.start) && *loader == Loader::Isolated;
        let weave = (self.launch.start.weave != *weave).then(|| weave.clone());
        (*self.launch).clone_from(launch);
        if self.littered || self.is_stained || !lives_on {
            return self.start_again();
        }
        let (class_path, replace, expressions) = (class_path.clone(), replace.clone(), *expressions);
        self.send(&Request::Replace(Box::new(Replacement { class_path, weave, replace, expressions })))?;
        match self.next(START_LIMIT) {
            Next::Event(Event::Ready) => Ok(()),
            Next::Event(Event::Broken(reason)) => Err(Error::bug(format!("A worker cannot go on: {reason}."))),
            _ => Err(Error::bug("A worker has ended between two runs.")),
        }
    }

    /// Runs tests. After `Hung` and `Died` this worker can not be used again.
    ///
    /// # Errors
    /// When the user interrupts, or a clean start needs a new process and there is none to be had.
    pub fn run(&mut self, request: &RunRequest) -> Result<Ran> {
        self.run_telling(request, &mut |_| {})
    }

    /// [`Self::run`], which calls `finished` at the end of each test.
    ///
    /// # Errors
    /// As [`Self::run`].
    pub fn run_telling(&mut self, request: &RunRequest, finished: &mut dyn FnMut(&Finished)) -> Result<Ran> {
        if request.fresh {
            self.start_clean()?;
        }
        self.used = true;
        self.runs += 1;
        let mut ran = Ran::default();
        if self.send(&Request::Run(request.clone())).is_err() {
            ran.end = End::Died(None);
            return Ok(ran);
        }
        let limits: BTreeMap<u32, Limit> = request.tests.iter().map(|test| (test.number, test.limit)).collect();
        let mut running = None;
        let mut late = None;
        let mut limit = SILENCE_LIMIT;
        let mut waiting_since = Instant::now();
        loop {
            crate::base::interrupt::check()?;
            // Short waits, so that Ctrl-C is noticed.
            let left = limit.saturating_sub(waiting_since.elapsed());
            match self.next(left.min(Duration::from_millis(200))) {
                Next::Silence if waiting_since.elapsed() < limit => continue,
                Next::Silence => {
                    self.kill();
                    ran.end = End::Hung(late.or(running));
                    return Ok(ran);
                }
                Next::Gone => {
                    crate::base::interrupt::check()?;
                    ran.exit = self.exit();
                    self.kill();
                    ran.end = late.map_or(End::Died(running), |late| End::Hung(Some(late)));
                    return Ok(ran);
                }
                Next::Event(event) => match event {
                    Event::Started(number) => {
                        running = Some(number);
                        let allowed = limits.get(&number).copied().unwrap_or(request.other_limit);
                        // The worker's own watchdog is first; this one is for a JVM that does nothing any more.
                        limit = allowed.wall() + GRACE + Duration::from_secs(5);
                    }
                    Event::Finished(outcome) => {
                        finished(&outcome);
                        running = None;
                        limit = if late.is_some() { GRACE } else { SILENCE_LIMIT };
                        ran.finished.push(outcome);
                    }
                    Event::Disturbed => ran.finished.last_mut().into_iter().for_each(|last| last.disturbs = true),
                    Event::Unexpected { number, test } => ran.unexpected.push((number, test)),
                    Event::Unwoven(unwoven) => self.unwoven.push(unwoven),
                    Event::Late(number) => {
                        late = Some(number);
                        limit = GRACE;
                    }
                    Event::Entered(methods) => {
                        ran.is_told = true;
                        ran.entered.extend(methods);
                    }
                    Event::Ended { recording, littered, is_stained, usage } => {
                        (self.littered, self.is_stained, self.usage) = (littered, is_stained, usage);
                        ran.recording = recording.map(|recording| *recording);
                        ran.end = late.map_or(End::Complete, End::Late);
                        return Ok(ran);
                    }
                    Event::Broken(reason) => {
                        ran.end = End::Broken(reason);
                        return Ok(ran);
                    }
                    Event::Ready | Event::Discovered(_) => {}
                },
            }
            waiting_since = Instant::now();
        }
    }

    /// A stage ends, and what this worker took so far is of it; it goes on in the next one.
    pub fn end_stage(&mut self) {
        self.living.count();
        self.tell();
        (self.started, self.taken_before, self.runs) = (Instant::now(), self.usage.cpu, 0);
    }

    fn tell(&self) {
        let usage = Usage { cpu: self.usage.cpu.saturating_sub(self.taken_before), ..self.usage };
        self.launch.timings.worker(self.started, usage, self.runs);
    }

    /// How the process ended; its socket closes right before.
    fn exit(&mut self) -> Option<String> {
        let since = Instant::now();
        let status = loop {
            match self.process.try_wait().ok()? {
                Some(status) => break status,
                None if since.elapsed() > GRACE => return None,
                None => std::thread::sleep(Duration::from_millis(1)),
            }
        };
        match (status.code(), status.signal()) {
            (Some(code), _) => Some(format!("System.exit or Runtime.halt, status {code}")),
            (None, Some(libc::SIGKILL)) => Some("killed from outside, as systems do when memory runs out".to_owned()),
            (None, signal) => Some(format!("a crash, signal {}", signal.unwrap_or(0))),
        }
    }

    fn kill(&mut self) {
        end(&mut self.process);
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.kill();
        // One that did nothing in this stage has no part in it.
        if self.runs > 0 || self.taken_before.is_zero() {
            self.tell();
        }
    }
}

fn end(process: &mut Child) {
    let _ = process.kill();
    let _ = process.wait();
    crate::base::interrupt::unregister(process.id());
}

enum Next {
    Event(Event),
    Silence,
    Gone,
}
