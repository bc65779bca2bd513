//! Hashes of files, kept from run to run.

use crate::base::cache_folder::cache_folder;
use crate::base::fingerprint::{Fingerprint, Stamp, content_of, stamp};
use crate::base::kept::{read_json, write_json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Hashes of files. A file is read again only if its stamp has changed.
#[derive(Debug)]
pub struct Contents {
    file: PathBuf,
    known: BTreeMap<PathBuf, (Stamp, String)>,
    seen: BTreeMap<PathBuf, (Stamp, String)>,
}

impl Contents {
    /// The hashes of the project in this folder, and of the files that it uses.
    pub fn of(project: &Path) -> Self {
        let mut place = Fingerprint::default();
        place.add(&project.to_string_lossy());
        let file = cache_folder().join("contents").join(format!("{}.json", place.finish()));
        let known = read_json(&file).unwrap_or_default();
        Self { file, known, seen: BTreeMap::new() }
    }

    /// Hash of the content in hexadecimal digits; empty if there is no such file.
    pub fn get(&mut self, file: &Path) -> String {
        let stamp = stamp(file);
        let known = self.known.get(file).filter(|(then, _)| *then == stamp && stamp.is_some());
        let content = match known {
            Some((_, content)) => content.clone(),
            None => content_of(file).unwrap_or_default(),
        };
        self.seen.insert(file.to_path_buf(), (stamp, content.clone()));
        content
    }

    /// Stores the hashes that were asked for, if any of them is new.
    pub fn keep(&self) {
        if self.seen != self.known {
            // If storing fails, the next run reads the files again.
            let _ = write_json(&self.file, &self.seen);
        }
    }
}
