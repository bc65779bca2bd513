//! Finds the Maven project at a path of the command line: its folder and its POM.

use crate::base::error::{Error, Result};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// A Maven project. Both paths are absolute; symbolic links are kept, because Maven keeps them too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Project {
    /// The folder of the POM.
    pub root: PathBuf,
    /// Almost always `pom.xml` in that folder.
    pub pom: PathBuf,
}

/// Files of other build tools.
const OTHER_TOOLS: [(&str, &str); 6] = [
    ("build.gradle", "Gradle"),
    ("build.gradle.kts", "Gradle"),
    ("settings.gradle", "Gradle"),
    ("settings.gradle.kts", "Gradle"),
    ("build.sbt", "sbt"),
    ("build.xml", "Ant"),
];

/// Finds the project at `path`, which is a folder with a `pom.xml` or the path of a POM.
///
/// # Errors
/// If `path` does not exist or cannot be read, or if there is no POM.
pub fn find(path: &Path) -> Result<Project> {
    let absolute = std::path::absolute(path).map_err(|error| {
        Error::usage(format!("The path {} is no path: {error}.", path.display()), "Give the folder of a Maven project.")
    })?;
    let metadata = std::fs::metadata(&absolute).map_err(|error| match error.kind() {
        ErrorKind::NotFound => Error::usage(
            format!("There is no file or folder {}.", absolute.display()),
            "Give the folder of a Maven project, the one that contains its pom.xml.",
        ),
        _ => Error::usage(
            format!("{} cannot be read: {error}.", absolute.display()),
            "Check its permissions, or give another folder.",
        ),
    })?;
    let pom = if metadata.is_dir() { absolute.join("pom.xml") } else { absolute.clone() };
    if !pom.is_file() {
        return Err(no_pom(&absolute));
    }
    let is_pom = pom.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("xml"));
    let Some(root) = pom.parent().filter(|_| is_pom) else {
        return Err(Error::usage(
            format!("{} is not a Maven POM.", pom.display()),
            "Give the folder of a Maven project, or its pom.xml.",
        ));
    };
    Ok(Project { root: root.to_path_buf(), pom: pom.clone() })
}

fn no_pom(folder: &Path) -> Error {
    let what = format!("There is no pom.xml in {}.", folder.display());
    if let Some((file, tool)) = OTHER_TOOLS.iter().find(|(file, _)| folder.join(file).is_file()) {
        let next = if *tool == "Gradle" {
            "Let Gradle write down how the tests run, with `gradle --init-script reneri.init.gradle reneriRecipe` (the script is in the \
             folder `gradle` of reneri's sources), then start `reneri analyze --recipe build/reneri/recipe.json`."
                .to_owned()
        } else {
            format!("Let {tool} build it, write down how the tests run, and start `reneri analyze --recipe FILE`.")
        };
        return Error::usage(
            format!("{what} There is a {file}: {tool} builds this project, and reneri asks only Maven by itself."),
            next,
        );
    }
    // A common mistake is to start in a folder inside the project.
    match folder.ancestors().skip(1).find(|ancestor| ancestor.join("pom.xml").is_file()) {
        Some(ancestor) => {
            Error::usage(what, format!("There is one further up: try `--project {}`.", ancestor.display()))
        }
        None => Error::usage(what, "Give the folder of a Maven project, the one that contains its pom.xml."),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;
    use crate::base::error::ExitCode;

    fn folder_with(files: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for file in files {
            let file = folder.path().join(file);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, "").unwrap();
        }
        folder
    }

    #[test]
    fn a_folder_and_its_pom_are_the_same_project() {
        let folder = folder_with(&["pom.xml"]);
        let project = find(folder.path()).unwrap();
        assert_eq!(project.root, folder.path());
        assert_eq!(project, find(&folder.path().join("pom.xml")).unwrap());
    }

    #[test]
    fn the_error_names_a_missing_path() {
        let folder = folder_with(&[]);
        let error = find(&folder.path().join("nowhere")).unwrap_err();
        assert_eq!(error.exit_code, ExitCode::Usage);
        assert!(error.what.contains("nowhere"), "{error}");
    }

    #[test]
    fn the_error_in_a_project_of_another_build_tool_suggests_a_recipe() {
        let folder = folder_with(&["build.gradle.kts"]);
        let error = find(folder.path()).unwrap_err();
        assert!(error.what.contains("Gradle builds this project"), "{error}");
        assert!(error.next.contains("reneri.init.gradle") && error.next.contains("--recipe build/reneri"), "{error}");
        let error = find(folder_with(&["build.xml"]).path()).unwrap_err();
        assert!(error.next.contains("Ant") && error.next.contains("--recipe FILE"), "{error}");
    }

    #[test]
    fn the_error_in_a_folder_inside_a_project_names_the_project() {
        let folder = folder_with(&["pom.xml", "src/main/java/A.java"]);
        let error = find(&folder.path().join("src/main")).unwrap_err();
        assert!(error.next.contains(&format!("--project {}", folder.path().display())), "{error}");
    }

    #[test]
    fn a_file_that_is_no_pom_is_an_error() {
        let folder = folder_with(&["pom.xml", "README.md"]);
        assert!(find(&folder.path().join("README.md")).unwrap_err().what.contains("not a Maven POM"));
    }
}
