//! From maven-compiler-plugin's parameters to the settings with which tests are compiled again.

use super::CompilerSettings;
use super::handover::trimmed;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Parameters of maven-compiler-plugin's `testCompile`, by their documented names.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct TestCompile {
    pub(super) skip: bool,
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
    pub(super) generated_test_sources_directory: Option<PathBuf>,
    processor_path: Vec<PathBuf>,
}

impl TestCompile {
    pub(super) fn settings(self) -> CompilerSettings {
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

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;
    use serde_json::json;

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
}
