//! What coordinator and worker say to each other: length-prefixed postcard messages over a Unix socket, never over standard streams,
//! which belong to the tests.

use crate::base::id::{GuardId, IdVec, MethodId};
use crate::base::timings::Usage;
use crate::classfile::plan::ClassWeave;
use crate::observation::{Recording, Site};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::collections::BTreeMap;
use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::time::Duration;

/// A message longer than this is a sign of a broken stream.
const LONGEST_MESSAGE: usize = 1 << 30;

/// How a worker starts its JVM, and what it weaves into which class.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Start {
    pub libjvm: PathBuf,
    /// Folder of the classes `reneri.rt`, for the boot loader.
    pub runtime: PathBuf,
    /// Options of the JVM (`-Xmx1g`, `-Dname=value`), without the class path of the tests.
    pub options: Vec<String>,
    pub loader: Loader,
    /// Class path of the tests, for [`Loader::Isolated`].
    pub class_path: Vec<PathBuf>,
    /// Those of its elements whose classes stay from one clean start to the next.
    pub shared: Vec<PathBuf>,
    /// Name of the test engine, then names and values of its parameters in turn.
    pub engine: Vec<String>,
    /// Set with `System.setProperty` before the first test, as surefire does; not on the command line.
    pub properties: Vec<(String, String)>,
    /// By internal class name.
    pub weave: BTreeMap<String, ClassWeave>,
    /// Class files that take the place of the project's own, by internal class name: instrumented tests.
    pub replace: BTreeMap<String, PathBuf>,
    /// What the recorder has to know of each method.
    pub methods: IdVec<MethodId, MethodShape>,
    /// How many test probes there are.
    pub expressions: u32,
    /// Stack of the thread that runs the tests, in bytes.
    pub stack_size: usize,
}

/// Which class loader the tests live in, and so what a clean start is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Loader {
    /// One of their own, made anew for each clean start.
    #[default]
    Isolated,
    /// The JVM's own, with its class path (`-Djava.class.path`) and module path, as under surefire. A clean start is a new JVM.
    Application,
}

/// What is needed to name the parts of a method's state.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MethodShape {
    pub descriptor: String,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Request {
    Start(Box<Start>),
    /// Find the tests of these classes, without running them.
    Discover {
        classes: Vec<String>,
        groups: Option<String>,
        excluded_groups: Option<String>,
    },
    Run(RunRequest),
    /// Other classes take the place of the project's own, or something else is woven in, for [`Loader::Isolated`]: what is asked next gets a clean start.
    Replace(Box<Replacement>),
}

/// The parts of [`Start`] that may be others while the JVM lives.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Replacement {
    pub class_path: Vec<PathBuf>,
    /// `None` for what is woven in already.
    pub weave: Option<BTreeMap<String, ClassWeave>>,
    pub replace: BTreeMap<String, PathBuf>,
    pub expressions: u32,
}

impl Start {
    /// Whether a JVM that was started for this can do what `other` asks for, with other classes or another weave.
    #[must_use]
    pub fn is_same_jvm(&self, other: &Self) -> bool {
        let Self { options, loader, shared, engine, properties, stack_size, .. } = other;
        (&self.options, &self.properties, &self.engine, &self.shared) == (options, properties, engine, shared)
            && (self.loader, self.stack_size) == (*loader, *stack_size)
    }
}

/// One run of a list of tests.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RunRequest {
    /// A clean start: a new class loader, or a new JVM (see [`Loader`]), so that no class of the project has been initialised.
    pub fresh: bool,
    /// The active transformation; `None` for the original code.
    pub active: Option<GuardId>,
    /// In the order in which they are to run.
    pub tests: Vec<RunTest>,
    pub stop_at_first_failure: bool,
    pub record: Record,
    /// Tests found only while running get numbers from here on.
    pub next_number: u32,
    /// As [`RunTest::limit`], for a test that was not in the list.
    pub other_limit: Limit,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Record {
    /// Only which methods each test enters.
    Coverage,
    /// Method state and test state, too.
    State(Sites),
}

/// What becomes of the observations of which site; all others are only counted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sites {
    /// Each observation with its state.
    pub recorded: Vec<Site>,
    /// The first ones with their states; see [`crate::observation::FIRST_OCCURRENCES`].
    pub briefly: Vec<Site>,
    /// One digest of the first ones, and one of the others. Of what is recorded briefly, only that of the others.
    pub digested: Vec<Site>,
    /// The first ones of those are recorded, too, until observations and [`Pool::size`](crate::observation::Pool::size) are so many in all.
    pub samples: u32,
    /// Record the stack of invocations, too.
    pub stacks: bool,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RunTest {
    pub number: u32,
    pub id: String,
    pub limit: Limit,
}

/// What makes a test count as late.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Limit {
    /// More CPU time than this.
    pub milliseconds: u64,
    /// More time than this by the clock.
    pub wall_milliseconds: u64,
    /// More invocations of the transformed method than this.
    pub invocations: u64,
}

impl Limit {
    /// So much CPU time, by the clock what goes with it, however often the transformed method is invoked.
    #[must_use]
    pub const fn of_time(milliseconds: u64) -> Self {
        Self { milliseconds, wall_milliseconds: wall_limit(milliseconds), invocations: u64::MAX }
    }

    /// With so much more time.
    #[must_use]
    pub fn and(self, milliseconds: u64) -> Self {
        Self {
            milliseconds: self.milliseconds + milliseconds,
            wall_milliseconds: self.wall_milliseconds + TIMES_BY_THE_CLOCK * milliseconds,
            ..self
        }
    }

    #[must_use]
    pub fn wall(&self) -> Duration {
        Duration::from_millis(self.wall_milliseconds)
    }
}

/// A busy machine gives a test so small a part of its processors.
const TIMES_BY_THE_CLOCK: u64 = 3;

/// How long a test may take by the clock, when it may use so much CPU time, in milliseconds: for machines that are busy otherwise.
#[must_use]
pub const fn wall_limit(milliseconds: u64) -> u64 {
    TIMES_BY_THE_CLOCK * milliseconds + 3_000
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FoundTest {
    pub id: String,
    pub name: String,
    pub class: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Outcome {
    Passed,
    Failed,
    /// Ignored, disabled, or a failed assumption.
    Skipped,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finished {
    pub number: u32,
    pub outcome: Outcome,
    /// The test did not run when this was told: what is told of it happened to its class (`@BeforeClass`, `@AfterAll`).
    pub of_class: bool,
    pub nanoseconds: u64,
    /// CPU time of the whole process meanwhile: more than `nanoseconds` where several threads work.
    pub cpu_nanoseconds: u64,
    /// Classes that were loaded meanwhile: what a test sets up for itself or for others.
    pub classes: u32,
    /// Class and message of what was thrown.
    pub exception: String,
    pub message: String,
    /// Methods entered between the end of the test before and the end of its class; `None` where no class has ended, or the engine does not tell.
    pub torn_down: Option<Vec<u32>>,
    /// Methods entered behind these, or behind the test before, and ahead of this one.
    pub set_up: Vec<u32>,
    /// Methods entered since this test started; where it did not, since the end of the test before.
    pub entered: Vec<u32>,
    /// It is the last one of a top-level class behind which what tests share with the whole JVM (properties, locale, time zone, streams) is not what it
    /// was ahead of it.
    pub disturbs: bool,
}

impl Finished {
    /// What was entered since the test before had ended, without what is of this one.
    pub fn between(&self) -> impl Iterator<Item = u32> + '_ {
        self.torn_down.iter().flatten().chain(&self.set_up).copied()
    }
}

#[cfg(test)]
impl Finished {
    /// A test that passed, in no time, with nothing entered ahead of it.
    pub fn passed(number: u32, entered: &[u32]) -> Self {
        Self {
            number,
            outcome: Outcome::Passed,
            of_class: false,
            nanoseconds: 0,
            cpu_nanoseconds: 0,
            classes: 0,
            exception: String::new(),
            message: String::new(),
            torn_down: None,
            set_up: Vec::new(),
            entered: entered.to_vec(),
            disturbs: false,
        }
    }
}

/// A class, or one method of it, that could not be woven and runs as it is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Unwoven {
    /// Binary name.
    pub class: String,
    /// Name and descriptor; `None` when the whole class is meant.
    pub method: Option<(String, String)>,
    pub reason: String,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Event {
    Ready,
    Discovered(Vec<FoundTest>),
    Started(u32),
    Finished(Finished),
    /// See [`Finished::disturbs`]: the test that finished last does.
    Disturbed,
    /// An invocation of a parameterised test, seen for the first time.
    Unexpected {
        number: u32,
        test: FoundTest,
    },
    /// Methods entered since the last test ended: said when the run or the JVM ends, or before a test is late.
    Entered(Vec<u32>),
    /// The test did not end in time; the switch has been set back to the original code.
    Late(u32),
    Unwoven(Unwoven),
    Ended {
        recording: Option<Box<Recording>>,
        /// The tests left threads behind that keep this process busy, or many that wait.
        littered: bool,
        /// The tests attached a Java agent that a clean start cannot undo in this JVM.
        is_stained: bool,
        /// What the process has used so far.
        usage: Usage,
    },
    /// The request could not be carried out.
    Broken(String),
}

/// # Errors
/// When the other side is gone.
pub fn send<T: Serialize>(stream: &mut impl Write, message: &T) -> io::Result<()> {
    let mut bytes = vec![0; 4];
    bytes = postcard::to_extend(message, bytes).map_err(io::Error::other)?;
    let length = u32::try_from(bytes.len() - 4).map_err(io::Error::other)?;
    if let Some(prefix) = bytes.first_chunk_mut::<4>() {
        *prefix = length.to_le_bytes();
    }
    stream.write_all(&bytes)
}

/// # Errors
/// When the other side is gone, or sends what is no message.
pub fn receive<T: DeserializeOwned>(stream: &mut impl Read) -> io::Result<T> {
    Inbox::default().receive(stream)
}

/// The message that arrives, as far as it is here. A stream with a time limit may give up in the middle
/// of a message; the next call then continues where this one stopped.
#[derive(Debug, Default)]
pub struct Inbox {
    /// Length prefix and message.
    bytes: Vec<u8>,
    filled: usize,
}

/// A buffer that had to grow larger than this is given back after its message.
const MOST_KEPT: usize = 1 << 16;
/// Bytes of the length before each message.
const PREFIX: usize = 4;

impl Inbox {
    /// # Errors
    /// When the other side is gone, sends what is no message, or when the time limit of the stream is over.
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
        if self.bytes.len() > MOST_KEPT {
            self.bytes = Vec::new();
        }
        message.map_err(io::Error::other)
    }

    fn fill(&mut self, stream: &mut impl Read, size: usize) -> io::Result<()> {
        if self.bytes.len() < size {
            self.bytes.resize(size, 0);
        }
        while self.filled < size {
            let rest = self.bytes.get_mut(self.filled..size).unwrap_or_default();
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
