//! Drafts: the assertion that a witness leads to, in its place, and its rank among all drafts.

use crate::base::id::TransformationId;
use crate::fix::candidate::{Candidate, Probe, Shape};
use crate::fix::edit::Edit;
use crate::fix::expected::Expected;
use crate::fix::look::About;
use crate::fix::outcome::ON_NO_PURPOSE;
use crate::fix::source::imports::NewImport;
use crate::fix::source::style::Style;
use crate::fix::source::test_source::{TestMethod, TestSource};
use crate::fix::source::test_sources::{Place, TestSources};
use crate::fix::trial::exploration::Witness;
use crate::fix::write::assertion::{Assertion, assertion};
use crate::fix::write::exception::{Abilities, throwing};
use crate::fix::write::placement::{Declaration, NewTest, in_test};
use crate::fix::write::promise::broken;
use crate::fix::write::repetition::{Calls, repeating};
use crate::fix::write::value_source;
use crate::text::encoding::SourceForm;
use crate::text::words::short_class;
use std::collections::BTreeSet;

/// Most lines of a new test that is preferred to a line in an existing test. An opening brace on a
/// line of its own does not count.
const SHORT_TEST: usize = 6;
/// Most line separators in one expected text.
const SEPARATORS: usize = 2;

/// New code for a test source, not proven yet.
#[derive(Clone, Debug)]
pub struct Draft {
    /// Index of the method's group.
    pub group: usize,
    pub technique: &'static str,
    /// The test in which the code stands, or next to which a new test stands.
    pub place: Place,
    pub is_new: bool,
    /// Edits of the source as it is.
    pub edits: Vec<Edit>,
    /// The imports among the edits.
    pub imports: Vec<NewImport>,
    /// The test with the new code.
    pub declaration: Declaration,
    /// Name of that test.
    pub test: String,
    /// The assertion.
    pub code: String,
    /// The statements that prepare the assertion.
    pub given: Vec<String>,
    /// Whether the new code does something before it asserts, which later code in the test may see.
    pub acts: bool,
    /// Transformations that it may close.
    pub shown_for: BTreeSet<TransformationId>,
    /// A remark on an asserted value that contradicts the names: Markdown.
    pub strange: Option<String>,
    pub rank: Rank,
}

/// The order of drafts: the best one is smallest.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rank {
    /// 0 if the assertion is about the method itself, 1 if about another one, [`LAST_RESORT`].
    pub relevance: usize,
    /// [`Expected::weakness`].
    pub weakness: u8,
    /// The way in which it is written, the most readable one first.
    pub form: usize,
    pub lines: usize,
    /// The distance of the test from the method.
    pub distance: usize,
    /// The rank of the expression and its length.
    pub expression_rank: usize,
    /// Breaks ties.
    pub code: String,
}

/// The relevance of drafts that are chosen only if there is nothing else.
pub const LAST_RESORT: usize = 2;

impl Draft {
    /// Whether two drafts change the same existing test, and one may see what the other does there.
    pub fn disturbs(&self, other: &Self) -> bool {
        let is_in_same_test = !self.is_new && !other.is_new && self.place == other.place;
        is_in_same_test && (self.acts || other.acts) && self.edits != other.edits
    }

    /// Escapes the characters that the compiler does not read as they are from a source of this form.
    pub fn escape(&mut self, form: SourceForm) {
        self.edits.iter_mut().for_each(|edit| edit.text = form.escaped(&edit.text));
        self.code = form.escaped(&self.code);
        let Declaration { before_name, after_name } = &mut self.declaration;
        (*before_name, *after_name) = (form.escaped(before_name), form.escaped(after_name));
    }

    /// A doubt that no proof can remove.
    pub fn doubt(&self) -> Option<String> {
        (self.rank.relevance == LAST_RESORT).then(|| ON_NO_PURPOSE.to_owned())
    }
}

#[cfg(test)]
impl Draft {
    /// A draft of a new test with this name and body, for unit tests.
    pub fn of_new_test(test: &str, body: &str) -> Self {
        Self {
            group: 0,
            technique: "",
            place: Place { source: 0, position: 0 },
            is_new: true,
            edits: vec![Edit::insert(5, format!("@Test void {test}() {{ {body} }}"))],
            imports: Vec::new(),
            declaration: Declaration { before_name: "@Test void ".into(), after_name: format!("() {{ {body} }}") },
            test: test.into(),
            code: String::new(),
            given: Vec::new(),
            acts: false,
            shown_for: BTreeSet::new(),
            strange: None,
            rank: Rank {
                relevance: 0,
                weakness: 0,
                form: 0,
                lines: 0,
                distance: 0,
                expression_rank: 0,
                code: String::new(),
            },
        }
    }
}

/// The input for the drafts of one witness.
pub struct WitnessDrafts<'a> {
    pub sources: &'a TestSources,
    pub candidate: &'a Candidate,
    pub witness: &'a Witness,
    /// All transformations that the witness shows alike.
    pub transformations: &'a BTreeSet<TransformationId>,
    /// Name of the method under test.
    pub method: &'a str,
    /// The distance of the test from the method.
    pub distance: usize,
    pub abilities: Abilities,
}

/// A way to write an assertion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Once,
    /// The end of each line is the line separator of the machine that runs the test.
    WithLineSeparators,
    Repeated(Calls),
}

impl WitnessDrafts<'_> {
    /// The drafts in all forms.
    ///
    /// A repeated call has two: a stream is shorter, but not everything can be done in it. A text
    /// of several lines has two as well, because its line ends may come from the machine or from
    /// the code.
    pub fn all(&self) -> Vec<Draft> {
        let forms: &[Form] = if self.candidate.repeat.is_some() {
            &[Form::Repeated(Calls::Stream), Form::Repeated(Calls::Loop)]
        } else {
            &[Form::Once, Form::WithLineSeparators]
        };
        forms.iter().filter_map(|form| self.draft(*form)).collect()
    }

    fn draft(&self, form: Form) -> Option<Draft> {
        let Self { candidate, witness, .. } = self;
        let (source, method) = self.sources.method(candidate.place)?;
        let probe = candidate.probes.get(witness.probe)?;
        let style = self.sources.style(candidate.place)?;
        let (mut asserted, code) = self.asserted(&style, probe, form)?;
        asserted.imports.extend(probe.look.imports.iter().cloned());
        let (written_as, lines, placement) = match &candidate.shape {
            Shape::Copy => {
                let written_as = if probe.statements_left == 0 { 1 } else { 2 };
                (written_as, probe.statements_left, in_test(source, method, probe, &asserted))
            }
            Shape::New { lines, throws, last_call } => {
                let test = NewTest {
                    source,
                    method,
                    style: &style,
                    lines,
                    throws,
                    last_call: last_call.as_deref(),
                    look: &probe.look,
                    asserted: &asserted,
                    expected: &witness.expected,
                };
                let placement = test.placement();
                let lines = placement.lines - usize::from(style.brace_below);
                (if lines <= SHORT_TEST { 0 } else { 3 }, placement.lines, placement)
            }
        };
        let length = probe.look.expression.len() + usize::from(form == Form::WithLineSeparators);
        let rank = Rank {
            relevance: self.relevance(probe),
            weakness: witness.expected.weakness() + u8::from(self.is_silent_mock(probe)),
            form: written_as,
            lines,
            distance: self.distance,
            expression_rank: probe.look.rank * 100 + length,
            code: code.clone(),
        };
        Some(Draft {
            group: witness.group,
            technique: probe.technique,
            place: candidate.place,
            is_new: candidate.is_new(),
            edits: placement.edits,
            imports: placement.imports,
            declaration: placement.declaration,
            test: placement.test,
            code,
            given: probe.look.before.clone(),
            acts: probe.look.act.is_some() || !probe.look.before.is_empty(),
            shown_for: self.transformations.clone(),
            strange: self.contradiction(source, method, probe),
            rank,
        })
    }

    /// The statements with the assertion, and the assertion alone. `None` if it says nothing, or
    /// not in this form.
    fn asserted(&self, style: &Style, probe: &Probe, form: Form) -> Option<(Assertion, String)> {
        let look = &probe.look;
        match &self.witness.expected {
            // The printed text is asserted only if the call ends normally.
            Expected::Throws { .. } if matches!(look.about, About::Printed { .. }) => None,
            Expected::Throws { .. } if form == Form::WithLineSeparators => None,
            Expected::Throws { class, message } => {
                let code = format!("{} throws {}", look.executed(), short_class(class));
                let is_new = self.candidate.is_new();
                Some((throwing(style, look, class, message.as_deref(), self.abilities, is_new)?, code))
            }
            // That two calls give two different objects is hardly meant.
            expected if matches!(look.about, About::Same { .. }) && *expected != Expected::Bool(true) => None,
            // That a call ends at all is nothing to assert.
            _ if look.is_end() => None,
            Expected::Varied { is_boolean, above } => {
                let Form::Repeated(calls) = form else { return None };
                let Shape::New { lines, .. } = &self.candidate.shape else { return None };
                let asserted = repeating(style, lines, &look.expression, (*is_boolean, *above), calls)?;
                let code = asserted.code.lines().last().unwrap_or_default().to_owned();
                Some((asserted, code))
            }
            expected => {
                let separated = with_line_separators(expected);
                let older = if self.abilities.collection_factories { None } else { Some(in_java_8(expected)?) };
                let expected = older.as_ref().unwrap_or(expected);
                let expected = if form == Form::WithLineSeparators { separated.as_ref()? } else { expected };
                let mut asserted = assertion(style, &look.expression, expected);
                let code = asserted.code.clone();
                let lines = look.before.iter().chain(&look.act).chain([&code]);
                let lines: Vec<String> = lines.map(|line| line.replace('\t', &style.indent)).collect();
                asserted.code = lines.join("\n");
                Some((asserted, code))
            }
        }
    }

    fn relevance(&self, probe: &Probe) -> usize {
        // An exception that nobody meant is worse than an assertion about another method.
        if self.witness.expected.is_accidental() {
            return LAST_RESORT;
        }
        match &probe.look.about {
            About::Result { method } | About::Same { method } | About::Printed { by: method } => {
                usize::from(method != self.method)
            }
            About::Equality { .. } | About::MockCalls { .. } => 0,
        }
    }

    /// Whether the value is `null` only because nobody told a mock what to answer.
    fn is_silent_mock(&self, probe: &Probe) -> bool {
        matches!(&self.witness.expected, Expected::Equal { source, .. } if source.contains("null"))
            && probe.look.before.iter().any(|line| line.contains("mock("))
    }

    fn contradiction(&self, source: &TestSource, method: &TestMethod, probe: &Probe) -> Option<String> {
        let before = match &self.candidate.shape {
            Shape::Copy => source.text.get(method.body.0..probe.behind).unwrap_or_default().to_owned(),
            Shape::New { lines, .. } => lines.join("\n"),
        };
        let own = probe.look.before.iter().chain(&probe.look.act).map(String::as_str);
        let before = std::iter::once(before.as_str()).chain(own).collect::<Vec<&str>>().join("\n");
        broken(&before, &probe.look.expression, &self.witness.expected)
    }
}

/// The same expected value, for a project without `List.of`. `None` if it cannot be written there.
fn in_java_8(expected: &Expected) -> Option<Expected> {
    let Expected::Equal { source, type_name } = expected else { return Some(expected.clone()) };
    Some(Expected::Equal { source: value_source::in_java_8(source)?, type_name: type_name.clone() })
}

/// The same expected text, with the line separator of the machine in place of the end of each line.
///
/// `None` unless it is a text with a few lines.
fn with_line_separators(expected: &Expected) -> Option<Expected> {
    let Expected::Equal { source, type_name } = expected else { return None };
    let text = source.strip_prefix('"')?.strip_suffix('"')?;
    // `\\\\n` is an escaped backslash and an `n`, not the end of a line.
    let parts: Vec<&str> = text.split("\\n").collect();
    let are_ends = parts.iter().all(|part| part.len() == part.trim_end_matches('\\').len() && !part.contains('\n'));
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
    use crate::fix::edit::apply;
    use crate::fix::look::Look;
    use std::path::Path;

    #[test]
    fn line_ends_become_the_line_separator_of_the_machine() {
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
        assert_eq!(separated(r#""a\nb\nc\n""#), None, "three separators are too many to read");
        assert_eq!(separated(r#""a\\n""#), None, "a backslash and an n");
        assert_eq!((separated(r#""a""#), separated("'\\n'")), (None, None));
    }

    fn sources(text: &str) -> TestSources {
        TestSources::from(vec![TestSource::of(Path::new("T.java"), text.to_owned()).unwrap()])
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

    fn drafted(shape: Shape, behind: usize) -> (String, Draft) {
        let sources = sources(SET);
        let look = Look::accessor("set", "isEmpty", 0);
        let probe = Probe { technique: "call-here", look, behind, statements_left: 0 };
        let place = Place { source: 0, position: 0 };
        let candidate = Candidate { place, shape, probes: vec![probe], repeat: None };
        let witness = Witness {
            group: 0,
            candidate: 0,
            probe: 0,
            transformation: TransformationId(0),
            expected: Expected::Bool(false),
        };
        let drafts = WitnessDrafts {
            sources: &sources,
            candidate: &candidate,
            witness: &witness,
            transformations: &BTreeSet::new(),
            method: "isEmpty",
            distance: 0,
            abilities: Abilities::default(),
        };
        let draft = drafts.all().remove(0);
        (patched(SET, &draft), draft)
    }

    #[test]
    fn an_assertion_follows_its_statement_and_brings_its_import() {
        let behind = SET.find(" // once").unwrap();
        let (text, draft) = drafted(Shape::Copy, behind);
        assert!(text.contains("// once\n        assertFalse(set.isEmpty());\n        assertTrue(set"), "{text}");
        assert!(
            text.starts_with("import static org.junit.Assert.assertFalse;\nimport static org.junit.Assert.assertTrue;")
        );
        assert_eq!(draft.declaration.before_name, "@Test\n    public void ");
        assert!(
            draft.declaration.after_name.starts_with("() {\n        Set set")
                && draft.declaration.after_name.contains("assertFalse(set.isEmpty());")
        );
    }

    #[test]
    fn a_new_test_follows_the_test_that_it_is_made_of() {
        let lines = vec!["Set set = new Set();".to_owned(), "set.add(\"a\");".to_owned()];
        let (text, draft) = drafted(Shape::New { lines, throws: String::new(), last_call: Some("add".into()) }, 0);
        let test = "    }\n\n    @Test\n    public void isEmptyIsFalseAfterAdd() {\n        Set set = new Set();\n        \
                    set.add(\"a\");\n        assertFalse(set.isEmpty());\n    }\n}\n";
        assert!(text.ends_with(test), "{text}");
        assert_eq!(draft.declaration.after_name.trim_start_matches("()").trim().chars().next(), Some('{'));
    }
}
