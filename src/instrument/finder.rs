//! Finds the places in a Java source text that can be probed: expressions, catch clauses, test
//! methods. It uses tree-sitter and knows no types.

use super::ExpressionKind;
use super::context::{Context, Plan, Role, below};
use super::names::{self, Certainty, Names};
use super::place::{Form, Member, Place, SourcePlaces};
use super::syntax::{
    self, carries_facts, count_expressions, has_modifier, is_constant, is_expression, is_member, is_name, is_statement,
    never_probed_below, operator,
};
use super::test_method::{is_inherited, is_test};
use std::collections::HashMap;
use std::sync::Arc;
use tree_sitter::{Node, TreeCursor};

/// Finds the places of `source`.
///
/// # Errors
/// If the parser cannot be set up or gives up; the sentence says so.
pub fn places(source: &str) -> Result<SourcePlaces, String> {
    // Chains of hundreds of calls or concatenations nest as deep, so the recursion gets a large
    // stack.
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
    let mut walk = Walk {
        source,
        names,
        chains: HashMap::new(),
        found: SourcePlaces::default(),
        member: None,
        method: None,
        repeats: true,
    };
    walk.visit(&mut tree.walk(), Context::default(), 0);
    let mut found = walk.found;
    found.places.sort_by_key(|place| (place.start, std::cmp::Reverse(place.end)));
    found.calls.sort_unstable();
    found.statements.sort_unstable();
    Ok(found)
}

/// Facts about a chain of calls, from the names in it.
#[derive(Clone, Copy, Debug, Default)]
struct Chain {
    /// A name is `assertThat`, `verify`, `when` or the like.
    library: bool,
    /// A name is that of an assertion.
    asserts: bool,
}

struct Walk<'s> {
    source: &'s str,
    names: Names<'s>,
    /// By the id of the node.
    chains: HashMap<usize, Chain>,
    found: SourcePlaces,
    member: Option<usize>,
    method: Option<Arc<str>>,
    repeats: bool,
}

impl<'s> Walk<'s> {
    fn visit(&mut self, cursor: &mut TreeCursor<'_>, context: Context, depth: usize) {
        let node = cursor.node();
        if !node.is_named() || node.is_error() || depth > syntax::DEEPEST {
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
        let outside = (self.member, self.method.clone(), self.repeats);
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
            let repeats = self.repeats;
            // An assertion runs the given code once: `assertThrows(X.class, () -> …)`.
            let runs_once = kind == "lambda_expression" && context.asserted && context.judged_by_end;
            if cursor.goto_first_child() {
                loop {
                    self.repeats = repeats || !runs_once && syntax::repeats(kind, cursor.field_name());
                    let below = below(node, cursor, context, &plan, &self.names);
                    self.visit(cursor, below, depth + 1);
                    if !cursor.goto_next_sibling() {
                        break;
                    }
                }
                cursor.goto_parent();
            }
        }
        (self.member, self.method, self.repeats) = outside;
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
        let is_local = self.member.is_some();
        self.member = Some(self.found.members.len());
        self.found.members.push(Member { start: node.start_byte(), end: node.end_byte(), name: self.method.clone() });
        self.repeats = true;
        if let (Some(name), Some(body)) = (name, node.child_by_field_name("body"))
            && node.kind() == "method_declaration"
            && is_test(node, name, self.source)
        {
            self.repeats = is_local || is_inherited(node);
            let form = Form::Thrown { body: body.start_byte() + 1, end: body.end_byte() - 1 };
            self.add(name, ExpressionKind::Thrown, form, Certainty::Value);
        }
    }

    fn caught(&mut self, clause: Node<'_>) {
        let mut cursor = clause.walk();
        let parameter = clause.named_children(&mut cursor).find(|child| child.kind() == "catch_formal_parameter");
        let name = parameter.and_then(|parameter| parameter.child_by_field_name("name"));
        // `catch (Exception _)` (JLS 22 §14.20) has no variable to pass on.
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
            repeats: self.repeats,
        });
    }

    /// Makes a place of an expression, or counts it as not probed by rule. Returns whether there
    /// can be places inside.
    fn expression(&mut self, node: Node<'_>, kind: &str, context: Context) -> bool {
        if kind == "parenthesized_expression" {
            return true;
        }
        if context.role == Role::None {
            // A switch statement, a name that is no expression, or a variable as resource.
            return !is_name(kind);
        }
        if is_constant(node) {
            *self.found.by_rule.entry(CONSTANT).or_default() += count_expressions(node);
            return false;
        }
        let certainty = self.certainty(node, kind, context);
        match self.rule(node, kind, context) {
            Rule::Leave(reason) => {
                *self.found.by_rule.entry(reason).or_default() += 1;
                false
            }
            Rule::Inside(reason) => {
                *self.found.by_rule.entry(reason).or_default() += 1;
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

    fn rule(&mut self, node: Node<'_>, kind: &str, context: Context) -> Rule {
        match kind {
            "template_expression" => return Rule::Leave("string templates"),
            "lambda_expression" | "method_reference" => return Rule::Inside("lambdas and method references"),
            "field_access" => {
                let field = node.child_by_field_name("field");
                if field.is_some_and(|field| field.kind() == "this") {
                    return Rule::Leave(CONSTANT);
                }
                if matches!(self.text(node), "System.out" | "System.err" | "System.in") {
                    // Their state shows nothing of the project.
                    return Rule::Leave("standard streams");
                }
            }
            // The right side is probed.
            "assignment_expression" if operator(node) == "=" => {
                return Rule::Inside("assignments (their right side is probed)");
            }
            "binary_expression" | "unary_expression" | "ternary_expression" | "instanceof_expression"
                if context.role == Role::Value && carries_facts(node) =>
            {
                return Rule::Inside("conditions that bind or assign variables (their parts are probed)");
            }
            _ => {}
        }
        match context.role {
            Role::Value => Rule::Probe,
            Role::Statement => match kind {
                "object_creation_expression" => Rule::Probe,
                // `assertThat(x).isTrue();`, `verify(mock).f();`: the value belongs to the library.
                "method_invocation"
                    if node.child_by_field_name("object").is_some_and(|object| self.chain(object).library) =>
                {
                    Rule::Inside("chains of assertion and mock libraries (their arguments are probed)")
                }
                "method_invocation" => Rule::Probe,
                _ => Rule::Inside("statements without a value"),
            },
            Role::ThrownVariable if kind == "identifier" => Rule::Leave("variables that are thrown"),
            Role::ThrownVariable => Rule::Probe,
            Role::Inner | Role::None => {
                Rule::Inside("parts of a larger expression that says as much (left sides, middles of chains)")
            }
        }
    }

    /// The facts about the chain that ends in `call`. They are remembered for all calls of the
    /// chain, which can be thousands of calls long.
    fn chain(&mut self, call: Node<'_>) -> Chain {
        let mut links = Vec::new();
        let mut chain = Chain::default();
        let mut next = Some(call);
        while let Some(node) = next.filter(|node| matches!(node.kind(), "method_invocation" | "field_access")) {
            if let Some(known) = self.chains.get(&node.id()) {
                chain = *known;
                break;
            }
            links.push(node);
            next = node.child_by_field_name("object");
        }
        for node in links.into_iter().rev() {
            if let Some(name) = node.child_by_field_name("name").map(|name| self.text(name)) {
                chain.library |= names::begins_chain(name);
                chain.asserts |= names::is_assertion(name);
            }
            self.chains.insert(node.id(), chain);
        }
        chain
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

    /// The facts that the children of `node` need.
    fn plan(&mut self, node: Node<'_>, kind: &str, context: Context) -> Plan {
        let mut plan = Plan { asserted: context.asserted, ..Plan::default() };
        match kind {
            "method_invocation" => {
                let object = node.child_by_field_name("object");
                plan.asserted_arguments = context.asserted || self.chain(node).asserts;
                plan.object_is_library = object.is_some_and(|object| self.chain(object).library);
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
            "field_declaration" | "local_variable_declaration" => plan.constant_variable = has_modifier(node, "final"),
            "constant_declaration" => plan.constant_variable = true,
            _ => {}
        }
        plan
    }
}

enum Rule {
    Probe,
    /// Not probed, for this reason; places inside may be.
    Inside(&'static str),
    /// Not probed, for this reason, and nothing inside is.
    Leave(&'static str),
}

const CONSTANT: &str = "constants, `this` and class literals";
