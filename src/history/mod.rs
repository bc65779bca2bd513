//! From everything that an analysis hangs on to the report that it had, where nothing has changed, and else to what of it holds still.
//!
//! What else tests may read (the network, the clock, files elsewhere) is not seen: `--no-history`. What a change can affect is said in
//! `docs/performance.md`.

mod past;
mod state;

pub use past::{Past, Still};
pub use state::{Changes, State};

use crate::inputs::{Fingerprint, replace};
use crate::java::cache_folder;
use crate::report::Report;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::time::Duration;

const KEPT_FOR: Duration = Duration::from_secs(60 * 24 * 60 * 60);

/// Where the results of a project are kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct History {
    /// One for each project and output folder: a later analysis takes the place of the one before.
    file: PathBuf,
}

/// What came of an analysis.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Kept {
    pub report: Report,
    /// What the terminal showed, in order.
    pub warnings: Vec<String>,
    pub past: Past,
}

#[derive(Serialize, Deserialize)]
struct Entry<S, K> {
    state: S,
    kept: K,
}

impl History {
    /// `root` is the folder of the project, `output` that of its reports.
    #[must_use]
    pub fn of(root: &Path, output: &Path) -> Self {
        let mut place = Fingerprint::default();
        place.add(&root.to_string_lossy());
        place.add(&output.to_string_lossy());
        Self { file: cache_folder().join("analyses").join(format!("{}.json", place.finish())) }
    }

    /// The last analysis, and what it hung on. `None` where there is none, or none that can be read.
    #[must_use]
    pub fn last(&self) -> Option<(State, Kept)> {
        let Entry { state, kept } = serde_json::from_slice(&std::fs::read(&self.file).ok()?).ok()?;
        Some((state, kept))
    }

    /// Keeps what came of an analysis that began in this state. To be called where it is the state still.
    pub fn keep(&self, state: &State, kept: &Kept) -> Option<()> {
        replace(&self.file, &Entry { state, kept })?;
        forget_older_than(self.file.parent()?, KEPT_FOR);
        Some(())
    }
}

/// Removes what has not been written for so long: projects that are gone would leave their results behind.
fn forget_older_than(folder: &Path, age: Duration) {
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
