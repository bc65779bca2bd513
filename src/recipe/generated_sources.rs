//! Decides which classes come from a source that a generator wrote (`rules/generated-sources.toml`), and which methods
//! a tool has added to a class that somebody wrote.

use super::build::{Build, Module};
use super::declared_methods::declared_methods;
use crate::base::error::{Error, Result};
use crate::base::id::{IdSlice, ModuleId};
use crate::base::read::{LONGEST_SOURCE, read_file};
use crate::classfile::compiled_classes::{CompiledClasses, Origin};
use crate::classfile::names;
use regex::Regex;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// The bytes of a source that are read: the type declaration begins there.
const HEAD: usize = 16 << 10;
/// File name extensions of sources.
const SOURCES: [&str; 4] = ["java", "kt", "groovy", "scala"];

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Marks {
    generators: Vec<String>,
    warnings: Vec<String>,
    annotations: Vec<String>,
}

/// Simple names of annotations that mark generated code.
///
/// # Errors
/// Only if reneri has a bug: the file is part of the binary.
pub fn generated_annotations() -> Result<&'static [String]> {
    Ok(&Marks::embedded()?.annotations)
}

impl Build {
    /// The classes of all modules, each with the knowledge who wrote it.
    ///
    /// # Errors
    /// A folder or class file cannot be read.
    pub fn compiled_classes(&self) -> Result<CompiledClasses> {
        let mut classes = CompiledClasses::read(&self.class_folders())?;
        let mut sources = GeneratedSources::new(&self.modules)?;
        classes.note_origins(|key, source_file| sources.origin(key.module, &key.name, source_file));
        Ok(classes)
    }
}

/// The sources of a build, and what is known of them.
struct GeneratedSources<'a> {
    modules: &'a IdSlice<ModuleId, Module>,
    marks: &'static Marks,
    begins_with_generated: Regex,
    known: BTreeMap<(ModuleId, PathBuf), Origin>,
    /// For each module, the sources below its build folder, by file name.
    built: BTreeMap<ModuleId, BTreeMap<String, Vec<PathBuf>>>,
}

impl<'a> GeneratedSources<'a> {
    /// # Errors
    /// Only if reneri has a bug: the file is part of the binary.
    fn new(modules: &'a IdSlice<ModuleId, Module>) -> Result<Self> {
        let line = r"(?i)^\W*(note:\s*)?((this|the following)\s+(java\s+)?(file|class|code|source)\s+(is|was|has been)\s+)?(code\s+)?(auto(matically)?)?[-\s]*generated\s+(by|from)\b";
        let broken = |error: regex::Error| Error::bug(format!("The pattern of generated code is broken: {error}."));
        Ok(Self {
            modules,
            marks: Marks::embedded()?,
            begins_with_generated: Regex::new(line).map_err(broken)?,
            known: BTreeMap::new(),
            built: BTreeMap::new(),
        })
    }

    /// The origin of a class, by binary name and `SourceFile` attribute.
    fn origin(&mut self, module: ModuleId, class: &str, source_file: Option<&str>) -> Origin {
        // A `SourceFile` attribute is a plain name (JVMS §4.7.10).
        let Some(name) = source_file.filter(|name| !name.contains(['/', '\\'])) else { return Origin::Written };
        let below = Path::new(&names::package(class).replace('.', "/")).join(name);
        if let Some(known) = self.known.get(&(module, below.clone())) {
            return known.clone();
        }
        let modules = self.modules;
        let origin = modules.get(module).map_or(Origin::Written, |folders| self.decide(module, folders, &below, name));
        self.known.insert((module, below), origin.clone());
        origin
    }

    fn decide(&mut self, id: ModuleId, module: &Module, below: &Path, name: &str) -> Origin {
        let build = module.build_directory.as_deref();
        let is_built = |root: &Path| build.is_some_and(|build| root.starts_with(build));
        let mut written = module.source_roots.iter().filter(|root| !is_built(root)).map(|root| root.join(below));
        if let Some(file) = written.find(|file| file.is_file()) {
            return self.of_file(&file);
        }
        let Some(build) = build else { return Origin::Written };
        let built = self.built.entry(id).or_insert_with(|| sources_below(build));
        let is_built = built.get(name).is_some_and(|files| files.iter().any(|file| file.ends_with(below)));
        // A tool may copy sources there, such as those with Lombok or those with placeholders.
        if is_built && !has_template(&module.base_directory, below) { Origin::Generated } else { Origin::Written }
    }

    /// The origin that a source states.
    fn of_file(&self, file: &Path) -> Origin {
        let Ok(bytes) = read_file(file, LONGEST_SOURCE) else { return Origin::Written };
        if self.is_marked_head(&Head::of(&String::from_utf8_lossy(bytes.get(..HEAD).unwrap_or(&bytes)))) {
            return Origin::Generated;
        }
        let is_java = file.extension().is_some_and(|end| end == "java");
        let declared = is_java.then(|| declared_methods(&String::from_utf8_lossy(&bytes))).flatten();
        declared.map_or(Origin::Written, |names| Origin::Mixed(Arc::new(names)))
    }

    fn is_marked_head(&self, head: &Head) -> bool {
        let contains = |text: &str, words: &[String]| words.iter().any(|word| text.contains(&word.to_lowercase()));
        let by_generator = head.comments.iter().any(|comment| {
            let mut rest = comment.lines();
            let begins = rest.any(|line| self.begins_with_generated.is_match(line));
            begins && contains(&comment.to_lowercase(), &self.marks.generators)
        });
        let first = head.comments.get(..head.before_package).unwrap_or_default().join("\n").to_lowercase();
        let has_warning = first.contains("generated") && contains(&first, &self.marks.warnings);
        let is_annotated = head.annotations.iter().any(|name| self.marks.annotations.contains(name));
        by_generator || has_warning || is_annotated
    }
}

impl Marks {
    fn embedded() -> Result<&'static Self> {
        static MARKS: OnceLock<std::result::Result<Marks, String>> = OnceLock::new();
        let read =
            || toml::from_str(include_str!("../../rules/generated-sources.toml")).map_err(|error| error.to_string());
        let broken = |error: &String| Error::bug(format!("rules/generated-sources.toml cannot be read: {error}."));
        MARKS.get_or_init(read).as_ref().map_err(broken)
    }
}

/// The part of a source before the body of its first type.
#[derive(Default)]
struct Head {
    comments: Vec<String>,
    /// The number of comments before `package`.
    before_package: usize,
    /// Simple names.
    annotations: BTreeSet<String>,
}

impl Head {
    fn of(text: &str) -> Self {
        let mut head = Self::default();
        let mut has_package = false;
        let mut parentheses = 0_usize;
        let mut rest = text;
        while let Some(character) = rest.chars().next() {
            let mut taken = character.len_utf8();
            if let Some((comment, length)) = comment(rest) {
                taken = length;
                head.before_package += usize::from(!has_package);
                head.comments.push(comment.to_owned());
            } else if character == '"' {
                let end = rest
                    .char_indices()
                    .skip(1)
                    .find(|(at, one)| *one == '"' && !rest.get(..*at).is_some_and(|before| before.ends_with('\\')));
                taken = end.map_or(rest.len(), |(at, _)| at + 1);
            } else if character == '@' {
                let after = rest.get(1..).unwrap_or_default();
                let end = after.find(|one: char| !one.is_alphanumeric() && !matches!(one, '.' | '_' | '$'));
                let name = after.get(..end.unwrap_or(after.len())).unwrap_or_default();
                head.annotations.extend(name.rsplit('.').next().map(str::to_owned));
                taken += name.len();
            } else if character == '{' && parentheses == 0 {
                break;
            } else {
                parentheses += usize::from(character == '(');
                parentheses -= usize::from(character == ')').min(parentheses);
                has_package |= rest.starts_with("package ");
            }
            rest = rest.get(taken..).unwrap_or_default();
        }
        head
    }
}

/// The comment at the beginning of a text, and its length.
fn comment(text: &str) -> Option<(&str, usize)> {
    let (end, mark) = if text.starts_with("//") { ("\n", 0) } else { ("*/", 2) };
    if mark > 0 && !text.starts_with("/*") {
        return None;
    }
    let length = text.get(2..)?.find(end).map_or(text.len(), |at| at + 2 + mark);
    Some((text.get(..length)?, length))
}

/// The sources below a folder, by file name.
fn sources_below(folder: &Path) -> BTreeMap<String, Vec<PathBuf>> {
    let mut found: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
    for entry in walkdir::WalkDir::new(folder).into_iter().flatten() {
        let is_source = entry.path().extension().is_some_and(|end| SOURCES.iter().any(|source| *source == end));
        if is_source && entry.file_type().is_file() {
            found.entry(entry.file_name().to_string_lossy().into_owned()).or_default().push(entry.into_path());
        }
    }
    found
}

/// Whether `src/*/*` of the module has a file of this name, from which the one in the build folder is made.
fn has_template(base: &Path, below: &Path) -> bool {
    let folders = |folder: PathBuf| {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        entries.map(|entry| entry.path())
    };
    folders(base.join("src")).flat_map(folders).any(|folder| folder.join(below).is_file())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::base::id::IdVec;

    fn marked(head: &str) -> bool {
        let modules = IdVec::new();
        GeneratedSources::new(&modules).unwrap().is_marked_head(&Head::of(head))
    }

    #[test]
    fn the_heads_of_generated_sources_are_recognised() {
        for head in [
            "// Generated by the protocol buffer compiler.  DO NOT EDIT!\npackage a;\nclass A {",
            "// Generated from Expr.g4 by ANTLR 4.9.2\npackage a;\npublic class ExprLexer extends Lexer {",
            "//\n// This file was generated by the Eclipse Implementation of JAXB, v4.0.2\n//\npackage a;\nclass A {",
            "/*\n * Petstore\n *\n * NOTE: This class is auto generated by OpenAPI Generator (https://openapi-generator.tech).\n */\npackage a;\nclass A {",
            "package a;\nimport javax.annotation.processing.Generated;\n@Generated(\n    value = \"org.mapstruct.ap.MappingProcessor\"\n)\npublic class AImpl implements A {",
            "package a;\n@SuppressWarnings({\"all\"})\n@javax.annotation.Generated(value = {\"x\"})\nclass A {",
            "package a;\n\n/**\n * This class was generated by Apache CXF 3.1\n */\npublic class A {",
            "/* Generated By:JavaCC: Do not edit this line. Token.java Version 7.0 */\npackage a;\nclass A {",
            "/**\n * Autogenerated by Avro\n *\n * DO NOT EDIT DIRECTLY\n */\npackage a;\nclass A {",
            "// Code generated by a tool of ours. Do not edit.\npackage a;\nclass A {",
        ] {
            assert!(marked(head), "{head}");
        }
    }

    #[test]
    fn the_heads_of_written_sources_are_not() {
        for head in [
            "/*\n * This Java source file was generated by the Gradle 'init' task.\n */\npackage a;\nclass A {",
            "package a;\n/** Visits the tree that is generated by ANTLR. */\nclass A {",
            "package a;\n/** Writes code. Do not edit what is generated. */\nclass A {",
            "package a;\nclass A {\n    @Generated int x;",
            "package a;\n@Deprecated(since = \"@Generated\")\nclass A {",
            "// Do not edit the schema by hand.\npackage a;\nclass A {",
            "",
            "/*",
        ] {
            assert!(!marked(head), "{head}");
        }
    }

    #[test]
    fn a_source_below_the_build_folder_is_generated_unless_somebody_wrote_a_template() {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path();
        let write = |path: &str| {
            std::fs::create_dir_all(base.join(path).parent().unwrap()).unwrap();
            std::fs::write(base.join(path), "package a; class A {}").unwrap();
        };
        write("src/main/java/a/Written.java");
        write("target/generated-sources/annotations/a/WrittenImpl.java");
        write("target/generated-sources/delombok/a/Account.java");
        write("src/main/lombok/a/Account.java");
        let module = Module {
            base_directory: base.to_path_buf(),
            build_directory: Some(base.join("target")),
            source_roots: vec![base.join("src/main/java"), base.join("target/generated-sources/annotations")],
            ..Module::default()
        };
        let modules = IdVec::from_vec(vec![module]);
        let mut sources = GeneratedSources::new(&modules).unwrap();
        let mut is_generated = |name: &str| sources.origin(ModuleId(0), "a.Any", Some(name)) == Origin::Generated;
        let names = ["Written.java", "WrittenImpl.java", "Account.java", "Missing.java", "../WrittenImpl.java"];
        assert_eq!(names.map(&mut is_generated), [false, true, false, false, false]);
    }
}
