//! The temporary folders of a run.
//!
//! They are all in one folder, which a lock marks as used. The lock ends with the process, however it ends, so the next run
//! finds the folders of dead runs and deletes them.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;
use tempfile::TempDir;

const PREFIX: &str = "reneri-run-";
const LOCK: &str = "in-use";
/// A folder without a lock is one that is just being made, unless it is older.
const BEING_MADE: Duration = Duration::from_secs(60 * 60);

/// The folder of this run.
static FOLDER: OnceLock<RunFolder> = OnceLock::new();

#[derive(Debug)]
struct RunFolder {
    path: PathBuf,
    /// Held until the process ends.
    _lock: File,
}

/// Creates a temporary folder that is deleted when the returned value is dropped.
///
/// # Errors
/// If it cannot be created.
pub fn temporary_folder() -> io::Result<TempDir> {
    if FOLDER.get().is_none() {
        let place = std::env::temp_dir();
        sweep(&place);
        // Two threads may come here at once. The folder of the second one has no other user.
        if let Err(unused) = FOLDER.set(make(&place)?) {
            let _ = std::fs::remove_dir_all(&unused.path);
        }
    }
    let parent = FOLDER.get().map(|folder| folder.path.as_path()).ok_or(io::ErrorKind::NotFound)?;
    tempfile::Builder::new().prefix("").tempdir_in(parent)
}

/// Deletes the temporary folders of this run. Called at its end.
pub fn remove() {
    if let Some(folder) = FOLDER.get() {
        let _ = std::fs::remove_dir_all(&folder.path);
    }
}

fn make(place: &Path) -> io::Result<RunFolder> {
    loop {
        let folder = tempfile::Builder::new().prefix(PREFIX).tempdir_in(place)?;
        let lock = File::options().create_new(true).append(true).open(folder.path().join(LOCK))?;
        // A sweep of another run may be faster, and deletes the folder.
        if lock.try_lock().is_ok() && folder.path().join(LOCK).is_file() {
            return Ok(RunFolder { path: folder.keep(), _lock: lock });
        }
    }
}

/// Deletes the folders of dead runs of this user.
fn sweep(place: &Path) {
    for entry in std::fs::read_dir(place).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(PREFIX) && is_dead(&entry.path()) {
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

fn is_dead(folder: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let Ok(metadata) = folder.symlink_metadata() else { return false };
    if !metadata.is_dir() || metadata.uid() != nix::unistd::geteuid().as_raw() {
        return false;
    }
    match File::options().append(true).open(folder.join(LOCK)) {
        Ok(lock) => lock.try_lock().is_ok(),
        Err(_) => {
            let age = metadata.modified().ok().and_then(|modified| modified.elapsed().ok());
            age.is_some_and(|age| age > BEING_MADE)
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn the_folders_of_dead_runs_are_deleted_and_no_others() {
        let place = tempfile::tempdir().unwrap();
        let living = make(place.path()).unwrap();
        let RunFolder { path: dead, _lock: lock } = make(place.path()).unwrap();
        std::fs::create_dir(dead.join("scratch")).unwrap();
        drop(lock);
        let new = place.path().join(format!("{PREFIX}new"));
        std::fs::create_dir(&new).unwrap();
        let other = place.path().join("reneri-other");
        std::fs::create_dir(&other).unwrap();
        let link = place.path().join(format!("{PREFIX}link"));
        std::os::unix::fs::symlink(&other, &link).unwrap();
        sweep(place.path());
        assert!(!dead.exists());
        assert!(living.path.exists() && new.exists() && other.exists() && link.exists());
    }

    #[test]
    fn each_temporary_folder_is_another_one_and_is_deleted_on_drop() {
        let (one, two) = (temporary_folder().unwrap(), temporary_folder().unwrap());
        assert_ne!(one.path(), two.path());
        let path = one.path().to_path_buf();
        drop(one);
        assert!(!path.exists() && two.path().exists());
    }
}
