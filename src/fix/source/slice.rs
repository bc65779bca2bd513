//! The statements of a test that an expression needs.

use crate::fix::source::mention::mentions;
use crate::fix::source::test_source::{Statement, TestMethod, TestSource, Variable};
use crate::instrument::is_assertion;
use std::collections::BTreeSet;

/// Most statements that a new test takes from another one.
pub const PREFIX: usize = 4;

/// Statements of a test, as the beginning of a new one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Slice {
    /// Each statement has its lines without indentation.
    pub lines: Vec<String>,
    /// The last method that the statements call, unless that is a constructor.
    pub last_call: Option<String>,
}

/// Selects the statements, up to the one with this index, that this code needs: those that declare
/// its variables and, with `all`, those that do something to them.
///
/// `None` if the statements cannot be separated from the others, because one of them branches or
/// needs a parameter.
pub fn needed_statements(
    source: &TestSource,
    method: &TestMethod,
    upto: usize,
    code: &str,
    all: bool,
) -> Option<Slice> {
    let locals: Vec<&Variable> =
        method.statements.iter().flat_map(|statement| &statement.declares).chain(&method.parameters).collect();
    let variables_in = |code: &str| {
        let named = locals.iter().filter(|variable| mentions(code, &variable.name));
        named.map(|variable| variable.name.clone()).collect::<BTreeSet<String>>()
    };
    let needs_parameter =
        |needed: &BTreeSet<String>| method.parameters.iter().any(|parameter| needed.contains(&parameter.name));
    let mut needed = variables_in(code);
    if needs_parameter(&needed) {
        return None;
    }
    let mut slice = Slice::default();
    for statement in method.statements.iter().take(upto + 1).rev() {
        let text = source.text.get(statement.start..statement.end)?;
        if statement.declares.iter().any(|variable| needed.contains(&variable.name)) {
            needed.extend(variables_in(text));
            slice.lines.push(dedented(source, statement));
            continue;
        }
        if !all || !needed.iter().any(|name| mentions(text, name)) {
            continue;
        }
        if !statement.is_plain || !statement.declares.is_empty() {
            return None;
        }
        if !source.call_name(statement).is_some_and(is_assertion) {
            needed.extend(variables_in(text));
            slice.last_call = slice.last_call.or_else(|| last_method(text));
            slice.lines.push(dedented(source, statement));
            continue;
        }
        // An assertion itself is left out, but not the calls in it that may change something.
        for call in source.calls_within(statement).into_iter().rev() {
            if needed.iter().any(|name| mentions(call, name)) {
                slice.last_call = slice.last_call.or_else(|| last_method(call));
                slice.lines.push(format!("{call};"));
            }
        }
    }
    if needs_parameter(&needed) {
        return None;
    }
    slice.lines.reverse();
    Some(slice)
}

/// A statement whose lines all lose the indentation of its first line.
pub fn dedented(source: &TestSource, statement: &Statement) -> String {
    let text = source.text.get(statement.start..statement.end).unwrap_or_default();
    let indentation = source.indentation(statement.start);
    let mut lines = text.lines();
    let first = lines.next().unwrap_or_default().to_owned();
    lines.fold(first, |all, line| format!("{all}\n{}", line.strip_prefix(indentation).unwrap_or(line.trim_start())))
}

/// The last method that a chain of calls calls: `add` of `set.add("a")`.
fn last_method(code: &str) -> Option<String> {
    let head = code.trim_end().trim_end_matches(';');
    // The opening parenthesis of the last call.
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
        let slice = needed_statements(&source, &source.methods[0], upto, "set.isEmpty()", all)?;
        Some((slice.lines, slice.last_call))
    }

    #[test]
    fn a_new_test_takes_only_the_statements_that_it_needs() {
        let (lines, last) = sliced(4, false).unwrap();
        assert_eq!((lines.join("|").as_str(), last), ("Set<String> set = new Set<>();", None));
        let (lines, last) = sliced(4, true).unwrap();
        assert_eq!(lines.join("|"), "Set<String> set = new Set<>();|set.add(\"a\");|set.put(1,\n    2);|set.size();");
        assert_eq!(last.as_deref(), Some("size"));
        assert_eq!(sliced(5, true), None, "a statement that branches cannot be taken apart");
        assert_eq!(last_method("one.add(f(x)).add(g());").as_deref(), Some("add"));
    }
}
