//! From an expression that tells the two sides apart to drafts: what is written, and which of them is better.

use crate::base::id::TransformationId;
use crate::fix::candidate::{Candidate, Shape};
use crate::fix::edit::Edit;
use crate::fix::source::style::{Needed, Style};
use crate::fix::source::test_source::TestSource;
use crate::fix::techniques::repeat_call::{Calls, repeating};
use crate::fix::trial::explore::Shown;
use crate::fix::write::assertion::{Expected, assertion};
use crate::fix::write::exception::{Abilities, throwing};
use crate::fix::write::name::About;
use crate::fix::write::placement::{Placed, in_test, new_test};
use crate::fix::write::promise::broken;
use crate::text::words::short_class;
use std::collections::BTreeSet;

/// Most lines, blank ones left out, of a test that is preferred to a line in a test that is there.
const SHORT_TEST: usize = 6;
/// Most line separators that are written into one text.
const SEPARATORS: usize = 2;

/// New code for a test source, not proven.
#[derive(Clone, Debug)]
pub struct Draft {
    pub group: usize,
    pub technique: &'static str,
    pub source: usize,
    /// The method that it stands in or, if it is a new test, beside.
    pub method: usize,
    pub is_new: bool,
    /// Of the source as it is.
    pub edits: Vec<Edit>,
    /// What of them are imports.
    pub imports: Vec<Needed>,
    /// The test that it is in, as a declaration: what stands before its name, and what behind it.
    pub alone: (String, String),
    /// Name of that test.
    pub test: String,
    /// The assertion.
    pub code: String,
    /// What it needs and makes by itself.
    pub given: Vec<String>,
    /// Transformations that it may close.
    pub shown_for: BTreeSet<TransformationId>,
    /// What is strange about what it asserts: Markdown.
    pub strange: Option<String>,
    /// Smaller is better.
    pub rank: Rank,
}

/// First part of the rank of what is taken only where there is nothing else.
pub const LAST_RESORT: usize = 2;

impl Draft {
    /// What does not hold of it, however it is proven.
    #[must_use]
    pub fn doubt(&self) -> Option<String> {
        (self.rank.0 == LAST_RESORT).then(|| {
            "it expects an exception that nobody throws on purpose: whether that is wanted, only you know".to_owned()
        })
    }
}

/// How far from the method, how little it says, how it is written, and what breaks ties.
pub type Rank = (usize, u8, usize, usize, usize, usize, String);

/// The drafts of what was shown about one probe of a candidate: by all transformations that show it alike. Of what varies there are two, since a
/// stream is shorter, but not everything can be done in it; of texts of several lines, too, since lines end as the machine has it, or as the code has.
#[must_use]
pub fn of_shown(
    sources: &[TestSource],
    candidate: &Candidate,
    shown: &Shown,
    shown_for: &BTreeSet<TransformationId>,
    subject: &str,
    nearness: usize,
    abilities: Abilities,
) -> Vec<Draft> {
    let ways: &[Way] = if candidate.repeat.is_some() {
        &[Way::Repeated(Calls::Stream), Way::Repeated(Calls::Loop)]
    } else {
        &[Way::Once, Way::WithLineSeparators]
    };
    let draft = |way: &Way| drafted(sources, candidate, shown, shown_for, subject, nearness, abilities, *way);
    ways.iter().filter_map(draft).collect()
}

/// How what is looked at is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Once,
    /// Lines end as where the test runs.
    WithLineSeparators,
    Repeated(Calls),
}

#[expect(clippy::too_many_arguments, reason = "what was shown, and how it is written")]
fn drafted(
    sources: &[TestSource],
    candidate: &Candidate,
    shown: &Shown,
    shown_for: &BTreeSet<TransformationId>,
    subject: &str,
    nearness: usize,
    abilities: Abilities,
    way: Way,
) -> Option<Draft> {
    let source = sources.get(candidate.source)?;
    let method = source.methods.get(candidate.method)?;
    let probe = candidate.probes.get(shown.probe)?;
    let style = Style::of(source, method);
    let is_new = matches!(candidate.shape, Shape::New { .. });
    let (mut asserted, code) = match &shown.expected {
        // What it printed is looked at where it ends.
        Expected::Throws { .. } if matches!(probe.look.about, About::Printed { .. }) => return None,
        Expected::Throws { .. } if way == Way::WithLineSeparators => return None,
        Expected::Throws { class, message } => {
            let says = format!("{} throws {}", probe.look.executed(), short_class(class));
            (throwing(&style, &probe.look, class, message.as_deref(), abilities, is_new)?, says)
        }
        // That two calls give two objects is hardly meant.
        expected if matches!(probe.look.about, About::Same { .. }) && *expected != Expected::Bool(true) => return None,
        // That it has ended says nothing.
        _ if probe.look.is_end() => return None,
        Expected::Varied { is_boolean, above } => {
            let Way::Repeated(calls) = way else { return None };
            let Shape::New { lines, .. } = &candidate.shape else { return None };
            let asserted = repeating(&style, lines, &probe.look.expression, (*is_boolean, *above), calls)?;
            let code = asserted.code.lines().last().unwrap_or_default().to_owned();
            (asserted, code)
        }
        expected => {
            let separated = with_line_separators(expected);
            let expected = if way == Way::WithLineSeparators { separated.as_ref()? } else { expected };
            let mut asserted = assertion(&style, &probe.look.expression, expected);
            let code = asserted.code.clone();
            let lines = probe.look.before.iter().chain(&probe.look.act);
            let lines = lines.chain([&code]).map(|line| line.replace('\t', &style.indent));
            asserted.code = lines.collect::<Vec<String>>().join("\n");
            (asserted, code)
        }
    };
    asserted.imports.extend(probe.look.imports.iter().cloned());
    let relevance = match &probe.look.about {
        About::Result { method } | About::Same { method } if method == subject => 0,
        About::Printed { by } if by == subject => 0,
        About::Equality { .. } | About::Told { .. } => 0,
        About::Printed { .. } | About::Result { .. } | About::Same { .. } => 1,
    };
    // What nobody has told a mock is a `null` that nobody means.
    let is_untold = matches!(&shown.expected, Expected::Equal { source, .. } if source.contains("null"))
        && probe.look.before.iter().any(|line| line.contains("mock("));
    let weakness = shown.expected.weakness() + u8::from(is_untold);
    // What nobody has meant is worse than a way round.
    let relevance = if shown.expected.is_accidental() { LAST_RESORT } else { relevance };
    let length = probe.look.expression.len() + usize::from(way == Way::WithLineSeparators);
    let before = match &candidate.shape {
        Shape::Copy => source.text.get(method.body.0..probe.behind).unwrap_or_default().to_owned(),
        Shape::New { lines, .. } => lines.join("\n"),
    };
    let own = probe.look.before.iter().chain(&probe.look.act).map(String::as_str);
    let before = std::iter::once(before.as_str()).chain(own).collect::<Vec<&str>>().join("\n");
    let strange = broken(&before, &probe.look.expression, &shown.expected);
    let draft = |placed: Placed, form: usize, lines: usize| Draft {
        group: shown.group,
        technique: probe.technique,
        source: candidate.source,
        method: candidate.method,
        is_new,
        edits: placed.edits,
        imports: placed.imports,
        alone: placed.alone,
        test: placed.test,
        code: code.clone(),
        shown_for: shown_for.clone(),
        given: probe.look.before.clone(),
        strange,
        rank: (relevance, weakness, form, lines, nearness, probe.look.rank * 100 + length, code),
    };
    Some(match &candidate.shape {
        Shape::Copy => {
            let form = if probe.statements_left == 0 { 1 } else { 2 };
            draft(in_test(source, method, probe, &asserted), form, probe.statements_left)
        }
        Shape::New { lines, throws, last_call } => {
            let placed = new_test(
                source,
                method,
                &style,
                lines,
                throws,
                last_call.as_deref(),
                probe,
                &asserted,
                &shown.expected,
            );
            let count = placed.lines;
            draft(placed, if count <= SHORT_TEST { 0 } else { 3 }, count)
        }
    })
}

/// What it says of a text of a few lines, with the line separator of the machine for each of their ends.
fn with_line_separators(expected: &Expected) -> Option<Expected> {
    let Expected::Equal { source, type_name } = expected else { return None };
    let text = source.strip_prefix('"')?.strip_suffix('"')?;
    // A backslash that was meant takes the one behind it with it.
    let parts: Vec<&str> = text.split("\\n").collect();
    let are_ends = parts.iter().all(|part| part.len() == part.trim_end_matches('\\').len());
    (are_ends && (2..=SEPARATORS + 1).contains(&parts.len())).then_some(())?;
    let mut sum: Vec<String> = Vec::new();
    for (number, part) in parts.iter().enumerate() {
        sum.extend((number > 0).then(|| "System.lineSeparator()".to_owned()));
        sum.extend((!part.is_empty()).then(|| format!("\"{part}\"")));
    }
    Some(Expected::Equal { source: sum.join(" + "), type_name: type_name.clone() })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::fix::candidate::Probe;
    use crate::fix::edit::apply;
    use crate::fix::techniques::Look;
    use std::path::Path;

    #[test]
    fn lines_of_a_text_end_as_the_machine_has_it() {
        let text =
            |source: &str| Expected::Equal { source: source.to_owned(), type_name: "java.lang.String".to_owned() };
        let separated = |source: &str| match with_line_separators(&text(source)) {
            Some(Expected::Equal { source, .. }) => Some(source),
            _ => None,
        };
        assert_eq!(separated(r#""a\n""#).as_deref(), Some(r#""a" + System.lineSeparator()"#));
        assert_eq!(
            separated(r#""a\n\nb""#).as_deref(),
            Some(r#""a" + System.lineSeparator() + System.lineSeparator() + "b""#)
        );
        assert_eq!(separated(r#""a\nb\nc\n""#), None, "nobody would read that");
        assert_eq!(separated(r#""a\\n""#), None, "a backslash and an n");
        assert_eq!((separated(r#""a""#), separated("'\\n'")), (None, None));
    }

    fn source(text: &str) -> Vec<TestSource> {
        vec![TestSource::of(Path::new("T.java"), text.to_owned()).unwrap()]
    }

    fn patched(text: &str, draft: &Draft) -> String {
        apply(text, &draft.edits).unwrap()
    }

    const SET: &str = "import static org.junit.Assert.assertTrue;

import org.junit.Test;

public class SetTest {
    @Test
    public void adds() {
        Set set = new Set();
        set.add(\"a\"); // once
        assertTrue(set.contains(\"a\"));
    }
}
";

    fn shown(shape: Shape, behind: usize) -> (String, Draft) {
        let sources = source(SET);
        let look = Look::accessor("set", "isEmpty", 0);
        let probe = Probe { technique: "call-here", look, behind, statements_left: 0 };
        let candidate = Candidate { source: 0, method: 0, shape, probes: vec![probe], repeat: None };
        let shown = Shown {
            group: 0,
            candidate: 0,
            probe: 0,
            transformation: TransformationId(0),
            expected: Expected::Bool(false),
        };
        let draft =
            of_shown(&sources, &candidate, &shown, &BTreeSet::new(), "isEmpty", 0, Abilities::default()).remove(0);
        (patched(SET, &draft), draft)
    }

    #[test]
    fn an_assertion_goes_behind_its_statement_and_brings_its_import() {
        let behind = SET.find(" // once").unwrap();
        let (text, draft) = shown(Shape::Copy, behind);
        assert!(text.contains("// once\n        assertFalse(set.isEmpty());\n        assertTrue(set"), "{text}");
        assert!(
            text.starts_with("import static org.junit.Assert.assertFalse;\nimport static org.junit.Assert.assertTrue;")
        );
        assert_eq!(draft.alone.0, "@Test\n    public void ");
        assert!(
            draft.alone.1.starts_with("() {\n        Set set") && draft.alone.1.contains("assertFalse(set.isEmpty());")
        );
    }

    #[test]
    fn a_new_test_stands_behind_the_one_that_it_is_made_of() {
        let lines = vec!["Set set = new Set();".to_owned(), "set.add(\"a\");".to_owned()];
        let (text, draft) = shown(Shape::New { lines, throws: String::new(), last_call: Some("add".into()) }, 0);
        let test = "    }\n\n    @Test\n    public void isEmptyIsFalseAfterAdd() {\n        Set set = new Set();\n        \
                    set.add(\"a\");\n        assertFalse(set.isEmpty());\n    }\n}\n";
        assert!(text.ends_with(test), "{text}");
        assert_eq!(draft.alone.1.trim_start_matches("()").trim().chars().next(), Some('{'));
    }
}
