//! The Java classes that the worker's JVM needs (`reneri.rt`, in the boot loader), and where a JDK keeps its JVM.

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

/// Folder of the compiled `reneri.rt` classes.
///
/// # Errors
/// See [`compile_cached`].
pub fn classes(java_home: &Path) -> Result<PathBuf> {
    compile_cached(java_home, "rt", &SOURCES, &[], &[])
}

/// Defines the classes of `folder` (see [`classes`]) in the boot loader of this process' JVM.
///
/// # Errors
/// A sentence: what cannot be read, or what the JVM does not take.
pub fn define(jvm: Environment, folder: &Path) -> std::result::Result<(), String> {
    for entry in walkdir::WalkDir::new(folder).sort_by_file_name() {
        let entry = entry.map_err(|error| format!("{} cannot be read: {error}", folder.display()))?;
        let below = entry.path().strip_prefix(folder).ok().and_then(|below| below.to_str());
        let Some(name) = below.and_then(|below| below.strip_suffix(".class")) else { continue };
        let bytes = std::fs::read(entry.path())
            .map_err(|error| format!("{} cannot be read: {error}", entry.path().display()))?;
        jvm.define_in_boot_loader(&name.replace(std::path::MAIN_SEPARATOR, "/"), &bytes)
            .map_err(|error| format!("{name}: {error}"))?;
    }
    Ok(())
}

/// The JVM's library inside a JDK, 8 (`jre/lib/amd64/server`) or later (`lib/server`).
///
/// # Errors
/// When there is none.
pub fn libjvm(java_home: &Path) -> Result<PathBuf> {
    let file = format!("{}jvm{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    let old = match std::env::consts::ARCH {
        "x86_64" => "jre/lib/amd64/server",
        other => &format!("jre/lib/{other}/server"),
    };
    ["lib/server", old, "jre/lib/server", "bin/server"]
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
