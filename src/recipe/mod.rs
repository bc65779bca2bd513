//! Finds out how the tests of a project run: its modules, and a recipe for the tests of each.

mod build;
mod build_tool;
mod cache;
mod clean_copy;
mod declared_methods;
mod engine;
mod file;
mod filter;
mod foreign_tests;
mod generated_sources;
mod handover;
mod jars;
pub(crate) mod jdk;
mod jvm_arguments;
pub mod launch;
mod loader;
mod maven;
mod properties;
mod shared_jars;
mod surefire;
mod test_classes;

pub use build::{Build, Module};
pub use build_tool::BuildTool;
pub use clean_copy::{CleanCopy, Extent};
pub use engine::{Engine, EngineProfile, engine_packages};
pub use filter::TestFilter;
pub use foreign_tests::ForeignTests;
pub use generated_sources::generated_annotations;
pub use loader::{TestLoader, loaders, with_loader};
pub use maven::{MavenOptions, MavenRequest};

use crate::text::encoding::SourceEncoding;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// How the tests of one module run. All paths are absolute.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq)]
pub struct Recipe {
    /// Maven's `<name>` or the artifact id, for people.
    pub project: String,
    /// Artifact id.
    pub module: String,
    /// Id of the execution of surefire, if it runs test classes again that another recipe runs with
    /// other settings.
    #[serde(default)]
    pub execution: Option<String>,
    pub base_directory: PathBuf,
    /// Maven's `target`, the only folder of the project in which reneri changes anything.
    pub build_directory: PathBuf,
    /// The JDK that Maven uses for the project.
    pub java_home: PathBuf,
    /// Feature release of that JDK: 8, 11, 17, 25.
    pub java_release: u32,
    pub classes: PathBuf,
    pub test_classes: PathBuf,
    pub source_roots: Vec<PathBuf>,
    pub test_source_roots: Vec<PathBuf>,
    /// In surefire's order: test classes, classes, dependencies, additional elements.
    pub test_class_path: Vec<PathBuf>,
    /// Dependencies that the tests are compiled with and run without (surefire's
    /// `classpathDependencyExcludes`).
    pub excluded_class_path: Vec<PathBuf>,
    /// The module path, if surefire would use one; its elements then leave the class path above.
    pub module_path: Option<ModulePath>,
    pub engine: Engine,
    /// Jars that the test engine needs and the test class path lacks (JUnit Platform launcher,
    /// engine). They come after the test class path.
    pub engine_class_path: Vec<PathBuf>,
    /// For the JUnit Platform, surefire's `configurationParameters` (`junit.jupiter.…`). For
    /// TestNG, surefire's `properties` and `suiteXmlFiles` (`listener`, `suitexmlfiles` with a line
    /// for each file, …).
    pub engine_parameters: BTreeMap<String, String>,
    /// `argLine`, split, with late properties resolved and coverage agents removed, as
    /// `JNI_CreateJavaVM` takes it.
    pub jvm_arguments: Vec<String>,
    /// Properties that surefire sets with `System.setProperty` before the first test, not on the
    /// command line.
    pub system_properties: BTreeMap<String, String>,
    pub environment: BTreeMap<String, String>,
    /// Variables of our own environment that the tests must not see.
    pub environment_removed: Vec<String>,
    /// A folder that exists.
    pub working_directory: PathBuf,
    pub enable_assertions: bool,
    pub filter: TestFilter,
    pub run_order: RunOrder,
    /// Jars and folders of dependencies whose test classes run too (surefire's
    /// `dependenciesToScan`).
    pub scanned_dependencies: Vec<PathBuf>,
    pub compiler: CompilerSettings,
    /// Binary names of test classes that the build changes after their compilation. Their sources
    /// do not show what runs.
    pub rewritten_test_classes: Vec<String>,
    /// Test classes of other modules that the tests can use.
    pub foreign_tests: Vec<ForeignTests>,
    /// Differences from `mvn test`, a sentence each.
    pub notes: Vec<String>,
    /// Differences that do not affect the tests, for the log: coverage agents that were left out.
    pub asides: Vec<String>,
}

impl Recipe {
    /// The encoding in which the build reads the sources.
    #[must_use]
    pub fn source_encoding(&self) -> SourceEncoding {
        let arguments = &self.compiler.arguments;
        let given = arguments.iter().rposition(|argument| argument == "-encoding");
        let given = given.and_then(|at| arguments.get(at + 1)).or(self.compiler.encoding.as_ref());
        SourceEncoding::of(given.map(String::as_str), self.java_release)
    }
}

#[cfg(test)]
impl Recipe {
    /// The recipe of an empty project, for unit tests.
    pub(crate) fn of_tests(folder: &std::path::Path) -> Self {
        Self {
            project: "p".into(),
            module: "p".into(),
            execution: None,
            base_directory: folder.into(),
            build_directory: folder.into(),
            java_home: PathBuf::new(),
            java_release: 17,
            classes: folder.join("classes"),
            test_classes: folder.join("test-classes"),
            source_roots: Vec::new(),
            test_source_roots: Vec::new(),
            test_class_path: vec![folder.join("test-classes")],
            excluded_class_path: Vec::new(),
            module_path: None,
            engine: Engine::JUnit4,
            engine_class_path: Vec::new(),
            engine_parameters: Default::default(),
            jvm_arguments: Vec::new(),
            system_properties: Default::default(),
            environment: Default::default(),
            environment_removed: Vec::new(),
            working_directory: folder.into(),
            enable_assertions: true,
            filter: TestFilter::default(),
            run_order: Default::default(),
            scanned_dependencies: Vec::new(),
            compiler: CompilerSettings::default(),
            rewritten_test_classes: Vec::new(),
            foreign_tests: Vec::new(),
            notes: Vec::new(),
            asides: Vec::new(),
        }
    }
}

/// The start of a JVM whose tests run inside of a named module.
#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq, Eq)]
pub struct ModulePath {
    /// Name of the module that the tests belong to. Usually, that is the module of the code,
    /// patched with the tests; tests with a `module-info` of their own have a module of their own.
    pub module: String,
    /// For `--module-path`; the other elements of [`Recipe::test_class_path`], in its order, stay
    /// on the class path.
    pub elements: Vec<PathBuf>,
    /// `--patch-module=…`, `--add-opens=…`, `--add-reads=…`, `--add-modules=…`: the arguments that
    /// surefire gives, each in one word.
    pub arguments: Vec<String>,
}

/// The order in which surefire runs test classes.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, PartialEq, Eq)]
pub enum RunOrder {
    /// The order in which folders list their files.
    #[default]
    Filesystem,
    Alphabetical,
    ReverseAlphabetical,
}

/// The settings with which maven-compiler-plugin compiles the tests.
#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq, Eq)]
pub struct CompilerSettings {
    pub encoding: Option<String>,
    pub release: Option<String>,
    pub source: Option<String>,
    pub target: Option<String>,
    pub parameters: bool,
    /// `compilerArgs` and the like, as given, without those that only make the compiler stricter
    /// (`-Werror`, error-prone); also annotation processors and their path as `-processor` and
    /// `-processorpath`.
    pub arguments: Vec<String>,
    /// `testIncludes` and `testExcludes`: patterns on the path of the source file below its root.
    /// Both are empty if all are compiled.
    pub includes: Vec<String>,
    pub excludes: Vec<String>,
}
