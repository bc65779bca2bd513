//! Selects test classes, and tests within them, by surefire's patterns.

use crate::base::error::{Error, Result};
use regex::Regex;
use serde::{Deserialize, Serialize};

/// The test classes that surefire selects, as patterns that [`TestFilter::selection`] evaluates.
#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq, Eq)]
pub struct TestFilter {
    /// Patterns on the path of the class file (`**/*Test.java` or `**/*Test.class`), with `#method`
    /// if they mean single methods. Never empty: without configuration, these are surefire's
    /// defaults.
    pub includes: Vec<String>,
    /// Without configuration, surefire's default `**/*$*`.
    pub excludes: Vec<String>,
    /// `groups` and `excludedGroups`, as surefire takes them.
    pub groups: Option<String>,
    pub excluded_groups: Option<String>,
}

/// The patterns of a [`TestFilter`], parsed.
#[derive(Clone, Debug)]
pub struct Selection {
    includes: Vec<Pattern>,
    excludes: Vec<Pattern>,
}

/// `class#method`; either part may be missing.
#[derive(Clone, Debug)]
struct Pattern {
    class: Option<ClassPattern>,
    method: Option<MethodPattern>,
}

#[derive(Clone, Debug)]
enum MethodPattern {
    /// With the wildcards `*` and `?`.
    Name(Vec<char>),
    Regex(Regex),
}

#[derive(Clone, Debug)]
enum ClassPattern {
    /// Alternatives, each a path split at `/`. They are matched here and not by a library, because
    /// Ant's wildcards are not those of shells: only a whole `**` crosses folders, and no other
    /// character has a meaning.
    Ant(Vec<Vec<String>>),
    Regex(Regex),
}

impl TestFilter {
    /// Surefire's defaults.
    pub(super) fn of_surefire() -> Self {
        let includes = ["**/Test*.java", "**/*Test.java", "**/*Tests.java", "**/*TestCase.java"];
        Self { includes: includes.map(str::to_owned).to_vec(), excludes: vec!["**/*$*".to_owned()], ..Self::default() }
    }

    /// Parses the patterns.
    ///
    /// # Errors
    /// If a `%regex[…]` is not a regular expression.
    pub fn selection(&self) -> Result<Selection> {
        let mut selection = Selection { includes: Vec::new(), excludes: Vec::new() };
        for pattern in split(&self.includes) {
            match pattern.strip_prefix('!') {
                Some(negated) => selection.excludes.extend(Pattern::all(negated)?),
                None => selection.includes.extend(Pattern::all(pattern)?),
            }
        }
        for pattern in split(&self.excludes) {
            selection.excludes.extend(Pattern::all(pattern.trim_start_matches('!'))?);
        }
        Ok(selection)
    }
}

/// Splits elements that hold several patterns: `**/A*.java, **/B*.java`.
fn split(patterns: &[String]) -> impl Iterator<Item = &str> {
    patterns
        .iter()
        .flat_map(|pattern| pattern.split(','))
        .map(str::trim)
        .filter(|pattern| !pattern.is_empty() && *pattern != "!")
}

impl Selection {
    /// Whether surefire takes the class of that binary name (`org.example.StackTest`) for a test
    /// class. Whether it contains tests is another question.
    #[must_use]
    pub fn takes(&self, binary_name: &str) -> bool {
        self.allows(binary_name, &[])
    }

    /// Whether surefire runs the test of that name (`org.example.StackTest.pops(int)[2]`) in a
    /// class that it selects. Surefire checks this only if a pattern names methods.
    #[must_use]
    pub fn takes_test(&self, binary_name: &str, test: &str) -> bool {
        if self.includes.iter().chain(&self.excludes).all(|pattern| pattern.method.is_none()) {
            return true;
        }
        let name = test.strip_prefix(binary_name).unwrap_or(test);
        let name = name.split_once('.').map_or(name, |(_, method)| method);
        let (method, rest) = name.split_once('(').unwrap_or((name, ""));
        // JUnit 4 calls the test of a parameterised class `pops[2]`, JUnit 5 calls it `pops`.
        let numbered = rest.split_once(')').map(|(_, number)| format!("{method}{number}"));
        let names: Vec<&str> = [method].into_iter().chain(numbered.as_deref()).collect();
        self.allows(binary_name, &names)
    }

    /// `TestListResolver.shouldRun`. Without `methods`, this is about the class.
    fn allows(&self, binary_name: &str, methods: &[&str]) -> bool {
        let path = format!("{}.class", binary_name.replace('.', "/"));
        let taken = |pattern: &Pattern| pattern.matches(&path, methods);
        (self.includes.is_empty() || self.includes.iter().any(taken))
            && !self
                .excludes
                .iter()
                // An exclusion that names methods does not exclude the class.
                .any(|pattern| (pattern.method.is_none() || !methods.is_empty()) && taken(pattern))
    }
}

impl Pattern {
    /// Parses a pattern; `Stack*#pops+pushes` is two patterns.
    fn all(pattern: &str) -> Result<Vec<Self>> {
        if let Some(regex) = pattern.strip_prefix("%regex[").and_then(|rest| rest.strip_suffix(']')) {
            let (class, method) = regex.split_once('#').unwrap_or((regex, ""));
            let regex = |part: &str| {
                Regex::new(&format!("^(?:{part})$")).map_err(|error| {
                    Error::usage(
                        format!("reneri cannot read surefire's pattern {pattern}: {error}."),
                        "Write the pattern without look-around or back references, or as a path such as **/*Test.java.",
                    )
                })
            };
            let given = |part: &str| Some(part.trim()).filter(|part| !part.is_empty()).map(regex).transpose();
            return Ok(vec![Self {
                class: given(class)?.map(ClassPattern::Regex),
                method: given(method)?.map(MethodPattern::Regex),
            }]);
        }
        let (class, methods) = pattern.split_once('#').unwrap_or((pattern, ""));
        let class = Some(class.trim()).filter(|class| !class.is_empty()).map(ClassPattern::new);
        let methods = methods.split('+').map(str::trim).filter(|method| !method.is_empty());
        let methods: Vec<_> = methods.map(|method| MethodPattern::Name(method.chars().collect())).collect();
        Ok(if methods.is_empty() {
            vec![Self { class, method: None }]
        } else {
            methods.into_iter().map(|method| Self { class: class.clone(), method: Some(method) }).collect()
        })
    }

    fn matches(&self, path: &str, methods: &[&str]) -> bool {
        self.class.as_ref().is_none_or(|class| class.matches(path))
            && (methods.is_empty()
                || self.method.as_ref().is_none_or(|pattern| methods.iter().any(|method| pattern.matches(method))))
    }
}

impl MethodPattern {
    fn matches(&self, method: &str) -> bool {
        match self {
            Self::Name(pattern) => matches_name(pattern, &method.chars().collect::<Vec<_>>()),
            Self::Regex(regex) => regex.is_match(method),
        }
    }
}

impl ClassPattern {
    /// Parses a pattern as surefire's `ResolvedTest` does.
    fn new(pattern: &str) -> Self {
        let pattern = pattern.strip_prefix("%ant[").and_then(|rest| rest.strip_suffix(']')).unwrap_or(pattern);
        let path = if let Some(name) = pattern.strip_suffix(".java").or_else(|| pattern.strip_suffix(".class")) {
            format!("{}.class", name.replace('.', "/"))
        } else if pattern.contains('/') {
            pattern.to_string()
        } else if let Some(name) = pattern.strip_suffix(".*").filter(|name| name.contains('.')) {
            format!("{}.*", name.replace('.', "/"))
        } else if pattern.ends_with(".*") {
            pattern.to_string()
        } else {
            pattern.replace('.', "/")
        };
        let path = if path.starts_with("**/") { path } else { format!("**/{path}") };
        let mut alternatives = vec![path.clone()];
        if !path.ends_with(".class") && !path.ends_with(".*") {
            alternatives.push(format!("{path}.class"));
        }
        let tokens = |path: &String| path.split('/').filter(|token| !token.is_empty()).map(str::to_string).collect();
        ClassPattern::Ant(alternatives.iter().map(tokens).collect())
    }

    fn matches(&self, path: &str) -> bool {
        match self {
            ClassPattern::Regex(regex) => regex.is_match(path),
            ClassPattern::Ant(alternatives) => {
                let path: Vec<&str> = path.split('/').collect();
                alternatives.iter().any(|tokens| matches_path(tokens, &path))
            }
        }
    }
}

/// Matches as Ant does: `**` as a whole token stands for any number of folders, including none.
fn matches_path(tokens: &[String], path: &[&str]) -> bool {
    match tokens.split_first() {
        None => path.is_empty(),
        Some((token, rest)) if token == "**" => (0..=path.len()).any(|skipped| matches_path(rest, &path[skipped..])),
        Some((token, rest)) => path.split_first().is_some_and(|(name, below)| {
            matches_name(&token.chars().collect::<Vec<_>>(), &name.chars().collect::<Vec<_>>())
                && matches_path(rest, below)
        }),
    }
}

/// Matches a name; `*` stands for any characters, `?` for one.
fn matches_name(pattern: &[char], name: &[char]) -> bool {
    match pattern.split_first() {
        None => name.is_empty(),
        Some(('*', rest)) => (0..=name.len()).any(|skipped| matches_name(rest, &name[skipped..])),
        Some((c, rest)) => {
            name.split_first().is_some_and(|(first, below)| (*c == '?' || c == first) && matches_name(rest, below))
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;

    fn takes(includes: &[&str], excludes: &[&str], class: &str) -> bool {
        let filter = TestFilter {
            includes: includes.iter().map(ToString::to_string).collect(),
            excludes: excludes.iter().map(ToString::to_string).collect(),
            ..TestFilter::default()
        };
        filter.selection().unwrap().takes(class)
    }

    const DEFAULT: [&str; 4] = ["**/Test*.java", "**/*Test.java", "**/*Tests.java", "**/*TestCase.java"];

    #[test]
    fn the_default_patterns_select_classes_by_their_simple_name() {
        for class in
            ["StackTest", "org.example.StackTest", "org.example.TestStack", "a.b.c.StackTests", "a.AbstractTestCase"]
        {
            assert!(takes(&DEFAULT, &["**/*$*"], class), "{class}");
        }
        for class in [
            "org.example.StackIT",
            "org.example.test.Stack",
            "org.example.StackTest$Inner",
            "org.example.Testing.Stack",
        ] {
            assert!(!takes(&DEFAULT, &["**/*$*"], class), "{class}");
        }
    }

    #[test]
    fn a_double_star_crosses_folders_and_a_single_one_does_not() {
        assert!(takes(&["org/**/*Test.java"], &[], "org.a.b.XTest"));
        assert!(takes(&["org/**/*Test.java"], &[], "org.XTest"));
        assert!(takes(&["org/*/XTest.class"], &[], "org.a.XTest"));
        assert!(!takes(&["org/*/XTest.class"], &[], "org.a.b.XTest"));
    }

    #[test]
    fn a_pattern_may_be_a_class_name_a_list_or_negated() {
        assert!(takes(&["StackTest"], &[], "org.example.StackTest"));
        assert!(takes(&["org.example.StackTest"], &[], "org.example.StackTest"));
        assert!(takes(&["**/A.java, **/B.java"], &[], "org.B"));
        assert!(!takes(&["*Test", "!StackTest"], &[], "org.example.StackTest"));
        assert!(takes(&["*Test", "!StackTest"], &[], "org.example.QueueTest"));
        assert!(takes(&["!StackTest"], &[], "org.example.Queue"));
    }

    #[test]
    fn a_regular_expression_has_to_match_the_whole_path_of_the_class_file() {
        assert!(takes(&["%regex[.*(Stack|Queue)Test.class]"], &[], "org.example.QueueTest"));
        assert!(!takes(&["%regex[QueueTest.class]"], &[], "org.example.QueueTest"));
        assert!(!takes(&DEFAULT, &["%regex[.*/slow/.*]"], "org.slow.QueueTest"));
    }

    #[test]
    fn methods_are_selected_within_the_selected_classes() {
        let takes = |includes: &[&str], excludes: &[&str], test: &str| {
            let filter = TestFilter {
                includes: includes.iter().map(ToString::to_string).collect(),
                excludes: excludes.iter().map(ToString::to_string).collect(),
                ..TestFilter::default()
            };
            let selection = filter.selection().unwrap();
            selection.takes("org.StackTest") && selection.takes_test("org.StackTest", &format!("org.StackTest.{test}"))
        };
        for (includes, excludes, taken, left) in [
            (["StackTest#pop*"], [""], "pops(int)[2]", "pushes()"),
            (["Stack*#pops+peeks"], [""], "peeks()", "pushes()"),
            (["#pops"], [""], "pops()", "pushes()"),
            (["*Test"], ["StackTest#push*"], "pops()", "pushes()"),
            (["*Test, !StackTest#push*"], [""], "pops()", "pushes()"),
            (["%regex[.*StackTest.class#p[aeo]p.*]"], [""], "pops()", "pushes()"),
            (["StackTest#pops[2]"], [""], "pops()[2]", "pops()[3]"),
        ] {
            assert!(takes(&includes, &excludes, taken), "{includes:?} {excludes:?} {taken}");
            assert!(!takes(&includes, &excludes, left), "{includes:?} {excludes:?} {left}");
        }
        assert!(!takes(&["QueueTest#pops"], &[], "pops()"));
        // If no pattern names a method, nested classes run with the class around them.
        let filter = TestFilter { includes: vec!["StackTest".into()], ..TestFilter::default() };
        assert!(filter.selection().unwrap().takes_test("org.StackTest$Empty", "org.StackTest$Empty.pops()"));
    }

    #[test]
    fn a_broken_regular_expression_is_an_error_that_shows_it() {
        let filter = TestFilter { includes: vec!["%regex[(a]".into()], ..TestFilter::default() };
        assert!(filter.selection().unwrap_err().what.contains("%regex[(a]"));
    }

    #[test]
    fn the_patterns_of_commons_codec_exclude_two_kinds_of_classes() {
        let excludes = ["**/*AbstractTest.java", "**/*PerformanceTest.java"];
        assert!(!takes(&DEFAULT, &excludes, "org.apache.commons.codec.StringEncoderAbstractTest"));
        assert!(!takes(&DEFAULT, &excludes, "org.apache.commons.codec.language.bm.PhoneticEnginePerformanceTest"));
        assert!(takes(&DEFAULT, &excludes, "org.apache.commons.codec.BinaryEncoderTest"));
    }
}
