//! The folder for files that many runs share.
//!
//! Classes in it run with the rights of the user, so nobody else may write there.

use crate::base::run_folder::temporary_folder;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The bits of a mode that let others write.
const OTHERS_WRITE: u32 = 0o022;

static CHOSEN: OnceLock<Chosen> = OnceLock::new();

/// A path that nobody can create, and so nobody can plant classes in.
const NOWHERE: &str = "/dev/null/reneri";

struct Chosen {
    folder: PathBuf,
    /// Why it is not the usual one.
    note: Option<String>,
}

/// `RENERI_CACHE`, else the user's cache folder. A folder of this run if others can write there, or if the user has no home.
#[must_use]
pub fn cache_folder() -> PathBuf {
    CHOSEN.get_or_init(choose).folder.clone()
}

/// A sentence for the user, if nothing is kept for later runs.
#[must_use]
pub fn note() -> Option<&'static str> {
    CHOSEN.get_or_init(choose).note.as_deref()
}

fn choose() -> Chosen {
    let named = std::env::var_os("RENERI_CACHE").filter(|folder| !folder.is_empty()).map(PathBuf::from);
    let usual = named.or_else(|| Some(directories::ProjectDirs::from("", "", "reneri")?.cache_dir().to_path_buf()));
    let why = match &usual {
        None => "The user has no home, so nothing is kept for later runs: set RENERI_CACHE to a folder.".to_owned(),
        Some(folder) if is_private(folder) => return Chosen { folder: folder.clone(), note: None },
        Some(folder) => format!(
            "The cache folder {} belongs to another user, or others can write there, so nothing is kept for later runs: set RENERI_CACHE to a folder of your own.",
            folder.display()
        ),
    };
    match temporary_folder() {
        Ok(folder) => Chosen { folder: folder.keep(), note: Some(why) },
        // Whoever writes there reports what is wrong with temporary folders.
        Err(_) => Chosen { folder: PathBuf::from(NOWHERE), note: Some(why) },
    }
}

/// Whether nobody but this user (and root) can write into the folder. Creates it if necessary. A folder of this user that
/// others could write to is closed, and what they have put there is removed.
fn is_private(folder: &Path) -> bool {
    if std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder).is_err() && !folder.exists() {
        // It cannot be created, which is reported by whoever writes there.
        return true;
    }
    let Ok(metadata) = folder.metadata() else { return true };
    let user = nix::unistd::geteuid().as_raw();
    if metadata.uid() != user && metadata.uid() != 0 {
        return false;
    }
    let mode = metadata.permissions().mode();
    if mode & OTHERS_WRITE == 0 {
        return true;
    }
    if metadata.uid() != user {
        return false;
    }
    let closed = std::fs::Permissions::from_mode(mode & !OTHERS_WRITE);
    std::fs::set_permissions(folder, closed).is_ok() && remove_foreign(folder, user)
}

/// Removes what is not of this user. Returns whether that is all done.
fn remove_foreign(folder: &Path, user: u32) -> bool {
    let walk = walkdir::WalkDir::new(folder).min_depth(1).into_iter().filter_map(Result::ok);
    let foreign = walk.filter(|entry| entry.metadata().is_ok_and(|metadata| metadata.uid() != user));
    let foreign: Vec<PathBuf> = foreign.map(walkdir::DirEntry::into_path).collect();
    foreign.iter().all(|path| {
        let removed = if path.is_dir() && !path.is_symlink() {
            std::fs::remove_dir_all(path)
        } else {
            std::fs::remove_file(path)
        };
        removed.is_ok() || path.symlink_metadata().is_err()
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_others_can_write_to_is_closed_and_what_they_put_there_is_removed() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("a/cache");
        assert!(is_private(&folder));
        assert_eq!(folder.metadata().unwrap().mode() & 0o777, 0o700);
        std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o777)).unwrap();
        std::fs::create_dir(folder.join("rt-1")).unwrap();
        std::fs::write(folder.join("rt-1/Probe.class"), "planted").unwrap();
        std::fs::write(folder.join("own"), "own").unwrap();
        let is_root = nix::unistd::geteuid().is_root();
        if is_root {
            std::os::unix::fs::chown(folder.join("rt-1"), Some(12345), None).unwrap();
        }
        assert!(is_private(&folder));
        assert_eq!(folder.metadata().unwrap().mode() & 0o777, 0o755);
        assert!(folder.join("own").exists());
        if is_root {
            assert!(!folder.join("rt-1").exists());
            std::os::unix::fs::chown(&folder, Some(12345), None).unwrap();
            assert!(!is_private(&folder), "it belongs to another user");
        }
    }

    #[test]
    fn a_folder_that_cannot_be_made_is_reported_by_its_users() {
        assert!(is_private(Path::new("/proc/reneri/cache")));
    }
}
