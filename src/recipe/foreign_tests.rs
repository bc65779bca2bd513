//! Test classes of other modules that the tests of a recipe can use: by a dependency of the type
//! `test-jar`, for example. They are inherited, called, or run themselves.

use super::Recipe;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// The test classes of a module, and their sources.
#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq, Eq)]
pub struct ForeignTests {
    pub classes: PathBuf,
    pub source_roots: Vec<PathBuf>,
    /// The encoding of the sources.
    pub encoding: Option<String>,
    /// The folder in which the build tool packs them.
    pub build_directory: PathBuf,
}

impl ForeignTests {
    /// The test classes that the recipe runs.
    #[must_use]
    pub fn of(recipe: &Recipe) -> Self {
        Self {
            classes: recipe.test_classes.clone(),
            source_roots: recipe.test_source_roots.clone(),
            encoding: recipe.compiler.encoding.clone(),
            build_directory: recipe.build_directory.clone(),
        }
    }

    /// Whether this element of a class path has these classes: their folder, or the jar that Maven
    /// packs them in (its classifier is `tests`).
    fn is_at(&self, element: &Path) -> bool {
        let is_jar = || element.file_name().is_some_and(|name| name.to_string_lossy().ends_with("-tests.jar"));
        element == self.classes || element.starts_with(&self.build_directory) && is_jar()
    }
}

/// Notes in each recipe which of these test classes of other modules its tests can use.
pub(super) fn note_foreign_tests(recipes: &mut [Recipe], all: &[ForeignTests]) {
    for recipe in recipes {
        let is_seen = |tests: &&ForeignTests| {
            tests.classes != recipe.test_classes && recipe.test_class_path.iter().any(|element| tests.is_at(element))
        };
        recipe.foreign_tests = all.iter().filter(is_seen).cloned().collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_of_another_module_are_found_in_their_folder_and_in_their_jar() {
        let tests = |module: &str| ForeignTests {
            classes: format!("/p/{module}/target/test-classes").into(),
            build_directory: format!("/p/{module}/target").into(),
            ..ForeignTests::default()
        };
        let all = [tests("own"), tests("kit"), tests("packed"), tests("unused")];
        let mut recipe = Recipe::of_tests(Path::new("/p/own/target"));
        recipe.test_class_path.extend(
            ["/p/kit/target/test-classes", "/p/packed/target/packed-1.0-tests.jar", "/p/unused/target/unused-1.0.jar"]
                .map(PathBuf::from),
        );
        note_foreign_tests(std::slice::from_mut(&mut recipe), &all);
        assert_eq!(recipe.foreign_tests, [tests("kit"), tests("packed")]);
    }
}
