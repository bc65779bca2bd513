//! Methods with findings, and for each of them the tests that may show the difference.

use crate::base::id::{MethodId, RecipeId, TransformationId};
use crate::classfile::outline::{PUBLIC, STATIC};
use crate::classfile::outlines::Outlines;
use crate::code::Signature;
use crate::cover::Coverage;
use crate::diagnose::Diagnosis;
use crate::fix::outcome::MethodOutcome;
use crate::fix::source::library::Library;
use crate::fix::source::test_sources::Place;
use crate::fix::subject::Subject;
use crate::text::words;
use crate::transform::Transformations;
use std::collections::{BTreeMap, BTreeSet};

/// A method with findings.
pub struct MethodFindings<'a> {
    pub id: MethodId,
    pub method: Signature,
    /// One for each finding.
    pub diagnoses: Vec<&'a Diagnosis>,
    /// The recipe whose tests reach the method.
    pub recipe: RecipeId,
}

impl MethodFindings<'_> {
    /// The transformations that no test notices.
    pub fn transformations(&self) -> Vec<TransformationId> {
        self.diagnoses.iter().map(|diagnosis| diagnosis.transformation).collect()
    }

    /// Whether the outcome belongs to the same findings.
    pub fn has(&self, outcome: &MethodOutcome) -> bool {
        let own: BTreeSet<TransformationId> = self.transformations().into_iter().collect();
        let theirs = outcome.findings.iter().map(|finding| finding.transformation).collect();
        (self.id, self.recipe, own) == (outcome.method, outcome.recipe, theirs)
    }
}

/// Groups diagnoses by their methods, in the order of the methods.
pub fn by_method<'a>(
    transformations: &Transformations,
    coverage: &Coverage,
    diagnoses: &'a [Diagnosis],
) -> Vec<MethodFindings<'a>> {
    let mut all: BTreeMap<MethodId, MethodFindings<'a>> = BTreeMap::new();
    for diagnosis in diagnoses {
        let transformation = &transformations.transformations[diagnosis.transformation];
        let method = &transformations.methods[transformation.method];
        let seen = diagnosis.evidence.iter().map(|evidence| evidence.test);
        let mut tests = seen.chain(diagnosis.calls.iter().map(|call| call.test));
        let recipe = tests.find_map(|test| coverage.tests.get(test)).map(|test| test.recipe);
        let findings = all.entry(transformation.method).or_insert_with(|| MethodFindings {
            id: transformation.method,
            method: Signature {
                class: method.class.clone(),
                name: method.name.clone(),
                descriptor: method.descriptor.clone(),
                is_static: method.access & STATIC != 0,
            },
            diagnoses: Vec::new(),
            // If no observation names one of its tests, the first recipe is tried.
            recipe: recipe.unwrap_or(RecipeId(0)),
        });
        findings.diagnoses.push(diagnosis);
    }
    all.into_values().collect()
}

/// A method with findings, and all that a search for a patch begins with.
pub struct Case<'a> {
    pub findings: &'a MethodFindings<'a>,
    pub subject: Subject<'a>,
    pub tests: CaseTests,
}

impl<'a> Case<'a> {
    pub fn new(findings: &'a MethodFindings<'a>, tests: CaseTests, outlines: &'a Outlines) -> Self {
        let diagnoses = findings.diagnoses.iter();
        let subject = Subject {
            method: &findings.method,
            outlines,
            evidence: diagnoses.clone().flat_map(|diagnosis| &diagnosis.evidence).collect(),
            calls: diagnoses.clone().flat_map(|diagnosis| &diagnosis.calls).collect(),
            drawn: diagnoses.flat_map(|diagnosis| &diagnosis.drawn).collect(),
        };
        Self { findings, subject, tests }
    }
}

/// The tests that are related to a method.
#[derive(Default)]
pub struct CaseTests {
    /// Tests of which candidates are made, nearest first.
    pub near: Vec<Place>,
    /// Tests in which an input may be changed.
    pub reaching: Vec<Place>,
    /// The test next to which new tests stand.
    pub home: Option<Place>,
    /// The source of the test class of the method's class.
    pub own_source: Option<usize>,
}

impl CaseTests {
    /// Finds the tests of several methods.
    ///
    /// Sources get their numbers as they are read, and these numbers break ties between drafts. So
    /// the near tests of all methods are found first, then the test classes, the homes, and the
    /// tests that reach a method.
    pub fn of_all(library: &mut Library<'_>, outlines: &Outlines, all: &[&MethodFindings<'_>]) -> Vec<Self> {
        let mut found: Vec<Self> = Vec::new();
        for findings in all {
            let diagnoses = findings.diagnoses.iter().copied();
            let near = library.tests_of(findings.id, &findings.method, diagnoses);
            found.push(Self { near, ..Self::default() });
        }
        for (tests, findings) in found.iter_mut().zip(all) {
            tests.own_source = library.own(&findings.method.class);
        }
        for (tests, findings) in found.iter_mut().zip(all) {
            let is_of_package = is_of_package(outlines, &findings.method);
            tests.home = library.home(&findings.method.class, &tests.near, is_of_package);
        }
        for (tests, findings) in found.iter_mut().zip(all) {
            tests.reaching = library.reaching(findings.id, &findings.method.class);
        }
        found
    }

    /// The distance of a test from the method.
    ///
    /// Tests in the test class of the method's own class are nearest, because people look for its
    /// tests there.
    pub fn distance(&self, test: Place) -> usize {
        let position = self.near.iter().position(|near| *near == test).unwrap_or(self.near.len());
        if self.own_source == Some(test.source) { position } else { self.near.len() + 1 + position }
    }
}

/// Whether only the package of a method can call it: the method, its class, or the type of a
/// parameter is not public.
fn is_of_package(outlines: &Outlines, method: &Signature) -> bool {
    let (parameters, _) = words::types(&method.descriptor);
    let types = parameters.iter().map(|parameter| parameter.trim_end_matches("[]")).chain([method.class.as_str()]);
    let is_closed = |access: u16| access & PUBLIC == 0;
    types.into_iter().filter_map(|class| outlines.class(class)).any(|class| is_closed(class.access))
        || outlines.method(&method.member()).is_some_and(|method| is_closed(method.access))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_in_the_test_class_of_the_method_are_nearest() {
        let place = |(source, position)| Place { source, position };
        let near: Vec<Place> = [(3, 0), (1, 4), (1, 2)].map(place).to_vec();
        let sorted = |own_source| {
            let tests = CaseTests { near: near.clone(), own_source, ..CaseTests::default() };
            let mut sorted = [(0, 0), (1, 2), (1, 4), (1, 9), (3, 0)];
            sorted.sort_by_key(|test| tests.distance(place(*test)));
            sorted
        };
        assert_eq!(sorted(Some(1)), [(1, 4), (1, 2), (1, 9), (3, 0), (0, 0)]);
        assert_eq!(sorted(None), [(3, 0), (1, 4), (1, 2), (0, 0), (1, 9)]);
    }
}
