//! From a test that leads to the method to the same with one input changed (`rules/fixes/vary-input.toml`).

use crate::classfile::outlines::Outlines;
use crate::code::Signature;
use crate::fix::candidate::{Candidate, PREFIX, Probe, Shape, dedented, slice};
use crate::fix::source::test_source::{Change, Statement, TestMethod, TestSource, changes, mentions};
use crate::fix::techniques::{ENDS, Look};
use crate::fix::write::name::{About, When};
use std::collections::{BTreeMap, BTreeSet};

/// The name of the technique: file name in `rules/fixes`.
pub const VARY: &str = "vary-input";
/// Most changes of one call and what leads to it.
const CHANGES: usize = 24;
/// Most candidates that are made of one test.
const CANDIDATES: usize = 30;
/// Most calls behind it that look at what it gives.
const LATER: usize = 6;
/// Stands between two statements while one of them is changed.
const BETWEEN: &str = "\n/*|*/\n";

/// From so many calls away a test is changed.
pub const LEVELS: usize = 8;

/// Names of the methods that lead to this one, in up to so many calls, as far as class files tell.
#[must_use]
pub fn leading(outlines: &Outlines, method: &Signature, levels: usize) -> BTreeSet<String> {
    let mut callers: BTreeMap<(&str, &str), BTreeSet<(&str, &str)>> = BTreeMap::new();
    for of in outlines.classes().flat_map(|class| &class.methods) {
        for call in &of.calls {
            let called = (call.to.name.as_str(), call.to.descriptor.as_str());
            callers.entry(called).or_default().insert((of.name.as_str(), of.descriptor.as_str()));
        }
    }
    let mut known = BTreeSet::from([(method.name.as_str(), method.descriptor.as_str())]);
    let mut last = known.clone();
    for _ in 0..levels {
        let above: BTreeSet<(&str, &str)> =
            last.iter().filter_map(|called| callers.get(called)).flatten().copied().collect();
        last = above.difference(&known).copied().collect();
        known.extend(&last);
    }
    known.into_iter().map(|(name, _)| name.to_owned()).collect()
}

/// Tests like this one, in each of which one of the literals on the way to such a call is another one, or is not there.
#[must_use]
pub fn varied(sources: &[TestSource], source: usize, method: usize, leading: &BTreeSet<String>) -> Vec<Candidate> {
    let Some((text, test)) = sources.get(source).and_then(|text| Some((text, text.methods.get(method)?))) else {
        return Vec::new();
    };
    let mut known = BTreeSet::new();
    let mut candidates = Vec::new();
    for (index, statement) in test.statements.iter().enumerate().filter(|(_, statement)| statement.is_plain) {
        for (name, code) in text.calls_in(statement).into_iter().filter(|(name, _)| leading.contains(name)) {
            let Some(parts) = needed(text, test, index, &code) else { continue };
            let all = [parts.as_slice(), &[format!("{code};")]].concat().join(BETWEEN);
            for change in changes(&all).into_iter().take(CHANGES) {
                for (lines, looks) in looks(text, test, index, statement, &parts, &name, &code, &change) {
                    let codes: Vec<String> = looks.iter().map(Look::code).collect();
                    if known.insert(format!("{lines:?} {codes:?}")) {
                        let probes = looks.into_iter().map(|look| Probe::at_end(VARY, look)).collect();
                        let shape = Shape::New { lines, throws: test.throws.clone(), last_call: None };
                        candidates.push(Candidate { source, method, shape, probes, repeat: None });
                    }
                }
            }
        }
    }
    candidates.truncate(CANDIDATES);
    candidates
}

/// The statements before this one that a call in it needs. `None` where they are too many, or cannot be told apart.
pub(in crate::fix) fn needed(source: &TestSource, test: &TestMethod, index: usize, code: &str) -> Option<Vec<String>> {
    let Some(before) = index.checked_sub(1) else { return Some(Vec::new()) };
    let (lines, _) = slice(source, test, before, code, true)?;
    (lines.len() <= PREFIX).then_some(lines)
}

/// What the call gives when one input is another one; and what the calls that look at that in the test give.
#[expect(clippy::too_many_arguments, reason = "the parts of a test")]
fn looks(
    source: &TestSource,
    test: &TestMethod,
    index: usize,
    statement: &Statement,
    parts: &[String],
    name: &str,
    code: &str,
    change: &Change,
) -> Vec<(Vec<String>, Vec<Look>)> {
    let changed = |last: &str| {
        let snippet = [parts, &[last.to_owned()]].concat().join(BETWEEN);
        // Behind what comes before, both begin alike.
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
        // What is within an assertion, not the assertion.
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
    fn one_input_of_a_call_and_of_what_leads_to_it_is_another_one() {
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
        let found = varied(&[source], 0, 0, &BTreeSet::from(["parse".to_owned()]));
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
