//! Turns a recipe into the launch of a worker: JVM options, class path, test drivers, environment.

use super::Recipe;
use super::engine::{Parameters, engine_packages};
use super::jars::{contains_class, entries, jar_entries};
use super::loader::{CLASS_PATH, joined};
use super::shared_jars::shared;
use crate::base::embedded_java::{Source, compile_cached};
use crate::base::error::{Error, Result};
use crate::base::fingerprint::Fingerprint;
use crate::base::timings::Timings;
use crate::jvm::client::{Launch, probe_classes};
use crate::jvm::protocol::Start;
use crate::jvm::temporary::{self, TemporaryFolder};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Stack of an ordinary Java main thread on 64-bit Linux and macOS, if `-Xss` does not say
/// otherwise.
const STACK_SIZE: usize = 1 << 20;
/// Stack that the native side needs in addition.
const NATIVE_STACK: usize = 256 << 10;

/// The class that the worker calls inside of the project's class loader. It needs `reneri.rt`; the
/// drivers do not.
const ENTRY: Source =
    ("reneri/entry/Entry.java", include_str!("../../java/driver/src/main/java/reneri/entry/Entry.java"));

/// The launch of a worker, with nothing woven yet. `output` takes what the tests print.
///
/// # Errors
/// If the JDK has no compiler.
pub fn launch(recipe: &Recipe, output: Option<&Path>) -> Result<Launch> {
    let java_home = &recipe.java_home;
    let mut class_path = recipe.test_class_path.clone();
    class_path.extend(recipe.engine_class_path.iter().cloned());
    class_path.push(drivers(recipe, &class_path)?);
    let mut options = vec![joined(CLASS_PATH, &class_path)?];
    if recipe.enable_assertions {
        options.push("-ea".into());
    }
    options.extend(recipe.jvm_arguments.iter().cloned());
    let name = name(recipe);
    let temporary = temporary_folder(recipe, &name);
    options.extend(temporary.as_ref().map(TemporaryFolder::option));
    if !recipe.jvm_arguments.iter().any(|argument| argument.starts_with("-XX:+Use") && argument.ends_with("GC")) {
        // One thread runs the tests, so a collector with threads of its own only costs.
        options.push("-XX:+UseSerialGC".into());
    }
    if !chooses_compiler(recipe) {
        options.push(FIRST_ONLY.into());
    }
    options.extend(native_clock(recipe.java_release).iter().map(|option| (*option).to_owned()));
    let start = Start {
        options,
        shared: if recipe.engine.profile().shares_jars { shared(&class_path, entries) } else { Vec::new() },
        class_path,
        stack_size: stack_size(&recipe.jvm_arguments),
        engine: engine(recipe),
        properties: properties(recipe),
        ..Start::default()
    };
    Ok(Launch {
        recipe: name,
        executable: std::env::current_exe()
            .map_err(|error| Error::bug(format!("reneri cannot find its own executable: {error}.")))?,
        working_directory: recipe.working_directory.clone(),
        environment: recipe.environment.clone(),
        environment_removed: recipe.environment_removed.clone(),
        output: output.map(Path::to_path_buf),
        timings: Timings::default(),
        temporary: temporary.map(Arc::new),
        start: Launch::for_jdk(java_home, start)?,
        processes: Launch::child_processes(),
    })
}

/// The folder for temporary files of the tests; `None` if the project chooses one. Without a name
/// of its own, the tests use the system's folder.
fn temporary_folder(recipe: &Recipe, name: &str) -> Option<TemporaryFolder> {
    let is_chosen = chooses_temporary_folder(&recipe.jvm_arguments, &recipe.system_properties);
    if is_chosen { None } else { TemporaryFolder::named(name.get(..12)?) }
}

/// A name of the recipe, the same in every analysis.
fn name(recipe: &Recipe) -> String {
    let mut name = Fingerprint::default();
    name.add(&recipe.working_directory.to_string_lossy());
    name.add(&recipe.test_classes.to_string_lossy());
    // Several recipes of a module differ in what they run.
    name.add(&format!("{:?}", recipe.filter));
    recipe.execution.iter().for_each(|execution| name.add(execution));
    name.finish()
}

fn chooses_temporary_folder(arguments: &[String], properties: &BTreeMap<String, String>) -> bool {
    let option = format!("-D{}=", temporary::PROPERTY);
    properties.contains_key(temporary::PROPERTY) || arguments.iter().any(|argument| argument.starts_with(&option))
}

/// Longest duration, in nanoseconds, of a test suite that gains nothing from HotSpot's second
/// compiler: most of what it runs is compiled for one class loader only.
const SHORT_SUITE: u64 = 60_000_000_000;

/// Options with which compiled code calls the native methods of the clock, for which the worker has
/// its own (`jvm::outside`). HotSpot's compilers have code of their own for them otherwise, and
/// before Java 9 only the second one can be told not to use it.
fn native_clock(java_release: u32) -> &'static [&'static str] {
    if java_release >= 9 {
        &["-XX:+UnlockDiagnosticVMOptions", "-XX:DisableIntrinsic=_currentTimeMillis,_nanoTime"]
    } else {
        &[
            "-XX:+UnlockDiagnosticVMOptions",
            "-XX:DisableIntrinsic=_currentTimeMillis,_nanoTime",
            "-XX:CompileCommand=quiet",
            "-XX:CompileCommand=dontinline,java.lang.System::currentTimeMillis",
            "-XX:CompileCommand=dontinline,java.lang.System::nanoTime",
        ]
    }
}

/// HotSpot's first compiler only.
const FIRST_ONLY: &str = "-XX:TieredStopAtLevel=1";
/// HotSpot's second compiler, after ten times as many invocations and loops as usual.
const LATE_SECOND: [&str; 4] = [
    "-XX:Tier4InvocationThreshold=50000",
    "-XX:Tier4MinInvocationThreshold=6000",
    "-XX:Tier4CompileThreshold=150000",
    "-XX:Tier4BackEdgeThreshold=400000",
];

/// Gives the workers of a long suite both compilers, unless the project says otherwise.
pub fn tune(launch: &mut Launch, recipe: &Recipe, suite_nanoseconds: u64) {
    if suite_nanoseconds >= SHORT_SUITE && !chooses_compiler(recipe) {
        launch.start.options.retain(|option| option != FIRST_ONLY);
    }
}

/// Delays the second compiler for workers that start clean for each run. The project's classes are
/// compiled anew each time, but those of the JDK stay. Some of these are fast only in compiled form
/// (message digests are intrinsics), so a long suite needs more than the first compiler.
pub fn tune_clean_starts(launch: &mut Launch, recipe: &Recipe) {
    if !launch.start.options.iter().any(|option| option == FIRST_ONLY) && !chooses_compiler(recipe) {
        launch.start.options.extend(LATE_SECOND.map(str::to_owned));
    }
}

fn chooses_compiler(recipe: &Recipe) -> bool {
    let choices = ["Tier", "-Xint", "-Xcomp", "-Xmixed"];
    recipe.jvm_arguments.iter().any(|argument| choices.iter().any(|choice| argument.contains(choice)))
}

/// The engine and its parameters, as `reneri.driver.Drivers` takes them.
fn engine(recipe: &Recipe) -> Vec<String> {
    let mut engine = vec![format!("{:?}", recipe.engine)];
    if recipe.engine.profile().parameters == Parameters::Driver {
        let groups = [("groups", &recipe.filter.groups), ("excludegroups", &recipe.filter.excluded_groups)];
        let groups = groups.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value.clone()?)));
        let parameters = recipe.engine_parameters.iter().map(cloned_pair).chain(groups);
        engine.extend(parameters.flat_map(|(name, value)| [name, value]));
    }
    engine
}

/// System properties, among which the JUnit Platform also looks for its parameters.
fn properties(recipe: &Recipe) -> Vec<(String, String)> {
    let as_properties = recipe.engine.profile().parameters == Parameters::SystemProperties;
    let parameters = recipe.engine_parameters.iter().filter(|_| as_properties);
    parameters.chain(&recipe.system_properties).map(cloned_pair).collect()
}

fn cloned_pair((name, value): (&String, &String)) -> (String, String) {
    (name.clone(), value.clone())
}

/// Folder of the compiled test drivers for the engines on the class path.
fn drivers(recipe: &Recipe, class_path: &[PathBuf]) -> Result<PathBuf> {
    let has = |file: &str| class_path.iter().any(|element| contains_class(element, file));
    let rt = probe_classes(&recipe.java_home)?;
    // The drivers depend on the jars of engines only, so the cache serves every project with these
    // versions.
    let mut engine: Vec<PathBuf> = class_path.iter().filter(|path| is_engine(path)).cloned().collect();
    engine.push(rt);
    let mut sources = recipe.engine.driver_sources(has);
    sources.push(ENTRY);
    compile_cached(&recipe.java_home, "drivers", &sources, &[], &engine)
}

fn is_engine(path: &Path) -> bool {
    let packages: Vec<String> = engine_packages().map(|package| format!("{}/", package.replace('.', "/"))).collect();
    path.is_file() && jar_entries(path).iter().any(|entry| packages.iter().any(|package| entry.starts_with(package)))
}

/// Bytes of stack for the thread that runs the tests, as `-Xss` and `-XX:ThreadStackSize` ask for.
fn stack_size(arguments: &[String]) -> usize {
    let asked = arguments.iter().rev().find_map(|argument| {
        if let Some(kibibytes) = argument.strip_prefix("-XX:ThreadStackSize=") {
            return kibibytes.parse::<usize>().ok()?.checked_mul(1 << 10);
        }
        let size = argument.strip_prefix("-Xss")?;
        let digits = size.trim_end_matches(|character: char| character.is_ascii_alphabetic());
        let unit = match size.get(digits.len()..)?.to_ascii_lowercase().as_str() {
            "" => 1,
            "k" => 1 << 10,
            "m" => 1 << 20,
            "g" => 1 << 30,
            _ => return None,
        };
        digits.parse::<usize>().ok()?.checked_mul(unit)
    });
    asked.unwrap_or(STACK_SIZE) + NATIVE_STACK
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_temporary_folder_that_the_project_chooses_is_kept() {
        let own = |text: &str| vec!["-ea".to_owned(), text.to_owned()];
        assert!(!chooses_temporary_folder(&own("-Dsome.other=1"), &BTreeMap::new()));
        assert!(chooses_temporary_folder(&own("-Djava.io.tmpdir=target"), &BTreeMap::new()));
        let property = BTreeMap::from([("java.io.tmpdir".to_owned(), "target".to_owned())]);
        assert!(chooses_temporary_folder(&[], &property));
    }

    #[test]
    fn the_stack_is_as_large_as_the_project_asks() {
        let size = |arguments: &[&str]| {
            stack_size(&arguments.iter().map(|argument| (*argument).to_owned()).collect::<Vec<_>>()) - NATIVE_STACK
        };
        assert_eq!(size(&[]), 1 << 20);
        assert_eq!(size(&["-Xss4m", "-Xmx1g"]), 4 << 20);
        assert_eq!(size(&["-XX:ThreadStackSize=2048"]), 2 << 20);
    }
}
