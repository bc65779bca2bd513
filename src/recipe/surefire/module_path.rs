//! The arguments with which surefire would start a JVM that uses a module path.

use crate::base::error::Result;
use crate::recipe::handover::HandedModulePath;
use crate::recipe::{ModulePath, Recipe};
use std::collections::BTreeSet;

impl HandedModulePath {
    /// Builds them as surefire's `ModularClasspathForkConfiguration.createArgsFile` does.
    pub(crate) fn module_path(self, recipe: &Recipe) -> Result<ModulePath> {
        let Self { module, of_tests, elements } = self;
        let mut arguments = Vec::new();
        if !of_tests {
            arguments.push(format!("--patch-module={module}={}", recipe.test_classes.display()));
            let classes = recipe.test_class_names()?;
            let packages: BTreeSet<&str> = classes.iter().filter_map(|class| Some(class.rsplit_once('.')?.0)).collect();
            arguments.extend(packages.iter().map(|package| format!("--add-opens={module}/{package}=ALL-UNNAMED")));
            arguments.push(format!("--add-reads={module}=ALL-UNNAMED"));
        }
        arguments.push("--add-modules=ALL-MODULE-PATH".to_string());
        if of_tests {
            let opened = recipe.engine.profile().opened_packages.iter();
            arguments.extend(opened.map(|(module, package)| format!("--add-opens={module}/{package}=ALL-UNNAMED")));
        }
        Ok(ModulePath { module, elements, arguments })
    }
}
