//! From the file that the Maven extension writes to a recipe.

use super::arguments::{first_fork, for_embedded_jvm, resolve_late, split};
use super::jdk;
use super::properties::parse_properties;
use super::{CompilerSettings, Engine, Recipe, TestFilter};
use crate::error::{Error, Result};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// What `Handover.java` writes. Parts are missing where Maven did not come so far.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Handover {
    pub problem: Option<Problem>,
    /// Folders of the modules that have code, where there are several.
    pub modules: Vec<PathBuf>,
    /// Id of an execution of surefire that the POM or the command line skips.
    pub skipped_execution: Option<String>,
    pub notes: Vec<String>,
    pub project: Option<Module>,
    pub test_compile: Option<TestCompile>,
    pub engine: Option<EngineChoice>,
    /// Written last.
    pub surefire: Option<Surefire>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Problem {
    pub kind: String,
    pub text: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Module {
    name: Option<String>,
    artifact_id: String,
    base_directory: PathBuf,
    build_directory: PathBuf,
    source_roots: Vec<PathBuf>,
    test_source_roots: Vec<PathBuf>,
    properties: BTreeMap<String, String>,
    user_properties: BTreeMap<String, String>,
    local_repository: String,
    java_home: PathBuf,
    artifacts: Vec<Artifact>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Artifact {
    group_id: String,
    artifact_id: String,
    #[serde(rename = "type")]
    kind: String,
    classifier: Option<String>,
    version: String,
    scope: Option<String>,
    file: Option<PathBuf>,
    on_class_path: bool,
}

#[derive(Debug, Deserialize)]
pub(super) struct EngineChoice {
    kind: Engine,
    files: Vec<PathBuf>,
}

/// Parameters of maven-compiler-plugin's `testCompile`, by their documented names.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct TestCompile {
    pub skip: bool,
    encoding: Option<String>,
    source: Option<String>,
    target: Option<String>,
    release: Option<String>,
    test_source: Option<String>,
    test_target: Option<String>,
    test_release: Option<String>,
    parameters: bool,
    proc: Option<String>,
    enable_preview: bool,
    compiler_args: Vec<Option<String>>,
    compiler_argument: Option<String>,
    compiler_arguments: BTreeMap<String, Option<String>>,
    test_compiler_argument: Option<String>,
    test_compiler_arguments: BTreeMap<String, Option<String>>,
    annotation_processors: Vec<String>,
    test_includes: Vec<String>,
    test_excludes: Vec<String>,
    generated_test_sources_directory: Option<PathBuf>,
    processor_path: Vec<PathBuf>,
}

/// Parameters of maven-surefire-plugin's `test`, by their documented names, and what the extension adds.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Surefire {
    arg_line: Option<String>,
    system_properties: BTreeMap<String, Option<String>>,
    system_property_variables: BTreeMap<String, Option<String>>,
    system_properties_file: Option<PathBuf>,
    promote_user_properties_to_system_properties: Option<bool>,
    environment_variables: BTreeMap<String, Option<String>>,
    excluded_environment_variables: Vec<String>,
    working_directory: Option<PathBuf>,
    enable_assertions: Option<bool>,
    includes: Vec<Option<String>>,
    excludes: Vec<Option<String>>,
    includes_file: Option<PathBuf>,
    excludes_file: Option<PathBuf>,
    test: Option<String>,
    groups: Option<String>,
    excluded_groups: Option<String>,
    test_classes_directory: PathBuf,
    classes_directory: PathBuf,
    classpath_dependency_excludes: Vec<String>,
    classpath_dependency_scope_exclude: Option<String>,
    additional_classpath_elements: Vec<String>,
    jvm: Option<String>,
    properties: BTreeMap<String, Option<String>>,
    dependencies_to_scan: Vec<String>,
    reuse_forks: Option<bool>,
    fork_mode: Option<String>,
    suite_xml_files: Vec<PathBuf>,
    default_includes: Option<Vec<String>>,
    toolchain_java: Option<PathBuf>,
    additional_files: Vec<PathBuf>,
}

/// Builds the recipe. Nothing of it is checked against the file system but the JDK.
pub(super) fn recipe(
    module: Module,
    test_compile: TestCompile,
    engine: EngineChoice,
    surefire: Surefire,
    mut notes: Vec<String>,
) -> Result<Recipe> {
    let java_home = java_home(&module, &surefire)?;
    let line = first_fork(&resolve_late(surefire.arg_line.as_deref().unwrap_or_default(), &module.properties));
    let jvm = for_embedded_jvm(split(&line)?)?;
    notes.extend(jvm.notes);
    notes.extend(surefire.deviations());
    let working_directory = surefire
        .working_directory
        .as_deref()
        .map_or_else(|| module.base_directory.clone(), |folder| PathBuf::from(first_fork(&folder.to_string_lossy())));
    let working_directory =
        if working_directory.is_absolute() { working_directory } else { module.base_directory.join(working_directory) };
    let test_class_path = surefire.test_class_path(&module);
    let existing = |folders: &[PathBuf], generated: Option<&PathBuf>| -> Vec<PathBuf> {
        folders.iter().filter(|folder| Some(*folder) != generated && folder.is_dir()).cloned().collect()
    };
    Ok(Recipe {
        project: module.name.clone().unwrap_or_else(|| module.artifact_id.clone()),
        module: module.artifact_id.clone(),
        java_release: jdk::feature_release(&java_home)?,
        java_home,
        classes: surefire.classes_directory.clone(),
        test_classes: surefire.test_classes_directory.clone(),
        source_roots: existing(&module.source_roots, None),
        // What annotation processors generated is generated again when the tests are compiled again.
        test_source_roots: existing(&module.test_source_roots, test_compile.generated_test_sources_directory.as_ref()),
        system_properties: surefire.system_properties(&module, &working_directory, &test_class_path)?,
        test_class_path,
        engine: engine.kind,
        engine_class_path: engine.files,
        engine_parameters: surefire.engine_parameters(),
        jvm_arguments: jvm.arguments,
        environment: given(&surefire.environment_variables),
        environment_removed: surefire.excluded_environment_variables.clone(),
        working_directory,
        enable_assertions: surefire.enable_assertions.unwrap_or(true),
        filter: surefire.filter()?,
        compiler: test_compile.settings(),
        base_directory: module.base_directory,
        build_directory: module.build_directory,
        notes,
    })
}

/// The JDK of surefire's `jvm` or toolchain, else Maven's own.
fn java_home(module: &Module, surefire: &Surefire) -> Result<PathBuf> {
    let program = surefire.jvm.as_ref().map(PathBuf::from).filter(|jvm| jvm.is_absolute());
    let home = program
        .or_else(|| surefire.toolchain_java.clone())
        .and_then(|program| Some(program.parent()?.parent()?.to_path_buf()))
        .unwrap_or_else(|| module.java_home.clone());
    jdk::at(&home)
}

fn given(values: &BTreeMap<String, Option<String>>) -> BTreeMap<String, String> {
    values.iter().map(|(name, value)| (name.clone(), first_fork(value.as_deref().unwrap_or_default()))).collect()
}

impl Surefire {
    fn test_class_path(&self, module: &Module) -> Vec<PathBuf> {
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
    fn system_properties(
        &self,
        module: &Module,
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

    fn filter(&self) -> Result<TestFilter> {
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
            if test.contains('#') {
                return Err(Error::usage(
                    format!("-Dtest={test} chooses single methods."),
                    "reneri takes whole test classes: leave out the part from `#` on.",
                ));
            }
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
            let all = ["**/Test*.java", "**/*Test.java", "**/*Tests.java", "**/*TestCase.java"];
            filter.includes =
                self.default_includes.clone().unwrap_or_else(|| all.iter().map(ToString::to_string).collect());
        }
        if filter.excludes.is_empty() {
            filter.excludes = vec!["**/*$*".into()];
        }
        Ok(filter)
    }

    /// `configurationParameters` is a text in the format of Java's properties files.
    fn engine_parameters(&self) -> BTreeMap<String, String> {
        let text = self.properties.get("configurationParameters").and_then(Option::as_deref).unwrap_or_default();
        parse_properties(text)
    }

    fn deviations(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.reuse_forks == Some(false) || matches!(self.fork_mode.as_deref(), Some("always" | "pertest")) {
            notes.push("Surefire starts a JVM for each test class; reneri runs them in one.".to_string());
        }
        if !self.dependencies_to_scan.is_empty() {
            let names = self.dependencies_to_scan.join("`, `");
            notes.push(format!("Test classes in dependencies (`{names}`) are not run."));
        }
        if !self.suite_xml_files.is_empty() {
            notes.push("TestNG suite files are not read.".to_string());
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

impl TestCompile {
    fn settings(self) -> CompilerSettings {
        let mut arguments: Vec<String> = Vec::new();
        let both = if self.test_compiler_arguments.is_empty() {
            self.compiler_arguments
        } else {
            self.test_compiler_arguments
        };
        for (name, value) in both {
            arguments.push(if name.starts_with('-') { name } else { format!("-{name}") });
            arguments.extend(value.as_deref().and_then(trimmed));
        }
        arguments.extend(self.compiler_args.into_iter().flatten().filter(|argument| !argument.is_empty()));
        arguments.extend(self.test_compiler_argument.or(self.compiler_argument).as_deref().and_then(trimmed));
        arguments.retain(|argument| !only_makes_stricter(argument));
        if self.enable_preview && !arguments.iter().any(|argument| argument == "--enable-preview") {
            arguments.push("--enable-preview".into());
        }
        arguments.extend(self.proc.as_deref().and_then(trimmed).map(|proc| format!("-proc:{proc}")));
        if !self.annotation_processors.is_empty() {
            arguments.extend(["-processor".into(), self.annotation_processors.join(",")]);
        }
        if !self.processor_path.is_empty() {
            let path = std::env::join_paths(&self.processor_path).unwrap_or_default();
            arguments.extend(["-processorpath".into(), path.to_string_lossy().into()]);
        }
        CompilerSettings {
            encoding: self.encoding,
            release: self.test_release.or(self.release).as_deref().and_then(trimmed),
            source: self.test_source.or(self.source),
            target: self.test_target.or(self.target),
            parameters: self.parameters,
            arguments,
            includes: self.test_includes,
            excludes: self.test_excludes,
        }
    }
}

/// Instrumented tests are compiled to be run, not to be judged.
fn only_makes_stricter(argument: &str) -> bool {
    argument == "-Werror"
        || ["-Xplugin:ErrorProne", "-Xep", "-XDcompilePolicy"].iter().any(|start| argument.starts_with(start))
}

fn trimmed(text: &str) -> Option<String> {
    Some(text.trim()).filter(|text| !text.is_empty()).map(str::to_string)
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

/// Reads the file; `None` where the extension never wrote one.
pub(super) fn read_handover(file: &Path) -> Result<Option<Handover>> {
    match std::fs::read(file) {
        Ok(bytes) => parse(&bytes).map(Some),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::bug(format!("What the Maven extension wrote cannot be read: {error}."))),
    }
}

fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T> {
    serde_json::from_slice(bytes).map_err(|error| {
        Error::bug(format!("What the Maven extension wrote is not what reneri expects: {error}."))
            .with_details(String::from_utf8_lossy(bytes))
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn surefire(value: Value) -> Surefire {
        serde_json::from_value(value).unwrap()
    }

    fn module(value: Value) -> Module {
        let mut all = json!({
            "name": "Stack", "artifactId": "stack", "baseDirectory": "/p", "buildDirectory": "/p/target", "sourceRoots": [],
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
        assert!(surefire(json!({"test": "StackTest#pops"})).filter().unwrap_err().next.contains('#'));
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
    fn compiler_settings_of_tests_come_before_those_of_the_code() {
        let compile: TestCompile = serde_json::from_value(json!({
            "source": "8", "testSource": "11", "target": "8", "compilerArgs": ["-Werror", "-Xlint:all", null],
            "compilerArguments": {"Akey": "value"}, "proc": "none", "enablePreview": true, "parameters": true}))
        .unwrap();
        let settings = compile.settings();
        assert_eq!((settings.source.as_deref(), settings.target.as_deref()), (Some("11"), Some("8")));
        assert_eq!(settings.arguments, ["-Akey", "value", "-Xlint:all", "--enable-preview", "-proc:none"]);
        assert!(settings.parameters);
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
