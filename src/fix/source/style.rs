//! From a test source to how its authors write: framework, assertions, names, spaces, and where imports go.

use crate::fix::edit::Edit;
use crate::fix::source::test_source::{Import, TestMethod, TestSource};

/// What makes a method of this class a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framework {
    /// By its name.
    JUnit3,
    /// By an annotation called `Test`.
    Annotated,
}

/// Whose assertions the class uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Library {
    /// Expected value first: JUnit 3, 4, 5.
    JUnit,
    /// Actual value first.
    TestNG,
    /// `assertThat(x).isEqualTo(y)`: AssertJ, Truth.
    Fluent,
    /// `assertThat(x, is(y))`
    Hamcrest,
}

/// How a test class is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Style {
    pub framework: Framework,
    /// JUnit 5 or later.
    pub is_jupiter: bool,
    pub library: Library,
    /// Class that has the assertions, for imports; `None` where they are inherited.
    pub assertions: Option<String>,
    /// `Assert.`, where the class writes that.
    pub qualifier: String,
    /// `Mockito.`, where the class writes that.
    pub mockito: String,
    /// `( x )` rather than `(x)`.
    pub padded: bool,
    /// An opening brace has a line of its own.
    pub brace_below: bool,
    /// The annotation stands in front of the method, on its line.
    pub annotation_in_line: bool,
    /// Names of tests begin with `test`.
    pub prefixed: bool,
    pub snake_case: bool,
    /// `public`, or nothing.
    pub modifiers: String,
    /// One level.
    pub indent: String,
}

/// Classes that have JUnit's assertions, by what a source imports of them.
const JUNIT: [&str; 3] = ["org.junit.jupiter.api.Assertions", "org.junit.Assert", "junit.framework.Assert"];
const FLUENT: [&str; 4] = [
    "org.assertj.core.api.Assertions",
    "org.assertj.core.api.AssertionsForClassTypes",
    "com.google.common.truth.Truth",
    "org.fest.assertions.Assertions",
];
const HAMCREST: [&str; 3] = ["org.hamcrest.MatcherAssert", "org.hamcrest.CoreMatchers", "org.hamcrest.Matchers"];
const TESTNG: [&str; 1] = ["org.testng.Assert"];

impl Style {
    /// Of the class that has `method`, a test.
    #[must_use]
    pub fn of(source: &TestSource, method: &TestMethod) -> Self {
        source.styles.borrow_mut().entry(method.start).or_insert_with(|| Self::read(source, method)).clone()
    }

    fn read(source: &TestSource, method: &TestMethod) -> Self {
        let text = source.text.as_str();
        let annotated =
            method.modifiers.contains('@') || source.methods.iter().any(|one| one.modifiers.contains("@Test"));
        let framework = if annotated { Framework::Annotated } else { Framework::JUnit3 };
        let imported = |classes: &[&str]| {
            let of = |class: &&str| source.imports.iter().any(|import| import.is_of(class));
            classes.iter().find(|class| of(class)).map(|class| (*class).to_owned())
        };
        let code = text.get(source.imports.last().map_or(0, |import| import.end)..).unwrap_or_default();
        let uses = |name: &str| code.matches(name).count();
        let plain = uses("assertEquals(")
            + uses("assertTrue(")
            + uses("assertFalse(")
            + uses("assertNull(")
            + uses("assertNotNull(");
        let that = uses("assertThat(");
        let jupiter = source.imports.iter().any(|import| import.name.starts_with("org.junit.jupiter"));
        let (library, assertions) = if let Some(class) = imported(&FLUENT).filter(|_| that > plain) {
            (Library::Fluent, Some(class))
        } else if imported(&HAMCREST).is_some() && that > plain {
            (Library::Hamcrest, None)
        } else if let Some(class) = imported(&TESTNG) {
            (Library::TestNG, Some(class))
        } else if framework == Framework::JUnit3 {
            (Library::JUnit, None)
        } else {
            let usual = if jupiter { JUNIT[0] } else { JUNIT[1] };
            (Library::JUnit, Some(imported(&JUNIT).unwrap_or_else(|| usual.to_owned())))
        };
        // `Assert.assertTrue(…)` all over the place.
        let simple = assertions.as_deref().and_then(|class| class.rsplit('.').next()).unwrap_or_default();
        let qualified = format!("{simple}.assert");
        let qualifier = if !simple.is_empty() && uses(&qualified) > 0 && uses(&qualified) * 2 > plain + that {
            format!("{simple}.")
        } else {
            String::new()
        };
        let in_type = |one: &&TestMethod| one.in_type == method.in_type;
        let tests: Vec<&TestMethod> =
            source.methods.iter().filter(in_type).filter(|one| is_test(one, framework)).collect();
        let count =
            |what: &dyn Fn(&&TestMethod) -> bool| tests.iter().filter(|one| what(one)).count() * 2 > tests.len();
        let header = |one: &TestMethod| text.get(one.start..one.body.0).unwrap_or_default().to_owned();
        Self {
            framework,
            is_jupiter: jupiter,
            library,
            assertions,
            qualifier,
            mockito: if uses("Mockito.verify(") + uses("Mockito.mock(") > 0 {
                "Mockito.".to_owned()
            } else {
                String::new()
            },
            padded: uses("( ") * 2 > code.matches('(').count() - uses("()"),
            brace_below: count(&|one| {
                header(one).trim_end_matches('{').ends_with([' ', '\t', '\n']) && {
                    let header = header(one);
                    let before = header.trim_end_matches('{');
                    before.rsplit('\n').next().is_some_and(|line| line.trim().is_empty())
                }
            }),
            annotation_in_line: framework == Framework::Annotated
                && count(&|one| !header(one).trim_end_matches('{').trim().contains('\n')),
            prefixed: framework == Framework::JUnit3 || count(&|one| one.name.starts_with("test")),
            snake_case: count(&|one| one.name.contains('_')),
            modifiers: if framework == Framework::JUnit3
                || count(&|one| one.modifiers.split_whitespace().any(|word| word == "public"))
            {
                "public ".to_owned()
            } else {
                String::new()
            },
            indent: indent(source, method),
        }
    }

    /// `name(arguments)`, with the spaces that the class puts inside of parentheses.
    #[must_use]
    pub fn call(&self, name: &str, arguments: &[&str]) -> String {
        let arguments = arguments.join(", ");
        match (self.padded, arguments.is_empty()) {
            (_, true) => format!("{name}()"),
            (true, false) => format!("{name}( {arguments} )"),
            (false, false) => format!("{name}({arguments})"),
        }
    }

    /// The lines of a new test, without indentation of the class; `throws` is a clause or empty.
    #[must_use]
    pub fn test(&self, name: &str, throws: &str, body: &[String]) -> Vec<String> {
        let throws = if throws.is_empty() { String::new() } else { format!(" {throws}") };
        let header = format!("{}void {name}(){throws}", self.modifiers);
        let mut lines = Vec::new();
        let header = match (self.framework, self.annotation_in_line) {
            (Framework::Annotated, true) => format!("@Test {header}"),
            (Framework::Annotated, false) => {
                lines.push("@Test".to_owned());
                header
            }
            (Framework::JUnit3, _) => header,
        };
        if self.brace_below {
            lines.extend([header, "{".to_owned()]);
        } else {
            lines.push(format!("{header} {{"));
        }
        lines.extend(body.iter().map(|line| format!("{}{line}", self.indent)));
        lines.push("}".to_owned());
        lines
    }
}

fn is_test(method: &TestMethod, framework: Framework) -> bool {
    match framework {
        Framework::Annotated => method.modifiers.contains("Test"),
        Framework::JUnit3 => method.name.starts_with("test"),
    }
}

/// What stands before a statement beyond what stands before its method.
fn indent(source: &TestSource, method: &TestMethod) -> String {
    let outer = source.indentation(method.start);
    let inner = method.statements.first().map_or("", |statement| source.indentation(statement.start));
    match inner.strip_prefix(outer) {
        Some(more) if !more.is_empty() => more.to_owned(),
        _ if outer.contains('\t') => "\t".to_owned(),
        _ => "    ".to_owned(),
    }
}

impl Import {
    /// Whether it is the class, or static members of it.
    fn is_of(&self, class: &str) -> bool {
        if self.is_static {
            self.name.strip_prefix(class).is_some_and(|rest| rest.starts_with('.'))
        } else {
            self.name == class
        }
    }

    /// Whether it makes `name` known.
    fn covers(&self, name: &str) -> bool {
        self.name == name
            || self.name.strip_suffix('*').is_some_and(|package| {
                name.strip_prefix(package).is_some_and(|rest| !rest.is_empty() && !rest.contains('.'))
            })
    }
}

/// What new code has to have imported.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Needed {
    pub is_static: bool,
    /// `org.junit.Assert.assertFalse`
    pub name: String,
}

/// The lines that are missing among the imports, each where the source would have it.
#[must_use]
pub fn import_edits(source: &TestSource, needed: &[Needed]) -> Vec<Edit> {
    let mut missing: Vec<&Needed> = needed.iter().collect();
    missing.sort();
    missing.dedup();
    missing.retain(|needed| {
        let same_package =
            !needed.is_static && needed.name.rsplit_once('.').map_or("", |(package, _)| package) == source.package;
        let imports = source.imports.iter().filter(|import| import.is_static == needed.is_static);
        !same_package
            && !needed.name.starts_with("java.lang.")
            && !imports.into_iter().any(|import| import.covers(&needed.name))
    });
    // Where a source has none yet, static ones come first, and one blank line behind all of them.
    missing.sort_by_key(|needed| !needed.is_static);
    let mut edits: Vec<Edit> = missing.iter().map(|needed| import_edit(source, needed)).collect();
    let newline = source.newline();
    let blank = newline.repeat(2);
    for at in 1..edits.len() {
        let (before, after) = edits.split_at_mut(at);
        if let (Some(one), Some(next)) = (before.last_mut(), after.first())
            && one.start == next.start
            && one.text.ends_with(&blank)
            && next.text.ends_with(&blank)
        {
            one.text.truncate(one.text.len() - newline.len());
        }
    }
    edits
}

fn import_edit(source: &TestSource, needed: &Needed) -> Edit {
    let newline = source.newline();
    let keyword = if needed.is_static { "import static" } else { "import" };
    let line = format!("{keyword} {};{newline}", needed.name);
    let of_kind: Vec<&Import> = source.imports.iter().filter(|import| import.is_static == needed.is_static).collect();
    let package = |name: &str| name.rsplit_once('.').map_or("", |(package, _)| package).to_owned();
    // Behind the last one of the same class or package that comes before it by name; before the first of them; among all of its kind in the same
    // way, if they are sorted; else behind them.
    let alike: Vec<&&Import> = of_kind.iter().filter(|import| package(&import.name) == package(&needed.name)).collect();
    if let Some(before) = alike.iter().rev().find(|import| import.name < needed.name) {
        return Edit::insert(source.line_end(before.end), line);
    }
    if let Some(first) = alike.first() {
        return Edit::insert(source.line_start(first.start), line);
    }
    if let Some(before) = of_kind.iter().rev().find(|import| import.name < needed.name) {
        return Edit::insert(source.line_end(before.end), line);
    }
    if let Some(first) = of_kind.first().filter(|_| of_kind.is_sorted_by_key(|import| &import.name)) {
        return Edit::insert(source.line_start(first.start), line);
    }
    if let Some(last) = of_kind.last() {
        return Edit::insert(source.line_end(last.end), line);
    }
    match (source.imports.first(), source.imports.last()) {
        // The first static one: in front of the others, where most put them.
        (Some(first), _) if needed.is_static => {
            Edit::insert(source.line_start(first.start), format!("{line}{newline}"))
        }
        (_, Some(last)) => Edit::insert(source.line_end(last.end), format!("{newline}{line}")),
        _ => {
            let first = source.text.find("package ").map_or(0, |package| source.line_end(package));
            Edit::insert(first, format!("{newline}{line}"))
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::fix::edit::apply;
    use std::path::Path;

    fn source(text: &str) -> TestSource {
        TestSource::of(Path::new("T.java"), text.to_owned()).unwrap()
    }

    fn style(text: &str) -> Style {
        let source = source(text);
        Style::of(&source, &source.methods[0])
    }

    #[test]
    fn a_test_is_written_as_its_neighbours_are() {
        let padded = style(
            "import org.junit.Test;\nimport static org.junit.Assert.*;\nclass T {\n\t@Test\n\tpublic void testA()\n\t{\n\t\t\
             assertEquals( 1, a() );\n\t}\n}\n",
        );
        assert_eq!(padded.call("assertTrue", &["x"]), "assertTrue( x )");
        assert_eq!(padded.test("testB", "", &["x();".into()]), ["@Test", "public void testB()", "{", "\tx();", "}"]);
        assert!(padded.prefixed && !padded.snake_case);
        let jupiter =
            style("import org.junit.jupiter.api.Test;\nclass T {\n  @Test void adds_one() {\n    a();\n  }\n}\n");
        assert_eq!(jupiter.test("b", "throws X", &["x();".into()]), ["@Test void b() throws X {", "  x();", "}"]);
        assert!(jupiter.snake_case && !jupiter.prefixed);
        assert_eq!(jupiter.assertions.as_deref(), Some("org.junit.jupiter.api.Assertions"));
        let three =
            style("class T extends TestCase {\n    public void testA() {\n        assertTrue(a());\n    }\n}\n");
        assert_eq!((three.framework, three.assertions.clone()), (Framework::JUnit3, None));
        assert_eq!(three.test("testB", "", &[]), ["public void testB() {", "}"]);
    }

    #[test]
    fn the_assertions_are_those_that_the_class_uses_most() {
        let fluent = style(
            "import static com.google.common.truth.Truth.assertThat;\nimport static org.junit.Assert.fail;\n\
             class T { @Test void a() { assertThat(x).isTrue(); } }",
        );
        assert_eq!(fluent.library, Library::Fluent);
        let qualified = style("import org.junit.Assert;\nclass T { @Test void a() { Assert.assertTrue(x); } }");
        assert_eq!((qualified.library, qualified.qualifier.as_str()), (Library::JUnit, "Assert."));
        let testng =
            style("import static org.testng.Assert.assertTrue;\nclass T { @Test void a() { assertTrue(x); } }");
        assert_eq!(testng.library, Library::TestNG);
    }

    #[test]
    fn imports_go_where_the_source_has_others_like_them() {
        let with = |text: &str, is_static: bool, name: &str| {
            let source = source(text);
            apply(text, &import_edits(&source, &[Needed { is_static, name: name.into() }])).unwrap()
        };
        let text = "package a;\n\nimport static org.junit.Assert.assertEquals;\nimport static org.junit.Assert.assertTrue;\n\n\
                    import org.junit.Test;\n\nclass T {}\n";
        assert!(with(text, true, "org.junit.Assert.assertFalse").contains(
            "assertEquals;\nimport static org.junit.Assert.assertFalse;\nimport static org.junit.Assert.assertTrue;"
        ));
        assert!(
            with(text, true, "org.junit.Assert.assertArrayEquals")
                .contains("a;\n\nimport static org.junit.Assert.assertArrayEquals;\nimport static")
        );
        assert_eq!(with(text, true, "org.junit.Assert.assertTrue"), text);
        assert!(with(text, false, "java.util.List").contains("\n\nimport java.util.List;\nimport org.junit.Test;"));
        let unsorted = "import z.Z;\nimport org.junit.Test;\nclass T {}\n";
        assert!(
            with(unsorted, false, "java.util.List").contains("import org.junit.Test;\nimport java.util.List;\nclass")
        );
        assert_eq!(with(text, false, "a.Other"), text, "the same package");
        assert_eq!(with("import static b.B.*;\nclass T {}\n", true, "b.B.c"), "import static b.B.*;\nclass T {}\n");
        assert!(with("import z.Z;\nclass T {}\n", true, "b.B.c").starts_with("import static b.B.c;\n\nimport z.Z;"));
        assert!(with("package a;\nclass T {}\n", false, "b.B").starts_with("package a;\n\nimport b.B;\nclass"));
    }
}
