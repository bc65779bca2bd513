//! The classes of `reneri.rt`, which are defined in the boot loader of the worker's JVM, and the location of the JVM
//! library in a JDK.

use super::environment::Environment;
use crate::base::embedded_java::{Source, compile_cached};
use crate::base::error::{Error, Result};
use std::path::{Path, PathBuf};

const SOURCES: [Source; 5] = [
    ("reneri/rt/Agents.java", include_str!("../../java/runtime/src/main/java/reneri/rt/Agents.java")),
    ("reneri/rt/Probe.java", include_str!("../../java/runtime/src/main/java/reneri/rt/Probe.java")),
    ("reneri/rt/Events.java", include_str!("../../java/runtime/src/main/java/reneri/rt/Events.java")),
    ("reneri/rt/Identities.java", include_str!("../../java/runtime/src/main/java/reneri/rt/Identities.java")),
    ("reneri/rt/Session.java", include_str!("../../java/runtime/src/main/java/reneri/rt/Session.java")),
];

/// Compiles the classes of `reneri.rt` and returns their folder.
///
/// # Errors
/// See [`compile_cached`].
pub fn classes(java_home: &Path) -> Result<PathBuf> {
    compile_cached(java_home, "rt", &SOURCES, &[], &[])
}

/// Defines the classes of `folder` (see [`classes`]) in the boot loader of this process' JVM.
///
/// # Errors
/// A description of the file that cannot be read, or of the class that the JVM rejects.
pub fn define(jvm: Environment, folder: &Path) -> std::result::Result<(), String> {
    for entry in walkdir::WalkDir::new(folder).sort_by_file_name() {
        let entry = entry.map_err(|error| format!("{} cannot be read: {error}", folder.display()))?;
        let relative = entry.path().strip_prefix(folder).ok().and_then(|path| path.to_str());
        let Some(name) = relative.and_then(|path| path.strip_suffix(".class")) else { continue };
        let bytes = std::fs::read(entry.path())
            .map_err(|error| format!("{} cannot be read: {error}", entry.path().display()))?;
        jvm.define_in_boot_loader(&name.replace(std::path::MAIN_SEPARATOR, "/"), &bytes)
            .map_err(|error| format!("{name}: {error}"))?;
    }
    Ok(())
}

/// Finds the JVM library of a JDK, which is in `jre/lib/amd64/server` in Java 8 and in `lib/server` later.
///
/// # Errors
/// The JDK has none.
pub fn libjvm(java_home: &Path) -> Result<PathBuf> {
    let file = format!("{}jvm{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    let java8_folder = match std::env::consts::ARCH {
        "x86_64" => "jre/lib/amd64/server",
        architecture => &format!("jre/lib/{architecture}/server"),
    };
    ["lib/server", java8_folder, "jre/lib/server", "bin/server"]
        .iter()
        .map(|folder| java_home.join(folder).join(&file))
        .find(|path| path.is_file())
        .ok_or_else(|| {
            Error::cannot_build(
                format!("The Java installation {} has no {file}.", java_home.display()),
                "Set JAVA_HOME to a complete JDK (HotSpot), or choose one with Maven's toolchains.",
            )
        })
}
