//! From a method to the test class in which a new test of it belongs: the unit's own, found by its name, not the caller's.

use super::{Input, words};
use crate::diagnose::Diagnosis;
use std::path::PathBuf;

/// The class in which a new test belongs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Home {
    /// Binary name.
    pub class: String,
    pub file: Option<PathBuf>,
}

/// How people name the test class of `Foo`: `FooTest` (surefire's defaults) and common variants.
fn names(unit: &str) -> [String; 7] {
    [
        format!("{unit}Test"),
        format!("{unit}Tests"),
        format!("Test{unit}"),
        format!("{unit}TestCase"),
        format!("{unit}Spec"),
        format!("{unit}UnitTest"),
        format!("{unit}IT"),
    ]
}

pub(super) fn home(input: &Input<'_>, class: &str, diagnosis: &Diagnosis, covering: &[usize]) -> Option<Home> {
    let own = own_test_class(input, class);
    let name = own.or_else(|| {
        let nearest = covering_tests_by_closeness(diagnosis, covering).first().copied()?;
        Some(words::top_level(&input.coverage.tests.get(nearest)?.class).to_owned())
    })?;
    let file = input.sources.test_file_of(&name);
    Some(Home { class: name, file })
}

fn own_test_class(input: &Input<'_>, class: &str) -> Option<String> {
    let mut classes: Vec<&str> = input.coverage.tests.iter().map(|test| words::top_level(&test.class)).collect();
    classes.sort_unstable();
    classes.dedup();
    let simple = |name: &str| name.rsplit('.').next().unwrap_or(name).to_owned();
    // A nested class first by its own name, then by that of the class around it.
    let nested = words::short_class(class);
    let units = [nested.rsplit('.').next().unwrap_or(&nested).to_owned(), simple(words::top_level(class))];
    for unit in &units {
        for name in names(unit) {
            let mut found: Vec<&str> = classes.iter().copied().filter(|class| simple(class) == name).collect();
            found.sort_by_key(|found| words::package(found) != words::package(class));
            // Another package's class of that name tests another class, unless it is the only one.
            if let Some(found) = found.first() {
                return Some((*found).to_owned());
            }
        }
    }
    None
}

/// The covering tests, those with the shortest known stack to the method first, then in the order in which they run.
#[must_use]
pub fn covering_tests_by_closeness(diagnosis: &Diagnosis, covering: &[usize]) -> Vec<usize> {
    let distance = |test: usize| {
        let evidence =
            diagnosis.evidence.iter().filter(|evidence| evidence.test == test).map(|evidence| evidence.stack.len());
        let calls = diagnosis.calls.iter().filter(|call| call.test == test).map(|call| call.stack.len());
        evidence.chain(calls).filter(|&length| length > 0).min().unwrap_or(usize::MAX)
    };
    let mut tests = covering.to_vec();
    tests.sort_by_key(|&test| distance(test));
    tests
}
