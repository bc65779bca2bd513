//! The one door to build tools: it turns a project into a [`Build`], whichever tool knows how its tests run.

use super::maven::MavenRequest;
use super::{Build, file, maven};
use crate::base::error::Result;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

/// What knows the modules of a project and how their tests run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BuildTool {
    /// Maven compiles the project and is asked.
    Maven(MavenRequest),
    /// The project is compiled, and this file describes it; any build tool can write it.
    RecipeFile(PathBuf),
}

/// What a tool does to a project.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Activity<'a> {
    /// The tool writes below this folder, so that only one reneri may be at work here.
    pub folder: &'a Path,
    /// For the progress that the terminal shows.
    pub title: &'static str,
}

impl BuildTool {
    /// What the tool does besides reading; `None` if the project is compiled already.
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

    /// The modules of the project and how their tests run. No test runs. `say` takes each line that a tool prints; a tool ends soon after
    /// `interrupted` is set.
    ///
    /// # Errors
    /// With exit code 1 if a recipe file is missing, is not of the format, or names what is not there. With
    /// [`ExitCode::CannotBuild`](crate::base::error::ExitCode) if the tool or a JDK is missing, if the build fails, or if no module has
    /// classes or tests.
    pub fn build(&self, interrupted: &AtomicBool, say: &mut dyn FnMut(&str)) -> Result<Build> {
        match self {
            Self::Maven(request) => maven::build(request, interrupted, say),
            Self::RecipeFile(file) => file::read(file),
        }
    }
}
