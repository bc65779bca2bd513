//! `reneri doctor`: shows what an analysis would work with, and what will not work and why, without
//! running a test.

use crate::base::error::{ExitCode, Result};
use crate::base::id::ModuleId;
use crate::cli::Target;
use crate::cover;
use crate::pipeline;
use crate::recipe::launch::launch;
use crate::recipe::{Build, Recipe};
use crate::run::Pool;
use crate::terminal::Terminal;
use crate::text::words::count;
use crate::transform::{Selection, Transformations, list};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

/// Examines the project and prints the result.
///
/// # Errors
/// Whatever would end an analysis before its first test.
pub fn run(target: &Target, terminal: &Terminal) -> Result<ExitCode> {
    let build = pipeline::build(target, terminal)?;
    let stage = terminal.stage("Looking for the tests", None);
    let transformations = list(&pipeline::compiled_classes(&build, terminal)?, &Selection::new(None, Vec::new())?)?;
    let found: Vec<Result<Tests>> = build.recipes.iter().map(Tests::of).collect();
    stage.finish();
    if found.iter().any(Result::is_ok) {
        terminal.summary(&summary(&build, &transformations, &found));
    } else if let Some(error) = found.into_iter().find_map(Result::err) {
        return Err(error);
    }
    Ok(ExitCode::Done)
}

/// The tests of one recipe, as its engine finds them without running them.
struct Tests {
    /// Number of test methods. The invocations of a parameterised test are known only when it runs.
    methods: usize,
    classes: BTreeSet<String>,
    /// Top-level classes without a Java source, whose expressions reneri cannot observe.
    without_java: Vec<String>,
    /// A note on their class loader.
    loader: Option<String>,
}

impl Tests {
    fn of(recipe: &Recipe) -> Result<Self> {
        let launch = launch(recipe, None)?;
        let (loader, found) = cover::find_with_any_loader(&Pool::new(1), recipe, &launch, &recipe.test_class_names()?)?;
        let classes: BTreeSet<String> = found.iter().map(|test| test.class.clone()).collect();
        let top: BTreeSet<&str> = classes.iter().map(|class| class.split('$').next().unwrap_or(class)).collect();
        let has_java = |class: &str| {
            let file = format!("{}.java", class.replace('.', "/"));
            recipe.test_source_roots.iter().any(|root| root.join(&file).is_file())
        };
        let without_java = top.into_iter().filter(|class| !has_java(class)).map(str::to_owned).collect();
        Ok(Self { methods: found.len(), classes, without_java, loader: loader.note(&recipe.module) })
    }
}

fn summary(build: &Build, transformations: &Transformations, found: &[Result<Tests>]) -> String {
    let mut out = String::new();
    // Writing to a String cannot fail.
    let _ = write_all(&mut out, build, transformations, found);
    out
}

fn write_all(
    out: &mut String,
    build: &Build,
    transformations: &Transformations,
    found: &[Result<Tests>],
) -> std::fmt::Result {
    let mut methods: BTreeMap<ModuleId, usize> = BTreeMap::new();
    let mut changes: BTreeMap<ModuleId, usize> = BTreeMap::new();
    for method in &transformations.methods {
        *methods.entry(method.module).or_default() += 1;
    }
    for transformation in &transformations.transformations {
        *changes.entry(transformations.methods[transformation.method].module).or_default() += 1;
    }
    let number = |counts: &BTreeMap<ModuleId, usize>, index| counts.get(&index).copied().unwrap_or(0) as u64;
    writeln!(out, "{} in {}", build.project, build.root.display())?;
    writeln!(out, "\nCode")?;
    for (index, module) in build.modules.iter_enumerated() {
        writeln!(
            out,
            "  {}: {} to change, in {}",
            module.name,
            count(number(&methods, index), "method"),
            count(number(&changes, index), "transformation")
        )?;
    }
    let mut hitches: Vec<String> = build.notes.clone();
    for (recipe, found) in build.recipes.iter().zip(found) {
        let execution = recipe.execution.iter().map(|execution| format!(" (execution {execution})"));
        writeln!(out, "\nTests of {}{}", recipe.module, execution.collect::<String>())?;
        match found {
            Ok(tests) => {
                write_tests(out, build, recipe, tests)?;
                if !tests.without_java.is_empty() {
                    hitches.push(unseen(&recipe.module, &tests.without_java));
                }
                hitches.extend(tests.loader.clone());
            }
            Err(error) => {
                writeln!(out, "  cannot be used: {}", error.what)?;
                hitches.push(format!("{}: {} {}", recipe.module, error.what, error.next));
            }
        }
    }
    hitches.extend(build.shared_notes().into_iter().map(|(note, modules)| format!("{}: {note}", modules.join(", "))));
    if hitches.is_empty() {
        return writeln!(out, "\nNothing stands in the way: `reneri analyze` does the rest.");
    }
    writeln!(out, "\nWhat to know before `reneri analyze`")?;
    hitches.iter().try_for_each(|hitch| writeln!(out, "  - {hitch}"))
}

fn write_tests(out: &mut String, build: &Build, recipe: &Recipe, tests: &Tests) -> std::fmt::Result {
    let found = format!(
        "{} in {}",
        count(tests.methods as u64, "test method"),
        if tests.classes.len() == 1 { "1 class".to_owned() } else { format!("{} classes", tests.classes.len()) }
    );
    writeln!(out, "  found       {found}, run by {}", engine(recipe))?;
    let seen: Vec<&str> = build.seen_by(recipe).into_iter().map(|module| build.modules[module].name.as_str()).collect();
    writeln!(out, "  reach       the code of {}", if seen.is_empty() { "no module".into() } else { seen.join(", ") })?;
    writeln!(out, "  JDK         {} in {}", recipe.java_release, recipe.java_home.display())?;
    let mut arguments = recipe.jvm_arguments.join(" ");
    if !recipe.enable_assertions {
        arguments.push_str(" (without assertions)");
    }
    if !arguments.is_empty() {
        writeln!(out, "  arguments   {}", arguments.trim())?;
    }
    if let Some(module_path) = &recipe.module_path {
        writeln!(out, "  module      {}", module_path.module)?;
    }
    if recipe.working_directory != recipe.base_directory {
        writeln!(out, "  directory   {}", recipe.working_directory.display())?;
    }
    if !recipe.environment.is_empty() {
        let names: Vec<&str> = recipe.environment.keys().map(String::as_str).collect();
        writeln!(out, "  environment {}", names.join(", "))?;
    }
    writeln!(out, "  classes     {} elements on the class path", recipe.test_class_path.len())
}

/// The engine and the jars it comes from:
/// `JUnit Platform (junit-jupiter-engine-5.10.2, junit-vintage-engine-5.10.2)`.
fn engine(recipe: &Recipe) -> String {
    let profile = recipe.engine.profile();
    let name = profile.name;
    let stem = |path: &Path| path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let found: Vec<String> = recipe
        .test_class_path
        .iter()
        .chain(&recipe.engine_class_path)
        .filter(|path| path.extension().is_some_and(|end| end == "jar"))
        .filter(|path| profile.has_jar(path))
        .filter_map(|path| stem(path))
        .collect();
    if found.is_empty() { name.to_owned() } else { format!("{name} ({})", found.join(", ")) }
}

fn unseen(module: &str, classes: &[String]) -> String {
    const NAMED: usize = 3;
    let named = classes.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", ");
    let more = classes.len().saturating_sub(NAMED);
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    if let [one] = classes {
        return format!("{module}: {one} has no Java source: it runs, but what its expressions see is not observed.");
    }
    format!("{module}: {named}{rest} have no Java source: they run, but what their expressions see is not observed.")
}
