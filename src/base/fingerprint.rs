//! Fingerprints of everything that a stored result depends on: files, folders and the environment.

use crate::base::interrupt;
use crate::base::read::open_file;
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

/// Variables that differ between shells and that no build reads.
const ENVIRONMENT_IGNORED: [&str; 6] = ["_", "SHLVL", "PWD", "OLDPWD", "COLUMNS", "LINES"];

/// Prefixes of variables in which CI services describe a run: number, commit, temporary files.
const ENVIRONMENT_OF_SERVICES: [&str; 5] = ["ACTIONS_", "CI_", "GITHUB_", "GITLAB_", "RUNNER_"];

/// Folders with files that the system makes up.
const OF_SYSTEM: [&str; 3] = ["/dev", "/proc", "/sys"];

/// Results that were not written again for this long are deleted.
pub const KEPT_FOR: Duration = Duration::from_secs(60 * 24 * 60 * 60);

/// Size, times of the last change in nanoseconds, and inode number; `None` if there is no file.
pub type Stamp = Option<(u64, i128, i128, u64)>;
pub type Stamps = BTreeMap<PathBuf, Stamp>;

/// Whether the build or the tests may read this file or folder of the project. `reneri.toml` does not
/// count: its settings are fingerprinted themselves.
pub fn is_input_of_project(path: &Path, output: &Path) -> bool {
    path != output && !path.ends_with(".git") && !path.ends_with("reneri.toml")
}

/// The stamps of files that are in none of the folders.
pub fn outside(stamps: &Stamps, folders: &BTreeSet<PathBuf>) -> Stamps {
    let is_outside = |path: &Path| !folders.iter().any(|folder| path.starts_with(folder));
    stamps.iter().filter(|(path, _)| is_outside(path)).map(|(path, stamp)| (path.clone(), *stamp)).collect()
}

/// All `wanted` files below a folder; none if there is no such folder. Follows links, but not back to a folder around this
/// one (`/`) and not to the system's own files, where it would find no end.
pub fn all_in(folder: &Path, wanted: impl Fn(&Path) -> bool) -> Stamps {
    let around = folder.canonicalize().unwrap_or_default();
    let leads_astray = |entry: &walkdir::DirEntry| {
        let target = entry.path_is_symlink().then(|| entry.path().canonicalize().ok()).flatten();
        target.is_some_and(|target| around.starts_with(&target) || OF_SYSTEM.iter().any(|of| target.starts_with(of)))
    };
    let walk = walkdir::WalkDir::new(folder).follow_links(true).into_iter();
    let walk = walk.filter_entry(|entry| wanted(entry.path()) && (entry.depth() == 0 || !leads_astray(entry)));
    let walk = walk.take_while(|_| !interrupt::must_hurry());
    let files = walk.filter_map(std::result::Result::ok).filter(|entry| !entry.file_type().is_dir());
    files.map(|entry| (entry.path().to_path_buf(), stamp(entry.path()))).collect()
}

/// Contains the change time (ctime), too: unlike the modification time, nobody can set it back.
pub fn stamp(file: &Path) -> Stamp {
    use std::os::unix::fs::MetadataExt;
    let metadata = std::fs::metadata(file).ok()?;
    let modified = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?.as_nanos();
    let changed = i128::from(metadata.ctime()) * 1_000_000_000 + i128::from(metadata.ctime_nsec());
    Some((metadata.len(), i128::try_from(modified).ok()?, changed, metadata.ino()))
}

/// A hash under construction.
#[derive(Default)]
pub struct Fingerprint(Sha256);

impl Fingerprint {
    /// Starts with this build of reneri, because another one may give other results, and with the
    /// variables that a build or a test may read. `None` if the program cannot be found.
    pub fn of_program_and_environment() -> Option<Self> {
        let mut fingerprint = Self::of_environment();
        fingerprint.add(env!("CARGO_PKG_VERSION"));
        fingerprint.add(&format!("{:?}", stamp(&std::env::current_exe().ok()?)));
        Some(fingerprint)
    }

    /// Starts with the variables that a build or a test may read.
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

    /// The hash in hexadecimal digits.
    pub fn finish(self) -> String {
        self.0.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// Hash of a content in hexadecimal digits.
pub fn content(bytes: &[u8]) -> String {
    let mut fingerprint = Fingerprint::default();
    fingerprint.0.update(bytes);
    fingerprint.finish()
}

/// Hash of a file. Reads it in pieces, because it may be large (the JDK's own classes).
pub fn content_of(file: &Path) -> std::io::Result<String> {
    let mut fingerprint = Fingerprint::default();
    let mut bytes = std::io::BufReader::with_capacity(1 << 17, open_file(file)?);
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

/// One hash of all files, in hexadecimal digits.
pub fn fingerprint(stamps: &Stamps) -> String {
    let mut fingerprint = Fingerprint::default();
    for (path, stamp) in stamps {
        fingerprint.add(&format!("{}\0{stamp:?}", path.display()));
    }
    fingerprint.finish()
}

/// Replaces the file atomically and creates its folder if needed. `None` if that fails.
pub fn replace_bytes(file: &Path, bytes: &[u8]) -> Option<()> {
    let folder = file.parent()?;
    std::fs::create_dir_all(folder).ok()?;
    let mut scratch = tempfile::NamedTempFile::new_in(folder).ok()?;
    scratch.write_all(bytes).ok()?;
    scratch.persist(file).ok()?;
    Some(())
}

/// Deletes files of a folder that were not written for `age`. Without that, the results of deleted
/// projects would stay forever.
pub fn forget_older_than(folder: &Path, age: Duration) {
    let is_old = |file: &Path| {
        let modified = std::fs::metadata(file).and_then(|metadata| metadata.modified()).ok();
        modified.and_then(|modified| modified.elapsed().ok()).is_some_and(|elapsed| elapsed > age)
    };
    for entry in std::fs::read_dir(folder).into_iter().flatten().filter_map(std::result::Result::ok) {
        if is_old(&entry.path()) {
            // Another process may have deleted it.
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn links_to_folders_around_and_to_the_system_and_loops_are_not_followed() {
        let place = tempfile::tempdir().unwrap();
        let (folder, other) = (place.path().join("project"), place.path().join("other"));
        std::fs::create_dir_all(folder.join("src")).unwrap();
        std::fs::create_dir(&other).unwrap();
        std::fs::write(folder.join("src/A.java"), "").unwrap();
        std::fs::write(other.join("B.java"), "").unwrap();
        let link = |to: &Path, name: &str| std::os::unix::fs::symlink(to, folder.join(name)).unwrap();
        link(Path::new("/"), "src/root");
        link(place.path(), "src/around");
        link(Path::new("/proc"), "processes");
        link(&folder.join("src"), "src/loop");
        link(&folder.join("self"), "self");
        link(&other, "other");
        nix::unistd::mkfifo(&folder.join("fifo"), nix::sys::stat::Mode::S_IRWXU).unwrap();
        let files: Vec<PathBuf> = all_in(&folder, |_| true).into_keys().collect();
        assert_eq!(files, ["fifo", "other/B.java", "src/A.java"].map(|name| folder.join(name)));
        assert!(content_of(&folder.join("fifo")).is_err(), "it is not waited for");
    }

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
