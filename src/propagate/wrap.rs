//! From a Java source text to the places in it that can be probed: expression values, catch clauses, test methods (tree-sitter, no types known).

use super::ExpressionKind;
use super::names::{self, Names};
use std::sync::Arc;
use tree_sitter::{Node, TreeCursor};

/// How a probe is put around or into its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// `reneri.rt.Probe.p(7, <place>)`
    Wrap,
    /// `reneri.rt.Probe.caught(7, <place>);` at byte `body`, right after the `{` of the catch block.
    Caught { body: usize },
    /// `try {` at byte `body`, and a catch clause at byte `end`, right before the `}` of the method.
    Thrown { body: usize, end: usize },
}

/// How sure it is, without types, that a place is a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Certainty {
    Value,
    /// A name before a dot that is not declared in this file, or a constant, but more likely a value that can be probed.
    PerhapsValue,
    /// More likely a type or a package.
    PerhapsType,
}

/// One place that can be probed. Positions are bytes of the source text, the end exclusive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    pub start: usize,
    pub end: usize,
    pub kind: ExpressionKind,
    pub form: Form,
    pub certainty: Certainty,
    /// Name of the enclosing method.
    pub method: Option<Arc<str>>,
    /// Innermost member (index into [`SourcePlaces::members`]).
    pub member: usize,
    /// A variable's bare name: the place that says least.
    pub bare_name: bool,
}

/// A method, constructor, initialiser or field declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    pub start: usize,
    pub end: usize,
    pub name: Option<Arc<str>>,
}

/// All places of one source text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourcePlaces {
    /// Sorted by beginning, outer before inner.
    pub places: Vec<Place>,
    /// How many expressions are not probed by rule.
    pub by_rule: usize,
    pub members: Vec<Member>,
    /// Lines (from 1) of members that the grammar cannot read; nothing in them is probed.
    pub unreadable: Vec<usize>,
    /// Calls, object creations and constructor calls: (begin, end) in bytes, in order of beginning. A compiler error at one of them means its parts.
    pub calls: Vec<(usize, usize)>,
    /// Statements and field declarations that are not blocks, likewise.
    pub statements: Vec<(usize, usize)>,
    /// `org.example`, where the file has a package.
    pub package: Option<String>,
    /// Simple names of the top-level types.
    pub types: Vec<String>,
}

/// Expressions nested deeper than this are left alone: javac's own recursion ends somewhere beyond.
const DEEPEST: usize = 1500;

/// Finds the places of `source`.
///
/// # Errors
/// When the parser cannot be set up or gives up: the sentence says so.
pub fn places(source: &str) -> Result<SourcePlaces, String> {
    // Chains of hundreds of calls or concatenations nest as deep: recursion gets a stack for them.
    std::thread::scope(|scope| {
        std::thread::Builder::new()
            .stack_size(64 << 20)
            .spawn_scoped(scope, || places_here(source))
            .map_err(|error| format!("no thread to read it in: {error}"))?
            .join()
            .map_err(|_| "the reader failed".to_owned())?
    })
}

fn places_here(source: &str) -> Result<SourcePlaces, String> {
    let mut parser = tree_sitter::Parser::new();
    parser.set_language(&tree_sitter_java::LANGUAGE.into()).map_err(|error| error.to_string())?;
    let tree = parser.parse(source, None).ok_or("the parser gave up")?;
    let names = Names::collect(tree.root_node(), source);
    let mut walk = Walk { source, names, found: SourcePlaces::default(), member: None, method: None };
    walk.visit(&mut tree.walk(), Context::default(), 0);
    let mut found = walk.found;
    found.places.sort_by_key(|place| (place.start, std::cmp::Reverse(place.end)));
    found.calls.sort_unstable();
    found.statements.sort_unstable();
    Ok(found)
}

/// What stands above a node means for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Role {
    /// Not an expression, or none whose value exists (a name being declared, a label).
    #[default]
    None,
    Value,
    /// A value that is not probed itself: an operand of `++`, the left of `=`, the middle of a chain.
    Inner,
    /// The value is thrown away.
    Statement,
    /// `throw e`: a probe would hide from javac what can be thrown (JLS §11.2.2).
    ThrownVariable,
}

#[derive(Clone, Copy, Debug, Default)]
struct Context {
    role: Role,
    asserted: bool,
    /// Stands before a dot; `Some(true)`: and a later part of the dotted name looks like a type.
    qualifies: Option<bool>,
    /// In the initialiser of a variable that may be a constant (JLS §4.12.4), where a probe could take that away.
    maybe_constant: bool,
    /// Arms of this `switch` are values.
    switch_value: bool,
    /// How many anonymous classes the call has whose arguments these are. javac numbers those of the arguments before those of the receiver; a
    /// probe around an argument would change that, and the names of the classes with it.
    classes_of_call: usize,
    /// Argument of an assertion that looks at how the given code ends: `assertThrows(X.class, () -> …)`.
    judged_by_end: bool,
}

struct Walk<'s> {
    source: &'s str,
    names: Names<'s>,
    found: SourcePlaces,
    member: Option<usize>,
    method: Option<Arc<str>>,
}

impl<'s> Walk<'s> {
    fn visit(&mut self, cursor: &mut TreeCursor<'_>, context: Context, depth: usize) {
        let node = cursor.node();
        if !node.is_named() || node.is_error() || depth > DEEPEST {
            return;
        }
        let kind = node.kind();
        match kind {
            "package_declaration" => self.found.package = node.named_child(0).map(|name| self.text(name).to_owned()),
            "class_declaration" | "interface_declaration" | "enum_declaration" | "record_declaration" if depth == 1 => {
                self.found.types.extend(node.child_by_field_name("name").map(|name| self.text(name).to_owned()));
            }
            _ => {}
        }
        if never_probed_below(kind) {
            return;
        }
        let is_member = is_member(node, depth);
        if is_member && node.has_error() {
            self.found.unreadable.push(node.start_position().row + 1);
            return;
        }
        let outside = (self.member, self.method.clone());
        if is_member {
            self.enter_member(node);
        }
        if is_statement(kind) {
            self.found.statements.push((node.start_byte(), node.end_byte()));
        }
        if matches!(kind, "method_invocation" | "object_creation_expression" | "explicit_constructor_invocation") {
            self.found.calls.push((node.start_byte(), node.end_byte()));
        }
        if kind == "catch_clause" {
            self.caught(node);
        }
        let descend = !is_expression(kind) || self.expression(node, kind, context);
        if descend {
            let plan = self.plan(node, kind, context);
            if cursor.goto_first_child() {
                loop {
                    let below = below(node, kind, cursor, context, &plan, &self.names);
                    self.visit(cursor, below, depth + 1);
                    if !cursor.goto_next_sibling() {
                        break;
                    }
                }
                cursor.goto_parent();
            }
        }
        (self.member, self.method) = outside;
    }

    fn text(&self, node: Node<'_>) -> &'s str {
        self.source.get(node.byte_range()).unwrap_or_default()
    }

    fn enter_member(&mut self, node: Node<'_>) {
        let name = node.child_by_field_name("name");
        if matches!(node.kind(), "method_declaration" | "constructor_declaration" | "compact_constructor_declaration") {
            self.method = name.map(|name| Arc::from(self.text(name)));
        } else {
            self.method = None;
        }
        self.member = Some(self.found.members.len());
        self.found.members.push(Member { start: node.start_byte(), end: node.end_byte(), name: self.method.clone() });
        if let (Some(name), Some(body)) = (name, node.child_by_field_name("body"))
            && node.kind() == "method_declaration"
            && self.is_test(node, name)
        {
            let form = Form::Thrown { body: body.start_byte() + 1, end: body.end_byte() - 1 };
            self.add(name, ExpressionKind::Thrown, form, Certainty::Value);
        }
    }

    /// JUnit 4 and 5 and TestNG by annotation (`@Test`, `@ParameterizedTest`, `@RepeatedTest`, `@TestTemplate` …), JUnit 3 by name.
    fn is_test(&self, method: Node<'_>, name: Node<'_>) -> bool {
        let mut cursor = method.walk();
        let Some(modifiers) = method.named_children(&mut cursor).find(|child| child.kind() == "modifiers") else {
            return false;
        };
        let mut cursor = modifiers.walk();
        let annotated = modifiers.named_children(&mut cursor).any(|annotation| {
            annotation.child_by_field_name("name").is_some_and(|name| {
                let simple = self.text(name).rsplit('.').next().unwrap_or_default();
                simple.ends_with("Test") || simple == "TestTemplate"
            })
        });
        let junit_3 = || {
            let mut cursor = modifiers.walk();
            let public = modifiers.children(&mut cursor).any(|modifier| modifier.kind() == "public");
            let void = method.child_by_field_name("type").is_some_and(|result| result.kind() == "void_type");
            let none =
                method.child_by_field_name("parameters").is_some_and(|parameters| parameters.named_child_count() == 0);
            public && void && none && self.text(name).starts_with("test")
        };
        annotated || junit_3()
    }

    fn caught(&mut self, clause: Node<'_>) {
        let mut cursor = clause.walk();
        let parameter = clause.named_children(&mut cursor).find(|child| child.kind() == "catch_formal_parameter");
        let name = parameter.and_then(|parameter| parameter.child_by_field_name("name"));
        // `catch (Exception _)` (JLS 22 §14.20) has nothing to hand over.
        let Some((name, body)) =
            name.filter(|name| name.kind() == "identifier").zip(clause.child_by_field_name("body"))
        else {
            return;
        };
        self.add(name, ExpressionKind::Caught, Form::Caught { body: body.start_byte() + 1 }, Certainty::Value);
    }

    fn add(&mut self, node: Node<'_>, kind: ExpressionKind, form: Form, certainty: Certainty) {
        let Some(member) = self.member else {
            return;
        };
        let method = self.method.clone();
        self.found.places.push(Place {
            start: node.start_byte(),
            end: node.end_byte(),
            kind,
            form,
            certainty,
            method,
            member,
            bare_name: node.kind() == "identifier",
        });
    }

    /// Makes a place of an expression, or counts it as not probed by rule. Returns whether there can be places inside.
    fn expression(&mut self, node: Node<'_>, kind: &str, context: Context) -> bool {
        if kind == "parenthesized_expression" {
            return true;
        }
        if context.role == Role::None {
            // A switch statement, a name that is no expression, an element of a pattern.
            return kind != "identifier";
        }
        if is_constant(node) {
            self.found.by_rule += count_expressions(node);
            return false;
        }
        let certainty = self.certainty(node, kind, context);
        match self.rule(node, kind, context) {
            Rule::Leave => {
                self.found.by_rule += 1;
                false
            }
            Rule::Inside => {
                self.found.by_rule += 1;
                true
            }
            Rule::Probe => {
                let kind = match context.role {
                    Role::Statement => ExpressionKind::Discarded,
                    _ if context.asserted => ExpressionKind::Asserted,
                    _ => ExpressionKind::Value,
                };
                self.add(node, kind, Form::Wrap, certainty);
                true
            }
        }
    }

    fn rule(&self, node: Node<'_>, kind: &str, context: Context) -> Rule {
        match kind {
            "template_expression" => return Rule::Leave,
            "lambda_expression" | "method_reference" => return Rule::Inside,
            "field_access" => {
                let field = node.child_by_field_name("field");
                if field.is_some_and(|field| field.kind() == "this") {
                    return Rule::Leave;
                }
                if matches!(self.text(node), "System.out" | "System.err" | "System.in") {
                    // Streams of the JDK: nothing of the project shows in their state.
                    return Rule::Leave;
                }
            }
            // The right side is probed.
            "assignment_expression" if operator(node) == "=" => {
                return Rule::Inside;
            }
            "binary_expression" | "unary_expression" | "ternary_expression" | "instanceof_expression"
                if carries_facts(node) =>
            {
                return Rule::Inside;
            }
            _ => {}
        }
        match context.role {
            Role::Value => Rule::Probe,
            Role::Statement => match kind {
                "object_creation_expression" => Rule::Probe,
                // `assertThat(x).isTrue();`, `verify(mock).f();`: what comes back belongs to the library.
                "method_invocation" if self.chain_of_library(node.child_by_field_name("object")) => Rule::Inside,
                "method_invocation" => Rule::Probe,
                _ => Rule::Inside,
            },
            Role::ThrownVariable if kind == "identifier" => Rule::Leave,
            Role::ThrownVariable => Rule::Probe,
            Role::Inner | Role::None => Rule::Inside,
        }
    }

    /// Whether `receiver` is a call chain that begins with `assertThat(…)`, `verify(…)`, `when(…)` and the like.
    fn chain_of_library(&self, receiver: Option<Node<'_>>) -> bool {
        self.any_call(receiver, names::begins_chain)
    }

    /// Whether any call in the chain that ends in `call` has a name that `test` accepts.
    fn any_call(&self, call: Option<Node<'_>>, test: fn(&str) -> bool) -> bool {
        let mut next = call;
        while let Some(node) = next {
            if node.kind() == "method_invocation"
                && node.child_by_field_name("name").is_some_and(|name| test(self.text(name)))
            {
                return true;
            }
            next = if matches!(node.kind(), "method_invocation" | "field_access") {
                node.child_by_field_name("object")
            } else {
                None
            };
        }
        false
    }

    fn certainty(&self, node: Node<'_>, kind: &str, context: Context) -> Certainty {
        let name = match kind {
            "identifier" => node,
            "field_access" => match node.child_by_field_name("field") {
                Some(field) => field,
                None => return Certainty::Value,
            },
            _ => return if context.maybe_constant { Certainty::PerhapsValue } else { Certainty::Value },
        };
        let Some(type_ahead) = context.qualifies else {
            return if context.maybe_constant { Certainty::PerhapsType } else { Certainty::Value };
        };
        if kind == "field_access" {
            let text = self.text(name);
            return if names::looks_like_type(text) || (type_ahead && self.root_is_package(node)) {
                Certainty::PerhapsType
            } else {
                Certainty::PerhapsValue
            };
        }
        self.names.qualifier(self.text(name), type_ahead)
    }

    fn root_is_package(&self, access: Node<'_>) -> bool {
        let mut node = access;
        while let Some(object) = node.child_by_field_name("object") {
            node = object;
        }
        node.kind() == "identifier" && self.names.qualifier(self.text(node), true) == Certainty::PerhapsType
    }

    /// What the children of `node` need to know of it.
    fn plan(&self, node: Node<'_>, kind: &str, context: Context) -> Plan {
        let mut plan = Plan { asserted: context.asserted, ..Plan::default() };
        match kind {
            "method_invocation" => {
                let object = node.child_by_field_name("object");
                plan.asserted_arguments = context.asserted || self.any_call(Some(node), names::is_assertion);
                plan.object_is_library = self.chain_of_library(object);
                let mut cursor = node.walk();
                // `Interface.super.method()`
                plan.object_is_type = node.named_children(&mut cursor).any(|child| child.kind() == "super");
                plan.runs_code = node.child_by_field_name("name").is_some_and(|name| names::runs_code(self.text(name)));
            }
            "field_access" => {
                plan.object_is_type = node.child_by_field_name("field").is_some_and(|field| field.kind() == "this");
                plan.type_ahead = context.qualifies == Some(true)
                    || (context.qualifies.is_some() || node.child_by_field_name("object").is_some())
                        && node
                            .child_by_field_name("field")
                            .is_some_and(|field| names::looks_like_type(self.text(field)));
            }
            "field_declaration" | "local_variable_declaration" => {
                let mut cursor = node.walk();
                plan.constant_variable =
                    node.named_children(&mut cursor).filter(|child| child.kind() == "modifiers").any(|modifiers| {
                        let mut cursor = modifiers.walk();
                        modifiers.children(&mut cursor).any(|modifier| modifier.kind() == "final")
                    });
            }
            "constant_declaration" => plan.constant_variable = true,
            _ => {}
        }
        plan
    }
}

enum Rule {
    Probe,
    /// No probe here; look inside.
    Inside,
    /// No probe here, nor inside.
    Leave,
}

#[derive(Default)]
struct Plan {
    asserted: bool,
    asserted_arguments: bool,
    object_is_library: bool,
    object_is_type: bool,
    type_ahead: bool,
    constant_variable: bool,
    runs_code: bool,
}

/// The context of the child at `cursor`, whose parent is `node`.
fn below(
    node: Node<'_>,
    kind: &str,
    cursor: &TreeCursor<'_>,
    context: Context,
    plan: &Plan,
    names: &Names<'_>,
) -> Context {
    let classes_in = |node: Node<'_>| names.anonymous_classes(node.start_byte(), node.end_byte());
    let field = cursor.field_name();
    let child = cursor.node();
    let value = Context { role: Role::Value, asserted: context.asserted, ..Context::default() };
    let none = Context { role: Role::None, asserted: context.asserted, ..Context::default() };
    match (kind, field) {
        ("class_body" | "interface_body" | "enum_body" | "annotation_type_body", _) => Context::default(),
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
        // `array` in `array[i] = 1` is a part of the target.
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
        ("assignment_expression" | "array_access" | "dimensions_expr" | "guard", _)
        | ("instanceof_expression", Some("left"))
        | ("enhanced_for_statement" | "resource", Some("value"))
        | ("for_statement", Some("condition"))
        | ("return_statement" | "yield_statement", _) => value,
        ("lambda_expression", Some("body")) => {
            let asserted = context.asserted && !context.judged_by_end && child.kind() != "block";
            Context { asserted, ..value }
        }
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
        ("switch_rule", _) if child.kind() == "expression_statement" => {
            Context { switch_value: context.switch_value, ..none }
        }
        ("method_reference", _) if child.end_byte() < node.end_byte() && !is_name(child.kind()) => value,
        ("field_declaration" | "local_variable_declaration" | "constant_declaration", Some("declarator")) => {
            Context { maybe_constant: plan.constant_variable, ..none }
        }
        ("variable_declarator", Some("value")) => Context { maybe_constant: context.maybe_constant, ..value },
        ("array_initializer", _) => value,
        _ => Context { asserted: plan.asserted, ..Context::default() },
    }
}

fn is_name(kind: &str) -> bool {
    matches!(kind, "identifier" | "field_access")
}

/// `a + b` in `a + b + c`: the parts and the whole say all that the middle says.
fn continues_chain(node: Node<'_>, left: Node<'_>) -> bool {
    left.kind() == "binary_expression"
        && matches!(operator(node), "+" | "&&" | "||")
        && operator(node) == operator(left)
}

fn operator<'t>(node: Node<'t>) -> &'t str {
    node.child_by_field_name("operator").map_or("", |operator| operator.kind())
}

/// Annotations and types hold no values; names of packages neither.
fn never_probed_below(kind: &str) -> bool {
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

fn is_member(node: Node<'_>, depth: usize) -> bool {
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

fn is_statement(kind: &str) -> bool {
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

fn is_literal(kind: &str) -> bool {
    kind.ends_with("_literal") || matches!(kind, "true" | "false")
}

/// Kinds of nodes that stand for one expression of the language.
pub(super) fn is_expression(kind: &str) -> bool {
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

/// Literals, `this`, class literals, and what operators make of literals alone.
fn is_constant(node: Node<'_>) -> bool {
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

fn count_expressions(node: Node<'_>) -> usize {
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

/// Whether javac draws conclusions from the outcome of this expression for what follows, which a probe around it would hide: names that a
/// pattern binds (JLS §6.3.1), variables assigned in part of it (JLS §16.1).
fn carries_facts(node: Node<'_>) -> bool {
    match node.kind() {
        "instanceof_expression" => {
            node.child_by_field_name("name").is_some() || node.child_by_field_name("pattern").is_some()
        }
        "parenthesized_expression" => node.named_child(0).is_some_and(carries_facts),
        "unary_expression" => node.child_by_field_name("operand").is_some_and(carries_facts),
        "binary_expression" => {
            matches!(operator(node), "&&" | "||")
                && (node.child_by_field_name("left").is_some_and(carries_facts)
                    || node.child_by_field_name("right").is_some_and(|right| carries_facts(right) || assigns(right)))
        }
        "ternary_expression" => ["condition", "consequence", "alternative"]
            .iter()
            .filter_map(|field| node.child_by_field_name(field))
            .any(|part| carries_facts(part) || assigns(part)),
        _ => false,
    }
}

fn assigns(node: Node<'_>) -> bool {
    match node.kind() {
        "assignment_expression" => true,
        "lambda_expression" | "class_body" => false,
        kind if is_literal(kind) || is_name(kind) => false,
        _ => {
            let mut cursor = node.walk();
            node.named_children(&mut cursor).any(assigns)
        }
    }
}
