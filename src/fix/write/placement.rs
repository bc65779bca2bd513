//! The place of an assertion: after a statement of an existing test, or in a new test, with its
//! imports.

use crate::fix::candidate::Probe;
use crate::fix::edit::{Edit, apply};
use crate::fix::expected::Expected;
use crate::fix::look::{Look, When};
use crate::fix::source::imports::{NewImport, import_edits};
use crate::fix::source::style::Style;
use crate::fix::source::test_source::{TestMethod, TestSource};
use crate::fix::write::assertion::Assertion;
use crate::fix::write::name::test_name;
use crate::text::words::{short_class, top_level};

/// The edits that put an assertion in its place.
pub struct Placement {
    pub edits: Vec<Edit>,
    pub declaration: Declaration,
    /// Name of the test.
    pub test: String,
    /// The number of new lines.
    pub lines: usize,
    pub imports: Vec<NewImport>,
}

/// A whole test with the new code, without its name: a proof runs it under another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declaration {
    pub before_name: String,
    pub after_name: String,
}

/// Places an assertion right after a statement of an existing test.
pub fn in_test(source: &TestSource, method: &TestMethod, probe: &Probe, asserted: &Assertion) -> Placement {
    let lines: Vec<String> = asserted.code.lines().map(str::to_owned).collect();
    let statement = method.statements.iter().find(|statement| statement.end == probe.behind);
    let start = statement.map_or(probe.behind, |statement| statement.start);
    let edit = source.lines_behind(probe.behind, source.indentation(start), &lines);
    with_edits(source, method, vec![edit], &asserted.imports, lines.len())
}

/// The placement that these edits of an existing test make.
pub fn with_edits(
    source: &TestSource,
    method: &TestMethod,
    edits: Vec<Edit>,
    imports: &[NewImport],
    lines: usize,
) -> Placement {
    let whole = source.text.get(method.start..method.end).unwrap_or_default();
    let (header, rest) = whole.split_at(method.name_start.saturating_sub(method.start).min(whole.len()));
    let shifted = |edit: &Edit, by: usize| Edit {
        start: edit.start.saturating_sub(by),
        end: edit.end.saturating_sub(by),
        text: edit.text.clone(),
    };
    let own: Vec<Edit> = edits.iter().map(|edit| shifted(edit, method.start)).collect();
    // Annotations come before the name.
    let (in_header, in_rest): (Vec<Edit>, Vec<Edit>) = own.into_iter().partition(|edit| edit.end <= header.len());
    let in_rest: Vec<Edit> = in_rest.iter().map(|edit| shifted(edit, header.len())).collect();
    let before_name = apply(header, &in_header).unwrap_or_default().replace("@Override", "");
    let rest = apply(rest, &in_rest).unwrap_or_default();
    let after_name = rest.get(method.name.len()..).unwrap_or_default().to_owned();
    let mut all = import_edits(source, imports);
    all.extend(edits);
    Placement {
        edits: all,
        declaration: Declaration { before_name, after_name },
        test: method.name.clone(),
        lines,
        imports: imports.to_vec(),
    }
}

/// A new test for an assertion, next to an existing test.
pub struct NewTest<'a> {
    pub source: &'a TestSource,
    /// The existing test.
    pub method: &'a TestMethod,
    pub style: &'a Style,
    /// The statements that it begins with, and their `throws` clause.
    pub lines: &'a [String],
    pub throws: &'a str,
    /// The last method that these statements call.
    pub last_call: Option<&'a str>,
    pub look: &'a Look,
    pub asserted: &'a Assertion,
    pub expected: &'a Expected,
}

impl NewTest<'_> {
    pub fn placement(&self) -> Placement {
        let Self { source, method, asserted, .. } = self;
        let name = self.name();
        let (throws, thrown) = self.clause();
        let lines = self.declaration(&name, &throws);
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
        let imports: Vec<NewImport> = asserted.imports.iter().chain(&thrown).cloned().collect();
        let mut edits = import_edits(source, &imports);
        edits.push(edit);
        let (before_name, after_name) = text.split_once(&name).unwrap_or((text.as_str(), ""));
        let declaration = Declaration { before_name: before_name.to_owned(), after_name: after_name.to_owned() };
        Placement { edits, declaration, test: name, lines: lines.len(), imports }
    }

    fn name(&self) -> String {
        let when = match (&self.look.when, self.last_call) {
            (When::Always, Some(call)) => When::After(call.to_owned()),
            (When::Always, None) => match self.lines.first().and_then(|line| created(line)) {
                Some(class) => When::New(class),
                None => When::Always,
            },
            (when, _) => when.clone(),
        };
        let methods = self.source.methods.iter().filter(|method| method.in_type == self.method.in_type);
        let taken = |name: &str| methods.clone().any(|method| method.name == name);
        test_name(self.style, &self.look.about, self.expected, &when, taken)
    }

    /// The `throws` clause, and its imports.
    fn clause(&self) -> (String, Vec<NewImport>) {
        // A lambda handles its own exceptions. A stream declares none, but the statements before it
        // may throw.
        let is_lambda = self.asserted.code.contains("() -> ") && !matches!(self.expected, Expected::Varied { .. });
        let declared: &[String] = if is_lambda { &[] } else { &self.look.throws };
        clause(if self.lines.is_empty() { "" } else { self.throws }, declared)
    }

    fn declaration(&self, name: &str, throws: &str) -> Vec<String> {
        let statements = self.lines.iter().chain([&self.asserted.code]);
        let body: Vec<String> = statements.flat_map(|code| code.lines().map(str::to_owned)).collect();
        let mut lines = self.style.test(name, throws, &body);
        if let (Some(class), Some(annotation)) = (&self.asserted.expects, lines.first_mut()) {
            *annotation = annotation.replacen("@Test", &format!("@Test(expected = {class}.class)"), 1);
        }
        lines
    }
}

/// Checked exceptions of `java.lang`. Its other exceptions need not be declared.
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

/// Whether the class is an unchecked exception of one of the most used packages of the JDK, by its
/// name.
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

/// A `throws` clause that also covers these declared exceptions, and its imports.
fn clause(throws: &str, declared: &[String]) -> (String, Vec<NewImport>) {
    let mut checked: Vec<&String> = declared.iter().filter(|class| !is_unchecked(class)).collect();
    checked.sort();
    checked.dedup();
    match checked.as_slice() {
        [] => (throws.to_owned(), Vec::new()),
        [class] if throws.is_empty() => (
            format!("throws {}", short_class(class)),
            vec![NewImport { is_static: false, name: top_level(class).to_owned() }],
        ),
        _ if throws.contains("Exception") && checked.iter().all(|class| throws.contains(&short_class(class))) => {
            (throws.to_owned(), Vec::new())
        }
        _ => ("throws Exception".to_owned(), Vec::new()),
    }
}

/// The class of the object that a declaration creates: `Set` of `Set<String> set = new Set<>();`.
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
