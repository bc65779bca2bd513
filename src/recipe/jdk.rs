//! Finds JDKs and their feature releases.

use crate::base::embedded_java;
use crate::base::error::{Error, Result};
use std::path::{Path, PathBuf};

/// The JDK whose `java.home` is `home`. Up to Java 8, that is the folder `jre` inside of the JDK.
pub(super) fn at(home: &Path) -> Result<PathBuf> {
    let candidates = [Some(home), home.parent().filter(|_| home.ends_with("jre"))];
    candidates.into_iter().flatten().find(|home| embedded_java::tool(home, "javac").is_file()).map(Path::to_path_buf).ok_or_else(
        || {
            Error::cannot_build(
                format!("The Java installation {}, which Maven uses, has no compiler (bin/javac).", home.display()),
                "reneri compiles instrumented tests, so it needs a JDK, not a JRE: install one and set JAVA_HOME to it.",
            )
        },
    )
}

/// The JDK of the environment: `JAVA_HOME`, else the home of the `java` on the PATH.
pub(crate) fn of_environment() -> Result<PathBuf> {
    if let Some(home) = std::env::var_os("JAVA_HOME").filter(|home| !home.is_empty()) {
        return Ok(home.into());
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let program = format!("java{}", std::env::consts::EXE_SUFFIX);
    std::env::split_paths(&path)
        .filter_map(|folder| folder.join(&program).canonicalize().ok())
        .find_map(|java| Some(java.parent()?.parent()?.to_path_buf()))
        .ok_or_else(|| {
            Error::cannot_build(
                "There is no Java: JAVA_HOME is not set, and no `java` is in any folder of PATH.",
                "Install a JDK and set JAVA_HOME to it.",
            )
        })
}

/// Feature release of a JDK: 8, 11, 17, 25. It stands in the file `release`, which every JDK from 7
/// on has.
pub(super) fn feature_release(java_home: &Path) -> Result<u32> {
    let file = java_home.join("release");
    let text = std::fs::read_to_string(&file).unwrap_or_default();
    let version = text.lines().find_map(|line| line.strip_prefix("JAVA_VERSION="));
    version.and_then(feature).ok_or_else(|| {
        Error::cannot_build(
            format!("{} does not say which release of Java {} is.", file.display(), java_home.display()),
            "Set JAVA_HOME to a complete JDK.",
        )
    })
}

/// `"17.0.15"` → 17, `"1.8.0_392"` → 8, `"25-ea"` → 25.
fn feature(version: &str) -> Option<u32> {
    let version = version.trim().trim_matches('"');
    let version = version.strip_prefix("1.").unwrap_or(version);
    version.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;

    #[test]
    fn old_and_new_versions_name_the_feature_release() {
        for (version, expected) in [("\"17.0.15\"", 17), ("\"1.8.0_392\"", 8), ("25-ea", 25), ("\"21\"", 21)] {
            assert_eq!(feature(version), Some(expected), "{version}");
        }
        assert_eq!(feature("\"unknown\""), None);
    }

    #[test]
    fn an_installation_without_a_compiler_is_no_jdk() {
        let folder = tempfile::tempdir().unwrap();
        let error = at(folder.path()).unwrap_err();
        assert!(error.what.contains("no compiler") && error.next.contains("JAVA_HOME"), "{error}");
    }

    #[test]
    fn the_jre_inside_a_jdk_belongs_to_the_jdk() {
        let folder = tempfile::tempdir().unwrap();
        let javac = embedded_java::tool(folder.path(), "javac");
        std::fs::create_dir_all(javac.parent().unwrap()).unwrap();
        std::fs::write(javac, "").unwrap();
        assert_eq!(at(&folder.path().join("jre")).unwrap(), folder.path());
    }
}
