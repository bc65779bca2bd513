//! The table of test engines: everything that reneri knows of JUnit 3, 4, the JUnit Platform and
//! TestNG stands here, so that a new engine is a new row.
//!
//! Two other places know engines by name, because they run inside other processes:
//! `TestEngine.java` chooses the engine as surefire does, and `Drivers.java` loads its driver.

use crate::base::embedded_java::Source;
use crate::jvm::driver_sources;
use crate::recipe::jars::jar_entries;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// A test engine, as surefire distinguishes them. The names are those of `TestEngine.java` and
/// `Drivers.java`.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, PartialEq, Eq)]
pub enum Engine {
    /// JUnit 4 behind the project's own JUnit 3; also runs classes with test methods that extend
    /// nothing.
    JUnit3,
    /// JUnit 4, also for tests written for JUnit 3.
    JUnit4,
    /// The launcher of the JUnit Platform: JUnit 5 and 6, JUnit 4 through the vintage engine, other
    /// engines.
    JUnitPlatform,
    /// TestNG, which runs the JUnit 4 tests beside its own.
    TestNG,
}

/// One row of the table.
#[derive(Debug)]
pub struct EngineProfile {
    /// The engine's name for people.
    pub name: &'static str,
    /// The jars that the engine consists of.
    jars: Jars,
    /// The class with the engine's own assertions.
    pub assertions: &'static str,
    /// Packages, with subpackages, of the engine and of the libraries that it brings.
    packages: &'static [&'static str],
    /// The engine's name in a recipe file; `None` if it has none.
    recipe_name: Option<&'static str>,
    /// A file on the class path that shows that tests are written for the engine.
    pub(super) marker: &'static str,
    /// A file that has to be on the class path, and what is wrong if it is not.
    pub(super) required: Option<(&'static str, &'static str)>,
    /// The Java sources of its driver.
    drivers: &'static [Source],
    /// The driver is needed whenever the marker is there, because other engines run such tests,
    /// too.
    is_run_by_others: bool,
    pub(super) parameters: Parameters,
    /// Jars that may stay loaded from one clean start to the next; none if the engine keeps state
    /// in its classes.
    shared_jars: &'static [SharedJar],
    /// Whether a recipe of this engine shares such jars.
    pub(super) shares_jars: bool,
    /// Whether a set-up may serve the whole suite, and a test may wait for a test of another class.
    runs_suites: bool,
    /// Packages that a module of tests has to open to all code, each with its module.
    pub(super) opened_packages: &'static [(&'static str, &'static str)],
}

/// The way to recognize the jars of an engine.
#[derive(Clone, Copy, Debug)]
enum Jars {
    /// By parts of their names.
    Named(&'static [&'static str]),
    /// By an entry. Their names say nothing: any library may be called an engine.
    With(&'static str),
}

/// The way in which an engine takes its parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Parameters {
    None,
    /// As system properties.
    SystemProperties,
    /// Through its driver, with the groups of the filter.
    Driver,
}

/// A jar that may stay loaded.
#[derive(Debug)]
pub(super) struct SharedJar {
    /// Beginning of the file name.
    pub(super) prefix: &'static str,
    /// Whether the version follows at once.
    pub(super) version_follows: bool,
    /// A package in another jar without which it does not work.
    pub(super) needs: Option<&'static str>,
}

const fn jar(prefix: &'static str, needs: Option<&'static str>) -> SharedJar {
    SharedJar { prefix, version_follows: false, needs }
}

const fn versioned(prefix: &'static str) -> SharedJar {
    SharedJar { prefix, version_follows: true, needs: None }
}

static JUNIT_3: EngineProfile = EngineProfile {
    name: "JUnit 3",
    jars: Jars::Named(&["junit-3", "junit-4"]),
    assertions: "junit.framework.Assert",
    packages: &["junit"],
    recipe_name: None,
    marker: "junit/framework/TestCase.class",
    required: None,
    drivers: &[],
    is_run_by_others: false,
    parameters: Parameters::None,
    shared_jars: &[],
    shares_jars: true,
    runs_suites: false,
    opened_packages: &[],
};

static JUNIT_4: EngineProfile = EngineProfile {
    name: "JUnit 4",
    jars: Jars::Named(&["junit-3", "junit-4", "junit-dep-4"]),
    assertions: "org.junit.Assert",
    packages: &["org.junit", "org.hamcrest"],
    recipe_name: Some("junit4"),
    marker: "org/junit/runner/Runner.class",
    required: None,
    drivers: driver_sources::JUNIT4,
    is_run_by_others: true,
    parameters: Parameters::None,
    shared_jars: &[
        jar("junit-4", Some("org/hamcrest")),
        versioned("hamcrest-"),
        versioned("hamcrest-core-"),
        versioned("hamcrest-library-"),
        versioned("hamcrest-all-"),
    ],
    shares_jars: true,
    runs_suites: false,
    opened_packages: &[],
};

static JUNIT_PLATFORM: EngineProfile = EngineProfile {
    name: "JUnit Platform",
    jars: Jars::With("META-INF/services/org.junit.platform.engine.TestEngine"),
    assertions: "org.junit.jupiter.api.Assertions",
    packages: &["org.junit", "org.opentest4j", "org.apiguardian"],
    recipe_name: Some("junit-platform"),
    marker: "org/junit/platform/commons/JUnitException.class",
    required: Some((
        "org/junit/platform/launcher/Launcher.class",
        "its tests run on the JUnit Platform, whose launcher is missing: add the jar of \
         org.junit.platform:junit-platform-launcher, in the version of the other jars, to `engineClassPath`",
    )),
    drivers: driver_sources::PLATFORM,
    is_run_by_others: false,
    parameters: Parameters::SystemProperties,
    shared_jars: &[
        jar("junit-jupiter-", Some("org/opentest4j")),
        jar("junit-platform-", Some("org/opentest4j")),
        jar("junit-vintage-engine-", Some("org/junit/runner")),
        jar("opentest4j-", None),
        jar("apiguardian-api-", None),
    ],
    shares_jars: true,
    runs_suites: false,
    opened_packages: &[
        ("org.junit.platform.commons", "org.junit.platform.commons.util"),
        ("org.junit.platform.commons", "org.junit.platform.commons.logging"),
    ],
};

static TESTNG: EngineProfile = EngineProfile {
    name: "TestNG",
    jars: Jars::Named(&["testng-", "junit-4"]),
    assertions: "org.testng.Assert",
    packages: &["org.testng"],
    recipe_name: Some("testng"),
    marker: "org/testng/TestNG.class",
    required: None,
    drivers: driver_sources::TESTNG,
    is_run_by_others: false,
    parameters: Parameters::Driver,
    shared_jars: &[],
    shares_jars: false,
    runs_suites: true,
    opened_packages: &[],
};

/// TestNG's parameter with its suite files, a line for each. Such files name the test classes
/// themselves.
pub(super) const SUITE_FILES: &str = "suitexmlfiles";

impl EngineProfile {
    /// Whether the engine consists of this jar, and perhaps others.
    #[must_use]
    pub fn has_jar(&self, jar: &Path) -> bool {
        match self.jars {
            Jars::Named(names) => {
                let name = jar.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
                names.iter().any(|part| name.contains(part))
            }
            Jars::With(entry) => jar_entries(jar).iter().any(|name| name == entry),
        }
    }
}

impl Engine {
    const ALL: [Self; 4] = [Self::JUnit3, Self::JUnit4, Self::JUnitPlatform, Self::TestNG];
    /// The engines that a class path can show, in the order in which surefire looks for them.
    pub(super) const DETECTED: [Self; 3] = [Self::JUnitPlatform, Self::TestNG, Self::JUnit4];

    /// The engine's row of the table.
    #[must_use]
    pub fn profile(self) -> &'static EngineProfile {
        match self {
            Self::JUnit3 => &JUNIT_3,
            Self::JUnit4 => &JUNIT_4,
            Self::JUnitPlatform => &JUNIT_PLATFORM,
            Self::TestNG => &TESTNG,
        }
    }

    /// Whether a test may depend on the set-up of the whole suite, or on a test of another class.
    #[must_use]
    pub fn runs_suites(self) -> bool {
        self.profile().runs_suites
    }

    /// The Java sources of the drivers for tests of this engine. `has` tells whether a file is on
    /// the class path.
    pub fn driver_sources(self, has: impl Fn(&str) -> bool) -> Vec<Source> {
        let mut sources = driver_sources::CORE.to_vec();
        for engine in Self::ALL {
            let profile = engine.profile();
            let is_needed = if profile.is_run_by_others { has(profile.marker) } else { engine == self };
            if is_needed {
                sources.extend_from_slice(profile.drivers);
            }
        }
        sources
    }

    /// The engine of that name in a recipe file, or the names that there are.
    pub(super) fn of_recipe_name(name: &str) -> Result<Self, Vec<&'static str>> {
        let named = |engine: &Self| engine.profile().recipe_name == Some(name);
        let names = || Self::ALL.iter().filter_map(|engine| engine.profile().recipe_name).collect();
        Self::ALL.into_iter().find(named).ok_or_else(names)
    }
}

/// All jars of engines that may stay loaded.
pub(super) fn shared_jars() -> impl Iterator<Item = &'static SharedJar> {
    Engine::ALL.into_iter().flat_map(|engine| engine.profile().shared_jars)
}

/// Packages of the engines and of the libraries that they bring, subpackages included: `org.junit`.
pub fn engine_packages() -> impl Iterator<Item = &'static str> {
    Engine::ALL.into_iter().flat_map(|engine| engine.profile().packages).copied()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn each_engine_is_found_by_its_name_in_a_recipe_file() {
        for (name, engine) in
            [("junit4", Engine::JUnit4), ("junit-platform", Engine::JUnitPlatform), ("testng", Engine::TestNG)]
        {
            assert_eq!(Engine::of_recipe_name(name).unwrap(), engine);
        }
        assert_eq!(Engine::of_recipe_name("junit3").unwrap_err(), ["junit4", "junit-platform", "testng"]);
    }

    #[test]
    fn a_jar_of_the_junit_platform_is_known_by_its_service_and_not_by_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let jar = |name: &str, entry: &str| {
            let path = folder.path().join(name);
            let mut archive = zip::ZipWriter::new(std::fs::File::create(&path).unwrap());
            archive.start_file(entry, zip::write::SimpleFileOptions::default()).unwrap();
            archive.finish().unwrap();
            Engine::JUnitPlatform.profile().has_jar(&path)
        };
        assert!(jar("spock-core-2.3.jar", "META-INF/services/org.junit.platform.engine.TestEngine"));
        assert!(!jar("velocity-engine-core-2.4.1.jar", "META-INF/MANIFEST.MF"));
        assert!(Engine::TestNG.profile().has_jar(Path::new("lib/testng-7.10.jar")));
    }

    #[test]
    fn no_source_is_embedded_for_an_engine_that_is_not_there() {
        let texts = |engine: Engine, junit4: bool| engine.driver_sources(|_| junit4);
        for (path, text) in texts(Engine::TestNG, false) {
            assert!(!text.contains("import org.junit"), "{path}");
        }
        for (path, text) in texts(Engine::JUnit4, true) {
            assert!(!text.contains("import org.junit.platform") && !text.contains("import org.testng"), "{path}");
        }
        for (path, text) in texts(Engine::JUnitPlatform, false) {
            assert!(!text.contains("import org.junit.runner"), "{path}");
        }
    }
}
