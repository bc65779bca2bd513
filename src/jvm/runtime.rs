//! The Java classes that the worker's JVM needs (`reneri.rt`, in the boot loader), and where a JDK keeps its JVM.

use crate::error::{Error, Result};
use crate::java::{Source, compile_cached};
use std::path::{Path, PathBuf};

const SOURCES: [Source; 3] = [
    ("reneri/rt/Probe.java", include_str!("java/reneri/rt/Probe.java")),
    ("reneri/rt/Events.java", include_str!("java/reneri/rt/Events.java")),
    ("reneri/rt/Session.java", include_str!("java/reneri/rt/Session.java")),
];

/// Folder of the compiled `reneri.rt` classes.
///
/// # Errors
/// See [`compile_cached`].
pub fn classes(java_home: &Path) -> Result<PathBuf> {
    compile_cached(java_home, "rt", &SOURCES, &[], &[])
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
