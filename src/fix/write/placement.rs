//! From the lines of an assertion to their place: behind a statement of a test that is there, or in a new test beside it, with all that is imported.

use crate::fix::candidate::Probe;
use crate::fix::edit::Edit;
use crate::fix::source::style::{Needed, Style, import_edits};
use crate::fix::source::test_source::{TestMethod, TestSource};
use crate::fix::write::assertion::{Assertion, Expected};
use crate::fix::write::name::{When, name};
use crate::text::words::{short_class, top_level};

/// What a draft changes.
pub(in crate::fix) struct Placed {
    pub(in crate::fix) edits: Vec<Edit>,
    pub(in crate::fix) alone: (String, String),
    pub(in crate::fix) test: String,
    pub(in crate::fix) lines: usize,
    pub(in crate::fix) imports: Vec<Needed>,
}

/// Right behind a statement of a test that is there.
pub(in crate::fix) fn in_test(source: &TestSource, method: &TestMethod, probe: &Probe, asserted: &Assertion) -> Placed {
    let lines: Vec<String> = asserted.code.lines().map(str::to_owned).collect();
    let edit = source.lines_behind(probe.behind, source.indentation(probe.behind_start(method)), &lines);
    with_edits(source, method, vec![edit], &asserted.imports, lines.len())
}

impl Probe {
    /// Where the statement begins behind which this stands.
    fn behind_start(&self, method: &TestMethod) -> usize {
        let statement = method.statements.iter().find(|statement| statement.end == self.behind);
        statement.map_or(self.behind, |statement| statement.start)
    }
}

/// What these edits make of a method and of the imports.
pub(in crate::fix) fn with_edits(
    source: &TestSource,
    method: &TestMethod,
    edits: Vec<Edit>,
    imports: &[Needed],
    lines: usize,
) -> Placed {
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
    let before = crate::fix::edit::apply(header, &in_header).unwrap_or_default().replace("@Override", "");
    let after = crate::fix::edit::apply(rest, &behind).unwrap_or_default();
    let after = after.get(method.name.len()..).unwrap_or_default().to_owned();
    let mut all = import_edits(source, imports);
    all.extend(edits);
    Placed { edits: all, alone: (before, after), test: method.name.clone(), lines, imports: imports.to_vec() }
}

#[expect(clippy::too_many_arguments, reason = "the parts of a test")]
pub(in crate::fix) fn new_test(
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_checked_exceptions_are_declared() {
        let of = |classes: &[&str]| clause("", &classes.iter().map(|class| (*class).to_owned()).collect::<Vec<_>>()).0;
        assert_eq!(of(&["java.lang.IllegalArgumentException", "java.util.NoSuchElementException"]), "");
        assert_eq!(of(&["java.io.IOException", "java.lang.IllegalStateException"]), "throws IOException");
        assert_eq!(of(&["java.lang.ClassNotFoundException"]), "throws ClassNotFoundException");
    }
}
