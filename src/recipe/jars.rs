//! The names of the files in an element of a class path: a folder or a jar.

use crate::base::read::open_file;
use std::path::Path;

pub(super) fn contains_class(element: &Path, class: &str) -> bool {
    if element.is_dir() {
        element.join(class).is_file()
    } else {
        jar_entries(element).iter().any(|entry| entry == class)
    }
}

/// Names of the files of a jar or folder, relative to it.
pub(super) fn entries(element: &Path) -> Vec<String> {
    if !element.is_dir() {
        return jar_entries(element);
    }
    let files = walkdir::WalkDir::new(element).into_iter().filter_map(std::result::Result::ok);
    files
        .filter(|file| file.file_type().is_file())
        .filter_map(|file| Some(file.path().strip_prefix(element).ok()?.to_string_lossy().replace('\\', "/")))
        .collect()
}

/// Names of the entries of a jar. A missing or broken jar has none, because it is no engine.
pub(super) fn jar_entries(jar: &Path) -> Vec<String> {
    let Ok(file) = open_file(jar) else { return Vec::new() };
    zip::ZipArchive::new(std::io::BufReader::new(file))
        .map(|archive| archive.file_names().map(str::to_owned).collect())
        .unwrap_or_default()
}
