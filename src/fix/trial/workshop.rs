//! The workshop of one recipe: compiles changed test sources, and starts JVMs in which their tests
//! run.

use crate::base::error::{Error, Result};
use crate::cover::Coverage;
use crate::fix::input::Input;
use crate::fix::trial::bench::{Benches, MACHINES};
use crate::fix::trial::surroundings::Surroundings;
use crate::instrument::javac::{Compiler, Pass, Processing, Source, Utf16, into, options};
use crate::jvm::client::{Launch, probe_classes};
use crate::jvm::protocol::{Limit, Loader};
use crate::recipe::{CleanCopy, Extent, Recipe};
use crate::run::Pool;
use crate::transform::plan;
use parking_lot::Mutex;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Milliseconds of CPU time that a trial test may take in addition.
const SLACK: u64 = 4_000;
/// A trial test may take this number of times as long as the slowest test.
const SLOWDOWN: u64 = 3;
/// More passes than are needed to drop all code that does not compile, one kind of error after the
/// other.
const PASSES: usize = 12;
/// Most complaints of one pass that are logged.
const TOLD: usize = 20;
/// The place where tests of one recipe are tried.
pub struct Workshop<'a> {
    pub recipe: &'a Recipe,
    /// The launch of the project's tests, with all transformations woven in.
    launch: Launch,
    scratch: PathBuf,
    /// A copy of the module's folder, if tests may write files.
    copy: Option<Mutex<CleanCopy>>,
    compiler: &'a mut Compiler,
    options: Vec<String>,
    limit: Limit,
    /// Whether two JVMs may run tests at the same time.
    pub at_once: bool,
    pool: &'a Pool,
    /// Launches of the other executions of surefire that run these test classes.
    siblings: Vec<Sibling>,
    rounds: usize,
    /// Writes to the log what does not compile.
    tell: &'a dyn Fn(&str),
}

/// Another execution of surefire that runs test classes of the recipe with other settings.
struct Sibling {
    launch: Launch,
    /// The names of its test classes.
    classes: Vec<String>,
}

/// A complaint of javac: the index of the source, and the byte if it is known.
pub struct Complaint {
    pub source: Option<usize>,
    pub byte: Option<usize>,
    pub message: String,
}

impl<'a> Workshop<'a> {
    /// Writes only below `scratch`.
    ///
    /// # Errors
    ///
    /// When the JDK has no compiler, or `scratch` cannot be written.
    pub fn open(
        input: &Input<'a>,
        recipe: &'a Recipe,
        launch: Launch,
        scratch: &Path,
        compiler: &'a mut Compiler,
    ) -> Result<Self> {
        let Input { coverage, jobs, pool, tell, .. } = *input;
        for folder in ["generated", "no-sources"] {
            make(&scratch.join(folder))?;
        }
        let slowest = coverage.tests.indices().map(|test| coverage.milliseconds(test)).max().unwrap_or(0);
        Ok(Self {
            recipe,
            launch,
            copy: clean_copy(coverage, recipe).map(Mutex::new),
            compiler,
            options: options(recipe, &probe_classes(&recipe.java_home)?, scratch, Processing::Off)?,
            scratch: scratch.to_path_buf(),
            limit: Limit::of_time(slowest.saturating_mul(SLOWDOWN).saturating_add(SLACK)),
            at_once: jobs > 1,
            pool,
            siblings: siblings(input, recipe)?,
            rounds: 0,
            tell,
        })
    }

    /// A new folder for classes.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    pub fn folder(&mut self) -> Result<PathBuf> {
        self.rounds += 1;
        let folder = self.scratch.join(format!("classes-{}", self.rounds));
        make(&folder)?;
        Ok(folder)
    }

    /// Compiles the sources. Returns the folder of the classes, or the complaints of javac.
    ///
    /// # Errors
    ///
    /// When the compiler ends, or nothing can be written.
    pub fn compile(&mut self, sources: &[(PathBuf, String)]) -> Result<std::result::Result<PathBuf, Vec<Complaint>>> {
        let folder = self.folder()?;
        let given: Vec<Source<'_>> = sources.iter().map(|(path, text)| Source { path, text }).collect();
        let texts: Vec<&str> = given.iter().map(|source| source.text).collect();
        let options: Vec<String> = self.options.iter().cloned().chain(into(&folder)).collect();
        let pass = self.compiler.compile(&options, &given)?;
        let complaints = self.complaints(pass, &texts);
        Ok(if complaints.is_empty() { Ok(folder) } else { Err(complaints) })
    }

    /// Compiles each source by itself, until javac has no complaints, and collects the classes in
    /// `folder`. Returns which sources compile.
    ///
    /// `next` gives the text of a source, by its index, from the complaints about the last text;
    /// none at first. `None` gives up the source.
    ///
    /// # Errors
    ///
    /// As [`Self::compile`].
    pub fn compile_each(
        &mut self,
        folder: &Path,
        paths: &[&Path],
        mut next: impl FnMut(usize, &[Complaint]) -> Option<String>,
    ) -> Result<Vec<bool>> {
        let mut compiles = vec![false; paths.len()];
        let mut open: Vec<(usize, Vec<Complaint>)> = (0..paths.len()).map(|index| (index, Vec::new())).collect();
        for _ in 0..PASSES {
            let mut given: Vec<(usize, &Path, String, PathBuf)> = Vec::new();
            for (index, complaints) in open.drain(..) {
                if let (Some(text), Some(path)) = (next(index, &complaints), paths.get(index)) {
                    given.push((index, path, text, self.folder()?));
                }
            }
            if given.is_empty() {
                break;
            }
            let sources: Vec<(Source<'_>, &Path)> =
                given.iter().map(|(_, path, text, own)| (Source { path, text }, own.as_path())).collect();
            let threads = if self.at_once { MACHINES } else { 1 };
            let passes = self.compiler.compile_each(&self.options, &sources, threads)?;
            for (pass, (index, _, text, own)) in passes.into_iter().zip(&given) {
                let complaints = self.complaints(pass, &[text]);
                if complaints.is_empty() {
                    merge(own, folder)?;
                    if let Some(compiles) = compiles.get_mut(*index) {
                        *compiles = true;
                    }
                } else {
                    open.push((*index, complaints));
                }
            }
        }
        Ok(compiles)
    }

    /// The complaints of javac about sources with these texts.
    fn complaints(&self, pass: Pass, texts: &[&str]) -> Vec<Complaint> {
        let mut complaints: Vec<Complaint> = Vec::new();
        for complaint in pass.complaints {
            let text = complaint.source.and_then(|source| texts.get(source));
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
        complaints
    }

    /// Whether tests can import this static member.
    ///
    /// # Errors
    ///
    /// As [`Self::compile`].
    pub fn has(&mut self, member: &str) -> Result<bool> {
        let source = format!("import static {member};\nclass Imports$reneri {{ }}\n");
        Ok(self.compile(&[(self.scratch.join("Imports$reneri.java"), source)])?.is_ok())
    }

    /// The Java level of the test sources: the lowest one that their compiler settings name, or that
    /// of the JDK.
    #[must_use]
    pub fn level(&self) -> u32 {
        let settings = &self.recipe.compiler;
        let named = [&settings.release, &settings.source, &settings.target].into_iter().flatten();
        let levels = named.filter_map(|level| level.trim().trim_start_matches("1.").parse().ok());
        levels.min().unwrap_or(self.recipe.java_release)
    }

    /// Whether the tests have Mockito.
    #[must_use]
    pub fn has_mocks(&self) -> bool {
        let is_it =
            |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("mockito-core"));
        self.recipe.test_class_path.iter().any(is_it)
    }

    /// Writes a line to the log.
    pub fn tell(&self, line: &str) {
        (self.tell)(line);
    }

    /// Two JVMs that run tests with these classes in place of the project's. They have run other tests
    /// before if possible.
    #[must_use]
    pub fn benches(&self, classes: &Path, expressions: usize) -> Benches<'a> {
        self.pool.keep(MACHINES);
        let launch = Arc::new(self.launch(classes, expressions, Surroundings::Usual));
        Benches::new(self.pool, launch, self.limit, self.at_once)
    }

    /// The same with new JVMs.
    #[must_use]
    pub fn new_benches(&self, classes: &Path) -> Benches<'a> {
        self.pool.keep(0);
        self.benches(classes, 0)
    }

    /// Ends the JVMs in which no further tests can run.
    pub fn clear_away(&self) {
        self.pool.keep(MACHINES);
    }

    /// The launch of tests with these classes in other surroundings.
    #[must_use]
    pub fn launch_in(&self, surroundings: Surroundings, classes: &Path) -> Arc<Launch> {
        Arc::new(self.launch(classes, 0, surroundings))
    }

    /// The launches of other executions of surefire with these classes, and the names of the test
    /// classes that each runs.
    #[must_use]
    pub fn launches_of_siblings(&self, classes: &Path) -> Vec<(Arc<Launch>, &[String])> {
        let mut launches = Vec::new();
        for sibling in &self.siblings {
            let launch = self.with_classes(&sibling.launch, classes, 0, Surroundings::Usual);
            launches.push((Arc::new(launch), sibling.classes.as_slice()));
        }
        launches
    }

    fn launch(&self, classes: &Path, expressions: usize, surroundings: Surroundings) -> Launch {
        self.with_classes(&self.launch, classes, expressions, surroundings)
    }

    fn with_classes(&self, launch: &Launch, classes: &Path, expressions: usize, surroundings: Surroundings) -> Launch {
        let mut launch = launch.clone();
        launch.start.expressions = u32::try_from(expressions).unwrap_or(u32::MAX);
        launch.start.replace = plan::replacements(classes, &self.recipe.test_classes);
        // Classes that the project does not have, such as lambdas and anonymous classes.
        launch.start.class_path.push(classes.to_path_buf());
        if launch.start.loader == Loader::Application {
            for option in &mut launch.start.options {
                if option.starts_with("-Djava.class.path=") {
                    option.push(':');
                    option.push_str(&classes.to_string_lossy());
                }
            }
        }
        let mut copy = self.copy.as_ref().map(Mutex::lock);
        let (release, elsewhere) = (self.recipe.java_release, self.scratch.join("elsewhere"));
        surroundings.apply(&mut launch, release, &elsewhere, copy.as_deref_mut());
        launch
    }
}

/// A copy of the module's folder, if tests may write files: what an earlier run left behind decides
/// nothing there.
fn clean_copy(coverage: &Coverage, recipe: &Recipe) -> Option<CleanCopy> {
    let since = coverage.since.filter(|_| !coverage.writing.is_empty())?;
    CleanCopy::new(recipe, Extent::ClassPath, since)
}

/// The other recipes of the same test classes, if executions of surefire differ in their settings.
fn siblings(input: &Input<'_>, recipe: &Recipe) -> Result<Vec<Sibling>> {
    let mut siblings = Vec::new();
    for (other, launch) in input.build.recipes.iter().zip(input.launches) {
        if other == recipe || other.test_classes != recipe.test_classes {
            continue;
        }
        let classes = other.test_class_names()?;
        siblings.push(Sibling { launch: launch.clone(), classes });
    }
    Ok(siblings)
}

/// Moves the files of one folder into another one.
fn merge(from: &Path, to: &Path) -> Result<()> {
    for entry in walkdir::WalkDir::new(from).into_iter().filter_map(std::result::Result::ok) {
        let Ok(below) = entry.path().strip_prefix(from) else { continue };
        let there = to.join(below);
        if entry.file_type().is_dir() {
            make(&there)?;
        } else {
            std::fs::rename(entry.path(), &there).map_err(|error| not_made(&there, &error))?;
        }
    }
    Ok(())
}

fn make(folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder).map_err(|error| not_made(folder, &error))
}

fn not_made(path: &Path, error: &std::io::Error) -> Error {
    Error::usage(
        format!("{} cannot be made: {error}.", path.display()),
        "Make room, or set TMPDIR to a folder that can be written.",
    )
}
