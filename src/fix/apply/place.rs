//! Places a patch in a source as it is now.

use crate::fix::apply::anchor::{Anchor, Compact};
use crate::fix::apply::groups::{Group, groups};
use crate::fix::edit::Edit;
use crate::fix::source::imports::{NewImport, import_edits};
use crate::fix::source::library::is_test;
use crate::fix::source::test_source::{TestMethod, TestSource};
use crate::text::words::short_class;
use std::path::Path;

/// Fewest characters of context, other than white space, by which a place for a new test is known.
const CONTEXT: usize = 12;
/// The same for a place in a test that is known by its name.
const CONTEXT_IN_TEST: usize = 8;

/// A patch to place: its diff, and the test that it adds or changes.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    pub diff: &'a str,
    /// Simple names of class and method: `StackTest.pops`.
    pub test: &'a str,
}

/// The place of a patch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Placing {
    Edits(Vec<Edit>),
    /// The source has it already.
    Present,
    /// There is no place for it, for this reason.
    Nowhere(String),
}

/// A test source with this text. `None` if it cannot be parsed as Java.
#[must_use]
pub fn source(path: &Path, text: String) -> Option<TestSource> {
    TestSource::of(path, text)
}

/// Finds the place of a patch by its context.
#[must_use]
pub fn place(source: &TestSource, asked: Asked<'_>) -> Placing {
    let Some(groups) = groups(asked.diff) else { return Placing::Nowhere("it is no diff".to_owned()) };
    let (class, name) = asked.test.rsplit_once('.').unwrap_or(("", asked.test));
    let is_of_class =
        |method: &&TestMethod| source.types.get(method.in_type).is_some_and(|one| short_class(&one.class) == class);
    let method = source.methods.iter().filter(is_of_class).find(|method| method.name == name);
    let compact = Compact::of(&source.text);
    let is_new = groups.iter().any(|group| group.inserted.contains(&format!("void {name}(")));
    let (imports, code): (Vec<&Group>, Vec<&Group>) = groups.iter().partition(|group| imported(group).is_some());
    let mut edits = import_edits(source, &imports.into_iter().filter_map(imported).flatten().collect::<Vec<_>>());
    match method {
        Some(_) if is_new && code.iter().all(|group| compact.contains(&group.inserted)) => return Placing::Present,
        Some(_) if is_new => return Placing::Nowhere(format!("{class} has a test {name} already")),
        None if !is_new => return Placing::Nowhere(format!("{class} has no test {name} any longer")),
        _ => {}
    }
    let mut present = 0;
    for group in &code {
        let anchor = match method {
            Some(method) => in_test(&compact, group, method),
            None => beside_tests(source, &compact, group, &is_of_class),
        };
        match anchor {
            Some(anchor) if anchor.is_present => present += 1,
            Some(Anchor { start, end, .. }) => edits.push(Edit { start, end, text: group.inserted.clone() }),
            None => return Placing::Nowhere(format!("{} is not as it was, and has no place for it", asked.test)),
        }
    }
    if present == code.len() { Placing::Present } else { Placing::Edits(edits) }
}

/// The imports that a change adds, if it adds nothing else.
fn imported(group: &Group) -> Option<Vec<NewImport>> {
    let mut imports = Vec::new();
    for line in group.inserted.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let name = line.strip_prefix("import ")?.strip_suffix(';')?.trim();
        let (is_static, name) = name.strip_prefix("static ").map_or((false, name), |name| (true, name));
        imports.push(NewImport { is_static, name: name.trim().to_owned() });
    }
    (group.removed.is_empty() && !imports.is_empty()).then_some(imports)
}

/// The place for a change of an existing test.
fn in_test(compact: &Compact<'_>, group: &Group, method: &TestMethod) -> Option<Anchor> {
    let anchor = compact.anchor(group, method.start, method.end)?;
    let whole = group.before.chars().chain(group.after.chars()).filter(|one| !one.is_whitespace()).count();
    (anchor.score >= CONTEXT_IN_TEST.min(whole)).then_some(anchor)
}

/// The place for a new test: by its context, otherwise after the last test of the class.
fn beside_tests<'s>(
    source: &'s TestSource,
    compact: &Compact<'_>,
    group: &Group,
    is_of_class: &dyn Fn(&&'s TestMethod) -> bool,
) -> Option<Anchor> {
    let in_method =
        |anchor: &Anchor| source.methods.iter().any(|method| method.start < anchor.start && anchor.start < method.end);
    let by_context = compact.anchor(group, 0, source.text.len());
    if let Some(anchor) = by_context.filter(|anchor| anchor.score >= CONTEXT && !in_method(anchor)) {
        return Some(anchor);
    }
    let last = source.methods.iter().filter(is_of_class).filter(|method| is_test(method)).last()?;
    let end = source.line_end(last.end);
    let is_last_on_line = source.text.get(last.end..end).is_some_and(|rest| rest.trim().is_empty());
    let start = if is_last_on_line { end } else { last.end };
    Some(Anchor { start, end: start, score: 0, is_present: false })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic)]
mod tests {
    use super::*;
    use crate::fix::edit::{apply, diff};

    const TEXT: &str = "package a;

import static org.junit.Assert.assertTrue;

import org.junit.Test;

public class SetTest {
    @Test
    public void adds() {
        Set set = new Set();
        set.add(\"a\");
        assertTrue(set.contains(\"a\"));
    }
}
";

    fn source(text: &str) -> TestSource {
        TestSource::of(Path::new("SetTest.java"), text.to_owned()).unwrap()
    }

    /// The text after a patch that was made for [`TEXT`].
    fn patched(text: &str, changed: &str, test: &str) -> std::result::Result<String, Placing> {
        let diff = diff("SetTest.java", TEXT, changed);
        match place(&source(text), Asked { diff: &diff, test }) {
            Placing::Edits(edits) => Ok(apply(text, &edits).unwrap()),
            other => Err(other),
        }
    }

    fn with_assertion(text: &str) -> String {
        text.replace("set.add(\"a\");\n", "set.add(\"a\");\n        assertFalse(set.isEmpty());\n")
            .replace("import static org", "import static org.junit.Assert.assertFalse;\nimport static org")
    }

    fn with_test(text: &str, name: &str) -> String {
        let test = format!("    }}\n\n    @Test\n    public void {name}() {{\n        new Set();\n    }}\n}}\n");
        text.replace("    }\n}\n", &test)
    }

    #[test]
    fn a_source_as_it_was_gets_exactly_the_patch() {
        assert_eq!(patched(TEXT, &with_assertion(TEXT), "SetTest.adds").unwrap(), with_assertion(TEXT));
        assert_eq!(patched(TEXT, &with_test(TEXT, "b"), "SetTest.b").unwrap(), with_test(TEXT, "b"));
    }

    #[test]
    fn an_edit_elsewhere_or_beside_is_no_obstacle() {
        let edited = [
            TEXT.replace("package a;\n", "package a;\n\n// by hand\n"),
            TEXT.replace("        assertTrue(set", "        set.add(\"b\");\n        assertTrue(set"),
            TEXT.replace("import org.junit.Test;\n", "import java.util.List;\nimport org.junit.Test;\n"),
            TEXT.replace("    public void adds() {", "    public void adds()\n    {"),
            TEXT.replace("    ", "\t"),
            with_test(TEXT, "other"),
            with_test(TEXT, "after")
                .replace("public void adds", "public void first")
                .replace("public void after", "public void adds"),
        ];
        for text in edited.iter().take(6) {
            let patched = patched(text, &with_assertion(TEXT), "SetTest.adds").unwrap();
            assert_eq!(patched.matches("assertFalse;").count(), 1, "{patched}");
            let flat = patched.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(flat.contains("set.add(\"a\"); assertFalse(set.isEmpty());"), "{patched}");
        }
        for text in &edited {
            let patched = patched(text, &with_test(TEXT, "b"), "SetTest.b").unwrap();
            let methods: Vec<String> = source(&patched).methods.into_iter().map(|method| method.name).collect();
            assert!(methods.contains(&"b".to_owned()) && !patched.contains("\n}\n}"), "{patched}");
        }
    }

    #[test]
    fn a_patch_that_is_there_or_has_no_place_is_told() {
        assert_eq!(patched(&with_assertion(TEXT), &with_assertion(TEXT), "SetTest.adds"), Err(Placing::Present));
        assert_eq!(patched(&with_test(TEXT, "b"), &with_test(TEXT, "b"), "SetTest.b"), Err(Placing::Present));
        let renamed = TEXT.replace("adds", "puts");
        let Err(Placing::Nowhere(why)) = patched(&renamed, &with_assertion(TEXT), "SetTest.adds") else { panic!() };
        assert_eq!(why, "SetTest has no test adds any longer");
        let Err(Placing::Nowhere(why)) =
            patched(&with_test(TEXT, "b").replace("new Set();\n    }\n}", "}\n}"), &with_test(TEXT, "b"), "SetTest.b")
        else {
            panic!()
        };
        assert_eq!(why, "SetTest has a test b already");
    }
}
