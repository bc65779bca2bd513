//! A build: its modules and the recipes of their tests; how to restrict it to some modules, and
//! what the tests of a module see of the others.

use super::Recipe;
use crate::base::error::{Error, Result};
use crate::base::id::{IdVec, ModuleId, RecipeId};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// A build as its build tool describes it: the modules, and how the tests of each one run. All
/// paths are absolute.
#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq, Eq)]
pub struct Build {
    /// Name of the top-level project, for people.
    pub project: String,
    /// Folder of the project that the user gave.
    pub root: PathBuf,
    /// Every module with classes, in the order in which the build tool builds them.
    pub modules: IdVec<ModuleId, Module>,
    /// In the same order, at least one. A module with tests has one recipe, or several if several
    /// executions of surefire run different tests of it.
    pub recipes: IdVec<RecipeId, Recipe>,
    /// Notes on the whole build, a sentence each: a module whose tests are skipped, a module
    /// without tests.
    pub notes: Vec<String>,
}

/// Code that can be transformed.
#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq, Eq)]
pub struct Module {
    /// Artifact id.
    pub name: String,
    pub base_directory: PathBuf,
    /// The folder in which the build tool writes; `None` if it is not known.
    pub build_directory: Option<PathBuf>,
    /// Holds at least one class file.
    pub classes: PathBuf,
    pub source_roots: Vec<PathBuf>,
}

impl Build {
    /// The class folder of each module.
    #[must_use]
    pub fn class_folders(&self) -> IdVec<ModuleId, PathBuf> {
        self.modules.iter().map(|module| module.classes.clone()).collect()
    }

    /// The modules whose classes the tests of `recipe` see, in the order of their class path.
    #[must_use]
    pub fn seen_by(&self, recipe: &Recipe) -> Vec<ModuleId> {
        let place = |module: &Module| recipe.test_class_path.iter().position(|element| *element == module.classes);
        let mut seen: Vec<(usize, ModuleId)> =
            self.modules.iter_enumerated().filter_map(|(id, module)| Some((place(module)?, id))).collect();
        seen.sort_unstable();
        seen.into_iter().map(|(_, id)| id).collect()
    }

    /// Each note of the recipes once, in their order, with the modules whose recipes have it.
    #[must_use]
    pub fn shared_notes(&self) -> Vec<(&str, Vec<&str>)> {
        let mut shared: Vec<(&str, Vec<&str>)> = Vec::new();
        for recipe in &self.recipes {
            for note in &recipe.notes {
                match shared.iter_mut().find(|(shared_note, _)| shared_note == note) {
                    Some((_, modules)) => modules.push(&recipe.module),
                    None => shared.push((note, vec![&recipe.module])),
                }
            }
        }
        shared
    }

    /// Restricts the build to the code of the modules with these names, and to all tests that see
    /// some of that code, in whatever module they are. A name is an artifact id, with or without
    /// `:` before it, or a folder relative to the project. Without names, the build stays complete.
    ///
    /// # Errors
    /// If there is no module of that name, or if no test sees the modules that are asked for.
    pub fn only(mut self, names: &[String]) -> Result<Self> {
        if names.is_empty() {
            return Ok(self);
        }
        let is_called = |module: &Module, name: &str| {
            module.name == name.trim_start_matches(':') || module.base_directory == self.root.join(name)
        };
        let all = || self.modules.iter().map(|module| module.name.as_str()).collect::<Vec<_>>().join(", ");
        if let Some(unknown) = names.iter().find(|name| !self.modules.iter().any(|module| is_called(module, name))) {
            return Err(Error::usage(
                format!("There is no module {unknown} with code in {}.", self.project),
                format!("Give --module one of: {}.", all()),
            ));
        }
        let chosen = |module: &Module| names.iter().any(|name| is_called(module, name));
        let modules: IdVec<ModuleId, Module> = self.modules.iter().filter(|module| chosen(module)).cloned().collect();
        self.modules = modules;
        let recipes = std::mem::take(&mut self.recipes);
        self.recipes = recipes.into_iter().filter(|recipe| !self.seen_by(recipe).is_empty()).collect();
        if self.recipes.is_empty() {
            return Err(Error::cannot_build(
                format!("No test of the build sees the code of {}.", names.join(", ")),
                "Choose another module with --module, or leave it out to analyze all.",
            ));
        }
        Ok(self)
    }
}
