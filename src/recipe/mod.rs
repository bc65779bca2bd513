//! From a project to its recipes: how the tests of each module really run, as the build tool would run them.

mod build;
mod build_tool;
mod cache;
mod engine;
mod file;
mod filter;
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
pub use engine::{Engine, EngineProfile, engine_packages};
pub use filter::TestFilter;
pub use loader::{TestLoader, loaders, with_loader};
pub use maven::{MavenOptions, MavenRequest};

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// How one module's tests really run. All paths are absolute.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq)]
pub struct Recipe {
    /// Name for people: Maven's `<name>` or the artifact id.
    pub project: String,
    /// Artifact id.
    pub module: String,
    pub base_directory: PathBuf,
    /// Maven's `target`, the only folder of the project in which anything changes.
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
    /// Where surefire would use the module path, which it takes out of the class path above; `None` where it uses the class path alone.
    pub module_path: Option<ModulePath>,
    pub engine: Engine,
    /// Jars that the test engine needs and the test class path lacks (JUnit Platform launcher, engine); to be put behind it.
    pub engine_class_path: Vec<PathBuf>,
    /// Parameters of JUnit Platform (`junit.jupiter.…`) from surefire's `configurationParameters`; of TestNG what surefire's `properties` and
    /// `suiteXmlFiles` say (`listener`, `suitexmlfiles` with a line for each file, …).
    pub engine_parameters: BTreeMap<String, String>,
    /// `argLine`, split, late properties resolved, coverage agents taken out, as `JNI_CreateJavaVM` takes them.
    pub jvm_arguments: Vec<String>,
    /// Surefire sets them with `System.setProperty` before the first test, not on the command line.
    pub system_properties: BTreeMap<String, String>,
    pub environment: BTreeMap<String, String>,
    /// Variables of our own environment that the tests must not see.
    pub environment_removed: Vec<String>,
    /// Exists.
    pub working_directory: PathBuf,
    pub enable_assertions: bool,
    pub filter: TestFilter,
    pub run_order: RunOrder,
    /// Jars and folders of dependencies whose test classes run too (surefire's `dependenciesToScan`).
    pub scanned_dependencies: Vec<PathBuf>,
    pub compiler: CompilerSettings,
    /// Binary names of test classes that the build changes after they were compiled: what is compiled from their sources is not what runs.
    pub rewritten_test_classes: Vec<String>,
    /// Where reneri runs the tests otherwise than `mvn test` would: a sentence each.
    pub notes: Vec<String>,
    /// The same where it makes no difference to the tests, for the log: coverage agents that were left out.
    pub asides: Vec<String>,
}

#[cfg(test)]
impl Recipe {
    /// Of a project with nothing in it, for tests that use a part of it.
    pub(crate) fn of_tests(folder: &std::path::Path) -> Self {
        Self {
            project: "p".into(),
            module: "p".into(),
            base_directory: folder.into(),
            build_directory: folder.into(),
            java_home: PathBuf::new(),
            java_release: 17,
            classes: folder.join("classes"),
            test_classes: folder.join("test-classes"),
            source_roots: Vec::new(),
            test_source_roots: Vec::new(),
            test_class_path: vec![folder.join("test-classes")],
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
            notes: Vec::new(),
            asides: Vec::new(),
        }
    }
}

/// How a JVM is started whose tests run inside a named module.
#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq, Eq)]
pub struct ModulePath {
    /// Name of the module that the tests belong to: that of the code, patched with the tests, or, where the tests have a `module-info` of
    /// their own, that of the tests.
    pub module: String,
    /// For `--module-path`; the other elements of [`Recipe::test_class_path`], in its order, stay on the class path.
    pub elements: Vec<PathBuf>,
    /// `--patch-module=…`, `--add-opens=…`, `--add-reads=…`, `--add-modules=…`: as surefire gives them, each in one word.
    pub arguments: Vec<String>,
}

/// The order in which surefire runs test classes.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, PartialEq, Eq)]
pub enum RunOrder {
    /// That in which folders list their files.
    #[default]
    Filesystem,
    Alphabetical,
    ReverseAlphabetical,
}

/// How maven-compiler-plugin compiles the tests.
#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq, Eq)]
pub struct CompilerSettings {
    pub encoding: Option<String>,
    pub release: Option<String>,
    pub source: Option<String>,
    pub target: Option<String>,
    pub parameters: bool,
    /// `compilerArgs` and friends, as given, without what only makes the compiler stricter (`-Werror`, error-prone); annotation
    /// processors and their path as `-processor` and `-processorpath`.
    pub arguments: Vec<String>,
    /// `testIncludes` and `testExcludes`: patterns on the path of the source file below its root; both empty where all are compiled.
    pub includes: Vec<String>,
    pub excludes: Vec<String>,
}
