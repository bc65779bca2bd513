//! The class loaders that may suit the tests of a recipe.

use super::Recipe;
use crate::base::error::{Error, Result};
use crate::jvm::client::Launch;
use crate::jvm::protocol::Loader;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// From where the classes of the tests come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TestLoader {
    /// A class loader of their own.
    Isolated,
    /// The JVM's class path.
    ClassPath,
    /// The JVM's module path; what is no module, and what runs the tests, is on its class path.
    ModulePath,
}

impl TestLoader {
    /// For people.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Isolated => "a class loader of their own",
            Self::ClassPath => "the JVM's own class loader",
            Self::ModulePath => "the JVM's own class loader, as a module",
        }
    }
}

/// Those that may suit the tests of a recipe, the one to try first at the front. What a Java agent sees and does belongs to the JVM's own
/// class loader; coverage agents are not in a recipe.
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

/// The launch (see [`launch`](super::launch::launch)) with the classes from there.
///
/// # Errors
/// When a path has a colon in it.
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

/// The option of the JVM that `java -classpath` stands for.
pub(super) const CLASS_PATH: &str = "-Djava.class.path=";

/// An option whose value is a path.
pub(super) fn joined(option: &str, elements: &[PathBuf]) -> Result<String> {
    let path = std::env::join_paths(elements)
        .map_err(|error| Error::bug(format!("The class path cannot be written down: {error}.")))?;
    Ok(format!("{option}{}", path.to_string_lossy()))
}
