//! The order of the stages, and nothing else: settings come in, reports are written, the exit code goes out.

use crate::classfile::outlines::Outlines;
use crate::cli::{FailOn, Settings};
use crate::cover::{self, Chosen, Coverage};
use crate::detect::{Verdict, candidates, detect};
use crate::diagnose::{self, Diagnosis, TestCode, diagnose};
use crate::error::{Error, ExitCode, Result};
use crate::interrupt;
use crate::jvm::client::{Launch, probe_classes};
use crate::observe::difference::differences;
use crate::observe::run::{Group, Observers, group};
use crate::project;
use crate::propagate::{Instrumented, instrument};
use crate::recipe::Recipe;
use crate::recipe::launch::{launch, tune};
use crate::recipe::maven::{self, MavenOptions};
use crate::report::{self, Findings};
use crate::suggest::{self, Sources, suggest};
use crate::terminal::Terminal;
use crate::transform::{Selection, Transformations, list, operators, plan};
use std::collections::BTreeSet;
use std::path::Path;

/// Analyzes the project and writes the reports.
///
/// # Errors
/// Whatever keeps the analysis from being done; nothing of the project has changed then.
pub fn analyze(settings: &Settings, terminal: &Terminal) -> Result<ExitCode> {
    let selection = Selection::new(settings.transformations.clone(), settings.disabled_stop_rules.clone())?;
    let project = project::find(&settings.project)?;
    terminal.log_to(&settings.output)?;

    let stage = terminal.stage("Compiling and asking Maven how the tests run", None);
    let options = MavenOptions { arguments: settings.maven_arguments.clone(), offline: settings.offline };
    let maven_log = settings.output.join("maven.log");
    let build = maven::ask(&project, &options, &maven_log, interrupt::flag(), &mut |line| terminal.verbose(line))?;
    stage.finish();
    build.notes.iter().for_each(|note| terminal.warn(note));
    let [recipe] = build.recipes.as_slice() else {
        return Err(Error::cannot_build(
            format!("{} is a build of {} modules with tests.", build.project, build.recipes.len()),
            "Choose one of them with `--maven-arg=--projects=MODULE`.",
        ));
    };
    recipe.notes.iter().for_each(|note| terminal.warn(note));

    let transformations = list(std::slice::from_ref(&recipe.classes), &selection)?;
    let test_output = settings.output.join("tests.log");
    remove(&test_output)?;
    let mut launch = launch(recipe, Some(&test_output))?;
    launch.start.weave = plan::plan(&transformations, &BTreeSet::new());
    launch.start.methods = plan::shapes(&transformations);
    terminal.verbose(&format!("JVM of the tests: {}", launch.start.options.join(" ")));

    let stage = terminal.stage("Running the tests to see what they reach", None);
    let classes = recipe.test_class_names()?;
    let Chosen { coverage, mut launch, note } =
        cover::choose(recipe, &launch, &classes, transformations.methods.len(), &mut |line| terminal.verbose(line))?;
    stage.finish();
    note.iter().for_each(|note| terminal.warn(note));
    tune(&mut launch, recipe, Some(coverage.nanoseconds.iter().sum()));
    for quarantined in coverage.failing.iter().chain(&coverage.unstable) {
        let name = coverage.tests.get(quarantined.test).map_or("?", |test| test.name.as_str());
        terminal.warn(&format!("{name} is left out: {}", quarantined.reason));
    }

    if settings.self_check {
        return self_check(settings, terminal, recipe, &launch, &transformations, &coverage);
    }

    let total = u64::try_from(transformations.transformations.len()).unwrap_or(u64::MAX);
    let stage = terminal.stage("Transforming methods and running their tests", Some(total));
    let verdicts = detect(&launch, &transformations, &coverage, settings.jobs, &|| stage.advance(1))?;
    stage.finish();

    let undetected: Vec<(usize, Vec<usize>)> = verdicts
        .iter()
        .zip(&transformations.transformations)
        .enumerate()
        .filter(|(_, (verdict, _))| **verdict == Verdict::Undetected)
        .map(|(index, (_, transformation))| (index, candidates(&transformations, &coverage, transformation.method)))
        .collect();
    let methods: BTreeSet<usize> =
        undetected.iter().filter_map(|(index, _)| Some(transformations.transformations.get(*index)?.method)).collect();
    let (diagnoses, instrumented) = if undetected.is_empty() {
        (Vec::new(), None)
    } else {
        let watched =
            Watched { terminal, recipe, launch: &launch, transformations: &transformations, coverage: &coverage };
        let (diagnoses, instrumented) = watched.diagnose(settings.runs, &group(&undetected), &methods)?;
        (diagnoses, Some(instrumented))
    };

    let outlines = Outlines::read(std::slice::from_ref(&recipe.classes))?;
    let sources = Sources::of(recipe);
    let input = suggest::Input {
        transformations: &transformations,
        coverage: &coverage,
        structure: &outlines,
        sources: &sources,
    };
    let suggestions = diagnoses.iter().map(|diagnosis| suggest(&input, diagnosis)).collect::<Result<Vec<_>>>()?;
    let report = report::assemble(&Findings {
        project: &recipe.project,
        module: &recipe.module,
        settings: &report::Settings { runs: settings.runs, transformations: names(settings, &selection)? },
        sources: &sources,
        transformations: &transformations,
        coverage: &coverage,
        verdicts: &verdicts,
        diagnoses: &diagnoses,
        suggestions: &suggestions,
        instrumented: instrumented.as_ref(),
    })?;
    write(&settings.output.join("report.json"), &report::json(&report)?)?;
    let markdown = settings.output.join("report.md");
    let link_base = report::link_base(&settings.output, &recipe.base_directory);
    write(&markdown, &report::markdown(&report, link_base.as_deref())?)?;
    terminal.summary(&report::summary(&report, &shown_path(&markdown)));
    Ok(if settings.fail_on == FailOn::Any && !diagnoses.is_empty() { ExitCode::Findings } else { ExitCode::Done })
}

/// What the stages behind the detection share.
#[derive(Clone, Copy)]
struct Watched<'a> {
    terminal: &'a Terminal,
    recipe: &'a Recipe,
    launch: &'a Launch,
    transformations: &'a Transformations,
    coverage: &'a Coverage,
}

impl Watched<'_> {
    /// Instruments the tests and returns the launch of workers that observe `methods` and every expression.
    fn observing(&self, scratch: &Path, methods: &BTreeSet<usize>) -> Result<(Launch, Instrumented)> {
        let stage = self.terminal.stage("Instrumenting the tests", None);
        let instrumented = instrument(self.recipe, scratch, &probe_classes(&self.recipe.java_home)?)?;
        stage.finish();
        let counts = instrumented.counts;
        self.terminal.verbose(&format!(
            "{} expressions probed, {} left out by rule, {} refused by the compiler",
            counts.wrapped, counts.by_rule, counts.refused
        ));
        for (file, reason) in &instrumented.left_out {
            self.terminal.warn(&format!("{} is not instrumented: {reason}", file.display()));
        }
        let mut launch = self.launch.clone();
        tune(&mut launch, self.recipe, None);
        launch.start.weave = plan::plan(self.transformations, methods);
        launch.start.expressions = u32::try_from(instrumented.expressions.len()).unwrap_or(u32::MAX);
        if let Some(classes) = &instrumented.classes {
            launch.start.replace = plan::replacements(classes, &self.recipe.test_classes);
        }
        Ok((launch, instrumented))
    }

    fn diagnose(
        &self,
        runs: u32,
        groups: &[Group],
        methods: &BTreeSet<usize>,
    ) -> Result<(Vec<Diagnosis>, Instrumented)> {
        let scratch = scratch_folder()?;
        let (launch, instrumented) = self.observing(scratch.path(), methods)?;
        let test_code = TestCode::read(&self.recipe.test_classes, &self.recipe.test_source_roots);
        let input = diagnose::Input {
            transformations: self.transformations,
            coverage: self.coverage,
            instrumented: &instrumented,
            tests: &test_code,
        };
        let total = groups.iter().map(|group| group.transformations.len()).sum::<usize>();
        let stage = self.terminal.stage("Observing what the tests miss", u64::try_from(total).ok());
        let mut observers = Observers::new(&launch, self.coverage, runs as usize);
        let mut diagnoses = Vec::new();
        for group in groups {
            for (transformation, observed) in group.transformations.iter().zip(observers.observe(group)?) {
                if let Some(transformation) = *transformation {
                    diagnoses.push(diagnose(&input, transformation, &observed, &differences(&observed)));
                }
                stage.advance(1);
            }
        }
        stage.finish();
        for unwoven in observers.unwoven() {
            self.terminal.warn(&format!("{} could not be observed: {}", unwoven.class, unwoven.reason));
        }
        diagnoses.sort_by_key(|diagnosis| diagnosis.transformation);
        Ok((diagnoses, instrumented))
    }
}

/// Original against original: every method that could be transformed is observed, and every test; nothing may be found.
fn self_check(
    settings: &Settings,
    terminal: &Terminal,
    recipe: &Recipe,
    launch: &Launch,
    transformations: &Transformations,
    coverage: &Coverage,
) -> Result<ExitCode> {
    let scratch = scratch_folder()?;
    let methods: BTreeSet<usize> = (0..transformations.methods.len()).collect();
    let watched = Watched { terminal, recipe, launch, transformations, coverage };
    let (launch, instrumented) = watched.observing(scratch.path(), &methods)?;
    let stage = terminal.stage("Comparing the original code with itself", None);
    let tests: Vec<usize> = (0..coverage.tests.len()).filter(|test| !coverage.is_quarantined(*test)).collect();
    let mut observers = Observers::new(&launch, coverage, settings.runs as usize);
    let observed = observers.observe(&Group { tests, transformations: vec![None] })?;
    stage.finish();
    let mut found = Vec::new();
    let mut observations = 0;
    for observed in &observed {
        observations += observed.original.first().map_or(0, |recording| recording.observations.len());
        for recording in observed.original.iter().chain(&observed.transformed) {
            for (test, reason) in &recording.failed {
                let name = coverage.tests.get(*test as usize).map_or("?", |test| test.name.as_str());
                terminal.verbose(&format!("{name} does not pass while observed: {reason}"));
            }
        }
        found.extend(differences(observed));
    }
    for difference in found.iter().take(20) {
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
    if found.is_empty() {
        terminal.summary(&format!(
            "Self-check passed: {observations} observations in {tests} tests, {} runs on each side, and no difference.\n",
            settings.runs
        ));
        return Ok(ExitCode::Done);
    }
    Err(Error::bug(format!("Self-check: {} differences between the original code and itself.", found.len())))
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

fn remove(file: &Path) -> Result<()> {
    match std::fs::remove_file(file) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(unwritable(file, &error)),
        _ => Ok(()),
    }
}

fn write(file: &Path, text: &str) -> Result<()> {
    std::fs::write(file, text).map_err(|error| unwritable(file, &error))
}

fn unwritable(file: &Path, error: &std::io::Error) -> Error {
    Error::usage(format!("{} cannot be written: {error}.", file.display()), "Choose another folder with --output.")
}

/// The path as the person who started reneri would type it.
fn shown_path(file: &Path) -> String {
    let here = std::env::current_dir().ok().and_then(|here| here.canonicalize().ok());
    let relative = here.and_then(|here| file.strip_prefix(here).ok().map(Path::to_path_buf));
    relative.unwrap_or_else(|| file.to_path_buf()).display().to_string()
}
