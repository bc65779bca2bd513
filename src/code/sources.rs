//! Finds the source files of classes, and names paths as reports do: relative to the project, with
//! `/`.

use crate::base::id::{IdVec, ModuleId};
use crate::base::read::{LONGEST_SOURCE, read_file};
use crate::recipe::{Build, Recipe};
use crate::text::encoding::{Decoded, SourceEncoding};
use crate::text::words;
use crate::transform::Method;
use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

/// The source folders of a build.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sources {
    /// The folder of the project. Reports name files relative to it.
    pub base_directory: PathBuf,
    pub roots: IdVec<ModuleId, Vec<PathBuf>>,
    pub test_roots: Vec<PathBuf>,
    /// By source root, the encoding of its files.
    pub encodings: BTreeMap<PathBuf, SourceEncoding>,
}

/// Extensions of source files of the languages that compile to class files, for classes whose
/// `SourceFile` attribute is unknown.
const ENDINGS: [&str; 4] = ["java", "kt", "groovy", "scala"];

impl Sources {
    #[must_use]
    pub fn of(build: &Build) -> Self {
        Self {
            base_directory: build.root.clone(),
            roots: build.modules.iter().map(|module| module.source_roots.clone()).collect(),
            test_roots: build.recipes.iter().flat_map(|recipe| recipe.test_source_roots.iter().cloned()).collect(),
            encodings: encodings(build),
        }
    }

    /// The encoding of a source.
    #[must_use]
    pub fn encoding_of(&self, path: &Path) -> SourceEncoding {
        path.ancestors().find_map(|folder| self.encodings.get(folder)).copied().unwrap_or_default()
    }

    /// The text of a source. `None` if it cannot be read.
    #[must_use]
    pub fn read(&self, path: &Path) -> Option<Decoded> {
        Some(self.encoding_of(path).decode(&read_file(path, LONGEST_SOURCE).ok()?))
    }

    /// The source of the method's class. `None` if no source root of its module has it, as with
    /// generated code.
    #[must_use]
    pub fn file_of(&self, method: &Method) -> Option<PathBuf> {
        find(self.roots.get(method.module)?, &method.class, method.source_file.as_deref())
    }

    /// The source of a class of the program, in any module.
    #[must_use]
    pub fn main_file_of(&self, class: &str, source_file: Option<&str>) -> Option<PathBuf> {
        self.roots.iter().find_map(|roots| find(roots, class, source_file))
    }

    /// The source of a test class.
    #[must_use]
    pub fn test_file_of(&self, class: &str) -> Option<PathBuf> {
        find(&self.test_roots, class, None)
    }

    /// The package of a test source, by its folder below a source root.
    #[must_use]
    pub fn test_package_of(&self, file: &Path) -> Option<String> {
        let below = self.test_roots.iter().find_map(|root| file.strip_prefix(root).ok())?;
        let names: Option<Vec<&str>> = below.parent()?.iter().map(|name| name.to_str()).collect();
        Some(names?.join("."))
    }

    /// `src/main/java/org/example/Stack.java`. `None` for a path outside of the project, which no
    /// report may name.
    #[must_use]
    pub fn relative(&self, path: &Path) -> Option<String> {
        let relative = path.strip_prefix(&self.base_directory).ok()?;
        let parts: Option<Vec<&str>> = relative
            .components()
            .map(|component| match component {
                Component::Normal(part) => part.to_str(),
                _ => None,
            })
            .collect();
        parts.map(|parts| parts.join("/")).filter(|path| !path.is_empty())
    }

    /// A line (from 1) of a source file, without the white space around it.
    #[must_use]
    pub fn line(&self, path: &Path, line: u32) -> Option<String> {
        let text = self.read(path)?.text;
        let index = usize::try_from(line.checked_sub(1)?).ok()?;
        text.lines().nth(index).map(|line| line.trim().to_owned()).filter(|line| !line.is_empty())
    }
}

/// By source root, the encoding that the tests of its module are compiled with. The program of a
/// module without tests has the encoding of the first module with tests.
fn encodings(build: &Build) -> BTreeMap<PathBuf, SourceEncoding> {
    let mut encodings = BTreeMap::new();
    let first = build.recipes.iter().next().map(Recipe::source_encoding).unwrap_or_default();
    for root in build.modules.iter().flat_map(|module| &module.source_roots) {
        encodings.insert(root.clone(), first);
    }
    for recipe in &build.recipes {
        for root in recipe.source_roots.iter().chain(&recipe.test_source_roots) {
            encodings.insert(root.clone(), recipe.source_encoding());
        }
    }
    encodings
}

fn find(roots: &[PathBuf], class: &str, source_file: Option<&str>) -> Option<PathBuf> {
    let folder = words::package(class).replace('.', "/");
    let in_root = &|root: &PathBuf, name: &str| root.join(&folder).join(name);
    let top = words::top_level(class);
    let simple = top.rsplit('.').next().unwrap_or(top);
    let names: Vec<String> = match source_file {
        Some(name) => vec![name.to_owned()],
        None => ENDINGS.iter().map(|ending| format!("{simple}.{ending}")).collect(),
    };
    // A `SourceFile` attribute is a plain name (JVMS §4.7.10); one that contains a path does not
    // come from a compiler.
    names
        .iter()
        .filter(|name| !name.contains(['/', '\\']) && *name != "..")
        .flat_map(|name| roots.iter().map(move |root| in_root(root, name)))
        .find(|file| file.is_file())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_class_is_found_in_its_source_root_and_named_relative_to_the_project() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("src/main/java");
        std::fs::create_dir_all(root.join("a/b")).unwrap();
        std::fs::write(root.join("a/b/Foo.java"), "package a.b;\n  class Foo {}\n").unwrap();
        let sources = Sources {
            base_directory: folder.path().to_owned(),
            roots: vec![vec![], vec![folder.path().join("generated"), root]].into(),
            ..Sources::default()
        };
        let method = |class: &str, source_file: &str, module: u32| Method {
            class: class.into(),
            name: "m".into(),
            descriptor: "()V".into(),
            access: 1,
            source_file: Some(source_file.into()),
            line: None,
            module: ModuleId(module),
        };
        let file = sources.file_of(&method("a.b.Foo$Bar", "Foo.java", 1)).unwrap();
        assert_eq!(sources.file_of(&method("a.b.Foo", "Foo.java", 0)), None, "another module");
        assert_eq!(sources.relative(&file).as_deref(), Some("src/main/java/a/b/Foo.java"));
        assert_eq!(sources.line(&file, 2).as_deref(), Some("class Foo {}"));
        assert_eq!(sources.line(&file, 0), None);
        assert_eq!(sources.file_of(&method("a.b.Foo", "../../../x", 1)), None);
        assert_eq!(sources.relative(Path::new("/elsewhere/Foo.java")), None);
    }
}
