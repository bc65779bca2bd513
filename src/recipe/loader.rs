//! The class loaders that may suit the tests of a recipe.

use super::Recipe;
use crate::base::error::{Error, Result};
use crate::jvm::client::Launch;
use crate::jvm::protocol::Loader;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// The place from which the JVM loads the classes of the tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TestLoader {
    /// A class loader of their own.
    Isolated,
    /// The JVM's class path.
    ClassPath,
    /// The JVM's module path. Test engines and everything that is no module are on its class path.
    ModulePath,
}

impl TestLoader {
    /// Describes the loader for people.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Isolated => "a class loader of their own",
            Self::ClassPath => "the JVM's own class loader",
            Self::ModulePath => "the JVM's own class loader, as a module",
        }
    }

    /// A sentence for the user, if the tests of this module do not run in a class loader of their own.
    #[must_use]
    pub fn note(self, module: &str) -> Option<String> {
        (self != Self::Isolated).then(|| {
            format!("The tests of {module} need {}: each clean start is a new JVM, which takes longer.", self.name())
        })
    }
}

/// The loaders that may suit the tests of a recipe, the first choice first. A Java agent sees and
/// changes classes of the JVM's own class loader, so tests with an agent run there. Recipes do not
/// contain coverage agents.
#[must_use]
pub fn loaders(recipe: &Recipe) -> Vec<TestLoader> {
    let mut loaders = vec![TestLoader::Isolated, TestLoader::ClassPath];
    if recipe.jvm_arguments.iter().any(|argument| argument.starts_with("-javaagent:")) {
        loaders.remove(0);
    }
    if recipe.module_path.is_some() {
        loaders.push(TestLoader::ModulePath);
    }
    loaders
}

/// The [`launch`](super::launch::launch) with classes from this loader.
///
/// # Errors
/// If a path contains a colon.
pub fn with_loader(launch: &Launch, recipe: &Recipe, classes: TestLoader) -> Result<Launch> {
    let mut launch = launch.clone();
    launch.start.loader = if classes == TestLoader::Isolated { Loader::Isolated } else { Loader::Application };
    if classes == TestLoader::ModulePath
        && let Some(modules) = &recipe.module_path
    {
        let rest: Vec<PathBuf> =
            launch.start.class_path.iter().filter(|element| !modules.elements.contains(element)).cloned().collect();
        launch.start.options.retain(|option| !option.starts_with(CLASS_PATH));
        launch.start.options.push(joined(CLASS_PATH, &rest)?);
        launch.start.options.push(joined("--module-path=", &modules.elements)?);
        launch.start.options.extend(modules.arguments.iter().cloned());
    }
    Ok(launch)
}

/// The JVM option behind `java -classpath`.
pub(super) const CLASS_PATH: &str = "-Djava.class.path=";

/// An option whose value is a path.
pub(super) fn joined(option: &str, elements: &[PathBuf]) -> Result<String> {
    let path = std::env::join_paths(elements)
        .map_err(|error| Error::bug(format!("The class path cannot be written down: {error}.")))?;
    Ok(format!("{option}{}", path.to_string_lossy()))
}
