//! From a call that ends with an exception today to the statements that expect it, as the test class would write them.

use crate::fix::source::style::{Framework, Library, Needed, Style};
use crate::fix::techniques::Look;
use crate::fix::write::assertion::{Assertion, Expected, assertion};
use crate::text::words;

/// What the libraries of the project have beyond the oldest ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Abilities {
    /// `org.junit.Assert.assertThrows`: JUnit 4.13.
    pub assert_throws: bool,
    /// `org.assertj.core.api.Assertions.assertThatThrownBy`
    pub thrown_by: bool,
}

pub const ASSERT_THROWS: &str = "org.junit.Assert.assertThrows";
pub const THROWN_BY: &str = "org.assertj.core.api.Assertions.assertThatThrownBy";

/// That what is looked at ends with this exception. `alone`: in a test that does nothing else. `None` where only other code can say it.
#[must_use]
pub fn throwing(
    style: &Style,
    look: &Look,
    class: &str,
    message: Option<&str>,
    abilities: Abilities,
    alone: bool,
) -> Option<Assertion> {
    let mut lines = look.before.clone();
    lines.extend(look.statements().lines().map(str::to_owned));
    let statement = lines.pop()?;
    let call = statement.trim_end_matches(';');
    let name = words::short_class(class);
    let mut imports = vec![Needed { is_static: false, name: words::top_level(class).to_owned() }];
    let text = |message: &str| Expected::Equal { source: message.to_owned(), type_name: "java.lang.String".to_owned() };
    let assertions = style.assertions.as_deref().unwrap_or_default();
    let is_assertj = style.library == Library::Fluent && assertions.starts_with("org.assertj.");
    let has_own = assertions.starts_with("org.junit.") && style.library != Library::Fluent;
    let owner = if has_own {
        assertions
    } else if style.is_jupiter {
        "org.junit.jupiter.api.Assertions"
    } else if style.framework == Framework::JUnit3 {
        ""
    } else if style.library == Library::TestNG {
        assertions
    } else {
        "org.junit.Assert"
    };
    let qualifier = if has_own || style.library == Library::TestNG { style.qualifier.as_str() } else { "" };
    let mut needs = |owner: &str, member: &str| {
        if owner.is_empty() {
            return;
        }
        imports.push(if qualifier.is_empty() {
            Needed { is_static: true, name: format!("{owner}.{member}") }
        } else {
            Needed { is_static: false, name: owner.to_owned() }
        });
    };
    let lambda = format!("() -> {call}");
    let class_of = format!("{name}.class");
    let mut expects = None;
    if is_assertj && abilities.thrown_by {
        needs("org.assertj.core.api.Assertions", "assertThatThrownBy");
        let thrown = style.call(&format!("{}assertThatThrownBy", style.qualifier), &[&lambda]);
        let kind = style.call("isInstanceOf", &[&class_of]);
        let says = message.map(|message| format!(".{}", style.call("hasMessage", &[message]))).unwrap_or_default();
        lines.push(format!("{thrown}.{kind}{says};"));
    } else if (style.is_jupiter || abilities.assert_throws)
        && !matches!(style.library, Library::TestNG)
        && !owner.is_empty()
    {
        needs(owner, "assertThrows");
        let thrown = style.call(&format!("{qualifier}assertThrows"), &[&class_of, &lambda]);
        match message {
            Some(message) => {
                let says = assertion(style, "e.getMessage()", &text(message));
                imports.extend(says.imports);
                lines.push(format!("{name} e = {thrown};"));
                lines.push(says.code);
            }
            None => lines.push(format!("{thrown};")),
        }
    } else if message.is_none() && alone && style.framework == Framework::Annotated && style.library != Library::TestNG
    {
        expects = Some(name);
        lines.push(statement);
    } else {
        needs(owner, "fail");
        let (indent, newline) = (&style.indent, "\n");
        let says = message.map(|message| assertion(style, "e.getMessage()", &text(message)));
        let inside = says.as_ref().map_or("// as it should be", |says| says.code.as_str());
        let fail = format!("{qualifier}fail();");
        let catch = style.call("catch ", &[&format!("{name} e")]);
        let (open, middle) = if style.brace_below {
            (format!("try{newline}{{"), format!("}}{newline}{catch}{newline}{{"))
        } else {
            ("try {".to_owned(), format!("}} {catch} {{"))
        };
        lines.push(format!(
            "{open}{newline}{indent}{statement}{newline}{indent}{fail}{newline}{middle}{newline}{indent}{inside}{newline}}}"
        ));
        imports.extend(says.into_iter().flat_map(|says| says.imports));
    }
    Some(Assertion { code: lines.join("\n"), imports, expects })
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
    fn an_exception_is_expected_in_the_words_that_the_project_has() {
        let (old, new) = (Abilities::default(), Abilities { assert_throws: true, thrown_by: true });
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
