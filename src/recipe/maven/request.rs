//! What Maven is asked to build, and the user's options for running it.

use crate::project::Project;
use std::path::PathBuf;

/// What Maven is asked to build.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MavenRequest {
    pub project: Project,
    pub options: MavenOptions,
    /// The file that keeps Maven's output. Its folder is reneri's output folder, which is no part
    /// of the project.
    pub log: PathBuf,
}

/// The user's options for running Maven.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MavenOptions {
    /// Passed on as they are: profiles, properties, goals before `test`.
    pub arguments: Vec<String>,
    /// Maven downloads nothing.
    pub offline: bool,
    /// Maven's last answer is used again if nothing has changed.
    pub history: bool,
}
