//! Parameters of maven-surefire-plugin, as Maven has evaluated them.

use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Parameters of the goal `test` of maven-surefire-plugin, by their documented names, and what the
/// extension adds.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct SurefireParameters {
    pub(crate) arg_line: Option<String>,
    pub(crate) system_properties: BTreeMap<String, Option<String>>,
    pub(crate) system_property_variables: BTreeMap<String, Option<String>>,
    pub(crate) system_properties_file: Option<PathBuf>,
    pub(crate) promote_user_properties_to_system_properties: Option<bool>,
    pub(crate) environment_variables: BTreeMap<String, Option<String>>,
    pub(crate) excluded_environment_variables: Vec<String>,
    pub(crate) working_directory: Option<PathBuf>,
    pub(crate) enable_assertions: Option<bool>,
    pub(crate) includes: Vec<Option<String>>,
    pub(crate) excludes: Vec<Option<String>>,
    pub(crate) includes_file: Option<PathBuf>,
    pub(crate) excludes_file: Option<PathBuf>,
    pub(crate) test: Option<String>,
    pub(crate) groups: Option<String>,
    pub(crate) excluded_groups: Option<String>,
    pub(crate) test_classes_directory: PathBuf,
    pub(crate) classes_directory: PathBuf,
    pub(crate) classpath_dependency_excludes: Vec<String>,
    pub(crate) classpath_dependency_scope_exclude: Option<String>,
    pub(crate) additional_classpath_elements: Vec<String>,
    pub(crate) jvm: Option<String>,
    pub(crate) properties: BTreeMap<String, Option<String>>,
    pub(crate) dependencies_to_scan: Vec<String>,
    pub(crate) run_order: Option<String>,
    pub(crate) reuse_forks: Option<bool>,
    pub(crate) fork_mode: Option<String>,
    pub(crate) default_includes: Option<Vec<String>>,
    pub(crate) toolchain_java: Option<PathBuf>,
    pub(crate) additional_files: Vec<PathBuf>,
    /// The module path that surefire would use, if the JDK knows modules.
    pub(crate) module_path: Option<HandedModulePath>,
}

/// A module path, as `ModulePath.java` writes it.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct HandedModulePath {
    pub(crate) module: String,
    /// Whether the module descriptor is that of the tests.
    pub(crate) of_tests: bool,
    pub(crate) elements: Vec<PathBuf>,
}
