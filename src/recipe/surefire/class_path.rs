//! The class path that surefire gives to the tests.

use crate::recipe::handover::{Artifact, MavenProject, SurefireParameters};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

impl SurefireParameters {
    pub(crate) fn test_class_path(&self, module: &MavenProject) -> Vec<PathBuf> {
        let mut path = vec![self.test_classes_directory.clone(), self.classes_directory.clone()];
        path.extend(self.dependencies(module, false));
        path.extend(self.additional_files.iter().cloned());
        let additional = self.additional_classpath_elements.iter().flat_map(|elements| elements.split(','));
        path.extend(additional.map(str::trim).filter(|element| !element.is_empty()).map(|element| {
            let element = Path::new(element);
            if element.is_absolute() { element.to_path_buf() } else { module.base_directory.join(element) }
        }));
        let mut seen = BTreeSet::new();
        path.retain(|element| seen.insert(element.clone()));
        path
    }

    /// The dependencies that the tests are compiled with and run without.
    pub(crate) fn excluded_class_path(&self, module: &MavenProject) -> Vec<PathBuf> {
        self.dependencies(module, true).collect()
    }

    fn dependencies(&self, module: &MavenProject, excluded: bool) -> impl Iterator<Item = PathBuf> {
        let all = module.artifacts.iter().filter(|artifact| artifact.on_class_path);
        all.filter(move |artifact| {
            let is_excluded = self.classpath_dependency_excludes.iter().any(|pattern| artifact.matches(pattern))
                || self.classpath_dependency_scope_exclude.as_deref().is_some_and(|scope| artifact.is_in(scope));
            is_excluded == excluded
        })
        .filter_map(|artifact| artifact.file.clone())
    }

    /// Jars and folders of the dependencies whose test classes run too
    /// (`AbstractSurefireMojo.scanDependencies`).
    pub(crate) fn scanned_dependencies(&self, module: &MavenProject) -> Vec<PathBuf> {
        let scanned = module.artifacts.iter().filter(|artifact| {
            artifact.on_class_path && self.dependencies_to_scan.iter().any(|pattern| artifact.matches(pattern))
        });
        let files = scanned.filter_map(|artifact| artifact.file.clone());
        files.filter(|file| file.is_dir() || file.extension().is_some_and(|end| end == "jar")).collect()
    }
}

impl Artifact {
    /// Whether a pattern `groupId:artifactId[:type[:classifier]][:version]` with `*` matches. Parts
    /// that are missing at its end match anything.
    fn matches(&self, pattern: &str) -> bool {
        let mut tokens = vec![self.group_id.as_str(), &self.artifact_id, &self.kind];
        tokens.extend(self.classifier.as_deref().filter(|classifier| !classifier.is_empty()));
        tokens.push(&self.version);
        let patterns: Vec<&str> = pattern.trim().split(':').collect();
        let without_type = [tokens[0], tokens[1], self.version.as_str()];
        [tokens.as_slice(), without_type.as_slice()].iter().any(|tokens| {
            patterns.len() <= tokens.len()
                && patterns.iter().zip(tokens.iter()).all(|(pattern, token)| {
                    pattern.is_empty()
                        || globset::Glob::new(pattern).is_ok_and(|glob| glob.compile_matcher().is_match(token))
                })
        })
    }

    /// Whether the artifact is in a scope, as Maven's `ScopeArtifactFilter` sees it.
    fn is_in(&self, scope: &str) -> bool {
        let scopes: &[&str] = match scope {
            "compile" => &["compile", "provided", "system"],
            "runtime" => &["compile", "runtime"],
            "compile+runtime" => &["compile", "provided", "system", "runtime"],
            "runtime+system" => &["compile", "runtime", "system"],
            "test" => &["compile", "provided", "system", "runtime", "test"],
            _ => &[],
        };
        self.scope.as_deref().is_none_or(|scope| scopes.contains(&scope))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::super::testing::{module, surefire};
    use serde_json::{Value, json};

    fn artifact(group: &str, name: &str, scope: &str) -> Value {
        json!({"groupId": group, "artifactId": name, "type": "jar", "classifier": null, "version": "1.0", "scope": scope,
               "file": format!("/r/{name}.jar"), "onClassPath": true})
    }
    #[test]
    fn the_class_path_is_in_surefires_order_without_excluded_dependencies() {
        let module = module(json!({"artifacts": [
            artifact("org.a", "one", "compile"), artifact("org.b", "two", "test"), artifact("org.c", "three", "provided")]}));
        let path = |extra: Value| {
            let mut all =
                json!({"testClassesDirectory": "/p/target/test-classes", "classesDirectory": "/p/target/classes"});
            all.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
            let path = surefire(all).test_class_path(&module);
            path.iter().map(|file| file.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
        };
        let folders = "/p/target/test-classes /p/target/classes";
        assert_eq!(
            path(json!({"additionalClasspathElements": ["conf, /x.jar"]})),
            format!("{folders} /r/one.jar /r/two.jar /r/three.jar /p/conf /x.jar")
        );
        assert_eq!(
            path(json!({"classpathDependencyExcludes": ["org.a:*", "org.b:two:1.0"]})),
            format!("{folders} /r/three.jar")
        );
        assert_eq!(path(json!({"classpathDependencyScopeExclude": "compile"})), format!("{folders} /r/two.jar"));
        let without_one = surefire(json!({"testClassesDirectory": "/t", "classesDirectory": "/c",
                                          "classpathDependencyExcludes": ["org.a:*"]}));
        assert_eq!(without_one.excluded_class_path(&module), [std::path::Path::new("/r/one.jar")]);
    }
}
