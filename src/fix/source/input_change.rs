//! Changes of one input in a piece of code.

use std::collections::BTreeSet;
use tree_sitter::Node;

/// Most other texts of the same code that replace a text.
const OTHERS: usize = 3;

/// A change of one input in a piece of code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputChange {
    /// The bytes that are replaced; `end` is exclusive.
    pub start: usize,
    pub end: usize,
    pub text: String,
    /// The new value. `None` if an element is left out.
    pub value: Option<String>,
}

/// Changes that replace one literal in these statements, or leave out one element of a list of
/// literals. The first change of each place comes first, then the second of each.
#[must_use]
pub fn input_changes(statements: &str) -> Vec<InputChange> {
    const BEGIN: &str = "class X { void x() { ";
    let mut parser = tree_sitter::Parser::new();
    let text = format!("{BEGIN}{statements} }} }}");
    let tree = parser.set_language(&tree_sitter_java::LANGUAGE.into()).ok().and_then(|()| parser.parse(&text, None));
    let Some(tree) = tree.filter(|tree| !tree.root_node().has_error()) else { return Vec::new() };
    let mut places: Vec<Node<'_>> = Vec::new();
    let mut cursor = tree.walk();
    let mut waiting = vec![tree.root_node()];
    while let Some(node) = waiting.pop() {
        if matches!(node.kind(), "string_literal" | "decimal_integer_literal" | "true" | "false") {
            places.push(node);
        } else {
            let children: Vec<Node<'_>> = node.named_children(&mut cursor).collect();
            waiting.extend(children.into_iter().rev());
        }
    }
    let slice = |node: Node<'_>| text.get(node.byte_range()).unwrap_or_default().to_owned();
    let texts: BTreeSet<String> =
        places.iter().filter(|node| node.kind() == "string_literal").map(|node| slice(*node)).collect();
    let of_place = |node: &Node<'_>| {
        let own = slice(*node);
        let change = |start: usize, end: usize, value: Option<String>| InputChange {
            start: start - BEGIN.len(),
            end: end - BEGIN.len(),
            text: value.clone().unwrap_or_default(),
            value,
        };
        let mut found = Vec::new();
        // A list is an array, or arguments that are all texts.
        let list = node.parent().filter(|parent| {
            let mut cursor = parent.walk();
            parent.kind() == "array_initializer"
                || parent.kind() == "argument_list"
                    && parent.named_child_count() > 1
                    && parent.named_children(&mut cursor).all(|one| one.kind() == "string_literal")
        });
        if list.is_some() {
            let (start, end) = match (node.next_named_sibling(), node.prev_named_sibling()) {
                (Some(next), _) => (node.start_byte(), next.start_byte()),
                (None, Some(last)) => (last.end_byte(), node.end_byte()),
                (None, None) => (node.start_byte(), node.end_byte()),
            };
            found.push(change(start, end, None));
        }
        let others: Vec<String> = match own.as_str() {
            "true" => vec!["false".to_owned()],
            "false" => vec!["true".to_owned()],
            _ if own.starts_with('"') => {
                let others = texts.iter().filter(|text| **text != own).take(OTHERS).cloned();
                others.chain([String::from("\"\"")]).filter(|text| *text != own).collect()
            }
            _ => {
                let number: Option<i64> = own.parse().ok();
                let numbers = number.into_iter().flat_map(|number| [number.saturating_add(1), 0, -1]);
                numbers.map(|number| number.to_string()).filter(|number| *number != own).collect()
            }
        };
        found.extend(others.into_iter().map(|other| change(node.start_byte(), node.end_byte(), Some(other))));
        found
    };
    let all: Vec<Vec<InputChange>> = places.iter().map(of_place).collect();
    let most = all.iter().map(Vec::len).max().unwrap_or(0);
    (0..most).flat_map(|rank| all.iter().filter_map(move |of_place| of_place.get(rank)).cloned()).collect()
}
