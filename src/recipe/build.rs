//! From a build to the part of it that is asked for, and to what the tests of each module see of the code of all.

use super::Recipe;
use crate::base::error::{Error, Result};
use crate::base::id::{IdVec, ModuleId, RecipeId};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// What Maven says of a build: its modules and how the tests of each run. All paths are absolute.
#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq, Eq)]
pub struct Build {
    /// Name for people: of the top-level project.
    pub project: String,
    /// Folder of the POM that was given.
    pub root: PathBuf,
    /// In the reactor's order; every module with classes.
    pub modules: IdVec<ModuleId, Module>,
    /// In the reactor's order; one for each module that has tests to run, more where several executions of surefire run different tests of
    /// it; never empty.
    pub recipes: IdVec<RecipeId, Recipe>,
    /// What holds for the whole build: a sentence each (a module whose tests are skipped, a module without tests).
    pub notes: Vec<String>,
}

/// Code that can be transformed.
#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq, Eq)]
pub struct Module {
    /// Artifact id.
    pub name: String,
    pub base_directory: PathBuf,
    /// Holds at least one class file.
    pub classes: PathBuf,
    pub source_roots: Vec<PathBuf>,
}

impl Build {
    /// The folder of classes of each module.
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
                match shared.iter_mut().find(|(known, _)| known == note) {
                    Some((_, modules)) => modules.push(&recipe.module),
                    None => shared.push((note, vec![&recipe.module])),
                }
            }
        }
        shared
    }

    /// The code of the modules with these names (artifact ids, with or without `:` before them, or folders relative to the project), and all
    /// tests that see some of it, wherever they are. No names mean everything.
    ///
    /// # Errors
    /// When there is no module of that name, or no test sees the modules that are asked for.
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
