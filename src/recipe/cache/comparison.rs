//! Compares new class files with the old ones, to know whether Maven would compile anything else
//! differently because of them.

use super::refusal::{ClassFiles, Refusal, ask_maven, is_java, read};
use crate::base::fingerprint::all_in;
use crate::classfile::digest::digest;
use crate::classfile::outline::outline;
use crate::recipe::handover::Handover;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Attributes of code (JVMS §4.7) that depend on the compiler's options alone.
const TABLES: [&str; 2] = ["LineNumberTable", "LocalVariableTable"];

/// The circumstances of a comparison.
pub(super) struct Comparison<'a> {
    /// The sources that were compiled.
    pub(super) files: &'a [&'a Path],
    /// Whether they are sources of tests.
    pub(super) is_test: bool,
    pub(super) handover: &'a Handover,
}

impl Comparison<'_> {
    /// Refuses `new` class files if Maven may compile other sources differently because of them.
    pub(super) fn check(&self, new: &ClassFiles) -> Result<(), Refusal> {
        let old = self.old_classes(new)?;
        if let Some(gone) = old.keys().find(|file| !new.contains_key(*file)) {
            return ask_maven(format!("{} is no longer made", gone.display()));
        }
        let mut changed = BTreeSet::new();
        for (file, now) in new {
            let Some(then) = old.get(file) else {
                changed.insert(file.clone());
                continue;
            };
            if TABLES.iter().any(|table| names_table(then, table) != names_table(now, table)) {
                return ask_maven(format!("{} would have different tables of its code", file.display()));
            }
            let (now, then) = (digest(now).map_err(unreadable)?, digest(then).map_err(unreadable)?);
            if now.changed_bodies(&then).is_none() {
                changed.insert(file.clone());
            }
        }
        self.check_unseen(&changed)
    }

    /// The old class files that `new` ones replace, and all other old class files of the same
    /// sources.
    fn old_classes(&self, new: &ClassFiles) -> Result<ClassFiles, Refusal> {
        let names: BTreeSet<&str> = self.files.iter().filter_map(|file| file.file_name()?.to_str()).collect();
        let packages: BTreeSet<&Path> = new.keys().filter_map(|file| file.parent()).collect();
        let mut old = ClassFiles::new();
        for entry in packages.into_iter().flat_map(|package| std::fs::read_dir(package).into_iter().flatten().flatten())
        {
            let file = entry.path();
            if file.extension().is_none_or(|end| end != "class") {
                continue;
            }
            let bytes = read(&file)?;
            let source = outline(&bytes).map_err(unreadable)?.source_file;
            if new.contains_key(&file) || source.is_some_and(|source| names.contains(source.as_str())) {
                old.insert(file, bytes);
            }
        }
        Ok(old)
    }

    /// Refuses classes that changed in more than bodies of methods, unless they are classes of
    /// tests that no other source names: then no other source can be compiled differently.
    fn check_unseen(&self, changed: &BTreeSet<PathBuf>) -> Result<(), Refusal> {
        let Some(first) = changed.first() else { return Ok(()) };
        let change = format!("{} has changed in more than bodies of methods", first.display());
        if !self.is_test {
            return ask_maven(change);
        }
        // Other sources write `Outer$Inner` as `Inner`; anonymous classes have no name.
        let stems = changed.iter().filter_map(|file| file.file_stem()?.to_str());
        let names: BTreeSet<&str> = stems
            .flat_map(|stem| stem.split('$'))
            .map(|name| name.trim_start_matches(|c: char| c.is_ascii_digit()))
            .filter(|name| !name.is_empty())
            .collect();
        for source in all_sources(self.handover).iter().filter(|source| !self.files.contains(&source.as_path())) {
            let text = read(source)?;
            let text = String::from_utf8_lossy(&text);
            let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
            if let Some(name) = text.split(|c| !is_part(c)).find(|word| names.contains(word)) {
                return ask_maven(format!("{change}, and {} names {name}", source.display()));
            }
        }
        Ok(())
    }
}

fn all_sources(handover: &Handover) -> BTreeSet<PathBuf> {
    let projects = handover.modules.iter().filter_map(|module| module.project.as_ref());
    let roots = projects.flat_map(|project| project.source_roots.iter().chain(&project.test_source_roots));
    roots.flat_map(|root| all_in(root, |_| true).into_keys().filter(|file| is_java(file))).collect()
}

/// Whether a class file has such an attribute: then its name is in the constant pool (JVMS §4.4.7).
fn names_table(bytes: &[u8], table: &str) -> bool {
    let length = u16::try_from(table.len()).unwrap_or(u16::MAX).to_be_bytes();
    let constant = [&[1], length.as_slice(), table.as_bytes()].concat();
    bytes.windows(constant.len()).any(|window| window == constant)
}

fn unreadable(error: impl std::fmt::Display) -> Refusal {
    Refusal::AskMaven(format!("a class file cannot be read: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_an_attribute_is_found_as_a_constant() {
        assert!(names_table(b"\xca\xfe\x01\x00\x0fLineNumberTable\x01", "LineNumberTable"));
        assert!(!names_table(b"\x01\x00\x10LineNumberTables", "LineNumberTable"));
    }
}
