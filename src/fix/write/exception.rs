//! Assertions that a call ends with an exception, in the style of the test class.

use crate::fix::expected::Expected;
use crate::fix::look::Look;
use crate::fix::source::imports::NewImport;
use crate::fix::source::style::{AssertionLibrary, Framework, Style};
use crate::fix::write::assertion::{Assertion, assertion};
use crate::recipe::Engine;
use crate::text::words;

/// The abilities of the project's libraries that older versions do not have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Abilities {
    /// `org.junit.Assert.assertThrows`: JUnit 4.13.
    pub assert_throws: bool,
    /// `org.assertj.core.api.Assertions.assertThatThrownBy`
    pub thrown_by: bool,
    /// `java.util.List.of`: Java 9.
    pub collection_factories: bool,
}

pub const ASSERT_THROWS: &str = "org.junit.Assert.assertThrows";
pub const COLLECTION_FACTORY: &str = "java.util.List.of";
pub const THROWN_BY: &str = "org.assertj.core.api.Assertions.assertThatThrownBy";

/// The assertion that a look ends with this exception. `is_alone` says that the test does nothing
/// else. `None` if the look has no statement.
pub fn throwing(
    style: &Style,
    look: &Look,
    class: &str,
    message: Option<&str>,
    abilities: Abilities,
    is_alone: bool,
) -> Option<Assertion> {
    let mut lines = look.before.clone();
    lines.extend(look.statements().lines().map(str::to_owned));
    let statement = lines.pop()?;
    let imports = vec![NewImport { is_static: false, name: words::top_level(class).to_owned() }];
    let exception = words::short_class(class);
    let mut writer = Writer { style, owner: Owner::of(style), exception, message, lines, imports };
    let assertions = style.assertions.as_deref().unwrap_or_default();
    let is_assertj = style.library == AssertionLibrary::Fluent && assertions.starts_with("org.assertj.");
    let is_testng = style.library == AssertionLibrary::TestNG;
    let mut expects = None;
    if is_assertj && abilities.thrown_by {
        writer.assert_thrown_by(&statement);
    } else if (style.is_jupiter || abilities.assert_throws) && !is_testng && !writer.owner.class.is_empty() {
        writer.assert_throws(&statement);
    } else if message.is_none() && is_alone && style.framework == Framework::Annotated && !is_testng {
        expects = Some(writer.exception.clone());
        writer.lines.push(statement);
    } else {
        writer.try_and_catch(&statement);
    }
    Some(Assertion { code: writer.lines.join("\n"), imports: writer.imports, expects })
}

/// The class with `fail` and `assertThrows`.
struct Owner<'s> {
    /// Empty if the test class inherits them.
    class: &'s str,
    /// `Assert.`, if the test class writes that.
    qualifier: &'s str,
}

impl<'s> Owner<'s> {
    fn of(style: &'s Style) -> Self {
        let assertions = style.assertions.as_deref().unwrap_or_default();
        let is_testng = style.library == AssertionLibrary::TestNG;
        let is_junit = assertions.starts_with("org.junit.") && style.library != AssertionLibrary::Fluent;
        let class = if is_junit {
            assertions
        } else if style.is_jupiter {
            Engine::JUnitPlatform.profile().assertions
        } else if style.framework == Framework::JUnit3 {
            ""
        } else if is_testng {
            assertions
        } else {
            Engine::JUnit4.profile().assertions
        };
        Self { class, qualifier: if is_junit || is_testng { style.qualifier.as_str() } else { "" } }
    }
}

/// The statements that expect an exception, as they are written.
struct Writer<'s> {
    style: &'s Style,
    owner: Owner<'s>,
    /// The class of the exception, as written.
    exception: String,
    message: Option<&'s str>,
    lines: Vec<String>,
    imports: Vec<NewImport>,
}

impl Writer<'_> {
    fn assert_thrown_by(&mut self, statement: &str) {
        let style = self.style;
        self.import("org.assertj.core.api.Assertions", "assertThatThrownBy");
        let assert = format!("{}assertThatThrownBy", style.qualifier);
        let thrown = style.call(&assert, &[&lambda(statement)]);
        let kind = style.call("isInstanceOf", &[&format!("{}.class", self.exception)]);
        let says = self.message.map(|message| format!(".{}", style.call("hasMessage", &[message])));
        self.lines.push(format!("{thrown}.{kind}{};", says.unwrap_or_default()));
    }

    fn assert_throws(&mut self, statement: &str) {
        self.import(self.owner.class, "assertThrows");
        let assert = format!("{}assertThrows", self.owner.qualifier);
        let class = format!("{}.class", self.exception);
        let thrown = self.style.call(&assert, &[&class, &lambda(statement)]);
        match self.message_assertion() {
            Some(says) => {
                self.imports.extend(says.imports);
                self.lines.push(format!("{} e = {thrown};", self.exception));
                self.lines.push(says.code);
            }
            None => self.lines.push(format!("{thrown};")),
        }
    }

    fn try_and_catch(&mut self, statement: &str) {
        self.import(self.owner.class, "fail");
        let indent = &self.style.indent;
        let says = self.message_assertion();
        let inside = says.as_ref().map_or("// expected", |says| says.code.as_str());
        let fail = format!("{}fail();", self.owner.qualifier);
        let catch = self.style.call("catch ", &[&format!("{} e", self.exception)]);
        let (open, middle) = if self.style.brace_below {
            ("try\n{".to_owned(), format!("}}\n{catch}\n{{"))
        } else {
            ("try {".to_owned(), format!("}} {catch} {{"))
        };
        let code = format!("{open}\n{indent}{statement}\n{indent}{fail}\n{middle}\n{indent}{inside}\n}}");
        self.lines.push(code);
        self.imports.extend(says.into_iter().flat_map(|says| says.imports));
    }

    /// The assertion that the exception `e` has the message.
    fn message_assertion(&self) -> Option<Assertion> {
        let type_name = "java.lang.String".to_owned();
        let expected = Expected::Equal { source: self.message?.to_owned(), type_name };
        Some(assertion(self.style, "e.getMessage()", &expected))
    }

    fn import(&mut self, owner: &str, member: &str) {
        if owner.is_empty() {
            return;
        }
        self.imports.push(if self.owner.qualifier.is_empty() {
            NewImport { is_static: true, name: format!("{owner}.{member}") }
        } else {
            NewImport { is_static: false, name: owner.to_owned() }
        });
    }
}

fn lambda(statement: &str) -> String {
    format!("() -> {}", statement.trim_end_matches(';'))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::fix::source::test_source::TestSource;
    use std::path::Path;

    fn code(imports: &str, message: Option<&str>, abilities: Abilities) -> (String, Option<String>) {
        let text = format!("package t;\n{imports}\nclass T {{\n    @Test\n    void a() {{\n        b();\n    }}\n}}\n");
        let source = TestSource::of(Path::new("T.java"), text).unwrap();
        let style = Style::of(&source, &source.methods[0]);
        let look = Look::accessor("set", "single", 0);
        let made = throwing(&style, &look, "java.lang.IllegalStateException", message, abilities, true).unwrap();
        (made.code, made.expects)
    }

    #[test]
    fn an_exception_is_expected_as_the_libraries_of_the_project_allow() {
        let (old, new) =
            (Abilities::default(), Abilities { assert_throws: true, thrown_by: true, ..Abilities::default() });
        let junit = "import org.junit.Test;";
        let class = "IllegalStateException";
        assert_eq!(
            code(junit, Some("\"no\""), new).0,
            format!(
                "{class} e = assertThrows({class}.class, () -> set.single());\nassertEquals(\"no\", e.getMessage());"
            )
        );
        assert_eq!(code(junit, None, new).0, format!("assertThrows({class}.class, () -> set.single());"));
        assert_eq!(code(junit, None, old), ("set.single();".to_owned(), Some(class.to_owned())));
        assert_eq!(
            code(junit, Some("\"no\""), old).0,
            format!(
                "try {{\n    set.single();\n    fail();\n}} catch ({class} e) {{\n    assertEquals(\"no\", e.getMessage());\n}}"
            )
        );
        let jupiter = "import org.junit.jupiter.api.Test;";
        assert_eq!(code(jupiter, None, old).0, format!("assertThrows({class}.class, () -> set.single());"));
    }
}
