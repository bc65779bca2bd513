//! From a module to its recipe: how its tests really run, as Maven and surefire would run them.

pub mod launch;

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
    /// Jars that the test engine needs and the test class path lacks (JUnit Platform launcher, engine).
    pub engine_class_path: Vec<PathBuf>,
    /// `argLine`, split, late properties resolved, coverage agents taken out.
    pub jvm_arguments: Vec<String>,
    pub system_properties: BTreeMap<String, String>,
    pub environment: BTreeMap<String, String>,
    pub working_directory: PathBuf,
    pub enable_assertions: bool,
    pub filter: TestFilter,
    pub compiler: CompilerSettings,
}

/// Which test classes surefire takes, in its pattern language.
#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq, Eq)]
pub struct TestFilter {
    /// Patterns on the path of the class file, `**/*Test.java` or `**/*Test.class`; never empty (surefire's defaults where nothing is configured).
    pub includes: Vec<String>,
    /// Surefire's default `**/*$*` where nothing is configured.
    pub excludes: Vec<String>,
    /// `groups` and `excludedGroups`, as surefire takes them.
    pub groups: Option<String>,
    pub excluded_groups: Option<String>,
}

/// How maven-compiler-plugin compiles the tests.
#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq, Eq)]
pub struct CompilerSettings {
    pub encoding: Option<String>,
    pub release: Option<String>,
    pub source: Option<String>,
    pub target: Option<String>,
    pub parameters: bool,
    /// `compilerArgs` and friends, as given.
    pub arguments: Vec<String>,
}
