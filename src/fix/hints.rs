//! Compiles the code that suggestions print, in the tests where it belongs.

use crate::base::error::{Error, Result};
use crate::code::Sources;
use crate::cover::Coverage;
use crate::fix::edit::{Edit, apply};
use crate::fix::source::imports::{NewImport, import_edits};
use crate::fix::source::library::Library;
use crate::fix::source::test_source::TestSource;
use crate::fix::write::value_source;
use crate::instrument::javac::{Compiler, Compilers, Processing, Source, options};
use crate::jvm::client::probe_classes;
use crate::recipe::{Build, Engine, Recipe};
use crate::suggest::{Snippet, SnippetPlace};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The project, and the compilers.
#[derive(Clone, Copy)]
pub struct HintInput<'a> {
    pub build: &'a Build,
    pub coverage: &'a Coverage,
    pub sources: &'a Sources,
    pub compilers: &'a Compilers,
    /// Folder for compiled classes.
    pub scratch: &'a Path,
    /// Most sources that are compiled at a time.
    pub threads: usize,
}

/// The indices of the snippets that do not compile.
///
/// Code for tests that are not written in Java, or outside of the project, is not compiled, and not
/// among them.
///
/// # Errors
/// If a compiler cannot be started or ends, or nothing can be written.
pub fn refused(input: &HintInput<'_>, snippets: &[&Snippet]) -> Result<BTreeSet<usize>> {
    let mut refused = BTreeSet::new();
    for (id, recipe) in input.build.recipes.iter_enumerated() {
        let own: Vec<(usize, &Snippet)> =
            snippets.iter().copied().enumerate().filter(|(_, snippet)| snippet.recipe == id).collect();
        if own.is_empty() {
            continue;
        }
        let mut library = Library::new(input.coverage, input.sources, &recipe.test_source_roots);
        let groups = groups(&mut library, recipe.engine, &own, &mut refused);
        if groups.is_empty() {
            continue;
        }
        let scratch = input.scratch.join(id.to_string());
        let compilation = Compilation { recipe, library: &library, scratch: &scratch, threads: input.threads };
        input
            .compilers
            .with(&recipe.java_home, input.scratch, |compiler| compilation.halve(compiler, groups, &mut refused))?;
    }
    Ok(refused)
}

/// The source that snippets are compiled in.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Host {
    /// A test source, by its number.
    Existing(usize),
    /// A class of its own in this package, with the assertions of this class.
    New { package: String, assertions: &'static str },
}

/// Snippets with one host.
struct Group<'s> {
    host: Host,
    pieces: Vec<Piece<'s>>,
}

#[derive(Clone)]
struct Piece<'s> {
    index: usize,
    snippet: &'s Snippet,
    /// The edits that put it into its test source; none for a new class.
    edits: Vec<Edit>,
}

/// Groups the snippets by their hosts. Those without a place in their source are refused at once.
fn groups<'s>(
    library: &mut Library<'_>,
    engine: Engine,
    snippets: &[(usize, &'s Snippet)],
    refused: &mut BTreeSet<usize>,
) -> Vec<Group<'s>> {
    let mut groups: BTreeMap<Host, Vec<Piece<'s>>> = BTreeMap::new();
    for (index, snippet) in snippets.iter().copied() {
        let (host, edits) = match &snippet.place {
            SnippetPlace::NewTest { package, like, .. } => {
                if like.as_ref().is_some_and(|like| like.extension().is_none_or(|ending| ending != "java")) {
                    continue;
                }
                let like = like.as_ref().and_then(|like| library.read(like));
                let like = like.and_then(|like| library.sources.get(like));
                (Host::New { package: package.clone(), assertions: assertions(like, engine) }, Some(Vec::new()))
            }
            SnippetPlace::Before { file, line, column } | SnippetPlace::Caught { file, line, column } => {
                let Some(number) = library.read(file) else { continue };
                let source = library.sources.get(number);
                (Host::Existing(number), source.and_then(|source| edits(source, snippet, *line, *column)))
            }
        };
        match edits {
            Some(edits) => groups.entry(host).or_default().push(Piece { index, snippet, edits }),
            None => {
                refused.insert(index);
            }
        }
    }
    groups.into_iter().map(|(host, pieces)| Group { host, pieces }).collect()
}

/// The edits that put a snippet into its test source. `None` if no statement can stand there.
fn edits(source: &TestSource, snippet: &Snippet, line: u32, column: u32) -> Option<Vec<Edit>> {
    let byte = source.byte_of(line, column)?;
    let code = &snippet.code;
    if matches!(snippet.place, SnippetPlace::Caught { .. }) {
        let (start, _) = source.catch_block(byte)?;
        return Some(vec![Edit::insert(start, format!(" {{ {code}; }} "))]);
    }
    let (statement, is_in_block) = source.statement_at(byte)?;
    if is_in_block {
        return Some(vec![Edit::insert(statement.start, format!("{{ {code}; }} "))]);
    }
    let open = Edit::insert(statement.start, format!("{{ {code}; "));
    Some(vec![open, Edit::insert(statement.end, " }".to_owned())])
}

/// The class whose assertions a test uses that is written like this source.
fn assertions(like: Option<&TestSource>, engine: Engine) -> &'static str {
    let libraries = [
        ("org.junit.jupiter.", Engine::JUnitPlatform),
        ("org.testng.", Engine::TestNG),
        ("org.junit.", Engine::JUnit4),
        ("junit.framework.", Engine::JUnit3),
    ];
    let imports =
        |prefix: &str| like.is_some_and(|source| source.imports.iter().any(|import| import.name.starts_with(prefix)));
    let imported = libraries.into_iter().find(|(prefix, _)| imports(prefix));
    imported.map_or(engine, |(_, engine)| engine).profile().assertions
}

/// The compilation of the snippets of one recipe.
struct Compilation<'a> {
    recipe: &'a Recipe,
    library: &'a Library<'a>,
    scratch: &'a Path,
    threads: usize,
}

impl Compilation<'_> {
    /// Compiles groups. Halves those that do not compile, until a snippet is alone: then it is
    /// refused.
    fn halve(&self, compiler: &mut Compiler, mut groups: Vec<Group<'_>>, refused: &mut BTreeSet<usize>) -> Result<()> {
        for folder in ["generated", "no-sources", "classes"] {
            make(&self.scratch.join(folder))?;
        }
        let options = options(self.recipe, &probe_classes(&self.recipe.java_home)?, self.scratch, Processing::Off)?;
        let mut is_first = true;
        while !groups.is_empty() {
            let compiles = self.compile(compiler, &options, &groups)?;
            let failed = groups.into_iter().zip(compiles).filter(|(_, compiles)| !compiles).map(|(group, _)| group);
            let mut broken: Vec<Host> = Vec::new();
            let mut halves: Vec<Group<'_>> = Vec::new();
            for group in failed {
                match group.pieces.as_slice() {
                    [] => broken.push(group.host),
                    [alone] => drop(refused.insert(alone.index)),
                    pieces => {
                        let (first, second) = pieces.split_at(pieces.len() / 2);
                        // A host that does not compile by itself is given up.
                        let host: Option<&[Piece<'_>]> = is_first.then_some(&[]);
                        for pieces in host.into_iter().chain([first, second]) {
                            halves.push(Group { host: group.host.clone(), pieces: pieces.to_vec() });
                        }
                    }
                }
            }
            for group in halves.iter().filter(|group| broken.contains(&group.host)) {
                refused.extend(group.pieces.iter().map(|piece| piece.index));
            }
            halves.retain(|group| !broken.contains(&group.host));
            groups = halves;
            is_first = false;
        }
        Ok(())
    }

    /// Whether each group compiles.
    fn compile(&self, compiler: &mut Compiler, options: &[String], groups: &[Group<'_>]) -> Result<Vec<bool>> {
        let classes = self.scratch.join("classes");
        let new_class = self.scratch.join("Hints$reneri.java");
        let texts: Vec<String> = groups.iter().map(|group| self.text(group)).collect();
        let mut sources: Vec<(Source<'_>, &Path)> = Vec::new();
        for (group, text) in groups.iter().zip(&texts) {
            let path = match &group.host {
                Host::Existing(number) => self.library.sources.get(*number).map(|source| source.path.as_path()),
                Host::New { .. } => None,
            };
            sources.push((Source { path: path.unwrap_or(&new_class), text }, &classes));
        }
        let passes = compiler.compile_each(options, &sources, self.threads)?;
        Ok(passes.iter().map(|pass| pass.complaints.is_empty() && pass.failure.is_none()).collect())
    }

    /// The source of a group.
    fn text(&self, group: &Group<'_>) -> String {
        let mut imports: Vec<NewImport> = Vec::new();
        for Piece { snippet, .. } in &group.pieces {
            imports.extend(snippet.classes.iter().flat_map(|class| value_source::imports(&snippet.code, class)));
        }
        match &group.host {
            Host::Existing(number) => {
                let Some(source) = self.library.sources.get(*number) else { return String::new() };
                imports.push(all_of(assertions(Some(source), self.recipe.engine)));
                let mut edits = import_edits(source, &imports);
                edits.extend(group.pieces.iter().flat_map(|piece| piece.edits.iter().cloned()));
                apply(&source.text, &edits).unwrap_or_default()
            }
            Host::New { package, assertions } => {
                imports.push(all_of(assertions));
                new_class(package, imports, &group.pieces)
            }
        }
    }
}

fn all_of(class: &str) -> NewImport {
    NewImport { is_static: true, name: format!("{class}.*") }
}

/// A class with a method for each snippet.
fn new_class(package: &str, mut imports: Vec<NewImport>, pieces: &[Piece<'_>]) -> String {
    let mut text = String::new();
    if !package.is_empty() {
        text.push_str(&format!("package {package};\n"));
    }
    imports.sort();
    imports.dedup();
    for NewImport { is_static, name } in &imports {
        // Nothing can be imported from the package without a name.
        if name.contains('.') {
            text.push_str(&format!("import {}{name};\n", if *is_static { "static " } else { "" }));
        }
    }
    text.push_str("class Hints$reneri {\n");
    for Piece { index, snippet, .. } in pieces {
        let SnippetPlace::NewTest { variables, .. } = &snippet.place else { continue };
        let parameters: Vec<String> =
            variables.iter().map(|(name, class)| format!("{} {name}", class.replace('$', "."))).collect();
        let code = &snippet.code;
        text.push_str(&format!(
            "void hint{index}({}) throws java.lang.Throwable {{ {code}; }}\n",
            parameters.join(", ")
        ));
    }
    text.push_str("}\n");
    text
}

fn make(folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder).map_err(|error| {
        Error::usage(
            format!("{} cannot be made: {error}.", folder.display()),
            "Make room, or set TMPDIR to a folder that can be written.",
        )
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::base::id::RecipeId;
    use crate::classfile::test_javac::compile;
    use crate::recipe::{CompilerSettings, jdk};
    use std::path::PathBuf;

    const ASSERT: &str = "package org.junit; public class Assert {
        public static void assertEquals(Object expected, Object actual) { }
        public static void assertEquals(long expected, long actual) { }
        public static void assertTrue(boolean condition) { }
    }";
    const SET: &str = "package a; public class Set {
        public int size() { return 1; }
        public Integer boxed() { return 1; }
        public void check(String text) throws java.io.IOException { }
    }";
    const TEST: &str = "package a;
class SetTest {
    final Set field = new Set();
    void reads(Set set) {
        set.size();
        if (set.size() > 0)
            set.boxed();
        try { set.check(null); } catch (java.io.IOException e) { }
    }
}
";

    /// The code that does not compile.
    fn refused_of(test: &str, snippets: &[(SnippetPlace, &'static str)]) -> Vec<&'static str> {
        let library = compile(&[ASSERT, SET, "package b; public class Set { }"], &["-Xlint:none"]);
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("src");
        std::fs::create_dir_all(&root).unwrap();
        std::fs::write(root.join("SetTest.java"), test).unwrap();
        std::fs::write(root.join("KotlinTest.kt"), "class KotlinTest").unwrap();
        let recipe = Recipe {
            java_home: jdk::of_environment().unwrap(),
            test_source_roots: vec![root.clone()],
            test_class_path: vec![library.path().to_path_buf()],
            compiler: CompilerSettings { release: Some("11".into()), ..CompilerSettings::default() },
            ..Recipe::of_tests(folder.path())
        };
        let build = Build { recipes: vec![recipe].into(), ..Build::default() };
        let (coverage, sources, compilers) = (Coverage::default(), Sources::of(&build), Compilers::default());
        let scratch = tempfile::tempdir().unwrap();
        let (build, coverage, sources, compilers) = (&build, &coverage, &sources, &compilers);
        let input = HintInput { build, coverage, sources, compilers, scratch: scratch.path(), threads: 2 };
        let in_root = |file: &PathBuf| root.join(file);
        let mut made: Vec<Snippet> = Vec::new();
        for (place, code) in snippets {
            let place = match place {
                SnippetPlace::Before { file, line, column } => {
                    SnippetPlace::Before { file: in_root(file), line: *line, column: *column }
                }
                SnippetPlace::Caught { file, line, column } => {
                    SnippetPlace::Caught { file: in_root(file), line: *line, column: *column }
                }
                SnippetPlace::NewTest { package, like, variables } => SnippetPlace::NewTest {
                    package: package.clone(),
                    like: like.as_ref().map(in_root),
                    variables: variables.clone(),
                },
            };
            made.push(Snippet { recipe: RecipeId(0), place, code: (*code).to_owned(), classes: vec!["b.Set".into()] });
        }
        let refused = refused(&input, &made.iter().collect::<Vec<_>>()).unwrap();
        refused.into_iter().filter_map(|index| Some(snippets.get(index)?.1)).collect()
    }

    fn before(file: &str, line: u32, column: u32) -> SnippetPlace {
        SnippetPlace::Before { file: file.into(), line, column }
    }

    fn new_test(package: &str, like: &str) -> SnippetPlace {
        let variables = vec![("set".to_owned(), "a.Set".to_owned())];
        SnippetPlace::NewTest { package: package.into(), like: Some(like.into()), variables }
    }

    #[test]
    fn only_code_that_does_not_compile_is_refused() {
        let own = |line, column| before("SetTest.java", line, column);
        let snippets = [
            (own(5, 9), "assertEquals(1, (set.size()))"),
            (own(5, 9), "assertEquals([[I.class, (set.size()))"),
            (own(7, 13), "assertEquals(1, (set.boxed()))"),
            (own(7, 13), "assertEquals(Integer.valueOf(1), (set.boxed()))"),
            (own(5, 9), "set.check(null)"),
            (own(3, 23), "assertTrue(true)"),
            (SnippetPlace::Caught { file: "SetTest.java".into(), line: 8, column: 66 }, "assertEquals(null, e)"),
            (SnippetPlace::Caught { file: "SetTest.java".into(), line: 8, column: 66 }, "assertEquals(null, f)"),
        ];
        let refused = refused_of(TEST, &snippets);
        // An `Integer` is ambiguous; a checked exception needs a clause; a field is no place.
        let expected = [
            "assertEquals([[I.class, (set.size()))",
            "assertEquals(1, (set.boxed()))",
            "set.check(null)",
            "assertTrue(true)",
            "assertEquals(null, f)",
        ];
        assert_eq!(refused, expected);
    }

    #[test]
    fn code_of_a_new_test_has_its_variables_and_may_throw() {
        let snippets = [
            (new_test("a", "SetTest.java"), "set.check(null); assertEquals(1, set.size())"),
            (new_test("c", "SetTest.java"), "assertEquals(Set.class, set)"),
            (new_test("a", "SetTest.java"), "assertEquals(1, other.size())"),
            (new_test("a", "SetTest.java"), "assertThrows(Exception.class, () -> set.size())"),
        ];
        let expected = ["assertEquals(1, other.size())", "assertThrows(Exception.class, () -> set.size())"];
        assert_eq!(refused_of(TEST, &snippets), expected);
    }

    #[test]
    fn code_for_tests_that_are_not_in_java_is_left_alone() {
        let snippets = [(new_test("a", "KotlinTest.kt"), "no"), (before("KotlinTest.kt", 1, 1), "no")];
        assert!(refused_of(TEST, &snippets).is_empty());
    }

    #[test]
    fn a_source_that_does_not_compile_by_itself_is_given_up() {
        let code = [(before("SetTest.java", 5, 9), "assertEquals(1, 1)"), (before("SetTest.java", 5, 9), "set.size()")];
        assert_eq!(refused_of(&TEST.replace("final Set", "final Gone"), &code), ["assertEquals(1, 1)", "set.size()"]);
    }
}
