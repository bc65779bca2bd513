//! From an expression that tells the two sides apart to drafts: the new lines, their place, and what has to be imported.

use super::assertion::{Assertion, Expected, assertion};
use super::candidate::{Candidate, Probe, Shape};
use super::edit::Edit;
use super::explore::Shown;
use super::name::{About, When, name};
use super::promise::broken;
use super::repeat::{Calls, repeating};
use super::source::{TestMethod, TestSource};
use super::style::{Needed, Style, import_edits};
use super::throwing::{Abilities, throwing};
use crate::suggest::words::{short_class, top_level};
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
    pub shown_for: BTreeSet<usize>,
    /// What is strange about what it asserts: Markdown.
    pub strange: Option<String>,
    /// Smaller is better.
    pub rank: Rank,
}

/// First part of the rank of what is taken only where there is nothing else.
pub const LAST_RESORT: usize = 2;

impl Draft {
    /// Whether it says how lines end.
    #[must_use]
    pub fn has_line_ends(&self) -> bool {
        self.code.contains("\\n")
    }

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
    shown_for: &BTreeSet<usize>,
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
    shown_for: &BTreeSet<usize>,
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

struct Placed {
    edits: Vec<Edit>,
    alone: (String, String),
    test: String,
    lines: usize,
    imports: Vec<Needed>,
}

/// Right behind a statement of a test that is there.
fn in_test(source: &TestSource, method: &TestMethod, probe: &Probe, asserted: &Assertion) -> Placed {
    let lines: Vec<String> = asserted.code.lines().map(str::to_owned).collect();
    let edit = source.lines_behind(probe.behind, source.indentation(probe.behind_start(source, method)), &lines);
    with_edits(source, method, vec![edit], &asserted.imports, lines.len())
}

impl Probe {
    /// Where the statement begins behind which this stands.
    fn behind_start(&self, _: &TestSource, method: &TestMethod) -> usize {
        let statement = method.statements.iter().find(|statement| statement.end == self.behind);
        statement.map_or(self.behind, |statement| statement.start)
    }
}

/// What these edits make of a method and of the imports.
fn with_edits(source: &TestSource, method: &TestMethod, edits: Vec<Edit>, imports: &[Needed], lines: usize) -> Placed {
    let whole = source.text.get(method.start..method.end).unwrap_or_default();
    let own: Vec<Edit> = edits
        .iter()
        .map(|edit| Edit {
            start: edit.start.saturating_sub(method.start),
            end: edit.end.saturating_sub(method.start),
            text: edit.text.clone(),
        })
        .collect();
    let (header, rest) = whole.split_at(method.name_start.saturating_sub(method.start).min(whole.len()));
    // Edits of the annotations come before the name.
    let (in_header, behind): (Vec<Edit>, Vec<Edit>) = own.into_iter().partition(|edit| edit.end <= header.len());
    let behind: Vec<Edit> = behind
        .into_iter()
        .map(|edit| Edit { start: edit.start - header.len(), end: edit.end - header.len(), text: edit.text })
        .collect();
    let before = super::edit::apply(header, &in_header).unwrap_or_default().replace("@Override", "");
    let after = super::edit::apply(rest, &behind).unwrap_or_default();
    let after = after.get(method.name.len()..).unwrap_or_default().to_owned();
    let mut all = import_edits(source, imports);
    all.extend(edits);
    Placed { edits: all, alone: (before, after), test: method.name.clone(), lines, imports: imports.to_vec() }
}

#[expect(clippy::too_many_arguments, reason = "the parts of a test")]
fn new_test(
    source: &TestSource,
    method: &TestMethod,
    style: &Style,
    prefix: &[String],
    throws: &str,
    last_call: Option<&str>,
    probe: &Probe,
    asserted: &Assertion,
    expected: &Expected,
) -> Placed {
    let when = match (&probe.look.when, last_call) {
        (When::Always, Some(call)) => When::After(call.to_owned()),
        (When::Always, None) => match prefix.first().and_then(|line| created(line)) {
            Some(class) => When::New(class),
            None => When::Always,
        },
        (when, _) => when.clone(),
    };
    let taken = |name: &str| source.methods.iter().any(|one| one.in_type == method.in_type && one.name == name);
    let test = name(style, &probe.look.about, expected, &when, taken);
    let mut body: Vec<String> = prefix.to_vec();
    body.push(asserted.code.clone());
    let body: Vec<String> = body.iter().flat_map(|line| line.lines().map(str::to_owned).collect::<Vec<_>>()).collect();
    // A lambda throws for itself; of calls in a stream nothing is declared, and what comes before it may be.
    let is_lambda = asserted.code.contains("() -> ") && !matches!(expected, Expected::Varied { .. });
    let declared: &[String] = if is_lambda { &[] } else { &probe.look.throws };
    let (throws, thrown) = clause(if prefix.is_empty() { "" } else { throws }, declared);
    let mut lines = style.test(&test, &throws, &body);
    if let (Some(class), Some(annotation)) = (&asserted.expects, lines.first_mut()) {
        *annotation = annotation.replacen("@Test", &format!("@Test(expected = {class}.class)"), 1);
    }
    let newline = source.newline();
    let indentation = source.indentation(method.start);
    let text: String = lines.iter().map(|line| format!("{indentation}{line}{newline}")).collect();
    let end = source.line_end(method.end);
    let is_last_on_line = source.text.get(method.end..end).is_some_and(|rest| rest.trim().is_empty());
    let edit = if is_last_on_line {
        Edit::insert(end, format!("{newline}{text}"))
    } else {
        Edit::insert(method.end, format!("{newline}{newline}{}", text.trim_end_matches(['\r', '\n'])))
    };
    let imports: Vec<Needed> = asserted.imports.iter().chain(&thrown).cloned().collect();
    let mut edits = import_edits(source, &imports);
    edits.push(edit);
    let (before, after) = text.split_once(&test).unwrap_or((text.as_str(), ""));
    Placed { edits, alone: (before.to_owned(), after.to_owned()), test, lines: lines.len(), imports }
}

/// Checked exceptions of `java.lang`; the others there need not be declared.
const CHECKED: [&str; 10] = [
    "Throwable",
    "Exception",
    "ReflectiveOperationException",
    "ClassNotFoundException",
    "CloneNotSupportedException",
    "IllegalAccessException",
    "InstantiationException",
    "InterruptedException",
    "NoSuchFieldException",
    "NoSuchMethodException",
];

/// As far as the name tells: what the JDK's most used packages do not want declared.
fn is_unchecked(class: &str) -> bool {
    let unchecked = [
        "java.util.NoSuchElementException",
        "java.util.ConcurrentModificationException",
        "java.util.regex.PatternSyntaxException",
        "java.io.UncheckedIOException",
        "java.time.DateTimeException",
    ];
    class.strip_prefix("java.lang.").is_some_and(|name| !name.contains('.') && !CHECKED.contains(&name))
        || unchecked.contains(&class)
}

/// A `throws` clause that covers what is called, too, and what it needs imported.
fn clause(throws: &str, declared: &[String]) -> (String, Vec<Needed>) {
    let mut checked: Vec<&String> = declared.iter().filter(|class| !is_unchecked(class)).collect();
    checked.sort();
    checked.dedup();
    match checked.as_slice() {
        [] => (throws.to_owned(), Vec::new()),
        [class] if throws.is_empty() => (
            format!("throws {}", short_class(class)),
            vec![Needed { is_static: false, name: top_level(class).to_owned() }],
        ),
        _ if throws.contains("Exception") && checked.iter().all(|class| throws.contains(&short_class(class))) => {
            (throws.to_owned(), Vec::new())
        }
        _ => ("throws Exception".to_owned(), Vec::new()),
    }
}

/// The class of the object that a declaration creates.
fn created(line: &str) -> Option<String> {
    let (_, rest) = line.split_once("= new ")?;
    let class: String =
        rest.chars().take_while(|character| character.is_alphanumeric() || matches!(character, '_' | '.')).collect();
    class.rsplit('.').next().filter(|name| !name.is_empty()).map(str::to_owned)
}

/// An exception whose message nobody reads.
pub struct Message<'a> {
    pub group: usize,
    pub source: usize,
    /// Byte of the name of the variable that a catch clause declares, or of the test that it leaves.
    pub byte: usize,
    /// Name of that variable; `None` where the exception leaves the test.
    pub variable: Option<&'a str>,
    /// As Java source.
    pub text: &'a str,
    pub shown_for: BTreeSet<usize>,
}

/// Drafts that assert the message of an exception that a test sees.
#[must_use]
pub fn of_message(sources: &[TestSource], message: &Message<'_>) -> Vec<Draft> {
    let of_source = || {
        let source = sources.get(message.source)?;
        let index = source.method_at(message.byte)?;
        Some((source, index, source.methods.get(index)?))
    };
    let Some((source, index, method)) = of_source() else { return Vec::new() };
    let style = Style::of(source, method);
    let expected = Expected::Equal { source: message.text.to_owned(), type_name: "java.lang.String".to_owned() };
    let placed: Vec<(Placed, Assertion)> = match message.variable {
        Some(variable) => {
            let asserted = assertion(&style, &format!("{variable}.getMessage()"), &expected);
            let edit = source.catch_block(message.byte).map(|block| at_end(source, block, &style, &asserted.code));
            edit.map(|edit| (with_edits(source, method, vec![edit], &asserted.imports, 1), asserted))
                .into_iter()
                .collect()
        }
        None => leaving(source, method, &style, message.text, &expected),
    };
    let draft = |(rank, (placed, asserted)): (usize, (Placed, Assertion))| Draft {
        group: message.group,
        technique: super::MESSAGE,
        source: message.source,
        method: index,
        is_new: false,
        edits: placed.edits,
        imports: placed.imports,
        alone: placed.alone,
        test: placed.test,
        rank: (0, 0, rank, placed.lines, 0, 0, asserted.code.clone()),
        code: asserted.code,
        given: Vec::new(),
        strange: None,
        shown_for: message.shown_for.clone(),
    };
    placed.into_iter().enumerate().map(draft).collect()
}

/// As the last statement of a block.
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
) -> Vec<(Placed, Assertion)> {
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

/// `@Test(expected = X.class)` says nothing of the message: the last statement is caught instead.
fn expected_by_annotation(
    source: &TestSource,
    method: &TestMethod,
    style: &Style,
    expected: &Expected,
) -> Option<Vec<(Placed, Assertion)>> {
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
    let class_in_owner = style.assertions.clone().unwrap_or_else(|| "org.junit.Assert".to_owned());
    let import = |name: &str| Needed { is_static: true, name: format!("{class_in_owner}.{name}") };
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

    #[test]
    fn only_checked_exceptions_are_declared() {
        let of = |classes: &[&str]| clause("", &classes.iter().map(|class| (*class).to_owned()).collect::<Vec<_>>()).0;
        assert_eq!(of(&["java.lang.IllegalArgumentException", "java.util.NoSuchElementException"]), "");
        assert_eq!(of(&["java.io.IOException", "java.lang.IllegalStateException"]), "throws IOException");
        assert_eq!(of(&["java.lang.ClassNotFoundException"]), "throws ClassNotFoundException");
    }

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

    use crate::fix::edit::apply;
    use crate::fix::techniques::Look;
    use std::path::Path;

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
        let shown = Shown { group: 0, candidate: 0, probe: 0, transformation: 0, expected: Expected::Bool(false) };
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

    fn message(text: &str, needle: &str, variable: Option<&str>) -> Vec<String> {
        let sources = source(text);
        let byte = text.find(needle).unwrap();
        let message = Message { group: 0, source: 0, byte, variable, text: "\"no\"", shown_for: BTreeSet::new() };
        of_message(&sources, &message).iter().map(|draft| patched(text, draft)).collect()
    }

    #[test]
    fn the_message_of_an_exception_is_asserted_where_it_is_caught() {
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
    fn an_exception_that_leaves_the_test_is_expected_with_its_message() {
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
