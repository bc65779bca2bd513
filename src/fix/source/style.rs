//! The style of a test class: framework, assertions, names and spaces.

use crate::fix::source::test_source::{TestMethod, TestSource};
use crate::recipe::Engine;

/// The mark of a test method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framework {
    /// Its name.
    JUnit3,
    /// An annotation called `Test`.
    Annotated,
}

/// The library whose assertions a class uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AssertionLibrary {
    /// The expected value comes first: JUnit 3, 4, 5.
    JUnit,
    /// The actual value comes first.
    TestNG,
    /// `assertThat(x).isEqualTo(y)`: AssertJ, Truth.
    Fluent,
    /// `assertThat(x, is(y))`
    Hamcrest,
}

/// The style of a test class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Style {
    pub framework: Framework,
    /// JUnit 5 or later.
    pub is_jupiter: bool,
    pub library: AssertionLibrary,
    /// The class that has the assertions, for imports. `None` if they are inherited.
    pub assertions: Option<String>,
    /// `Assert.`, if the class writes that.
    pub qualifier: String,
    /// `Mockito.`, if the class writes that.
    pub mockito: String,
    /// `( x )` rather than `(x)`.
    pub padded: bool,
    /// An opening brace has a line of its own.
    pub brace_below: bool,
    /// The annotation stands on the line of the method.
    pub annotation_in_line: bool,
    /// Names of tests begin with `test`.
    pub prefixed: bool,
    pub snake_case: bool,
    /// `public `, or nothing.
    pub modifiers: String,
    /// One level of indentation.
    pub indent: String,
}

const FLUENT: [&str; 4] = [
    "org.assertj.core.api.Assertions",
    "org.assertj.core.api.AssertionsForClassTypes",
    "com.google.common.truth.Truth",
    "org.fest.assertions.Assertions",
];
const HAMCREST: [&str; 3] = ["org.hamcrest.MatcherAssert", "org.hamcrest.CoreMatchers", "org.hamcrest.Matchers"];

impl Style {
    /// The style of the test class that has this test.
    pub fn of(source: &TestSource, method: &TestMethod) -> Self {
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
        let assertions_of = |engine: Engine| engine.profile().assertions;
        let junit = [Engine::JUnitPlatform, Engine::JUnit4, Engine::JUnit3].map(assertions_of);
        let jupiter = source.imports.iter().any(|import| import.name.starts_with("org.junit.jupiter"));
        let (library, assertions) = if let Some(class) = imported(&FLUENT).filter(|_| that > plain) {
            (AssertionLibrary::Fluent, Some(class))
        } else if imported(&HAMCREST).is_some() && that > plain {
            (AssertionLibrary::Hamcrest, None)
        } else if let Some(class) = imported(&[assertions_of(Engine::TestNG)]) {
            (AssertionLibrary::TestNG, Some(class))
        } else if framework == Framework::JUnit3 {
            (AssertionLibrary::JUnit, None)
        } else {
            let usual = assertions_of(if jupiter { Engine::JUnitPlatform } else { Engine::JUnit4 });
            (AssertionLibrary::JUnit, Some(imported(&junit).unwrap_or_else(|| usual.to_owned())))
        };
        // The class writes `Assert.assertTrue(…)` in most places.
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

    /// A call with the spaces that the class writes inside parentheses.
    #[must_use]
    pub fn call(&self, name: &str, arguments: &[&str]) -> String {
        let arguments = arguments.join(", ");
        match (self.padded, arguments.is_empty()) {
            (_, true) => format!("{name}()"),
            (true, false) => format!("{name}( {arguments} )"),
            (false, false) => format!("{name}({arguments})"),
        }
    }

    /// The lines of a new test, without the indentation of the class. `throws` is a clause, or
    /// empty.
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

/// The indentation of a statement beyond that of its method.
fn indent(source: &TestSource, method: &TestMethod) -> String {
    let outer = source.indentation(method.start);
    let inner = method.statements.first().map_or("", |statement| source.indentation(statement.start));
    match inner.strip_prefix(outer) {
        Some(more) if !more.is_empty() => more.to_owned(),
        _ if outer.contains('\t') => "\t".to_owned(),
        _ => "    ".to_owned(),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use std::path::Path;

    fn source(text: &str) -> TestSource {
        TestSource::of(Path::new("T.java"), text.to_owned()).unwrap()
    }

    fn style(text: &str) -> Style {
        let source = source(text);
        Style::of(&source, &source.methods[0])
    }

    #[test]
    fn a_new_test_follows_the_style_of_its_class() {
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
    fn a_class_uses_the_assertions_that_it_has_most_often() {
        let fluent = style(
            "import static com.google.common.truth.Truth.assertThat;\nimport static org.junit.Assert.fail;\n\
             class T { @Test void a() { assertThat(x).isTrue(); } }",
        );
        assert_eq!(fluent.library, AssertionLibrary::Fluent);
        let qualified = style("import org.junit.Assert;\nclass T { @Test void a() { Assert.assertTrue(x); } }");
        assert_eq!((qualified.library, qualified.qualifier.as_str()), (AssertionLibrary::JUnit, "Assert."));
        let testng =
            style("import static org.testng.Assert.assertTrue;\nclass T { @Test void a() { assertTrue(x); } }");
        assert_eq!(testng.library, AssertionLibrary::TestNG);
    }
}
