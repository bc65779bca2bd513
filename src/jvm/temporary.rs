//! The folder in which tests make temporary files: JVMs that are ended leave theirs behind, and code that is transformed does not delete them.

use crate::base::embedded_java::cache_folder;
use std::fs::File;
use std::path::Path;
use tempfile::TempDir;

/// What Java knows it by.
pub const PROPERTY: &str = "java.io.tmpdir";

/// Gone with this. The path is the same each time, because what tests see of it may be told.
#[derive(Debug)]
pub struct TemporaryFolder {
    folder: TempDir,
    /// Locked until the folder is gone.
    _held: File,
}

impl TemporaryFolder {
    /// `name` tells it from others. `None` where another reneri uses it, or where it cannot be made.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let name = format!("reneri-tests-{name}");
        let held = cache_folder().join("at-work").join(&name);
        std::fs::create_dir_all(held.parent()?).ok()?;
        let held = File::options().create(true).append(true).open(held).ok()?;
        held.try_lock().ok()?;
        // Of a reneri that was killed: nobody else has it, since the lock is held.
        let _ = std::fs::remove_dir_all(std::env::temp_dir().join(&name));
        let folder = tempfile::Builder::new().prefix(&name).rand_bytes(0).tempdir().ok()?;
        Some(Self { folder, _held: held })
    }

    #[must_use]
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// What tells the JVM of it.
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
    fn it_is_the_same_each_time_and_empty_for_one_at_a_time_and_gone_behind_it() {
        let name = format!("of-a-test-{}", std::process::id());
        let first = TemporaryFolder::named(&name).unwrap();
        let path = first.path().to_path_buf();
        std::fs::write(path.join("left"), "behind").unwrap();
        assert!(TemporaryFolder::named(&name).is_none(), "another one has it");
        // As where it was killed.
        let TemporaryFolder { folder, _held: held } = first;
        let _ = folder.keep();
        drop(held);
        let second = TemporaryFolder::named(&name).unwrap();
        assert_eq!(second.path(), path);
        assert_eq!(std::fs::read_dir(&path).unwrap().count(), 0);
        drop(second);
        assert!(!path.exists());
    }
}
