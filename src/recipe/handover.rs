//! From the file that the Maven extension writes to a recipe.

use super::arguments::{first_fork, for_embedded_jvm, resolve_late, split};
use super::compiler::{Compilation, TestCompile};
use super::surefire::{Surefire, given};
use super::{Engine, Recipe, jdk};
use crate::base::error::{Error, Result};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What `Handover.java` writes. Parts are missing where Maven did not come so far.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Handover {
    /// Of the top-level project.
    pub name: Option<String>,
    /// What makes the whole build impossible.
    pub problem: Option<Problem>,
    pub notes: Vec<String>,
    /// Those that are not aggregators only, in the reactor's order.
    pub modules: Vec<HandedModule>,
}

/// What is known of one module.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct HandedModule {
    pub artifact_id: String,
    /// What makes it impossible to run its tests.
    pub problem: Option<Problem>,
    /// Id of an execution of surefire that the POM or the command line skips.
    pub skipped_execution: Option<String>,
    pub notes: Vec<String>,
    pub project: Option<MavenProject>,
    pub test_compile: Option<TestCompile>,
    /// Of surefire, those that are not skipped, in their order.
    pub executions: Vec<Execution>,
    /// `artifactId:goal` of what runs between the compiler of the tests and surefire and might change them.
    pub rewriters: Vec<String>,
    /// Binary names of those that changed.
    pub rewritten_test_classes: Vec<String>,
    /// All that ran before the tests, in order.
    pub mojos: Vec<Mojo>,
    /// What newer versions of the plugin say otherwise is not read.
    #[serde(deserialize_with = "those_that_are_understood")]
    pub compilations: Vec<Compilation>,
}

fn those_that_are_understood<'d, D: Deserializer<'d>>(
    deserializer: D,
) -> std::result::Result<Vec<Compilation>, D::Error> {
    let values: Vec<serde_json::Value> = Vec::deserialize(deserializer)?;
    Ok(values.into_iter().filter_map(|value| serde_json::from_value(value).ok()).collect())
}

/// A goal that ran.
#[derive(Debug, Deserialize)]
pub(super) struct Mojo {
    pub artifact: String,
    pub goal: String,
    /// Whether something in the folders of sources or classes changed meanwhile; false of the plugins whose work that is.
    pub writes: bool,
}

#[derive(Debug, Deserialize)]
pub(super) struct Problem {
    pub kind: String,
    pub text: String,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct MavenProject {
    pub(super) name: Option<String>,
    pub(super) artifact_id: String,
    pub(super) base_directory: PathBuf,
    pub(super) build_directory: PathBuf,
    pub(super) output_directory: PathBuf,
    pub(super) test_output_directory: PathBuf,
    pub(super) source_roots: Vec<PathBuf>,
    pub(super) test_source_roots: Vec<PathBuf>,
    pub(super) properties: BTreeMap<String, String>,
    pub(super) user_properties: BTreeMap<String, String>,
    pub(super) local_repository: String,
    pub(super) java_home: PathBuf,
    pub(super) artifacts: Vec<Artifact>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Artifact {
    pub(super) group_id: String,
    pub(super) artifact_id: String,
    #[serde(rename = "type")]
    pub(super) kind: String,
    pub(super) classifier: Option<String>,
    pub(super) version: String,
    pub(super) scope: Option<String>,
    pub(super) file: Option<PathBuf>,
    pub(super) on_class_path: bool,
}

/// One execution of surefire.
#[derive(Debug, Deserialize)]
pub(super) struct Execution {
    pub id: String,
    pub engine: EngineChoice,
    pub surefire: Surefire,
}

#[derive(Debug, Deserialize)]
pub(super) struct EngineChoice {
    kind: Engine,
    files: Vec<PathBuf>,
    /// Of TestNG.
    #[serde(default)]
    parameters: BTreeMap<String, String>,
}

/// Builds the recipe. Nothing of it is checked against the file system but the JDK.
pub(super) fn recipe(
    module: MavenProject,
    test_compile: TestCompile,
    engine: EngineChoice,
    surefire: Surefire,
    mut notes: Vec<String>,
) -> Result<Recipe> {
    let java_home = java_home(&module, &surefire)?;
    let line = first_fork(&resolve_late(surefire.arg_line.as_deref().unwrap_or_default(), &module.properties));
    let jvm = for_embedded_jvm(split(&line)?)?;
    notes.extend(jvm.notes);
    notes.extend(surefire.deviations());
    let working_directory = surefire
        .working_directory
        .as_deref()
        .map_or_else(|| module.base_directory.clone(), |folder| PathBuf::from(first_fork(&folder.to_string_lossy())));
    let working_directory =
        if working_directory.is_absolute() { working_directory } else { module.base_directory.join(working_directory) };
    let test_class_path = surefire.test_class_path(&module);
    Ok(Recipe {
        project: module.name.clone().unwrap_or_else(|| module.artifact_id.clone()),
        module: module.artifact_id.clone(),
        java_release: jdk::feature_release(&java_home)?,
        java_home,
        classes: surefire.classes_directory.clone(),
        test_classes: surefire.test_classes_directory.clone(),
        source_roots: existing(&module.source_roots, None),
        // What annotation processors generated is generated again when the tests are compiled again.
        test_source_roots: existing(&module.test_source_roots, test_compile.generated_test_sources_directory.as_ref()),
        system_properties: surefire.system_properties(&module, &working_directory, &test_class_path)?,
        test_class_path,
        module_path: None,
        engine: engine.kind,
        engine_class_path: engine.files,
        engine_parameters: if engine.kind == Engine::TestNG { engine.parameters } else { surefire.engine_parameters() },
        jvm_arguments: jvm.arguments,
        environment: given(&surefire.environment_variables),
        environment_removed: surefire.excluded_environment_variables.clone(),
        working_directory,
        enable_assertions: surefire.enable_assertions.unwrap_or(true),
        filter: surefire.filter()?,
        run_order: surefire.run_order(),
        scanned_dependencies: surefire.scanned_dependencies(&module),
        compiler: test_compile.settings(),
        rewritten_test_classes: Vec::new(),
        base_directory: module.base_directory,
        build_directory: module.build_directory,
        notes,
        asides: jvm.asides,
    })
}

/// Folders that are there, without what annotation processors write to.
pub(super) fn existing(folders: &[PathBuf], generated: Option<&PathBuf>) -> Vec<PathBuf> {
    folders.iter().filter(|folder| Some(*folder) != generated && folder.is_dir()).cloned().collect()
}

/// The JDK of surefire's `jvm` or toolchain, else Maven's own.
fn java_home(module: &MavenProject, surefire: &Surefire) -> Result<PathBuf> {
    let program = surefire.jvm.as_ref().map(PathBuf::from).filter(|jvm| jvm.is_absolute());
    let home = program
        .or_else(|| surefire.toolchain_java.clone())
        .and_then(|program| Some(program.parent()?.parent()?.to_path_buf()))
        .unwrap_or_else(|| module.java_home.clone());
    jdk::at(&home)
}

pub(super) fn trimmed(text: &str) -> Option<String> {
    Some(text.trim()).filter(|text| !text.is_empty()).map(str::to_string)
}

/// Reads the file; `None` where the extension never wrote one.
pub(super) fn read_handover(file: &Path) -> Result<Option<String>> {
    match std::fs::read_to_string(file) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::bug(format!("What the Maven extension wrote cannot be read: {error}."))),
    }
}

/// What [`read_handover`] has read.
pub(super) fn parse_handover(text: &str) -> Result<Handover> {
    parse(text.as_bytes())
}

fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T> {
    serde_json::from_slice(bytes).map_err(|error| {
        Error::bug(format!("What the Maven extension wrote is not what reneri expects: {error}."))
            .with_details(String::from_utf8_lossy(bytes))
    })
}
