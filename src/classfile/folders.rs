//! Finds and parses the class files of class folders.

use crate::base::error::{Error, Result};
use crate::classfile::names;
use ristretto_classfile::ClassFile;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use walkdir::WalkDir;

/// A parsed class and its file.
#[derive(Clone, Debug)]
pub struct CompiledClass {
    pub file: PathBuf,
    pub class: ClassFile<'static>,
}

impl CompiledClass {
    /// The error for a class file that refers to a constant that it does not have.
    #[must_use]
    pub fn broken(&self, error: &ristretto_classfile::Error) -> Error {
        broken(&self.file, error)
    }
}

/// Parses every class below `class_folders`, by binary name. If two folders have the same class, the first one counts, as
/// on a class path. `META-INF` is skipped: it contains versions of classes for other Java releases (multi-release jars),
/// which no JVM loads from a folder.
///
/// # Errors
/// A folder or class file cannot be read, or a class file is broken.
pub fn read(class_folders: &[PathBuf]) -> Result<BTreeMap<String, CompiledClass>> {
    let mut classes = BTreeMap::new();
    for folder in class_folders {
        let walk = WalkDir::new(folder).sort_by_file_name().into_iter();
        for entry in walk.filter_entry(|entry| !(entry.depth() == 1 && entry.file_name() == "META-INF")) {
            let entry = entry.map_err(|error| {
                Error::cannot_build(
                    format!("The class folder {} cannot be read: {error}.", folder.display()),
                    "Check that the project compiles (`mvn test-compile`) and that the folder can be read.",
                )
            })?;
            if entry.file_type().is_file() && entry.path().extension().is_some_and(|ending| ending == "class") {
                let (name, class) = parse(entry.into_path())?;
                classes.entry(name).or_insert(class);
            }
        }
    }
    Ok(classes)
}

fn parse(file: PathBuf) -> Result<(String, CompiledClass)> {
    let bytes = std::fs::read(&file).map_err(|error| {
        Error::cannot_build(
            format!("The class file {} cannot be read: {error}.", file.display()),
            "Check the permissions of the file, or compile the project again.",
        )
    })?;
    let class = ClassFile::from_bytes(&bytes).map_err(|error| broken(&file, &error))?;
    let name = names::class(&class.constant_pool, class.this_class).map_err(|error| broken(&file, &error))?;
    Ok((name, CompiledClass { file, class }))
}

fn broken(file: &Path, error: &ristretto_classfile::Error) -> Error {
    Error::cannot_build(
        format!("The class file {} is broken: {error}.", file.display()),
        "Compile the project again from a clean state (`mvn clean test-compile`); if the file is still broken, find out what writes it.",
    )
}
