//! The test sources of a recipe, each read once, and the test classes that run their tests.

use crate::base::id::{IdVec, TestId};
use crate::code::Sources;
use crate::cover::{Coverage, Test};
use crate::fix::source::test_source::{Import, TestMethod, TestSource};
use crate::fix::source::test_sources::{Place, TestSources};
use crate::suggest::own_test_file;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Most superclasses in which a test method is looked for.
const SUPERCLASSES: usize = 4;

/// Test classes, by the place of a test and whether they run a new test next to it.
type Runners = BTreeMap<(Place, bool), Rc<BTreeSet<String>>>;

/// The test sources that may get patches.
pub struct Library<'a> {
    pub coverage: &'a Coverage,
    pub(super) files: &'a Sources,
    roots: &'a [PathBuf],
    pub sources: TestSources,
    unreadable: BTreeSet<PathBuf>,
    runners: RefCell<Runners>,
    /// For each test, the number of methods that it enters.
    pub(super) entered: IdVec<TestId, usize>,
}

impl<'a> Library<'a> {
    /// `roots` are the folders of test sources that may be changed.
    #[must_use]
    pub fn new(coverage: &'a Coverage, files: &'a Sources, roots: &'a [PathBuf]) -> Self {
        let mut entered: IdVec<TestId, usize> = coverage.tests.iter().map(|_| 0).collect();
        for test in coverage.covering.iter().flatten() {
            entered[*test] += 1;
        }
        let (sources, unreadable) = (TestSources::default(), BTreeSet::new());
        Self { coverage, files, roots, sources, unreadable, runners: RefCell::default(), entered }
    }

    /// The number of the source with this path. `None` if it cannot be read, or may not be changed.
    pub fn read(&mut self, path: &Path) -> Option<usize> {
        if let Some(known) = self.sources.number_of(path) {
            return Some(known);
        }
        let is_here = self.roots.iter().any(|root| path.starts_with(root));
        if !is_here || self.unreadable.contains(path) {
            return None;
        }
        match TestSource::read(path, self.files.encoding_of(path))
            .filter(|_| path.extension().is_some_and(|ending| ending == "java"))
        {
            Some(source) => Some(self.sources.add(source)),
            None => {
                self.unreadable.insert(path.to_path_buf());
                None
            }
        }
    }

    /// The place of a test: the test method at this line of this file, or the method with the name
    /// of the test.
    ///
    /// `None` for a test that runs once for each parameter of its class.
    pub(super) fn place(&mut self, test: &Test, file: Option<&Path>, line: u32) -> Option<Place> {
        let file = file.map(Path::to_path_buf).or_else(|| self.files.test_file_of(&test.class))?;
        let source = self.read(&file)?;
        let text = self.sources.get(source)?;
        let at = text.byte_of(line, 1).map(|byte| text.line_end(byte).saturating_sub(2));
        let by_line = at.and_then(|byte| text.method_at(byte));
        let by_line = by_line.filter(|method| text.methods.get(*method).is_some_and(is_test));
        let by_name = || text.methods.iter().position(|method| Some(method.name.as_str()) == method_of(test));
        let method = by_line.or_else(by_name)?;
        let place = Place { source, position: method };
        (!self.is_parameterised(place)).then_some(place)
    }

    /// The place where a test of a class is declared: in the class itself or in a superclass.
    pub(super) fn declared(&mut self, class: &str, method: &str) -> Option<Place> {
        let mut class = class.to_owned();
        for _ in 0..SUPERCLASSES {
            let source = self.files.test_file_of(&class).and_then(|file| self.read(&file))?;
            let text = self.sources.get(source)?;
            if let Some(method) = text.methods.iter().position(|one| one.name == method) {
                return Some(Place { source, position: method });
            }
            class = superclass(text, &class)?;
        }
        None
    }

    /// Whether a test without parameters runs several times because its class has parameters. A new
    /// test next to it would, too.
    pub(super) fn is_parameterised(&self, place: Place) -> bool {
        let method = self.sources.method(place).filter(|(_, method)| method.parameters.is_empty());
        let Some((text, method)) = method else { return false };
        let Some(class) = text.types.get(method.in_type).map(|one| one.class.as_str()) else { return false };
        let begins = format!("{class}.{}()[", method.name);
        self.coverage.tests.iter().any(|test| test.class == class && test.name.starts_with(&begins))
    }

    /// The number of the source of the test class of `class`.
    pub fn own(&mut self, class: &str) -> Option<usize> {
        own_test_file(self.coverage, self.files, class).and_then(|file| self.read(&file))
    }

    /// Test classes that run the test at this place or, if `is_new`, a new test next to it.
    ///
    /// That is the class of the test. If that class has no tests itself, it is the classes that
    /// inherit the test unchanged, or that inherit any test.
    #[must_use]
    pub fn runners(&self, place: Place, is_new: bool) -> Rc<BTreeSet<String>> {
        let key = (place, is_new);
        if let Some(known) = self.runners.borrow().get(&key) {
            return Rc::clone(known);
        }
        let found = Rc::new(self.running(place, is_new));
        self.runners.borrow_mut().insert(key, Rc::clone(&found));
        found
    }

    fn running(&self, place: Place, is_new: bool) -> BTreeSet<String> {
        let Some((source, method)) = self.sources.method(place) else { return BTreeSet::new() };
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

    /// The names of methods that a new test beside this one must not have: those of its class, of
    /// the superclasses, and of the classes that inherit it.
    #[must_use]
    pub fn names_related(&self, place: Place) -> BTreeSet<String> {
        let Some((source, method)) = self.sources.method(place) else { return BTreeSet::new() };
        let Some(own) = source.types.get(method.in_type).map(|one| one.class.clone()) else { return BTreeSet::new() };
        let mut names = source.names_in(&own);
        let mut above = superclass(source, &own);
        for _ in 0..SUPERCLASSES {
            let Some(class) = above else { break };
            let Some(source) = self.source_of(&class) else { break };
            names.extend(source.names_in(&class));
            above = superclass(&source, &class);
        }
        for runner in self.runners(place, true).iter().filter(|runner| **runner != own) {
            names.extend(self.source_of(runner).iter().flat_map(|source| source.names_in(runner)));
        }
        for source in self.sources.iter() {
            for one in &source.types {
                if superclass(source, &one.class).as_deref() == Some(own.as_str()) {
                    names.extend(source.names_in(&one.class));
                }
            }
        }
        names
    }

    fn source_of(&self, class: &str) -> Option<TestSource> {
        self.files.test_file_of(class).and_then(|file| TestSource::read(&file, self.files.encoding_of(&file)))
    }

    /// Whether a test class extends another one, according to the sources.
    fn is_below(&self, class: &str, other: &str) -> bool {
        let mut class = class.to_owned();
        for _ in 0..SUPERCLASSES {
            match self.source_of(&class).and_then(|source| superclass(&source, &class)) {
                Some(superclass) if superclass == other => return true,
                Some(superclass) => class = superclass,
                None => return false,
            }
        }
        false
    }

    /// Whether the source of the class itself declares a method with this name.
    fn declares(&self, class: &str, method: &str) -> bool {
        self.source_of(class).is_some_and(|source| source.methods.iter().any(|one| one.name == method))
    }
}

/// The superclass of a class of this source: an imported class, or one of the same package.
fn superclass(source: &TestSource, class: &str) -> Option<String> {
    let name = source.types.iter().find(|one| one.class == class)?.extends.as_deref()?;
    let is_it = |import: &&Import| !import.is_static && import.name.rsplit('.').next() == Some(name);
    let imported = source.imports.iter().find(is_it).map(|import| import.name.clone());
    let beside = || if source.package.is_empty() { name.to_owned() } else { format!("{}.{name}", source.package) };
    Some(imported.unwrap_or_else(beside))
}

/// The name of the method of a test: `pops` of `a.StackTest.pops(int)[2]`.
pub(super) fn method_of(test: &Test) -> Option<&str> {
    test.name.strip_prefix(test.class.as_str())?.strip_prefix('.')?.split(['(', '[']).next()
}

pub fn is_test(method: &TestMethod) -> bool {
    method.modifiers.contains("Test") || method.name.starts_with("test")
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn the_superclass_of_a_test_class_is_imported_or_in_its_package() {
        let text = "package a; import b.Base; class T extends Base { } class U extends Case<T> { } class V { }";
        let source = TestSource::of(Path::new("T.java"), text.to_owned()).unwrap();
        assert_eq!(superclass(&source, "a.T").as_deref(), Some("b.Base"));
        assert_eq!(superclass(&source, "a.U").as_deref(), Some("a.Case"));
        assert_eq!(superclass(&source, "a.V"), None);
    }
}
