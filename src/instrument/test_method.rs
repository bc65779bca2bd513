//! Recognizes test methods in a source text.

use super::syntax::{has_modifier, modifiers};
use tree_sitter::Node;

/// Whether a method is a test: by annotation in JUnit 4, JUnit 5 and TestNG (`@Test`,
/// `@ParameterizedTest`, `@RepeatedTest`, `@TestTemplate` …), by name in JUnit 3. In TestNG, the
/// annotation may be that of the class.
pub(super) fn is_test(method: Node<'_>, name: Node<'_>, source: &str) -> bool {
    let own = annotations(method, source);
    let annotated = own.iter().any(|name| name.ends_with("Test") || *name == "TestTemplate");
    let is_public_void = || {
        let void = method.child_by_field_name("type").is_some_and(|result| result.kind() == "void_type");
        void && has_modifier(method, "public")
    };
    let junit_3 = || {
        let none =
            method.child_by_field_name("parameters").is_some_and(|parameters| parameters.named_child_count() == 0);
        none && text(name, source).starts_with("test")
    };
    let of_class =
        || own.is_empty() && type_of(method).is_some_and(|class| annotations(class, source).contains(&"Test"));
    annotated || is_public_void() && (junit_3() || of_class())
}

/// Simple names of the annotations of a declaration.
fn annotations<'s>(declaration: Node<'_>, source: &'s str) -> Vec<&'s str> {
    let Some(modifiers) = modifiers(declaration) else { return vec![] };
    let mut cursor = modifiers.walk();
    let names = modifiers.named_children(&mut cursor).filter_map(|child| child.child_by_field_name("name"));
    names.map(|name| text(name, source).rsplit('.').next().unwrap_or_default()).collect()
}

fn text<'s>(node: Node<'_>, source: &'s str) -> &'s str {
    source.get(node.byte_range()).unwrap_or_default()
}

/// The type that declares a member.
fn type_of(member: Node<'_>) -> Option<Node<'_>> {
    member.parent()?.parent()
}

/// Whether a method also runs for the classes that inherit it, of which there may be many.
pub(super) fn is_inherited(method: Node<'_>) -> bool {
    type_of(method).is_some_and(|class| class.kind() == "interface_declaration" || has_modifier(class, "abstract"))
}
