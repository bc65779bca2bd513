//! Assertions on the message of an exception, where a test catches it or where it leaves the test.

use crate::fix::edit::Edit;
use crate::fix::expected::Expected;
use crate::fix::source::imports::NewImport;
use crate::fix::source::style::Style;
use crate::fix::source::test_source::{TestMethod, TestSource};
use crate::fix::source::test_sources::{Place, TestSources};
use crate::fix::techniques::message::Message;
use crate::fix::write::assertion::{Assertion, assertion};
use crate::fix::write::draft::{Draft, Rank};
use crate::fix::write::placement::{Placement, with_edits};
use crate::recipe::Engine;

/// Drafts that assert the message of an exception that a test sees.
#[must_use]
pub fn message_drafts(sources: &TestSources, group: usize, message: &Message<'_>) -> Vec<Draft> {
    let of_source = || {
        let source = sources.get(message.source)?;
        let index = source.method_at(message.byte)?;
        Some((source, index, source.methods.get(index)?))
    };
    let Some((source, index, method)) = of_source() else { return Vec::new() };
    let place = Place { source: message.source, position: index };
    let Some(style) = sources.style(place) else { return Vec::new() };
    let expected = Expected::Equal { source: message.text.to_owned(), type_name: "java.lang.String".to_owned() };
    let placed: Vec<(Placement, Assertion)> = match message.variable {
        Some(variable) => {
            let asserted = assertion(&style, &format!("{variable}.getMessage()"), &expected);
            let edit = source.catch_block(message.byte).map(|block| at_end(source, block, &style, &asserted.code));
            edit.map(|edit| (with_edits(source, method, vec![edit], &asserted.imports, 1), asserted))
                .into_iter()
                .collect()
        }
        None => leaving(source, method, &style, message.text, &expected),
    };
    let draft = |(rank, (placed, asserted)): (usize, (Placement, Assertion))| Draft {
        group,
        technique: message.technique,
        place,
        is_new: false,
        edits: placed.edits,
        imports: placed.imports,
        declaration: placed.declaration,
        test: placed.test,
        rank: Rank {
            relevance: 0,
            weakness: 0,
            form: rank,
            lines: placed.lines,
            distance: 0,
            expression_rank: 0,
            code: asserted.code.clone(),
        },
        code: asserted.code,
        given: Vec::new(),
        acts: false,
        strange: None,
        shown_for: message.shown_for.clone(),
    };
    placed.into_iter().enumerate().map(draft).collect()
}

/// An edit that adds a last statement to a block.
fn at_end(source: &TestSource, (start, end): (usize, usize), style: &Style, code: &str) -> Edit {
    let inside = source.text.get(start..end).unwrap_or_default();
    let newline = source.newline();
    let indentation = source.indentation(end);
    let line = format!("{indentation}{}{code}", style.indent);
    let last = start + inside.trim_end().len();
    if inside.contains('\n') {
        return Edit::insert(source.line_end(last), format!("{line}{newline}"));
    }
    let kept = inside.trim();
    let kept = if kept.is_empty() { String::new() } else { format!("{newline}{indentation}{}{kept}", style.indent) };
    Edit { start, end, text: format!("{kept}{newline}{line}{newline}{indentation}") }
}

/// The exception leaves the test, which expects it by a rule or by its annotation.
fn leaving(
    source: &TestSource,
    method: &TestMethod,
    style: &Style,
    text: &str,
    expected: &Expected,
) -> Vec<(Placement, Assertion)> {
    let fields = source.types.get(method.in_type).map(|one| one.fields.as_slice()).unwrap_or_default();
    for rule in fields.iter().filter(|field| field.simple_type() == "ExpectedException") {
        let begins = format!("{}.expect", rule.name);
        let statement = method.statements.iter().find(|statement| {
            source.text.get(statement.start..statement.end).is_some_and(|text| text.starts_with(&begins))
        });
        if let Some(statement) = statement {
            let code = format!("{}.{};", rule.name, style.call("expectMessage", &[text]));
            let edit =
                source.lines_behind(statement.end, source.indentation(statement.start), std::slice::from_ref(&code));
            let asserted = Assertion { code, imports: Vec::new(), expects: None };
            return vec![(with_edits(source, method, vec![edit], &[], 1), asserted)];
        }
    }
    expected_by_annotation(source, method, style, expected).unwrap_or_default()
}

/// `@Test(expected = X.class)` says nothing of the message, so the last statement is wrapped
/// instead.
fn expected_by_annotation(
    source: &TestSource,
    method: &TestMethod,
    style: &Style,
    expected: &Expected,
) -> Option<Vec<(Placement, Assertion)>> {
    let (_, rest) = method.modifiers.split_once("expected")?;
    let class = rest.trim_start().strip_prefix('=')?.split(".class").next()?.trim();
    let open = method.modifiers.find("@Test")? + 5;
    let close = open + method.modifiers.get(open..)?.find(')')? + 1;
    // Another element of the annotation would have to stay.
    if method.modifiers.get(open..close)?.contains(',') {
        return None;
    }
    let annotation = Edit { start: method.start + open, end: method.start + close, text: String::new() };
    let last = method.statements.last()?;
    let code = source.text.get(last.start..last.end)?;
    let asserted = assertion(style, "e.getMessage()", expected);
    let newline = source.newline();
    let indentation = source.indentation(last.start);
    let class_in_owner = style.assertions.clone().unwrap_or_else(|| Engine::JUnit4.profile().assertions.to_owned());
    let import = |name: &str| NewImport { is_static: true, name: format!("{class_in_owner}.{name}") };
    let mut found = Vec::new();
    if last.is_plain && last.declares.is_empty() {
        let lambda = format!("() -> {}", code.trim_end().trim_end_matches(';'));
        let thrown = format!(
            "{class} e = {};",
            style.call(&format!("{}assertThrows", style.qualifier), &[&format!("{class}.class"), &lambda])
        );
        let text = format!("{thrown}{newline}{indentation}{}", asserted.code);
        let edit = Edit { start: last.start, end: last.end, text };
        let mut with = asserted.clone();
        with.imports.push(import("assertThrows"));
        found.push((with_edits(source, method, vec![annotation.clone(), edit], &with.imports, 3), with));
    }
    let deeper = format!("{indentation}{}", style.indent);
    let inner: String = code.lines().map(|line| format!("{}{}{newline}", style.indent, line)).collect();
    let clause = style.call("catch ", &[&format!("{class} e")]);
    let catch = if style.brace_below {
        format!("}}{newline}{indentation}{clause}{newline}{indentation}{{")
    } else {
        format!("}} {clause} {{")
    };
    let open = if style.brace_below { format!("try{newline}{indentation}{{") } else { "try {".to_owned() };
    let text = format!(
        "{open}{newline}{indentation}{inner}{deeper}{}fail();{newline}{indentation}{catch}{newline}{deeper}{}{newline}{indentation}}}",
        style.qualifier, asserted.code
    );
    let edit = Edit { start: last.start, end: last.end, text };
    let mut with = asserted;
    with.imports.push(import("fail"));
    found.push((with_edits(source, method, vec![annotation, edit], &with.imports, 7), with));
    Some(found)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::fix::edit::apply;
    use std::collections::BTreeSet;
    use std::path::Path;

    fn message(text: &str, needle: &str, variable: Option<&str>) -> Vec<String> {
        let sources = TestSources::from(vec![TestSource::of(Path::new("T.java"), text.to_owned()).unwrap()]);
        let byte = text.find(needle).unwrap();
        let message = Message {
            technique: "assert-message",
            source: 0,
            byte,
            variable,
            text: "\"no\"",
            shown_for: BTreeSet::new(),
        };
        message_drafts(&sources, 0, &message).iter().map(|draft| apply(text, &draft.edits).unwrap()).collect()
    }

    #[test]
    fn a_message_is_asserted_where_its_exception_is_caught() {
        let test = |block: &str| {
            format!(
                "import static org.junit.Assert.*;\nclass T {{\n    @Test\n    void a() {{\n        try {{\n            f();\n        \
                 }} catch (X ex) {block}\n    }}\n}}\n"
            )
        };
        let inside = message(&test("{\n            // wanted\n        }"), "ex)", Some("ex"));
        assert!(
            inside[0].contains("// wanted\n            assertEquals(\"no\", ex.getMessage());\n        }\n"),
            "{}",
            inside[0]
        );
        let in_line = message(&test("{ }"), "ex)", Some("ex"));
        assert!(
            in_line[0].contains("(X ex) {\n            assertEquals(\"no\", ex.getMessage());\n        }\n"),
            "{}",
            in_line[0]
        );
    }

    #[test]
    fn a_message_is_expected_if_its_exception_leaves_the_test() {
        let rule = "class T {\n    @Rule public ExpectedException thrown = none();\n    @Test\n    void a() {\n        \
                    thrown.expect( X.class );\n\n        f( 1 );\n        g( 1 );\n    }\n}\n";
        assert!(message(rule, "a()", None)[0].contains("X.class );\n        thrown.expectMessage( \"no\" );\n\n"));
        let annotated = "import static org.junit.Assert.*;\nclass T {\n    @Test(expected = X.class)\n    void a() {\n        f(1);\n    }\n}\n";
        let both = message(annotated, "a()", None);
        let thrown = "@Test\n    void a() {\n        X e = assertThrows(X.class, () -> f(1));\n        \
                      assertEquals(\"no\", e.getMessage());\n    }";
        assert!(both[0].contains(thrown), "{}", both[0]);
        let caught = "        try {\n            f(1);\n            fail();\n        } catch (X e) {\n            \
                      assertEquals(\"no\", e.getMessage());\n        }\n    }";
        assert!(both[1].contains(caught), "{}", both[1]);
    }
}
