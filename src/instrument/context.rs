//! Derives the role of a node from its surroundings: whether its value is used, discarded, assigned
//! to, asserted.

use super::names::Names;
use super::syntax::{continues_chain, is_expression, is_name};
use tree_sitter::{Node, TreeCursor};

/// The role that a node's surroundings give it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Role {
    /// Not an expression, or one without a value (a name being declared, a label).
    #[default]
    None,
    Value,
    /// A value that is not probed itself: an operand of `++`, the left side of `=`, the middle of a
    /// chain.
    Inner,
    /// The value is discarded.
    Statement,
    /// `throw e`. A probe would hide from javac which exceptions can be thrown (JLS §11.2.2).
    ThrownVariable,
}

/// The facts about a node that follow from its ancestors.
#[derive(Clone, Copy, Debug, Default)]
pub struct Context {
    pub role: Role,
    pub asserted: bool,
    /// `Some` if the node stands before a dot; `Some(true)` if a later part of the dotted name
    /// looks like a type.
    pub qualifies: Option<bool>,
    /// In the initializer of a variable that may be a constant (JLS §4.12.4). A probe could make it
    /// a variable.
    pub maybe_constant: bool,
    /// The arms of this `switch` are values.
    pub switch_value: bool,
    /// Number of anonymous classes in the call whose arguments these are. Javac numbers the classes
    /// of the arguments before those of the receiver. A probe around an argument would change the
    /// order, and with it the names of the classes.
    pub classes_of_call: usize,
    /// Argument of an assertion that checks how the given code ends:
    /// `assertThrows(X.class, () -> …)`.
    pub judged_by_end: bool,
}

/// The facts about a node, beyond its kind, that its children need.
#[derive(Default)]
pub struct Plan {
    pub asserted: bool,
    pub asserted_arguments: bool,
    pub object_is_library: bool,
    pub object_is_type: bool,
    pub type_ahead: bool,
    pub constant_variable: bool,
    pub runs_code: bool,
}

/// The context of the child at `cursor`, whose parent is `node`.
pub fn below(node: Node<'_>, cursor: &TreeCursor<'_>, context: Context, plan: &Plan, names: &Names<'_>) -> Context {
    below_expression(node, cursor, context, plan, names).unwrap_or_else(|| below_statement(node, cursor, context, plan))
}

/// The context of a child of an expression; `None` if nothing special follows from the expression.
fn below_expression(
    node: Node<'_>,
    cursor: &TreeCursor<'_>,
    context: Context,
    plan: &Plan,
    names: &Names<'_>,
) -> Option<Context> {
    let kind = node.kind();
    let classes_in = |node: Node<'_>| names.anonymous_classes(node.start_byte(), node.end_byte());
    let field = cursor.field_name();
    let child = cursor.node();
    let value = Context { role: Role::Value, asserted: context.asserted, ..Context::default() };
    let none = Context { role: Role::None, asserted: context.asserted, ..Context::default() };
    Some(match (kind, field) {
        ("argument_list", _) => {
            let own = classes_in(child);
            let role = if own > 0 && context.classes_of_call > own { Role::Inner } else { Role::Value };
            Context { role, judged_by_end: context.judged_by_end, ..value }
        }
        ("method_invocation", Some("arguments")) => Context {
            asserted: plan.asserted_arguments,
            judged_by_end: plan.runs_code,
            classes_of_call: classes_in(node),
            ..none
        },
        ("object_creation_expression", Some("arguments")) => Context { classes_of_call: classes_in(node), ..none },
        ("method_invocation", Some("object")) if plan.object_is_type => none,
        ("method_invocation", Some("object")) if plan.object_is_library && child.kind() == "method_invocation" => {
            Context { role: Role::Inner, ..none }
        }
        ("method_invocation", Some("object")) => Context { qualifies: Some(false), ..value },
        ("field_access", Some("object")) if plan.object_is_type => none,
        // In `array[i] = 1`, `array` is part of the target.
        ("field_access", Some("object")) | ("array_access", Some("array"))
            if context.role == Role::Inner && is_name(child.kind()) =>
        {
            Context { role: Role::Inner, ..none }
        }
        ("field_access", Some("object")) => Context { qualifies: Some(plan.type_ahead), ..value },
        ("object_creation_expression", None) if child.end_byte() < node.end_byte() && is_expression(child.kind()) => {
            // `outer.new Inner()`
            Context { qualifies: Some(false), ..value }
        }
        ("explicit_constructor_invocation", Some("object")) => value,
        ("assignment_expression", Some("left")) => Context { role: Role::Inner, ..none },
        ("update_expression", _) => Context { role: Role::Inner, ..none },
        ("binary_expression", Some("left")) if continues_chain(node, child) => Context { role: Role::Inner, ..none },
        ("binary_expression" | "unary_expression" | "ternary_expression" | "cast_expression", Some("type")) => none,
        ("binary_expression" | "unary_expression" | "ternary_expression" | "cast_expression", _) => {
            Context { maybe_constant: context.maybe_constant, ..value }
        }
        ("parenthesized_expression", _) => match context.role {
            Role::None => value,
            _ => context,
        },
        ("assignment_expression" | "array_access" | "dimensions_expr", _) | ("instanceof_expression", Some("left")) => {
            value
        }
        ("lambda_expression", Some("body")) => {
            let asserted = context.asserted && !context.judged_by_end && child.kind() != "block";
            Context { asserted, ..value }
        }
        ("method_reference", _) if child.end_byte() < node.end_byte() && !is_name(child.kind()) => value,
        ("array_initializer", _) => value,
        _ => return None,
    })
}

/// The context of a child of a statement, declaration or body.
fn below_statement(node: Node<'_>, cursor: &TreeCursor<'_>, context: Context, plan: &Plan) -> Context {
    let value = Context { role: Role::Value, asserted: context.asserted, ..Context::default() };
    let none = Context { role: Role::None, asserted: context.asserted, ..Context::default() };
    match (node.kind(), cursor.field_name()) {
        ("class_body" | "interface_body" | "enum_body" | "annotation_type_body", _) => Context::default(),
        ("guard" | "return_statement" | "yield_statement", _)
        | ("enhanced_for_statement" | "resource", Some("value"))
        | ("for_statement", Some("condition")) => value,
        ("throw_statement", _) => Context { role: Role::ThrownVariable, ..value },
        ("assert_statement", _) => Context { asserted: true, ..value },
        ("for_statement", Some("init" | "update")) => Context { role: Role::Statement, ..none },
        ("expression_statement", _) => {
            Context { role: if context.switch_value { Role::Value } else { Role::Statement }, ..none }
        }
        ("switch_expression", Some("body")) => {
            Context { switch_value: matches!(context.role, Role::Value | Role::Inner), ..none }
        }
        ("switch_block", _) => Context { switch_value: context.switch_value, ..none },
        ("switch_rule", _) if cursor.node().kind() == "expression_statement" => {
            Context { switch_value: context.switch_value, ..none }
        }
        ("field_declaration" | "local_variable_declaration" | "constant_declaration", Some("declarator")) => {
            Context { maybe_constant: plan.constant_variable, ..none }
        }
        ("variable_declarator", Some("value")) => Context { maybe_constant: context.maybe_constant, ..value },
        _ => Context { asserted: plan.asserted, ..Context::default() },
    }
}
