//! Finds the method bodies in a Java source.

use std::ops::Range;
use tree_sitter::{Node, Parser, TreeCursor};

/// A method with a body, in bytes and in lines from 1.
struct Method {
    name: String,
    lines: Range<u32>,
    body: Range<usize>,
}

/// The methods of one source.
pub(super) struct Bodies(Vec<Method>);

impl Bodies {
    /// Parses the source. The result is empty if it is not Java.
    pub fn of(source: &str) -> Self {
        let mut parser = Parser::new();
        let mut methods = Vec::new();
        if parser.set_language(&tree_sitter_java::LANGUAGE.into()).is_ok()
            && let Some(tree) = parser.parse(source, None)
        {
            collect(&mut tree.walk(), source, &mut methods);
        }
        Self(methods)
    }

    /// The innermost body, with its braces, of a method called `method` around a line. `None` for
    /// bodies of lambdas, which have no name in the source.
    pub fn around(&self, method: &str, line: u32) -> Option<Range<usize>> {
        let around = self.0.iter().filter(|candidate| candidate.name == method && candidate.lines.contains(&line));
        around.min_by_key(|method| method.body.len()).map(|method| method.body.clone())
    }
}

fn collect(cursor: &mut TreeCursor<'_>, source: &str, methods: &mut Vec<Method>) {
    methods.extend(method(cursor.node(), source));
    if cursor.goto_first_child() {
        loop {
            collect(cursor, source, methods);
            if !cursor.goto_next_sibling() {
                break;
            }
        }
        cursor.goto_parent();
    }
}

fn method(node: Node<'_>, source: &str) -> Option<Method> {
    if node.kind() != "method_declaration" {
        return None;
    }
    let line = |row: usize| u32::try_from(row).unwrap_or(u32::MAX).saturating_add(1);
    Some(Method {
        name: node.child_by_field_name("name")?.utf8_text(source.as_bytes()).ok()?.to_owned(),
        lines: line(node.start_position().row)..line(node.end_position().row).saturating_add(1),
        body: node.child_by_field_name("body")?.byte_range(),
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    const SOURCE: &str =
        "class A {\n  int m() {\n    return new A() {\n      int m() { return 2; }\n    }.m();\n  }\n}\n";

    #[test]
    fn the_innermost_method_around_a_line_is_found() {
        let bodies = Bodies::of(SOURCE);
        let at = |line| bodies.around("m", line).map(|body| &SOURCE[body]);
        assert_eq!(at(4), Some("{ return 2; }"));
        assert!(at(3).unwrap().starts_with("{\n    return new A()") && at(3).unwrap().ends_with("}.m();\n  }"));
        assert_eq!(at(1), None);
        assert_eq!(bodies.around("lambda$m$0", 3), None);
    }

    #[test]
    fn a_source_that_is_not_java_has_no_bodies() {
        assert_eq!(Bodies::of("fun m(): Int = 3\n").around("m", 1), None);
    }
}
