//! Compiles edited Java sources without Maven, which takes one second instead of several.
//!
//! This is done only if Maven would make the same class files. No plugin of the build but the
//! compiler may depend on sources; that is known from `rules/recipe/plain-plugins.toml` and from
//! what the Maven extension saw the plugins write. No annotation processor may take part. And no
//! other source may see a changed declaration; for that, the new class files are compared with the
//! old ones. In doubt, Maven is asked.

use super::refusal::{ClassFiles, Refusal, Run, ask_maven, is_java};
use super::source_set::{Scope, SourceSet};
use crate::base::error::Error;
use crate::base::fingerprint::all_in;
use crate::recipe::handover::{HandedModule, Handover, Mojo};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::{Path, PathBuf};

const PLAIN: &str = include_str!("../../../rules/recipe/plain-plugins.toml");
/// With more edited sources than this, Maven is about as fast.
const MOST: usize = 200;

/// Compiles edited sources. `run` runs the compiler.
///
/// # Errors
/// A reason to ask Maven; or if `run` fails, or a rule is broken.
pub(crate) fn compile(handover: &Handover, edited: &BTreeSet<PathBuf>, run: Run<'_>) -> Result<ClassFiles, Refusal> {
    let plain = plain_goals()?;
    for module in &handover.modules {
        check_plain(module, &plain)?;
    }
    if edited.len() > MOST {
        return ask_maven(format!("{} sources have changed", edited.len()));
    }
    let mut files_of_set: BTreeMap<(usize, Scope), Vec<&Path>> = BTreeMap::new();
    for file in edited {
        let Some(set) = source_set_of(handover, file) else {
            return ask_maven(format!("{} is of more than one class, or of more than one module", file.display()));
        };
        files_of_set.entry(set).or_default().push(file);
    }
    let mut classes = ClassFiles::new();
    for ((module, scope), files) in files_of_set {
        let set = handover.modules.get(module).and_then(|module| SourceSet::of(module, scope));
        let Some(set) = set else { return ask_maven("it is not known how Maven compiles") };
        classes.extend(set.compile(&files, handover, run)?);
    }
    Ok(classes)
}

/// Writes class files as a compiler does, but each file completely or not at all.
pub(crate) fn write(classes: &ClassFiles) -> std::io::Result<()> {
    for (file, bytes) in classes {
        let mut builder = tempfile::Builder::new();
        if let Ok(metadata) = std::fs::metadata(file) {
            builder.permissions(metadata.permissions());
        }
        let folder = file.parent().unwrap_or(Path::new("."));
        let mut scratch = builder.prefix(".reneri-").tempfile_in(folder)?;
        scratch.write_all(bytes)?;
        scratch.persist(file)?;
    }
    Ok(())
}

/// The goals that do not depend on sources: `artifact:goal`, and whether it has to run before the
/// compiler.
fn plain_goals() -> Result<BTreeMap<String, bool>, Error> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Plugin {
        artifact: String,
        goals: Vec<String>,
        #[serde(default)]
        before_compiler: bool,
        #[serde(rename = "why")]
        _why: String,
    }
    let file: BTreeMap<String, Vec<Plugin>> = toml::from_str(PLAIN)
        .map_err(|error| Error::bug(format!("rules/recipe/plain-plugins.toml is broken: {error}")))?;
    let mut plain = BTreeMap::new();
    for Plugin { artifact, goals, before_compiler, .. } in file.into_values().flatten() {
        plain.extend(goals.into_iter().map(|goal| (format!("{artifact}:{goal}"), before_compiler)));
    }
    Ok(plain)
}

/// Refuses a module in which a plugin other than the compiler may depend on sources.
fn check_plain(module: &HandedModule, plain: &BTreeMap<String, bool>) -> Result<(), Refusal> {
    let mut compiled = false;
    for Mojo { artifact, goal, writes } in &module.mojos {
        let name = format!("{artifact}:{goal}");
        compiled |= artifact == "maven-compiler-plugin";
        match plain.get(&name) {
            _ if *writes => return ask_maven(format!("{name} writes into the folders of sources or of classes")),
            Some(before_compiler) if !(*before_compiler && compiled) => {}
            _ => return ask_maven(format!("{name} may depend on the sources")),
        }
    }
    let Some(project) = &module.project else { return Ok(()) };
    let roots = project.source_roots.iter().chain(&project.test_source_roots);
    let mut generated = roots.filter(|root| root.starts_with(&project.build_directory));
    match generated.find(|root| all_in(root, |_| true).keys().any(|file| is_java(file))) {
        Some(root) => ask_maven(format!("the build writes sources into {}", root.display())),
        None => Ok(()),
    }
}

/// The module of a source, and whether the source is one of the code or of the tests; `None` if
/// that is not clear.
fn source_set_of(handover: &Handover, file: &Path) -> Option<(usize, Scope)> {
    if file.file_stem().is_some_and(|name| name == "module-info" || name == "package-info") {
        return None;
    }
    let mut found = None;
    for (number, module) in handover.modules.iter().enumerate() {
        let Some(project) = &module.project else { continue };
        for scope in [Scope::Main, Scope::Tests] {
            for _ in scope.source_roots(project).iter().filter(|root| file.starts_with(root)) {
                if found.is_some() {
                    return None;
                }
                found = Some((number, scope));
            }
        }
    }
    found
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    /// The reason why Maven is asked about one edited source of this module, if there is a reason
    /// before the source is compiled.
    fn refusal_for(module: &Value) -> Option<String> {
        let project = json!({
            "artifactId": "m", "baseDirectory": "/p", "buildDirectory": "/p/target", "outputDirectory": "/p/target/classes",
            "testOutputDirectory": "/p/target/test-classes", "sourceRoots": ["/p/src"], "testSourceRoots": ["/p/test"],
            "properties": {}, "userProperties": {}, "localRepository": "/r", "javaHome": "/no-jdk", "artifacts": []});
        let mut module = module.clone();
        module["project"] = project;
        let handover: Handover = serde_json::from_value(json!({"modules": [module]})).unwrap();
        let compiled = compile(&handover, &BTreeSet::from(["/p/src/A.java".into()]), &mut |_| Ok(false));
        match compiled {
            Err(Refusal::AskMaven(reason)) => Some(reason).filter(|reason| !reason.contains("its JDK is gone")),
            compiled => panic!("{compiled:?}"),
        }
    }

    fn mojo(name: &str, writes: bool) -> Value {
        let (artifact, goal) = name.split_once(':').unwrap();
        json!({"artifact": artifact, "goal": goal, "writes": writes})
    }

    #[test]
    fn a_plugin_that_may_read_sources_is_left_to_maven() {
        let compilation = json!({"goal": "compile", "classPath": ["/p/target/classes"]});
        let with = |mojos: &[Value]| refusal_for(&json!({"mojos": mojos, "compilations": [compilation]}));
        let compiler = mojo("maven-compiler-plugin:compile", false);
        let ant = mojo("maven-antrun-plugin:run", false);
        assert_eq!(with(&[ant.clone(), compiler.clone()]), None);
        assert!(with(&[compiler.clone(), ant]).unwrap().contains("antrun-plugin:run may"));
        let writes = with(&[mojo("build-helper-maven-plugin:add-source", true), compiler.clone()]);
        assert!(writes.unwrap().contains("add-source writes into"));
        assert!(with(&[mojo("aspectj-maven-plugin:compile", false), compiler]).unwrap().contains("aspectj"));
    }

    #[test]
    fn anything_but_a_plain_javac_is_left_to_maven() {
        let with = |name: &str, value: Value| {
            let mut compilation = json!({"goal": "compile", "classPath": ["/p/target/classes"]});
            compilation[name] = value;
            refusal_for(&json!({"compilations": [compilation]}))
        };
        assert_eq!(with("compilerId", json!("javac")), None);
        assert!(with("compilerId", json!("eclipse")).unwrap().contains("another compiler"));
        assert!(with("executable", json!("/other/javac")).unwrap().contains("another JDK"));
        assert!(with("modulePath", json!(["/a.jar"])).unwrap().contains("module path"));
        assert!(with("hasProcessorPath", json!(true)).unwrap().contains("annotation processors"));
        assert!(with("classPath", json!([])).unwrap().contains("class path"));
        assert!(with("goal", json!("other")).unwrap().contains("not known how"));
        let twice = json!({"goal": "compile", "classPath": ["/p/target/classes"]});
        assert!(refusal_for(&json!({"compilations": [twice, twice]})).unwrap().contains("not known how"));
    }

    #[test]
    fn a_processor_on_the_class_path_is_left_to_maven_unless_processing_is_off() {
        let folder = tempfile::tempdir().unwrap();
        let services = folder.path().join("META-INF/services");
        std::fs::create_dir_all(&services).unwrap();
        std::fs::write(services.join("javax.annotation.processing.Processor"), "org.example.Processor").unwrap();
        let with = |proc: Value| {
            let compilation = json!({"goal": "compile", "classPath": [folder.path()], "settings": {"proc": proc}});
            refusal_for(&json!({"compilations": [compilation]}))
        };
        assert!(with(Value::Null).unwrap().contains("has an annotation processor"));
        assert_eq!(with(json!("none")), None);
    }
}
