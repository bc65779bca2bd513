//! The Java sources of the drivers that run test engines, embedded in this binary. The table of engines
//! (`recipe::Engine`) says which engine needs which of them.

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
pub const CORE: &[Source] = &[
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
pub const JUNIT4: &[Source] = &[
    source!("Categories.java"),
    source!("JUnit3Driver.java"),
    source!("JUnit4Class.java"),
    source!("JUnit4Driver.java"),
    source!("JUnit4Run.java"),
    source!("PojoRunner.java"),
    source!("StoppableRunner.java"),
];

/// Sources that depend on `org.junit.platform:junit-platform-launcher` 1.3 or later.
pub const PLATFORM: &[Source] = &[
    source!("JUnitPlatformDriver.java"),
    source!("PlatformName.java"),
    source!("PlatformRun.java"),
    source!("PlatformSelectors.java"),
    source!("PlatformStop.java"),
    source!("StoppableNodes.java"),
];

/// Sources that depend on `org.testng:testng` 6.8 or later.
pub const TESTNG: &[Source] = &[
    source!("TestNGDependencies.java"),
    source!("TestNGDriver.java"),
    source!("TestNGGroups.java"),
    source!("TestNGIds.java"),
    source!("TestNGNeeds.java"),
    source!("TestNGRun.java"),
    source!("TestNGSelector.java"),
    source!("TestNGSuites.java"),
];

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
            [CORE, JUNIT4, PLATFORM, TESTNG].concat().into_iter().map(|(path, _)| path.to_owned()).collect();
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
}
