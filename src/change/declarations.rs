//! From a Java source to the lines of what it declares: members, bodies of lambdas, headers of types.

use super::Touched;
use std::ops::RangeInclusive;
use tree_sitter::{Node, Parser};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Method(String),
    Lambda,
    /// Constructor, initialiser, field, enum constant.
    Other,
}

/// A member or a lambda, with its annotations and modifiers and without the comment before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Declaration {
    pub kind: Kind,
    /// From 1.
    pub lines: RangeInclusive<u32>,
    /// It stands in no other member.
    pub outermost: bool,
}

impl Declaration {
    pub fn is_touched(&self, touched: &Touched) -> bool {
        touched.touches(*self.lines.start(), *self.lines.end())
    }

    fn is_named(&self, method: &str) -> bool {
        matches!(&self.kind, Kind::Method(name) if name == method)
    }

    fn length(&self) -> u32 {
        self.lines.end().saturating_sub(*self.lines.start())
    }
}

/// All that one source declares.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Declarations {
    pub all: Vec<Declaration>,
    /// Of types that stand in no member: from the first annotation to the brace that opens the body.
    pub headers: Vec<RangeInclusive<u32>>,
    /// The source is not all Java as the grammar knows it, so that there may be more.
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
        // Byte behind the member that was entered last and stands in no other.
        let mut end_of_member = 0;
        loop {
            let node = cursor.node();
            let outermost = node.start_byte() >= end_of_member;
            if let Some(kind) = kind(node, source) {
                if outermost && kind != Kind::Lambda {
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

    /// Whether the change touches a method of this source, by what its class file says: its name and the first line of its body.
    pub fn touches_method(&self, touched: &Touched, name: &str, line: Option<u32>) -> bool {
        if self.incomplete {
            return !touched.is_empty();
        }
        let Some(line) = line else {
            return self.all.iter().any(|one| one.is_named(name) && one.is_touched(touched));
        };
        let around = || self.all.iter().filter(|one| one.lines.contains(&line));
        // The body of a lambda is a method of its own, called `lambda$…`; the first line of the outer of two may be one of the inner.
        let lambda = || around().filter(|one| one.kind == Kind::Lambda).max_by_key(|one| one.length());
        let own = around().filter(|one| one.is_named(name)).min_by_key(|one| one.length());
        let other = || around().filter(|one| one.kind != Kind::Lambda).min_by_key(|one| one.length());
        match own.or_else(lambda).or_else(other) {
            Some(declaration) => declaration.is_touched(touched),
            // What a compiler made of this line alone: an accessor of a record, a method of Lombok.
            None => touched.touches(line, line),
        }
    }
}

fn kind(node: Node<'_>, source: &str) -> Option<Kind> {
    match node.kind() {
        "method_declaration" => {
            let name = node.child_by_field_name("name").and_then(|name| name.utf8_text(source.as_bytes()).ok());
            Some(name.map_or(Kind::Other, |name| Kind::Method(name.to_owned())))
        }
        "lambda_expression" => Some(Kind::Lambda),
        "constructor_declaration"
        | "compact_constructor_declaration"
        | "static_initializer"
        | "field_declaration"
        | "constant_declaration"
        | "enum_constant"
        | "annotation_type_element_declaration" => Some(Kind::Other),
        "block" => node
            .parent()
            .is_some_and(|parent| matches!(parent.kind(), "class_body" | "enum_body_declarations"))
            .then_some(Kind::Other),
        _ => None,
    }
}

/// From the first row of the node to `last`, which count from 0.
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

    fn with_line(line: u32) -> Touched {
        let mut touched = Touched::default();
        touched.add(line);
        touched
    }

    #[test]
    fn members_lambdas_and_headers_have_their_lines_without_comments() {
        let found = Declarations::of(SOURCE);
        assert!(!found.incomplete);
        let outermost: Vec<_> = found.all.iter().filter(|one| one.outermost).map(|one| one.lines.clone()).collect();
        assert_eq!(outermost, [7..=7, 10..=20, 22..=22, 25..=26]);
        let inside: Vec<_> = found.all.iter().filter(|one| !one.outermost).map(|one| one.lines.clone()).collect();
        assert_eq!(inside, [12..=14, 16..=18]);
        assert_eq!(found.headers, [4..=6, 24..=24, 29..=30]);
    }

    #[test]
    fn a_method_is_touched_in_its_header_and_its_body_and_nowhere_else() {
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
    fn a_method_without_lines_is_known_by_its_name() {
        let found = Declarations::of(SOURCE);
        assert!(found.touches_method(&with_line(25), "t", None) && !found.touches_method(&with_line(22), "t", None));
    }

    #[test]
    fn a_source_that_cannot_be_read_counts_as_a_whole() {
        let found = Declarations::of("class A { int m() { return 1; } } ]]] class");
        assert!(found.incomplete && found.touches_method(&with_line(1), "x", Some(9)));
        assert!(!found.touches_method(&Touched::default(), "x", Some(9)));
    }
}
