//! From changed test sources to what their tests do: compiled in a scratch place, run in workers on the original and on the transformed code.

use crate::cover::Coverage;
use crate::error::{Error, ExitCode, Result};
use crate::jvm::client::{End, Launch, Worker, probe_classes};
use crate::jvm::protocol::{Finished, FoundTest, Limit, Loader, Outcome, Record, RunRequest, RunTest, Sites};
use crate::observe::{Recording, Site};
use crate::propagate::javac::{Compiler, Processing, Source, Utf16, options};
use crate::recipe::Recipe;
use crate::transform::plan;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Milliseconds of CPU time that a tried test may take beyond what the tests of the project take.
const SLACK: u64 = 4_000;
/// A tried test may take so many times what the slowest test takes.
const SLOWDOWN: u64 = 3;
/// Complaints of one pass that are told.
const TOLD: usize = 20;
/// How often tests are run again without one that did not come to its end.
const STUCK: usize = 4;

/// Where the tests of one recipe are tried.
pub struct Workshop<'a> {
    pub recipe: &'a Recipe,
    /// As the tests of the project are run, with all transformations woven in.
    launch: Launch,
    scratch: PathBuf,
    compiler: Compiler,
    options: Vec<String>,
    limit: Limit,
    rounds: usize,
    /// Is told what does not compile, for the log.
    tell: &'a dyn Fn(&str),
}

/// Where javac found fault: index of the source, and the byte where that is known.
pub struct Complaint {
    pub source: Option<usize>,
    pub byte: Option<usize>,
    pub message: String,
}

impl<'a> Workshop<'a> {
    /// Writes only below `scratch`.
    ///
    /// # Errors
    /// When the JDK has no compiler, or `scratch` cannot be written.
    pub fn open(
        recipe: &'a Recipe,
        launch: Launch,
        coverage: &Coverage,
        scratch: &Path,
        tell: &'a dyn Fn(&str),
    ) -> Result<Self> {
        for folder in ["generated", "no-sources"] {
            make(&scratch.join(folder))?;
        }
        let slowest = (0..coverage.tests.len()).map(|test| coverage.milliseconds(test)).max().unwrap_or(0);
        Ok(Self {
            recipe,
            launch,
            compiler: Compiler::start(&recipe.java_home, scratch)?,
            options: options(recipe, &probe_classes(&recipe.java_home)?, scratch, Processing::Off)?,
            scratch: scratch.to_path_buf(),
            limit: Limit::of_time(slowest.saturating_mul(SLOWDOWN).saturating_add(SLACK)),
            rounds: 0,
            tell,
        })
    }

    /// Compiles the sources. What javac finds fault with; without any, the folder of the classes.
    ///
    /// # Errors
    /// When the compiler ends, or nothing can be written.
    pub fn compile(&mut self, sources: &[(PathBuf, String)]) -> Result<std::result::Result<PathBuf, Vec<Complaint>>> {
        self.rounds += 1;
        let classes = self.scratch.join(format!("classes-{}", self.rounds));
        make(&classes)?;
        let mut options = self.options.clone();
        // The folder that `options` names is that of a single pass.
        if let Some(at) = options.iter().position(|option| option == "-d")
            && let Some(folder) = options.get_mut(at + 1)
        {
            *folder = classes.to_string_lossy().into_owned();
        }
        let given: Vec<Source<'_>> = sources.iter().map(|(path, text)| Source { path, text }).collect();
        let pass = self.compiler.compile(&options, &given)?;
        if pass.complaints.is_empty() && pass.failure.is_none() {
            return Ok(Ok(classes));
        }
        let mut complaints: Vec<Complaint> = Vec::new();
        for complaint in pass.complaints {
            let text = complaint.source.and_then(|source| given.get(source)).map(|source| source.text);
            let at = complaint.position.or(complaint.start);
            let byte = text.zip(at).map(|(text, at)| Utf16::new(text).byte(at));
            complaints.push(Complaint { source: complaint.source, byte, message: complaint.message });
        }
        if let Some(failure) = pass.failure {
            complaints.push(Complaint { source: None, byte: None, message: failure });
        }
        for Complaint { message, .. } in complaints.iter().take(TOLD) {
            (self.tell)(&format!(
                "A test that is tried does not compile: {}",
                message.lines().next().unwrap_or_default()
            ));
        }
        Ok(Err(complaints))
    }

    /// Whether tests can import this static member.
    ///
    /// # Errors
    /// As [`Self::compile`].
    pub fn has(&mut self, member: &str) -> Result<bool> {
        let source = format!("import static {member};\nclass Imports$reneri {{ }}\n");
        Ok(self.compile(&[(self.scratch.join("Imports$reneri.java"), source)])?.is_ok())
    }

    /// Whether the tests have Mockito.
    #[must_use]
    pub fn has_mocks(&self) -> bool {
        let is_it =
            |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("mockito-core"));
        self.recipe.test_class_path.iter().any(is_it)
    }

    /// For the log.
    pub fn tell(&self, line: &str) {
        (self.tell)(line);
    }

    /// How tests run with these classes in the place of the project's own.
    #[must_use]
    pub fn bench(&self, classes: &Path, expressions: usize, elsewhere: bool) -> Bench {
        let mut launch = self.launch.clone();
        launch.start.expressions = u32::try_from(expressions).unwrap_or(u32::MAX);
        launch.start.replace = plan::replacements(classes, &self.recipe.test_classes);
        // Classes that the project does not have: lambdas' and anonymous ones.
        launch.start.class_path.push(classes.to_path_buf());
        if launch.start.loader == Loader::Application {
            for option in &mut launch.start.options {
                if option.starts_with("-Djava.class.path=") {
                    option.push(':');
                    option.push_str(&classes.to_string_lossy());
                }
            }
        }
        if elsewhere {
            // What the project sets itself is the same everywhere.
            let is_set = |launch: &Launch, name: &str| {
                launch.start.options.iter().any(|option| option.starts_with(&format!("-D{name}=")))
                    || launch.start.properties.iter().any(|(known, _)| known == name)
            };
            for (name, value) in [("user.timezone", "Pacific/Chatham"), ("user.language", "de"), ("user.country", "DE")]
            {
                if !is_set(&launch, name) {
                    launch.start.options.push(format!("-D{name}={value}"));
                }
            }
        }
        Bench { launch, worker: None, limit: self.limit }
    }
}

/// One worker for tests that are tried.
pub struct Bench {
    launch: Launch,
    worker: Option<Worker>,
    limit: Limit,
}

/// What a run of tests came to, by their numbers.
#[derive(Debug, Default)]
pub struct Tried {
    pub finished: Vec<Finished>,
    pub recording: Recording,
    /// Did not come to their end.
    pub stuck: BTreeSet<u32>,
    /// Methods that were entered in runs that were given up.
    pub entered_otherwise: BTreeSet<u32>,
    /// Of some run it is not known what was entered.
    pub is_lost: bool,
}

impl Tried {
    /// The test's own outcome, if it came to an end.
    #[must_use]
    pub fn of(&self, number: u32) -> Option<&Finished> {
        self.finished.iter().rev().find(|finished| finished.number == number && !finished.of_class)
    }

    #[must_use]
    pub fn passed(&self, number: u32) -> bool {
        self.of(number).is_some_and(|finished| finished.outcome == Outcome::Passed)
    }
}

impl Bench {
    fn worker(&mut self) -> Result<Worker> {
        match self.worker.take() {
            Some(worker) => Ok(worker),
            None => Worker::start(&self.launch),
        }
    }

    /// The tests of these classes. A class that cannot be listed by itself (TestNG's factories make some) has none, and takes no other with it.
    ///
    /// # Errors
    /// When the user interrupts.
    pub fn tests(&mut self, classes: &[String]) -> Result<Vec<FoundTest>> {
        match self.found(classes) {
            Err(error) if error.exit_code == ExitCode::Interrupted => Err(error),
            Err(_) => {
                let mut found = Vec::new();
                for class in classes {
                    match self.found(std::slice::from_ref(class)) {
                        Ok(more) => found.extend(more),
                        Err(error) if error.exit_code == ExitCode::Interrupted => return Err(error),
                        Err(_) => {}
                    }
                }
                Ok(found)
            }
            found => found,
        }
    }

    fn found(&mut self, classes: &[String]) -> Result<Vec<FoundTest>> {
        let mut worker = self.worker()?;
        let found = worker.discover(classes, None, None)?;
        self.worker = Some(worker);
        Ok(found)
    }

    /// Runs tests (number, engine's id) with a transformation, 0 for none, and records `expressions`. A test that does not come to its end is
    /// left out.
    ///
    /// # Errors
    /// When a worker cannot be started, or the user interrupts.
    pub fn run(&mut self, active: u32, tests: &[(u32, &str)], expressions: &[u32], fresh: bool) -> Result<Tried> {
        let mut left: Vec<(u32, &str)> = tests.to_vec();
        let mut stuck = BTreeSet::new();
        let mut entered_otherwise = BTreeSet::new();
        let mut is_lost = false;
        for _ in 0..STUCK {
            if left.is_empty() {
                break;
            }
            let mut worker = self.worker()?;
            let request =
                |(number, id): &(u32, &str)| RunTest { number: *number, id: (*id).to_owned(), limit: self.limit };
            let ran = worker.run(&RunRequest {
                fresh,
                active,
                tests: left.iter().map(request).collect(),
                stop_at_first_failure: false,
                record: if expressions.is_empty() {
                    Record::Coverage
                } else {
                    Record::State(Sites {
                        recorded: expressions.iter().copied().map(Site::Expression).collect(),
                        ..Sites::default()
                    })
                },
                next_number: u32::MAX / 2,
                other_limit: self.limit,
            })?;
            if ran.end == End::Complete {
                if !worker.is_littered() {
                    self.worker = Some(worker);
                }
                entered_otherwise.extend(ran.entered);
                let (finished, recording) = (ran.finished, ran.recording.unwrap_or_default());
                return Ok(Tried { finished, recording, stuck, entered_otherwise, is_lost });
            }
            // A late test says what it has entered; of one that hangs, or ends the JVM, that is not known.
            is_lost |= !matches!(ran.end, End::Late(_));
            let finished = ran.finished.iter().flat_map(|finished| finished.set_up.iter().chain(&finished.entered));
            entered_otherwise.extend(finished.chain(&ran.entered));
            match ran.end {
                End::Late(number) | End::Hung(Some(number)) | End::Died(Some(number)) => {
                    stuck.insert(number);
                    left.retain(|(other, _)| *other != number);
                }
                End::Complete | End::Hung(None) | End::Died(None) | End::Broken(_) => break,
            }
        }
        stuck.extend(left.iter().map(|(number, _)| *number));
        Ok(Tried { stuck, entered_otherwise, is_lost, ..Tried::default() })
    }

    /// One test after the other, in the order given, in one class loader.
    ///
    /// # Errors
    /// As [`Bench::run`].
    pub fn run_one_by_one(&mut self, tests: &[(u32, &str)]) -> Result<Tried> {
        let mut all = Tried::default();
        for (index, test) in tests.iter().enumerate() {
            let tried = self.run(0, std::slice::from_ref(test), &[], index == 0)?;
            all.finished.extend(tried.finished);
            all.stuck.extend(tried.stuck);
            all.entered_otherwise.extend(tried.entered_otherwise);
            all.is_lost |= tried.is_lost;
        }
        Ok(all)
    }
}

/// Whether a test failed because something was not as it asserts.
#[must_use]
pub fn is_by_assertion(finished: &Finished) -> bool {
    let name = finished.exception.rsplit(['.', '$']).next().unwrap_or_default();
    // Truth has an `AssertionErrorWithCause`, others have their own, and Mockito one for each way in which a call is not what was verified.
    let is_verification = finished.exception.starts_with("org.mockito.exceptions.verification.");
    let words = ["AssertionError", "AssertionFailedError", "ComparisonFailure", "MultipleFailures"];
    finished.outcome == Outcome::Failed && (is_verification || words.iter().any(|word| name.contains(word)))
}

fn make(folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder).map_err(|error| {
        Error::usage(
            format!("{} cannot be made: {error}.", folder.display()),
            "Make room, or set TMPDIR to a folder that can be written.",
        )
    })
}
