//! Guesses from names what they mean: a variable or a type, an assertion or an ordinary call.

use std::collections::HashSet;
use tree_sitter::Node;

/// The likelihood, without types, that a place is a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Certainty {
    Value,
    /// A name before a dot that this file does not declare, or a constant; more likely a value that
    /// can be probed.
    PerhapsValue,
    /// More likely a type or a package.
    PerhapsType,
}

/// The names that one source file declares or imports.
#[derive(Debug, Default)]
pub struct Names<'s> {
    variables: HashSet<&'s str>,
    types: HashSet<&'s str>,
    /// The byte positions at which bodies of anonymous classes begin, in order.
    anonymous: Vec<usize>,
}

impl<'s> Names<'s> {
    /// Collects the declarations below `root`: fields, locals, parameters and enum constants as
    /// variables; types and imports as types.
    #[must_use]
    pub fn collect(root: Node<'_>, source: &'s str) -> Self {
        let mut names = Self::default();
        let mut cursor = root.walk();
        loop {
            let node = cursor.node();
            if node.kind() == "identifier" {
                let field = cursor.field_name();
                let text = source.get(node.byte_range()).unwrap_or_default();
                let mut above = cursor.clone();
                let parent = if above.goto_parent() { above.node().kind() } else { "" };
                names.declare(parent, field, text);
            }
            if node.kind() == "object_creation_expression"
                && let Some(body) = node.named_child(u32::try_from(node.named_child_count()).unwrap_or(1) - 1)
                && body.kind() == "class_body"
            {
                names.anonymous.push(body.start_byte());
            }
            if node.kind() == "import_declaration" {
                names.import(source.get(node.byte_range()).unwrap_or_default());
            } else if cursor.goto_first_child() {
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    names.anonymous.sort_unstable();
                    return names;
                }
            }
        }
    }

    fn declare(&mut self, parent: &str, field: Option<&str>, text: &'s str) {
        match (parent, field) {
            (
                "variable_declarator"
                | "formal_parameter"
                | "catch_formal_parameter"
                | "resource"
                | "enhanced_for_statement"
                | "enum_constant"
                | "instanceof_expression",
                Some("name"),
            )
            | ("lambda_expression", Some("parameters"))
            | ("inferred_parameters" | "type_pattern" | "record_pattern_component", _) => {
                self.variables.insert(text);
            }
            (
                "class_declaration"
                | "interface_declaration"
                | "enum_declaration"
                | "record_declaration"
                | "annotation_type_declaration",
                Some("name"),
            ) => {
                self.types.insert(text);
            }
            _ => {}
        }
    }

    fn import(&mut self, import: &'s str) {
        let Some(name) = import.trim_start_matches("import").trim_end_matches(';').trim().rsplit('.').next() else {
            return;
        };
        if !import.contains("static ") && name != "*" {
            self.types.insert(name.trim());
        }
    }

    /// Number of anonymous classes that begin between two bytes.
    #[must_use]
    pub fn anonymous_classes(&self, start: usize, end: usize) -> usize {
        let before = |byte: usize| self.anonymous.partition_point(|class| *class < byte);
        before(end) - before(start)
    }

    /// The likelihood that `name` before a dot is a value. If `type_ahead`, a later part of the
    /// dotted name looks like a type, so `name` may be a package.
    #[must_use]
    pub fn qualifier(&self, name: &str, type_ahead: bool) -> Certainty {
        if self.variables.contains(name) {
            Certainty::Value
        } else if self.types.contains(name) || looks_like_type(name) || type_ahead {
            Certainty::PerhapsType
        } else {
            Certainty::PerhapsValue
        }
    }
}

/// Whether a name is a type by Java's convention: types are `CamelCase`, constants `UPPER_CASE`;
/// variables, methods and packages begin in lower case.
#[must_use]
pub fn looks_like_type(name: &str) -> bool {
    let mut characters = name.chars();
    characters.next().is_some_and(char::is_uppercase)
        && (name.chars().count() == 1 || characters.any(char::is_lowercase))
}

/// Whether a call of this name is an assertion: `assertEquals`, `verify`, `expectThrows`, `fail`,
/// `then` …
#[must_use]
pub fn is_assertion(name: &str) -> bool {
    // BDD's `then(x)`, but not `thenApply` and the like of `CompletableFuture`.
    matches!(name, "then" | "thenThrownBy" | "thenCode" | "thenExceptionOfType")
        || ["assert", "verify", "expect", "fail"].iter().any(|prefix| begins_with_word(name, prefix))
}

/// Whether a call of this name begins a chain of an assertion or mocking library:
/// `assertThat(x).isTrue()`, `when(mock.f()).thenReturn(1)`.
#[must_use]
pub fn begins_chain(name: &str) -> bool {
    is_assertion(name)
        || matches!(
            name,
            "when" | "given" | "doReturn" | "doThrow" | "doAnswer" | "doNothing" | "doCallRealMethod" | "willReturn"
        )
        || matches!(name, "willThrow" | "willAnswer" | "willDoNothing" | "lenient")
}

/// Whether an assertion of this name runs given code and checks how it ends, not its value:
/// `assertThrows`, `assertTimeout` …
#[must_use]
pub fn runs_code(name: &str) -> bool {
    ["Throw", "Timeout", "assertAll", "Code", "Exception"].iter().any(|part| name.contains(part))
}

fn begins_with_word(name: &str, word: &str) -> bool {
    name.strip_prefix(word).is_some_and(|rest| !rest.starts_with(char::is_lowercase))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assertions_are_recognized_by_the_first_word_of_their_name() {
        for name in ["assertEquals", "assertThat", "verify", "verifyNoMoreInteractions", "fail", "expectThrows", "then"]
        {
            assert!(is_assertion(name), "{name}");
        }
        for name in ["thenApply", "failures", "expected", "verifying", "add", "assertion", "isEqualTo"] {
            assert!(!is_assertion(name), "{name}");
        }
    }

    #[test]
    fn types_are_distinguished_from_constants_by_their_lower_case_letters() {
        assert!(looks_like_type("String"));
        assert!(looks_like_type("T"));
        assert!(!looks_like_type("MAX_VALUE"));
        assert!(!looks_like_type("value"));
    }
}
