//! What a result that is kept hangs on: files by size and times, folders by their content, the environment. From these to a fingerprint.

use crate::base::embedded_java::cache_folder;
use serde::Serialize;
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

/// Variables that differ from one shell to the next and that no build reads.
const ENVIRONMENT_IGNORED: [&str; 6] = ["_", "SHLVL", "PWD", "OLDPWD", "COLUMNS", "LINES"];

/// With these begin the variables in which CI services tell of a run: number, commit, temporary files.
const ENVIRONMENT_OF_SERVICES: [&str; 5] = ["ACTIONS_", "CI_", "GITHUB_", "GITLAB_", "RUNNER_"];

/// What was kept and not written again for so long belongs to nobody.
pub const KEPT_FOR: Duration = Duration::from_secs(60 * 24 * 60 * 60);

/// Size, times of the last change in nanoseconds, number in the file system; `None` where there is no file.
pub type Stamp = Option<(u64, i128, i128, u64)>;
pub type Stamps = BTreeMap<PathBuf, Stamp>;

/// Whether a file, or what is in a folder, of the project may be read by its build or its tests. What `reneri.toml` says is known otherwise.
pub fn is_input_of_project(path: &Path, output: &Path) -> bool {
    path != output && !path.ends_with(".git") && !path.ends_with("reneri.toml")
}

/// Those that are in none of the folders.
pub fn outside(stamps: &Stamps, folders: &BTreeSet<PathBuf>) -> Stamps {
    let is_outside = |path: &Path| !folders.iter().any(|folder| path.starts_with(folder));
    stamps.iter().filter(|(path, _)| is_outside(path)).map(|(path, stamp)| (path.clone(), *stamp)).collect()
}

/// All files in a folder and what is below it, but for what is not `wanted`; none where there is no such folder.
pub fn all_in(folder: &Path, wanted: impl Fn(&Path) -> bool) -> Stamps {
    let walk = walkdir::WalkDir::new(folder).follow_links(true).into_iter().filter_entry(|entry| wanted(entry.path()));
    let files = walk.filter_map(std::result::Result::ok).filter(|entry| !entry.file_type().is_dir());
    files.map(|entry| (entry.path().to_path_buf(), stamp(entry.path()))).collect()
}

/// The time of the last change of the file's content or attributes cannot be set back, unlike that of its content.
pub fn stamp(file: &Path) -> Stamp {
    use std::os::unix::fs::MetadataExt;
    let metadata = std::fs::metadata(file).ok()?;
    let modified = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?.as_nanos();
    let changed = i128::from(metadata.ctime()) * 1_000_000_000 + i128::from(metadata.ctime_nsec());
    Some((metadata.len(), i128::try_from(modified).ok()?, changed, metadata.ino()))
}

/// A hash in the making.
#[derive(Default)]
pub struct Fingerprint(Sha256);

impl Fingerprint {
    /// Of this build of reneri, which may say something else than another, and of the variables that a build or a test may read. `None` where the
    /// program cannot be found.
    pub fn of_program_and_environment() -> Option<Self> {
        let mut fingerprint = Self::of_environment();
        fingerprint.add(env!("CARGO_PKG_VERSION"));
        fingerprint.add(&format!("{:?}", stamp(&std::env::current_exe().ok()?)));
        Some(fingerprint)
    }

    /// Of the variables that a build or a test may read.
    pub fn of_environment() -> Self {
        let mut fingerprint = Self::default();
        let is_of_service = |name: &str| ENVIRONMENT_OF_SERVICES.iter().any(|start| name.starts_with(start));
        let read = |name: &OsString| {
            !ENVIRONMENT_IGNORED.iter().any(|ignored| name == ignored) && !is_of_service(&name.to_string_lossy())
        };
        let environment: BTreeMap<OsString, OsString> = std::env::vars_os().filter(|(name, _)| read(name)).collect();
        for (name, value) in environment {
            fingerprint.add(&name.to_string_lossy());
            fingerprint.add(&value.to_string_lossy());
        }
        fingerprint
    }

    pub fn add(&mut self, text: &str) {
        self.0.update(text.len().to_le_bytes());
        self.0.update(text);
    }

    /// Hexadecimal digits.
    pub fn finish(self) -> String {
        self.0.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// The contents of files, which are read again only where the stamp is another.
#[derive(Debug)]
pub struct Contents {
    file: PathBuf,
    known: BTreeMap<PathBuf, (Stamp, String)>,
    seen: BTreeMap<PathBuf, (Stamp, String)>,
}

impl Contents {
    /// Of the files of the project in this folder, and of what it uses.
    pub fn of(project: &Path) -> Self {
        let mut place = Fingerprint::default();
        place.add(&project.to_string_lossy());
        let file = cache_folder().join("contents").join(format!("{}.json", place.finish()));
        let known = std::fs::read(&file).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default();
        Self { file, known, seen: BTreeMap::new() }
    }

    /// Hexadecimal digits that stand for the content; empty where there is no such file.
    pub fn get(&mut self, file: &Path) -> String {
        let stamp = stamp(file);
        let known = self.known.get(file).filter(|(then, _)| *then == stamp && stamp.is_some());
        let content = match known {
            Some((_, content)) => content.clone(),
            None => content_of(file).unwrap_or_default(),
        };
        self.seen.insert(file.to_path_buf(), (stamp, content.clone()));
        content
    }

    /// Keeps what was asked for, where anything of it is new.
    pub fn keep(&self) {
        if self.seen != self.known {
            // What cannot be kept is read again.
            let _ = replace(&self.file, &self.seen);
        }
    }
}

/// Hexadecimal digits that stand for the content of a file.
pub fn content(bytes: &[u8]) -> String {
    let mut fingerprint = Fingerprint::default();
    fingerprint.0.update(bytes);
    fingerprint.finish()
}

/// The same of a file, which may be large (the JDK's own classes): never in memory as a whole.
fn content_of(file: &Path) -> std::io::Result<String> {
    let mut fingerprint = Fingerprint::default();
    let mut bytes = std::io::BufReader::with_capacity(1 << 17, std::fs::File::open(file)?);
    loop {
        let read = bytes.fill_buf()?;
        if read.is_empty() {
            return Ok(fingerprint.finish());
        }
        fingerprint.0.update(read);
        let length = read.len();
        bytes.consume(length);
    }
}

/// Hexadecimal digits that are others when any of the files is another.
pub fn fingerprint(stamps: &Stamps) -> String {
    let mut fingerprint = Fingerprint::default();
    for (path, stamp) in stamps {
        fingerprint.add(&format!("{}\0{stamp:?}", path.display()));
    }
    fingerprint.finish()
}

/// Writes the file anew, all of it or nothing; makes its folder if need be. `None` where that is not possible.
pub fn replace(file: &Path, value: &impl Serialize) -> Option<()> {
    replace_bytes(file, &serde_json::to_vec(value).ok()?)
}

/// The same with the bytes of a file.
pub fn replace_bytes(file: &Path, bytes: &[u8]) -> Option<()> {
    let folder = file.parent()?;
    std::fs::create_dir_all(folder).ok()?;
    let mut scratch = tempfile::NamedTempFile::new_in(folder).ok()?;
    scratch.write_all(bytes).ok()?;
    scratch.persist(file).ok()?;
    Some(())
}

/// Removes what has not been written for so long from a folder: projects that are gone would leave their results behind.
pub fn forget_older_than(folder: &Path, age: Duration) {
    let is_old = |file: &Path| {
        let modified = std::fs::metadata(file).and_then(|metadata| metadata.modified()).ok();
        modified.and_then(|modified| modified.elapsed().ok()).is_some_and(|elapsed| elapsed > age)
    };
    for entry in std::fs::read_dir(folder).into_iter().flatten().filter_map(std::result::Result::ok) {
        if is_old(&entry.path()) {
            // Somebody else may have removed it.
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_written_for_long_is_forgotten() {
        let folder = tempfile::tempdir().unwrap();
        let (old, new) = (folder.path().join("old.json"), folder.path().join("new.json"));
        let file = std::fs::File::create(&old).unwrap();
        file.set_modified(std::time::SystemTime::now() - 2 * KEPT_FOR).unwrap();
        std::fs::write(&new, "{}").unwrap();
        forget_older_than(folder.path(), KEPT_FOR);
        assert_eq!((old.exists(), new.exists()), (false, true));
    }
}
