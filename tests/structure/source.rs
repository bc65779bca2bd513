//! The Rust sources of the project as syntax trees.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use syn::{Attribute, Item, Meta};

/// One Rust file.
pub struct Source {
    /// Relative to the root of the repository, for example `src/cover/mod.rs`.
    pub path: String,
    /// The module that the file is, for example `["cover"]`; empty for `lib.rs` and `main.rs`.
    pub module: Vec<String>,
    /// Whether the file is compiled into the program, and not only into tests.
    pub production: bool,
    pub syntax: syn::File,
}

impl Source {
    /// The folder or file directly below `src` that this file belongs to; `None` for `lib.rs` and `main.rs`.
    pub fn room(&self) -> Option<&str> {
        self.module.first().map(String::as_str)
    }
}

/// The root of the repository.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Reads all Rust files below some folders of the repository.
pub fn read(folders: &[&str]) -> Vec<Source> {
    let mut files = Vec::new();
    for folder in folders {
        for entry in walkdir::WalkDir::new(root().join(folder)).sort_by_file_name() {
            let path = entry.unwrap().into_path();
            if path.extension().is_some_and(|extension| extension == "rs") {
                let text = std::fs::read_to_string(&path).unwrap();
                files.push((path.strip_prefix(root()).unwrap().to_path_buf(), text));
            }
        }
    }
    assert!(!files.is_empty(), "there are no Rust files in {folders:?}");
    parse(files)
}

/// Parses files that are given as text.
pub fn parse<P: Into<PathBuf>, T: AsRef<str>>(files: impl IntoIterator<Item = (P, T)>) -> Vec<Source> {
    let mut sources: Vec<Source> = files
        .into_iter()
        .map(|(path, text)| {
            let path: PathBuf = path.into();
            let syntax = syn::parse_file(text.as_ref()).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            Source { module: module_of(&path), path: path.to_str().unwrap().to_owned(), production: true, syntax }
        })
        .collect();
    let mut test_modules = BTreeSet::new();
    for source in &sources {
        collect_test_modules(&source.syntax.items, &source.module, &mut test_modules);
    }
    for source in &mut sources {
        source.production = !(0..=source.module.len()).any(|length| test_modules.contains(&source.module[..length]));
    }
    sources
}

/// `src/cover/runs.rs` is `cover::runs`, and `src/cover/mod.rs` is `cover`.
fn module_of(path: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        path.with_extension("").iter().skip(1).map(|name| name.to_str().unwrap().to_owned()).collect();
    let last = names.last().map(String::as_str);
    if last == Some("mod") || (names.len() == 1 && matches!(last, Some("lib" | "main"))) {
        names.pop();
    }
    names
}

/// Collects the modules that are files of their own and compiled for tests only.
fn collect_test_modules(items: &[Item], module: &[String], found: &mut BTreeSet<Vec<String>>) {
    for item in items {
        let Item::Mod(child) = item else { continue };
        let mut path = module.to_vec();
        path.push(child.ident.to_string());
        match &child.content {
            None if is_for_tests(&child.attrs) => {
                found.insert(path);
            }
            None => {}
            Some((_, items)) => collect_test_modules(items, &path, found),
        }
    }
}

/// Whether an item is compiled for tests only: `#[test]`, `#[cfg(test)]`, `#[cfg(all(test, unix))]`.
pub fn is_for_tests(attributes: &[Attribute]) -> bool {
    fn requires_test(condition: &Meta) -> bool {
        match condition {
            Meta::Path(path) => path.is_ident("test"),
            Meta::List(list) if list.path.is_ident("all") => list
                .parse_args_with(syn::punctuated::Punctuated::<Meta, syn::Token![,]>::parse_terminated)
                .is_ok_and(|conditions| conditions.iter().any(requires_test)),
            _ => false,
        }
    }
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("test")
            || attribute.path().is_ident("cfg")
                && attribute.parse_args::<Meta>().is_ok_and(|condition| requires_test(&condition))
    })
}

#[test]
fn test_modules_in_files_of_their_own_are_no_production_code() {
    let sources = parse([
        ("src/lib.rs", "mod a;"),
        ("src/a/mod.rs", "mod b; #[cfg(test)] mod tests; #[cfg(not(test))] mod c;"),
        ("src/a/b.rs", ""),
        ("src/a/c.rs", ""),
        ("src/a/tests/mod.rs", "mod deep;"),
        ("src/a/tests/deep.rs", ""),
    ]);
    let production: Vec<&str> =
        sources.iter().filter(|source| source.production).map(|source| source.path.as_str()).collect();
    assert_eq!(production, ["src/lib.rs", "src/a/mod.rs", "src/a/b.rs", "src/a/c.rs"]);
}

#[test]
fn attributes_of_tests_are_recognised() {
    let sources = parse([(
        "src/lib.rs",
        "#[test] fn a() {} #[cfg(all(unix, test))] fn b() {} #[cfg(unix)] fn c() {} #[cfg(not(test))] fn d() {}",
    )]);
    let for_tests: Vec<bool> = sources[0]
        .syntax
        .items
        .iter()
        .map(|item| match item {
            Item::Fn(function) => is_for_tests(&function.attrs),
            _ => unreachable!(),
        })
        .collect();
    assert_eq!(for_tests, [true, true, false, false]);
}
