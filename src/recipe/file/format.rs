//! The fields of a recipe file, as `recipe.schema.json` describes them.

use crate::recipe::Engine;
use serde::de::Error;
use serde::{Deserialize, Deserializer};
use std::collections::BTreeMap;
use std::path::PathBuf;

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct File {
    #[serde(rename = "$schema")]
    pub(super) _schema: Option<String>,
    pub(super) recipe_version: u32,
    pub(super) project: Option<String>,
    pub(super) root: Option<PathBuf>,
    pub(super) modules: Vec<FileModule>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub(super) struct FileModule {
    pub(super) name: String,
    pub(super) base_directory: Option<PathBuf>,
    pub(super) classes: Vec<PathBuf>,
    pub(super) source_roots: Vec<PathBuf>,
    pub(super) test_classes: Vec<PathBuf>,
    pub(super) test_source_roots: Vec<PathBuf>,
    pub(super) test_class_path: Vec<PathBuf>,
    pub(super) module_path: Option<FileModulePath>,
    pub(super) java_home: Option<PathBuf>,
    #[serde(deserialize_with = "engine")]
    pub(super) engine: Option<Engine>,
    pub(super) engine_class_path: Vec<PathBuf>,
    pub(super) engine_parameters: BTreeMap<String, String>,
    pub(super) jvm_arguments: Vec<String>,
    pub(super) system_properties: BTreeMap<String, String>,
    pub(super) environment: BTreeMap<String, String>,
    pub(super) environment_removed: Vec<String>,
    pub(super) working_directory: Option<PathBuf>,
    pub(super) enable_assertions: Option<bool>,
    pub(super) includes: Option<Vec<String>>,
    pub(super) excludes: Option<Vec<String>>,
    pub(super) groups: Option<String>,
    pub(super) excluded_groups: Option<String>,
    pub(super) run_order: Order,
    pub(super) compiler: FileCompiler,
}

/// Reads the name of an engine.
fn engine<'d, D: Deserializer<'d>>(deserializer: D) -> Result<Option<Engine>, D::Error> {
    let Some(name) = Option::<String>::deserialize(deserializer)? else { return Ok(None) };
    Engine::of_recipe_name(&name).map(Some).map_err(|names| {
        let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
        D::Error::custom(format!("unknown variant `{name}`, expected one of {}", names.join(", ")))
    })
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Order {
    #[default]
    Filesystem,
    Alphabetical,
    ReverseAlphabetical,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct FileModulePath {
    pub(super) module: String,
    pub(super) elements: Vec<PathBuf>,
    #[serde(default)]
    pub(super) arguments: Vec<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub(super) struct FileCompiler {
    pub(super) encoding: Option<String>,
    pub(super) release: Option<String>,
    pub(super) source: Option<String>,
    pub(super) target: Option<String>,
    pub(super) parameters: bool,
    pub(super) arguments: Vec<String>,
}
