//! The folder for reports and logs.
//!
//! Somebody may keep other files there (`--output .`), or put a link where a report belongs. So reneri keeps a list of the files
//! that it wrote, replaces and deletes no others, and writes through no link. New files are complete before they take the
//! place of the old ones: a full disk or an interrupt leaves the last report as it was.

use crate::base::error::{Error, Result};
use crate::base::fingerprint::content;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::Write;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// The list of the files that reneri wrote.
pub const LIST: &str = "written-by-reneri.json";
/// The log of a run.
pub const LOG: &str = "reneri.log";
/// The report for programs.
pub const REPORT: &str = "report.json";
/// The names that an analysis without a list may have written.
const KNOWN_NAMES: [&str; 11] = [
    REPORT,
    LOG,
    "report.md",
    "summary.md",
    "report.html",
    "report.sarif",
    "gl-code-quality.json",
    "mutation-report.json",
    "timings.json",
    "maven.log",
    "tests.log",
];

/// An open output folder.
#[derive(Debug)]
pub struct OutputFolder {
    folder: PathBuf,
    list: List,
}

/// The files that reneri wrote, by their path in the folder, with the hash of their content; empty for a log, which grows.
#[derive(Debug, Default, Serialize, Deserialize)]
struct List {
    files: BTreeMap<String, String>,
}

impl OutputFolder {
    /// Creates the folder if necessary, and reads the list.
    ///
    /// # Errors
    /// If it is a link or cannot be written.
    pub fn open(folder: &Path) -> Result<Self> {
        if folder.symlink_metadata().is_ok_and(|metadata| metadata.is_symlink()) {
            return Err(Error::usage(
                format!("The output folder {} is a link, and reneri writes through no link.", folder.display()),
                "Give --output the folder that it leads to.",
            ));
        }
        std::fs::create_dir_all(folder).map_err(|error| unwritable(folder, &error))?;
        let bytes = std::fs::read(folder.join(LIST)).ok();
        let list = bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_else(|| adopted(folder));
        Ok(Self { folder: folder.to_path_buf(), list })
    }

    /// Checks that these files can be written: each is new, or reneri wrote it.
    ///
    /// # Errors
    /// If somebody else wrote one of them, or put a link or a folder there.
    pub fn check<'n>(&self, names: impl IntoIterator<Item = &'n str>) -> Result<()> {
        names.into_iter().try_for_each(|name| self.check_one(name))
    }

    fn check_one(&self, name: &str) -> Result<()> {
        let file = self.folder.join(name);
        if let Some(folder) = file.parent().filter(|folder| *folder != self.folder)
            && folder.symlink_metadata().is_ok_and(|metadata| !metadata.is_dir())
        {
            return Err(in_the_way(folder, "is no folder"));
        }
        match file.symlink_metadata() {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(unwritable(&file, &error)),
            Ok(metadata) if !metadata.is_file() => Err(in_the_way(&file, "is no ordinary file")),
            Ok(_) if !self.list.files.contains_key(name) => Err(in_the_way(&file, "was not written by reneri")),
            Ok(_) => Ok(()),
        }
    }

    /// Creates an empty log, which takes the place of the last one.
    ///
    /// # Errors
    /// If somebody else wrote it, or it cannot be written.
    pub fn log(&mut self, name: &str) -> Result<File> {
        self.check_one(name)?;
        if self.list.files.insert(name.to_owned(), String::new()).is_none() {
            self.keep_list()?;
        }
        let file = self.folder.join(name);
        let mut options = File::options();
        options.write(true).create(true).truncate(true).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK);
        options.open(&file).map_err(|error| unwritable(&file, &error))
    }

    /// Writes files, all or none: they take their places when all of them are complete. Then deletes the files of earlier
    /// runs that are `stale` and unchanged since.
    ///
    /// # Errors
    /// If somebody else wrote one of them, or one cannot be written.
    pub fn write(&mut self, files: &BTreeMap<String, Vec<u8>>, stale: impl Fn(&str) -> bool) -> Result<()> {
        self.check(files.keys().map(String::as_str))?;
        let mut complete = Vec::with_capacity(files.len());
        for (name, bytes) in files {
            let place = self.folder.join(name);
            let folder = place.parent().unwrap_or(&self.folder);
            std::fs::create_dir_all(folder).map_err(|error| unwritable(folder, &error))?;
            complete.push((beside(&place, bytes)?, place));
        }
        let is_stale = |name: &String| stale(name) && !files.contains_key(name);
        let gone: BTreeSet<String> = self.list.files.keys().filter(|name| is_stale(name)).cloned().collect();
        // Until all files are in their places, the list has the old and the new ones.
        self.list.files.extend(files.iter().map(|(name, bytes)| (name.clone(), content(bytes))));
        self.keep_list()?;
        for (file, place) in complete {
            file.persist(&place).map_err(|error| unwritable(&place, &error.error))?;
        }
        for name in &gone {
            self.delete(name)?;
        }
        if gone.is_empty() { Ok(()) } else { self.keep_list() }
    }

    /// Deletes all files that reneri wrote and nobody has changed since, and the folder if nothing else is in it.
    ///
    /// # Errors
    /// If a file cannot be deleted.
    pub fn clear(mut self) -> Result<()> {
        let names: Vec<String> = self.list.files.keys().cloned().collect();
        for name in &names {
            self.delete(name)?;
        }
        let _ = std::fs::remove_file(self.folder.join(LIST));
        let folders: BTreeSet<&Path> = names.iter().filter_map(|name| Path::new(name).parent()).collect();
        for folder in folders.into_iter().rev() {
            let _ = std::fs::remove_dir(self.folder.join(folder));
        }
        let _ = std::fs::remove_dir(&self.folder);
        Ok(())
    }

    /// Deletes a file of an earlier run, unless somebody has changed it since.
    ///
    /// # Errors
    /// If it cannot be deleted.
    pub fn remove(&mut self, name: &str) -> Result<()> {
        if !self.list.files.contains_key(name) {
            return Ok(());
        }
        self.delete(name)?;
        self.keep_list()
    }

    fn delete(&mut self, name: &str) -> Result<()> {
        let Some(hash) = self.list.files.remove(name) else { return Ok(()) };
        let file = self.folder.join(name);
        let is_below_link = file.parent().is_some_and(|folder| folder != self.folder && folder.is_symlink());
        let is_ordinary = file.symlink_metadata().is_ok_and(|metadata| metadata.is_file());
        if is_below_link || !is_ordinary {
            return Ok(());
        }
        let is_unchanged = hash.is_empty() || std::fs::read(&file).is_ok_and(|bytes| content(&bytes) == hash);
        if !is_unchanged {
            return Ok(());
        }
        match std::fs::remove_file(&file) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(unwritable(&file, &error)),
            _ => Ok(()),
        }
    }

    fn keep_list(&self) -> Result<()> {
        let place = self.folder.join(LIST);
        if place.symlink_metadata().is_ok_and(|metadata| metadata.is_dir()) {
            return Err(in_the_way(&place, "is no ordinary file"));
        }
        let mut bytes = serde_json::to_vec_pretty(&self.list)
            .map_err(|error| Error::bug(format!("The list of written files cannot be written as JSON: {error}.")))?;
        bytes.push(b'\n');
        let file = beside(&place, &bytes)?;
        file.persist(&place).map_err(|error| unwritable(&place, &error.error))?;
        Ok(())
    }
}

/// Writes a file beside its place, with the permissions of an ordinary new file.
fn beside(place: &Path, bytes: &[u8]) -> Result<tempfile::NamedTempFile> {
    let folder = place.parent().unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    builder.prefix(".new-").permissions(std::fs::Permissions::from_mode(0o666));
    let mut file = builder.tempfile_in(folder).map_err(|error| unwritable(place, &error))?;
    file.write_all(bytes).and_then(|()| file.flush()).map_err(|error| unwritable(place, &error))?;
    Ok(file)
}

/// The list for a folder of a reneri that kept none: all names that it used, if its report or its log is there, and the
/// patches that the report names.
fn adopted(folder: &Path) -> List {
    let ordinary = |name: &str| folder.join(name).symlink_metadata().is_ok_and(|metadata| metadata.is_file());
    let read = |name: &str| if ordinary(name) { std::fs::read(folder.join(name)).ok() } else { None };
    let report: Option<serde_json::Value> = read(REPORT).and_then(|bytes| serde_json::from_slice(&bytes).ok());
    let report = report.filter(|report| report["tool"]["name"] == "reneri");
    let first_line = read(LOG).unwrap_or_default();
    let has_log = first_line.split(|byte| *byte == b'\n').next().is_some_and(|line| {
        let line = String::from_utf8_lossy(line);
        line.starts_with('[') && line.contains("] reneri ")
    });
    if report.is_none() && !has_log {
        return List::default();
    }
    let entries = report.as_ref().and_then(|report| report["transformations"].as_array()).into_iter().flatten();
    let patches = entries.filter_map(|entry| {
        let id = entry["shortId"].as_str()?;
        let is_plain = !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_alphanumeric());
        is_plain.then(|| format!("patches/{id}.patch"))
    });
    let names = KNOWN_NAMES.iter().map(|name| (*name).to_owned()).chain(patches);
    List { files: names.filter(|name| ordinary(name)).map(|name| (name, String::new())).collect() }
}

fn in_the_way(place: &Path, how: &str) -> Error {
    Error::usage(
        format!("{} {how}, so reneri does not replace it.", place.display()),
        "Move it away, or choose another folder with --output.",
    )
}

fn unwritable(file: &Path, error: &std::io::Error) -> Error {
    Error::of_system(
        format!("{} cannot be written: {error}.", file.display()),
        error,
        "Give --output a folder that can be written.",
    )
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::base::error::ExitCode;

    fn files(files: &[(&str, &str)]) -> BTreeMap<String, Vec<u8>> {
        files.iter().map(|(name, text)| ((*name).to_owned(), text.as_bytes().to_vec())).collect()
    }

    fn everything(_: &str) -> bool {
        true
    }

    fn text(folder: &Path, name: &str) -> String {
        std::fs::read_to_string(folder.join(name)).unwrap()
    }

    #[test]
    fn files_of_others_are_neither_replaced_nor_deleted() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        std::fs::create_dir(path.join("patches")).unwrap();
        for name in ["report.sarif", "summary.md", "patches/mine.patch"] {
            std::fs::write(path.join(name), "mine").unwrap();
        }
        let mut output = OutputFolder::open(path).unwrap();
        output.write(&files(&[("report.md", "1"), ("patches/1.patch", "1")]), everything).unwrap();
        let error = output.write(&files(&[("report.md", "2"), ("summary.md", "2")]), everything).unwrap_err();
        assert_eq!(error.exit_code, ExitCode::Usage);
        assert!(error.what.contains("summary.md was not written by reneri"), "{error}");
        assert_eq!(text(path, "report.md"), "1", "all or none");
        let mut later = OutputFolder::open(path).unwrap();
        later.write(&files(&[("report.md", "3")]), everything).unwrap();
        assert_eq!(text(path, "report.md"), "3");
        assert!(!path.join("patches/1.patch").exists(), "it is stale");
        for name in ["report.sarif", "summary.md", "patches/mine.patch"] {
            assert_eq!(text(path, name), "mine", "{name}");
        }
    }

    #[test]
    fn a_stale_file_that_somebody_changed_stays() {
        let folder = tempfile::tempdir().unwrap();
        let mut output = OutputFolder::open(folder.path()).unwrap();
        output.write(&files(&[("report.html", "1"), ("report.md", "1")]), everything).unwrap();
        std::fs::write(folder.path().join("report.html"), "changed").unwrap();
        output.write(&files(&[("report.md", "2")]), everything).unwrap();
        assert_eq!(text(folder.path(), "report.html"), "changed");
    }

    #[test]
    fn nothing_is_written_or_deleted_through_a_link() {
        let (folder, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let (path, precious) = (folder.path(), other.path().join("precious.patch"));
        std::fs::write(&precious, "precious").unwrap();
        let link = |to: &Path, name: &str| std::os::unix::fs::symlink(to, path.join(name)).unwrap();
        let mut output = OutputFolder::open(path).unwrap();
        output.write(&files(&[("report.md", "1"), ("patches/precious.patch", "precious")]), everything).unwrap();
        output.log("tests.log").unwrap();
        std::fs::remove_dir_all(path.join("patches")).unwrap();
        std::fs::remove_file(path.join("tests.log")).unwrap();
        std::fs::remove_file(path.join("report.md")).unwrap();
        link(other.path(), "patches");
        link(&precious, "tests.log");
        link(&precious, "report.md");
        assert!(output.log("tests.log").unwrap_err().what.contains("no ordinary file"));
        assert!(output.write(&files(&[("report.md", "2")]), everything).is_err());
        assert!(output.write(&files(&[("patches/1.patch", "2")]), everything).is_err());
        std::fs::remove_file(path.join("report.md")).unwrap();
        output.write(&files(&[("report.md", "2")]), everything).unwrap();
        assert_eq!(std::fs::read_to_string(&precious).unwrap(), "precious");
        assert_eq!(std::fs::read_dir(other.path()).unwrap().count(), 1);
        link(other.path(), "reports");
        assert!(OutputFolder::open(&path.join("reports")).unwrap_err().what.contains("is a link"));
    }

    #[test]
    fn a_file_that_cannot_be_completed_leaves_all_old_ones() {
        let folder = tempfile::tempdir().unwrap();
        let mut output = OutputFolder::open(folder.path()).unwrap();
        output.write(&files(&[("report.json", "1"), ("report.md", "1")]), everything).unwrap();
        let too_long = "x".repeat(300);
        assert!(output.write(&files(&[("report.json", "2"), (&too_long, "2")]), everything).is_err());
        let left: BTreeSet<String> = std::fs::read_dir(folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
            .collect();
        assert_eq!(left, ["report.json", "report.md", LIST].map(str::to_owned).into());
        assert_eq!(text(folder.path(), "report.json"), "1");
    }

    #[test]
    fn a_folder_is_cleared_of_what_reneri_wrote() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("partial");
        let mut output = OutputFolder::open(&path).unwrap();
        output.write(&files(&[("report.md", "1"), ("patches/1.patch", "1")]), everything).unwrap();
        std::fs::write(path.join("mine"), "mine").unwrap();
        OutputFolder::open(&path).unwrap().clear().unwrap();
        assert_eq!(std::fs::read_dir(&path).unwrap().count(), 1, "the file of somebody else");
        std::fs::remove_file(path.join("mine")).unwrap();
        OutputFolder::open(&path).unwrap().clear().unwrap();
        assert!(!path.exists());
    }

    #[test]
    fn the_files_of_a_reneri_that_kept_no_list_are_its_own() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        std::fs::create_dir(path.join("patches")).unwrap();
        let report = r#"{"tool": {"name": "reneri"}, "transformations": [{"shortId": "a1"}, {"shortId": "../b"}]}"#;
        std::fs::write(path.join(REPORT), report).unwrap();
        for name in ["report.md", "patches/a1.patch", "patches/mine.patch"] {
            std::fs::write(path.join(name), "old").unwrap();
        }
        let mut output = OutputFolder::open(path).unwrap();
        output.write(&files(&[("report.md", "new")]), everything).unwrap();
        assert_eq!(text(path, "report.md"), "new");
        assert!(!path.join("patches/a1.patch").exists());
        assert_eq!(text(path, "patches/mine.patch"), "old");
    }
}
