//! A module of the build, as Maven's model describes it.

use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::PathBuf;

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MavenProject {
    pub(crate) name: Option<String>,
    pub(crate) artifact_id: String,
    pub(crate) base_directory: PathBuf,
    pub(crate) build_directory: PathBuf,
    pub(crate) output_directory: PathBuf,
    pub(crate) test_output_directory: PathBuf,
    pub(crate) source_roots: Vec<PathBuf>,
    pub(crate) test_source_roots: Vec<PathBuf>,
    pub(crate) properties: BTreeMap<String, String>,
    pub(crate) user_properties: BTreeMap<String, String>,
    pub(crate) local_repository: String,
    pub(crate) java_home: PathBuf,
    pub(crate) artifacts: Vec<Artifact>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Artifact {
    pub(crate) group_id: String,
    pub(crate) artifact_id: String,
    #[serde(rename = "type")]
    pub(crate) kind: String,
    pub(crate) classifier: Option<String>,
    pub(crate) version: String,
    pub(crate) scope: Option<String>,
    pub(crate) file: Option<PathBuf>,
    pub(crate) on_class_path: bool,
}
