//! Finds the test class in which a new test of a method belongs. It is the one named after the
//! method's class, not the one whose tests happen to call the method.

use super::Input;
use crate::base::id::TestId;
use crate::code::Sources;
use crate::cover::Coverage;
use crate::diagnose::Diagnosis;
use crate::text::words;
use std::path::PathBuf;

/// The class in which a new test belongs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Home {
    /// Binary name.
    pub class: String,
    pub file: Option<PathBuf>,
    /// Whether the class does not exist yet.
    pub is_new: bool,
}

/// Usual names of the test class of `Foo`, as prefix and suffix: `FooTest` and the other defaults
/// of surefire, and common variants.
const NAMES: [(&str, &str); 7] =
    [("", "Test"), ("", "Tests"), ("Test", ""), ("", "TestCase"), ("", "Spec"), ("", "UnitTest"), ("", "IT")];

/// The test class for a class, which may not exist yet. `None` if the project has no tests that
/// show how test classes are named.
pub(super) fn home(input: &Input<'_>, class: &str) -> Option<Home> {
    let mut classes: Vec<&str> = input.coverage.tests.iter().map(|test| words::top_level(&test.class)).collect();
    classes.sort_unstable();
    classes.dedup();
    if let Some(found) = own_test_class(&classes, class) {
        return Some(Home { file: input.sources.test_file_of(found), class: found.to_owned(), is_new: false });
    }
    let (before, after) = usual_name(&classes)?;
    let top = words::top_level(class);
    let name = format!("{before}{}{after}", simple(top));
    let package = words::package(top);
    let class = if package.is_empty() { name } else { format!("{package}.{name}") };
    Some(Home { class, file: None, is_new: true })
}

/// The source of the existing test class for a class, if there is one.
#[must_use]
pub fn own_test_file(coverage: &Coverage, sources: &Sources, class: &str) -> Option<PathBuf> {
    let mut classes: Vec<&str> = coverage.tests.iter().map(|test| words::top_level(&test.class)).collect();
    classes.sort_unstable();
    classes.dedup();
    sources.test_file_of(own_test_class(&classes, class)?)
}

fn simple(class: &str) -> &str {
    class.rsplit('.').next().unwrap_or(class)
}

fn own_test_class<'a>(classes: &[&'a str], class: &str) -> Option<&'a str> {
    // A nested class is looked up by its own name first, then by that of its top-level class.
    let nested = words::short_class(class);
    let units = [nested.rsplit('.').next().unwrap_or(&nested).to_owned(), simple(words::top_level(class)).to_owned()];
    for unit in &units {
        for (before, after) in NAMES {
            let name = format!("{before}{unit}{after}");
            // A class of this name in another package tests another class, unless it is the only
            // one.
            let found = classes.iter().copied().filter(|class| simple(class) == name);
            if let Some(found) = found.min_by_key(|found| words::package(found) != words::package(class)) {
                return Some(found);
            }
        }
    }
    None
}

/// The name pattern of most test classes in the project; the first of `NAMES` if none fits.
fn usual_name(classes: &[&str]) -> Option<(&'static str, &'static str)> {
    if classes.is_empty() {
        return None;
    }
    let is_called = |(before, after): (&str, &str)| {
        classes.iter().filter(|class| simple(class).starts_with(before) && simple(class).ends_with(after)).count()
    };
    // `max_by_key` returns the last maximum, so reversing makes the first pattern win a tie.
    NAMES.into_iter().rev().max_by_key(|name| is_called(*name))
}

/// The covering tests, ordered by the length of their shortest known stack to the method, then in
/// the order in which they run.
#[must_use]
pub fn covering_tests_by_closeness(diagnosis: &Diagnosis, covering: &[TestId]) -> Vec<TestId> {
    let distance = |test: TestId| {
        let evidence =
            diagnosis.evidence.iter().filter(|evidence| evidence.test == test).map(|evidence| evidence.stack.len());
        let calls = diagnosis.calls.iter().filter(|call| call.test == test).map(|call| call.stack.len());
        evidence.chain(calls).filter(|&length| length > 0).min().unwrap_or(usize::MAX)
    };
    let mut tests = covering.to_vec();
    tests.sort_by_key(|&test| distance(test));
    tests
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_test_class_has_the_name_of_the_class_and_preferably_its_package() {
        let classes = ["a.FooTest", "b.FooTest", "b.TestBar", "c.BuilderTests"];
        assert_eq!(own_test_class(&classes, "b.Foo"), Some("b.FooTest"));
        assert_eq!(own_test_class(&classes, "c.Foo$1"), Some("a.FooTest"));
        assert_eq!(own_test_class(&classes, "b.Bar"), Some("b.TestBar"));
        assert_eq!(own_test_class(&classes, "b.Bar$Builder"), Some("c.BuilderTests"));
        assert_eq!(own_test_class(&classes, "b.Writer"), None);
    }

    #[test]
    fn a_new_test_class_follows_the_names_of_the_project() {
        assert_eq!(usual_name(&["a.TestFoo", "a.TestBar", "a.BazTest"]), Some(("Test", "")));
        assert_eq!(usual_name(&["a.FooTest", "a.BarIT"]), Some(("", "Test")));
        assert_eq!(usual_name(&["a.Checks"]), Some(("", "Test")));
        assert_eq!(usual_name(&[]), None);
    }
}
