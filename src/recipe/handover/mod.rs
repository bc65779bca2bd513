//! The file in which the Maven extension describes a build: its modules, and how surefire would run the tests of each.

mod compiler;
mod project;
mod surefire;
mod value;

pub(super) use compiler::{Compilation, TestCompile};
pub(super) use project::{Artifact, MavenProject};
pub(super) use surefire::{HandedModulePath, SurefireParameters};
pub(super) use value::trimmed;

use super::engine::Engine;
use crate::base::error::{Error, Result};
use serde::{Deserialize, Deserializer, de::DeserializeOwned};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What `Handover.java` writes. Parts are missing where Maven did not come so far.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Handover {
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
pub(crate) struct HandedModule {
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
pub(crate) struct Mojo {
    pub artifact: String,
    pub goal: String,
    /// Whether something in the folders of sources or classes changed meanwhile; false of the plugins whose work that is.
    pub writes: bool,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Problem {
    pub kind: String,
    pub text: String,
}

/// One execution of surefire.
#[derive(Debug, Deserialize)]
pub(crate) struct Execution {
    pub id: String,
    pub engine: EngineChoice,
    pub surefire: SurefireParameters,
}

#[derive(Debug, Deserialize)]
pub(crate) struct EngineChoice {
    pub(crate) kind: Engine,
    pub(crate) files: Vec<PathBuf>,
    /// Of TestNG.
    #[serde(default)]
    pub(crate) parameters: BTreeMap<String, String>,
}

/// Reads the file; `None` where the extension never wrote one.
pub(crate) fn read_handover(file: &Path) -> Result<Option<String>> {
    match std::fs::read_to_string(file) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::bug(format!("What the Maven extension wrote cannot be read: {error}."))),
    }
}

/// What [`read_handover`] has read.
pub(crate) fn parse_handover(text: &str) -> Result<Handover> {
    parse(text.as_bytes())
}

fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T> {
    serde_json::from_slice(bytes).map_err(|error| {
        Error::bug(format!("What the Maven extension wrote is not what reneri expects: {error}."))
            .with_details(String::from_utf8_lossy(bytes))
    })
}
