//! Candidates of the first round: copies of a test, new tests with a part of its statements, and
//! tests that take none.

use crate::fix::candidate::{Candidate, LOOKS, Probe, Shape, in_turn};
use crate::fix::look::Look;
use crate::fix::source::mention::mentions;
use crate::fix::source::slice::{PREFIX, Slice, needed_statements};
use crate::fix::source::test_source::{Statement, TestMethod, TestSource, Variable};
use crate::fix::source::test_sources::{Place, TestSources};
use crate::fix::subject::Subject;
use crate::fix::techniques::TECHNIQUES;
use crate::fix::techniques::scope::Scope;
use crate::fix::values::catalog::Values;
use std::collections::BTreeSet;

/// Most statements of a test after which expressions are evaluated.
const STATEMENTS: usize = 40;
/// Most copies of a test with one expression that may change something: each copy runs the whole
/// test again.
const COPIES: usize = 6;

/// All candidates that are made of one test, the most promising first.
pub fn candidates_from(subject: &Subject<'_>, sources: &TestSources, place: Place) -> Vec<Candidate> {
    let Some((source, test)) = sources.method(place) else { return Vec::new() };
    let mut probes = TestProbes { source, test, pure: Vec::new(), impure: Vec::new(), new: Vec::new() };
    let mut known = BTreeSet::new();
    for (index, statement) in test.statements.iter().enumerate().take(STATEMENTS) {
        let variables = in_scope(source, test, index);
        let calls = source.calls_in(statement);
        let scope = Scope { source, variables: &variables, calls: &calls };
        let statements_left = test.statements.len() - index - 1;
        for (technique, look) in looks(subject, &scope) {
            let probe = Probe { technique, look, behind: statement.end, statements_left };
            probes.add_new(index, &probe, &mut known);
            probes.add_to_copies(statement, &variables, probe);
        }
    }
    if test.parameters.is_empty() && test.statements.is_empty() {
        let variables = in_scope(source, test, 0);
        let scope = Scope { source, variables: &variables, calls: &[] };
        for (technique, look) in looks(subject, &scope) {
            probes.new.push((Slice::default(), String::new(), Probe::at_end(technique, look)));
        }
    }
    // In turn, so that a limit cuts off as many copies as new tests.
    let lists = vec![probes.copies(place), probes.new_tests(place)];
    in_turn(lists, usize::MAX)
}

/// The expressions that are looked at in one test.
struct TestProbes<'a> {
    source: &'a TestSource,
    test: &'a TestMethod,
    /// In copies of the test: expressions that change nothing, and expressions that may.
    pure: Vec<Probe>,
    impure: Vec<Probe>,
    /// In new tests: the statements to begin with, and the `throws` clause.
    new: Vec<(Slice, String, Probe)>,
}

impl TestProbes<'_> {
    /// Adds new tests with the statements that declare what the expression needs, and with those
    /// that also act on it.
    fn add_new(&mut self, index: usize, probe: &Probe, known: &mut BTreeSet<String>) {
        let code = probe.look.code();
        for all in [false, true] {
            let Some(slice) = needed_statements(self.source, self.test, index, &code, all) else { continue };
            if slice.lines.len() <= PREFIX && known.insert(format!("{:?} {code}", slice.lines)) {
                self.new.push((slice, self.test.throws.clone(), probe.clone()));
            }
        }
    }

    fn add_to_copies(&mut self, statement: &Statement, variables: &[Variable], probe: Probe) {
        let code = probe.look.code();
        let statement = self.source.text.get(statement.start..statement.end).unwrap_or_default();
        let is_concerned =
            variables.iter().any(|variable| mentions(&code, &variable.name) && mentions(statement, &variable.name));
        // A statement without any of its variables does not change what the expression gives.
        if !is_concerned && probe.statements_left > 0 {
            return;
        }
        if probe.look.is_pure { self.pure.push(probe) } else { self.impure.push(probe) }
    }

    /// One copy with all expressions that change nothing, and one copy for each of the others.
    fn copies(&mut self, place: Place) -> Vec<Candidate> {
        if !self.test.parameters.is_empty() {
            return Vec::new();
        }
        let copy = |probes: Vec<Probe>| Candidate { place, shape: Shape::Copy, probes, repeat: None };
        let mut copies = Vec::new();
        if !self.pure.is_empty() {
            copies.push(copy(std::mem::take(&mut self.pure)));
        }
        // An expression late in the test affects the fewest statements after it.
        self.impure.sort_by_key(|probe| (probe.statements_left, probe.look.rank));
        self.impure.truncate(COPIES);
        copies.extend(self.impure.drain(..).map(|probe| copy(vec![probe])));
        copies
    }

    /// New tests, shortest first; expressions that change nothing share a test that begins alike.
    fn new_tests(mut self, place: Place) -> Vec<Candidate> {
        self.new.sort_by_key(|(slice, _, probe)| (slice.lines.len(), probe.look.rank));
        let mut tests: Vec<Candidate> = Vec::new();
        for (Slice { lines, last_call }, throws, probe) in self.new {
            let same = tests.iter_mut().find(|test| {
                probe.look.is_pure
                    && test.probes.iter().all(|other| other.look.is_pure)
                    && matches!(&test.shape, Shape::New { lines: others, .. } if *others == lines)
            });
            match same {
                Some(test) if test.probes.len() < LOOKS => test.probes.push(probe),
                _ => {
                    let shape = Shape::New { lines, throws, last_call };
                    tests.push(Candidate { place, shape, probes: vec![probe], repeat: None });
                }
            }
        }
        tests
    }
}

/// The variables that can be named after the statement with this index, nearest first.
fn in_scope(source: &TestSource, method: &TestMethod, upto: usize) -> Vec<Variable> {
    let mut variables: Vec<Variable> = Vec::new();
    let locals = method.statements.iter().take(upto + 1).rev().flat_map(|statement| statement.declares.iter().rev());
    let fields = source.types.get(method.in_type).into_iter().flat_map(|class| &class.fields);
    for variable in locals.chain(&method.parameters).chain(fields) {
        if !variables.iter().any(|known| known.name == variable.name) {
            variables.push(variable.clone());
        }
    }
    variables
}

/// New tests at `home` that take no statement from another test.
pub fn new_tests(subject: &Subject<'_>, values: &Values<'_>, home: Place) -> Vec<Candidate> {
    let mut probes: Vec<Probe> = Vec::new();
    for technique in TECHNIQUES {
        let Some(looks) = technique.in_new_test else { continue };
        probes.extend(looks(subject, values).into_iter().map(|look| Probe::at_end(technique.name, look)));
    }
    Candidate::new_tests(probes.into_iter(), home)
}

/// The expressions that all techniques give at a place in a test, each once.
fn looks(subject: &Subject<'_>, scope: &Scope<'_>) -> Vec<(&'static str, Look)> {
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for technique in TECHNIQUES {
        let Some(looks) = technique.in_test else { continue };
        let looks = looks(subject, scope).into_iter().filter(|look| seen.insert(look.code()));
        found.extend(looks.map(|look| (technique.name, look)));
    }
    found.truncate(LOOKS);
    found
}
