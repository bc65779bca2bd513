//! The test sources of a recipe that patches may be made for, read once: which tests of them are near to a method, and which classes run them.

use super::source::{TestMethod, TestSource};
use crate::cover::Coverage;
use crate::diagnose::Diagnosis;
use crate::suggest::{Sources, own_test_file};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Most tests of which candidates for one method are made: of those that reach it, and of those beside them.
const TESTS: usize = 6;

/// The test sources that were read.
pub struct Library<'a> {
    pub coverage: &'a Coverage,
    files: &'a Sources,
    roots: &'a [PathBuf],
    pub sources: Vec<TestSource>,
    unreadable: BTreeSet<PathBuf>,
}

impl<'a> Library<'a> {
    /// `roots` are the folders of test sources that may be changed.
    #[must_use]
    pub fn new(coverage: &'a Coverage, files: &'a Sources, roots: &'a [PathBuf]) -> Self {
        Self { coverage, files, roots, sources: Vec::new(), unreadable: BTreeSet::new() }
    }

    fn read(&mut self, path: &Path) -> Option<usize> {
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

    /// The tests of which candidates for a method of `class` are made, nearest first: where a difference was seen, where the method was called, and
    /// what else is in the test class of its own class.
    pub fn tests_of<'d>(
        &mut self,
        class: &str,
        diagnoses: impl Iterator<Item = &'d Diagnosis> + 'd,
    ) -> Vec<(usize, usize)> {
        let mut found: Vec<(usize, usize)> = Vec::new();
        let seen = diagnoses.flat_map(|diagnosis| {
            let of_evidence =
                diagnosis.evidence.iter().map(|evidence| (evidence.test, evidence.file.clone(), evidence.line));
            of_evidence.chain(diagnosis.calls.iter().map(|call| (call.test, None, 0)))
        });
        for (test, file, line) in seen {
            let Some(known) = self.coverage.tests.get(test) else { continue };
            let file = file.or_else(|| self.files.test_file_of(&known.class));
            let Some(source) = file.and_then(|file| self.read(&file)) else { continue };
            let Some(text) = self.sources.get(source) else { continue };
            let by_name = || {
                let name =
                    known.name.strip_prefix(known.class.as_str())?.strip_prefix('.')?.split(['(', '[']).next()?;
                text.methods.iter().position(|method| method.name == name)
            };
            let at = text.byte_of(line, 1).map(|byte| text.line_end(byte).saturating_sub(2));
            let by_line = at.and_then(|byte| text.method_at(byte));
            let by_line = by_line.filter(|method| text.methods.get(*method).is_some_and(is_test));
            if let Some(method) = by_line.or_else(by_name)
                && !found.contains(&(source, method))
            {
                found.push((source, method));
            }
        }
        found.truncate(TESTS);
        let home = own_test_file(self.coverage, self.files, class);
        if let Some(source) = home.and_then(|file| self.read(&file))
            && let Some(text) = self.sources.get(source)
        {
            let tests = text.methods.iter().enumerate().filter(|(_, method)| is_test(method));
            let more: Vec<(usize, usize)> =
                tests.map(|(method, _)| (source, method)).filter(|test| !found.contains(test)).collect();
            found.extend(more.into_iter().take(TESTS));
        }
        found
    }

    /// The test beside which a new test of `class` stands: the last one of the test class of its own class; where there is none, the nearest one of
    /// `near`.
    pub fn home(&mut self, class: &str, near: &[(usize, usize)]) -> Option<(usize, usize)> {
        let own = own_test_file(self.coverage, self.files, class).and_then(|file| self.read(&file));
        let last = |source: usize| {
            let text = self.sources.get(source)?;
            let is_run = |method: &TestMethod| {
                is_test(method)
                    && method.parameters.is_empty()
                    && text
                        .types
                        .get(method.in_type)
                        .is_some_and(|one| self.coverage.tests.iter().any(|test| test.class == one.class))
            };
            let at = text.methods.iter().rposition(is_run)?;
            Some((source, at))
        };
        own.and_then(last).or_else(|| near.iter().find_map(|(source, _)| last(*source)))
    }

    /// Test classes that run what stands beside this method: its own class; where that is none, those that inherit the method as it is.
    #[must_use]
    pub fn runners(&self, source: usize, method: usize) -> BTreeSet<String> {
        let Some(source) = self.sources.get(source) else { return BTreeSet::new() };
        let Some(method) = source.methods.get(method) else { return BTreeSet::new() };
        let Some(own) = source.types.get(method.in_type).map(|one| one.class.as_str()) else { return BTreeSet::new() };
        let is_own = |class: &str| class == own || class.strip_prefix(own).is_some_and(|rest| rest.starts_with('$'));
        if self.coverage.tests.iter().any(|test| is_own(&test.class)) {
            return BTreeSet::from([own.to_owned()]);
        }
        let named = format!(".{}(", method.name);
        let inherits = self.coverage.tests.iter().filter(|test| test.name.contains(&named));
        let classes: BTreeSet<&str> = inherits.map(|test| test.class.as_str()).collect();
        classes.into_iter().filter(|class| !self.declares(class, &method.name)).map(str::to_owned).collect()
    }

    /// Whether the source of the class has a method of that name itself.
    fn declares(&self, class: &str, method: &str) -> bool {
        let source = self.files.test_file_of(class).and_then(|file| TestSource::read(&file));
        source.is_some_and(|source| source.methods.iter().any(|one| one.name == method))
    }
}

fn is_test(method: &TestMethod) -> bool {
    method.modifiers.contains("Test") || method.name.starts_with("test")
}
