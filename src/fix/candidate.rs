//! From a test and what may be looked at in it to candidates: a copy of the test, or a new one with no more of it than is needed.

use crate::fix::source::test_source::{Statement, TestMethod, TestSource, Variable, mentions};
use crate::fix::techniques::{Look, SEQUENCE, Scope, Subject, TECHNIQUES, sequences};
use crate::fix::values::Values;
use std::collections::BTreeSet;

/// Most statements of a test behind which anything is looked at.
const STATEMENTS: usize = 40;
/// Most copies of a test with one expression that may change something: each runs all of it again.
const COPIES: usize = 6;
/// Most expressions that are looked at behind one statement.
const LOOKS: usize = 60;
/// Most expressions that are looked at in tests that take over nothing of another one.
const ALONE: usize = 1600;
/// Most statements that a new test takes over.
pub const PREFIX: usize = 4;

/// A test to be tried, with expressions in it that are looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Index of the source, and in it of the method that this is made of.
    pub source: usize,
    pub method: usize,
    pub shape: Shape,
    pub probes: Vec<Probe>,
    /// Of a new test: all is looked at again and again.
    pub repeat: Option<Repeat>,
}

/// How a test of what is random comes to its expressions each time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Repeat {
    /// The type, as written, and the call of an object that all of them ask, made once each time.
    pub object: Option<(String, String)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    /// All of the method.
    Copy,
    /// These statements, each in lines without indentation.
    New {
        lines: Vec<String>,
        throws: String,
        /// Name of the last method that is called in them, if it is no constructor.
        last_call: Option<String>,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Probe {
    /// Name of the technique.
    pub technique: &'static str,
    pub look: Look,
    /// Of a copy: the end of the statement behind which it is looked, and how many follow in the method.
    pub behind: usize,
    pub statements_left: usize,
}

impl Probe {
    /// At the end of a new test.
    #[must_use]
    pub fn at_end(technique: &'static str, look: Look) -> Self {
        Self { technique, look, behind: 0, statements_left: 0 }
    }
}

/// The variables that can be named behind the statement with this index, nearest first.
fn in_scope(source: &TestSource, method: &TestMethod, upto: usize) -> Vec<Variable> {
    let mut variables: Vec<Variable> = Vec::new();
    let locals = method.statements.iter().take(upto + 1).rev().flat_map(|statement| statement.declares.iter().rev());
    let fields = source.types.get(method.in_type).into_iter().flat_map(|one| &one.fields);
    for variable in locals.chain(&method.parameters).chain(fields) {
        if !variables.iter().any(|known| known.name == variable.name) {
            variables.push(variable.clone());
        }
    }
    variables
}

/// All candidates that are made of one method, the most promising first.
#[must_use]
pub fn candidates(subject: &Subject<'_>, sources: &[TestSource], source: usize, method: usize) -> Vec<Candidate> {
    let Some((text, test)) = sources.get(source).and_then(|text| Some((text, text.methods.get(method)?))) else {
        return Vec::new();
    };
    let candidate = |shape: Shape, probes: Vec<Probe>| Candidate { source, method, shape, probes, repeat: None };
    let mut pure = Vec::new();
    let mut impure = Vec::new();
    let mut new = Vec::new();
    let mut known: BTreeSet<String> = BTreeSet::new();
    let count = test.statements.len();
    for (index, statement) in test.statements.iter().enumerate().take(STATEMENTS) {
        let variables = in_scope(text, test, index);
        let calls = text.calls_in(statement);
        let scope = Scope { source: text, variables: &variables, calls: &calls };
        for (technique, look) in looks(subject, &scope) {
            let probe = Probe { technique, look, behind: statement.end, statements_left: count - index - 1 };
            for all in [false, true] {
                let Some((lines, last_call)) = slice(text, test, index, &probe.look.code(), all) else { continue };
                if lines.len() <= PREFIX && known.insert(format!("{lines:?} {}", probe.look.code())) {
                    let throws = test.throws.clone();
                    new.push((lines, throws, last_call, probe.clone()));
                }
            }
            // What a statement has nothing to do with is the same behind it as before.
            let code = probe.look.code();
            let statement = text.text.get(statement.start..statement.end).unwrap_or_default();
            let concerns =
                variables.iter().any(|variable| mentions(&code, &variable.name) && mentions(statement, &variable.name));
            if !concerns && probe.statements_left > 0 {
                continue;
            }
            if probe.look.is_pure { pure.push(probe) } else { impure.push(probe) }
        }
    }
    if test.parameters.is_empty() && test.statements.is_empty() {
        let variables = in_scope(text, test, 0);
        let scope = Scope { source: text, variables: &variables, calls: &[] };
        for (technique, look) in looks(subject, &scope) {
            new.push((Vec::new(), String::new(), None, Probe::at_end(technique, look)));
        }
    }
    let mut all = Vec::new();
    if test.parameters.is_empty() {
        if !pure.is_empty() {
            all.push(candidate(Shape::Copy, pure));
        }
        // What changes something goes last, where nothing behind it can be another by that.
        impure.sort_by_key(|probe| (probe.statements_left, probe.look.rank));
        impure.truncate(COPIES);
        all.extend(impure.into_iter().map(|probe| candidate(Shape::Copy, vec![probe])));
    }
    new.sort_by_key(|(lines, _, _, probe)| (lines.len(), probe.look.rank));
    let mut made: Vec<Candidate> = Vec::new();
    for (lines, throws, last_call, probe) in new {
        let same = made.iter_mut().find(|one| {
            probe.look.is_pure
                && one.probes.iter().all(|other| other.look.is_pure)
                && matches!(&one.shape, Shape::New { lines: others, .. } if *others == lines)
        });
        match same {
            Some(one) if one.probes.len() < LOOKS => one.probes.push(probe),
            _ => made.push(candidate(Shape::New { lines, throws, last_call }, vec![probe])),
        }
    }
    // In turn, so that a bound cuts off as much of either kind.
    let mut mixed = Vec::new();
    let (mut copies, mut made) = (all.into_iter(), made.into_iter());
    loop {
        match (copies.next(), made.next()) {
            (None, None) => return mixed,
            (one, other) => mixed.extend(one.into_iter().chain(other)),
        }
    }
}

/// Tests beside this method that take over nothing of it.
#[must_use]
pub fn alone(subject: &Subject<'_>, values: &Values<'_>, source: usize, method: usize) -> Vec<Candidate> {
    let of = TECHNIQUES.iter().flat_map(|technique| {
        technique.alone(subject, values).into_iter().map(|look| Probe::at_end(technique.name, look))
    });
    nothing_else(of, source, method)
}

/// The same that call the method after several other calls.
#[must_use]
pub fn in_sequence(subject: &Subject<'_>, values: &Values<'_>, source: usize, method: usize) -> Vec<Candidate> {
    nothing_else(sequences(subject, values).into_iter().map(|look| Probe::at_end(SEQUENCE, look)), source, method)
}

/// The best of these, in tests that have nothing else.
fn nothing_else(probes: impl Iterator<Item = Probe>, source: usize, method: usize) -> Vec<Candidate> {
    let mut seen = BTreeSet::new();
    let mut probes: Vec<Probe> = probes.filter(|probe| seen.insert(probe.look.code())).collect();
    probes.sort_by_key(|probe| probe.look.rank);
    probes.truncate(ALONE);
    let shape = Shape::New { lines: Vec::new(), throws: String::new(), last_call: None };
    looking(&Candidate { source, method, shape, probes: Vec::new(), repeat: None }, &probes)
}

/// The same test, looking at other things.
#[must_use]
pub fn looking(candidate: &Candidate, probes: &[Probe]) -> Vec<Candidate> {
    probes.chunks(LOOKS).map(|probes| Candidate { probes: probes.to_vec(), ..candidate.clone() }).collect()
}

fn looks(subject: &Subject<'_>, scope: &Scope<'_>) -> Vec<(&'static str, Look)> {
    let of = TECHNIQUES
        .iter()
        .flat_map(|technique| technique.in_test(subject, scope).into_iter().map(|look| (technique.name, look)));
    let mut seen = BTreeSet::new();
    of.filter(|(_, look)| seen.insert(look.code())).take(LOOKS).collect()
}

/// The statements up to the one with this index that this code needs, and the last call in them. With `all`, also those that do something to
/// its variables. `None` where they cannot be told apart from the others.
pub fn slice(
    source: &TestSource,
    method: &TestMethod,
    upto: usize,
    code: &str,
    all: bool,
) -> Option<(Vec<String>, Option<String>)> {
    let is_needed = |needed: &BTreeSet<String>, statement: &Statement| {
        statement.declares.iter().any(|variable| needed.contains(&variable.name))
    };
    let locals: Vec<&Variable> =
        method.statements.iter().flat_map(|statement| &statement.declares).chain(&method.parameters).collect();
    let named = |code: &str| {
        let names = locals.iter().filter(|variable| mentions(code, &variable.name));
        names.map(|variable| variable.name.clone()).collect::<BTreeSet<String>>()
    };
    let mut needed = named(code);
    if method.parameters.iter().any(|parameter| needed.contains(&parameter.name)) {
        return None;
    }
    let mut lines = Vec::new();
    let mut last_call = None;
    for statement in method.statements.iter().take(upto + 1).rev() {
        let text = source.text.get(statement.start..statement.end)?;
        if is_needed(&needed, statement) {
            needed.extend(named(text));
            lines.push(dedented(source, statement));
        } else if all && needed.iter().any(|name| mentions(text, name)) {
            if !statement.is_plain || !statement.declares.is_empty() {
                return None;
            }
            let is_assertion = source.call_name(statement).is_some_and(crate::instrument::is_assertion);
            if !is_assertion {
                needed.extend(named(text));
                last_call = last_call.or_else(|| called(text));
                lines.push(dedented(source, statement));
                continue;
            }
            // What is done inside of an assertion is done without it.
            for call in source.calls_within(statement).into_iter().rev() {
                if needed.iter().any(|name| mentions(call, name)) {
                    last_call = last_call.or_else(|| called(call));
                    lines.push(format!("{call};"));
                }
            }
        }
    }
    if method.parameters.iter().any(|parameter| needed.contains(&parameter.name)) {
        return None;
    }
    lines.reverse();
    Some((lines, last_call))
}

/// The last method of a chain: `add` of `set.add("a")`.
fn called(code: &str) -> Option<String> {
    let head = code.trim_end().trim_end_matches(';');
    // The parenthesis that belongs to the last one.
    let mut depth = 0;
    let open = head.char_indices().rev().find(|(_, character)| {
        match character {
            ')' => depth += 1,
            '(' => depth -= 1,
            _ => {}
        }
        *character == '(' && depth == 0
    })?;
    let before = head.get(..open.0)?.trim_end();
    let name: String =
        before.chars().rev().take_while(|character| character.is_alphanumeric() || *character == '_').collect();
    (!name.is_empty() && !before.contains("new ")).then(|| name.chars().rev().collect())
}

/// A statement with the indentation of its own first line taken from all of its lines.
pub fn dedented(source: &TestSource, statement: &Statement) -> String {
    let text = source.text.get(statement.start..statement.end).unwrap_or_default();
    let indentation = source.indentation(statement.start);
    let mut lines = text.lines();
    let first = lines.next().unwrap_or_default().to_owned();
    lines.fold(first, |all, line| format!("{all}\n{}", line.strip_prefix(indentation).unwrap_or(line.trim_start())))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use std::path::Path;

    const SOURCE: &str = "class T {
    @Test void a() throws X {
        Set<String> set = new Set<>();
        int unused = 1;
        assertTrue(set.add(\"a\"));
        set.put(1,
            2);
        assertEquals(1, set.size());
        if (x) { set.clear(); }
    }
}
";

    fn sliced(upto: usize, all: bool) -> Option<(Vec<String>, Option<String>)> {
        let source = TestSource::of(Path::new("T.java"), SOURCE.to_owned()).unwrap();
        slice(&source, &source.methods[0], upto, "set.isEmpty()", all)
    }

    #[test]
    fn a_new_test_takes_over_what_is_needed_and_no_more() {
        let (lines, last) = sliced(4, false).unwrap();
        assert_eq!((lines.join("|").as_str(), last), ("Set<String> set = new Set<>();", None));
        let (lines, last) = sliced(4, true).unwrap();
        assert_eq!(lines.join("|"), "Set<String> set = new Set<>();|set.add(\"a\");|set.put(1,\n    2);|set.size();");
        assert_eq!(last.as_deref(), Some("size"));
        assert_eq!(sliced(5, true), None, "what branches is not taken apart");
        assert_eq!(called("one.add(f(x)).add(g());").as_deref(), Some("add"));
    }
}
