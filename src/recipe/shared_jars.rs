//! Selects the jars of a test engine that may stay loaded from one clean start to the next. Half of
//! a short clean start is the loading of JUnit's classes.
//!
//! A class loader asks its parent first, and a parent sees nothing of its children. So the engine's
//! jars can be in a parent only if no other element has classes in their packages, and if they need
//! no other element.

use super::engine::{SharedJar, shared_jars};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The jars of the class path, in its order, for a parent loader that stays. There are none if that
/// could change what the tests do. `entries` lists the entries of a jar or folder.
pub fn shared(class_path: &[PathBuf], entries: impl Fn(&Path) -> Vec<String>) -> Vec<PathBuf> {
    let (engine, others): (Vec<&PathBuf>, Vec<&PathBuf>) = class_path.iter().partition(|element| is_engine(element));
    // JUnit 5 looks for Kotlin once and remembers the result.
    if engine.is_empty() || others.iter().any(|element| file_name(element).starts_with("kotlin-stdlib")) {
        return Vec::new();
    }
    let packages = |elements: &[&PathBuf]| -> BTreeSet<String> {
        elements.iter().flat_map(|element| entries(element)).filter_map(|entry| package(&entry)).collect()
    };
    let own = packages(&engine);
    let lacks_package = |element: &&PathBuf| {
        let needed = shared_jars().find(|jar| is_called(element, jar)).and_then(|jar| jar.needs);
        needed.is_some_and(|package| !own.contains(package))
    };
    if engine.iter().any(lacks_package) || !own.is_disjoint(&packages(&others)) {
        return Vec::new();
    }
    engine.into_iter().cloned().collect()
}

fn file_name(element: &Path) -> &str {
    element.file_name().and_then(|name| name.to_str()).unwrap_or_default()
}

fn is_engine(element: &Path) -> bool {
    shared_jars().any(|jar| is_called(element, jar))
}

/// Whether an element is this jar, by the name that it has in every repository:
/// `{name}-{version}.jar`.
fn is_called(element: &Path, jar: &SharedJar) -> bool {
    let name = file_name(element);
    let rest = name.strip_prefix(jar.prefix).filter(|_| name.ends_with(".jar"));
    let has_version = |rest: &str| rest.starts_with(|first: char| first.is_ascii_digit());
    rest.is_some_and(|rest| !jar.version_follows || has_version(rest))
}

/// The package of a class entry: `org/junit/Test.class` → `org/junit`. `None` for other entries and
/// for classes of other Java releases.
fn package(entry: &str) -> Option<String> {
    let (package, _) = entry.strip_suffix(".class")?.rsplit_once('/')?;
    (!package.starts_with("META-INF")).then(|| package.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Jars and their entries.
    const JUNIT: (&str, &[&str]) =
        ("/r/junit-4.13.2.jar", &["org/junit/Test.class", "org/junit/runner/Runner.class", "LICENSE"]);
    const HAMCREST: (&str, &[&str]) = ("/r/hamcrest-core-1.3.jar", &["org/hamcrest/Matcher.class"]);
    const JUPITER: (&str, &[&str]) = (
        "/r/junit-jupiter-api-5.10.2.jar",
        &["org/junit/jupiter/api/Test.class", "META-INF/versions/9/module-info.class"],
    );
    const OPENTEST: (&str, &[&str]) = ("/r/opentest4j-1.3.0.jar", &["org/opentest4j/AssertionFailedError.class"]);
    const CLASSES: (&str, &[&str]) = ("/p/target/classes", &["org/example/Stack.class", "META-INF/services/x"]);

    fn shared_of(elements: &[(&str, &[&str])]) -> Vec<String> {
        let class_path: Vec<PathBuf> = elements.iter().map(|(path, _)| PathBuf::from(path)).collect();
        let entries = |path: &Path| {
            let found = elements.iter().find(|(element, _)| Path::new(element) == path);
            found.map(|(_, entries)| entries.iter().map(|entry| (*entry).to_owned()).collect()).unwrap_or_default()
        };
        shared(&class_path, entries).iter().map(|element| file_name(element).to_owned()).collect()
    }

    #[test]
    fn only_the_jars_of_junit_are_shared() {
        let guava: (&str, &[&str]) = ("/r/guava-33.jar", &["com/google/common/collect/Lists.class"]);
        assert_eq!(shared_of(&[CLASSES, JUNIT, guava, HAMCREST]), ["junit-4.13.2.jar", "hamcrest-core-1.3.jar"]);
        assert_eq!(shared_of(&[CLASSES, JUPITER, OPENTEST]), ["junit-jupiter-api-5.10.2.jar", "opentest4j-1.3.0.jar"]);
        assert_eq!(shared_of(&[CLASSES, guava]), [""; 0]);
    }

    #[test]
    fn nothing_is_shared_if_another_element_has_classes_in_the_packages_of_the_engine() {
        let mocks: (&str, &[&str]) =
            ("/r/mockito-all-1.9.5.jar", &["org/mockito/Mockito.class", "org/hamcrest/Matcher.class"]);
        assert_eq!(shared_of(&[CLASSES, mocks, JUNIT, HAMCREST]), [""; 0]);
        let tests: (&str, &[&str]) = ("/p/target/test-classes", &["org/junit/runner/OurTest.class"]);
        assert_eq!(shared_of(&[tests, JUNIT, HAMCREST]), [""; 0]);
    }

    #[test]
    fn nothing_is_shared_if_the_engine_needs_a_package_that_its_jars_lack() {
        let matchers: (&str, &[&str]) = ("/r/java-hamcrest-2.0.0.0.jar", &["org/hamcrest/Matcher.class"]);
        assert_eq!(shared_of(&[CLASSES, JUNIT, matchers]), [""; 0]);
        assert_eq!(shared_of(&[CLASSES, JUPITER]), [""; 0]);
    }

    #[test]
    fn nothing_is_shared_beside_kotlin() {
        let kotlin: (&str, &[&str]) = ("/r/kotlin-stdlib-2.0.0.jar", &["kotlin/Metadata.class"]);
        assert_eq!(shared_of(&[CLASSES, JUPITER, OPENTEST, kotlin]), [""; 0]);
    }
}
