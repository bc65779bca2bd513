//! Change one input of a test that reaches the method (`rules/fixes/vary-input.toml`).

use crate::fix::candidate::{Candidate, Probe, Shape, in_turn};
use crate::fix::look::{About, ENDS, Look, When};
use crate::fix::source::input_change::{InputChange, input_changes};
use crate::fix::source::mention::mentions;
use crate::fix::source::slice::{PREFIX, dedented, needed_statements};
use crate::fix::source::test_source::{Statement, TestMethod, TestSource};
use crate::fix::source::test_sources::{Place, TestSources};
use crate::fix::techniques::callers::calling_names;
use crate::fix::techniques::outside::acts_outside;
use crate::fix::techniques::technique::{Reach, SecondRound, Technique};
use std::collections::BTreeSet;

/// The name of the technique.
pub const VARY_INPUT: &str = "vary-input";

pub const TECHNIQUE: Technique = Technique {
    second_round: Some(SecondRound { turn: 1, candidates }),
    ..Technique::new(VARY_INPUT, include_str!("../../../rules/fixes/vary-input.toml"))
};

/// Budget multiplier for tests with one changed input: they are cheap because they are short.
const BUDGET: usize = 5;
/// Most changes of one call and the statements before it.
const CHANGES: usize = 24;
/// Most candidates that are made of one test.
const CANDIDATES: usize = 30;
/// Most later calls that look at its result.
const LATER: usize = 6;
/// Separates two statements while one of them is changed.
const BETWEEN: &str = "\n/*|*/\n";

/// Most calls between a changed test and the method.
const LEVELS: usize = 8;

/// Tests that reach the method, each with one input changed.
fn candidates(reach: &Reach<'_>) -> Vec<Candidate> {
    let outlines = reach.subject.outlines;
    let mut leading = calling_names(outlines, reach.subject.method, LEVELS);
    for (class, method) in outlines.classes().flat_map(|class| class.methods.iter().map(move |method| (class, method)))
    {
        if leading.contains(&method.name) && acts_outside(outlines, &class.member(method)) {
            leading.remove(&method.name);
        }
    }
    let of_tests = reach.tests.iter().map(|place| changed_tests(reach.sources, *place, &leading)).collect();
    in_turn(of_tests, reach.budget * BUDGET)
}

/// Tests like this one. In each, one literal in such a call, or in the statements that it needs, is
/// replaced or left out.
fn changed_tests(sources: &TestSources, place: Place, leading: &BTreeSet<String>) -> Vec<Candidate> {
    let Some((text, test)) = sources.method(place) else { return Vec::new() };
    let mut known = BTreeSet::new();
    let mut candidates = Vec::new();
    for (index, statement) in test.statements.iter().enumerate().filter(|(_, statement)| statement.is_plain) {
        for (name, code) in text.calls_in(statement).into_iter().filter(|(name, _)| leading.contains(name)) {
            let Some(parts) = statements_before(text, test, index, &code) else { continue };
            let all = [parts.as_slice(), &[format!("{code};")]].concat().join(BETWEEN);
            for change in input_changes(&all).into_iter().take(CHANGES) {
                for (lines, looks) in looks(text, test, index, statement, &parts, &name, &code, &change) {
                    let codes: Vec<String> = looks.iter().map(Look::code).collect();
                    if known.insert(format!("{lines:?} {codes:?}")) {
                        let probes = looks.into_iter().map(|look| Probe::at_end(VARY_INPUT, look)).collect();
                        let shape = Shape::New { lines, throws: test.throws.clone(), last_call: None };
                        candidates.push(Candidate { place, shape, probes, repeat: None });
                    }
                }
            }
        }
    }
    candidates.truncate(CANDIDATES);
    candidates
}

/// The statements before this one that a call in it needs. `None` if there are too many, or if they
/// cannot be separated from the others.
pub(in crate::fix) fn statements_before(
    source: &TestSource,
    test: &TestMethod,
    index: usize,
    code: &str,
) -> Option<Vec<String>> {
    let Some(before) = index.checked_sub(1) else { return Some(Vec::new()) };
    let lines = needed_statements(source, test, before, code, true)?.lines;
    (lines.len() <= PREFIX).then_some(lines)
}

/// Looks at the result of the call with one input changed, and at the results of later calls in the
/// test that use it. Each list of looks comes with the statements before them.
#[expect(clippy::too_many_arguments, reason = "the parts of a test")]
fn looks(
    source: &TestSource,
    test: &TestMethod,
    index: usize,
    statement: &Statement,
    parts: &[String],
    name: &str,
    code: &str,
    change: &InputChange,
) -> Vec<(Vec<String>, Vec<Look>)> {
    let changed = |last: &str| {
        let snippet = [parts, &[last.to_owned()]].concat().join(BETWEEN);
        // The statement and the call begin at the same byte of the joined code.
        let shift = snippet.len() - last.len();
        let (start, end) = match change.start.checked_sub(shift) {
            Some(in_call) => {
                let at = last.find(code)?;
                (shift + at + in_call, shift + at + in_call + (change.end - change.start))
            }
            None => (change.start, change.end),
        };
        let (before, after) = (snippet.get(..start)?, snippet.get(end..)?);
        let text = format!("{before}{}{after}", change.text);
        let mut lines: Vec<String> = text.split(BETWEEN).map(str::to_owned).collect();
        let last = lines.pop()?;
        Some((lines, last))
    };
    let look = |expression: String, method: &str| Look {
        when: When::For(change.value.iter().cloned().collect()),
        is_pure: false,
        about: About::Result { method: method.to_owned() },
        expression,
        ..Look::accessor("", "", 0)
    };
    let mut found = Vec::new();
    let whole = format!("{code};");
    if let Some((lines, call)) = changed(&whole) {
        let call = call.trim_end_matches(';').to_owned();
        found.push((lines.clone(), vec![look(call.clone(), name)]));
        let is_statement = source.text.get(statement.start..statement.end).is_some_and(|text| text == whole);
        if is_statement {
            let receiver = call.split_once(&format!(".{name}(")).map(|(receiver, _)| receiver.to_owned());
            let receiver = receiver.filter(|receiver| receiver.chars().all(|one| one.is_alphanumeric() || one == '_'));
            let seen = receiver.unwrap_or_else(|| ENDS.to_owned());
            found.push((lines, vec![Look { act: Some(format!("{call};")), ..look(seen, name) }]));
        }
    }
    if let [variable] = statement.declares.as_slice() {
        let declaration = dedented(source, statement);
        let later = test.statements.iter().skip(index + 1).flat_map(|later| source.calls_in(later));
        let later = later.filter(|(_, call)| mentions(call, &variable.name));
        // The calls inside an assertion count, not the assertion itself.
        let later = later.filter(|(name, _)| !crate::instrument::is_assertion(name)).take(LATER);
        if let Some((mut lines, last)) = changed(&declaration) {
            lines.push(last);
            let looks: Vec<Look> = later.map(|(name, call)| look(call, &name)).collect();
            found.extend(Some((lines, looks)).filter(|(_, looks)| !looks.is_empty()));
        }
    }
    found
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn one_input_of_a_call_or_of_the_statements_before_it_changes() {
        let text = "class T {
    @Test public void a() throws X {
        String[] args = new String[] {\"-b\",
            \"x\"};
        int other = 7;
        Line line = parser.parse(options, args, true);
        assertTrue(line.has(\"b\"));
    }
}
";
        let source = TestSource::of(Path::new("T.java"), text.to_owned()).unwrap();
        let sources = TestSources::from(vec![source]);
        let place = Place { source: 0, position: 0 };
        let found = changed_tests(&sources, place, &BTreeSet::from(["parse".to_owned()]));
        let written = |candidate: &Candidate| match &candidate.shape {
            Shape::New { lines, .. } => format!("{} | {}", lines.join(" / "), candidate.probes[0].look.expression),
            Shape::Copy => String::new(),
        };
        let all: Vec<String> = found.iter().map(written).collect();
        let args = "String[] args = new String[] {\"-b\"};";
        assert!(all.contains(&format!("{args} | parser.parse(options, args, true)")), "{all:#?}");
        assert!(all.contains(&format!("{args} / Line line = parser.parse(options, args, true); | line.has(\"b\")")));
        let args = "String[] args = new String[] {\"-b\",\n    \"x\"};";
        assert!(all.contains(&format!("{args} | parser.parse(options, args, false)")), "{all:#?}");
        assert!(all.iter().all(|one| !one.contains("other")));
    }
}
