//! Tests that are near to a method, and the place for new tests of its class.

use crate::base::id::MethodId;
use crate::code::Signature;
use crate::cover::{Coverage, Test};
use crate::diagnose::Diagnosis;
use crate::fix::source::library::{Library, is_test, method_of};
use crate::fix::source::mention::{count_mentions, mentions};
use crate::fix::source::test_source::TestMethod;
use crate::fix::source::test_sources::Place;
use crate::text::words;
use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// Most tests that reach a method and become candidates, and most others in its test class.
const TESTS: usize = 6;

/// Most tests of a method in which an input is changed.
const REACHING: usize = 40;

/// Most test classes of a package that are read.
const BESIDE: usize = 12;

/// Words in the names of test classes that measure speed.
const SPEED: [&str; 4] = ["Performance", "Benchmark", "Speed", "Stress"];

impl Library<'_> {
    /// The tests of which candidates for a method are made, nearest first.
    ///
    /// First come tests in which a difference was seen, then tests that reach the method and name
    /// its class, those that enter little first, then other tests in the test class of its class.
    /// If these are few, tests in its package that name the class follow, and then all other tests
    /// that reach it.
    ///
    /// These come last because code that runs while an engine names its tests is attributed to any
    /// test. Which calls were recorded plays no role, because these differ from run to run if tests
    /// draw random values.
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
        let name = words::simple_name(words::top_level(&method.class)).to_owned();
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

    /// Tests that reach a method, those that enter little first: those whose source or body names
    /// its class, and the others.
    fn reaching_by_name(&mut self, id: MethodId, name: &str) -> (Vec<Place>, Vec<Place>) {
        let coverage = self.coverage;
        let mut reaching: Vec<(bool, bool, usize, Place)> = Vec::new();
        for test in &coverage.covering[id] {
            let Some(place) = self.place(&coverage.tests[*test], None, 0) else { continue };
            let Some(source) = self.sources.get(place.source) else { continue };
            let body =
                source.methods.get(place.position).and_then(|method| source.text.get(method.body.0..method.body.1));
            let is_silent = |text: &str| !mentions(text, name);
            let entered = self.entered[*test];
            reaching.push((is_silent(&source.text), body.is_none_or(is_silent), entered, place));
        }
        // The sort is stable: equal tests stay in the order in which they run.
        reaching.sort_by_key(|(source, body, entered, _)| (*source, *body, *entered));
        let (near, far): (Vec<_>, Vec<_>) = reaching.into_iter().partition(|(is_silent, ..)| !is_silent);
        let places = |tests: Vec<(bool, bool, usize, Place)>| tests.into_iter().map(|(.., place)| place);
        (places(near).collect(), places(far).collect())
    }

    /// Tests in the test class of the method's class. Those that name the types of its parameters
    /// come first, because they have objects of these types.
    fn of_own_class(&mut self, method: &Signature) -> Vec<Place> {
        let Some(source) = self.own(&method.class) else { return Vec::new() };
        let Some(text) = self.sources.get(source) else { return Vec::new() };
        let (parameters, _) = words::types(&method.descriptor);
        let parameters: Vec<&str> =
            parameters.iter().filter(|name| name.contains('.')).map(|name| words::simple_name(name)).collect();
        let names = |test: &TestMethod| {
            let body = text.text.get(test.body.0..test.body.1).unwrap_or_default();
            parameters.iter().filter(|name| body.contains(**name)).count()
        };
        let mut tests: Vec<(usize, &TestMethod)> =
            text.methods.iter().enumerate().filter(|(_, method)| is_test(method)).collect();
        tests.sort_by_key(|(_, test)| Reverse(names(test)));
        let tests = tests.into_iter().map(|(position, _)| Place { source, position });
        tests.filter(|test| !self.is_parameterised(*test)).collect()
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
            let tests =
                text.methods.iter().enumerate().filter(names_it).map(|(position, _)| Place { source, position });
            found.extend(tests.filter(|test| !self.is_parameterised(*test)));
        }
        found
    }

    /// Tests that reach a method, those of its own test class first.
    pub fn reaching(&mut self, method: MethodId, class: &str) -> Vec<Place> {
        let mut found: Vec<Place> = Vec::new();
        for test in covering(self.coverage, method, class) {
            if found.len() == REACHING {
                break;
            }
            let place = method_of(test).and_then(|name| self.declared(&test.class, name));
            if let Some(place) = place.filter(|place| !found.contains(place))
                && !self.is_parameterised(place)
            {
                found.push(place);
            }
        }
        found
    }

    /// The places of tests that take far longer than similar tests. Each copy of such a test takes
    /// as long again.
    pub fn slow(&mut self) -> BTreeSet<Place> {
        let coverage = self.coverage;
        let tests = coverage.slow.iter().map(|test| &coverage.tests[*test]);
        tests.filter_map(|test| self.declared(&test.class, method_of(test)?)).collect()
    }

    /// The sources of test classes in the package of the class, by name.
    fn files_beside(&self, class: &str) -> Vec<PathBuf> {
        let package = words::package(class);
        let tests = self.coverage.tests.iter().map(|test| words::top_level(&test.class));
        let classes: BTreeSet<&str> = tests.filter(|test| words::package(test) == package).collect();
        classes.into_iter().filter_map(|class| self.files.test_file_of(class)).take(BESIDE).collect()
    }

    /// The test next to which a new test of `class` stands.
    ///
    /// It is the last test in the test class of the class. If there is no such class, it is the
    /// last test of the source that names the class most often, among the sources of the tests in
    /// `near` and of its package; the nearest of these wins. If only its package can call the
    /// method (`is_of_package`), sources of that package come first. Test classes that measure
    /// speed come last.
    pub fn home(&mut self, class: &str, near: &[Place], is_of_package: bool) -> Option<Place> {
        if let Some(found) = self.own(class).and_then(|source| self.last_test(source)) {
            return Some(found);
        }
        let beside = self.files_beside(class);
        let mut all: Vec<usize> = near.iter().map(|place| place.source).collect();
        all.extend(beside.into_iter().filter_map(|file| self.read(&file)));
        let name = words::simple_name(words::top_level(class));
        // The sort is stable: nearer sources come first.
        all.sort_by_key(|source| {
            let source = self.sources.get(*source);
            let is_elsewhere = source.is_some_and(|source| source.package != words::package(class));
            let named = source.map_or(0, |source| count_mentions(&source.text, name));
            let stem = source.and_then(|source| source.path.file_stem()).map(|stem| stem.to_string_lossy());
            let is_of_speed = stem.is_some_and(|stem| SPEED.iter().any(|word| stem.contains(word)));
            (is_of_package && is_elsewhere, is_of_speed, Reverse(named))
        });
        all.into_iter().find_map(|source| self.last_test(source))
    }

    /// The last test of a source that runs exactly once.
    fn last_test(&self, source: usize) -> Option<Place> {
        let text = self.sources.get(source)?;
        let runs = |class: &str| self.coverage.tests.iter().any(|test| test.class == class);
        let is_run = |at: &usize| {
            text.methods.get(*at).is_some_and(|method| {
                is_test(method)
                    && method.parameters.is_empty()
                    && text.types.get(method.in_type).is_some_and(|one| runs(&one.class))
                    && !self.is_parameterised(Place { source, position: *at })
            })
        };
        (0..text.methods.len()).rev().find(is_run).map(|position| Place { source, position })
    }
}

/// The first tests of a list, each once, up to `most`.
fn first_of(tests: Vec<Place>, most: usize) -> Vec<Place> {
    let mut known = BTreeSet::new();
    tests.into_iter().filter(|test| known.insert(*test)).take(most).collect()
}

/// The tests that reach a method of `class`, those of its own test class first.
fn covering<'c>(coverage: &'c Coverage, method: MethodId, class: &str) -> Vec<&'c Test> {
    let own = format!("{}Test", words::simple_name(words::top_level(class)));
    let mut tests: Vec<&Test> = coverage.covering[method].iter().map(|test| &coverage.tests[*test]).collect();
    tests.sort_by_key(|test| words::simple_name(&test.class) != own);
    tests
}
