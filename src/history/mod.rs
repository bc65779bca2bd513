//! Reuses the last analysis: its report if nothing has changed, else the results that still hold.
//!
//! Other inputs of tests (the network, the clock, files elsewhere) are not tracked: for them there is
//! `--no-history`. Decisions 0020 to 0024 say which results a change can affect.

mod changed_tests;
mod past;
mod patches;
mod recall;
mod state;

pub use past::{Explained, PastResults, ReusableResult, ReusableResults};
pub use patches::KeptPatches;
pub use recall::Recall;
pub use state::{Changes, State};

use crate::base::cache_folder::cache_folder;
use crate::base::fingerprint::{Fingerprint, KEPT_FOR, forget_older_than};
use crate::base::kept::{self, Unusable};
use crate::report::Report;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// The file that stores the results of a project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct History {
    /// One per project and output folder. A new analysis overwrites the last one.
    file: PathBuf,
}

/// The stored results of an analysis.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Kept {
    pub report: Report,
    /// Warnings on the terminal, in order.
    pub warnings: Vec<String>,
    pub past: PastResults,
}

#[derive(Serialize, Deserialize)]
struct Entry<S, K> {
    state: S,
    kept: K,
}

impl History {
    /// The history of the project in `root` with its reports in `output`.
    #[must_use]
    pub fn of(root: &Path, output: &Path) -> Self {
        let mut place = Fingerprint::default();
        place.add(&root.to_string_lossy());
        place.add(&output.to_string_lossy());
        Self { file: cache_folder().join("analyses").join(format!("{}.json", place.finish())) }
    }

    /// The last analysis, and the state that it was made in.
    ///
    /// # Errors
    /// If there is none that can be used.
    pub fn last(&self) -> Result<(State, Kept), Unusable> {
        let Entry { state, kept } = kept::read_json(&self.file)?;
        Ok((state, kept))
    }

    /// Stores an analysis that began in this state. Call it only if the state is still the same.
    pub fn keep(&self, state: &State, kept: &Kept) -> Option<()> {
        kept::write_json(&self.file, &Entry { state, kept })?;
        forget_older_than(self.file.parent()?, KEPT_FOR);
        Some(())
    }
}
