//! Names the test classes of a recipe, in the order in which surefire runs them.

use super::engine::SUITE_FILES;
use super::filter::Selection;
use super::{Recipe, RunOrder};
use crate::base::error::{Error, Result};
use crate::base::read::open_file;
use std::path::{MAIN_SEPARATOR, Path};

impl Recipe {
    /// Binary names of the classes that surefire takes for test classes by their names, in its
    /// order: first those of the folder of test classes, then those of scanned dependencies.
    ///
    /// The order `filesystem`, surefire's default, is the one in which folders list their files
    /// (surefire's `FileScanner`). It differs between machines, but on one machine it is the order
    /// of `mvn test`.
    ///
    /// # Errors
    /// If a pattern is not valid, or if the folder of test classes cannot be read.
    pub fn test_class_names(&self) -> Result<Vec<String>> {
        let selection = self.filter.selection()?;
        let mut names = Vec::new();
        if self.test_classes.exists() || self.scanned_dependencies.is_empty() {
            scan_folder(&self.test_classes, &selection, &mut names)?;
        }
        for dependency in &self.scanned_dependencies {
            if dependency.is_dir() {
                scan_folder(dependency, &selection, &mut names)?;
            } else {
                scan_jar(dependency, &selection, &mut names)?;
            }
        }
        match self.run_order {
            RunOrder::Filesystem => {}
            RunOrder::Alphabetical => names.sort(),
            RunOrder::ReverseAlphabetical => names.sort_by(|a, b| b.cmp(a)),
        }
        Ok(names)
    }
}

fn scan_folder(folder: &Path, selection: &Selection, names: &mut Vec<String>) -> Result<()> {
    for entry in walkdir::WalkDir::new(folder).follow_links(true) {
        let entry = entry.map_err(|error| {
            Error::cannot_build(
                format!("The compiled tests in {} cannot be read: {error}.", folder.display()),
                "Check that the folder can be read, then build the project again.",
            )
        })?;
        let below = entry.path().strip_prefix(folder).ok().and_then(Path::to_str);
        let name = below.and_then(|below| below.strip_suffix(".class")).map(|name| name.replace(MAIN_SEPARATOR, "."));
        names.extend(name.filter(|name| entry.file_type().is_file() && selection.takes(name)));
    }
    Ok(())
}

fn scan_jar(jar: &Path, selection: &Selection, names: &mut Vec<String>) -> Result<()> {
    let unreadable = |error: &dyn std::fmt::Display| {
        Error::cannot_build(
            format!(
                "{}, whose test classes surefire runs (`dependenciesToScan`), cannot be read: {error}.",
                jar.display()
            ),
            "Remove it from Maven's local repository, so that Maven fetches it anew.",
        )
    };
    let file = open_file(jar).map_err(|error| unreadable(&error))?;
    let archive = zip::ZipArchive::new(std::io::BufReader::new(file)).map_err(|error| unreadable(&error))?;
    let classes = archive.file_names().filter_map(|name| Some(name.strip_suffix(".class")?.replace('/', ".")));
    names.extend(classes.filter(|name| selection.takes(name)));
    Ok(())
}

/// Checks that there are tests, and makes the folder in which they run.
///
/// # Errors
/// If there are no tests, or if the folder cannot be made.
pub(crate) fn check(recipe: &Recipe) -> Result<()> {
    if class_files(&recipe.test_classes).next().is_none() && recipe.scanned_dependencies.is_empty() {
        return Err(no_test_classes(&recipe.module, &recipe.test_classes));
    }
    // TestNG's suite files name the classes themselves.
    let is_free = recipe.engine_parameters.contains_key(SUITE_FILES);
    if !is_free && recipe.test_class_names()?.is_empty() {
        return Err(Error::cannot_build(
            format!(
                "{} has no tests: surefire's patterns ({}) take none of its test classes.",
                recipe.module,
                recipe.filter.includes.join(", ")
            ),
            "Name the test classes so, or change `includes` of maven-surefire-plugin.",
        ));
    }
    // Surefire makes the folder, too.
    std::fs::create_dir_all(&recipe.working_directory).map_err(|error| {
        Error::cannot_build(
            format!("The tests' working directory {} cannot be made: {error}.", recipe.working_directory.display()),
            "Check `workingDirectory` of maven-surefire-plugin.",
        )
    })
}

pub(crate) fn no_test_classes(module: &str, folder: &Path) -> Error {
    Error::cannot_build(
        format!("{module} has no tests: {} holds none after the build.", folder.display()),
        "Surefire found nothing to run: see that the tests are under src/test/java.",
    )
}

/// Binary names of the class files below `folder`; none if there is no such folder.
pub(crate) fn class_files(folder: &Path) -> impl Iterator<Item = String> {
    walkdir::WalkDir::new(folder).sort_by_file_name().into_iter().flatten().filter_map(move |entry| {
        let path = entry.path().strip_prefix(folder).ok()?.with_extension("");
        let is_class = entry.file_type().is_file() && entry.path().extension().is_some_and(|end| end == "class");
        let names: Vec<_> = path.iter().map(|name| name.to_string_lossy()).collect();
        (is_class && !matches!(names.last()?.as_ref(), "module-info" | "package-info")).then(|| names.join("."))
    })
}
