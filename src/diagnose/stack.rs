//! Reduces a recorded stack (innermost first, with all frames) to the frames from the test to the
//! method that matter to a developer.

use crate::cover::Test;
use crate::observation::noise::NoiseRules;
use crate::observe::Frame;
use crate::recipe::engine_packages;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Packages of reneri, the JDK, Maven, languages and libraries for tests, besides those of the test
/// engines. Their frames say nothing about the way from a test to a method.
const NOT_THE_PROJECT: [&str; 15] = [
    "reneri.",
    "java.",
    "javax.",
    "jdk.",
    "sun.",
    "com.sun.",
    "org.assertj.",
    "com.google.common.truth.",
    "org.mockito.",
    "org.easymock.",
    "net.bytebuddy.",
    "org.apache.maven.",
    "kotlin.",
    "groovy.",
    "org.codehaus.groovy.",
];

/// The classes of the tests and their source files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TestCode {
    /// Binary names.
    classes: BTreeSet<String>,
    /// Paths below the source roots (`org/example/StackTest.java`) → files.
    files: BTreeMap<String, PathBuf>,
}

impl TestCode {
    /// `files` maps paths below the source roots, with `/`, to the files.
    #[must_use]
    pub fn new(classes: BTreeSet<String>, files: BTreeMap<String, PathBuf>) -> Self {
        Self { classes, files }
    }

    /// Reads the folders of compiled test classes and the test source roots (`Recipe::test_classes`,
    /// `Recipe::test_source_roots`). Skips what cannot be read.
    #[must_use]
    pub fn read(test_classes: &[PathBuf], test_source_roots: &[PathBuf]) -> Self {
        let classes = test_classes
            .iter()
            .flat_map(|folder| paths_below(folder))
            .filter_map(|(below, _)| below.strip_suffix(".class").map(|name| name.replace('/', ".")))
            .collect();
        // The compiler sees the file in the earliest root.
        let files = test_source_roots.iter().rev().flat_map(|root| paths_below(root)).collect();
        Self { classes, files }
    }

    /// Whether the class, or a class around it, belongs to the tests.
    #[must_use]
    pub fn contains(&self, class: &str) -> bool {
        self.classes.contains(class)
            || class
                .match_indices('$')
                .any(|(end, _)| class.get(..end).is_some_and(|outer| self.classes.contains(outer)))
    }

    /// The source file of a frame in test code.
    #[must_use]
    pub fn file(&self, frame: &Frame) -> Option<&Path> {
        let (package, simple) = frame.class.rsplit_once('.').unwrap_or(("", &frame.class));
        let name = frame.file.clone().unwrap_or_else(|| format!("{}.java", simple.split('$').next().unwrap_or(simple)));
        let folder = package.replace('.', "/");
        let below = if folder.is_empty() { name } else { format!("{folder}/{name}") };
        self.files.get(&below).map(PathBuf::as_path)
    }
}

fn paths_below(root: &Path) -> impl Iterator<Item = (String, PathBuf)> {
    walkdir::WalkDir::new(root)
        .into_iter()
        .filter_map(Result::ok)
        .filter(|entry| entry.file_type().is_file())
        .filter_map(move |entry| {
            let below = entry.path().strip_prefix(root).ok()?;
            let names: Option<Vec<&str>> = below.components().map(|part| part.as_os_str().to_str()).collect();
            Some((names?.join("/"), entry.into_path()))
        })
}

/// The frames from the test (first) to the method (last). Begins with the test method if it is on the
/// stack, else with the outermost frame in test code (a method that runs before each test), else with
/// the outermost frame of the project (a thread of its own).
#[must_use]
pub fn from_test_to_method(stack: &[Frame], test: Option<&Test>, unit: &str, tests: &TestCode) -> Vec<Frame> {
    let name = test.map(|test| method_name(&test.name));
    let in_tests = |frame: &Frame| tests.contains(&frame.class);
    let outermost = stack
        .iter()
        .rposition(|frame| in_tests(frame) && Some(frame.method.as_str()) == name)
        .or_else(|| stack.iter().rposition(in_tests))
        .unwrap_or(stack.len());
    let rules = NoiseRules::embedded();
    stack
        .iter()
        .take(outermost.saturating_add(1))
        .filter(|frame| is_of_project(frame, unit) || (in_tests(frame) && !frame.class.starts_with("reneri.")))
        .filter(|frame| !rules.is_opaque(&frame.class) || frame.class == unit)
        .rev()
        .cloned()
        .collect()
}

/// The classes on the stack that have test code: those of the project's tests, and one from elsewhere
/// whose method is the test, which the test class inherits.
pub fn test_classes<'f>(stack: &'f [Frame], test: &'f Test, tests: &'f TestCode) -> impl Iterator<Item = &'f str> {
    let is_test = |frame: &&Frame| frame.method == method_name(&test.name) || tests.contains(&frame.class);
    stack.iter().filter(|frame| is_of_project(frame, "")).filter(is_test).map(|frame| frame.class.as_str())
}

/// The frame in test code that is nearest to the method.
#[must_use]
pub fn nearest_test_frame<'f>(stack: &'f [Frame], tests: &TestCode) -> Option<&'f Frame> {
    stack.iter().find(|frame| tests.contains(&frame.class))
}

fn is_of_project(frame: &Frame, unit: &str) -> bool {
    let class = frame.class.as_str();
    let is_in = |package: &str| class.strip_prefix(package).is_some_and(|rest| rest.starts_with('.'));
    // The project itself may be in one of these packages, so its own unit is never left out.
    class == unit || !(NOT_THE_PROJECT.iter().any(|package| class.starts_with(package)) || engine_packages().any(is_in))
}

/// `org.example.StackTest.pops(int)[2]` → `pops`.
fn method_name(test: &str) -> &str {
    let end = test.find(['(', '[']).unwrap_or(test.len());
    let name = test.get(..end).unwrap_or(test);
    name.rsplit('.').next().unwrap_or(name)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;
    use crate::base::id::RecipeId;
    use crate::observe::recorded::frame;

    fn test_code(classes: &[&str]) -> TestCode {
        let classes: BTreeSet<String> = classes.iter().map(|class| (*class).to_owned()).collect();
        let files = classes
            .iter()
            .filter(|class| !class.contains('$'))
            .map(|class| {
                let below = format!("{}.java", class.replace('.', "/"));
                (below.clone(), PathBuf::from("/p/src/test/java").join(below))
            })
            .collect();
        TestCode::new(classes, files)
    }

    fn test(name: &str) -> Test {
        Test { id: name.into(), name: name.into(), class: "a.StackTest".into(), recipe: RecipeId(0) }
    }

    fn names(frames: &[Frame]) -> Vec<String> {
        frames.iter().map(|frame| format!("{}.{}:{}", frame.class, frame.method, frame.line.unwrap_or(0))).collect()
    }

    #[test]
    fn the_way_begins_at_the_test_method_and_leaves_out_jdk_and_framework() {
        let stack = [
            frame("reneri.rt.Probe", "leave", 1),
            frame("a.Stack", "grow", 50),
            frame("java.util.ArrayList", "forEach", 9),
            frame("a.Stack", "push", 20),
            frame("a.StackTest", "lambda$pushes$0", 8),
            frame("org.junit.jupiter.api.AssertThrows", "assertThrows", 53),
            frame("a.StackTest", "pushes", 7),
            frame("java.lang.reflect.Method", "invoke", 1),
            frame("org.junit.runners.ParentRunner", "run", 1),
            frame("a.RetryRule", "evaluate", 30),
            frame("reneri.driver.Main", "main", 1),
        ];
        let tests = test_code(&["a.StackTest", "a.RetryRule"]);
        assert_eq!(
            names(&from_test_to_method(&stack, Some(&test("a.StackTest.pushes()")), "a.Stack", &tests)),
            ["a.StackTest.pushes:7", "a.StackTest.lambda$pushes$0:8", "a.Stack.push:20", "a.Stack.grow:50"]
        );
        assert_eq!(nearest_test_frame(&stack, &tests).unwrap().line, Some(8));
    }

    #[test]
    fn without_the_test_method_the_way_begins_at_the_outermost_frame_in_test_code() {
        let stack = [frame("a.Stack", "push", 20), frame("a.BaseTest", "setUp", 3), frame("org.junit.X", "run", 1)];
        let tests = test_code(&["a.BaseTest", "a.StackTest"]);
        assert_eq!(
            names(&from_test_to_method(&stack, Some(&test("a.StackTest.pops()")), "a.Stack", &tests)),
            ["a.BaseTest.setUp:3", "a.Stack.push:20"]
        );
    }

    #[test]
    fn in_a_thread_of_its_own_the_way_begins_with_the_project() {
        let stack = [frame("a.Stack", "push", 20), frame("a.Worker", "run", 3), frame("java.lang.Thread", "run", 1)];
        assert_eq!(
            names(&from_test_to_method(&stack, None, "a.Stack", &TestCode::default())),
            ["a.Worker.run:3", "a.Stack.push:20"]
        );
    }

    #[test]
    fn a_unit_in_a_package_that_is_usually_left_out_stays_in() {
        let stack = [frame("org.hamcrest.Is", "is", 20), frame("org.hamcrest.IsTest", "t", 3)];
        let tests = test_code(&["org.hamcrest.IsTest"]);
        assert_eq!(
            names(&from_test_to_method(&stack, Some(&test("org.hamcrest.IsTest.t()")), "org.hamcrest.Is", &tests)),
            ["org.hamcrest.IsTest.t:3", "org.hamcrest.Is.is:20"]
        );
    }

    #[test]
    fn a_nested_class_is_found_in_the_file_of_its_outer_class() {
        let tests = test_code(&["a.StackTest"]);
        assert!(tests.contains("a.StackTest$Inner$1"));
        assert!(!tests.contains("a.StackTests"));
        let nested = frame("a.StackTest$Inner", "t", 3);
        assert_eq!(tests.file(&nested).unwrap(), Path::new("/p/src/test/java/a/StackTest.java"));
        let without_file = Frame { file: None, ..nested };
        assert_eq!(tests.file(&without_file).unwrap(), Path::new("/p/src/test/java/a/StackTest.java"));
    }

    #[test]
    fn test_code_is_read_from_class_folder_and_source_roots() {
        let folder = tempfile::tempdir().unwrap();
        let (classes, sources) = (folder.path().join("classes"), folder.path().join("src"));
        for file in [classes.join("a/b/T.class"), classes.join("a/b/T$1.class"), sources.join("a/b/T.java")] {
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, "").unwrap();
        }
        let tests = TestCode::read(std::slice::from_ref(&classes), &[folder.path().join("missing"), sources.clone()]);
        assert!(tests.contains("a.b.T$1"));
        assert_eq!(tests.file(&frame("a.b.T", "t", 1)).unwrap(), sources.join("a/b/T.java"));
    }

    #[test]
    fn the_method_of_a_test_is_read_from_its_name() {
        assert_eq!(method_name("a.b.StackTest.pops(int)[2]"), "pops");
        assert_eq!(method_name("a.b.StackTest.pops"), "pops");
        assert_eq!(method_name("StackTest.pops[1: a.b]"), "pops");
        assert_eq!(method_name(""), "");
    }
}
