//! The file in which the Maven extension describes a build: its modules, and how surefire would run
//! the tests of each.

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

/// The build, as `Handover.java` writes it. Parts are missing if Maven ended before it came to
/// them.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Handover {
    /// Name of the top-level project.
    pub name: Option<String>,
    /// The reason why nothing can be analyzed.
    pub problem: Option<Problem>,
    pub notes: Vec<String>,
    /// The modules that are more than aggregators, in the reactor's order.
    pub modules: Vec<HandedModule>,
}

/// One module of the build.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct HandedModule {
    pub artifact_id: String,
    /// The reason why its tests cannot run.
    pub problem: Option<Problem>,
    /// Id of an execution of surefire that the POM or the command line skips.
    pub skipped_execution: Option<String>,
    pub notes: Vec<String>,
    pub project: Option<MavenProject>,
    pub test_compile: Option<TestCompile>,
    /// The executions of surefire that are not skipped, in their order.
    pub executions: Vec<Execution>,
    /// `artifactId:goal` of each goal that runs between the compilation of the tests and surefire
    /// and may change test classes.
    pub rewriters: Vec<String>,
    /// Binary names of the test classes that changed there.
    pub rewritten_test_classes: Vec<String>,
    /// All goals that ran before the tests, in order.
    pub mojos: Vec<Mojo>,
    /// Compilations that this reneri does not understand, because a newer plugin describes them
    /// differently, are left out.
    #[serde(deserialize_with = "known_compilations")]
    pub compilations: Vec<Compilation>,
}

fn known_compilations<'d, D: Deserializer<'d>>(deserializer: D) -> std::result::Result<Vec<Compilation>, D::Error> {
    let values: Vec<serde_json::Value> = Vec::deserialize(deserializer)?;
    Ok(values.into_iter().filter_map(|value| serde_json::from_value(value).ok()).collect())
}

/// A goal that ran.
#[derive(Debug, Deserialize)]
pub(crate) struct Mojo {
    pub artifact: String,
    pub goal: String,
    /// Whether something in the folders of sources or classes changed while it ran; false for the
    /// plugins whose work that is.
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
    /// TestNG's parameters.
    #[serde(default)]
    pub(crate) parameters: BTreeMap<String, String>,
}

/// Reads the file; `None` if the extension never wrote it.
pub(crate) fn read_handover(file: &Path) -> Result<Option<String>> {
    match std::fs::read_to_string(file) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => {
            let what = format!("The file of the Maven extension cannot be read: {error}.");
            Err(Error::of_system(what, &error, "Set TMPDIR to a folder that can be written."))
        }
    }
}

/// Parses the text that [`read_handover`] has read.
pub(crate) fn parse_handover(text: &str) -> Result<Handover> {
    parse(text.as_bytes())
}

/// The part of a line around this column.
fn around(line: &[u8], column: usize) -> String {
    const CHARACTERS: usize = 150;
    let start = column.saturating_sub(CHARACTERS).min(line.len());
    let end = (column + CHARACTERS).min(line.len());
    format!("… {} …", String::from_utf8_lossy(line.get(start..end).unwrap_or_default()))
}

fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T> {
    serde_json::from_slice(bytes).map_err(|error| {
        Error::bug(format!("The file of the Maven extension does not have the expected format: {error}."))
            .with_details(around(bytes, error.column()))
    })
}
