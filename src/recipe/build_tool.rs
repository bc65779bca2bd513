//! The one door to build tools: it turns a project into a [`Build`], whichever tool knows how its
//! tests run.

use super::maven::MavenRequest;
use super::{Build, file, maven};
use crate::base::error::Result;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

/// A source of builds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BuildTool {
    /// Maven, which compiles the project.
    Maven(MavenRequest),
    /// A file that describes a project that is compiled already. Any build tool can write one.
    RecipeFile(PathBuf),
}

/// The work of a tool on a project.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Activity<'a> {
    /// The tool writes below this folder, so only one reneri may work here at a time.
    pub folder: &'a Path,
    /// Title of the stage on the terminal.
    pub title: &'static str,
}

impl BuildTool {
    /// The tool's work besides reading; `None` if the project is compiled already.
    #[must_use]
    pub fn activity(&self) -> Option<Activity<'_>> {
        match self {
            Self::Maven(request) => {
                let title = "Compiling and asking Maven how the tests run";
                Some(Activity { folder: &request.project.root, title })
            }
            Self::RecipeFile(_) => None,
        }
    }

    /// Returns the modules of the project and how their tests run, without running a test. `say`
    /// takes each line that a tool prints; a tool ends soon after `interrupted` is set.
    ///
    /// # Errors
    /// With exit code 1 if a recipe file is missing, is not of the format, or names something that
    /// does not exist. With [`ExitCode::CannotBuild`](crate::base::error::ExitCode) if the tool or
    /// a JDK is missing, if the build fails, or if no module has classes or tests.
    pub fn build(&self, interrupted: &AtomicBool, say: &mut dyn FnMut(&str)) -> Result<Build> {
        match self {
            Self::Maven(request) => maven::build(request, interrupted, say),
            Self::RecipeFile(file) => file::read(file),
        }
    }
}
