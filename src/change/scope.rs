//! Finds the methods and tests that a change touches, and the methods to analyze because of it.

use super::declarations::{DeclarationKind, Declarations};
use super::test_classes::{TestClassKey, TestClasses};
use super::{Change, TouchedLines};
use crate::base::error::{Error, Result};
use crate::base::id::{IdSlice, IdVec, MethodId, ModuleId, RecipeId, TestId};
use crate::base::read::{LONGEST_SOURCE, read_file};
use crate::classfile::names;
use crate::cover::{Coverage, Test};
use crate::recipe::Build;
use crate::transform::{Method, Transformations};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The code that the change touches, found in the sources before any test runs.
#[derive(Clone, Debug, Default)]
pub struct TouchedCode {
    methods: BTreeSet<MethodId>,
    /// Indices into [`Transformations::stopped`].
    stopped: BTreeSet<usize>,
    test_files: Vec<TestFile>,
    /// Java files of the change that are not in a source root of the analyzed code or its tests.
    pub elsewhere: Vec<PathBuf>,
}

/// The source roots of a build.
#[derive(Clone, Debug, Default)]
pub struct Roots {
    code: IdVec<ModuleId, Vec<PathBuf>>,
    tests: IdVec<RecipeId, Vec<PathBuf>>,
}

impl Roots {
    #[must_use]
    pub fn of(build: &Build) -> Self {
        Self {
            code: build.modules.iter().map(|module| module.source_roots.clone()).collect(),
            tests: build.recipes.iter().map(|recipe| recipe.test_source_roots.clone()).collect(),
        }
    }
}

/// A test source that the change touches.
#[derive(Clone, Debug, PartialEq, Eq)]
struct TestFile {
    recipe: RecipeId,
    /// The path below the source root, with `/`.
    source: String,
    /// TouchedLines methods, except those of classes inside methods.
    methods: BTreeSet<String>,
    /// Whether the change touches code of a class that any of its tests may depend on.
    is_shared: bool,
}

/// The methods that an analysis is restricted to, and the tests that the change touches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scope {
    /// Methods that the change touches, and methods that touched tests reach.
    pub methods: BTreeSet<MethodId>,
    /// TouchedLines entries of [`Transformations::stopped`], by index.
    pub stopped: BTreeSet<usize>,
    /// TouchedLines tests.
    pub tests: BTreeSet<TestId>,
}

impl TouchedCode {
    /// Finds the methods, and the members of the test sources, that the change touches.
    ///
    /// # Errors
    /// If a source cannot be read.
    pub fn find(change: &Change, roots: &Roots, transformations: &Transformations) -> Result<Self> {
        let mut found = Self::default();
        // By module and path below the source root, which class files imply.
        let mut main: BTreeMap<(ModuleId, String), (&TouchedLines, Declarations)> = BTreeMap::new();
        for (file, touched) in &change.files {
            let declarations = Declarations::of(&read(file)?);
            let mut is_known = false;
            for (module, roots) in roots.code.iter_enumerated() {
                for source in below(roots, file) {
                    main.insert((module, source), (touched, declarations.clone()));
                    is_known = true;
                }
            }
            for (recipe, roots) in roots.tests.iter_enumerated() {
                for source in below(roots, file) {
                    found.test_files.extend(test_file(recipe, source, touched, &declarations));
                    is_known = true;
                }
            }
            if !is_known {
                found.elsewhere.push(file.clone());
            }
        }
        let is_touched = |method: &Method| {
            let source = main.get(&(method.module, source(method)));
            source
                .is_some_and(|(touched, declarations)| declarations.touches_method(touched, &method.name, method.line))
        };
        let methods = transformations.methods.iter_enumerated().filter(|(_, method)| is_touched(method));
        found.methods = methods.map(|(id, _)| id).collect();
        let stopped = transformations.stopped.iter().enumerate().filter(|(_, stopped)| is_touched(&stopped.method));
        found.stopped = stopped.map(|(index, _)| index).collect();
        Ok(found)
    }

    /// Whether there is nothing to analyze, so that no test has to run.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.methods.is_empty() && self.test_files.is_empty()
    }

    /// The touched methods and those that touched tests reach. `reached_by` returns the tests that reach
    /// a method.
    ///
    /// # Errors
    /// If a test class cannot be read.
    pub fn scope(
        self,
        build: &Build,
        coverage: &Coverage,
        methods: impl Iterator<Item = MethodId>,
        reached_by: impl Fn(MethodId) -> Vec<TestId>,
    ) -> Result<Scope> {
        let mut tests = BTreeSet::new();
        if !self.test_files.is_empty() {
            let folders: IdVec<RecipeId, PathBuf> =
                build.recipes.iter().map(|recipe| recipe.test_classes.clone()).collect();
            let classes = TestClasses::read(&folders)?;
            for file in &self.test_files {
                tests.extend(touched_tests(file, &classes, &coverage.tests));
            }
        }
        let mut scope = Scope { methods: self.methods, stopped: self.stopped, tests };
        if !scope.tests.is_empty() {
            let reached = |method: &MethodId| reached_by(*method).iter().any(|test| scope.tests.contains(test));
            let reached: Vec<MethodId> = methods.filter(reached).collect();
            scope.methods.extend(reached);
        }
        Ok(scope)
    }
}

/// The tests that a touched file affects. For a test method: that test, in all classes that inherit it.
/// For other code: all tests that may use it.
fn touched_tests(file: &TestFile, classes: &TestClasses, tests: &IdSlice<TestId, Test>) -> BTreeSet<TestId> {
    let own = classes.of_source(file.recipe, &file.source);
    let below = classes.below(&own);
    let is_of =
        |test: &Test, classes: &BTreeSet<TestClassKey>| classes.contains(&TestClassKey::new(test.recipe, &test.class));
    let mut found = BTreeSet::new();
    let mut all = file.is_shared;
    for method in &file.methods {
        let named: Vec<TestId> = tests
            .iter_enumerated()
            .filter(|(_, test)| method_name(test) == method && is_of(test, &below))
            .map(|(number, _)| number)
            .collect();
        // A method that is no test may be a helper of any test.
        all |= named.is_empty();
        found.extend(named);
    }
    if all {
        let users = classes.users(&below);
        found.extend(tests.iter_enumerated().filter(|(_, test)| is_of(test, &users)).map(|(number, _)| number));
    }
    found
}

/// The method name in the name of a test, such as `pops` in `org.example.StackTest.pops(int)[2]`. A test
/// that is no method may have any name.
fn method_name(test: &Test) -> &str {
    let name = test.name.strip_prefix(test.class.as_str()).unwrap_or(&test.name);
    // A parameterised class, such as `org.example.StackTest[1].pops()`.
    let name = if name.starts_with('[') { name.split_once("].").map_or(name, |(_, name)| name) } else { name };
    let name = name.strip_prefix('.').unwrap_or(name);
    name.split(['(', '[', ' ']).next().unwrap_or(name)
}

/// The touched test file. `None` if the change touches only comments, imports and lines between members.
fn test_file(
    recipe: RecipeId,
    source: String,
    touched: &TouchedLines,
    declarations: &Declarations,
) -> Option<TestFile> {
    let mut file = TestFile { recipe, source, methods: BTreeSet::new(), is_shared: declarations.incomplete };
    file.is_shared |= declarations.headers.iter().any(|header| touched.touches(*header.start(), *header.end()));
    for declaration in declarations.all.iter().filter(|member| member.outermost && member.is_touched(touched)) {
        match &declaration.kind {
            DeclarationKind::Method(name) => {
                file.methods.insert(name.clone());
            }
            DeclarationKind::Lambda | DeclarationKind::Other => file.is_shared = true,
        }
    }
    (file.is_shared || !file.methods.is_empty()).then_some(file)
}

/// The paths of the file below the roots that contain it, with `/`.
fn below(roots: &[PathBuf], file: &Path) -> Vec<String> {
    let below = roots.iter().filter_map(|root| {
        let root = root.canonicalize().ok()?;
        let parts: Option<Vec<&str>> =
            file.strip_prefix(root).ok()?.components().map(|part| part.as_os_str().to_str()).collect();
        parts.map(|parts| parts.join("/"))
    });
    below.collect()
}

/// The path of the method's source below its source root: compilers expect it in the folder of the
/// package.
fn source(method: &Method) -> String {
    let file = method.source_file.as_deref().unwrap_or_default();
    match names::package(&method.class) {
        "" => file.to_owned(),
        package => format!("{}/{file}", package.replace('.', "/")),
    }
}

fn read(file: &Path) -> Result<String> {
    let bytes = read_file(file, LONGEST_SOURCE).map_err(|error| {
        Error::usage(
            format!("The source {} cannot be read: {error}.", file.display()),
            "Check the permissions of the file.",
        )
    })?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
