//! Lets only one reneri at a time work on a project: Maven may rewrite classes that the tests of
//! another reneri need.

use crate::base::cache_folder::cache_folder;
use crate::base::error::Result;
use crate::base::fingerprint::Fingerprint;
use crate::base::interrupt;
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

const BETWEEN_LOOKS: Duration = Duration::from_millis(200);

/// Keeps the file locked until the process ends, however it ends.
static HELD: OnceLock<File> = OnceLock::new();

/// The file that is locked while a reneri works on the project.
#[must_use]
pub fn file(project: &Path) -> PathBuf {
    let mut name = Fingerprint::default();
    name.add(&project.to_string_lossy());
    cache_folder().join("at-work").join(name.finish())
}

/// Waits until no other reneri works on the project, then makes others wait for this one. Calls
/// `waiting` if it has to wait. Does not wait if the file system has no locks.
///
/// # Errors
/// If the user interrupts.
pub fn wait(project: &Path, waiting: impl FnOnce()) -> Result<()> {
    let file = file(project);
    let folder = file.parent().map(std::fs::create_dir_all);
    let Some(file) = folder.and_then(|_| File::options().create(true).append(true).open(&file).ok()) else {
        return Ok(());
    };
    let mut waiting = Some(waiting);
    while let Err(TryLockError::WouldBlock) = file.try_lock() {
        if let Some(waiting) = waiting.take() {
            waiting();
        }
        interrupt::check()?;
        std::thread::sleep(BETWEEN_LOOKS);
    }
    // Already set if this process works on a second project.
    let _ = HELD.set(file);
    Ok(())
}
