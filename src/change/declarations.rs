//! Parses a Java source and returns the lines of its members, lambdas and type headers.

use super::TouchedLines;
use std::ops::RangeInclusive;
use tree_sitter::{Node, Parser};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum DeclarationKind {
    Method(String),
    Lambda,
    /// A constructor, initialiser, field or enum constant.
    Other,
}

/// A member or a lambda: with its annotations and modifiers, without the comment before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Declaration {
    pub kind: DeclarationKind,
    /// Counted from 1.
    pub lines: RangeInclusive<u32>,
    /// Whether no other member contains it.
    pub outermost: bool,
}

impl Declaration {
    pub fn is_touched(&self, touched: &TouchedLines) -> bool {
        touched.touches(*self.lines.start(), *self.lines.end())
    }

    fn is_named(&self, method: &str) -> bool {
        matches!(&self.kind, DeclarationKind::Method(name) if name == method)
    }

    fn length(&self) -> u32 {
        self.lines.end().saturating_sub(*self.lines.start())
    }
}

/// The declarations of one source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Declarations {
    pub all: Vec<Declaration>,
    /// The headers of types that no member contains: from the first annotation to the brace that
    /// opens the body.
    pub headers: Vec<RangeInclusive<u32>>,
    /// Whether the grammar could not parse the whole source, so that declarations may be missing.
    pub incomplete: bool,
}

impl Declarations {
    pub fn of(source: &str) -> Self {
        let mut found = Self { incomplete: true, ..Self::default() };
        let mut parser = Parser::new();
        if parser.set_language(&tree_sitter_java::LANGUAGE.into()).is_ok()
            && let Some(tree) = parser.parse(source, None)
        {
            found.incomplete = tree.root_node().has_error();
            found.collect(tree.root_node(), source);
        }
        found
    }

    fn collect(&mut self, root: Node<'_>, source: &str) {
        let mut cursor = root.walk();
        // The first byte after the last outermost member.
        let mut end_of_member = 0;
        loop {
            let node = cursor.node();
            let outermost = node.start_byte() >= end_of_member;
            if let Some(kind) = kind(node, source) {
                if outermost && kind != DeclarationKind::Lambda {
                    end_of_member = node.end_byte();
                }
                self.all.push(Declaration { kind, lines: lines(node, node.end_position().row), outermost });
            } else if outermost
                && node.kind().ends_with("_declaration")
                && let Some(body) = node.child_by_field_name("body")
            {
                self.headers.push(lines(node, body.start_position().row));
            }
            if cursor.goto_first_child() {
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return;
                }
            }
        }
    }

    /// Whether the change touches a method of this source. The class file gives the name of the method
    /// and the first line of its body.
    pub fn touches_method(&self, touched: &TouchedLines, name: &str, line: Option<u32>) -> bool {
        if self.incomplete {
            return !touched.is_empty();
        }
        let Some(line) = line else {
            return self.all.iter().any(|member| member.is_named(name) && member.is_touched(touched));
        };
        let around = || self.all.iter().filter(|declaration| declaration.lines.contains(&line));
        // The compiler makes the body of a lambda a method, `lambda$…`. The first line of a lambda may
        // be inside another lambda that it contains, so the longest one is meant.
        let lambda =
            || around().filter(|found| found.kind == DeclarationKind::Lambda).max_by_key(|found| found.length());
        let method = around().filter(|found| found.is_named(name)).min_by_key(|found| found.length());
        let member =
            || around().filter(|found| found.kind != DeclarationKind::Lambda).min_by_key(|found| found.length());
        match method.or_else(lambda).or_else(member) {
            Some(declaration) => declaration.is_touched(touched),
            // The compiler made the method from this line: an accessor of a record, a method of Lombok.
            None => touched.touches(line, line),
        }
    }
}

fn kind(node: Node<'_>, source: &str) -> Option<DeclarationKind> {
    match node.kind() {
        "method_declaration" => {
            let name = node.child_by_field_name("name").and_then(|name| name.utf8_text(source.as_bytes()).ok());
            Some(name.map_or(DeclarationKind::Other, |name| DeclarationKind::Method(name.to_owned())))
        }
        "lambda_expression" => Some(DeclarationKind::Lambda),
        "constructor_declaration"
        | "compact_constructor_declaration"
        | "static_initializer"
        | "field_declaration"
        | "constant_declaration"
        | "enum_constant"
        | "annotation_type_element_declaration" => Some(DeclarationKind::Other),
        "block" => node
            .parent()
            .is_some_and(|parent| matches!(parent.kind(), "class_body" | "enum_body_declarations"))
            .then_some(DeclarationKind::Other),
        _ => None,
    }
}

/// The lines from the first row of the node to the row `last`. Rows count from 0.
fn lines(node: Node<'_>, last: usize) -> RangeInclusive<u32> {
    let line = |row: usize| u32::try_from(row).unwrap_or(u32::MAX).saturating_add(1);
    line(node.start_position().row)..=line(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "package a;

/** Comment. */
@Deprecated
class A
        extends B {
    private int field = 1;

    /** Comment. */
    @Override
    public int m() {
        run(x -> {
            go(x);
        });
        return new Object() {
            int m() {
                return 2;
            }
        }.m();
    }

    int n() { return 1; }

    static class C {
        void t() {
        }
    }
}
record R(int a,
         int b) {}
";

    fn with_line(line: u32) -> TouchedLines {
        let mut touched = TouchedLines::default();
        touched.add(line);
        touched
    }

    #[test]
    fn members_lambdas_and_headers_exclude_comments() {
        let found = Declarations::of(SOURCE);
        assert!(!found.incomplete);
        let outermost: Vec<_> =
            found.all.iter().filter(|found| found.outermost).map(|found| found.lines.clone()).collect();
        assert_eq!(outermost, [7..=7, 10..=20, 22..=22, 25..=26]);
        let inside: Vec<_> =
            found.all.iter().filter(|found| !found.outermost).map(|found| found.lines.clone()).collect();
        assert_eq!(inside, [12..=14, 16..=18]);
        assert_eq!(found.headers, [4..=6, 24..=24, 29..=30]);
    }

    #[test]
    fn only_lines_of_its_header_and_body_touch_a_method() {
        let found = Declarations::of(SOURCE);
        let lines = |name, line| {
            (1..=30).filter(|at| found.touches_method(&with_line(*at), name, Some(line))).collect::<Vec<u32>>()
        };
        assert_eq!(lines("m", 12), (10..=20).collect::<Vec<_>>());
        assert_eq!(lines("m", 17), [16, 17, 18], "the method of the anonymous class");
        assert_eq!(lines("lambda$m$0", 13), [12, 13, 14]);
        assert_eq!(lines("n", 22), [22]);
        assert_eq!(lines("t", 26), [25, 26]);
        assert_eq!(lines("a", 29), [29], "the accessor of a component has the line of the record");
    }

    #[test]
    fn a_method_without_line_numbers_is_found_by_name() {
        let found = Declarations::of(SOURCE);
        assert!(found.touches_method(&with_line(25), "t", None) && !found.touches_method(&with_line(22), "t", None));
    }

    #[test]
    fn any_line_of_a_source_with_syntax_errors_touches_all_its_methods() {
        let found = Declarations::of("class A { int m() { return 1; } } ]]] class");
        assert!(found.incomplete && found.touches_method(&with_line(1), "x", Some(9)));
        assert!(!found.touches_method(&TouchedLines::default(), "x", Some(9)));
    }
}
