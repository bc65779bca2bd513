//! Parameters of maven-compiler-plugin, and the compiler settings and javac options that follow
//! from them.

use super::value::trimmed;
use crate::recipe::CompilerSettings;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Parameters of the goals of maven-compiler-plugin, by their documented names.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct TestCompile {
    pub(crate) skip: bool,
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
    pub(crate) generated_test_sources_directory: Option<PathBuf>,
    processor_path: Vec<PathBuf>,
}

/// One compilation by one of these goals.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Compilation {
    /// `compile` or `testCompile`.
    pub(crate) goal: String,
    settings: TestCompile,
    compiler_id: Option<String>,
    debug: Option<bool>,
    debuglevel: Option<String>,
    executable: Option<String>,
    skip_main: bool,
    pub(crate) class_path: Vec<PathBuf>,
    /// Empty if only the class path is used. Older versions of the plugin do not have it.
    module_path: Option<Vec<PathBuf>>,
    has_processor_path: bool,
    has_toolchain: bool,
}

impl Compilation {
    /// The options with which Maven calls javac, apart from paths, or the reason why they are not
    /// known.
    pub(crate) fn javac_options(&self) -> Result<Vec<String>, String> {
        let settings = &self.settings;
        let doubts = [
            (settings.skip || self.skip_main, "it is skipped"),
            (self.compiler_id.as_deref().is_some_and(|id| id != "javac"), "it uses another compiler than javac"),
            (self.executable.is_some() || self.has_toolchain, "it uses another JDK than Maven"),
            (self.debug == Some(false), "it leaves out what tells of the code"),
            (self.class_path.is_empty(), "its class path is not known"),
            (self.module_path.as_ref().is_some_and(|path| !path.is_empty()), "it uses the module path"),
            (self.has_processor_path || !settings.annotation_processors.is_empty(), "it uses annotation processors"),
        ];
        if let Some((_, doubt)) = doubts.iter().find(|(is_so, _)| *is_so) {
            return Err(format!("maven-compiler-plugin:{}: {doubt}", self.goal));
        }
        let level = self.debuglevel.as_deref().and_then(trimmed);
        let mut options = vec![level.map_or_else(|| "-g".to_owned(), |level| format!("-g:{level}"))];
        let arguments = settings.arguments();
        let CompilerSettings { encoding, release, source, target, parameters, .. } = settings.clone().settings();
        let mut pair = |name: &str, value: Option<String>| {
            options.extend(value.into_iter().flat_map(|value| [name.to_owned(), value]));
        };
        pair("-encoding", encoding);
        if release.is_some() {
            pair("--release", release);
        } else {
            pair("-source", source);
            pair("-target", target);
        }
        options.extend(parameters.then(|| "-parameters".to_owned()));
        options.extend(arguments.into_iter().filter(|argument| !argument.starts_with("-proc:")));
        Ok(options)
    }

    /// Whether javac would look for annotation processors on the class path.
    pub(crate) fn looks_for_processors(&self) -> bool {
        self.settings.proc.as_deref() != Some("none")
    }
}

impl TestCompile {
    /// The arguments that Maven passes on, without those about annotation processors.
    fn arguments(&self) -> Vec<String> {
        let mut arguments: Vec<String> = Vec::new();
        let named = if self.test_compiler_arguments.is_empty() {
            &self.compiler_arguments
        } else {
            &self.test_compiler_arguments
        };
        for (name, value) in named {
            arguments.push(if name.starts_with('-') { name.clone() } else { format!("-{name}") });
            arguments.extend(value.as_deref().and_then(trimmed));
        }
        arguments.extend(self.compiler_args.iter().flatten().filter(|argument| !argument.is_empty()).cloned());
        let argument = self.test_compiler_argument.as_deref().or(self.compiler_argument.as_deref());
        arguments.extend(argument.and_then(trimmed));
        if self.enable_preview && !arguments.iter().any(|argument| argument == "--enable-preview") {
            arguments.push("--enable-preview".into());
        }
        arguments
    }

    pub(crate) fn settings(self) -> CompilerSettings {
        let mut arguments = self.arguments();
        arguments.retain(|argument| !only_makes_stricter(argument));
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

/// Whether an argument only makes the compiler stricter. Instrumented tests are compiled to run,
/// not to be reviewed.
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
    fn compiler_settings_of_tests_take_precedence_over_those_of_the_code() {
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
