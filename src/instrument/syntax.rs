//! Maps nodes of the grammar to concepts of the Java language: expression, statement, member,
//! constant.

use tree_sitter::Node;

/// Whether this is a name, plain or dotted.
pub fn is_name(kind: &str) -> bool {
    matches!(kind, "identifier" | "field_access")
}

/// Whether this is `a + b` in `a + b + c`: the parts and the whole say all that the middle says.
pub fn continues_chain(node: Node<'_>, left: Node<'_>) -> bool {
    left.kind() == "binary_expression"
        && matches!(operator(node), "+" | "&&" | "||")
        && operator(node) == operator(left)
}

pub fn operator<'t>(node: Node<'t>) -> &'t str {
    node.child_by_field_name("operator").map_or("", |operator| operator.kind())
}

/// Whether nothing below is probed. Annotations and types hold no values, and neither do the names
/// of packages.
pub fn never_probed_below(kind: &str) -> bool {
    kind.ends_with("_type")
        || matches!(
            kind,
            "annotation"
                | "marker_annotation"
                | "modifiers"
                | "line_comment"
                | "block_comment"
                | "import_declaration"
                | "package_declaration"
                | "module_declaration"
                | "type_identifier"
                | "scoped_type_identifier"
                | "type_arguments"
                | "type_parameters"
                | "superclass"
                | "super_interfaces"
                | "extends_interfaces"
                | "permits"
                | "throws"
                | "formal_parameters"
                | "inferred_parameters"
                | "annotation_type_element_declaration"
                | "pattern"
                | "record_pattern"
        )
}

pub fn is_member(node: Node<'_>, depth: usize) -> bool {
    match node.kind() {
        "method_declaration"
        | "constructor_declaration"
        | "compact_constructor_declaration"
        | "static_initializer"
        | "field_declaration"
        | "constant_declaration"
        | "enum_constant" => true,
        "block" => node.parent().is_some_and(|parent| matches!(parent.kind(), "class_body" | "enum_body_declarations")),
        _ => depth == 1 && is_statement(node.kind()),
    }
}

pub fn is_statement(kind: &str) -> bool {
    matches!(
        kind,
        "expression_statement"
            | "local_variable_declaration"
            | "return_statement"
            | "throw_statement"
            | "yield_statement"
            | "assert_statement"
            | "if_statement"
            | "while_statement"
            | "do_statement"
            | "for_statement"
            | "enhanced_for_statement"
            | "synchronized_statement"
            | "try_statement"
            | "try_with_resources_statement"
            | "switch_expression"
            | "explicit_constructor_invocation"
            | "field_declaration"
            | "constant_declaration"
            | "enum_constant"
    )
}

/// Whether a child in this field of a node of this kind may be evaluated more than once: in each
/// round of a loop, or at each call of a lambda.
pub fn repeats(kind: &str, field: Option<&str>) -> bool {
    match kind {
        "while_statement" | "do_statement" | "lambda_expression" => true,
        "for_statement" => field != Some("init"),
        "enhanced_for_statement" => field != Some("value"),
        _ => false,
    }
}

/// The modifiers of a declaration, including its annotations.
#[must_use]
pub fn modifiers(declaration: Node<'_>) -> Option<Node<'_>> {
    let mut cursor = declaration.walk();
    declaration.named_children(&mut cursor).find(|child| child.kind() == "modifiers")
}

pub fn has_modifier(declaration: Node<'_>, modifier: &str) -> bool {
    modifiers(declaration).is_some_and(|modifiers| {
        let mut cursor = modifiers.walk();
        modifiers.children(&mut cursor).filter_map(|child| child.child(0)).any(|word| word.kind() == modifier)
    })
}

pub fn is_literal(kind: &str) -> bool {
    kind.ends_with("_literal") || matches!(kind, "true" | "false")
}

/// Whether a node of this kind is one expression of the language.
pub fn is_expression(kind: &str) -> bool {
    is_literal(kind)
        || matches!(
            kind,
            "identifier"
                | "this"
                | "field_access"
                | "method_invocation"
                | "object_creation_expression"
                | "array_creation_expression"
                | "array_access"
                | "assignment_expression"
                | "binary_expression"
                | "unary_expression"
                | "update_expression"
                | "ternary_expression"
                | "cast_expression"
                | "instanceof_expression"
                | "switch_expression"
                | "lambda_expression"
                | "method_reference"
                | "parenthesized_expression"
                | "template_expression"
        )
}

/// Whether this is a literal, `this`, a class literal, or made of literals by operators alone.
pub fn is_constant(node: Node<'_>) -> bool {
    let mut node = node;
    loop {
        let kind = node.kind();
        let next = match kind {
            "this" => return true,
            _ if is_literal(kind) => return true,
            "parenthesized_expression" => node.named_child(0),
            "unary_expression" => node.child_by_field_name("operand"),
            "cast_expression" => node.child_by_field_name("value"),
            "binary_expression" => {
                if !node.child_by_field_name("right").is_some_and(is_constant) {
                    return false;
                }
                node.child_by_field_name("left")
            }
            _ => return false,
        };
        match next {
            Some(inner) => node = inner,
            None => return false,
        }
    }
}

pub fn count_expressions(node: Node<'_>) -> usize {
    let mut count = 0;
    let mut cursor = node.walk();
    loop {
        let kind = cursor.node().kind();
        if is_expression(kind) && kind != "parenthesized_expression" {
            count += 1;
        }
        if !kind.ends_with("_type") && !is_literal(kind) && cursor.goto_first_child() {
            continue;
        }
        loop {
            if cursor.node() == node {
                return count;
            }
            if cursor.goto_next_sibling() {
                break;
            }
            if !cursor.goto_parent() {
                return count;
            }
        }
    }
}

/// Deepest level of nesting that is examined. Below it, no probe is set.
pub const DEEPEST: usize = 1500;

/// Whether javac draws conclusions from this expression for the code that follows, which a probe
/// around it would hide: names that a pattern binds (JLS §6.3.1), or variables that a part of it
/// assigns (JLS §16.1).
pub fn carries_facts(node: Node<'_>) -> bool {
    carries_facts_below(node, 0)
}

fn carries_facts_below(node: Node<'_>, depth: usize) -> bool {
    let part = |name: &str, test: fn(Node<'_>, usize) -> bool| {
        node.child_by_field_name(name).is_some_and(|part| test(part, depth + 1))
    };
    if depth > DEEPEST {
        return true;
    }
    match node.kind() {
        "instanceof_expression" => {
            node.child_by_field_name("name").is_some() || node.child_by_field_name("pattern").is_some()
        }
        "parenthesized_expression" => node.named_child(0).is_some_and(|inner| carries_facts_below(inner, depth + 1)),
        "unary_expression" => part("operand", carries_facts_below),
        "binary_expression" => {
            matches!(operator(node), "&&" | "||")
                && (part("left", carries_facts_below)
                    || part("right", carries_facts_below)
                    || part("right", assigns_below))
        }
        "ternary_expression" => ["condition", "consequence", "alternative"]
            .iter()
            .any(|name| part(name, carries_facts_below) || part(name, assigns_below)),
        _ => false,
    }
}

fn assigns_below(node: Node<'_>, depth: usize) -> bool {
    match node.kind() {
        _ if depth > DEEPEST => true,
        "assignment_expression" => true,
        "lambda_expression" | "class_body" => false,
        kind if is_literal(kind) || is_name(kind) => false,
        _ => {
            let mut cursor = node.walk();
            node.named_children(&mut cursor).any(|child| assigns_below(child, depth + 1))
        }
    }
}
