//! From maven-surefire-plugin's parameters to class path, system properties and test filter, as surefire puts them together.

use super::arguments::first_fork;
use super::handover::{Artifact, MavenProject, trimmed};
use super::module_path::HandedModulePath;
use super::properties::parse_properties;
use super::{RunOrder, TestFilter};
use crate::base::error::{Error, Result};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Parameters of maven-surefire-plugin's `test`, by their documented names, and what the extension adds.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Surefire {
    pub(super) arg_line: Option<String>,
    pub(super) system_properties: BTreeMap<String, Option<String>>,
    pub(super) system_property_variables: BTreeMap<String, Option<String>>,
    pub(super) system_properties_file: Option<PathBuf>,
    pub(super) promote_user_properties_to_system_properties: Option<bool>,
    pub(super) environment_variables: BTreeMap<String, Option<String>>,
    pub(super) excluded_environment_variables: Vec<String>,
    pub(super) working_directory: Option<PathBuf>,
    pub(super) enable_assertions: Option<bool>,
    pub(super) includes: Vec<Option<String>>,
    pub(super) excludes: Vec<Option<String>>,
    pub(super) includes_file: Option<PathBuf>,
    pub(super) excludes_file: Option<PathBuf>,
    pub(super) test: Option<String>,
    pub(super) groups: Option<String>,
    pub(super) excluded_groups: Option<String>,
    pub(super) test_classes_directory: PathBuf,
    pub(super) classes_directory: PathBuf,
    pub(super) classpath_dependency_excludes: Vec<String>,
    pub(super) classpath_dependency_scope_exclude: Option<String>,
    pub(super) additional_classpath_elements: Vec<String>,
    pub(super) jvm: Option<String>,
    pub(super) properties: BTreeMap<String, Option<String>>,
    pub(super) dependencies_to_scan: Vec<String>,
    pub(super) run_order: Option<String>,
    pub(super) reuse_forks: Option<bool>,
    pub(super) fork_mode: Option<String>,
    pub(super) default_includes: Option<Vec<String>>,
    pub(super) toolchain_java: Option<PathBuf>,
    pub(super) additional_files: Vec<PathBuf>,
    /// What it would put on the module path of a JDK that knows modules.
    pub(super) module_path: Option<HandedModulePath>,
}

pub(super) fn given(values: &BTreeMap<String, Option<String>>) -> BTreeMap<String, String> {
    values.iter().map(|(name, value)| (name.clone(), first_fork(value.as_deref().unwrap_or_default()))).collect()
}

impl Surefire {
    pub(super) fn test_class_path(&self, module: &MavenProject) -> Vec<PathBuf> {
        let mut path = vec![self.test_classes_directory.clone(), self.classes_directory.clone()];
        let kept = module.artifacts.iter().filter(|artifact| {
            artifact.on_class_path
                && !self.classpath_dependency_excludes.iter().any(|pattern| artifact.matches(pattern))
                && !self.classpath_dependency_scope_exclude.as_deref().is_some_and(|scope| artifact.is_in(scope))
        });
        path.extend(kept.filter_map(|artifact| artifact.file.clone()));
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

    /// In surefire's order, a later one winning; then what surefire sets itself.
    pub(super) fn system_properties(
        &self,
        module: &MavenProject,
        working_directory: &Path,
        test_class_path: &[PathBuf],
    ) -> Result<BTreeMap<String, String>> {
        let mut properties = given(&self.system_properties);
        if let Some(file) = &self.system_properties_file {
            properties.extend(read_properties(file)?);
        }
        properties.extend(given(&self.system_property_variables));
        if self.promote_user_properties_to_system_properties.unwrap_or(true) {
            // Ours, not the user's.
            let users = module.user_properties.iter().filter(|(name, _)| *name != "maven.ext.class.path");
            properties.extend(users.map(|(name, value)| (name.clone(), value.clone())));
        }
        properties.insert("basedir".into(), module.base_directory.to_string_lossy().into());
        properties.insert("localRepository".into(), module.local_repository.clone());
        properties.insert("user.dir".into(), working_directory.to_string_lossy().into());
        let joined = std::env::join_paths(test_class_path).unwrap_or_default();
        properties.insert("surefire.test.class.path".into(), joined.to_string_lossy().into());
        Ok(properties)
    }

    pub(super) fn filter(&self) -> Result<TestFilter> {
        let lists =
            |patterns: &[Option<String>]| patterns.iter().flatten().filter_map(|pattern| trimmed(pattern)).collect();
        let groups = |parameter: &Option<String>, names: [&str; 2]| {
            let property = names.iter().find_map(|name| self.properties.get(*name).cloned().flatten());
            parameter.clone().or(property).as_deref().and_then(trimmed)
        };
        let mut filter = TestFilter {
            groups: groups(&self.groups, ["groups", "includeTags"]),
            excluded_groups: groups(&self.excluded_groups, ["excludedGroups", "excludeTags"]),
            ..TestFilter::default()
        };
        if let Some(test) = self.test.as_deref().and_then(trimmed) {
            // The excludes of the POM do not hold for tests that are named.
            filter.includes = test.split(',').filter_map(trimmed).collect();
            return Ok(filter);
        }
        filter.includes = lists(&self.includes);
        filter.excludes = lists(&self.excludes);
        for (file, patterns) in
            [(&self.includes_file, &mut filter.includes), (&self.excludes_file, &mut filter.excludes)]
        {
            if let Some(file) = file {
                let lines = read(file)?;
                patterns.extend(lines.lines().filter(|line| !line.trim_start().starts_with('#')).filter_map(trimmed));
            }
        }
        if filter.includes.is_empty() {
            filter.includes = self.default_includes.clone().unwrap_or_else(|| TestFilter::of_surefire().includes);
        }
        if filter.excludes.is_empty() {
            filter.excludes = TestFilter::of_surefire().excludes;
        }
        Ok(filter)
    }

    /// `configurationParameters` is a text in the format of Java's properties files.
    pub(super) fn engine_parameters(&self) -> BTreeMap<String, String> {
        let text = self.properties.get("configurationParameters").and_then(Option::as_deref).unwrap_or_default();
        parse_properties(text)
    }

    /// The first of several counts (`DefaultRunOrderCalculator`).
    fn run_order_name(&self) -> String {
        let names = self.run_order.as_deref().unwrap_or_default().to_ascii_lowercase();
        names.split(',').find_map(trimmed).unwrap_or_else(|| "filesystem".into())
    }

    pub(super) fn run_order(&self) -> RunOrder {
        match self.run_order_name().as_str() {
            "filesystem" => RunOrder::Filesystem,
            "reversealphabetical" => RunOrder::ReverseAlphabetical,
            _ => RunOrder::Alphabetical,
        }
    }

    /// Files and folders of the dependencies whose test classes run too (`AbstractSurefireMojo.scanDependencies`).
    pub(super) fn scanned_dependencies(&self, module: &MavenProject) -> Vec<PathBuf> {
        let scanned = module.artifacts.iter().filter(|artifact| {
            artifact.on_class_path && self.dependencies_to_scan.iter().any(|pattern| artifact.matches(pattern))
        });
        let files = scanned.filter_map(|artifact| artifact.file.clone());
        files.filter(|file| file.is_dir() || file.extension().is_some_and(|end| end == "jar")).collect()
    }

    pub(super) fn deviations(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.reuse_forks == Some(false) || matches!(self.fork_mode.as_deref(), Some("always" | "pertest")) {
            notes.push("Surefire starts a JVM for each test class; reneri runs them in one.".to_string());
        }
        let order = self.run_order_name();
        if !["filesystem", "alphabetical", "reversealphabetical"].contains(&order.as_str()) {
            notes.push(format!(
                "Surefire's order of test classes is `{order}`; reneri runs them in alphabetical order."
            ));
        }
        notes
    }
}

impl Artifact {
    /// `groupId:artifactId[:type[:classifier]][:version]` with `*`; what a pattern leaves out at its end may be anything.
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

    /// Maven's `ScopeArtifactFilter`.
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

fn read(file: &Path) -> Result<String> {
    std::fs::read_to_string(file).map_err(|error| {
        Error::cannot_build(
            format!("{}, which surefire's configuration names, cannot be read: {error}.", file.display()),
            "Check the configuration of maven-surefire-plugin.",
        )
    })
}

fn read_properties(file: &Path) -> Result<BTreeMap<String, String>> {
    read(file).map(|text| parse_properties(&text))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn surefire(value: Value) -> Surefire {
        serde_json::from_value(value).unwrap()
    }

    fn module(value: Value) -> MavenProject {
        let mut all = json!({
            "name": "Stack", "artifactId": "stack", "baseDirectory": "/p", "buildDirectory": "/p/target",
            "outputDirectory": "/p/target/classes", "testOutputDirectory": "/p/target/test-classes", "sourceRoots": [],
            "testSourceRoots": [], "properties": {}, "userProperties": {}, "localRepository": "/r", "javaHome": "/jdk",
            "artifacts": [],
        });
        for (name, value) in value.as_object().unwrap() {
            all[name] = value.clone();
        }
        serde_json::from_value(all).unwrap()
    }

    fn artifact(group: &str, name: &str, scope: &str) -> Value {
        json!({"groupId": group, "artifactId": name, "type": "jar", "classifier": null, "version": "1.0", "scope": scope,
               "file": format!("/r/{name}.jar"), "onClassPath": true})
    }

    #[test]
    fn surefires_own_defaults_hold_where_nothing_is_configured() {
        let filter = surefire(json!({"defaultIncludes": ["**/Test*.java", "**/*Test.java"]})).filter().unwrap();
        assert_eq!(filter.includes, ["**/Test*.java", "**/*Test.java"]);
        assert_eq!(filter.excludes, ["**/*$*"]);
        let filter = surefire(json!({})).filter().unwrap();
        assert_eq!(filter.includes, ["**/Test*.java", "**/*Test.java", "**/*Tests.java", "**/*TestCase.java"]);
    }

    #[test]
    fn configured_patterns_replace_the_defaults_each_for_itself() {
        let filter = surefire(json!({"excludes": [" **/Slow*.java ", null, ""]})).filter().unwrap();
        assert_eq!(filter.excludes, ["**/Slow*.java"]);
        assert_eq!(filter.includes.len(), 4);
        let filter = surefire(json!({"includes": ["**/*Spec.java"]})).filter().unwrap();
        assert_eq!((filter.includes, filter.excludes), (vec!["**/*Spec.java".into()], vec!["**/*$*".into()]));
    }

    #[test]
    fn patterns_are_read_from_files_too() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("excludes");
        std::fs::write(&file, "# slow\n**/Slow*.java\n\n").unwrap();
        assert_eq!(surefire(json!({"excludesFile": file})).filter().unwrap().excludes, ["**/Slow*.java"]);
        let error = surefire(json!({"includesFile": folder.path().join("none")})).filter().unwrap_err();
        assert!(error.what.contains("none"), "{error}");
    }

    #[test]
    fn tests_named_on_the_command_line_replace_includes_and_excludes() {
        let filter =
            surefire(json!({"test": "StackTest, Queue*", "excludes": ["**/StackTest.java"]})).filter().unwrap();
        assert_eq!(filter.includes, ["StackTest", "Queue*"]);
        assert!(filter.excludes.is_empty());
        assert_eq!(surefire(json!({"test": "StackTest#pops"})).filter().unwrap().includes, ["StackTest#pops"]);
    }

    #[test]
    fn groups_come_from_parameters_or_from_the_providers_properties() {
        let filter = surefire(json!({"groups": "fast", "properties": {"excludeTags": "slow"}})).filter().unwrap();
        assert_eq!((filter.groups.as_deref(), filter.excluded_groups.as_deref()), (Some("fast"), Some("slow")));
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
    }

    #[test]
    fn system_properties_override_each_other_in_surefires_order() {
        let module = module(json!({"userProperties": {"c": "user", "maven.ext.class.path": "/ours"}}));
        let surefire = surefire(json!({
            "systemProperties": {"a": "old", "b": "old", "fork": "${surefire.forkNumber}"},
            "systemPropertyVariables": {"b": "new", "c": "new", "empty": null}}));
        let properties =
            surefire.system_properties(&module, Path::new("/p/work"), &["/p/c".into(), "/p/t".into()]).unwrap();
        let expected = [
            ("a", "old"),
            ("b", "new"),
            ("basedir", "/p"),
            ("c", "user"),
            ("empty", ""),
            ("fork", "1"),
            ("localRepository", "/r"),
            ("surefire.test.class.path", "/p/c:/p/t"),
            ("user.dir", "/p/work"),
        ];
        assert_eq!(properties, expected.map(|(name, value)| (name.to_string(), value.to_string())).into());
    }

    #[test]
    fn an_order_that_is_another_one_each_time_becomes_the_alphabetical_one_with_a_note() {
        let order = |name: &str| {
            let surefire = surefire(json!({"runOrder": name}));
            (surefire.run_order(), surefire.deviations().len())
        };
        assert_eq!(order("filesystem"), (RunOrder::Filesystem, 0));
        assert_eq!(order("Alphabetical"), (RunOrder::Alphabetical, 0));
        assert_eq!(order("reversealphabetical,random"), (RunOrder::ReverseAlphabetical, 0));
        for name in ["random", "hourly", "failedfirst,alphabetical", "balanced"] {
            assert_eq!(order(name), (RunOrder::Alphabetical, 1), "{name}");
        }
        assert_eq!(surefire(json!({})).run_order(), RunOrder::Filesystem);
    }

    #[test]
    fn engine_parameters_are_lines_of_properties() {
        let surefire = surefire(json!({"properties": {"configurationParameters": "\n junit.jupiter.x = a\n y=b"}}));
        let expected = [("junit.jupiter.x", "a"), ("y", "b")];
        assert_eq!(
            surefire.engine_parameters(),
            expected.map(|(name, value)| (name.to_string(), value.to_string())).into()
        );
    }
}
