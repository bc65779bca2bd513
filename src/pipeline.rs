//! The order of the stages, and nothing else: settings come in, reports are written, the exit code goes out.

use crate::change::{self, Change, Roots, Source, TouchedCode};
use crate::classfile::outlines::Outlines;
use crate::cli::{FailOn, Settings, Target};
use crate::cover::{self, Chosen, Coverage};
use crate::detect::{candidates, detect};
use crate::diagnose::{self, Diagnosis, TestCode, diagnose};
use crate::error::{Error, ExitCode, Result};
use crate::history::{History, Kept};
use crate::interrupt;
use crate::jvm::client::{Launch, probe_classes};
use crate::observe::repeat::{Group, Undetected, group, observe};
use crate::observe::run::{Observers, Post};
use crate::observe::self_check::compare_with_itself;
use crate::project;
use crate::propagate::{Instrumented, instrument};
use crate::recipe::launch::{launch, tune, tune_clean_starts};
use crate::recipe::maven::{self, MavenOptions};
use crate::recipe::{self, Build, Recipe};
use crate::report::{self, Findings, Report, Shard};
use crate::reproduce;
use crate::suggest::escape::shorten;
use crate::suggest::{self, Sources, suggest};
use crate::terminal::Terminal;
use crate::timings::Since;
use crate::transform::{Selection, Transformations, list, operators, plan};
use crate::turn;
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
    let build = build(&settings.target, terminal)?;
    let sources = Sources::of(&build);
    if settings.self_check {
        self_check(settings, terminal, &selection, &build)?;
        return Ok(ExitCode::Done);
    }
    let state = || History::of(settings, &build, change.as_ref());
    let history = if settings.target.history { state() } else { None };
    let report = match history.as_ref().and_then(History::kept) {
        Some(kept) => {
            terminal.remark(
                "Nothing has changed since the last analysis, so this is what it found (--no-history: analyze again).",
            );
            let shown = terminal.warnings();
            kept.warnings.iter().filter(|warning| !shown.contains(warning)).for_each(|warning| terminal.warn(warning));
            kept.report
        }
        None => {
            let report = analyze_anew(settings, terminal, &selection, &build, change.as_ref(), &sources)?;
            if let Some(history) = history.filter(|history| state().as_ref() == Some(history)) {
                history.keep(&Kept { report: report.clone(), warnings: terminal.warnings() });
            }
            report
        }
    };
    conclude(settings, report, &sources, terminal)
}

/// Makes one report of those of all parts of an analysis.
///
/// # Errors
/// When a report cannot be read, is no part, or one is missing; and what [`build()`] says.
pub fn merge(settings: &Settings, reports: &[PathBuf], terminal: &Terminal) -> Result<ExitCode> {
    let read = |file: &PathBuf| Ok((file.clone(), report::read(file)?));
    let report = report::merge(reports.iter().map(read).collect::<Result<_>>()?)?;
    let build = build(&settings.target, terminal)?;
    conclude(settings, report, &Sources::of(&build), terminal)
}

/// Writes the report, with what the project accepts marked, and sums up.
fn conclude(settings: &Settings, mut report: Report, sources: &Sources, terminal: &Terminal) -> Result<ExitCode> {
    let everything = settings.target.modules.is_empty()
        && settings.transformations.is_none()
        && settings.change.is_none()
        && report.shard.is_none();
    for note in report::accept(&mut report, &settings.accept, report::today(), everything) {
        terminal.warn(&note);
    }
    let written = report::write(&report, sources, &settings.target.output, &settings.formats)?;
    terminal.summary(&report::summary(&report, &shown_path(&written.markdown)));
    if let Some(annotations) = &written.annotations {
        terminal.output(annotations);
    }
    Ok(verdict(settings, report.open(), terminal))
}

/// From the build to nothing found between the original code and itself.
fn self_check(settings: &Settings, terminal: &Terminal, selection: &Selection, build: &Build) -> Result<()> {
    let transformations = &list(&build.class_folders(), selection)?;
    let (launches, coverage) = &covered(&settings.target, terminal, build, transformations)?;
    Stages { settings, terminal, build, launches, transformations, coverage }.self_check()
}

/// From the build to the report.
fn analyze_anew(
    settings: &Settings,
    terminal: &Terminal,
    selection: &Selection,
    build: &Build,
    change: Option<&Change>,
    sources: &Sources,
) -> Result<Report> {
    let folders = build.class_folders();
    let all = list(&folders, selection)?;
    let touched = change.map(|change| TouchedCode::find(change, &Roots::of(build), &all)).transpose()?;
    let (mut launches, coverage) = match &touched {
        Some(touched) if touched.is_empty() => (Vec::new(), Coverage::default()),
        _ => covered(&settings.target, terminal, build, &all)?,
    };
    let of_methods = all.methods.len();
    let scope = touched
        .map(|touched| {
            note_elsewhere(&touched, build, terminal);
            touched.scope(build, &coverage, of_methods, |method| candidates(&all, &coverage, method))
        })
        .transpose()?;
    let in_scope = scope.as_ref().map(|scope| all.only(&scope.methods, &scope.stopped));
    let transformations = match (settings.shard, in_scope) {
        (None, None) => all,
        (None, Some(in_scope)) => restrict(in_scope, build, &mut launches),
        (Some(Shard { number, of }), in_scope) => {
            restrict(in_scope.unwrap_or(all).part(number, of), build, &mut launches)
        }
    };
    let stages = Stages {
        settings,
        terminal,
        build,
        launches: &launches,
        transformations: &transformations,
        coverage: &coverage,
    };
    let verdicts = match transformations.transformations.len() {
        0 => Vec::new(),
        total => {
            let stage = terminal.stage("Transforming methods and running their tests", u64::try_from(total).ok());
            let verdicts = detect(&launches, &transformations, &coverage, settings.jobs, &|| stage.advance(1))?;
            stage.finish();
            verdicts
        }
    };

    let undetected: Vec<Undetected> = verdicts
        .iter()
        .zip(&transformations.transformations)
        .enumerate()
        .filter(|(_, (verdict, _))| verdict.is_undetected())
        .map(|(index, (_, transformation))| {
            let method = u32::try_from(transformation.method).unwrap_or(u32::MAX);
            (index, method, candidates(&transformations, &coverage, transformation.method))
        })
        .collect();
    let methods: BTreeSet<usize> = undetected.iter().map(|(_, method, _)| *method as usize).collect();
    let (diagnoses, instrumented) = if undetected.is_empty() {
        (Vec::new(), None)
    } else {
        let (diagnoses, instrumented) = stages.diagnose(&group(&undetected), &methods)?;
        (diagnoses, Some(instrumented))
    };

    let outlines = Outlines::read(&folders)?;
    let input =
        suggest::Input { transformations: &transformations, coverage: &coverage, structure: &outlines, sources };
    let suggestions = diagnoses.iter().map(|diagnosis| suggest(&input, diagnosis)).collect::<Result<Vec<_>>>()?;
    report::assemble(&Findings {
        project: &build.project,
        modules: &build.modules.iter().map(|module| module.name.clone()).collect::<Vec<_>>(),
        settings: &report::Settings {
            runs: settings.runs,
            transformations: names(settings, selection)?,
            command: reproduce::command(settings),
        },
        scope: settings
            .change
            .as_ref()
            .zip(scope)
            .map(|(source, scope)| report::Scope::new(source, &settings.target.project, &scope, of_methods))
            .as_ref(),
        shard: settings.shard,
        sources,
        transformations: &transformations,
        coverage: &coverage,
        verdicts: &verdicts,
        diagnoses: &diagnoses,
        suggestions: &suggestions,
        instrumented: instrumented.as_ref(),
    })
}

/// The change, before anything is built: a name that is wrong is told at once.
fn change(source: &Source, target: &Target) -> Result<Change> {
    // The file that describes the tests lies where the build wrote it, in the project.
    let folder = target.recipe.as_deref().and_then(Path::parent).unwrap_or(&target.project);
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_path_buf());
    change::read(source, &folder)
}

fn note_elsewhere(touched: &TouchedCode, build: &Build, terminal: &Terminal) {
    for file in &touched.elsewhere {
        let file = file.strip_prefix(&build.root).unwrap_or(file);
        terminal.verbose(&format!("{} is changed, and no source of what is analyzed", file.display()));
    }
}

/// Weaves only these transformations into the classes of the tests.
fn restrict(transformations: Transformations, build: &Build, launches: &mut [Launch]) -> Transformations {
    for (recipe, launch) in build.recipes.iter().zip(launches) {
        launch.start.weave = plan::plan(&transformations, &BTreeSet::new(), &build.seen_by(recipe));
    }
    transformations
}

/// Whether so many undetected transformations fail the run.
fn verdict(settings: &Settings, open: usize, terminal: &Terminal) -> ExitCode {
    let most = settings.max_undetected.or((settings.fail_on == FailOn::Any).then_some(0));
    match most {
        Some(most) if open > most => {
            if settings.max_undetected.is_some() {
                terminal.remark(&format!("--max-undetected {most}: {open} are undetected and not accepted."));
            }
            ExitCode::Findings
        }
        _ => ExitCode::Done,
    }
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
    turn::wait(&project.root, || terminal.remark("Another reneri works on this project: waiting until it has ended."))?;
    terminal.log_to(&target.output)?;
    let stage = terminal.stage("Compiling and asking Maven how the tests run", None);
    let options =
        MavenOptions { arguments: target.maven_arguments.clone(), offline: target.offline, history: target.history };
    let maven_log = target.output.join("maven.log");
    let build = maven::ask(&project, &options, &maven_log, interrupt::flag(), &mut |line| terminal.verbose(line))?;
    stage.finish();
    Ok(build)
}

/// A launch for each recipe, and what all their tests reach.
///
/// # Errors
/// When no test of any recipe can be used.
pub fn covered(
    target: &Target,
    terminal: &Terminal,
    build: &Build,
    transformations: &Transformations,
) -> Result<(Vec<Launch>, Coverage)> {
    let test_output = target.output.join("tests.log");
    report::remove(&test_output)?;
    let stage = terminal.stage("Running the tests to see what they reach", None);
    let mut launches = Vec::new();
    let mut coverages = Vec::new();
    let mut refused = Vec::new();
    for recipe in &build.recipes {
        let mut launch = launch(recipe, Some(&test_output))?;
        launch.timings = terminal.timings().clone();
        launch.start.weave = plan::plan(transformations, &BTreeSet::new(), &build.seen_by(recipe));
        launch.start.methods = plan::shapes(transformations);
        terminal.verbose(&format!("JVM of the tests of {}: {}", recipe.module, launch.start.options.join(" ")));
        let methods = transformations.methods.len();
        let classes = recipe.test_class_names()?;
        let coverage = match cover::choose(recipe, &launch, &classes, methods, &mut |line| terminal.verbose(line)) {
            Ok(Chosen { coverage, launch: chosen, note }) => {
                launch = chosen;
                note.iter().for_each(|note| terminal.warn(note));
                coverage
            }
            // Tests of one module that cannot be used take nothing from the others.
            Err(error) if matches!(error.exit_code, ExitCode::CannotBuild | ExitCode::TestsFail) => {
                refused.push((recipe, error));
                Coverage::default()
            }
            Err(error) => return Err(error),
        };
        let suite = coverage.nanoseconds.iter().sum();
        tune(&mut launch, recipe, suite);
        terminal.verbose(&format!("The tests of {} take {} ms", recipe.module, suite / 1_000_000));
        launches.push(launch);
        coverages.push(coverage);
    }
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
    Ok((launches, coverage))
}

/// What the stages behind the coverage share.
#[derive(Clone, Copy)]
struct Stages<'a> {
    settings: &'a Settings,
    terminal: &'a Terminal,
    build: &'a Build,
    /// One for each recipe.
    launches: &'a [Launch],
    transformations: &'a Transformations,
    coverage: &'a Coverage,
}

impl Stages<'_> {
    /// Instruments the tests and returns how `methods` and every expression are observed.
    fn observing(&self, scratch: &Path, methods: &BTreeSet<usize>) -> Result<(Vec<Post>, Instrumented)> {
        let stage = self.terminal.stage("Instrumenting the tests", None);
        let mut posts = Vec::new();
        let mut parts: Vec<Instrumented> = Vec::new();
        for (number, (recipe, launch)) in self.build.recipes.iter().zip(self.launches).enumerate() {
            let first_expression = parts.iter().map(|part| part.expressions.len()).sum::<usize>();
            let part = instrument(recipe, &scratch.join(number.to_string()), &probe_classes(&recipe.java_home)?)?;
            posts.push(Post {
                launch: self.observing_launch(recipe, launch, &part, methods),
                first_expression: u32::try_from(first_expression).unwrap_or(u32::MAX),
            });
            parts.push(part);
        }
        stage.finish();
        let instrumented = Instrumented::join(parts);
        let counts = instrumented.counts;
        self.terminal.verbose(&format!(
            "{} expressions probed, {} left out by rule, {} refused by the compiler",
            counts.wrapped, counts.by_rule, counts.refused
        ));
        for (reason, count) in &instrumented.unprobed {
            self.terminal.verbose(&format!("  {count} not probed: {reason}"));
        }
        for (file, reason) in &instrumented.left_out {
            self.terminal.warn(&format!("{} is not instrumented: {reason}", file.display()));
        }
        Ok((posts, instrumented))
    }

    fn observing_launch(
        &self,
        recipe: &Recipe,
        launch: &Launch,
        instrumented: &Instrumented,
        methods: &BTreeSet<usize>,
    ) -> Launch {
        let mut launch = launch.clone();
        tune_clean_starts(&mut launch, recipe);
        launch.start.weave = plan::plan(self.transformations, methods, &self.build.seen_by(recipe));
        launch.start.expressions = u32::try_from(instrumented.expressions.len()).unwrap_or(u32::MAX);
        if let Some(classes) = &instrumented.classes {
            launch.start.replace = plan::replacements(classes, &recipe.test_classes);
        }
        launch
    }

    fn diagnose(&self, groups: &[Group], methods: &BTreeSet<usize>) -> Result<(Vec<Diagnosis>, Instrumented)> {
        let scratch = scratch_folder()?;
        let (posts, instrumented) = self.observing(scratch.path(), methods)?;
        let recipes = &self.build.recipes;
        let test_classes: Vec<PathBuf> = recipes.iter().map(|recipe| recipe.test_classes.clone()).collect();
        let roots: Vec<PathBuf> = recipes.iter().flat_map(|recipe| recipe.test_source_roots.clone()).collect();
        let input = diagnose::Input {
            transformations: self.transformations,
            coverage: self.coverage,
            instrumented: &instrumented,
            tests: &TestCode::read(&test_classes, &roots),
        };
        let total = groups.iter().map(|group| group.targets.len()).sum::<usize>();
        let stage = self.terminal.stage("Observing what the tests miss", u64::try_from(total).ok());
        let mut observers = Observers::new(&posts, self.coverage, self.settings.runs as usize, self.settings.jobs);
        let preference = |method: u32, test: u32| input.preference(method, test);
        let mut diagnoses = Vec::new();
        for group in groups {
            let found = observe(&mut observers, group, &preference)?;
            for (target, (observed, differences)) in group.targets.iter().zip(found) {
                if let Some(transformation) = target.transformation {
                    diagnoses.push(diagnose(&input, transformation, &observed, &differences));
                }
                stage.advance(1);
            }
        }
        let unwoven = observers.end();
        stage.finish();
        for unwoven in unwoven {
            self.terminal.warn(&format!("{} could not be observed: {}", unwoven.class, unwoven.reason));
        }
        diagnoses.sort_by_key(|diagnosis| diagnosis.transformation);
        Ok((diagnoses, instrumented))
    }

    /// Original against original: every method that could be transformed is observed, and every test; nothing may be found.
    fn self_check(&self) -> Result<()> {
        let Self { settings, terminal, transformations, coverage, .. } = *self;
        let scratch = scratch_folder()?;
        let methods: BTreeSet<usize> = (0..transformations.methods.len()).collect();
        let (posts, instrumented) = self.observing(scratch.path(), &methods)?;
        let stage = terminal.stage("Comparing the original code with itself", None);
        let tests: Vec<usize> = (0..coverage.tests.len()).filter(|test| !coverage.is_quarantined(*test)).collect();
        let mut observers = Observers::new(&posts, coverage, settings.runs as usize, settings.jobs);
        let other_methods = methods.iter().filter_map(|method| u32::try_from(*method).ok()).collect();
        let found = compare_with_itself(&mut observers, tests, other_methods, &|line| terminal.verbose(line))?;
        observers.end();
        stage.finish();
        for (test, reason) in &found.failed {
            let name = coverage.tests.get(*test as usize).map_or("?", |test| test.name.as_str());
            terminal.verbose(&format!("{name} does not pass while observed: {reason}"));
        }
        for difference in found.differences.iter().take(20) {
            let test = coverage.tests.get(difference.key.test as usize).map_or("?", |test| test.name.as_str());
            let site = match difference.key.site {
                crate::observe::Site::Method(method) => transformations
                    .methods
                    .get(method as usize)
                    .map_or_else(String::new, |method| format!("{}.{}", method.class, method.name)),
                crate::observe::Site::Expression(expression) => instrumented
                    .expressions
                    .get(expression as usize)
                    .map_or_else(String::new, |expression| expression.text.clone()),
            };
            terminal.warn(&format!(
                "{test}, {site}, {:?}{}: {} / {}",
                difference.part,
                difference.path,
                difference.original.as_deref().unwrap_or("absent"),
                difference.transformed.as_deref().unwrap_or("absent")
            ));
        }
        let tests = coverage.tests.len();
        if found.differences.is_empty() {
            terminal.summary(&format!(
                "Self-check passed: {} observations in {tests} tests, up to {} runs on each side, and no difference.\n",
                found.compared, settings.runs
            ));
            return Ok(());
        }
        let count = found.differences.len();
        Err(Error::bug(format!("Self-check: {count} differences between the original code and itself.")))
    }
}

/// Names of the transformations that were asked for.
fn names(settings: &Settings, selection: &Selection) -> Result<Vec<String>> {
    match &settings.transformations {
        Some(names) => Ok(names.clone()),
        None => {
            let mut names: Vec<String> = Vec::new();
            let selected: Vec<operators::Operator> = selection.operators()?;
            for operator in selected {
                if !names.contains(&operator.name) {
                    names.push(operator.name.clone());
                }
            }
            Ok(names)
        }
    }
}

/// A folder for instrumented tests, gone when the run ends.
fn scratch_folder() -> Result<tempfile::TempDir> {
    tempfile::Builder::new().prefix("reneri-").tempdir().map_err(|error| {
        Error::usage(
            format!("A temporary folder could not be made: {error}."),
            "Make room, or set TMPDIR to a folder that can be written.",
        )
    })
}

/// The path as the person who started reneri would type it.
fn shown_path(file: &Path) -> String {
    let here = std::env::current_dir().ok().and_then(|here| here.canonicalize().ok());
    let relative = here.and_then(|here| file.strip_prefix(here).ok().map(Path::to_path_buf));
    relative.unwrap_or_else(|| file.to_path_buf()).display().to_string()
}
