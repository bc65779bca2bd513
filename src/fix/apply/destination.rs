//! The test source that a patch of a report may change.
//!
//! A report may come from elsewhere, so the path in it is only a claim: `../x`, `.git/hooks/x` or a path through a linked
//! folder would lead out of the tests.

use std::path::{Component, Path, PathBuf};

/// The file that a report names, if it is an ordinary Java source in the project that no link leads to.
///
/// # Errors
/// In words, why it is not.
pub fn source_in(project: &Path, name: &str) -> Result<PathBuf, String> {
    let is_plain = |component: Component<'_>| matches!(component, Component::Normal(_));
    if !Path::new(name).components().all(is_plain) || name.contains('\\') {
        return Err(format!("{name} is no path in the project"));
    }
    if Path::new(name).extension().is_none_or(|ending| ending != "java") {
        return Err(format!("{name} is no Java source"));
    }
    let unreadable = |error: std::io::Error| format!("{name} cannot be read: {error}");
    let expected = project.canonicalize().map_err(unreadable)?.join(name);
    let file = expected.canonicalize().map_err(unreadable)?;
    if file != expected {
        return Err(format!("a link leads to {name}"));
    }
    if !file.is_file() {
        return Err(format!("{name} is no ordinary file"));
    }
    Ok(file)
}

/// Whether the file is below one of the source roots.
#[must_use]
pub fn is_below<'r>(file: &Path, roots: impl IntoIterator<Item = &'r PathBuf>) -> bool {
    roots.into_iter().any(|root| root.canonicalize().is_ok_and(|root| file.starts_with(root)))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn only_an_ordinary_java_source_in_the_project_is_a_destination() {
        let folder = tempfile::tempdir().unwrap();
        let project = folder.path().join("project");
        let tests = project.join("src/test/java");
        std::fs::create_dir_all(&tests).unwrap();
        std::fs::create_dir_all(project.join(".git/hooks")).unwrap();
        for file in [
            folder.path().join("x.java"),
            tests.join("ATest.java"),
            project.join("pom.xml"),
            project.join(".git/hooks/pre-commit"),
        ] {
            std::fs::write(file, "").unwrap();
        }
        std::os::unix::fs::symlink(folder.path(), tests.join("linked")).unwrap();
        std::os::unix::fs::symlink(folder.path().join("x.java"), tests.join("LinkTest.java")).unwrap();
        std::fs::create_dir(tests.join("Folder.java")).unwrap();
        let absolute = tests.join("ATest.java").display().to_string();
        let refused = [
            ("../x.java", "no path in the project"),
            ("src/test/java/../../../../x.java", "no path in the project"),
            (absolute.as_str(), "no path in the project"),
            ("src\\..\\x.java", "no path in the project"),
            ("pom.xml", "no Java source"),
            (".git/hooks/pre-commit", "no Java source"),
            ("", "no Java source"),
            ("src/test/java/linked/x.java", "a link leads to"),
            ("src/test/java/LinkTest.java", "a link leads to"),
            ("src/test/java/Folder.java", "no ordinary file"),
            ("src/test/java/Gone.java", "cannot be read"),
        ];
        for (name, why) in refused {
            let error = source_in(&project, name).unwrap_err();
            assert!(error.contains(why), "{name}: {error}");
        }
        let file = source_in(&project, "src/test/java/ATest.java").unwrap();
        assert!(is_below(&file, [&tests]) && !is_below(&file, [&project.join("src/main/java")]));
    }
}
