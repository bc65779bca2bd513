//! The Maven extension that hands over how surefire would run the tests, compiled from the sources
//! in this binary.

use super::installation::Installation;
use crate::base::embedded_java;
use crate::base::error::{Error, Result};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

macro_rules! source {
    ($name:literal) => {
        (
            concat!("reneri/maven/", $name),
            include_str!(concat!("../../../java/maven-extension/src/main/java/reneri/maven/", $name)),
        )
    };
}

const SOURCES: [embedded_java::Source; 13] = [
    source!("CompilerLevel.java"),
    source!("Handover.java"),
    source!("ModulePath.java"),
    source!("Mojos.java"),
    source!("Parameters.java"),
    source!("Plan.java"),
    source!("Reactor.java"),
    source!("Required.java"),
    source!("Resolver.java"),
    source!("TestEngine.java"),
    source!("Rewritten.java"),
    source!("Unwrapped.java"),
    source!("Watch.java"),
];
const RESOURCES: [embedded_java::Source; 1] = [(
    "META-INF/plexus/components.xml",
    include_str!("../../../java/maven-extension/src/main/resources/META-INF/plexus/components.xml"),
)];
const LEFT_OUT: &str = include_str!("../../../rules/recipe/plugins-left-out.toml");

/// Compiles the extension against Maven's own jars, unless this machine has it already. Returns its
/// folder.
pub(super) fn compile(jdk: &Path, maven: &Installation) -> Result<PathBuf> {
    embedded_java::compile_cached(jdk, "maven-extension", &SOURCES, &RESOURCES, &maven.jars()?)
}

/// `artifactId` or `artifactId:goal`, separated by commas, as `Reactor.java` reads them.
pub(super) fn left_out_plugins() -> Result<String> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Plugin {
        artifact: String,
        #[serde(default)]
        goals: Vec<String>,
        #[serde(rename = "why")]
        _why: String,
    }
    let file: BTreeMap<String, Vec<Plugin>> = toml::from_str(LEFT_OUT)
        .map_err(|error| Error::bug(format!("rules/recipe/plugins-left-out.toml is broken: {error}")))?;
    let names = file.into_values().flatten().flat_map(|plugin| match plugin.goals.as_slice() {
        [] => vec![plugin.artifact],
        goals => goals.iter().map(|goal| format!("{}:{goal}", plugin.artifact)).collect(),
    });
    Ok(names.collect::<Vec<_>>().join(","))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;

    #[test]
    fn plugins_are_left_out_as_a_whole_or_by_goal() {
        let names = left_out_plugins().unwrap();
        let names: Vec<&str> = names.split(',').collect();
        assert!(names.contains(&"animal-sniffer-maven-plugin") && names.contains(&"jacoco-maven-plugin:instrument"));
        assert!(!names.contains(&"jacoco-maven-plugin"), "prepare-agent sets properties that POMs refer to");
    }
}
