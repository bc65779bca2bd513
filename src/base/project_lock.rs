//! One reneri at a time for each project: Maven may write its classes anew, and tests that another one is running would miss them.

use crate::base::embedded_java::cache_folder;
use crate::base::error::Result;
use crate::base::fingerprint::Fingerprint;
use crate::base::interrupt;
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

const BETWEEN_LOOKS: Duration = Duration::from_millis(200);

/// Locked until the process ends, however it ends.
static HELD: OnceLock<File> = OnceLock::new();

/// The file that is locked while a reneri works on the project.
#[must_use]
pub fn file(project: &Path) -> PathBuf {
    let mut name = Fingerprint::default();
    name.add(&project.to_string_lossy());
    cache_folder().join("at-work").join(name.finish())
}

/// Waits until no other reneri works on the project; from then on others wait for this one. `waiting` is called if there is one. Where files
/// cannot be locked, nobody waits.
///
/// # Errors
/// When the user interrupts.
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
    // It is set already where this process works on a second project.
    let _ = HELD.set(file);
    Ok(())
}
