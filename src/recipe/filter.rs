//! From surefire's patterns to the test classes that it takes.

use super::{Recipe, TestFilter};
use crate::error::{Error, Result};
use regex::Regex;
use std::path::{MAIN_SEPARATOR, Path};

impl Recipe {
    /// Binary names of the classes that surefire takes for test classes by their names, in the order of their paths: surefire's own order is
    /// that of the file system, which is another one on each machine.
    ///
    /// # Errors
    /// When a pattern is none, or the folder of test classes cannot be read.
    pub fn test_class_names(&self) -> Result<Vec<String>> {
        let selection = self.filter.selection()?;
        let mut paths = Vec::new();
        for entry in walkdir::WalkDir::new(&self.test_classes).follow_links(true) {
            let entry = entry.map_err(|error| {
                Error::cannot_build(
                    format!("The compiled tests in {} cannot be read: {error}.", self.test_classes.display()),
                    "Check that the folder can be read, then build the project again.",
                )
            })?;
            let below = entry.path().strip_prefix(&self.test_classes).ok().and_then(Path::to_str);
            let name =
                below.and_then(|below| below.strip_suffix(".class")).map(|name| name.replace(MAIN_SEPARATOR, "."));
            paths.extend(name.filter(|name| entry.file_type().is_file() && selection.takes(name)));
        }
        paths.sort();
        Ok(paths)
    }
}

/// The patterns of a [`TestFilter`], ready to be asked.
#[derive(Clone, Debug)]
pub struct Selection {
    includes: Vec<Pattern>,
    excludes: Vec<Pattern>,
}

#[derive(Clone, Debug)]
enum Pattern {
    /// Alternatives, each a path split at `/`. Matched by hand, because Ant's wildcards are not those of shells: only a whole `**`
    /// crosses folders, and no other character means anything.
    Ant(Vec<Vec<String>>),
    Regex(Regex),
}

impl TestFilter {
    /// # Errors
    /// When a `%regex[…]` is none.
    pub fn selection(&self) -> Result<Selection> {
        let mut selection = Selection { includes: Vec::new(), excludes: Vec::new() };
        for pattern in split(&self.includes) {
            match pattern.strip_prefix('!') {
                Some(negated) => selection.excludes.push(Pattern::new(negated)?),
                None => selection.includes.push(Pattern::new(pattern)?),
            }
        }
        for pattern in split(&self.excludes) {
            selection.excludes.push(Pattern::new(pattern.trim_start_matches('!'))?);
        }
        Ok(selection)
    }
}

/// One element may hold several patterns: `**/A*.java, **/B*.java`.
fn split(patterns: &[String]) -> impl Iterator<Item = &str> {
    patterns
        .iter()
        .flat_map(|pattern| pattern.split(','))
        .map(str::trim)
        .filter(|pattern| !pattern.is_empty() && *pattern != "!")
}

impl Selection {
    /// Whether surefire takes the class of that binary name (`org.example.StackTest`) for a test class; it still has to contain tests.
    #[must_use]
    pub fn takes(&self, binary_name: &str) -> bool {
        let path = format!("{}.class", binary_name.replace('.', "/"));
        (self.includes.is_empty() || self.includes.iter().any(|pattern| pattern.matches(&path)))
            && !self.excludes.iter().any(|pattern| pattern.matches(&path))
    }
}

impl Pattern {
    /// As surefire's `ResolvedTest` reads a pattern.
    fn new(pattern: &str) -> Result<Self> {
        if let Some(regex) = pattern.strip_prefix("%regex[").and_then(|rest| rest.strip_suffix(']')) {
            return Regex::new(&format!("^(?:{regex})$")).map(Pattern::Regex).map_err(|error| {
                Error::usage(
                    format!("reneri cannot read surefire's pattern {pattern}: {error}."),
                    "Write the pattern without look-around or back references, or as a path such as **/*Test.java.",
                )
            });
        }
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
        Ok(Pattern::Ant(alternatives.iter().map(tokens).collect()))
    }

    fn matches(&self, path: &str) -> bool {
        match self {
            Pattern::Regex(regex) => regex.is_match(path),
            Pattern::Ant(alternatives) => {
                let path: Vec<&str> = path.split('/').collect();
                alternatives.iter().any(|tokens| matches_path(tokens, &path))
            }
        }
    }
}

/// Ant: `**` as a whole token stands for any number of folders, none included.
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

/// `*` stands for any characters, `?` for one, within a name.
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
    fn the_default_patterns_take_classes_by_their_simple_name() {
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
    fn a_regular_expression_is_matched_against_the_whole_path_of_the_class_file() {
        assert!(takes(&["%regex[.*(Stack|Queue)Test.class]"], &[], "org.example.QueueTest"));
        assert!(!takes(&["%regex[QueueTest.class]"], &[], "org.example.QueueTest"));
        assert!(!takes(&DEFAULT, &["%regex[.*/slow/.*]"], "org.slow.QueueTest"));
    }

    #[test]
    fn a_broken_regular_expression_is_an_error_that_shows_it() {
        let filter = TestFilter { includes: vec!["%regex[(a]".into()], ..TestFilter::default() };
        assert!(filter.selection().unwrap_err().what.contains("%regex[(a]"));
    }

    #[test]
    fn the_patterns_of_commons_codec_leave_its_two_kinds_out() {
        let excludes = ["**/*AbstractTest.java", "**/*PerformanceTest.java"];
        assert!(!takes(&DEFAULT, &excludes, "org.apache.commons.codec.StringEncoderAbstractTest"));
        assert!(!takes(&DEFAULT, &excludes, "org.apache.commons.codec.language.bm.PhoneticEnginePerformanceTest"));
        assert!(takes(&DEFAULT, &excludes, "org.apache.commons.codec.BinaryEncoderTest"));
    }
}
