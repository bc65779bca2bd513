//! Builds a recipe from surefire's parameters.

use super::system_properties::given;
use crate::base::error::Result;
use crate::recipe::engine::Parameters;
use crate::recipe::handover::{EngineChoice, MavenProject, SurefireParameters, TestCompile};
use crate::recipe::jvm_arguments::{first_fork, for_embedded_jvm, resolve_late, split};
use crate::recipe::{Recipe, jdk};
use std::path::PathBuf;

/// Builds the recipe. Only the JDK is checked against the file system.
pub(crate) fn recipe(
    module: MavenProject,
    test_compile: TestCompile,
    engine: EngineChoice,
    surefire: SurefireParameters,
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
    let engine_parameters = match engine.kind.profile().parameters {
        Parameters::Driver => engine.parameters,
        Parameters::SystemProperties | Parameters::None => surefire.engine_parameters(),
    };
    Ok(Recipe {
        project: module.name.clone().unwrap_or_else(|| module.artifact_id.clone()),
        module: module.artifact_id.clone(),
        execution: None,
        java_release: jdk::feature_release(&java_home)?,
        java_home,
        classes: surefire.classes_directory.clone(),
        test_classes: surefire.test_classes_directory.clone(),
        source_roots: existing(&module.source_roots, None),
        // The annotation processors generate their sources again when the tests are compiled again.
        test_source_roots: existing(&module.test_source_roots, test_compile.generated_test_sources_directory.as_ref()),
        system_properties: surefire.system_properties(&module, &working_directory, &test_class_path)?,
        test_class_path,
        excluded_class_path: surefire.excluded_class_path(&module),
        module_path: None,
        engine: engine.kind,
        engine_class_path: engine.files,
        engine_parameters,
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
        foreign_tests: Vec::new(),
        base_directory: module.base_directory,
        build_directory: module.build_directory,
        notes,
        asides: jvm.asides,
    })
}

/// The folders that exist, without the one that annotation processors write to.
pub(crate) fn existing(folders: &[PathBuf], generated: Option<&PathBuf>) -> Vec<PathBuf> {
    folders.iter().filter(|folder| Some(*folder) != generated && folder.is_dir()).cloned().collect()
}

/// The JDK of surefire's `jvm` or toolchain, else that of Maven.
fn java_home(module: &MavenProject, surefire: &SurefireParameters) -> Result<PathBuf> {
    let program = surefire.jvm.as_ref().map(PathBuf::from).filter(|jvm| jvm.is_absolute());
    let home = program
        .or_else(|| surefire.toolchain_java.clone())
        .and_then(|program| Some(program.parent()?.parent()?.to_path_buf()))
        .unwrap_or_else(|| module.java_home.clone());
    jdk::at(&home)
}
