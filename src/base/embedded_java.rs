//! Compiles the Java sources embedded in this binary, once per JDK, and keeps the class files in the
//! user's cache under a hash of all inputs.

use crate::base::cache_folder::cache_folder;
use crate::base::error::{Error, ExitCode, Result};
use crate::base::fingerprint::{all_in, content_of};
use crate::base::kept;
use parking_lot::Mutex;
use std::collections::hash_map::DefaultHasher;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{Hash, Hasher};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The file with the hashes of all others in a folder.
const SUMS: &str = "checksums.json";

/// An embedded Java source: path below the source root (`reneri/rt/Probe.java`) and text.
pub type Source = (&'static str, &'static str);

/// Path of `program` in the JDK's `bin`.
#[must_use]
pub fn tool(java_home: &Path, program: &str) -> PathBuf {
    java_home.join("bin").join(format!("{program}{}", std::env::consts::EXE_SUFFIX))
}

/// The JDK's `javac`, tuned for a second or two of work: HotSpot's second compiler and parallel
/// garbage collection would double the CPU time.
#[must_use]
pub fn quick_javac(java_home: &Path) -> Command {
    let mut command = Command::new(tool(java_home, "javac"));
    command.args(["-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC", "-J-Xshare:auto"]);
    command
}

/// Compiles `sources` against `class_path` with the JDK's own `javac`, writes `resources` beside the
/// classes, and returns their folder. Reuses the result of an earlier run if the JDK, the sources and
/// the class path are the same.
///
/// # Errors
/// If there is no `javac`, if the cache cannot be written, or if javac refuses the sources.
pub fn compile_cached(
    java_home: &Path,
    name: &str,
    sources: &[Source],
    resources: &[Source],
    class_path: &[PathBuf],
) -> Result<PathBuf> {
    let javac = tool(java_home, "javac");
    if !javac.is_file() {
        return Err(Error::cannot_build(
            format!("The Java installation {} has no compiler (bin/javac).", java_home.display()),
            "reneri compiles instrumented tests, so it needs a JDK, not a JRE: install one and set JAVA_HOME to it.",
        ));
    }
    let mut hasher = DefaultHasher::new();
    (env!("CARGO_PKG_VERSION"), java_home, sources, resources, class_path).hash(&mut hasher);
    // An update of the JDK in place changes its release file.
    std::fs::read(java_home.join("release")).unwrap_or_default().hash(&mut hasher);
    let cache = cache_folder();
    let folder = cache.join(format!("{name}-{:016x}", hasher.finish()));
    if is_complete(&folder) {
        return Ok(folder);
    }
    let unwritable = |error: std::io::Error| {
        let what = format!("The cache folder {} cannot be written: {error}.", cache.display());
        Error::of_system(what, &error, "Set RENERI_CACHE to a folder that can be written.")
    };
    std::fs::create_dir_all(&cache).map_err(unwritable)?;
    // Renamed to its final name when complete, so that an interrupted run leaves nothing that looks
    // complete.
    let scratch = tempfile::Builder::new().prefix(".new-").tempdir_in(&cache).map_err(unwritable)?;
    let source_root = scratch.path().join("src");
    let classes = scratch.path().join("classes");
    let mut command = quick_javac(java_home);
    command.args(["-nowarn", "-proc:none", "-encoding", "UTF-8", "-g", "-d"]).arg(&classes);
    if !class_path.is_empty() {
        command.arg("-cp").arg(
            std::env::join_paths(class_path)
                .map_err(|error| Error::bug(format!("A class path element cannot be passed to javac: {error}.")))?,
        );
    }
    for (path, text) in sources {
        let file = source_root.join(path);
        write(&file, text).map_err(unwritable)?;
        command.arg(file);
    }
    std::fs::create_dir_all(&classes).map_err(unwritable)?;
    let output = command.output().map_err(|error| {
        Error::cannot_build(
            format!("{} could not be started: {error}.", javac.display()),
            "Check that JAVA_HOME names a working JDK.",
        )
    })?;
    if output.status.signal().is_some() {
        return Err(Error::new(
            ExitCode::Machine,
            format!("{} was ended from outside, as systems do when memory runs out.", javac.display()),
            "Free memory or use `--jobs 1`, and start again.",
        ));
    }
    if !output.status.success() {
        return Err(Error::bug(format!("{} refused reneri's own Java part ({name}).", javac.display()))
            .with_details(String::from_utf8_lossy(&output.stderr)));
    }
    for (path, text) in resources {
        write(&classes.join(path), text).map_err(unwritable)?;
    }
    let sums = sums(&classes).and_then(|sums| kept::write_json(&classes.join(SUMS), &sums));
    sums.ok_or_else(|| unwritable(std::io::Error::other("its checksums cannot be written")))?;
    // A damaged folder is in the way.
    let _ = std::fs::rename(&folder, scratch.path().join("damaged"));
    match std::fs::rename(&classes, &folder) {
        Ok(()) => Ok(folder),
        // Another run was faster. Its result is the same.
        Err(_) if is_complete(&folder) => Ok(folder),
        Err(error) => Err(unwritable(error)),
    }
}

/// Whether the folder has all files as they were written. Each folder is read once.
fn is_complete(folder: &Path) -> bool {
    static KNOWN: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
    if KNOWN.lock().contains(folder) {
        return true;
    }
    let kept: Option<BTreeMap<PathBuf, String>> = kept::read_json(&folder.join(SUMS)).ok();
    let is_complete = kept.is_some() && kept == sums(folder);
    if is_complete {
        KNOWN.lock().insert(folder.to_path_buf());
    }
    is_complete
}

/// The hashes of all files in the folder.
fn sums(folder: &Path) -> Option<BTreeMap<PathBuf, String>> {
    let files = all_in(folder, |path| !path.ends_with(SUMS)).into_keys();
    files.map(|file| Some((file.strip_prefix(folder).ok()?.to_path_buf(), content_of(&file).ok()?))).collect()
}

fn write(file: &Path, text: &str) -> std::io::Result<()> {
    if let Some(parent) = file.parent() {
        std::fs::create_dir_all(parent)?;
    }
    std::fs::write(file, text)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_with_a_flipped_bit_or_without_a_file_is_not_complete() {
        let place = tempfile::tempdir().unwrap();
        let folder = |name: &str| {
            let folder = place.path().join(name);
            write(&folder.join("a/A.class"), "A").unwrap();
            write(&folder.join("B.class"), "B").unwrap();
            kept::write_json(&folder.join(SUMS), &sums(&folder).unwrap()).unwrap();
            folder
        };
        assert!(is_complete(&folder("whole")));
        let damages: [fn(&Path); 4] = [
            |folder| write(&folder.join("a/A.class"), "@").unwrap(),
            |folder| std::fs::remove_file(folder.join("B.class")).unwrap(),
            |folder| write(&folder.join("C.class"), "C").unwrap(),
            |folder| std::fs::remove_file(folder.join(SUMS)).unwrap(),
        ];
        for (number, damage) in damages.iter().enumerate() {
            let folder = folder(&number.to_string());
            damage(&folder);
            assert!(!is_complete(&folder), "{number}");
        }
    }
}
