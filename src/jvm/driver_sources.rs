//! Selects the embedded Java sources of the test drivers that fit the test engines on a project's class path.

use crate::base::embedded_java::Source;

macro_rules! source {
    ($name:literal) => {
        (
            concat!("reneri/driver/", $name),
            include_str!(concat!("../../java/driver/src/main/java/reneri/driver/", $name)),
        )
    };
}

/// Sources that depend on the JDK only.
const CORE: &[Source] = &[
    source!("Driver.java"),
    source!("Drivers.java"),
    source!("GroupExpression.java"),
    source!("Listener.java"),
    source!("MixedDriver.java"),
    source!("Names.java"),
    source!("NetworkDefaults.java"),
    source!("Progress.java"),
    source!("Surroundings.java"),
];

/// Sources that depend on `junit:junit` 4.4 or later.
const JUNIT4: &[Source] = &[
    source!("Categories.java"),
    source!("JUnit3Driver.java"),
    source!("JUnit4Class.java"),
    source!("JUnit4Driver.java"),
    source!("JUnit4Run.java"),
    source!("PojoRunner.java"),
    source!("StoppableRunner.java"),
];

/// Sources that depend on `org.junit.platform:junit-platform-launcher` 1.3 or later.
const PLATFORM: &[Source] = &[
    source!("JUnitPlatformDriver.java"),
    source!("PlatformName.java"),
    source!("PlatformRun.java"),
    source!("PlatformSelectors.java"),
    source!("PlatformStop.java"),
    source!("StoppableNodes.java"),
];

/// Sources that depend on `org.testng:testng` 6.8 or later.
const TESTNG: &[Source] = &[
    source!("TestNGDependencies.java"),
    source!("TestNGDriver.java"),
    source!("TestNGGroups.java"),
    source!("TestNGIds.java"),
    source!("TestNGNeeds.java"),
    source!("TestNGRun.java"),
    source!("TestNGSelector.java"),
    source!("TestNGSuites.java"),
];

/// The sources that compile against a class path with `org.junit.runner.Runner` (`junit4`),
/// `org.junit.platform.launcher.Launcher` (`platform`) and `org.testng.TestNG` (`testng`). The Vintage engine needs the
/// first two; a project with both JUnit and TestNG tests needs the first and the last.
#[must_use]
pub fn sources(junit4: bool, platform: bool, testng: bool) -> Vec<Source> {
    let mut sources = CORE.to_vec();
    if junit4 {
        sources.extend_from_slice(JUNIT4);
    }
    if platform {
        sources.extend_from_slice(PLATFORM);
    }
    if testng {
        sources.extend_from_slice(TESTNG);
    }
    sources
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_java_file_of_the_drivers_is_embedded() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("java/driver/src/main/java/reneri/driver");
        let files: BTreeSet<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| format!("reneri/driver/{}", entry.unwrap().file_name().to_string_lossy()))
            .collect();
        let embedded: BTreeSet<String> =
            sources(true, true, true).into_iter().map(|(path, _)| path.to_owned()).collect();
        assert_eq!(files, embedded);
    }

    #[test]
    fn the_maven_project_of_the_java_sources_has_the_version_of_this_package() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("java");
        let version = format!("<version>{}</version>", env!("CARGO_PKG_VERSION"));
        for pom in ["pom.xml", "compiler/pom.xml", "driver/pom.xml", "maven-extension/pom.xml", "runtime/pom.xml"] {
            let text = std::fs::read_to_string(folder.join(pom)).unwrap();
            assert!(text.contains(&version), "{pom}");
        }
    }

    #[test]
    fn sources_of_a_missing_engine_are_left_out() {
        for (path, text) in sources(false, false, true) {
            assert!(!text.contains("import org.junit"), "{path}");
        }
        for (path, text) in sources(true, false, false) {
            assert!(!text.contains("import org.junit.platform") && !text.contains("import org.testng"), "{path}");
        }
        for (path, text) in sources(false, true, false) {
            assert!(!text.contains("import org.junit.runner"), "{path}");
        }
    }
}
