//! The messages between coordinator and worker: postcard with a length prefix, over a Unix socket. Standard streams are not
//! used, because they belong to the tests.

use crate::base::id::{GuardId, IdVec, MethodId, TestId};
use crate::base::timings::Usage;
use crate::classfile::names::NameAndType;
use crate::classfile::plan::ClassWeave;
use crate::observation::{Recording, Site};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::time::Duration;

/// The longest message, in bytes; a longer one means that the stream is broken.
const LONGEST_MESSAGE: usize = 1 << 30;

/// The first message to a worker: how to start the JVM, and what to weave into classes.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Start {
    pub libjvm: PathBuf,
    /// Folder with the classes of `reneri.rt`, for the boot loader.
    pub runtime: PathBuf,
    /// Options of the JVM (`-Xmx1g`, `-Dname=value`), without the class path of the tests.
    pub options: Vec<String>,
    pub loader: Loader,
    /// The class path of the tests, for [`Loader::Isolated`].
    pub class_path: Vec<PathBuf>,
    /// The elements of the class path whose classes stay from one clean start to the next.
    pub shared: Vec<PathBuf>,
    /// The name of the test engine, and then names and values of its parameters in turn.
    pub engine: Vec<String>,
    /// System properties. The worker sets them with `System.setProperty` before the first test, as surefire does, and not on
    /// the command line.
    pub properties: Vec<(String, String)>,
    /// Plans by internal class name.
    pub weave: BTreeMap<String, ClassWeave>,
    /// Class files that replace the project's own, by internal class name: instrumented tests.
    pub replace: BTreeMap<String, PathBuf>,
    /// The methods of the project.
    pub methods: IdVec<MethodId, MethodShape>,
    /// The number of test probes.
    pub expressions: u32,
    /// The stack size of the thread that runs the tests, in bytes.
    pub stack_size: usize,
}

/// The class loader of the tests, which decides what a clean start is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Loader {
    /// An isolated one, which each clean start makes anew.
    #[default]
    Isolated,
    /// The JVM's own, with its class path (`-Djava.class.path`) and module path, as in surefire. A clean start is a new JVM.
    Application,
}

/// The types of a method, by which the parts of its state are named.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MethodShape {
    pub descriptor: String,
}

/// A message to the worker.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Request {
    Start(Box<Start>),
    /// Finds the tests of these classes, without running them.
    Discover {
        classes: Vec<String>,
        groups: Option<String>,
        excluded_groups: Option<String>,
    },
    Run(RunRequest),
    /// Replaces classes or plans, for [`Loader::Isolated`]. The next request gets a clean start.
    Replace(Box<Replacement>),
}

/// The parts of [`Start`] that can change while the JVM lives.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Replacement {
    pub class_path: Vec<PathBuf>,
    /// `None` to keep the plans.
    pub weave: Option<BTreeMap<String, ClassWeave>>,
    pub replace: BTreeMap<String, PathBuf>,
    pub expressions: u32,
}

impl Start {
    /// Whether a JVM that was started for this also suits `other`, after a [`Replacement`].
    #[must_use]
    pub fn is_same_jvm(&self, other: &Self) -> bool {
        // A new field has to be compared here, or to become part of `Replacement`.
        let Self {
            libjvm,
            runtime,
            options,
            loader,
            shared,
            engine,
            properties,
            methods,
            stack_size,
            class_path: _,
            weave: _,
            replace: _,
            expressions: _,
        } = other;
        (&self.libjvm, &self.runtime, &self.options, &self.properties) == (libjvm, runtime, options, properties)
            && (self.loader, &self.shared, &self.engine) == (*loader, shared, engine)
            && (&self.methods, self.stack_size) == (methods, *stack_size)
    }
}

/// A run of a list of tests.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RunRequest {
    /// Whether the run needs a clean start: a new class loader or JVM (see [`Loader`]), in which no class of the project is
    /// initialised.
    pub fresh: bool,
    /// The active transformation; `None` for the original code.
    pub active: Option<GuardId>,
    /// The tests, in the order in which they are to run.
    pub tests: Vec<RunTest>,
    /// Whether these are all tests of their classes, which run as complete classes.
    pub whole_classes: bool,
    pub stop_at_first_failure: bool,
    pub record: Record,
    /// The first number for tests that are found during the run.
    pub next_number: TestId,
    /// The limit of tests that are found during the run.
    pub other_limit: Limit,
    pub world: World,
}

/// The parts of the world outside of the program that a run sets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct World {
    /// The milliseconds by which the clock is ahead.
    pub ahead: i64,
    /// The number of the seeds for everything that draws at random; `None` leaves chance alone.
    pub seeds: Option<u32>,
    /// Whether the run notes the messages of exceptions that the JDK makes.
    pub notes_messages: bool,
}

/// The data that a run records.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Record {
    /// The methods that each test enters.
    Coverage,
    /// In addition, states of methods and tests at these sites.
    State(Sites),
}

/// The observed sites. Observations of all other sites are only counted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sites {
    /// Sites of which each observation is recorded.
    pub recorded: Vec<Site>,
    /// Sites of which only the first observations are recorded; see [`crate::observation::FIRST_OCCURRENCES`].
    pub briefly: Vec<Site>,
    /// Sites with a digest of the first observations and one of the others. If a site is also in `briefly`, only the others
    /// are digested.
    pub digested: Vec<Site>,
    /// The room for samples: first observations of digested sites are also recorded, until their number and
    /// [`Pool::size`](crate::observation::Pool::size) add up to this.
    pub samples: u32,
    /// Whether to record the stacks of invocations.
    pub stacks: bool,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RunTest {
    pub number: TestId,
    pub id: String,
    pub limit: Limit,
}

/// The limits beyond which a test counts as late.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Limit {
    /// CPU time.
    pub milliseconds: u64,
    /// Time by the clock.
    pub wall_milliseconds: u64,
    /// Invocations of the transformed method.
    pub invocations: u64,
}

impl Limit {
    /// A limit of CPU time and the corresponding time by the clock, without a limit of invocations.
    #[must_use]
    pub const fn of_time(milliseconds: u64) -> Self {
        Self { milliseconds, wall_milliseconds: wall_limit(milliseconds), invocations: u64::MAX }
    }

    /// The limit with more CPU time, and the corresponding time by the clock.
    #[must_use]
    pub fn and(self, milliseconds: u64) -> Self {
        Self {
            milliseconds: self.milliseconds + milliseconds,
            wall_milliseconds: self.wall_milliseconds + CLOCK_FACTOR * milliseconds,
            ..self
        }
    }

    #[must_use]
    pub fn wall(&self) -> Duration {
        Duration::from_millis(self.wall_milliseconds)
    }
}

/// The ratio of time by the clock to CPU time on a busy machine.
const CLOCK_FACTOR: u64 = 3;

/// The limit by the clock for a limit of CPU time, both in milliseconds, with room for a machine that is busy.
#[must_use]
pub const fn wall_limit(milliseconds: u64) -> u64 {
    CLOCK_FACTOR * milliseconds + 3_000
}

/// A test that the engine has found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FoundTest {
    pub id: String,
    pub name: String,
    pub class: String,
}

/// The outcome of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Outcome {
    Passed,
    Failed,
    /// Ignored, disabled, or stopped by a failed assumption.
    Skipped,
}

/// The end of a test, and everything known about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finished {
    pub number: TestId,
    pub outcome: Outcome,
    /// Whether the outcome is that of its class (`@BeforeClass`, `@AfterAll`): the test did not run when it was reported.
    pub of_class: bool,
    pub nanoseconds: u64,
    /// CPU time of the whole process during the test; more than `nanoseconds` if several threads work.
    pub cpu_nanoseconds: u64,
    /// The number of classes loaded during the test, which measures set-up for this test or for later ones.
    pub classes: u32,
    /// The class of the exception, or empty.
    pub exception: String,
    pub message: String,
    /// Methods entered between the end of the last test and the end of its class. `None` if its class has not ended, or if the
    /// engine does not report ends of classes.
    pub torn_down: Option<Vec<MethodId>>,
    /// Methods entered after `torn_down`, or after the last test, and before this test.
    pub set_up: Vec<MethodId>,
    /// Methods entered after the start of this test; if it did not start, after the end of the last test.
    pub entered: Vec<MethodId>,
    /// Whether it is the last test of a top-level class that has changed what tests share with the whole JVM: properties,
    /// locale, time zone, streams.
    pub disturbs: bool,
}

impl Finished {
    /// The methods entered between the end of the last test and the start of this one.
    pub fn between(&self) -> impl Iterator<Item = MethodId> + '_ {
        self.torn_down.iter().flatten().chain(&self.set_up).copied()
    }
}

#[cfg(test)]
impl Finished {
    /// A test that passed in no time, with no method entered before it.
    pub fn passed(number: u32, entered: &[u32]) -> Self {
        Self {
            number: TestId(number),
            outcome: Outcome::Passed,
            of_class: false,
            nanoseconds: 0,
            cpu_nanoseconds: 0,
            classes: 0,
            exception: String::new(),
            message: String::new(),
            torn_down: None,
            set_up: Vec::new(),
            entered: entered.iter().copied().map(MethodId).collect(),
            disturbs: false,
        }
    }
}

/// A class or a method that could not be woven and therefore runs unchanged.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Unwoven {
    /// Binary name.
    pub class: String,
    /// `None` for the whole class.
    pub method: Option<NameAndType>,
    pub reason: String,
}

/// A message from the worker.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Event {
    Ready,
    Discovered(Vec<FoundTest>),
    Started(TestId),
    Finished(Finished),
    /// The test that finished last disturbs; see [`Finished::disturbs`].
    Disturbed,
    /// The test, or its set-up, has read the clock.
    ReadClock(TestId),
    /// Messages of exceptions that the JDK has made during a test or its set-up.
    Messages(BTreeSet<String>),
    /// A test that was found during the run, such as an invocation of a parameterised test.
    Unexpected {
        number: TestId,
        test: FoundTest,
    },
    /// Methods entered after the last event of a test. Sent when the run or the JVM ends, and before `Late`.
    Entered(Vec<MethodId>),
    /// The test is beyond its limit; the original code is active again.
    Late(TestId),
    Unwoven(Unwoven),
    Ended {
        recording: Option<Box<Recording>>,
        /// Whether tests have left threads that keep this process busy, very many threads, or a full heap.
        littered: bool,
        /// Whether tests have attached a Java agent whose effects cannot be undone in this JVM.
        is_stained: bool,
        /// The resources that the process has used so far.
        usage: Usage,
    },
    /// The request could not be carried out.
    Broken(String),
}

/// Writes a message.
///
/// # Errors
/// The other side is gone.
pub fn send<T: Serialize>(stream: &mut impl Write, message: &T) -> io::Result<()> {
    let mut bytes = vec![0; 4];
    bytes = postcard::to_extend(message, bytes).map_err(io::Error::other)?;
    let length = u32::try_from(bytes.len() - 4).map_err(io::Error::other)?;
    if let Some(prefix) = bytes.first_chunk_mut::<4>() {
        *prefix = length.to_le_bytes();
    }
    stream.write_all(&bytes)
}

/// Reads a message.
///
/// # Errors
/// The other side is gone, or sends something that is no message.
pub fn receive<T: DeserializeOwned>(stream: &mut impl Read) -> io::Result<T> {
    Inbox::default().receive(stream)
}

/// The received part of the next message. If the time limit of the stream ends in the middle of a message, the next call
/// continues where this one stopped.
#[derive(Debug, Default)]
pub struct Inbox {
    /// The length prefix and the message.
    bytes: Vec<u8>,
    filled: usize,
}

/// The largest buffer that is kept for the next message, in bytes.
const LARGEST_KEPT_BUFFER: usize = 1 << 16;
/// The size of the length prefix, in bytes.
const PREFIX: usize = 4;

impl Inbox {
    /// Reads a message.
    ///
    /// # Errors
    /// The other side is gone or sends something that is no message, or the time limit of the stream is over.
    pub fn receive<T: DeserializeOwned>(&mut self, stream: &mut impl Read) -> io::Result<T> {
        self.fill(stream, PREFIX)?;
        let prefix = self.bytes.first_chunk::<PREFIX>().copied().unwrap_or_default();
        let length = u32::from_le_bytes(prefix) as usize;
        if length > LONGEST_MESSAGE {
            return Err(io::Error::other(format!("a message of {length} bytes")));
        }
        self.fill(stream, PREFIX + length)?;
        let message = postcard::from_bytes(self.bytes.get(PREFIX..PREFIX + length).unwrap_or_default());
        self.filled = 0;
        if self.bytes.len() > LARGEST_KEPT_BUFFER {
            self.bytes = Vec::new();
        }
        message.map_err(io::Error::other)
    }

    /// Reads until the buffer has `size` bytes. The buffer grows as bytes come, because the size is only a claim.
    fn fill(&mut self, stream: &mut impl Read, size: usize) -> io::Result<()> {
        while self.filled < size {
            let room = size.min(self.filled + LARGEST_KEPT_BUFFER.max(self.filled));
            if self.bytes.len() < room {
                self.bytes.resize(room, 0);
            }
            let rest = self.bytes.get_mut(self.filled..room).unwrap_or_default();
            match stream.read(rest) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(count) => self.filled += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// Gives one byte at a time, and says in between that its time limit is over.
    struct Slow<'b> {
        bytes: &'b [u8],
        is_late: bool,
    }

    impl Read for Slow<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.is_late = !self.is_late;
            if self.is_late {
                return Err(io::ErrorKind::WouldBlock.into());
            }
            let most = buffer.len().min(1);
            self.bytes.read(buffer.get_mut(..most).unwrap_or_default())
        }
    }

    #[test]
    fn a_message_that_comes_byte_by_byte_is_read_whole() {
        let mut bytes = Vec::new();
        let text = "x".repeat(200);
        send(&mut bytes, &Event::Broken(text.clone())).unwrap();
        send(&mut bytes, &Event::Ready).unwrap();
        let mut slow = Slow { bytes: &bytes, is_late: false };
        let (mut inbox, mut events) = (Inbox::default(), Vec::new());
        while events.len() < 2 {
            match inbox.receive::<Event>(&mut slow) {
                Ok(event) => events.push(event),
                Err(error) => assert_eq!(error.kind(), io::ErrorKind::WouldBlock),
            }
        }
        assert!(matches!(events.as_slice(), [Event::Broken(read), Event::Ready] if *read == text));
    }

    #[test]
    fn a_claimed_length_takes_no_memory() {
        for claim in [(1_u32 << 30), (1 << 30) + 1, u32::MAX] {
            let mut inbox = Inbox::default();
            let mut bytes: &[u8] = &[claim.to_le_bytes().as_slice(), b"half"].concat();
            assert!(inbox.receive::<Event>(&mut bytes).is_err());
            assert!(inbox.bytes.capacity() <= 1 << 20, "{}", inbox.bytes.capacity());
        }
    }

    #[test]
    fn a_long_message_that_nobody_reads_fails_in_time() {
        let (mut stream, _stopped) = std::os::unix::net::UnixStream::pair().unwrap();
        stream.set_write_timeout(Some(std::time::Duration::from_millis(50))).unwrap();
        assert!(send(&mut stream, &Event::Broken("x".repeat(4 << 20))).is_err());
    }

    #[test]
    fn half_a_message_and_bytes_that_are_no_message_are_errors() {
        let mut whole = Vec::new();
        send(&mut whole, &Event::Broken("reason".to_owned())).unwrap();
        for end in 0..whole.len() {
            assert!(receive::<Event>(&mut whole.get(..end).unwrap()).is_err(), "{end}");
        }
        assert!(receive::<Event>(&mut [3, 0, 0, 0, 0xff, 0xff, 0xff].as_slice()).is_err());
    }
}
