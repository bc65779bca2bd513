//! The test sources of a recipe that patches may be made for, read once: which tests of them are near to a method, and which classes run them.

use crate::base::id::MethodId;
use crate::code::Signature;
use crate::code::Sources;
use crate::cover::{Coverage, Test};
use crate::diagnose::Diagnosis;
use crate::fix::source::test_source::{Import, TestMethod, TestSource, mentioned, mentions};
use crate::fix::techniques::simple;
use crate::suggest::own_test_file;
use crate::text::words;
use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Most tests of which candidates for one method are made: of those that reach it, and of those beside them.
const TESTS: usize = 6;
/// Most tests of a method in which an input is changed.
const REACHING: usize = 40;
/// How far up a test is looked for.
const SUPERCLASSES: usize = 4;
/// Most test classes of a package that are read.
const BESIDE: usize = 12;

/// In names of test classes that measure.
const SPEED: [&str; 4] = ["Performance", "Benchmark", "Speed", "Stress"];

/// A test: indices of its source, and of its method there.
pub type Place = (usize, usize);
/// Test classes by source, method, and whether it is about what is new beside it.
type Runners = BTreeMap<(usize, usize, bool), Rc<BTreeSet<String>>>;

/// The test sources that were read.
pub struct Library<'a> {
    pub coverage: &'a Coverage,
    files: &'a Sources,
    roots: &'a [PathBuf],
    pub sources: Vec<TestSource>,
    unreadable: BTreeSet<PathBuf>,
    runners: RefCell<Runners>,
    /// Of each test, how many methods it enters.
    entered: Vec<usize>,
}

impl<'a> Library<'a> {
    /// `roots` are the folders of test sources that may be changed.
    #[must_use]
    pub fn new(coverage: &'a Coverage, files: &'a Sources, roots: &'a [PathBuf]) -> Self {
        let mut entered = vec![0; coverage.tests.len()];
        for test in coverage.covering.iter().flatten() {
            entered.get_mut(*test).into_iter().for_each(|count| *count += 1);
        }
        let (sources, unreadable) = (Vec::new(), BTreeSet::new());
        Self { coverage, files, roots, sources, unreadable, runners: RefCell::default(), entered }
    }

    /// Its index; `None` where it cannot be read, or may not be changed.
    pub fn read(&mut self, path: &Path) -> Option<usize> {
        if let Some(known) = self.sources.iter().position(|source| source.path == path) {
            return Some(known);
        }
        let is_here = self.roots.iter().any(|root| path.starts_with(root));
        if !is_here || self.unreadable.contains(path) {
            return None;
        }
        match TestSource::read(path).filter(|_| path.extension().is_some_and(|ending| ending == "java")) {
            Some(source) => {
                self.sources.push(source);
                Some(self.sources.len() - 1)
            }
            None => {
                self.unreadable.insert(path.to_path_buf());
                None
            }
        }
    }

    /// The tests of which candidates for a method (`id`) are made, nearest first: where a difference was
    /// seen, those that reach it and name its class, those that do little else first, and what else is in the test class of its own class; where
    /// that is little, what in its package names the class, and what else reaches it (what runs while tests are told their names is told of any
    /// test). Which calls of the method were kept is not asked: where tests draw random values, it is others each time.
    pub fn tests_of<'d>(
        &mut self,
        id: MethodId,
        method: &Signature,
        diagnoses: impl Iterator<Item = &'d Diagnosis> + 'd,
    ) -> Vec<Place> {
        let coverage = self.coverage;
        let mut found: Vec<Place> = Vec::new();
        for evidence in diagnoses.flat_map(|diagnosis| &diagnosis.evidence) {
            let Some(test) = coverage.tests.get(evidence.test) else { continue };
            found.extend(self.place(test, evidence.file.as_deref(), evidence.line));
        }
        let name = simple(words::top_level(&method.class)).to_owned();
        let (near, far) = self.reaching_by_name(id, &name);
        found.extend(near);
        let mut found = first_of(found, TESTS);
        let own = self.of_own_class(method);
        let more = own.into_iter().filter(|test| !found.contains(test)).take(TESTS);
        found.extend(more.collect::<Vec<_>>());
        if found.len() < TESTS {
            found.extend(self.naming_beside(&method.class, &name));
            found.extend(far);
            found = first_of(found, TESTS);
        }
        found
    }

    /// Tests that reach a method, those that enter little first: those that name its class (in the test, or beside it), and the others.
    fn reaching_by_name(&mut self, id: MethodId, name: &str) -> (Vec<Place>, Vec<Place>) {
        let coverage = self.coverage;
        let mut reaching: Vec<(bool, bool, usize, Place)> = Vec::new();
        for test in &coverage.covering[id] {
            let Some(place) = coverage.tests.get(*test).and_then(|test| self.place(test, None, 0)) else { continue };
            let Some(source) = self.sources.get(place.0) else { continue };
            let body = source.methods.get(place.1).and_then(|method| source.text.get(method.body.0..method.body.1));
            let is_silent = |text: &str| !mentions(text, name);
            let entered = self.entered.get(*test).copied().unwrap_or(0);
            reaching.push((is_silent(&source.text), body.is_none_or(is_silent), entered, place));
        }
        // Stable: as they run.
        reaching.sort_by_key(|(source, body, entered, _)| (*source, *body, *entered));
        let (near, far): (Vec<_>, Vec<_>) = reaching.into_iter().partition(|(is_silent, ..)| !is_silent);
        let places = |tests: Vec<(bool, bool, usize, Place)>| tests.into_iter().map(|(.., place)| place);
        (places(near).collect(), places(far).collect())
    }

    /// Tests of the test class of the method's own class: those first that name what the method takes, for there are objects of it.
    fn of_own_class(&mut self, method: &Signature) -> Vec<Place> {
        let Some(source) = self.own(&method.class) else { return Vec::new() };
        let Some(text) = self.sources.get(source) else { return Vec::new() };
        let (parameters, _) = words::types(&method.descriptor);
        let parameters: Vec<&str> =
            parameters.iter().filter(|name| name.contains('.')).map(|name| simple(name)).collect();
        let names = |test: &TestMethod| {
            let body = text.text.get(test.body.0..test.body.1).unwrap_or_default();
            parameters.iter().filter(|name| body.contains(**name)).count()
        };
        let mut tests: Vec<(usize, &TestMethod)> =
            text.methods.iter().enumerate().filter(|(_, method)| is_test(method)).collect();
        tests.sort_by_key(|(_, test)| Reverse(names(test)));
        let tests = tests.into_iter().map(|(method, _)| (source, method));
        tests.filter(|test| !self.is_parameterised(test.0, test.1)).collect()
    }

    /// Tests in the package of the class that name it.
    fn naming_beside(&mut self, class: &str, name: &str) -> Vec<Place> {
        let mut found = Vec::new();
        for file in self.files_beside(class) {
            let Some(source) = self.read(&file) else { continue };
            let Some(text) = self.sources.get(source) else { continue };
            let names_it = |(_, method): &(usize, &TestMethod)| {
                is_test(method) && text.text.get(method.body.0..method.body.1).is_some_and(|body| mentions(body, name))
            };
            let tests = text.methods.iter().enumerate().filter(names_it).map(|(method, _)| (source, method));
            found.extend(tests.filter(|test| !self.is_parameterised(test.0, test.1)));
        }
        found
    }

    /// Where a test is written, or, where that is a test, what stands at this line of this file; not what runs once for each parameter of its class.
    fn place(&mut self, test: &Test, file: Option<&Path>, line: u32) -> Option<Place> {
        let file = file.map(Path::to_path_buf).or_else(|| self.files.test_file_of(&test.class))?;
        let source = self.read(&file)?;
        let text = self.sources.get(source)?;
        let at = text.byte_of(line, 1).map(|byte| text.line_end(byte).saturating_sub(2));
        let by_line = at.and_then(|byte| text.method_at(byte));
        let by_line = by_line.filter(|method| text.methods.get(*method).is_some_and(is_test));
        let by_name = || text.methods.iter().position(|method| Some(method.name.as_str()) == method_of(test));
        let method = by_line.or_else(by_name)?;
        (!self.is_parameterised(source, method)).then_some((source, method))
    }

    /// Tests that reach a method, those of its own test class first.
    pub fn reaching(&mut self, method: MethodId, class: &str) -> Vec<Place> {
        let mut found: Vec<Place> = Vec::new();
        for test in covering(self.coverage, method, class) {
            if found.len() == REACHING {
                break;
            }
            let place = method_of(test).and_then(|name| self.declared(&test.class, name));
            if let Some((source, method)) = place.filter(|place| !found.contains(place))
                && !self.is_parameterised(source, method)
            {
                found.push((source, method));
            }
        }
        found
    }

    /// Where tests are written that take far longer than what is like them: each copy of one takes as long again.
    pub fn slow(&mut self) -> BTreeSet<Place> {
        let coverage = self.coverage;
        let tests = coverage.slow.iter().filter_map(|test| coverage.tests.get(*test));
        tests.filter_map(|test| self.declared(&test.class, method_of(test)?)).collect()
    }

    /// Where a test of a class is written: there, or in a superclass.
    fn declared(&mut self, class: &str, method: &str) -> Option<Place> {
        let mut class = class.to_owned();
        for _ in 0..SUPERCLASSES {
            let source = self.files.test_file_of(&class).and_then(|file| self.read(&file))?;
            let text = self.sources.get(source)?;
            if let Some(at) = text.methods.iter().position(|one| one.name == method) {
                return Some((source, at));
            }
            class = superclass(text, &class)?;
        }
        None
    }

    /// Sources of the test classes in the package of the class, by name.
    fn files_beside(&self, class: &str) -> Vec<PathBuf> {
        let package = words::package(class);
        let tests = self.coverage.tests.iter().map(|test| words::top_level(&test.class));
        let classes: BTreeSet<&str> = tests.filter(|test| words::package(test) == package).collect();
        classes.into_iter().filter_map(|class| self.files.test_file_of(class)).take(BESIDE).collect()
    }

    /// Whether a test without parameters of its own runs several times, once for each of those of its class: what is new there would, too.
    fn is_parameterised(&self, source: usize, method: usize) -> bool {
        let Some(text) = self.sources.get(source) else { return false };
        let Some(method) = text.methods.get(method).filter(|method| method.parameters.is_empty()) else { return false };
        let Some(class) = text.types.get(method.in_type).map(|one| one.class.as_str()) else { return false };
        let begins = format!("{class}.{}()[", method.name);
        self.coverage.tests.iter().any(|test| test.class == class && test.name.starts_with(&begins))
    }

    /// The source of the test class of `class`.
    pub fn own(&mut self, class: &str) -> Option<usize> {
        own_test_file(self.coverage, self.files, class).and_then(|file| self.read(&file))
    }

    /// The test beside which a new test of `class` stands: the last one of the test class of its own class; where there is none, of the source that
    /// names it most often, among those that are `near` and those of its package, and nearest of these. Where only its package can call what is new
    /// (`is_of_package`), those of its package come first. Where speed is measured nothing else belongs, if there is any other place.
    pub fn home(&mut self, class: &str, near: &[Place], is_of_package: bool) -> Option<Place> {
        if let Some(found) = self.own(class).and_then(|source| self.last_test(source)) {
            return Some(found);
        }
        let beside = self.files_beside(class);
        let mut all: Vec<usize> = near.iter().map(|(source, _)| *source).collect();
        all.extend(beside.into_iter().filter_map(|file| self.read(&file)));
        let name = simple(words::top_level(class));
        // Stable: what is nearer comes first.
        all.sort_by_key(|source| {
            let source = self.sources.get(*source);
            let is_elsewhere = source.is_some_and(|source| source.package != words::package(class));
            let named = source.map_or(0, |source| mentioned(&source.text, name));
            let stem = source.and_then(|source| source.path.file_stem()).map(|stem| stem.to_string_lossy());
            let is_of_speed = stem.is_some_and(|stem| SPEED.iter().any(|word| stem.contains(word)));
            (is_of_package && is_elsewhere, is_of_speed, Reverse(named))
        });
        all.into_iter().find_map(|source| self.last_test(source))
    }

    /// The last test of a source that runs, once.
    fn last_test(&self, source: usize) -> Option<Place> {
        let text = self.sources.get(source)?;
        let runs = |class: &str| self.coverage.tests.iter().any(|test| test.class == class);
        let is_run = |at: &usize| {
            text.methods.get(*at).is_some_and(|method| {
                is_test(method)
                    && method.parameters.is_empty()
                    && text.types.get(method.in_type).is_some_and(|one| runs(&one.class))
                    && !self.is_parameterised(source, *at)
            })
        };
        (0..text.methods.len()).rev().find(is_run).map(|at| (source, at))
    }

    /// Test classes that run this method, or (`is_new`) one that stands beside it: its own class; where that is none, those that inherit the method as
    /// it is, or any method.
    #[must_use]
    pub fn runners(&self, source: usize, method: usize, is_new: bool) -> Rc<BTreeSet<String>> {
        let key = (source, method, is_new);
        if let Some(known) = self.runners.borrow().get(&key) {
            return Rc::clone(known);
        }
        let found = Rc::new(self.running(source, method, is_new));
        self.runners.borrow_mut().insert(key, Rc::clone(&found));
        found
    }

    fn running(&self, source: usize, method: usize, is_new: bool) -> BTreeSet<String> {
        let Some(source) = self.sources.get(source) else { return BTreeSet::new() };
        let Some(method) = source.methods.get(method) else { return BTreeSet::new() };
        let Some(own) = source.types.get(method.in_type).map(|one| one.class.as_str()) else { return BTreeSet::new() };
        let is_own = |class: &str| class == own || class.strip_prefix(own).is_some_and(|rest| rest.starts_with('$'));
        if self.coverage.tests.iter().any(|test| is_own(&test.class)) {
            return BTreeSet::from([own.to_owned()]);
        }
        let beside = source.methods.iter().filter(|one| is_new && one.in_type == method.in_type && is_test(one));
        let named: Vec<String> = beside.chain([method]).map(|method| format!(".{}(", method.name)).collect();
        let inherits =
            self.coverage.tests.iter().filter(|test| named.iter().any(|named| test.name.contains(named.as_str())));
        let classes: BTreeSet<&str> = inherits.map(|test| test.class.as_str()).collect();
        let classes = classes.into_iter().filter(|class| self.is_below(class, own));
        classes.filter(|class| is_new || !self.declares(class, &method.name)).map(str::to_owned).collect()
    }

    /// Whether a test class extends another one, as far as sources tell.
    fn is_below(&self, class: &str, other: &str) -> bool {
        let mut class = class.to_owned();
        for _ in 0..SUPERCLASSES {
            let source = self.files.test_file_of(&class).and_then(|file| TestSource::read(&file));
            match source.and_then(|source| superclass(&source, &class)) {
                Some(superclass) if superclass == other => return true,
                Some(superclass) => class = superclass,
                None => return false,
            }
        }
        false
    }

    /// Whether the source of the class has a method of that name itself.
    fn declares(&self, class: &str, method: &str) -> bool {
        let source = self.files.test_file_of(class).and_then(|file| TestSource::read(&file));
        source.is_some_and(|source| source.methods.iter().any(|one| one.name == method))
    }
}

/// So many of them, each once.
fn first_of(tests: Vec<Place>, most: usize) -> Vec<Place> {
    let mut known = BTreeSet::new();
    tests.into_iter().filter(|test| known.insert(*test)).take(most).collect()
}

/// The tests that reach a method of `class`, those of its own test class first.
fn covering<'c>(coverage: &'c Coverage, method: MethodId, class: &str) -> Vec<&'c Test> {
    let own = format!("{}Test", simple(words::top_level(class)));
    let mut tests: Vec<&Test> = coverage.covering[method].iter().filter_map(|test| coverage.tests.get(*test)).collect();
    tests.sort_by_key(|test| simple(&test.class) != own);
    tests
}

/// The class that a class of this source extends: one that is imported, or one of its package.
fn superclass(source: &TestSource, class: &str) -> Option<String> {
    let name = source.types.iter().find(|one| one.class == class)?.extends.as_deref()?;
    let is_it = |import: &&Import| !import.is_static && import.name.rsplit('.').next() == Some(name);
    let imported = source.imports.iter().find(is_it).map(|import| import.name.clone());
    let beside = || if source.package.is_empty() { name.to_owned() } else { format!("{}.{name}", source.package) };
    Some(imported.unwrap_or_else(beside))
}

/// The name of the method that a test is: `pops` of `a.StackTest.pops(int)[2]`.
fn method_of(test: &Test) -> Option<&str> {
    test.name.strip_prefix(test.class.as_str())?.strip_prefix('.')?.split(['(', '[']).next()
}

fn is_test(method: &TestMethod) -> bool {
    method.modifiers.contains("Test") || method.name.starts_with("test")
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn the_superclass_of_a_test_class_is_imported_or_beside_it() {
        let text = "package a; import b.Base; class T extends Base { } class U extends Case<T> { } class V { }";
        let source = TestSource::of(Path::new("T.java"), text.to_owned()).unwrap();
        assert_eq!(superclass(&source, "a.T").as_deref(), Some("b.Base"));
        assert_eq!(superclass(&source, "a.U").as_deref(), Some("a.Case"));
        assert_eq!(superclass(&source, "a.V"), None);
    }
}
