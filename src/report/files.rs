//! Finds the source files that a report names: their text, and their paths in the repository.

use super::model::Report;
use crate::code::Sources;
use crate::text::encoding::Decoded;
use crate::text::words;
use std::collections::BTreeMap;
use std::path::{Component, Path};

pub(super) struct Files<'a> {
    sources: &'a Sources,
    /// Top-level class → its source; `None` if several modules have a class of that name.
    classes: BTreeMap<&'a str, Option<&'a str>>,
    /// Path from the repository to the project: empty, or ending in `/`.
    prefix: String,
}

impl<'a> Files<'a> {
    pub fn new(report: &'a Report, sources: &'a Sources) -> Self {
        let mut classes = BTreeMap::new();
        for entry in &report.transformations {
            let file = entry.file.as_deref();
            let known = classes.entry(words::top_level(&entry.class)).or_insert(file);
            if *known != file {
                *known = None;
            }
        }
        Self { sources, classes, prefix: repository_prefix(&sources.base_directory) }
    }

    /// The source of a class or test class, relative to the project.
    pub fn of_class(&self, class: &str) -> Option<String> {
        match self.classes.get(words::top_level(class)) {
            Some(file) => file.map(str::to_owned),
            None => self.sources.relative(&self.sources.test_file_of(class)?),
        }
    }

    pub fn text(&self, file: &str) -> Option<String> {
        Some(self.source(file)?.text)
    }

    /// A source in the project. The reports that are merged may come from elsewhere, so a path that leads out of the project
    /// has none.
    pub fn source(&self, file: &str) -> Option<Decoded> {
        if !Path::new(file).components().all(|component| matches!(component, Component::Normal(_))) {
            return None;
        }
        self.sources.read(&self.sources.base_directory.join(file))
    }

    /// The path of a file in the repository, as the service that hosts it knows it. `file` is
    /// relative to the project.
    pub fn in_repository(&self, file: &str) -> String {
        format!("{}{file}", self.prefix)
    }
}

/// The path from the nearest Git working tree to `folder`. Without one, the project counts as the
/// repository.
fn repository_prefix(folder: &Path) -> String {
    let repository = folder.ancestors().find(|ancestor| ancestor.join(".git").exists());
    let inside = repository.and_then(|repository| folder.strip_prefix(repository).ok()).unwrap_or(Path::new(""));
    inside.components().map(|component| format!("{}/", component.as_os_str().to_string_lossy())).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::report::tests::versioned_set::VersionedSet;

    #[test]
    fn a_class_with_transformations_and_a_test_class_are_found() {
        let project = VersionedSet::new();
        let report = project.report();
        let files = Files::new(&report, &project.sources);
        let main = "src/main/java/org/example/VersionedSet.java";
        assert_eq!(files.of_class("org.example.VersionedSet$Node").as_deref(), Some(main));
        assert_eq!(
            files.of_class("org.example.VersionedSetTest").as_deref(),
            Some("src/test/java/org/example/VersionedSetTest.java")
        );
        assert_eq!(files.of_class("java.util.ArrayList"), None);
        assert!(files.text(main).unwrap().contains("class VersionedSet"));
    }

    #[test]
    fn a_path_that_leads_out_of_the_project_has_no_text() {
        let project = VersionedSet::new();
        let report = project.report();
        let base = &project.sources.base_directory;
        std::fs::write(base.join("a.txt"), "a").unwrap();
        let files = Files::new(&report, &project.sources);
        let name = base.file_name().unwrap().to_string_lossy();
        assert_eq!(files.text("a.txt").as_deref(), Some("a"));
        assert_eq!(files.text(&format!("../{name}/a.txt")), None);
        assert_eq!(files.text(&base.join("a.txt").display().to_string()), None);
    }

    #[test]
    fn a_class_name_that_two_modules_share_has_no_file() {
        let project = VersionedSet::new();
        let mut report = project.report();
        report.transformations[1].file = Some("other/VersionedSet.java".into());
        assert_eq!(Files::new(&report, &project.sources).of_class("org.example.VersionedSet"), None);
    }

    #[test]
    fn paths_begin_at_the_repository_above_the_project() {
        let folder = tempfile::tempdir().unwrap();
        let project = folder.path().join("java/core");
        std::fs::create_dir_all(&project).unwrap();
        assert_eq!(repository_prefix(&project), "");
        std::fs::create_dir(folder.path().join(".git")).unwrap();
        assert_eq!(repository_prefix(&project), "java/core/");
        assert_eq!(repository_prefix(folder.path()), "");
    }
}
