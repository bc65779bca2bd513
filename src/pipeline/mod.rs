//! The order of the stages, and nothing else: settings come in, reports are written, the exit code goes out.

mod analysis;
mod instrumented;
mod observation;
mod patching;
mod self_check;

use crate::base::error::{ExitCode, Result};
use crate::base::interrupt;
use crate::base::project_lock;
use crate::base::timings::Since;
use crate::change::{self, Change, Source};
use crate::cli::{FailOn, Settings, Target};
use crate::code::Sources;
use crate::cover::{self, Chosen, Coverage, Progress, Runs, Task};
use crate::history::{History, Kept, Recall, State};
use crate::instrument::javac::compiler_classes;
use crate::jvm::client::{Launch, Worker, probe_classes};
use crate::project;
use crate::recipe::launch::{Classes, launch, tune};
use crate::recipe::maven::{self, MavenOptions};
use crate::recipe::{self, Build, jdk};
use crate::report::{self, BaselineReport, Report};
use crate::terminal::Terminal;
use crate::text::escape::shorten;
use crate::transform::{Selection, Transformations, list, plan};
use analysis::{Earlier, Input, analysis, tell_change};
use instrumented::Once;
use observation::Stages;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Longest reason of a quarantine on the terminal, in characters; the report has all of it.
const REASON: usize = 200;

/// Analyzes the project and writes the reports.
///
/// # Errors
/// Whatever keeps the analysis from being done; nothing of the project has changed then.
pub fn analyze(settings: &Settings, terminal: &Terminal) -> Result<ExitCode> {
    let since = Since::now();
    let code = stages(settings, terminal)?;
    let file = settings.target.output.join("timings.json");
    if settings.timings {
        let times = terminal.timings().times(since);
        report::put(&file, &times.json()?)?;
        terminal.summary(&times.table());
    } else {
        report::remove(&file)?;
    }
    Ok(code)
}

fn stages(settings: &Settings, terminal: &Terminal) -> Result<ExitCode> {
    let selection = Selection::new(settings.transformations.clone(), settings.disabled_stop_rules.clone())?;
    let change = settings.change.as_ref().map(|source| change(source, &settings.target)).transpose()?;
    let baseline = baseline(settings)?;
    let build = std::thread::scope(|scope| {
        if settings.jobs > 1 {
            scope.spawn(compile_ahead);
        }
        build(&settings.target, terminal)
    })?;
    check(baseline.as_ref(), &build)?;
    let sources = Sources::of(&build);
    if settings.self_check {
        self_check(settings, terminal, &selection, &build)?;
        return Ok(ExitCode::Done);
    }
    let state = || State::of(settings, &build, change.as_ref());
    let history = settings.target.history.then(|| History::of(&build.root, &settings.target.output));
    let now = history.as_ref().and_then(|_| state());
    let last = history.as_ref().and_then(History::last);
    let report = match (last, &now) {
        (Some((then, kept)), Some(now)) if then == *now => {
            terminal.remark(
                "Nothing has changed since the last analysis, so this is what it found (--no-history: analyze again).",
            );
            let shown = terminal.warnings();
            kept.warnings.iter().filter(|warning| !shown.contains(warning)).for_each(|warning| terminal.warn(warning));
            kept.report
        }
        (last, _) => {
            let earlier = last.zip(now.as_ref()).and_then(|((then, kept), now)| {
                let changes = now.changes_since(&then).inspect_err(|what| tell_change(terminal, what)).ok()?;
                Some(Earlier { changes, kept })
            });
            let input = Input {
                settings,
                terminal,
                selection: &selection,
                build: &build,
                change: change.as_ref(),
                sources: &sources,
            };
            let (report, past) = analysis(&input, earlier)?;
            if let (Some(history), Some(now), Some(past)) = (history, now, past)
                && state().as_ref() == Some(&now)
            {
                history.keep(&now, &Kept { report: report.clone(), warnings: terminal.warnings(), past });
            }
            report
        }
    };
    conclude(settings, report, baseline.as_ref(), &sources, terminal)
}

/// Compiles what reneri itself has in Java and needs behind Maven, if this machine has none of it yet: Maven leaves half of two cores idle. Most builds run their tests
/// with the JDK of the environment; whoever needs the classes sees to it that they are there, and says what goes wrong.
fn compile_ahead() {
    if let Ok(java_home) = jdk::of_environment()
        && let Ok(java_home) = java_home.canonicalize()
    {
        let _ = probe_classes(&java_home).and_then(|_| compiler_classes(&java_home));
    }
}

/// Makes one report of those of all parts of an analysis.
///
/// # Errors
/// When a report cannot be read, is no part, or one is missing; and what [`build()`] says.
pub fn merge(settings: &Settings, reports: &[PathBuf], terminal: &Terminal) -> Result<ExitCode> {
    let next = "Give `reneri merge` the report.json of every part of one analysis, each once.";
    let read = |file: &PathBuf| Ok((file.clone(), report::read(file, next)?));
    let report = report::merge(reports.iter().map(read).collect::<Result<_>>()?)?;
    let baseline = baseline(settings)?;
    let build = build(&settings.target, terminal)?;
    check(baseline.as_ref(), &build)?;
    conclude(settings, report, baseline.as_ref(), &Sources::of(&build), terminal)
}

/// The baseline, before anything is built.
fn baseline(settings: &Settings) -> Result<Option<BaselineReport>> {
    settings.baseline.as_ref().map(|file| BaselineReport::read(file, &settings.target.project)).transpose()
}

fn check(baseline: Option<&BaselineReport>, build: &Build) -> Result<()> {
    let modules: Vec<&str> = build.modules.iter().map(|module| module.name.as_str()).collect();
    baseline.map_or(Ok(()), |baseline| baseline.check(&build.project, &modules))
}

/// Writes the report, with what the project accepts and what is new marked, and sums up.
fn conclude(
    settings: &Settings,
    mut report: Report,
    baseline: Option<&BaselineReport>,
    sources: &Sources,
    terminal: &Terminal,
) -> Result<ExitCode> {
    let everything = settings.target.modules.is_empty()
        && settings.transformations.is_none()
        && report.scope.is_none()
        && report.shard.is_none();
    for note in report::accept(&mut report, &settings.accept, report::today(), everything) {
        terminal.warn(&note);
    }
    if let Some(baseline) = baseline {
        report::compare(&mut report, baseline).iter().for_each(|note| terminal.warn(note));
    }
    let written = report::write(&report, sources, &settings.target.output, &settings.formats)?;
    terminal.summary(&report::summary(&report, &shown_path(&written.markdown)));
    if let Some(annotations) = &written.annotations {
        terminal.output(annotations);
    }
    Ok(verdict(settings, &report, terminal))
}

/// From the build to nothing found between the original code and itself.
fn self_check(settings: &Settings, terminal: &Terminal, selection: &Selection, build: &Build) -> Result<()> {
    let transformations = &list(&build.class_folders(), selection)?;
    let Covered { launches, coverage, workers, .. } =
        covered(&settings.target, settings.jobs, terminal, build, transformations, None)?;
    drop(workers);
    let (launches, coverage, tests) = (&launches, &coverage, &Once::default());
    Stages { settings, terminal, build, launches, transformations, coverage, tests, compilers: None }.self_check()
}

/// The change, before anything is built: a name that is wrong is told at once.
fn change(source: &Source, target: &Target) -> Result<Change> {
    // The file that describes the tests lies where the build wrote it, in the project.
    let folder = target.recipe.as_deref().and_then(Path::parent).unwrap_or(&target.project);
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_path_buf());
    change::read(source, &folder)
}

/// Whether what is undetected fails the run.
fn verdict(settings: &Settings, report: &Report, terminal: &Terminal) -> ExitCode {
    let open = report.open();
    let fails = match (settings.max_undetected, settings.fail_on) {
        (Some(most), _) if open > most => {
            terminal.remark(&format!("--max-undetected {most}: {open} are undetected and not accepted."));
            true
        }
        (Some(_), _) | (None, FailOn::None) => false,
        (None, FailOn::Any) => open > 0,
        (None, FailOn::New) => report.baseline.as_ref().is_none_or(|baseline| baseline.new > 0),
    };
    if fails { ExitCode::Findings } else { ExitCode::Done }
}

/// What the recipe file or Maven says, of the modules that are asked for.
///
/// # Errors
/// What [`recipe::file::read`], [`maven::ask`] and [`Build::only`] say.
pub fn build(target: &Target, terminal: &Terminal) -> Result<Build> {
    let build = match &target.recipe {
        Some(file) => {
            let build = recipe::file::read(file)?;
            terminal.log_to(&target.output)?;
            build
        }
        None => ask_maven(target, terminal)?,
    };
    build.notes.iter().for_each(|note| terminal.warn(note));
    let build = build.only(&target.modules)?;
    for (note, modules) in build.shared_notes() {
        terminal.warn(&if build.recipes.len() > 1 {
            format!("{}: {note}", modules.join(", "))
        } else {
            note.to_owned()
        });
    }
    for recipe in &build.recipes {
        recipe.asides.iter().for_each(|aside| terminal.verbose(&format!("{}: {aside}", recipe.module)));
    }
    Ok(build)
}

fn ask_maven(target: &Target, terminal: &Terminal) -> Result<Build> {
    let project = project::find(&target.project)?;
    project_lock::wait(&project.root, || {
        terminal.remark("Another reneri works on this project: waiting until it has ended.")
    })?;
    terminal.log_to(&target.output)?;
    let stage = terminal.stage("Compiling and asking Maven how the tests run", None);
    let options =
        MavenOptions { arguments: target.maven_arguments.clone(), offline: target.offline, history: target.history };
    let maven_log = target.output.join("maven.log");
    let build = maven::ask(&project, &options, &maven_log, interrupt::flag(), &mut |line| terminal.verbose(line))?;
    stage.finish();
    Ok(build)
}

/// What the tests of a build reach.
#[derive(Debug, Default)]
pub struct Covered {
    /// One for each recipe.
    pub launches: Vec<Launch>,
    pub coverage: Coverage,
    /// For each recipe the runs behind it, and where the tests ran.
    pub runs: Vec<Option<(Classes, Runs)>>,
    /// Where there is only one recipe: JVMs of its launch, as they are after the tests have run in them.
    pub workers: Vec<Worker>,
}

/// A launch for each recipe, and what all their tests reach, with so many `jobs`. `before` is what an earlier analysis knows.
///
/// # Errors
/// When no test of any recipe can be used.
pub fn covered(
    target: &Target,
    jobs: usize,
    terminal: &Terminal,
    build: &Build,
    transformations: &Transformations,
    before: Option<&Recall<'_>>,
) -> Result<Covered> {
    let test_output = target.output.join("tests.log");
    report::remove(&test_output)?;
    let stage = terminal.stage("Running the tests to see what they reach", None);
    let mut launches = Vec::new();
    let mut coverages = Vec::new();
    let mut all_runs = Vec::new();
    let mut refused = Vec::new();
    let mut left = Vec::new();
    for (number, recipe) in build.recipes.iter().enumerate() {
        let mut launch = launch(recipe, Some(&test_output))?;
        launch.timings = terminal.timings().clone();
        launch.start.weave = plan::plan(transformations, &BTreeSet::new(), &build.seen_by(recipe));
        launch.start.methods = plan::shapes(transformations);
        terminal.verbose(&format!("JVM of the tests of {}: {}", recipe.module, launch.start.options.join(" ")));
        let methods = transformations.methods.len();
        let classes = recipe.test_class_names()?;
        let before = before.and_then(|before| before.before(number));
        // How many tests there are, the first run tells.
        stage.expect(None);
        let progress = Progress {
            said: &|line| terminal.verbose(line),
            ran: &|| stage.advance(1),
            left: &|more| stage.expect(u64::try_from(more).ok().map(|more| stage.done() + more)),
        };
        let task =
            Task { recipe, launch: &launch, classes: &classes, methods, before: before.as_ref(), jobs, progress };
        let (coverage, runs) = match cover::choose(&task) {
            Ok(Chosen { coverage, launch: chosen, note, runs, workers }) => {
                launch = chosen;
                left = workers;
                note.iter().for_each(|note| terminal.warn(note));
                (coverage, runs)
            }
            // Tests of one module that cannot be used take nothing from the others.
            Err(error) if matches!(error.exit_code, ExitCode::CannotBuild | ExitCode::TestsFail) => {
                refused.push((recipe, error));
                (Coverage::default(), None)
            }
            Err(error) => return Err(error),
        };
        let suite = coverage.nanoseconds.iter().sum();
        let options = launch.start.options.clone();
        tune(&mut launch, recipe, suite);
        // One recipe's JVMs are not kept while those of others run.
        if build.recipes.len() > 1 || launch.start.options != options {
            left.clear();
        }
        terminal.verbose(&format!("The tests of {} take {} ms", recipe.module, suite / 1_000_000));
        launches.push(launch);
        coverages.push(coverage);
        all_runs.push(runs);
    }
    left.iter_mut().for_each(Worker::end_stage);
    stage.finish();
    if refused.len() == build.recipes.len()
        && let Some((_, error)) = refused.pop()
    {
        return Err(error);
    }
    for (recipe, error) in &refused {
        terminal.warn(&format!("The tests of {} are left out. {}", recipe.module, error.what));
    }
    let coverage = Coverage::join(coverages);
    for quarantined in coverage.failing.iter().chain(&coverage.unstable) {
        let name = coverage.tests.get(quarantined.test).map_or("?", |test| test.name.as_str());
        let (reason, cut) = shorten(&quarantined.reason, REASON);
        terminal.warn(&format!("{name} is left out: {reason}{}", if cut.is_some() { " …" } else { "" }));
    }
    if let Some(note) = contended(&coverage).filter(|_| jobs > 1) {
        terminal.warn(&note);
    }
    Ok(Covered { launches, coverage, runs: all_runs, workers: left })
}

/// What is said of tests that need what another JVM has.
fn contended(coverage: &Coverage) -> Option<String> {
    let (first, others) = coverage.contended.split_first()?;
    let name = coverage.tests.get(*first).map_or("?", |test| test.name.as_str());
    let (who, pass) = match others.len() {
        0 => (name.to_owned(), "passes"),
        1 => (format!("{name} and another test"), "pass"),
        more => (format!("{name} and {more} other tests"), "pass"),
    };
    Some(format!(
        "{who} {pass} alone, but not while another JVM runs the same (a port, a file, or time, that only one can have?): one job is used from here on."
    ))
}

/// The path as the person who started reneri would type it.
fn shown_path(file: &Path) -> String {
    let here = std::env::current_dir().ok().and_then(|here| here.canonicalize().ok());
    let relative = here.and_then(|here| file.strip_prefix(here).ok().map(Path::to_path_buf));
    relative.unwrap_or_else(|| file.to_path_buf()).display().to_string()
}
