//! Turns surefire's `argLine` into arguments for a JVM that is created inside of this process, and
//! notes which ones were left out.

use crate::base::error::{Error, Result};
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use serde::Deserialize;
use std::collections::BTreeMap;

const LEFT_OUT: &str = include_str!("../../rules/recipe/jvm-arguments-left-out.toml");

/// Options of the `java` command that may stand apart from their value. A JVM that is created
/// through JNI takes only the joined form (`--add-opens=…`), see `TranslateApplicationArgs` and
/// `IsModuleOption` in the JDK's launcher.
const WITH_VALUE: [(&str, &str); 11] = [
    ("--add-exports", "--add-exports"),
    ("--add-modules", "--add-modules"),
    ("--add-opens", "--add-opens"),
    ("--add-reads", "--add-reads"),
    ("--enable-native-access", "--enable-native-access"),
    ("--illegal-native-access", "--illegal-native-access"),
    ("--limit-modules", "--limit-modules"),
    ("--module-path", "--module-path"),
    ("-p", "--module-path"),
    ("--patch-module", "--patch-module"),
    ("--upgrade-module-path", "--upgrade-module-path"),
];

/// One rule of `rules/recipe/jvm-arguments-left-out.toml`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LeftOut {
    pub name: String,
    pub why: String,
    pub matches: Vec<String>,
    /// An argument that the rule removes; a test checks that.
    #[cfg_attr(not(test), expect(dead_code))]
    pub example: String,
}

/// The rules for arguments that are left out, in the order of their file.
///
/// # Errors
/// A bug if the built-in file is broken.
pub fn left_out() -> Result<Vec<LeftOut>> {
    #[derive(Deserialize)]
    struct File {
        argument: Vec<LeftOut>,
    }
    toml::from_str::<File>(LEFT_OUT)
        .map(|file| file.argument)
        .map_err(|error| Error::bug(format!("rules/recipe/jvm-arguments-left-out.toml is broken: {error}")))
}

/// Replaces each `@{name}` by the property of that name, which a plugin may have set while Maven
/// ran. A name without a property is removed: surefire would pass it on, and `java` would take it
/// for an argument file and end. JaCoCo leaves such a name behind if it is switched off.
#[must_use]
pub fn resolve_late(line: &str, properties: &BTreeMap<String, String>) -> String {
    let mut resolved = String::with_capacity(line.len());
    let mut rest = line;
    while let Some((before, after)) = rest.split_once("@{") {
        let Some((name, behind)) = after.split_once('}') else {
            break;
        };
        resolved.push_str(before);
        resolved.push_str(properties.get(name).map_or("", String::as_str));
        rest = behind;
    }
    resolved.push_str(rest);
    resolved
}

/// Replaces surefire's number of the forked JVM, which is always the first one here.
#[must_use]
pub fn first_fork(text: &str) -> String {
    text.replace("${surefire.forkNumber}", "1").replace("${surefire.threadNumber}", "1")
}

/// Splits a line into arguments as surefire does it (`CommandLineUtils.translateCommandline` of
/// maven-shared-utils). Any white space counts as a space, both kinds of quotes group, a backslash
/// stays and makes the next quote an ordinary character, and an empty argument is dropped. This is
/// not a shell's quoting, so no library for that fits.
///
/// # Errors
/// If a quote is not closed.
pub fn split(line: &str) -> Result<Vec<String>> {
    let mut arguments = Vec::new();
    let mut current = String::new();
    let mut quote = None;
    let mut escaped = false;
    for c in line.chars() {
        let c = if c.is_whitespace() { ' ' } else { c };
        match (quote, c) {
            (Some(open), _) if c == open && !escaped => quote = None,
            (None, '\'' | '"') if !escaped => quote = Some(c),
            (None, ' ') => arguments.extend(Some(std::mem::take(&mut current)).filter(|argument| !argument.is_empty())),
            _ => current.push(c),
        }
        escaped = c == '\\';
    }
    if quote.is_some() {
        return Err(Error::usage(
            format!("A quote is not closed in surefire's argLine: {line}"),
            "Close it in the POM, or in the property that the POM refers to.",
        ));
    }
    arguments.extend(Some(current).filter(|argument| !argument.is_empty()));
    Ok(arguments)
}

/// JVM arguments, and one sentence for each that was left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JvmArguments {
    pub arguments: Vec<String>,
    /// Arguments that the tests may miss.
    pub notes: Vec<String>,
    /// Arguments that are no part of the tests, by the rules; users need not know of them.
    pub asides: Vec<String>,
}

/// Removes coverage agents and the like, and writes the rest as JNI's `JNI_CreateJavaVM`
/// understands it.
///
/// # Errors
/// A bug if the built-in rules are broken.
pub fn for_embedded_jvm(arguments: Vec<String>) -> Result<JvmArguments> {
    let rules = left_out()?;
    let globs = rules.iter().map(glob_set).collect::<Result<Vec<_>>>()?;
    let mut result = JvmArguments::default();
    let mut arguments = arguments.into_iter().peekable();
    while let Some(argument) = arguments.next() {
        if let Some((rule, _)) = rules.iter().zip(&globs).find(|(_, globs)| globs.is_match(&argument)) {
            result.asides.push(format!(
                "JVM argument `{}` was left out ({}). {}",
                short(&argument),
                rule.name,
                rule.why
            ));
        } else if matches!(argument.as_str(), "-cp" | "-classpath" | "--class-path") {
            let path = arguments.next().unwrap_or_default();
            result
                .notes
                .push(format!("JVM argument `{argument} {path}` was left out: surefire has a class path of its own."));
        } else if argument.starts_with('@') {
            result.notes.push(format!("JVM argument `{argument}` was left out: reneri does not read argument files."));
        } else if let Some((_, joined)) = WITH_VALUE.iter().find(|(name, _)| *name == argument) {
            result.arguments.extend(arguments.next().map(|value| format!("{joined}={value}")));
        } else {
            result.arguments.push(argument);
        }
    }
    Ok(result)
}

/// Shortens an argument to a text without folders and values, which people recognize in the POM and
/// which is the same on every machine.
fn short(argument: &str) -> String {
    let (name, value) = match argument.split_once(':').or_else(|| argument.split_once('=')) {
        Some((name, value)) => (&argument[..=name.len()], value),
        None => return argument.to_string(),
    };
    let (file, options) = value.split_once('=').map_or((value, ""), |(file, _)| (file, "=…"));
    let file = file.rsplit(['/', '\\']).next().unwrap_or(file);
    format!("{name}{file}{options}")
}

fn glob_set(rule: &LeftOut) -> Result<GlobSet> {
    let broken = |error: globset::Error| Error::bug(format!("rules/recipe/jvm-arguments-left-out.toml: {error}"));
    let mut set = GlobSetBuilder::new();
    for pattern in &rule.matches {
        set.add(GlobBuilder::new(pattern).case_insensitive(true).build().map_err(broken)?);
    }
    set.build().map_err(broken)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;

    fn strings(arguments: &[&str]) -> Vec<String> {
        arguments.iter().map(ToString::to_string).collect()
    }

    fn embedded(line: &str) -> Vec<String> {
        for_embedded_jvm(split(line).unwrap()).unwrap().arguments
    }

    #[test]
    fn quotes_group_words_and_are_removed() {
        assert_eq!(split(r#"-Da='b c' -Db="x y" x"y z"w"#).unwrap(), strings(&["-Da=b c", "-Db=x y", "xy zw"]));
    }

    #[test]
    fn new_lines_and_tabs_separate_arguments() {
        assert_eq!(split("\n  -Xmx1g\n\t-Xss2m  \r\n").unwrap(), strings(&["-Xmx1g", "-Xss2m"]));
    }

    #[test]
    fn an_empty_argument_is_no_argument() {
        assert_eq!(split(r#"a '' "" b"#).unwrap(), strings(&["a", "b"]));
        assert_eq!(split("  ").unwrap(), strings(&[]));
    }

    // maven-shared-utils 3.3.4 gives the expected values.
    #[test]
    fn a_backslash_stays_and_makes_the_next_quote_an_ordinary_character() {
        assert_eq!(split(r#"-Da=\"b c\""#).unwrap(), strings(&[r#"-Da=\"b"#, r#"c\""#]));
        assert_eq!(split(r#"x"y\"z"w 'it\'s' q"#).unwrap(), strings(&[r#"xy\"zw"#, r"it\'s", "q"]));
        assert_eq!(split(r"-Ddir=C:\dir\ x").unwrap(), strings(&[r"-Ddir=C:\dir\", "x"]));
    }

    #[test]
    fn a_quote_that_is_not_closed_is_an_error_that_shows_the_line() {
        assert!(split("-Da='b").unwrap_err().what.contains("-Da='b"));
    }

    #[test]
    fn late_properties_are_resolved_and_unknown_ones_vanish() {
        let properties = BTreeMap::from([("argLine".to_string(), "-Xmx1g".to_string())]);
        assert_eq!(resolve_late("@{argLine} -ea @{jacoco} @x", &properties), " -Xmx1g -ea  @x".trim_start());
        assert_eq!(resolve_late("-Da=@{open", &properties), "-Da=@{open");
    }

    #[test]
    fn each_rule_removes_its_own_example_and_says_so() {
        for rule in left_out().unwrap() {
            let result = for_embedded_jvm(vec!["-Xmx1g".into(), rule.example.clone(), "-Da=b".into()]).unwrap();
            assert_eq!(result.arguments, strings(&["-Xmx1g", "-Da=b"]), "{}", rule.name);
            assert!(
                result.asides[0].contains(&short(&rule.example)) && result.asides[0].contains(&rule.name),
                "{}",
                rule.name
            );
        }
    }

    #[test]
    fn a_note_names_an_argument_without_its_folders() {
        let agent = "-javaagent:/home/me/.m2/org.jacoco.agent-0.8.12-runtime.jar=destfile=/p/target/jacoco.exec";
        assert_eq!(short(agent), "-javaagent:org.jacoco.agent-0.8.12-runtime.jar=…");
        assert_eq!(short("-Demma.coverage.out.file=target/coverage.ec"), "-Demma.coverage.out.file=coverage.ec");
        assert_eq!(short("-server"), "-server");
    }

    #[test]
    fn agents_that_tests_need_are_kept() {
        for agent in ["-javaagent:/r/mockito-core-5.14.2.jar", "-javaagent:/r/jmockit-1.49.jar", "-agentlib:profiler"] {
            assert_eq!(embedded(agent), strings(&[agent]));
        }
    }

    #[test]
    fn options_apart_from_their_value_are_joined() {
        assert_eq!(
            embedded("--add-opens java.base/java.lang=ALL-UNNAMED --add-opens=a/b=c -p mods -ea"),
            strings(&["--add-opens=java.base/java.lang=ALL-UNNAMED", "--add-opens=a/b=c", "--module-path=mods", "-ea"])
        );
    }

    #[test]
    fn class_paths_and_argument_files_are_left_out_with_a_note() {
        let result = for_embedded_jvm(strings(&["-cp", "x.jar", "@file", "-ea"])).unwrap();
        assert_eq!(result.arguments, strings(&["-ea"]));
        assert_eq!(result.notes.len(), 2);
    }
}
