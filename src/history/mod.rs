//! From everything that an analysis hangs on to the report that it had, where nothing has changed, and else to what of it holds still.
//!
//! What else tests may read (the network, the clock, files elsewhere) is not seen: `--no-history`. Decisions 0020 to 0024
//! say what a change can affect.

mod past;
mod patches;
mod recall;
mod state;

pub use past::{Explained, Holding, Past, Still};
pub use patches::KeptPatches;
pub use recall::Recall;
pub use state::{Changes, State};

use crate::base::embedded_java::cache_folder;
use crate::base::fingerprint::{Fingerprint, KEPT_FOR, forget_older_than, replace};
use crate::report::Report;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

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
