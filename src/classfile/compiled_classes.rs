//! Finds and parses the class files of class folders.
//! Transformations and outlines are made from the same parsed classes.

use crate::base::error::{Error, Result};
use crate::base::id::{IdSlice, ModuleId};
use crate::base::read::{LONGEST_SOURCE, read_file};
use crate::classfile::Fault;
use crate::classfile::decoded::decode;
use crate::classfile::names;
use ristretto_classfile::ClassFile;
use ristretto_classfile::attributes::Attribute;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use walkdir::WalkDir;

/// A parsed class and its file.
#[derive(Clone, Debug)]
pub struct CompiledClass {
    pub file: PathBuf,
    pub class: ClassFile<'static>,
    pub origin: Origin,
}

/// The author of the methods of a class.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Origin {
    #[default]
    Written,
    /// A generator wrote the source.
    Generated,
    /// The source declares methods with these names. The compiler, or a tool in it, has added the others.
    Mixed(Arc<BTreeSet<String>>),
}

impl Origin {
    /// Whether nobody wrote the method with this name.
    #[must_use]
    pub fn is_generated(&self, method: &str) -> bool {
        match self {
            Self::Written => false,
            Self::Generated => true,
            Self::Mixed(written) => !method.contains(['<', '$']) && !written.contains(method),
        }
    }
}

impl CompiledClass {
    /// The error for a class file that refers to a constant that it does not have.
    #[must_use]
    pub fn broken(&self, error: &ristretto_classfile::Error) -> Error {
        broken(&self.file, error)
    }

    /// The error for a class file that can no longer be read.
    #[must_use]
    pub fn unreadable(&self, error: &std::io::Error) -> Error {
        unreadable(&self.file, error)
    }
}

/// The key of a class. Modules may have different classes of the same name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ClassKey {
    /// Binary name. It comes before the module, because transformations are sorted by class.
    pub name: String,
    pub module: ModuleId,
}

/// The parsed classes of all modules.
#[derive(Clone, Debug, Default)]
pub struct CompiledClasses {
    classes: BTreeMap<ClassKey, CompiledClass>,
    broken: Vec<BrokenFile>,
}

/// A file with the name of a class file that is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrokenFile {
    pub file: PathBuf,
    pub why: String,
}

/// The class files below a folder.
#[derive(Clone, Debug, Default)]
pub struct ClassFolder {
    /// By binary name.
    pub classes: BTreeMap<String, CompiledClass>,
    pub broken: Vec<BrokenFile>,
}

impl CompiledClasses {
    /// Parses every class below `class_folders`, one for each module.
    ///
    /// # Errors
    /// A folder or class file cannot be read.
    pub fn read(class_folders: &IdSlice<ModuleId, PathBuf>) -> Result<Self> {
        let mut all = Self::default();
        for (module, folder) in class_folders.iter_enumerated() {
            let ClassFolder { classes, broken } = read_folder(folder)?;
            all.classes.extend(classes.into_iter().map(|(name, class)| (ClassKey { name, module }, class)));
            all.broken.extend(broken);
        }
        Ok(all)
    }

    /// The files that are left out because they are no class files.
    #[must_use]
    pub fn broken(&self) -> &[BrokenFile] {
        &self.broken
    }

    /// Notes who wrote the classes. `origin` gets the name of the source.
    pub fn note_origins(&mut self, mut origin: impl FnMut(&ClassKey, Option<&str>) -> Origin) {
        for (key, compiled) in &mut self.classes {
            let name = compiled.class.attributes.iter().find_map(|attribute| match attribute {
                Attribute::SourceFile { source_file_index, .. } => {
                    names::text(&compiled.class.constant_pool, *source_file_index).ok()
                }
                _ => None,
            });
            compiled.origin = origin(key, name.as_deref());
        }
    }

    #[must_use]
    pub fn get(&self, key: &ClassKey) -> Option<&CompiledClass> {
        self.classes.get(key)
    }

    /// All classes, sorted by key.
    pub fn iter(&self) -> impl Iterator<Item = (&ClassKey, &CompiledClass)> {
        self.classes.iter()
    }

    /// One class for each name, sorted by name. If several modules have a class of that name, the first module counts,
    /// as on a class path.
    pub fn by_name(&self) -> impl Iterator<Item = &CompiledClass> {
        let mut previous = None;
        self.classes.iter().filter_map(move |(key, class)| {
            let is_first = previous.replace(&key.name) != Some(&key.name);
            is_first.then_some(class)
        })
    }
}

/// Parses every class below a folder. Left out is what no JVM loads from there: what lies in `META-INF` (versions of classes
/// for other Java releases, in multi-release jars), and class files elsewhere than their name says (templates, say).
///
/// # Errors
/// The folder or a class file cannot be read.
pub fn read_folder(folder: &Path) -> Result<ClassFolder> {
    let mut found = ClassFolder::default();
    let walk = WalkDir::new(folder).sort_by_file_name().into_iter();
    for entry in walk.filter_entry(|entry| !(entry.depth() == 1 && entry.file_name() == "META-INF")) {
        let entry = entry.map_err(|error| {
            Error::cannot_build(
                format!("The class folder {} cannot be read: {error}.", folder.display()),
                "Check that the project compiles (`mvn test-compile`) and that the folder can be read.",
            )
        })?;
        if !entry.file_type().is_file() || entry.path().extension().is_none_or(|ending| ending != "class") {
            continue;
        }
        let file = entry.into_path();
        let bytes = read_file(&file, LONGEST_SOURCE).map_err(|error| unreadable(&file, &error))?;
        match parse(&bytes) {
            Ok((name, class)) => {
                let place = format!("{}.class", name.replace('.', "/"));
                if file.strip_prefix(folder).is_ok_and(|below| below == Path::new(&place)) {
                    found.classes.insert(name, CompiledClass { file, class, origin: Origin::default() });
                }
            }
            Err(why) => found.broken.push(BrokenFile { file, why }),
        }
    }
    Ok(found)
}

/// The class with its binary name, or what is wrong with the file.
fn parse(bytes: &[u8]) -> std::result::Result<(String, ClassFile<'static>), String> {
    let class = decode(bytes).map_err(|fault| match fault {
        Fault::Malformed(what) => what,
        fault => fault.to_string(),
    })?;
    let name = names::class(&class.constant_pool, class.this_class).map_err(|error| error.to_string())?;
    Ok((name, class))
}

fn unreadable(file: &Path, error: &std::io::Error) -> Error {
    Error::cannot_build(
        format!("The class file {} cannot be read: {error}.", file.display()),
        "Check the permissions of the file, or compile the project again.",
    )
}

fn broken(file: &Path, error: &dyn std::fmt::Display) -> Error {
    Error::cannot_build(
        format!("The class file {} is broken: {error}.", file.display()),
        "Compile the project again from a clean state (`mvn clean test-compile`); if the file is still broken, find out what writes it.",
    )
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::base::id::IdVec;
    use crate::classfile::test_javac::compile;

    #[test]
    fn modules_have_classes_of_the_same_name_and_the_first_module_counts_by_name() {
        let folders = [
            compile(&["class A {} class B {}"], &["-Xlint:none"]),
            compile(&["class B {} class C {}"], &["-Xlint:none"]),
        ];
        let paths: IdVec<ModuleId, PathBuf> = folders.iter().map(|folder| folder.path().to_path_buf()).collect();
        let classes = CompiledClasses::read(&paths).unwrap();
        let keys: Vec<_> = classes.iter().map(|(key, _)| (key.name.as_str(), key.module.0)).collect();
        assert_eq!(keys, [("A", 0), ("B", 0), ("B", 1), ("C", 1)]);
        let by_name: Vec<&Path> = classes.by_name().map(|class| class.file.as_path()).collect();
        let expected = [(0, "A.class"), (0, "B.class"), (1, "C.class")];
        assert_eq!(by_name, expected.map(|(module, file): (usize, &str)| folders[module].path().join(file)));
    }

    #[test]
    fn files_that_are_no_class_files_are_named_and_classes_elsewhere_are_data() {
        let folder = compile(&["package p; class A {}"], &["-Xlint:none"]);
        let in_folder = |name: &str| folder.path().join(name);
        std::fs::create_dir(in_folder("templates")).unwrap();
        std::fs::copy(in_folder("p/A.class"), in_folder("templates/A.class")).unwrap();
        std::fs::write(in_folder("templates/Empty.class"), "").unwrap();
        std::fs::write(in_folder("templates/Text.class"), "public class ${name} {}").unwrap();
        let classes = CompiledClasses::read(&IdVec::from_vec(vec![folder.path().to_path_buf()])).unwrap();
        let keys: Vec<_> = classes.iter().map(|(key, _)| key.name.as_str()).collect();
        assert_eq!(keys, ["p.A"]);
        let broken: Vec<_> = classes.broken().iter().map(|broken| broken.file.clone()).collect();
        assert_eq!(broken, [in_folder("templates/Empty.class"), in_folder("templates/Text.class")]);
    }
}
