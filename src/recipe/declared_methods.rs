//! Finds the names of the methods that a source declares. Lombok adds others to its classes.

use std::collections::BTreeSet;
use tree_sitter::{Parser, TreeCursor};

/// The names of the methods in this source; `None` if nothing adds others, or if the source cannot be parsed.
pub(super) fn declared_methods(source: &str) -> Option<BTreeSet<String>> {
    if !source.contains("lombok") {
        return None;
    }
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_java::LANGUAGE.into()).ok()?;
    let tree = parser.parse(source, None).filter(|tree| !tree.root_node().has_error())?;
    let mut names = BTreeSet::new();
    let mut cursor = tree.walk();
    while advance(&mut cursor) {
        let node = cursor.node();
        if node.kind() == "method_declaration"
            && let Some(name) = node.child_by_field_name("name").and_then(|name| source.get(name.byte_range()))
        {
            names.insert(name.to_owned());
        }
    }
    Some(names)
}

/// Goes to the next node of the tree, parents first.
fn advance(cursor: &mut TreeCursor<'_>) -> bool {
    if cursor.goto_first_child() {
        return true;
    }
    while !cursor.goto_next_sibling() {
        if !cursor.goto_parent() {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::declared_methods;

    #[test]
    fn the_methods_of_all_classes_of_a_source_with_lombok_are_named() {
        let source =
            "import lombok.Data; @Data class A { int x; int twice() { return 2 * x; } class B { void b() { x(); } } }";
        let names = declared_methods(source).unwrap_or_default();
        assert_eq!(names.into_iter().collect::<Vec<_>>(), ["b", "twice"]);
        assert_eq!(declared_methods("class A { void a() {} }"), None);
        assert_eq!(declared_methods("import lombok.Data; class A { void a( }"), None);
    }
}
