//! The folder for temporary files of tests. Workers that are killed leave such files behind, and so does transformed code
//! that no longer deletes them, so the coordinator deletes the folder.

use crate::base::cache_folder::cache_folder;
use std::fs::File;
use std::path::Path;
use tempfile::TempDir;

/// The system property with the path of the folder.
pub const PROPERTY: &str = "java.io.tmpdir";

/// A folder that is deleted when this is dropped. Its path is the same in every run, because tests may see it and reports
/// may show what they see.
#[derive(Debug)]
pub struct TemporaryFolder {
    folder: TempDir,
    /// Locked until the folder is deleted.
    _lock: File,
}

impl TemporaryFolder {
    /// Creates the folder with this name. Returns `None` if another process uses it, or if it cannot be created.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let name = format!("reneri-tests-{name}");
        let lock_path = cache_folder().join("at-work").join(&name);
        std::fs::create_dir_all(lock_path.parent()?).ok()?;
        let lock = File::options().create(true).append(true).open(lock_path).ok()?;
        lock.try_lock().ok()?;
        // A process that was killed may have left it behind. Nobody else uses it, because this process holds the lock.
        let _ = std::fs::remove_dir_all(std::env::temp_dir().join(&name));
        let folder = tempfile::Builder::new().prefix(&name).rand_bytes(0).tempdir().ok()?;
        Some(Self { folder, _lock: lock })
    }

    #[must_use]
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The JVM option that sets [`PROPERTY`].
    #[must_use]
    pub fn option(&self) -> String {
        format!("-D{PROPERTY}={}", self.path().display())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_has_a_fixed_path_and_one_owner_and_is_deleted_on_drop() {
        let name = format!("of-a-test-{}", std::process::id());
        let first = TemporaryFolder::named(&name).unwrap();
        let path = first.path().to_path_buf();
        std::fs::write(path.join("left"), "behind").unwrap();
        assert!(TemporaryFolder::named(&name).is_none(), "it has an owner");
        // A killed process releases the lock without deleting the folder.
        let TemporaryFolder { folder, _lock: lock } = first;
        let _ = folder.keep();
        drop(lock);
        let second = TemporaryFolder::named(&name).unwrap();
        assert_eq!(second.path(), path);
        assert_eq!(std::fs::read_dir(&path).unwrap().count(), 0);
        drop(second);
        assert!(!path.exists());
    }
}
